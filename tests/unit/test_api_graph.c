/* rasp_graph.h: nodes, heads and values of programs and of what a session draws. */
#include "tests/unit/api_fixture.h"

#include "api/rasp_graph.h"

static RaspGraph *graph_of(RaspProgram *program, const char *name, const char *input) {
    RaspError error;
    RaspSop sop = sop_of(program, name);
    RaspInput text = input_of(input ? input : "");
    RaspGraph *graph = rasp_graph_new(program, &sop, 1, input ? &text : NULL, &error);
    if (!graph) fail_msg("%s", error.text);
    return graph;
}

/* "kind op operands name", a line a node. */
static void check_nodes(const RaspGraph *graph, const char *expected) {
    static const char *const kinds[] = {"tokens", "indices",   "constant", "map",
                                        "lookup", "select",    "and",      "or",
                                        "not",    "aggregate", "width"};
    char text[4096];
    size_t count, used = 0;
    const RaspGraphNode *nodes = rasp_graph_nodes(graph, &count);
    for (size_t k = 0; k < count; k++) {
        const RaspGraphNode *n = &nodes[k];
        used += (size_t)sprintf(text + used, "%zu %s", k, kinds[n->kind]);
        if (n->op) used += (size_t)sprintf(text + used, " %s", n->op);
        for (uint32_t a = 0; a < n->operand_count; a++) {
            assert_true(n->operand[a] < k);
            used += (size_t)sprintf(text + used, " %u", n->operand[a]);
        }
        used += (size_t)sprintf(text + used, " L%u%s%s\n", n->layer, n->name ? " " : "",
                                n->name ? n->name : "");
        assert_true(used < sizeof text - 200);
    }
    assert_string_equal(text, expected);
}

static void nodes(void **state) {
    (void)state;
    RaspProgram *p =
        program_of("s = select(tokens, \"a\", ==) and not select(indices, indices, >);\n"
                   "d = {\"a\": 1, \"b\": 2}[tokens];\n"
                   "y = -aggregate(s, d, 7) + selector_width(s);");
    RaspGraph *g = graph_of(p, "y", NULL);
    check_nodes(g, "0 tokens tokens L0\n1 indices L0\n2 select > 1 1 L1 select_later\n"
                   "3 constant L0\n4 select == 0 3 L1\n5 not 2 L1\n6 and 4 5 L1 s\n"
                   "7 lookup dict 0 L0 d\n8 aggregate 6 7 L1\n9 map - 8 L1\n10 width 6 L1\n"
                   "11 map + 9 10 L1 y\n");
    size_t count;
    const RaspGraphNode *n = rasp_graph_nodes(g, &count);
    assert_int_equal(rasp_graph_root(g, 0), 11);
    assert_true(rasp_atom_same(n[3].atom, rasp_string("a")));
    assert_true(rasp_atom_same(n[8].atom, rasp_int(7)));
    assert_int_equal(n[7].entry_count, 2);
    assert_true(rasp_atom_same(n[7].keys[1], rasp_string("b")));
    assert_true(rasp_atom_same(n[7].entries[1], rasp_int(2)));
    assert_int_equal(n[11].place.line, 3);
    assert_string_equal(n[6].text, "select(tokens, \"a\", ==) and not select_later");
    assert_true(n[4].uniform && !n[6].uniform && !n[4].everything);
    assert_int_equal(n[8].head, 0);
    assert_int_equal(n[10].head, 0);
    assert_int_equal(n[9].head, RASP_NO_NODE);
    rasp_graph_free(g);
    rasp_program_free(p);
}

