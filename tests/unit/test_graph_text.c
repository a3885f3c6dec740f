/* Nodes in source form: as few brackets as mislead nobody, and the text reads back as the node. */
#include "graph/label.h"
#include "tests/unit/eval_fixture.h"
#include "tests/unit/random_program.h"

static bool evaluate(Bench *bench, const char *text, NodeId *node) {
    BudgetGuard guard;
    volatile bool found = false;
    Value value;
    bench->length = 0, bench->log[0] = '\0';
    if (BUDGET_ENTER(&bench->budget, &guard)) {
        found = session_evaluate(bench->session, "test", text, &value) && value_is_graph(value);
        if (found) *node = value.object->node;
        budget_leave(&bench->budget, &guard);
    }
    return found;
}

/* A copy, for evaluating takes back what is in the session's scratch memory. */
static const char *text_of(Bench *bench, NodeId node) {
    return graph_text(session_graph(bench->session), node, 0, session_arena(bench->session));
}

/* --- where brackets stand ----------------------------------------------------------------- */

static const struct {
    const char *written, *shown; /* NULL: as it is written */
} rows[] = {
    {"indices", NULL},
    {"((indices))", "indices"},
    {"selector_width((select(tokens, tokens, ==) and select(indices, 1, <)))",
     "selector_width(select(tokens, tokens, ==) and select(indices, 1, <))"},
    {"indicator((tokens == \"1\"))", "indicator(tokens == \"1\")"},
    {"round(indices / 2)", NULL},
    /* signs */
    {"indices - -1", "indices - (-1)"},
    {"indices - (-indices)", NULL},
    {"-1 - indices", NULL},
    {"-indices + 1", NULL},
    {"(-indices) * 2", NULL},
    {"-(indices * 2)", NULL},
    {"-(-indices)", NULL},
    {"+indices", NULL},
    {"indices == -1", NULL},
    {"(-2) ^ indices", NULL},
    {"-2 ^ indices", "(-2) ^ indices"},
    {"2 ^ (-indices)", NULL},
    /* left associative, but for powers with brackets all the same */
    {"(indices - 1) - 2", "indices - 1 - 2"},
    {"indices - (1 - indices)", NULL},
    {"(indices / 2) * 3", "indices / 2 * 3"},
    {"indices / (2 * indices)", NULL},
    {"(indices ^ 2) ^ 3", NULL},
    {"indices ^ (2 ^ indices)", NULL},
    /* % is looser than *, which is not what others have */
    {"9 % indices * 2", "9 % (indices * 2)"},
    {"(9 % indices) * 2", NULL},
    {"(indices * 2) % 3", NULL},
    {"indices % 2 ^ indices", NULL},
    {"1 + indices % 3", NULL},
    {"(1 + indices) % 3", NULL},
    {"1 + 2 * indices", NULL},
    {"(1 + indices) * 2", NULL},
    /* not is tighter than comparisons, and neither and nor or is tighter than the other */
    {"not indices == 1", "(not indices) == 1"},
    {"not (indices == 1)", NULL},
    {"not tokens == \"a\" and indices == 1", "(not tokens) == \"a\" and indices == 1"},
    {"indices == 1 and not (indices == 2)", NULL},
    {"indices == 1 or indices == 2 or indices == 3", NULL},
    {"indices == 1 or (indices == 2 or indices == 3)", NULL},
    {"indices == 1 or indices == 2 and indices == 3",
     "(indices == 1 or indices == 2) and indices == 3"},
    {"indices == 1 and (indices == 2 or indices == 3)", NULL},
    {"(indices < 3) < indices", NULL},
    {"indices < (3 < indices)", "indices < (indices > 3)"},
    {"indices + 1 < 2 * indices", NULL},
    {"not select(tokens, tokens, ==) or select(indices, 1, <)", NULL},
    {"not (select(tokens, tokens, ==) or select(indices, 1, <))", NULL},
    /* the ternary and in */
    {"(tokens if indices == 1 else \"x\")", "tokens if indices == 1 else \"x\""},
    {"1 if not indices else 2", NULL},
    {"(1 if indices else 2) if indices > 3 else 4", NULL},
    {"1 if (indices if indices > 3 else 4) else 2", NULL},
    {"1 if indices else (2 if indices > 3 else 4)", NULL},
    {"(1 if indices > 2 else 2) + 1", NULL},
    {"indices in [1, 2]", NULL},
    {"indices + 1 in [1, 2]", NULL},
    {"(indices in [1, 2]) and indices > 1", NULL},
    {"(indices == 1) in [True]", NULL},
    {"not (indices in [1, 2])", NULL},
    /* what holds together by itself */
    {"{\"a\": 1, \"b\": 2}[tokens]", NULL},
    {"[5, 6, 7][indices % 3] + 1", NULL},
    {"\"abc\"[indices % 3]", NULL},
    {"aggregate(select(indices, indices - -1, ==), (indices + 1), \"-\")",
     "aggregate(select(indices, indices - (-1), ==), indices + 1, \"-\")"},
};

