/* Programs with and without an answer on every input: a row for each way to fail.  What is
 * expected is worked out from the language's definition, and beside it the interpreter is asked
 * about every input of the domain. */
#include "tests/unit/compile_fixture.h"

#include "compile/inputs.h"
#include "interp/exec/exec.h"

typedef struct Case {
    const char *program, *alphabet;
    uint32_t max_length;
    const char *none; /* the shortest input without an answer; NULL: there is one everywhere */
} Case;

static const Case cases[] = {
    /* tokens that do not convert */
    {"x = tokens_int + 1;", "12", 3, NULL},
    {"x = tokens_int + 1;", "1a", 3, "a"},
    {"x = tokens_float * 2;", "1x", 3, "x"},
    {"x = 1 if tokens == \"a\" else tokens_int;", "a1", 3, "a"}, /* both branches are computed */
    /* division and remainder by zero */
    {"x = 1 / (indices + 1);", "ab", 4, NULL},
    {"x = 1 / indices;", "ab", 4, "a"},
    {"x = 1 / (tokens_int - indices);", "1", 4, "11"},
    {"x = 6 % (tokens_int + 1);", "012", 3, NULL},
    {"x = 6 % tokens_int;", "120", 1, "0"},
    {"x = 1.5 % tokens_float;", "210", 3, "0"},
    {"x = 1 / aggregate(select(indices, indices, <=), tokens_int);", "10", 3, "0"},
    {"x = 1 / (selector_width(select(tokens, \"b\", ==)) - 2);", "ab", 4, "bb"},
    /* powers */
    {"x = indices ^ 0.5;", "a", 3, NULL},
    {"x = indices ^ (-1);", "a", 3, "a"},
    {"x = (1 - indices) ^ 0.5;", "a", 3, "aaa"},
    {"x = 10.0 ^ (300 * indices);", "a", 3, "aaa"},
    /* ints that do not fit */
    {"x = (3000000000000000000 * (indices + 1)) % 7;", "a", 3, NULL},
    {"x = (4000000000000000000 * (indices + 1)) % 7;", "a", 3, "aaa"},
    {"x = (9000000000000000000 + 200000000000000000 * indices) % 7;", "a", 3, "aaa"},
/* ints that do not fit where equal floats do: one selected key keeps its kind */
#define ALIKE(value) "aggregate(select(tokens, tokens, ==), " value " + 0 * indices)"
    {"x = 4000000000000000000 + " ALIKE("6000000000000000000") ";", "ab", 3, "a"},
    {"x = -4000000000000000000 - " ALIKE("6000000000000000000") ";", "ab", 3, "a"},
    {"x = " ALIKE("6000000000000000000") " * 2;", "ab", 3, "a"},
    {"x = " ALIKE("10") " ^ 19;", "ab", 3, "a"},
    {"x = (4000000000000000000 + " ALIKE("6000000000000000000") ") % 7;", "ab", 3, "a"},
    {"a = " ALIKE("6000000000000000000") "; x = a + (a if indices > 0 else 0);", "ab", 3, "ab"},
#undef ALIKE
    /* one value of several kinds: 1 and True */
    {"x = length / aggregate(select(indices, indices - 1, ==), tokens == \"a\", 1);", "b", 3, "bb"},
    {"x = length / aggregate(select(indices, indices - 1, ==), tokens == \"a\", 1);", "ab", 3,
     "ba"},
    {"a = aggregate(select(indices, indices - 1, ==), tokens == \"a\", 1);"
     "x = length / (1 if a == 0 else a);",
     "b", 3, NULL},
    /* kinds of operands */
    {"x = tokens + (tokens if tokens == \"a\" else 1);", "ab", 3, "b"},
    {"x = indices - (\"x\" if tokens == \"b\" else 1);", "ab", 3, "b"},
    {"x = tokens * (0.5 if tokens == \"b\" else 2);", "ab", 3, "b"},
    {"x = tokens < (\"a\" if tokens == \"a\" else 1);", "ab", 3, "b"},
    {"x = tokens < (\"a\" if length > 2 else \"b\");", "ab", 4, NULL},
    {"x = -(1 if tokens == \"a\" else \"x\");", "ab", 3, "b"},
    {"x = round(1.5 if tokens == \"a\" else \"x\");", "ab", 3, "b"},
    {"x = selector_width(select(tokens, \"a\" if tokens == \"a\" else 1, <));", "ab", 3, "b"},
    {"x = selector_width(select(\"b\" if length < 3 else 1, tokens, <));", "ab", 4, "aaa"},
    {"x = (tokens if tokens == \"a\" else 1)[0:1];", "ab", 3, "b"},
    {"x = (tokens if tokens == \"a\" else length)[-1:];", "ab", 3, "b"},
    {"x = (tokens + tokens if tokens == \"a\" else 0.5)[1:] == \"a\";", "ab", 3, "b"},
    /* entries */
    {"x = [5, 6][indices];", "a", 2, NULL},
    {"x = [5, 6][indices];", "a", 3, "aaa"},
    {"x = [5, 6, 7][-1 - indices];", "a", 3, NULL},
    {"x = \"xyz\"[indices + 1];", "a", 3, "aaa"},
    {"x = [5, 6][indices / 1];", "a", 3, "a"},
    {"x = [5, 6][indices if tokens == \"a\" else \"1\"];", "ab", 1, "b"},
    {"x = [5, 6][aggregate(full_s, indices)];", "a", 3, "aa"},
    {"x = [5, 6][aggregate(full_s, indicator(tokens == \"a\"))];", "a", 3, "aa"}, /* 1.0 is no 1 */
    {"x = {\"a\": 1}[tokens];", "a", 3, NULL},
    {"x = {\"a\": 1}[tokens];", "ab", 3, "b"},
/* a float where another position's value is an int: whether the one that is selected is */
#define MIXED "(0 if tokens == \"a\" else 0.0)"
    {"x = [5, 6][" MIXED "];", "ab", 3, "b"},
    {"x = [5, 6][aggregate(select(indices, 0, ==), " MIXED ")];", "ab", 3, "b"},
    {"x = [5, 6][aggregate(select(indices, indices - 1, ==), " MIXED ")];", "ab", 3, "ba"},
    {"x = [5, 6][aggregate(select(indices, indices - 1, ==), " MIXED ", 0.0)];", "ab", 3, "a"},
    {"x = [5, 6][aggregate(select(tokens, \"b\", ==), " MIXED ")];", "ab", 3, "b"},
    {"x = [5, 6][aggregate(select(tokens, \"a\", ==), " MIXED ")];", "ab", 3, "aa"},
#undef MIXED
    {"x = [5, [6]][indicator(tokens == \"b\")];", "ab", 3, "b"},
    /* several strings or bools */
    {"x = aggregate(select(indices, indices, ==), tokens);", "ab", 3, NULL},
    {"x = aggregate(select(tokens, tokens, ==), tokens);", "ab", 3, "aa"},
    {"x = aggregate(full_s, tokens == \"a\");", "ab", 3, "aa"},
    {"x = aggregate(full_s, aggregate(select(indices, 1, ==), tokens == \"a\"));", "ab", 3, "aa"},
    {"x = aggregate(full_s, aggregate(select(indices, indices - 1, ==), tokens == \"a\"));", "ab",
     4, NULL}, /* there is a 0 among the bools: they are ints */
    {"x = aggregate(full_s, True if tokens == \"a\" else 1);", "ab", 4, "aa"},
    {"x = aggregate(full_s, {\"a\": \"s\", \"b\": 2}[tokens]);", "ab", 4, "aa"},
    /* strings beside numbers */
    {"x = shift(tokens, 1, \"-\");", "ab", 4, NULL},
    {"x = aggregate(select(indices, indices - 1, ==), tokens);", "ab", 4, "aa"},
    {"x = load_from_location(tokens, 2);", "ab", 4, NULL}, /* all 0, or all strings */
    {"x = {\"a\": \"s\", \"b\": 2}[tokens];", "ab", 4, "ab"},
    {"x = tokens if tokens == \"a\" else 1;", "ab", 4, "ab"},
    {"x = aggregate(select(tokens, \"b\", ==) and select(indices, 0, ==), tokens) == \"b\";", "ab",
     4, NULL},
    /* a failure that the output does not show */
    {"y = 1 / indices; x = 1 if y == y else 2;", "a", 3, "a"},
};

