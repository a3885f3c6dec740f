/* A selector as a formula: random ones against the definition, read as a tree; and ones that
 * have so many ways down to their comparisons that nobody can walk them one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/random.h"
#include "compile/values/formula.h"

enum { COMPARISONS = 5, NODES = 24, SELECTORS = 400, SHARED = 60 };

typedef struct Made {
    Budget budget;
    Arena *arena;
    Graph *graph;
    NodeId comparison[COMPARISONS];
} Made;

static void make(Made *m) {
    static const OpId op[COMPARISONS] = {OP_EQ, OP_NE, OP_LT, OP_GT, OP_LE};
    *m = (Made){0};
    budget_init(&m->budget, (size_t)1 << 28);
    m->arena = arena_new(&m->budget);
    m->graph = graph_new(m->arena, intern_new(m->arena));
    NodeId indices = graph_indices(m->graph, SPAN_NONE);
    for (int k = 0; k < COMPARISONS; k++)
        m->comparison[k] = graph_select(m->graph, op[k], indices, indices, SPAN_NONE);
}

static NodeId random_selector(Made *m, Random *random) {
    NodeId node[NODES];
    for (int k = 0; k < NODES; k++) {
        NodeId a = k ? node[random_below(random, (uint64_t)k)] : m->comparison[0];
        NodeId b = m->comparison[random_below(random, COMPARISONS)];
        if (k && random_below(random, 2)) b = node[random_below(random, (uint64_t)k)];
        uint64_t kind = random_below(random, 3);
        node[k] = kind == 0   ? graph_and(m->graph, a, b, SPAN_NONE)
                  : kind == 1 ? graph_or(m->graph, a, b, SPAN_NONE)
                              : graph_not(m->graph, b, SPAN_NONE);
    }
    return node[NODES - 1];
}

static bool reads(const Made *m, NodeId id, unsigned true_ones) {
    for (int k = 0; k < COMPARISONS; k++)
        if (m->comparison[k] == id) return true_ones >> k & 1;
    const Node *node = graph_node(m->graph, id);
    if (node->kind == NODE_NOT) return !reads(m, node->arg[0], true_ones);
    bool a = reads(m, node->arg[0], true_ones), b = reads(m, node->arg[1], true_ones);
    return node->kind == NODE_AND ? a && b : a || b;
}

/* The formula's literals, in their order, from the comparisons that are true. */
static void choose(const Made *m, const Literals *literals, unsigned true_ones, bool *holds) {
    for (uint32_t k = 0; k < literals->count; k++)
        for (int c = 0; c < COMPARISONS; c++)
            if (m->comparison[c] == literals->select[k]) holds[k] = true_ones >> c & 1;
}

static void check_selector(Made *m, NodeId selector) {
    Literals literals = selector_literals(m->graph, selector, m->arena);
    Literals conjuncts = selector_conjuncts(m->graph, selector, m->arena);
    assert_in_range(literals.count, 1, COMPARISONS);
    for (uint32_t k = 0; k < conjuncts.count; k++)
        assert_true(graph_node(m->graph, conjuncts.select[k])->kind != NODE_AND);
    for (unsigned ones = 0; ones < 1u << COMPARISONS; ones++) {
        bool holds[COMPARISONS], all = true;
        choose(m, &literals, ones, holds);
        for (uint32_t k = 0; k < conjuncts.count; k++)
            all = all && reads(m, conjuncts.select[k], ones);
        assert_int_equal(literals_hold(&literals, holds), reads(m, selector, ones));
        assert_int_equal(all, reads(m, selector, ones));
    }
}

static void test_random(void **state) {
    (void)state;
    Made m;
    make(&m);
    Random random = {20};
    for (int k = 0; k < SELECTORS; k++) check_selector(&m, random_selector(&m, &random));
    arena_free(m.arena);
}

/* s = s and (s or t) and the like: each step doubles the ways down. */
static void test_shared(void **state) {
    (void)state;
    Made m;
    make(&m);
    NodeId s = m.comparison[0], t = m.comparison[1], apart = m.comparison[0];
    for (int k = 0; k < SHARED; k++) {
        s = graph_and(m.graph, s, graph_or(m.graph, s, t, SPAN_NONE), SPAN_NONE);
        apart = graph_not(m.graph, graph_and(m.graph, apart, apart, SPAN_NONE), SPAN_NONE);
    }
    Literals literals = selector_literals(m.graph, s, m.arena);
    assert_int_equal(literals.count, 2);
    for (unsigned ones = 0; ones < 4; ones++) {
        bool holds[COMPARISONS];
        choose(&m, &literals, ones, holds);
        assert_int_equal(literals_hold(&literals, holds), ones & 1);
    }
    assert_int_equal(selector_conjuncts(m.graph, s, m.arena).count, SHARED + 1);
    literals = selector_literals(m.graph, apart, m.arena);
    assert_int_equal(literals.count, 1);
    assert_true(literals_hold(&literals, (bool[]){true}));
    assert_false(literals_hold(&literals, (bool[]){false}));
    arena_free(m.arena);
}

/* What is possible and what is certain: not of "perhaps" is perhaps. */
static void test_chance(void **state) {
    (void)state;
    Made m;
    make(&m);
    NodeId a = m.comparison[0], b = m.comparison[1];
    NodeId either = graph_or(m.graph, a, graph_not(m.graph, b, SPAN_NONE), SPAN_NONE);
    Literals literals = selector_literals(m.graph, either, m.arena);
    const Chance never = {false, false}, perhaps = {true, false}, always = {true, true};
    Chance c = literals_chance(&literals, (Chance[]){never, perhaps});
    assert_true(c.can && !c.must);
    c = literals_chance(&literals, (Chance[]){never, always});
    assert_true(!c.can && !c.must);
    c = literals_chance(&literals, (Chance[]){perhaps, never});
    assert_true(c.can && c.must);
    arena_free(m.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_shared),
        cmocka_unit_test(test_chance),
    };
    return cmocka_run_group_tests_name("formula", tests, NULL, NULL);
}
