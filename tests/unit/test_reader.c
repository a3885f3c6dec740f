/* The REPL's reader: how lines make up statements, on tables of dialogues. */
#include "tests/unit/parse_fixture.h"

/* Lines as typed; `status`: what each gives; `prompt` the number of `def` words after it,
 * or - at a fresh prompt. */
static const struct {
    const char *lines[6];
    const char *status; /* m more, u unit, s several, e error */
    const char *prompt;
} dialogues[] = {
    {{"x = 1;"}, "u", "-"},
    {{"x = 1; # comment"}, "u", "-"},
    {{"", "x = 1;"}, "mu", "0-"},
    {{"# note", "x = 1;"}, "mu", "0-"},
    {{"   # def def", "1;"}, "mu", "0-"},
    {{"x = 1", "+ 2", ";"}, "mmu", "00-"},
    {{"x = 1 + # note", "2;"}, "mu", "0-"},
    {{"def f(x) {", "return x;", "}"}, "mmu", "11-"},
    {{"def f(x){", "def g(y) { return y;", "}", "return g; }"}, "mmmu", "122-"},
    {{"for x in [1] {", "y = x;", "}"}, "mmu", "00-"},
    {{"x = 1; y = 2;"}, "s", "-"},
    {{"x = 1; y =", "2;"}, "ms", "0-"},
    {{"def f(a) { return a; } f(1);"}, "s", "-"},
    {{"show example 1;"}, "s", "-"},
    {{"exit 1;"}, "s", "-"},
    {{"show example"}, "u", "-"},
    {{"show", "s-op", "example"}, "mmu", "00-"},
    {{"set example", "\"abc\""}, "mu", "0-"},
    {{"set example \"abc\" +", "\"d\""}, "mu", "0-"},
    {{"set example [1,", "2]"}, "mu", "0-"},
    {{"set example \"abc\"", "[1];"}, "uu", "--"},
    {{"set example \"abc\";"}, "e", "-"},
    {{"examples off;", "1;"}, "eu", "--"},
    {{"s-op examples", "on"}, "mu", "0-"},
    {{"full seq display on"}, "u", "-"},
    {{"exit()"}, "u", "-"},
    {{"\"never closed;", "1;", "x = \"abc", "\"def\";"}, "eueu", "----"},
    {{"x = ;", "1;"}, "eu", "--"},
    {{"x = 1", "y = 2;"}, "me", "0-"},
    {{"a = 1 b = 2;", "1;"}, "eu", "--"},
    {{"def f(x) { x; }"}, "e", "-"},
    {{"for x in [1] { }"}, "e", "-"},
    {{"def f(", ")", "{ x = $", "1;"}, "mmeu", "11--"},
    {{")"}, "e", "-"},
    {{"1.;", ".5;", "1.2.3;", "1e5;"}, "eeee", "----"},
    {{"1 & 2;", "\xff;", "\xe2\x82\xac;"}, "eee", "---"},
    {{"x = 99999999999999999999;", "2;"}, "eu", "--"},
    {{"1 < 2 < 3;"}, "u", "-"},
    {{"x\r", ";\r\n"}, "mu", "0-"},
};

static void test_reader(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(dialogues); k++) {
        Fixture f;
        open_fixture(&f);
        Reader *reader = reader_new(&f.context);
        assert_true(reader_is_fresh(reader));
        for (size_t i = 0; i < strlen(dialogues[k].status); i++) {
            const char *line = dialogues[k].lines[i];
            const Source *source = add(&f, line, strlen(line));
            ReaderResult result = reader_line(reader, source, 0, source->length);
            char prompt = reader_is_fresh(reader) ? '-' : (char)('0' + reader_def_words(reader));
            if ("muse"[result.status] != dialogues[k].status[i] || prompt != dialogues[k].prompt[i])
                fail_msg("line '%s': found %c%c", line, "muse"[result.status], prompt);
            assert_int_equal(result.unit != NULL,
                             result.status == READER_UNIT || result.status == READER_SEVERAL);
            assert_int_equal(result.message != NULL, result.status == READER_ERROR);
        }
        reader_free(reader);
        close_fixture(&f);
    }
}

