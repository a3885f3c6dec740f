/* Value sets that are exact: what an s-op takes at a position of an input of a length, all of it
 * and nothing else, and as many keys as its selectors select at least and at most.
 *
 * Sets may be larger than needed (test_values says that they are never smaller), but then models
 * are larger, and programs are refused.  For the programs below they are exact, and stay so: each
 * set is compared with what the interpreter gives on every input. */
#include "tests/unit/compile_fixture.h"

#include "interp/exec/exec.h"

enum { LONGEST = 4, CONTEXTS = LONGEST * (LONGEST + 1) / 2, LEVELS = 64 };

static const struct {
    const char *text, *alphabet;
} programs[] = {
    /* sources */
    {"x = tokens;", "abc"},
    {"x = indices;", "ab"},
    {"x = length;", "ab"},
    /* widths: of every key, by position, by the token of the key, by both tokens */
    {"x = selector_width(select(indices, indices, <));", "ab"},
    {"x = selector_width(select(indices, 2, <=));", "ab"},
    {"x = selector_width(select(indices, indices, ==) or select(indices, 0, ==));", "ab"},
    {"x = selector_width(select(tokens, \"a\", ==));", "ab"},
    {"x = selector_width(select(tokens, tokens, ==));", "ab"},
    {"x = selector_width(select(tokens, tokens, !=));", "ab"},
    {"x = selector_width(select(tokens, tokens, ==) and select(indices, indices, <));", "ab"},
    {"x = selector_width(select(tokens, \"a\", ==) and select(indices, indices, <=));", "ab"},
    {"x = selector_width(select(tokens, \"a\", ==) or select(indices, indices, ==));", "ab"},
    {"x = selector_width(not select(tokens, \"a\", ==));", "ab"},
    /* moved values: one key, several equal ones, none */
    {"x = aggregate(select(indices, 0, ==), tokens);", "abc"},
    {"x = aggregate(select(indices, indices - 1, ==), tokens, \"-\");", "ab"},
    {"x = aggregate(select(indices, indices + 2, ==), indices, -1);", "ab"},
    {"x = aggregate(select(indices, length - 1 - indices, ==), tokens);", "ab"},
    {"x = aggregate(select(indices, indices, <), length);", "ab"},
    {"x = aggregate(select(tokens, \"a\", ==), length, 0.5);", "ab"},
    {"x = aggregate(select(indices, 0, ==), tokens == \"a\");", "ab"},
    /* means of keys that positions decide, the values alike at all of them or not */
    {"x = aggregate(select(indices, indices, <=), indices);", "ab"},
    {"x = aggregate(select(indices, indices, <=), indices * indices);", "ab"},
    {"x = aggregate(select(indices, 1, <=), indices * 10 + (1 if tokens == \"a\" else 0));", "ab"},
    {"x = aggregate(select(indices, 2, <), indices * indices, 9);", "ab"},
    {"x = aggregate(select(indices, 2, >=), indices * indices, 9);", "ab"},
    {"x = aggregate(select(indices, indices, <=), 1 if tokens == \"a\" else 0);", "ab"},
    {"x = aggregate(select(indices, 1, <=), tokens_int * 2 ^ indices);", "012"},
    {"x = aggregate(select(1, 1, ==), indices);", "ab"},
    {"x = aggregate(select(1, 1, ==), tokens_int);", "0137"},
    {"x = aggregate(select(1, 1, ==), indices * tokens_int);", "01"},
    /* means of keys that the tokens decide */
    {"x = aggregate(select(tokens, \"a\", ==), 1, 0);", "ab"},
    {"x = aggregate(select(tokens, tokens, ==), 0.5);", "ab"},
    {"x = aggregate(select(tokens, \"a\", ==) and select(indices, indices, <=), 0.5, 2);", "ab"},
    /* maps: of one source, of two, of correlated ones */
    {"x = indices % 2 == 0;", "ab"},
    {"x = indices + length;", "ab"},
    {"x = (indices + 1) * (1 if tokens == \"a\" else -1);", "ab"},
    {"x = length - indices - 1;", "ab"},
    {"x = indices / length;", "ab"},
    {"x = {\"a\": 1, \"b\": 1.0, \"c\": True}[tokens];", "abc"},
    {"x = tokens + \"x\";", "ab"},
    {"x = 0.0 - indices * 0.0;", "ab"},
    {"x = indices if tokens == \"a\" else indices + 0.0;", "ab"},
};

