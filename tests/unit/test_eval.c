/* Evaluation where transcripts do not reach: limits, memory, garbage, programs. */
#include "tests/unit/eval_fixture.h"

#include <unistd.h>

#include "grammar/pragma.h"

/* --- statements and what they say ------------------------------------------------------- */

static void check(Bench *bench, const char *text, const char *expected) {
    assert_string_equal(bench_run(bench, text), expected);
}

static void ints_do_not_wrap(void **state) {
    (void)state;
    static const char *const overflow[] = {"9223372036854775807+1;",
                                           "-9223372036854775807-2;",
                                           "4611686018427387904*2;",
                                           "2^63;",
                                           "-(-9223372036854775807-1);",
                                           "round(10.0^19);",
                                           "3^41;",
                                           "indices+9223372036854775807;"};
    static const struct {
        const char *text, *result;
    } fits[] = {
        {"9223372036854775806+1;", "out=9223372036854775807 "},
        {"-(2^62)-(2^62);", "out=-9223372036854775808 "},
        {"(0-9223372036854775807-1)%(0-1);", "out=0 "},
        {"range(9223372036854775806, 9223372036854775807);", "out=[9223372036854775806] "},
        {"len(range(-9223372036854775807, 9223372036854775807, 4611686018427387904));", "out=4 "},
        {"range(5, -9223372036854775807, -9223372036854775807);",
         "out=[5, -9223372036854775802] "}};
    Bench bench;
    bench_open(&bench, SESSION_REPL, 0);
    for (size_t k = 0; k < sizeof overflow / sizeof *overflow; k++) {
        const char *said = bench_run(&bench, overflow[k]);
        assert_int_equal(strncmp(said, "!int too large", 14), 0);
    }
    for (size_t k = 0; k < sizeof fits / sizeof *fits; k++)
        check(&bench, fits[k].text, fits[k].result);
    bench_close(&bench);
}

static void dicts_keep_order_and_first_key(void **state) {
    (void)state;
    Bench bench;
    bench_open(&bench, SESSION_REPL, 0);
    check(&bench, "d = {1: \"a\", \"k\": 2, 1.0: \"b\", True: \"c\", \"k\": 3};",
          "d={1: \"c\", \"k\": 3} ");
    check(&bench, "d[True]; d[1.0]; d[0];", "out=\"c\" out=\"c\" !index [ 0 ] not in dict. ");
    check(&bench, "{1: [2]} == {True: [2.0]}; {1: 2} == {1: 2, 2: 3};", "out=True out=False ");
    check(&bench, "{k % 100: k for k in range(1000)}[42];", "out=942 ");
    bench_close(&bench);
}

static void private_names_stay_private(void **state) {
    (void)state;
    Bench bench;
    bench_open(&bench, SESSION_REPL, 0);
    check(&bench, "_width(full_s);", "!Error: Undefined variable: _width ");
    check(&bench, "hist = 3; hist; length = 3;",
          "hist=3 hist=3 !Error: Cannot set reserved name: length ");
    check(&bench, "mode(tokens)(\"abb\");", "=b b b ");
    bench_close(&bench);
}

/* --- limits ----------------------------------------------------------------------------- */

static void recursion_ends_in_an_error(void **state) {
    (void)state;
    static const char deep[] = "!maximum recursion depth exceeded ";
    Bench bench;
    bench_open(&bench, SESSION_REPL, 0);
    bench_run(&bench, "def down(n) { return 0 if n == 0 else 1 + down(n - 1); }"
                      "def even(n) { return True if n == 0 else odd(n - 1); }"
                      "def odd(n) { return False if n == 0 else even(n - 1); }"
                      "def grow(l) { return grow([l]); }");
    check(&bench, "down(500);", "out=500 ");
    check(&bench, "down(10000000);", deep);
    check(&bench, "even(10000000);", deep);
    check(&bench, "grow(1);", deep);
    check(&bench, "l = []; for i in range(3000) { l = [l]; }",
          "l=[] !maximum recursion depth exceeded ");
    check(&bench, "down(500);", "out=500 ");
    bench_close(&bench);
}