/* Names and places are the program's where it has any, else the library's. */
static void names_and_places(void **state) {
    (void)state;
    static const struct {
        const char *program, *name; /* of the node of that kind */
        RaspGraphKind kind;
        unsigned line; /* 0: the library's, whatever it is */
    } cases[] = {
        {"y = aggregate(select_causal, indices);", "select_causal", RASP_GRAPH_SELECT, 0},
        {"\nmine = select(indices, indices, <=);\ny = aggregate(mine, indices);", "mine",
         RASP_GRAPH_SELECT, 2},
        {"\n\nmine = select_causal;\ny = aggregate(mine, indices);", "mine", RASP_GRAPH_SELECT, 0},
        {"a = select(tokens, tokens, ==);\nb = a;\ny = selector_width(b);", "a", RASP_GRAPH_SELECT,
         1},
        {"\ny = num_prev(tokens, \"a\");", "y", RASP_GRAPH_WIDTH, 2},
        {"p = select_previous_identical(tokens);\n\nn = selector_width(select(tokens, tokens, ==) "
         "and select_earlier);\ny = n;",
         "n", RASP_GRAPH_WIDTH, 1},
        {"def f() { inner = selector_width(select(tokens, tokens, ==)); return inner; }\n"
         "outer = f();\ny = outer;",
         "inner", RASP_GRAPH_WIDTH, 1},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        RaspProgram *p = program_of(cases[k].program);
        RaspGraph *g = graph_of(p, "y", NULL);
        size_t count, found = 0;
        const RaspGraphNode *n = rasp_graph_nodes(g, &count);
        while (found < count && n[found].kind != cases[k].kind) found++;
        assert_true(found < count);
        assert_string_equal(n[found].name, cases[k].name);
        if (cases[k].line) assert_int_equal(n[found].place.line, cases[k].line);
        rasp_graph_free(g);
        rasp_program_free(p);
    }
}

/* What is only counted goes with the head that selects everything, in or out of the graph. */
static void heads(void **state) {
    (void)state;
    static const struct {
        const char *program, *heads;
    } cases[] = {
        {"y = selector_width(select(tokens, tokens, ==));", "1 select(tokens, tokens, ==); "},
        {"y = count(tokens, \"a\");", "1 everything; "},
        {"y = count(tokens, \"a\") + length;", "1 select(1, 1, ==); "},
        {"s = select(tokens, \"a\", ==);\ny = selector_width(s) + aggregate(s, indices);",
         "1 select(tokens, \"a\", ==); "},
        {"y = tokens == \"a\";", ""},
        {"y = aggregate(select(length, indices, ==), tokens);",
         "1 select(1, 1, ==); 2 select(length, indices, ==); "},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        RaspProgram *p = program_of(cases[k].program);
        RaspGraph *g = graph_of(p, "y", NULL);
        size_t count, node_count, used = 0;
        char text[256] = "";
        const RaspGraphHead *head = rasp_graph_heads(g, &count);
        const RaspGraphNode *n = rasp_graph_nodes(g, &node_count);
        for (size_t h = 0; h < count; h++) {
            uint32_t s = head[h].selector;
            assert_true(s == RASP_NO_NODE || n[s].kind == RASP_GRAPH_SELECT);
            used += (size_t)sprintf(text + used, "%u %s; ", head[h].layer,
                                    s == RASP_NO_NODE ? "everything" : n[s].text);
        }
        assert_string_equal(text, cases[k].heads);
        RaspSop sop = sop_of(p, "y");
        RaspError error;
        assert_int_equal(rasp_program_layers(p, &sop, &error)->head_count, count);
        rasp_graph_free(g);
        rasp_program_free(p);
    }
}

static void values(void **state) {
    (void)state;
    RaspError error;
    bool is_string;
    RaspProgram *p = program_of("s = select(indices, indices, <);\ny = selector_width(s);\n"
                                "z = 1 / y;");
    RaspGraph *g = graph_of(p, "z", "abc");
    assert_string_equal(text_of(rasp_graph_input(g, &is_string)), "a b c");
    assert_true(is_string);
    size_t count;
    const RaspGraphNode *n = rasp_graph_nodes(g, &count);
    for (uint32_t k = 0; k < count; k++) {
        bool selector = n[k].kind == RASP_GRAPH_SELECT;
        assert_true(!rasp_graph_selection(g, k, &error) == !selector);
        if (selector || k == rasp_graph_root(g, 0)) continue;
        assert_int_equal(rasp_sequence_length(rasp_graph_values(g, k, &error)), 3);
        if (n[k].kind == RASP_GRAPH_WIDTH)
            assert_string_equal(text_of(rasp_graph_values(g, k, &error)), "0 1 2");
        if (n[k].kind == RASP_GRAPH_WIDTH) {
            const bool *cells = rasp_graph_selection(g, n[k].operand[0], &error);
            for (size_t i = 0; i < 9; i++) assert_true(cells[i] == (i % 3 < i / 3));
        }
    }
    assert_null(rasp_graph_values(g, rasp_graph_root(g, 0), &error)); /* 1 / 0 */
    assert_int_equal(error.status, RASP_FAILED);
    assert_int_equal(error.line, 3);
    rasp_program_free(p); /* the graph keeps it */
    assert_non_null(rasp_graph_values(g, 0, &error));
    rasp_graph_free(g);
}

