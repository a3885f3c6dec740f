/* Sets and classes of contexts against the plain way: lists of bools, and every context's product.
 *
 * What is left out of an enumeration is in no other: the boxes of several s-ops have the tuples of
 * all contexts and no more, and a class's tuples are those of the class within it and those that
 * it adds. */
#include "tests/unit/compile_fixture.h"

#include "compile/values/classes.h"

enum { NUMBERS = 300, TRIALS = 400, NODES = 3, LEVELS = 24, LONGEST = 9 };

/* --- sets ----------------------------------------------------------------------------------- */

static uint32_t seed = 7;

static uint32_t draw(uint32_t below) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

/* A run, a few numbers or many. */
static SetId draw_set(Sets *sets, bool *in) {
    uint32_t member[NUMBERS], count = 0, first = draw(NUMBERS),
                              last = first + draw(NUMBERS - first);
    uint32_t one_in = draw(4);
    memset(in, 0, NUMBERS * sizeof *in);
    for (uint32_t k = first; k <= last; k++)
        if (one_in == 0 || draw(one_in + 1) == 0) in[k] = true;
    for (uint32_t k = NUMBERS; k-- > 0;)
        if (in[k]) member[count++] = k;
    return sets_add(sets, member, count);
}

static void check_members(Sets *sets, SetId set, const bool *in) {
    uint32_t count, at = 0;
    const uint32_t *member = sets_get(sets, set, &count);
    for (uint32_t k = 0; k < NUMBERS; k++) {
        assert_int_equal(sets_contain(sets, set, k), in[k]);
        if (!in[k]) continue;
        assert_true(at < count && member[at] == k);
        at++;
    }
    assert_int_equal(at, count);
}

static void test_sets(void **state) {
    (void)state;
    CompileFixture f;
    fixture_open(&f, "x = 1;", "a", 1);
    Sets *sets = sets_new(f.arena);
    for (int trial = 0; trial < TRIALS; trial++) {
        bool a[NUMBERS], b[NUMBERS], either[NUMBERS], within = true;
        SetId pair[2] = {draw_set(sets, a), draw_set(sets, b)};
        for (uint32_t k = 0; k < NUMBERS; k++) {
            within &= !a[k] || b[k];
            either[k] = a[k] || b[k];
        }
        check_members(sets, pair[0], a);
        check_members(sets, sets_union(sets, pair, 2), either);
        assert_int_equal(sets_within(sets, pair[0], pair[1]), within);
        assert_true(sets_within(sets, pair[0], sets_union(sets, pair, 2)));
    }
    fixture_close(&f);
}

/* --- classes -------------------------------------------------------------------------------- */

/* Marks the tuples of a product. */
static void mark(Values *values, const SetId *set, bool *tuple) {
    const uint32_t *member[NODES];
    uint32_t count[NODES];
    for (int k = 0; k < NODES; k++) member[k] = values_set(values, set[k], &count[k]);
    for (uint32_t a = 0; a < count[0]; a++)
        for (uint32_t b = 0; b < count[1]; b++)
            for (uint32_t c = 0; c < count[2]; c++)
                tuple[(member[0][a] * LEVELS + member[1][b]) * LEVELS + member[2][c]] = true;
}

static void check_classes(Values *values, const NodeId *nodes, Arena *arena) {
    const size_t tuples = (size_t)LEVELS * LEVELS * LEVELS;
    const Classes *c = values_classes(values, nodes, NODES);
    bool *all = ARENA_ARRAY(arena, tuples, bool), *boxes = ARENA_ARRAY(arena, tuples, bool);
    for (uint32_t at = 0; at < domain_contexts(values_domain(values)); at++) {
        SetId set[NODES];
        for (int k = 0; k < NODES; k++) set[k] = values_of(values, nodes[k])->sets[at];
        assert_memory_equal(c->set + (size_t)c->of[at] * NODES, set, sizeof set);
        mark(values, set, all);
    }
    for (uint32_t b = 0; b < c->boxes; b++) mark(values, c->box + (size_t)b * NODES, boxes);
    assert_memory_equal(all, boxes, tuples);
    for (uint32_t k = 0; k < c->count; k++) {
        if (c->within[k] == NO_CLASS) continue;
        bool *own = ARENA_ARRAY(arena, tuples, bool), *inner = ARENA_ARRAY(arena, tuples, bool);
        assert_true(c->within[k] < k);
        mark(values, c->set + (size_t)k * NODES, own);
        mark(values, c->set + (size_t)c->within[k] * NODES, inner);
        for (size_t t = 0; t < tuples; t++) assert_true(own[t] || !inner[t]);
    }
}

static void test_classes(void **state) {
    (void)state;
    static const char *const sops[] = {
        "tokens",
        "indices",
        "length",
        "selector_width(select(tokens, tokens, ==))",
        "selector_width(select(tokens, \"a\", ==) and select(indices, indices, <=))",
        "aggregate(select(indices, indices - 1, ==), tokens, \"-\")",
        "length - indices",
        "selector_width(select(indices, indices, >) and select(tokens, \"b\", ==))"};
    enum { SOPS = sizeof sops / sizeof *sops };
    for (uint32_t a = 0; a < SOPS; a++)
        for (uint32_t b = 0; b < a; b++)
            for (uint32_t c = 0; c < b; c++) {
                char text[600];
                CompileFixture f;
                snprintf(text, sizeof text, "x0 = %s;\nx1 = %s;\nx2 = %s;\n", sops[a], sops[b],
                         sops[c]);
                fixture_open(&f, text, "ab", LONGEST);
                Domain domain = compile_domain(&f.options);
                Values *values =
                    values_new(session_graph(f.session), &domain, 1000, 1000000, f.arena);
                NodeId nodes[NODES];
                for (int k = 0; k < NODES; k++) {
                    Value value;
                    assert_true(
                        session_lookup(f.session, (const char *[]){"x0", "x1", "x2"}[k], &value));
                    nodes[k] = value.object->node;
                    assert_true(values_of(values, nodes[k])->count <= LEVELS);
                }
                check_classes(values, nodes, f.arena);
                fixture_close(&f);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sets), cmocka_unit_test(test_classes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