typedef struct Found {
    Atom value[CONTEXTS][LEVELS];
    unsigned kinds[CONTEXTS][LEVELS];
    uint32_t count[CONTEXTS];
} Found;

static void found_add(Found *found, uint32_t context, Atom value) {
    uint32_t k = 0;
    while (k < found->count[context] && !atom_equal(found->value[context][k], value)) k++;
    assert_true(k < LEVELS);
    if (k == found->count[context]) found->count[context]++;
    found->value[context][k] = value;
    found->kinds[context][k] |= kind_bit(value);
}

typedef struct Trial {
    CompileFixture f;
    Graph *graph;
    Domain domain;
    Values *values;
    const char *text;
} Trial;

/* What is done with each input: `exec` interprets it, n is its length. */
typedef void EachInput(Trial *t, Exec *exec, NodeId node, uint32_t n, void *found);

static void each_input(Trial *t, NodeId node, EachInput *each, void *found) {
    for (uint32_t n = 1, inputs = 1; n <= LONGEST; n++) {
        inputs *= t->domain.alphabet_size;
        for (uint32_t number = 0; number < inputs; number++) {
            Atom tokens[LONGEST];
            uint32_t rest = number;
            for (uint32_t i = 0; i < n; i++, rest /= t->domain.alphabet_size)
                tokens[i] = t->domain.alphabet[rest % t->domain.alphabet_size];
            Arena *arena = arena_child(t->f.arena);
            Exec *exec = exec_new(t->graph, &(Input){.tokens = tokens, .length = n},
                                  (ExecOptions){.keep = true, .threads = 1}, arena);
            each(t, exec, node, n, found);
            exec_free(exec);
            arena_free(arena);
        }
    }
}

static void find_values(Trial *t, Exec *exec, NodeId node, uint32_t n, void *found) {
    (void)t;
    Fault fault;
    const Column *column = exec_column(exec, node, &fault);
    assert_non_null(column);
    for (uint32_t i = 0; i < n; i++) found_add(found, context_of(n, i), column_at(column, i));
}

static const char *shown(Trial *t, NodeId node) {
    return graph_text(t->graph, node, 200, t->f.arena);
}

static void check_kinds(Trial *t, NodeId node, const NodeValues *v, const Found *found) {
    for (uint32_t k = 0; k < v->count; k++) {
        unsigned kinds = 0;
        for (uint32_t c = 0; c < CONTEXTS; c++)
            for (uint32_t m = 0; m < found->count[c]; m++)
                if (atom_equal(found->value[c][m], v->levels[k])) kinds |= found->kinds[c][m];
        if (kinds != v->kinds[k])
            fail_msg("%s\n%s: the value %s has kinds %u, not %u", t->text, shown(t, node),
                     atom_show(v->levels[k], ATOM_QUOTED, t->f.arena), kinds, v->kinds[k]);
    }
}

static bool is_member(const NodeValues *v, const uint32_t *member, uint32_t count, Atom value) {
    for (uint32_t k = 0; k < count; k++)
        if (atom_equal(v->levels[member[k]], value)) return true;
    return false;
}