static void refused(void **state) {
    (void)state;
    RaspError error;
    RaspProgram *p = program_of(histogram);
    RaspSop sop = sop_of(p, NULL);
    RaspInput empty = input_of(""), bytes = input_of("\xff");
    assert_null(rasp_graph_new(p, &sop, 1, &empty, &error));
    assert_null(rasp_graph_new(p, &sop, 1, &bytes, &error));
    RaspGraph *g = graph_of(p, NULL, NULL);
    assert_null(rasp_graph_input(g, NULL));
    assert_null(rasp_graph_values(g, 0, &error));
    assert_int_equal(error.status, RASP_WRONG_USE);
    assert_non_null(strstr(error.text, "no input"));
    assert_null(rasp_graph_dot(g, 0, "t", &error));
    rasp_graph_free(g);
    g = graph_of(p, NULL, "ab");
    assert_null(rasp_graph_values(g, 99, &error));
    assert_null(rasp_graph_selection(g, 0, &error)); /* tokens */
    char *dot = rasp_graph_dot(g, 0, "a<b", &error);
    assert_true(dot && strncmp(dot, "digraph", 7) == 0 && strstr(dot, "a&lt;b"));
    rasp_free(dot);
    rasp_graph_free(g);
    rasp_program_free(p);
}

/* A grid takes n * n bytes: too many are refused like any other memory. */
static void memory(void **state) {
    (void)state;
    RaspError error;
    RaspConfig config = {.memory = (size_t)24 << 20};
    RaspProgram *p = try_program(histogram, &config, &error);
    RaspSop sop = sop_of(p, NULL);
    enum { LONG = 5000 };
    char *text = malloc(LONG);
    memset(text, 'a', LONG);
    RaspInput input = {.text = text, .length = LONG};
    RaspGraph *g = rasp_graph_new(p, &sop, 1, &input, &error);
    assert_non_null(g);
    size_t count;
    const RaspGraphNode *n = rasp_graph_nodes(g, &count);
    assert_non_null(rasp_graph_values(g, rasp_graph_root(g, 0), &error));
    assert_null(rasp_graph_selection(g, n[rasp_graph_root(g, 0)].operand[0], &error));
    assert_int_equal(error.status, RASP_OUT_OF_MEMORY);
    assert_non_null(rasp_graph_values(g, 0, &error)); /* it goes on */
    rasp_graph_free(g);
    rasp_program_free(p);
    free(text);
}

static void drawn(void *context, RaspRepl *repl, RaspValue value, RaspValue input, bool show) {
    RaspError error;
    bool is_string;
    (void)input, (void)show;
    RaspGraph *g = rasp_value_graph(repl, value, &error);
    assert_non_null(g);
    assert_string_equal(text_of(rasp_graph_input(g, &is_string)), "3 1");
    assert_false(is_string);
    assert_string_equal(text_of(rasp_graph_values(g, rasp_graph_root(g, 0), &error)), "1 3");
    size_t count;
    const RaspGraphNode *n = rasp_graph_nodes(g, &count);
    const bool *cells = rasp_graph_selection(g, n[rasp_graph_root(g, 0)].operand[0], &error);
    assert_true(!cells[0] && cells[1] && cells[2] && !cells[3]);
    rasp_graph_free(g);
    ++*(int *)context;
}

static void named(void *context, RaspRepl *repl, const char *name, RaspValue value) {
    RaspError error;
    (void)context, (void)name;
    assert_null(rasp_value_graph(repl, value, &error)); /* nothing is applied */
    assert_int_equal(error.status, RASP_WRONG_USE);
}

static void session(void **state) {
    (void)state;
    int count = 0;
    static const char line[] = "x = indices; draw(sort(tokens, tokens), [3, 1]);";
    RaspEvents events = {.context = &count, .drawn = drawn, .named = named};
    RaspRepl *repl = rasp_repl_new(&events, NULL, NULL);
    rasp_repl_line(repl, line, 12);
    rasp_repl_line(repl, line + 13, sizeof line - 1 - 13);
    rasp_repl_free(repl);
    assert_int_equal(count, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes),   cmocka_unit_test(names_and_places), cmocka_unit_test(heads),
        cmocka_unit_test(values),  cmocka_unit_test(refused),          cmocka_unit_test(memory),
        cmocka_unit_test(session),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