static void stack_limit_is_an_option(void **state) {
    (void)state;
    Bench bench;
    bench_open(&bench, SESSION_REPL, 0);
    bench_run(&bench, "def down(n) { return 0 if n == 0 else 1 + down(n - 1); }");
    bench.session->options.stack_limit = 16 << 10;
    check(&bench, "down(500);", "!maximum recursion depth exceeded ");
    bench.session->options.stack_limit = 0;
    check(&bench, "down(500);", "out=500 ");
    bench_close(&bench);
}

/* A statement of `count` terms joined by `by`; to be freed. */
static char *chain(const char *first, const char *by, size_t count) {
    size_t room = strlen(first) + count * strlen(by) + 2;
    char *text = malloc(room), *at = text + sprintf(text, "%s", first);
    for (size_t k = 0; k < count; k++) at += sprintf(at, "%s", by);
    sprintf(at, ";");
    return text;
}

static void long_chains_are_no_recursion(void **state) {
    (void)state;
    static const struct {
        const char *first, *by, *result;
    } table[] = {{"1", "+1", "out=100001 "},
                 {"True", " and True", "out=True "},
                 {"0", " or 0 and 1", "out=0 "},
                 {"2 if False else 3", " if False else 3", "out=3 "},
                 {"1", "<2", "out=True "}};
    Bench bench;
    bench_open(&bench, SESSION_REPL, 0);
    bench.session->options.stack_limit = 64 << 10;
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        char *text = chain(table[k].first, table[k].by, 100000);
        check(&bench, text, table[k].result);
        free(text);
    }
    bench_close(&bench);
}

static void memory_has_a_limit(void **state) {
    (void)state;
    static const char *const greedy[] = {"x = [0] * 100000000;",
                                         "x = \"abc\" * 100000000;",
                                         "x = range(1000000000000);",
                                         "x = [0] * 9223372036854775807;",
                                         "x = [[i] for i in range(1000000)];",
                                         "l = [1]; for i in range(60) { l = l + l; }",
                                         "s = \"a\"; for i in range(60) { s = s + s; }",
                                         "for i in range(10000000) { y = [indices + i]; }"};
    Bench bench;
    bench_open(&bench, SESSION_REPL, 32 << 20);
    check(&bench, "y = 1;", "y=1 ");
    for (size_t k = 0; k < sizeof greedy / sizeof *greedy; k++) {
        const char *said = bench_run(&bench, greedy[k]);
        assert_non_null(strstr(said, "stopped:out of"));
        assert_string_equal(bench_run(&bench, "1 + 1;"), "out=2 ");
        bench_run(&bench, "y = 1; l = 1; s = 1;");
    }
    check(&bench, "x; y;", "!Error: Undefined variable: x y=1 ");
    check(&bench, "tokens(\"ab\");", "=a b ");
    bench_close(&bench);
}

/* What a loop throws away costs nothing in the long run. */
static void garbage_is_collected(void **state) {
    (void)state;
    static const char *const loops[] = {
        "for i in range(300000) { x = [i, [i, {i: i}]]; }",
        "def f(a) { b = [a]; return b[0]; } for i in range(300000) { x = f(i); }",
        "l = []; for i in range(3000) { l = l + [i]; }",
        "def mk(n) { def in1(q) { return n; } return in1; } for i in range(100000) { g = mk(i); }",
        "def go(n) { t = 0; for i in range(n) { t = [i][0] + len([t]); } return t; } go(300000);",
        "x = [[i, i][0] for i in range(100000)];"};
    Bench bench;
    bench_open(&bench, SESSION_REPL, 24 << 20);
    for (size_t k = 0; k < sizeof loops / sizeof *loops; k++)
        assert_null(strstr(bench_run(&bench, loops[k]), "stopped"));
    bench_close(&bench);
}

static volatile sig_atomic_t cancel;