/* The same for people who type; `a`: an error, and the line may be taken again; `warnings` of all.
 */
static const struct {
    const char *lines[6];
    const char *status, *prompt;
    size_t warnings;
} relaxed[] = {
    {{"x = 1;"}, "u", "-", 0},
    {{"", " \t", "# note", "x = 1;"}, "mmmu", "----", 0},
    {{"x = 1; y = 2;"}, "s", "-", 0},
    {{"x = 1; y =", "2;"}, "ms", "0-", 0},
    {{"def f(a) { return a; } f(1);"}, "s", "-", 0},
    {{"set example \"abc\";", "show example;", "examples off;", "exit;"}, "uuuu", "----", 0},
    {{"s-op examples on; x = 1;"}, "s", "-", 0},
    {{";", ";;", "x = 1;;"}, "mmu", "---", 0},
    /* A ';' is missing, and the next line does not go on. */
    {{"x = 1", "y = 2;"}, "ms", "0-", 1},
    {{"x = f(1)", "def g(a) { return a; }"}, "ms", "0-", 1},
    {{"x = 1", "show example"}, "ms", "0-", 1},
    {{"def f(a) {", "y = a", "return y", "}"}, "mmmu", "111-", 2},
    /* It does go on. */
    {{"x = 1", "+ 2;"}, "mu", "0-", 0},
    {{"x = 1", "", "+ 2;"}, "muu", "0--", 0}, /* the blank line ends it */
    {{"x = select(tokens,", "", "tokens, ==);"}, "mmu", "00-", 0},
    {{"def f(a) {", "", "return a;", "", "}"}, "mmmmu", "1111-", 0},
    {{"x = 1 +", "", "2;"}, "mmu", "00-", 0},
    /* It cannot, for another reason. */
    {{"x = (1 + 2", "y = 4;"}, "ma", "0-", 0},
    {{"x = [1, 2", "load \"a\";"}, "ma", "0-", 0},
    {{"x = (1 + 2", "* 3;", "1;"}, "meu", "0--", 0},
    {{"x = 1 y = 2;"}, "e", "-", 0},
    {{"x = ;", "1;"}, "eu", "--", 0},
    {{"def f(x) { x; }"}, "e", "-", 0},
    {{"1 < 2 < 3;"}, "u", "-", 1},
};

static void count_warning(void *context, const SourceMap *map, const Diag *diag) {
    (void)map;
    assert_int_equal(diag->severity, DIAG_WARNING);
    ++*(size_t *)context;
}

static void test_reader_relaxed(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(relaxed); k++) {
        Fixture f;
        size_t warnings = 0;
        open_fixture(&f);
        Reader *reader = reader_new(&f.context);
        reader_relax(reader, &(DiagSink){count_warning, &warnings});
        for (size_t i = 0; i < strlen(relaxed[k].status); i++) {
            const char *line = relaxed[k].lines[i];
            const Source *source = add(&f, line, strlen(line));
            ReaderResult result = reader_line(reader, source, 0, source->length);
            char prompt = reader_is_fresh(reader) ? '-' : (char)('0' + reader_def_words(reader));
            char found = result.again ? 'a' : "muse"[result.status];
            if (found != relaxed[k].status[i] || prompt != relaxed[k].prompt[i])
                fail_msg("line '%s': found %c%c", line, found, prompt);
            if (!result.again) continue;
            result = reader_line(reader, source, 0, source->length);
            assert_int_equal(result.status, READER_UNIT);
        }
        assert_int_equal(warnings, relaxed[k].warnings);
        reader_free(reader);
        close_fixture(&f);
    }
}