enum { CASES = sizeof cases / sizeof *cases };

static bool answers(CompileFixture *f, const uint32_t *ids, uint32_t n) {
    Arena *arena = arena_child(f->arena);
    Atom *tokens = ARENA_ARRAY(arena, n, Atom);
    for (uint32_t i = 0; i < n; i++) tokens[i] = f->options.alphabet[ids[i]];
    Input input = {.tokens = tokens, .length = n};
    ExecOptions options = {.plan = EXEC_PLAN_NAIVE, .keep = true, .threads = 1};
    Exec *exec = exec_new(session_graph(f->session), &input, options, arena);
    Fault fault;
    bool done = exec_column(exec, f->output.node, &fault) != NULL;
    exec_free(exec);
    arena_free(arena);
    return done;
}

/* The interpreter's first input without an answer, as text; "" if there is none. */
static void first_failure(CompileFixture *f, char text[16]) {
    Domain domain = compile_domain(&f->options);
    Inputs *inputs = inputs_new(&domain, (InputPlan){.exhaustive_limit = 100000}, f->arena);
    uint32_t ids[16], n;
    assert_true(inputs_exhaustive(inputs));
    text[0] = '\0';
    while ((n = inputs_next(inputs, ids)) > 0) {
        if (answers(f, ids, n)) continue;
        for (uint32_t i = 0; i < n; i++) text[i] = f->options.alphabet[ids[i]].s->text[0];
        text[n] = '\0';
        return;
    }
}

