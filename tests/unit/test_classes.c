/* Sets and classes of contexts against the plain way: lists of bools, and every context's product.
 *
 * What is left out of an enumeration is in no other: the boxes of several s-ops have the tuples of
 * all contexts and no more, and a class's tuples are those of the class within it and those that
 * it adds. */
#include "tests/unit/compile_fixture.h"

#include "compile/values/classes.h"

enum { NUMBERS = 3000, TRIALS = 400, NODES = 3, LEVELS = 24, LONGEST = 9 };

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

/* How many are common, and those that the second lacks. */
static void check_both(const Sets *sets, const SetId *pair, const bool *a, const bool *b) {
    static uint32_t member[NUMBERS];
    uint32_t count = sets_minus(sets, pair[0], pair[1], member), common = 0, at = 0;
    for (uint32_t k = 0; k < NUMBERS; k++) {
        common += a[k] && b[k];
        if (!a[k] || b[k]) continue;
        assert_true(at < count && member[at] == k);
        at++;
    }
    assert_int_equal(at, count);
    assert_int_equal(sets_common(sets, pair[0], pair[1]), common);
    assert_int_equal(sets_count(sets, pair[0]), common + count);
}

/* Sets and numbers added to one another, in any order, are the set that is added at once. */
static void check_maker(Sets *sets, Arena *arena, const bool *in) {
    SetMaker maker = {.sets = sets, .arena = arena};
    for (int round = 0; round < 2; round++) { /* the maker is empty again */
        static uint32_t member[NUMBERS], part[NUMBERS];
        uint32_t count = 0, parts = 0;
        for (uint32_t k = 0; k < NUMBERS; k++) {
            if (!in[k]) continue;
            member[count++] = k;
            if (draw(2))
                part[parts++] = k;
            else
                set_maker_add(&maker, k);
        }
        for (uint32_t k = 0; k < count / 8; k++) set_maker_add(&maker, member[draw(count)]);
        set_maker_add_set(&maker, sets_add(sets, part, parts));
        assert_int_equal(set_maker_finish(&maker), sets_add(sets, member, count));
    }
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
        check_maker(sets, f.arena, a);
        check_members(sets, sets_union(sets, pair, 2), either);
        assert_int_equal(sets_within(sets, pair[0], pair[1]), within);
        check_both(sets, pair, a, b);
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

static bool same_sets(Values *values, const NodeId *nodes, uint32_t one, uint32_t other) {
    bool same = true;
    for (int k = 0; k < NODES; k++) {
        const SetId *sets = values_of(values, nodes[k])->sets;
        same &= sets[one] == sets[other];
    }
    return same;
}

static void check_classes(Values *values, const NodeId *nodes, Arena *arena) {
    const size_t tuples = (size_t)LEVELS * LEVELS * LEVELS;
    Classes *c = values_classes(values, nodes, NODES);
    values_classes_boxes(values, c);
    values_classes_within(values, c);
    bool *all = ARENA_ARRAY(arena, tuples, bool), *boxes = ARENA_ARRAY(arena, tuples, bool);
    for (uint32_t at = 0; at < domain_contexts(values_domain(values)); at++) {
        SetId set[NODES], kept[NODES];
        for (int k = 0; k < NODES; k++) set[k] = values_of(values, nodes[k])->sets[at];
        values_class_sets(values, c, c->of[at], kept);
        assert_memory_equal(kept, set, sizeof set);
        mark(values, set, all);
        for (uint32_t other = 0; other < at; other++) /* together if all sets are equal */
            assert_int_equal(c->of[other] == c->of[at], same_sets(values, nodes, other, at));
    }
    for (uint32_t b = 0; b < c->boxes; b++) mark(values, c->box + (size_t)b * NODES, boxes);
    assert_memory_equal(all, boxes, tuples);
    for (uint32_t k = 0; k < c->count; k++) {
        if (c->within[k] == NO_CLASS) continue;
        bool *own = ARENA_ARRAY(arena, tuples, bool), *inner = ARENA_ARRAY(arena, tuples, bool);
        assert_true(c->within[k] < k);
        SetId set[NODES];
        values_class_sets(values, c, k, set);
        mark(values, set, own);
        values_class_sets(values, c, c->within[k], set);
        mark(values, set, inner);
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