static void test_reader_tree_and_places(void **state) {
    (void)state;
    Fixture f;
    open_fixture(&f);
    Reader *reader = reader_new(&f.context);
    static const char text[] = "x = 1;\ndef f(a) {\n  return a +\n $;\n}\n";
    const Source *file = add(&f, text, sizeof text - 1);
    ReaderResult result = reader_line(reader, file, 0, 7);
    char *tree = dump(result.unit, f.arena);
    assert_string_equal(tree, "(assign (names x) (expressions 1))");
    free(tree);
    assert_int_equal(reader_line(reader, file, 7, 11).status, READER_MORE);
    assert_int_equal(reader_line(reader, file, 18, 13).status, READER_MORE);
    result = reader_line(reader, file, 31, 4);
    Place place;
    assert_int_equal(result.status, READER_ERROR);
    assert_string_equal(result.message, "unknown character '$'");
    assert_true(source_place(f.map, result.span, &place));
    assert_int_equal(place.line, 4);
    assert_int_equal(place.column, 2);
    reader_free(reader);
    close_fixture(&f);
}

static void test_reader_drop(void **state) {
    (void)state;
    Fixture f;
    open_fixture(&f);
    Reader *reader = reader_new(&f.context);
    const Source *start = add(&f, "def f(x) {", 10), *next = add(&f, "1;", 2);
    assert_int_equal(reader_line(reader, start, 0, 10).status, READER_MORE);
    reader_drop(reader);
    assert_true(reader_is_fresh(reader));
    assert_int_equal(reader_def_words(reader), 0);
    assert_int_equal(reader_line(reader, next, 0, 2).status, READER_UNIT);
    reader_free(reader);
    close_fixture(&f);
}

static void test_reader_many_lines(void **state) {
    (void)state;
    Fixture f;
    open_fixture(&f);
    Reader *reader = reader_new(&f.context);
    const Source *head = add(&f, "set example [", 13), *line = add(&f, "1,", 2),
                 *tail = add(&f, "2]", 2);
    assert_int_equal(reader_line(reader, head, 0, 13).status, READER_MORE);
    for (int k = 0; k < 200000; k++)
        assert_int_equal(reader_line(reader, line, 0, 2).status, READER_MORE);
    ReaderResult result = reader_line(reader, tail, 0, 2);
    assert_int_equal(result.status, READER_UNIT);
    assert_int_equal(result.unit->child[0]->count, 200001);
    reader_free(reader);
    close_fixture(&f);
}

/* Whichever allocation fails, the unit is dropped, nothing leaks, and the reader goes on. */
static void test_reader_out_of_memory(void **state) {
    static const char text[] = "def f(x) { y = [x, {1: \"s\"}]; return select(y[0], 2.5, ==)";
    (void)state;
    volatile bool done = false;
    for (volatile long n = 1; !done; n++) {
        Fixture f;
        BudgetGuard guard;
        open_fixture(&f);
        Reader *reader = reader_new(&f.context);
        const Source *first = add(&f, text, sizeof text - 1), *rest = add(&f, "; }", 3),
                     *next = add(&f, "1;", 2);
        f.budget.fail_after = n;
        if (BUDGET_ENTER(&f.budget, &guard)) {
            assert_int_equal(reader_line(reader, first, 0, first->length).status, READER_MORE);
            assert_int_equal(reader_line(reader, rest, 0, 3).status, READER_UNIT);
            done = f.budget.fail_after > 0;
            budget_leave(&f.budget, &guard);
        }
        f.budget.fail_after = 0;
        assert_true(reader_is_fresh(reader));
        assert_int_equal(reader_line(reader, next, 0, 2).status, READER_UNIT);
        reader_free(reader);
        close_fixture(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reader),
        cmocka_unit_test(test_reader_relaxed),
        cmocka_unit_test(test_reader_tree_and_places),
        cmocka_unit_test(test_reader_drop),
        cmocka_unit_test(test_reader_many_lines),
        cmocka_unit_test(test_reader_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