static void test_rows(void **state) {
    (void)state;
    Bench bench;
    bench_open(&bench, SESSION_BATCH, BUDGET_DEFAULT_LIMIT);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const char *written = rows[k].written;
        NodeId node, again = NODE_NONE;
        if (!evaluate(&bench, written, &node)) fail_msg("%s: %s", written, bench.log);
        const char *shown = text_of(&bench, node);
        assert_string_equal(shown, rows[k].shown ? rows[k].shown : written);
        if (!evaluate(&bench, shown, &again)) fail_msg("%s: %s", shown, bench.log);
        assert_int_equal(again, node);
    }
    bench_close(&bench);
}

/* --- random expressions ------------------------------------------------------------------- */

enum { PROGRAMS = 4000 };

/* The language has no exponents and no escapes: such constants cannot be written. */
static bool can_be_written(const char *text) {
    for (const char *at = strpbrk(text, "0123456789"); at; at = strpbrk(at + 1, "0123456789"))
        if (at[1] == 'e') return false;
    return !strstr(text, "inf") && !strstr(text, "nan") && !strstr(text, "…");
}

static void test_random(void **state) {
    (void)state;
    Bench bench;
    Chooser chooser = {.random = {7}};
    unsigned compared = 0;
    bench_open(&bench, SESSION_BATCH, BUDGET_DEFAULT_LIMIT);
    for (unsigned k = 0; k < PROGRAMS; k++) {
        RandomProgram program;
        char written[4096];
        NodeId node, again = NODE_NONE;
        random_program(&program, &chooser, k % 2);
        Writer writer = {written, 0, sizeof written};
        put_expr(&program, program.root[0], &writer);
        written[writer.at] = '\0';
        if (writer.at + 1 == writer.size || !evaluate(&bench, written, &node)) continue;
        const char *shown = text_of(&bench, node);
        if (!can_be_written(shown)) continue;
        if (!evaluate(&bench, shown, &again)) {
            /* A name inside of a library function says nothing outside. */
            if (strstr(bench.log, "Undefined variable")) continue;
            fail_msg("%s\n%s\n%s", written, shown, bench.log);
        }
        if (again != node) fail_msg("%s\n%s\n%s", written, shown, text_of(&bench, again));
        compared++;
    }
    assert_in_range(compared, PROGRAMS / 2, PROGRAMS);
    bench_close(&bench);
}

/* As a tree it has 2^200 leaves: a text ends where it is cut, whatever its length. */
static void test_shared(void **state) {
    (void)state;
    Bench bench;
    bench_open(&bench, SESSION_BATCH, BUDGET_DEFAULT_LIMIT);
    Graph *graph = bench.session->graph;
    NodeId node = graph_indices(graph, SPAN_NONE);
    for (int k = 0; k < 200; k++)
        node = graph_map(graph, OP_ADD, (NodeId[]){node, node}, SPAN_NONE);
    for (size_t limit = 8; limit <= 1 << 16; limit *= 2) {
        const char *text = graph_text(graph, node, limit, bench.session->arena);
        assert_in_range(strlen(text), 3, limit + 3);
        assert_string_equal(text + strlen(text) - strlen("…"), "…");
    }
    bench_close(&bench);
}

/* Of long tables a cut text has the beginning, and what comes behind them. */
static void test_tables(void **state) {
    (void)state;
    static const struct {
        const char *written, *end; /* of the cut text; NULL: it is the whole one */
    } cut[] = {
        {"[1, 2, 3][indices]", NULL},
        {"[100001, 100002, 100003, 100004, 100005, 100006, 100007, 100008, 100009, "
         "100010][indices] + 1",
         ", …][indices] + 1"},
        {"indices in [100001, 100002, 100003, 100004, 100005, 100006, 100007, 100008, 100009, "
         "100010]",
         ", …]"},
        {"{\"aaaaaaaaaaaaaaaaaaaa\": 1, \"bbbbbbbbbbbbbbbbbbbb\": 2, \"cccccccccc\": 3, "
         "\"dddddddddd\": 4}[tokens] > 1",
         ", …}[tokens] > 1"},
    };
    Bench bench;
    bench_open(&bench, SESSION_BATCH, BUDGET_DEFAULT_LIMIT);
    for (size_t k = 0; k < sizeof cut / sizeof *cut; k++) {
        NodeId node;
        if (!evaluate(&bench, cut[k].written, &node)) fail_msg("%s", bench.log);
        const char *text =
            graph_text(bench.session->graph, node, 200, session_arena(bench.session));
        const char *end = cut[k].end ? cut[k].end : cut[k].written;
        assert_true(strlen(text) <= strlen(cut[k].written));
        assert_string_equal(text + strlen(text) - strlen(end), end);
        assert_string_equal(text_of(&bench, node), cut[k].written); /* without a limit: whole */
    }
    bench_close(&bench);
}