static void a_loop_can_be_interrupted(void **state) {
    (void)state;
    Bench bench;
    bench_open(&bench, SESSION_REPL, 0);
    bench.budget.cancel = &cancel;
    cancel = 1;
    check(&bench, "t = 0; for i in range(1000000000) { t = t + 1; }", "t=0 stopped:interr ");
    check(&bench, "def f(n) { return f(n); } x = [f(i) for i in range(10)];",
          "f=console function: f(n) stopped:interr ");
    cancel = 0;
    check(&bench, "t;", "t=1 ");
    bench_close(&bench);
}

/* --- failing allocations and early garbage ---------------------------------------------- */

static const char small_program[] =
    "def add(n) { def inner(x) { return [x + n, tokens + \"!\"]; } return inner; }"
    "f = add(3); a, b = f(4); d = {\"k\": [a, b]}; s = sort(tokens, tokens);"
    "c = [q[0] for q in zip([1, 2], [3, 4])]; e = \"h\" in tokens; g = tokens in [\"h\", \"e\"];"
    "i = [5, 6, 7, 8, 9][indices]; j = tokens[-1]; for k in range(3) { m = [k, [k]]; }"
    "s(\"cab\"); n = f(1)[0] + f(2)[0];";
static const char small_result[] =
    "add=console function: add(n) f=console' function: inner(x) a=7 b=b d={\"k\": [7, b]} "
    "s=s c=[1, 2] e=e g=g i=i j=j =a b c n=9 ";

/* Lets the n-th allocation fail, for every n: at start or in a statement. */
static bool fails_at(long n) {
    Bench bench = {.session = NULL};
    budget_init(&bench.budget, 0);
    bench.budget.fail_after = n;
    SessionOptions options = bench_options(&bench, SESSION_REPL);
    bench.session = session_new(&options);
    if (bench.session) {
        bench_run(&bench, small_program);
        bool failed = bench.budget.fail_after == 0;
        bench.budget.fail_after = 0;
        if (!failed) assert_string_equal(bench.log, small_result);
        assert_string_equal(bench_run(&bench, "x = 1 + 1; x;"), "x=2 x=2 ");
        assert_string_equal(bench_run(&bench, "sort(tokens, tokens)(\"cab\");"), "=a b c ");
        bench_close(&bench);
        return failed;
    }
    assert_non_null(strstr(bench.log, "stopped:out of"));
    assert_int_equal(bench.budget.used, 0);
    return true;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    long n = 1;
    while (fails_at(n)) n += n < 150 ? 1 : 1 + n / 150;
    assert_true(n > 20);
}

/* Collecting at every safe point changes nothing: nothing alive is lost. */
static void early_garbage_changes_nothing(void **state) {
    (void)state;
    Bench bench;
    bench_open(&bench, SESSION_REPL, 0);
    heap_stress(bench.session->heap, true);
    assert_string_equal(bench_run(&bench, small_program), small_result);
    check(&bench,
          "def mk(n) { k = [n, [n]]; def in1(q) { return [q, k]; } return in1; }"
          "fs = [mk(i) for i in range(9)]; [g(1)[1][1] for g in fs];",
          "mk=console function: mk(n) fs=[console' function: in1(q), console' function: in1(q), "
          "console' function: in1(q), console' function: in1(q), console' function: in1(q), "
          "console' function: in1(q), console' function: in1(q), console' function: in1(q), "
          "console' function: in1(q)] "
          "out=[[0], [1], [2], [3], [4], [5], [6], [7], [8]] ");
    check(&bench, "mk([1])(2)[1] + mk([3])(4)[1];", "out=[[1], [[1]], [3], [[3]]] ");
    bench_close(&bench);
}

/* --- programs --------------------------------------------------------------------------- */

static const char *load(Bench *bench, const char *text) {
    bench->length = 0;
    bench->log[0] = '\0';
    session_load_text(bench->session, "test", text, strlen(text));
    return bench->log;
}

