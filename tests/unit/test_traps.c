/* What kinds of values s-ops can have, against what they have on inputs; and the warnings that
 * rest on it, against a table. */
#include "tests/unit/compile_fixture.h"
#include "tests/unit/random_program.h"

#include "graph/kinds.h"
#include "graph/traps.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* --- kinds are an upper bound ------------------------------------------------------------------
 */

static void expect_within(const Kinds *kinds, const Column *column, const char *text, NodeId id) {
    for (size_t i = 0; i < column->length; i++) {
        Atom value = column_at(column, i);
        bool fits = value.kind == ATOM_STRING
                        ? kinds->strings
                        : kinds->numbers && (!kinds->single || atom_equal(value, kinds->number));
        if (!fits) fail_msg("node %u is not within its kinds:\n%s", id, text);
    }
}

static size_t check_nodes(CompileFixture *f, const Atom *tokens, size_t length, const char *text) {
    size_t seen = 0;
    const Graph *graph = session_graph(f->session);
    Arena *arena = arena_new(&f->budget);
    Input input = {.tokens = tokens, .length = length};
    const Kinds *kinds = graph_kinds(graph, arena);
    Exec *exec = exec_new(graph, &input, (ExecOptions){.keep = true, .threads = 1}, arena);
    for (NodeId id = 0; id < graph_count(graph); id++) {
        Fault fault;
        const Column *column =
            node_is_selector(graph_node(graph, id)) ? NULL : exec_column(exec, id, &fault);
        if (!column) continue; /* it fails on the input */
        expect_within(&kinds[id], column, text, id);
        seen++;
    }
    arena_free(arena);
    return seen;
}

static size_t check_program(const char *text, Random *random) {
    enum { LENGTH = 4, INPUTS = 6 };
    static const char *const words[] = {"a", "b", "0", "1", "-2", "ab", ""};
    size_t seen = 0;
    CompileFixture f;
    fixture_open(&f, text, "ab", 4);
    for (int k = 0; k < INPUTS; k++) {
        Atom tokens[LENGTH];
        size_t length = 1 + random_below(random, LENGTH);
        for (size_t i = 0; i < length; i++)
            tokens[i] = k % 3 == 0 ? atom_int((int64_t)random_below(random, 4))
                                   : atom_string(intern_text(session_intern(f.session),
                                                             words[random_below(random, 7)]));
        seen += check_nodes(&f, tokens, length, text);
    }
    fixture_close(&f);
    return seen;
}

/* Mixtures that random programs, which are well typed, do not have. */
static const char *const mixtures[] = {
    "x = aggregate(select(indices, 9, ==), tokens);",
    "x = aggregate(select(indices, 9, ==), indices, \"none\");",
    "x = 1 if tokens_bool else \"x\"; y = x if indices < 9 else 1; z = (x + x) * 2;",
    "x = {\"a\": 1, \"b\": \"q\", \"0\": 2, \"1\": 2}[tokens];",
    "y = [\"p\", 3, \"q\", 1.5][indices];",
    "x = tokens_asis; y = x + x; z = 2 * x; u = x == 1; v = x in [1, \"a\"];",
    "x = tokens * indices; y = -indices; z = indicator(tokens == \"a\") + round(indices / 2);",
};

static void kinds_bound_values(void **state) {
    (void)state;
    enum { PROGRAMS = 300 };
    Random random = {7};
    size_t seen = 0;
    for (size_t k = 0; k < COUNT(mixtures); k++) seen += check_program(mixtures[k], &random);
    for (uint64_t k = 0; k < PROGRAMS; k++) {
        static RandomProgram program;
        static char text[1 << 16];
        Chooser chooser = {.random = {(k + 1) * 0x2545f4914f6cdd1du}};
        random_program(&program, &chooser, 0);
        if (program_text(&program, text, sizeof text)) seen += check_program(text, &random);
    }
    assert_true(seen > 10000);
}

/* --- warnings ----------------------------------------------------------------------------------
 */