static void check_sop(Trial *t, NodeId node) {
    static Found found;
    memset(&found, 0, sizeof found);
    each_input(t, node, find_values, &found);
    const NodeValues *v = values_of(t->values, node);
    assert_non_null(v);
    check_kinds(t, node, v, &found);
    for (uint32_t n = 1; n <= LONGEST; n++)
        for (uint32_t i = 0; i < n; i++) {
            uint32_t count, c = context_of(n, i);
            const uint32_t *member = values_set(t->values, v->sets[c], &count);
            for (uint32_t k = 0; k < found.count[c]; k++)
                if (!is_member(v, member, count, found.value[c][k]))
                    fail_msg("%s\n%s: no %s at %u of %u", t->text, shown(t, node),
                             atom_show(found.value[c][k], ATOM_QUOTED, t->f.arena), i, n);
            if (count != found.count[c])
                fail_msg("%s\n%s: %u values at %u of %u, not %u", t->text, shown(t, node),
                         found.count[c], i, n, count);
        }
}

typedef struct Widths {
    uint32_t least[CONTEXTS], most[CONTEXTS];
} Widths;

static void find_widths(Trial *t, Exec *exec, NodeId node, uint32_t n, void *found) {
    (void)t;
    Fault fault;
    Widths *widths = found;
    const bool *matrix = exec_matrix(exec, node, &fault);
    assert_non_null(matrix);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t width = 0, c = context_of(n, i);
        for (uint32_t j = 0; j < n; j++) width += matrix[i * n + j];
        if (width < widths->least[c]) widths->least[c] = width;
        if (width > widths->most[c]) widths->most[c] = width;
    }
}

static void check_selector(Trial *t, NodeId node) {
    Widths widths;
    for (uint32_t c = 0; c < CONTEXTS; c++) widths.least[c] = LONGEST, widths.most[c] = 0;
    each_input(t, node, find_widths, &widths);
    const SelectorFacts *facts = values_selector(t->values, node);
    assert_non_null(facts);
    bool never_empty = true, at_most_one = true, everything = true;
    for (uint32_t n = 1; n <= LONGEST; n++)
        for (uint32_t i = 0; i < n; i++) {
            uint32_t c = context_of(n, i);
            if (facts->least[c] != widths.least[c] || facts->most[c] != widths.most[c])
                fail_msg("%s\n%s: %u to %u keys at %u of %u, not %u to %u", t->text, shown(t, node),
                         widths.least[c], widths.most[c], i, n, facts->least[c], facts->most[c]);
            never_empty &= widths.least[c] > 0;
            at_most_one &= widths.most[c] <= 1;
            everything &= widths.least[c] == n;
        }
    assert_int_equal(facts->never_empty, never_empty);
    assert_int_equal(facts->at_most_one, at_most_one);
    assert_int_equal(facts->everything, everything);
}

static void check_program(Trial *t, const char *alphabet, bool run) {
    fixture_open(&t->f, t->text, alphabet, LONGEST);
    t->graph = session_graph(t->f.session);
    Binding main;
    assert_true(session_main(t->f.session, &main));
    NodeId root = main.value.object->node, nodes = graph_count(t->graph);
    bool *needed = graph_needed(t->graph, &root, 1, t->f.arena);
    t->domain = (Domain){t->f.options.alphabet, t->f.options.alphabet_size, LONGEST, -1, NODE_NONE};
    t->values = values_new(t->graph, &t->domain, 65536, 1 << 22, t->f.arena);
    assert_true(!run || values_run(t->values));
    for (NodeId node = 0; node < nodes; node++) {
        if (!needed[node]) continue;
        if (node_is_selector(graph_node(t->graph, node)))
            check_selector(t, node);
        else
            check_sop(t, node);
    }
    fixture_close(&t->f);
}

static void check_programs(bool run) {
    for (size_t k = 0; k < sizeof programs / sizeof *programs; k++) {
        Trial t = {.text = programs[k].text};
        check_program(&t, programs[k].alphabet, run);
    }
}

static void test_products(void **state) {
    (void)state;
    check_programs(false);
}

static void test_runs(void **state) {
    (void)state;
    check_programs(true);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_products),
                                       cmocka_unit_test(test_runs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