static void the_last_sop_is_what_runs(void **state) {
    (void)state;
    static const struct {
        const char *text, *name; /* NULL: there is none */
    } table[] = {{"a = tokens; b = indices; c = 3;", "b"},
                 {"a = tokens; b = indices; a = a + \"\";", "a"},
                 {"a, b = tokens, indices;", "b"},
                 {"a = indices; b = a; a = 3;", "b"},
                 {"a = indices; _b = tokens;", "a"},
                 {"a = indices; s = select(a, a, ==);", "a"},
                 {"a = indices; for x in [tokens] { y = 1; }", "a"},
                 {"for x in [tokens] { y = x; }", "y"},
                 {"sort(tokens, tokens);", "out"},
                 {"x = 1; tokens; x = indices;", "x"},
                 {"l = [indices];", NULL},
                 {"indices(\"abc\");", NULL},
                 {"", NULL}};
    Bench bench;
    bench_open(&bench, SESSION_BATCH, 0);
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        Binding binding;
        assert_string_equal(load(&bench, table[k].text), "");
        assert_int_equal(session_main(bench.session, &binding), table[k].name != NULL);
        if (table[k].name) assert_string_equal(binding.name->text, table[k].name);
    }
    bench_close(&bench);
}

static void names_come_in_order(void **state) {
    (void)state;
    Bench bench;
    bench_open(&bench, SESSION_BATCH, 0);
    load(&bench, "a = 1; b = 2; _c = 3; length = 4; a = 5; def f(x) { return x; }");
    size_t count;
    const Binding *names = session_names(bench.session, &count);
    assert_int_equal(count, 4);
    static const char *const expected[] = {"b", "length", "a", "f"};
    for (size_t k = 0; k < count; k++) assert_string_equal(names[k].name->text, expected[k]);
    Value value;
    assert_true(session_lookup(bench.session, "_c", &value));
    assert_true(session_lookup(bench.session, "sort", &value));
    assert_false(session_lookup(bench.session, "nosuch", &value));
    assert_true(session_evaluate(bench.session, "--expr", "length + a", &value));
    assert_int_equal(value.atom.i, 9);
    assert_false(session_evaluate(bench.session, "--expr", "length + nosuch", &value));
    assert_string_equal(bench.log, "!Error: Undefined variable: nosuch ");
    bench_close(&bench);
}

/* One message for each mistake, none for what follows from it. */
static void mistakes_are_reported_once(void **state) {
    (void)state;
    static const struct {
        const char *text, *said;
    } table[] = {
        {"x = nosuch; y = x + 1; z = y; ok = 1;", "!Error: Undefined variable: nosuch "},
        {"x = 1/0; f = 2^70; y = x;",
         "!division by zero !int too large: the result of ** or pow() does not fit in 64 bits "},
        {"def f(a) { return g(a); } x = f(1); y = x;", "!Error: Undefined variable: g "},
        {"for i in [1] { x = nosuch; } y = x;", "!Error: Undefined variable: nosuch "},
        {"load \"no/such\"; y = x;", "!could not find file: no/such.rasp "},
        {"x = tokens_int + 1;", ""}, /* not tried in batch mode */
        {"aggregate(full_s, tokens);", ""},
        {"x = [tokens(\"a\")];", "!the result of applying tokens is only for showing, it cannot "
                                 "be part of an expression "},
    };
    Bench bench;
    bench_open(&bench, SESSION_BATCH, 0);
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        assert_string_equal(load(&bench, table[k].text), table[k].said);
    }
    bench_close(&bench);
}