/* Each warning's place within the text, and how it ends. */
static const struct {
    const char *program;
    struct {
        const char *at, *end;
    } warning[3];
} cases[] = {
    {"x = tokens == 3;", {{"tokens == 3", "False everywhere: tokens are strings, use tokens_int"}}},
    {"x = tokens != 3;", {{"tokens != 3", "True everywhere: tokens are strings, use tokens_int"}}},
    {"x = 2.5 == tokens;", {{"2.5 == tokens", "strings, use tokens_float"}}},
    {"x = tokens == True;", {{"tokens == True", "strings, use tokens_bool"}}},
    {"x = hist(tokens); y = aggregate(select(tokens, x, ==), 1);",
     {{"select(tokens, x, ==)", "this selects nothing: tokens are strings, use tokens_int"}}},
    {"y = aggregate(select(tokens, indices, !=), 1);",
     {{"select(tokens, indices, !=)", "selects everything: tokens are strings, use tokens_int"}}},
    {"x = count(tokens, 3);", {{"count", "tokens are strings, use tokens_int"}}},
    {"x = 3 in tokens;", {{"3 in tokens", "tokens are strings, use tokens_int"}}},
    {"x = tokens in [1, 2];",
     {{"tokens in [1, 2]", "this list: tokens are strings, use tokens_int"}}},
    {"x = indices in [\"1\"];", {{"indices in [\"1\"]", "so nothing is 'in' this list"}}},
    {"p = shift(tokens, 1, \"-\") + \"!\"; x = p == 3;",
     {{"p == 3", "compare with a string, \"3\", or make the other side of tokens_int"}}},
    {"d = {\"a\": \"x\", \"b\": \"y\"}; x = d[tokens] == length;",
     {{"d[tokens] == length", "so this is False everywhere"}}},
    {"x = aggregate(select(indices, 9, ==), tokens) == 3;",
     {{"aggregate(select(indices, 9, ==), tokens) == 3", "the other side of tokens_int"}}},
    {"x = indices == \"1\";", {{"indices == \"1\"", "write 1 without quotes"}}},
    {"x = not tokens == \"a\";", {{"not tokens == \"a\"", "write not (... == ...)"}}},
    {"x = tokens == \"a\" or \"b\";", {{"tokens == \"a\" or \"b\"", "as in x == 1 or x == 2"}}},
    {"x = indices and 0;", {{"indices and 0", "as in x == 1 and x == 2"}}},
    {"x = tokens == 1 or tokens == 2 or \"\";",
     {{"tokens == 1", ""}, {"tokens == 2", ""}, {"tokens == 1 or tokens == 2 or \"\"", ""}}},
    {"x = tokens == [\"a\", \"b\"];",
     {{"tokens == [\"a\", \"b\"]", "no value equals a list: 'in' asks whether it is in one"}}},
    {"x = {\"a\": 1} != tokens;", {{"{\"a\": 1} != tokens", "whether it is in one"}}},
    {"x = tokens in [];", {{"tokens in []", "whether it is in one"}}},
    /* nothing is wrong with these */
    {"x = tokens == \"3\" and indices == 3 and tokens_int == 3 and (tokens == \"a\") == True;",
     {{0}}},
    {"x = tokens_asis == 3 or tokens_asis == \"3\" or (tokens in [1, \"a\"]);", {{0}}},
    {"x = aggregate(select(indices, 9, ==), tokens) == 0;", {{0}}}, /* where all rows are empty */
    {"y = tokens == 3; x = indices;", {{0}}},                       /* x does not use it */
};

static void expect_warnings(CompileFixture *f, const Trap *traps, size_t count, size_t k) {
    const Graph *graph = session_graph(f->session);
    const Source *source = session_program(f->session);
    for (size_t w = 0; w < 3; w++) {
        const char *at = cases[k].warning[w].at, *end = cases[k].warning[w].end;
        if (!at) {
            if (count != w) fail_msg("%s: %zu warnings", cases[k].program, count);
            return;
        }
        assert_true(w < count);
        Span span = graph_node(graph, traps[w].node)->span;
        const char *text = source->text + (span.begin - source->base);
        size_t length = strlen(traps[w].text), tail = strlen(end);
        if (strncmp(text, at, span.end - span.begin) != 0 || strlen(at) < span.end - span.begin)
            fail_msg("%s: at %.20s", cases[k].program, text);
        if (length < tail || strcmp(traps[w].text + length - tail, end) != 0)
            fail_msg("%s: %s", cases[k].program, traps[w].text);
    }
}

static void warnings(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(cases); k++) {
        CompileFixture f;
        Binding main;
        size_t count;
        fixture_open(&f, cases[k].program, "ab", 4);
        assert_true(session_main(f.session, &main));
        const Trap *traps =
            traps_find(session_graph(f.session), &main.value.object->node, 1, &count, f.arena);
        expect_warnings(&f, traps, count, k);
        fixture_close(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(kinds_bound_values),
                                       cmocka_unit_test(warnings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