/* --- labels ------------------------------------------------------------------------------- */

/* The text with names of variables where it refers to labels. */
static const char *with_names(const char *label, Arena *arena) {
    const char *text = "", *from = label;
    bool quoted = false;
    for (const char *at = label; *at; at++) {
        if (*at == '"') quoted = !quoted;
        if (*at != '$' || quoted) continue;
        text = arena_format(arena, "%s%.*sshared_", text, (int)(at - from), from);
        from = at + 1;
    }
    return arena_format(arena, "%s%s", text, from);
}

/* Every shared label as a statement, then the root's as an expression: the same node.  Gives how
 * many labels there are; 0: a constant cannot be written. */
static size_t read_back(Bench *bench, NodeId root, size_t *bytes) {
    Arena *arena = session_arena(bench->session);
    Graph *graph = bench->session->graph;
    uint32_t shared, count = graph_count(graph);
    uint32_t *number = graph_label_numbers(graph, &root, 1, &shared, arena);
    const char **texts = ARENA_ARRAY(arena, shared + 1, const char *);
    for (NodeId id = 0; id < count; id++)
        if (number[id] != LABEL_NONE) texts[number[id]] = graph_label(graph, id, number, arena);
    texts[shared] = graph_label(graph, root, number, arena);
    *bytes = 0;
    for (uint32_t k = 0; k <= shared; k++) {
        assert_null(strstr(texts[k], "…"));
        *bytes += strlen(texts[k]);
        if (!can_be_written(texts[k])) return 0;
        texts[k] = with_names(texts[k], arena);
        const char *log =
            k < shared ? bench_run(bench, arena_format(arena, "shared_%u = %s;", k, texts[k])) : "";
        if (strstr(log, "Undefined variable")) return 0; /* a name inside of a library function */
        if (*log) fail_msg("%s\n%s", texts[k], log);
    }
    NodeId again = NODE_NONE;
    if (!evaluate(bench, texts[shared], &again)) {
        if (strstr(bench->log, "Undefined variable")) return 0;
        fail_msg("%s\n%s", texts[shared], bench->log);
    }
    assert_int_equal(again, root);
    return shared + 1;
}

static void test_labels_random(void **state) {
    (void)state;
    Bench bench;
    Chooser chooser = {.random = {11}};
    unsigned compared = 0, referring = 0;
    for (unsigned k = 0; k < PROGRAMS / 8; k++) {
        RandomProgram program;
        char written[4096];
        NodeId node;
        size_t bytes;
        bench_open(&bench, SESSION_BATCH, BUDGET_DEFAULT_LIMIT);
        random_program(&program, &chooser, 1);
        Writer writer = {written, 0, sizeof written};
        put_expr(&program, program.root[0], &writer);
        written[writer.at] = '\0';
        if (writer.at + 1 < writer.size && evaluate(&bench, written, &node)) {
            size_t labels = read_back(&bench, node, &bytes);
            compared += labels > 0;
            referring += labels > 1;
        }
        bench_close(&bench);
    }
    assert_in_range(compared, PROGRAMS / 16, PROGRAMS);
    assert_in_range(referring, 1, PROGRAMS);
}

/* As trees they have up to 3^200 leaves. */
static void test_labels_shared(void **state) {
    (void)state;
    for (unsigned k = 0; k < 40; k++) {
        Bench bench;
        Chooser chooser = {.random = {k}};
        bench_open(&bench, SESSION_BATCH, BUDGET_DEFAULT_LIMIT);
        Graph *graph = bench.session->graph;
        NodeId last[3] = {graph_indices(graph, SPAN_NONE),
                          graph_tokens(graph, TOKENS_INT, SPAN_NONE)};
        last[2] = last[0];
        for (unsigned step = 0; step < 200; step++) {
            NodeId made[3] = {last[choose(&chooser, 3)], last[choose(&chooser, 3)],
                              last[choose(&chooser, 3)]};
            OpId op = choose(&chooser, 2) ? OP_ADD : OP_MUL;
            last[step % 3] = graph_map(graph, op, made, SPAN_NONE);
        }
        size_t bytes, labels = read_back(&bench, last[199 % 3], &bytes);
        assert_in_range(labels, 1, 201);
        assert_in_range(bytes, 1, labels * (200 + 2 * 100));
        bench_close(&bench);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),          cmocka_unit_test(test_random),
        cmocka_unit_test(test_shared),        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_labels_random), cmocka_unit_test(test_labels_shared)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