static void test_everywhere_or_the_shortest(void **state) {
    (void)state;
    for (int k = 0; k < CASES; k++) {
        const Case *c = &cases[k];
        CompileFixture f;
        char first[16], found[16] = "";
        fixture_open(&f, c->program, c->alphabet, c->max_length);
        bool done = fixture_compile(&f);
        first_failure(&f, first);
        const NoAnswer *none = &f.compiled.none;
        for (uint32_t i = 0; none->ids && i < none->length; i++) {
            found[i] = f.options.alphabet[none->ids[i]].s->text[0];
            found[i + 1] = '\0';
        }
        if (strcmp(first, c->none ? c->none : "") != 0 || strcmp(found, first) != 0 ||
            done == (c->none != NULL) || (none->ids && !none->shortest))
            fail_msg("%s on %s: expected '%s', the interpreter '%s', the compiler '%s' (%s) %s",
                     c->program, c->alphabet, c->none ? c->none : "", first, found,
                     done ? "compiled" : "refused", f.error.message);
        if (done) assert_int_not_equal(f.compiled.answers.kind, ANSWERS_NOT_SHOWN);
        fixture_close(&f);
    }
}

/* Flags and values on every input; a program with an answer everywhere has no flag. */
static void test_partial(void **state) {
    (void)state;
    for (int k = 0; k < CASES; k++) {
        const Case *c = &cases[k];
        CompileFixture f;
        fixture_open(&f, c->program, c->alphabet, c->max_length);
        f.options.partial = true;
        if (!fixture_compile(&f)) {
            /* Then there is nothing to compile. */
            if (!strstr(f.error.message, "fails on every input"))
                fail_msg("%s on %s: %s", c->program, c->alphabet, f.error.message);
            fixture_close(&f);
            continue;
        }
        CheckReport report = fixture_check(&f, f.compiled.model);
        bool partial = f.compiled.answers.kind == ANSWERS_PARTIAL;
        if (!report.exhaustive || report.left_out > 0 || report.compared == 0 ||
            report.runs[0].agreed != report.compared || (report.faulted > 0) != (c->none != NULL) ||
            (c->none && !partial))
            fail_msg("%s on %s: %zu of %zu agree, %zu faults, %zu left out", c->program,
                     c->alphabet, report.runs[0].agreed, report.compared, report.faulted,
                     report.left_out);
        fixture_close(&f);
    }
}