/* Loads are looked for beside the loading file, too; a file may not load itself for ever. */
static void loads_find_their_files(void **state) {
    (void)state;
    char folder[] = "/tmp/rasp-test-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    static const struct {
        const char *name, *text;
    } files[] = {{"main", "load \"part\"; x = y + 1;"},
                 {"part", "y = 1; _z = 2; load \"deep\";"},
                 {"deep", "def d(a) { return a; }"},
                 {"self", "load \"self\";"}};
    for (size_t k = 0; k < 4; k++) {
        snprintf(path, sizeof path, "%s/%s.rasp", folder, files[k].name);
        FILE *file = fopen(path, "w");
        fputs(files[k].text, file);
        fclose(file);
    }
    Bench bench;
    bench_open(&bench, SESSION_BATCH, 0);
    size_t count;
    snprintf(path, sizeof path, "%s/main.rasp", folder);
    assert_true(session_load(bench.session, path));
    session_names(bench.session, &count);
    assert_int_equal(count, 3);
    snprintf(path, sizeof path, "%s/self.rasp", folder);
    assert_false(session_load(bench.session, path));
    assert_string_equal(bench.log, "!maximum recursion depth exceeded ");
    snprintf(path, sizeof path, "%s/none.rasp", folder);
    assert_false(session_load(bench.session, path));
    assert_non_null(strstr(bench.log, "could not find file"));
    bench.length = 0;
    assert_false(session_load(bench.session, folder));
    assert_non_null(strstr(bench.log, "Is a directory"));
    bench_close(&bench);
    for (size_t k = 0; k < 4; k++) {
        snprintf(path, sizeof path, "%s/%s.rasp", folder, files[k].name);
        unlink(path);
    }
    rmdir(folder);
}

/* A node made inside the library is reported at the call in the program. */
static void nodes_know_where_they_come_from(void **state) {
    (void)state;
    Bench bench;
    bench_open(&bench, SESSION_BATCH, 0);
    load(&bench, "x = 1;\ny = sort(tokens, tokens);");
    Binding binding;
    Place place;
    assert_true(session_main(bench.session, &binding));
    Span span = graph_node(session_graph(bench.session), binding.value.object->node)->span;
    assert_true(source_place(session_sources(bench.session), span, &place));
    assert_string_equal(place.source->name, "test");
    assert_int_equal(place.line, 2);
    assert_int_equal(place.column, 5);
    bench_close(&bench);
}

static void magic_comments(void **state) {
    (void)state;
    static const char text[] = "# rasp: alphabet=a=b max-length=16\nx = 1; # rasp: no=1\n"
                               "  #rasp:  first=§  flag max-length=9\r\n# other: a=b\n#rasp:";
    Bench bench;
    size_t count;
    bench_open(&bench, SESSION_BATCH, 0);
    load(&bench, text);
    const Pragma *pragmas =
        pragma_read(session_program(bench.session), session_arena(bench.session), &count);
    static const struct {
        const char *key, *value;
    } expected[] = {{"alphabet", "a=b"},
                    {"max-length", "16"},
                    {"first", "§"},
                    {"flag", NULL},
                    {"max-length", "9"}};
    assert_int_equal(count, sizeof expected / sizeof *expected);
    for (size_t k = 0; k < count; k++) {
        assert_string_equal(pragmas[k].key, expected[k].key);
        if (expected[k].value)
            assert_string_equal(pragmas[k].value, expected[k].value);
        else
            assert_null(pragmas[k].value);
    }
    bench_close(&bench);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ints_do_not_wrap),
        cmocka_unit_test(dicts_keep_order_and_first_key),
        cmocka_unit_test(private_names_stay_private),
        cmocka_unit_test(recursion_ends_in_an_error),
        cmocka_unit_test(stack_limit_is_an_option),
        cmocka_unit_test(long_chains_are_no_recursion),
        cmocka_unit_test(memory_has_a_limit),
        cmocka_unit_test(garbage_is_collected),
        cmocka_unit_test(a_loop_can_be_interrupted),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(early_garbage_changes_nothing),
        cmocka_unit_test(the_last_sop_is_what_runs),
        cmocka_unit_test(names_come_in_order),
        cmocka_unit_test(mistakes_are_reported_once),
        cmocka_unit_test(loads_find_their_files),
        cmocka_unit_test(nodes_know_where_they_come_from),
        cmocka_unit_test(magic_comments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