/* What is claimed to be proved is, without running anything. */
static void test_proofs(void **state) {
    static const Case proved[] = {
        {"x = 1 / (indices + 1);", "abcdefghij", 40, NULL},
        {"x = {\"a\": 1, \"b\": 2}[tokens];", "ab", 40, NULL},
        {"x = sort(tokens, tokens);", "abc", 12, NULL},
        {"x = 1 / (1 if tokens == \"a\" else 2 + indices);", "ab", 40, NULL},
        {"x = load_from_location(tokens, 2);", "ab", 40, NULL},
    };
    (void)state;
    for (size_t k = 0; k < sizeof proved / sizeof *proved; k++) {
        CompileFixture f;
        fixture_open(&f, proved[k].program, proved[k].alphabet, proved[k].max_length);
        assert_true(fixture_compile(&f));
        assert_int_equal(f.compiled.answers.kind, ANSWERS_PROVED);
        assert_int_equal(f.compiled.answers.tried, 0);
        fixture_close(&f);
    }
}

/* Where neither a proof nor an input is found, it is said how many were tried; where an input is
 * found among long ones, it is made shorter. */
static void test_long_inputs(void **state) {
    CompileFixture f;
    (void)state;
    fixture_open(&f,
                 "n = selector_width(select(tokens, tokens, ==));"
                 "x = 1 / (n * n + 3 * selector_width(select(n, n, <)) - 2 - 0.5);",
                 "abcd", 14);
    if (fixture_compile(&f) && f.compiled.answers.kind != ANSWERS_PROVED) {
        assert_int_equal(f.compiled.answers.kind, ANSWERS_NOT_SHOWN);
        assert_true(f.compiled.answers.tried >= 200);
    }
    fixture_close(&f);
    fixture_open(&f, "x = 1 / (selector_width(select(tokens, \"b\", ==)) - 9);", "abcd", 14);
    assert_false(fixture_compile(&f));
    assert_non_null(f.compiled.none.ids);
    assert_int_equal(f.compiled.none.length, 9); /* "bbbbbbbbb" */
    fixture_close(&f);
}

/* Of a condition that some input meets, one is found, be the domain small or large; that none
 * does is only certain where all were tried. */
static void test_where(void **state) {
    (void)state;
    static const struct {
        const char *text, *alphabet;
        uint32_t length;
        bool holds, all;
    } conditions[] = {
        {"x = tokens == \"b\";", "ab", 3, true, true},
        {"x = selector_width(select(tokens, tokens, ==)) == 3;", "ab", 3, true, true},
        {"x = indices > 0;", "ab", 3, false, true},
        {"x = tokens == \"b\";", "abcdefgh", 30, true, false},
        {"x = length == 30;", "abcdefgh", 30, true, false},
        {"x = indices > 0;", "abcdefgh", 30, false, false},
    };
    for (size_t k = 0; k < sizeof conditions / sizeof *conditions; k++) {
        CompileFixture f;
        fixture_open(&f, conditions[k].text, conditions[k].alphabet, conditions[k].length);
        Binding main;
        assert_true(session_main(f.session, &main));
        Domain domain = {.alphabet = f.options.alphabet,
                         .alphabet_size = f.options.alphabet_size,
                         .max_length = conditions[k].length,
                         .first = -1,
                         .where = main.value.object->node};
        bool all;
        bool holds = answers_where_holds(session_graph(f.session), &domain, f.arena, &all);
        if (holds != conditions[k].holds || all != conditions[k].all)
            fail_msg("%s over %s: holds %d, all tried %d", conditions[k].text,
                     conditions[k].alphabet, holds, all);
        fixture_close(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everywhere_or_the_shortest), cmocka_unit_test(test_partial),
        cmocka_unit_test(test_proofs), cmocka_unit_test(test_long_inputs),
        cmocka_unit_test(test_where)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
