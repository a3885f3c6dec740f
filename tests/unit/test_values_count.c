/* How many keys rows select, on random selectors: what is counted over stretches and the queries
 * that matter, against the definition: every joint value of the queries, key by key.  So are rows
 * that positions decide, levels that meet, and means of rows whose keys are uncertain. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/random.h"
#include "compile/values/position_rows.h"
#include "compile/values/tally.h"
#include "compile/values/values_count.h"

#include <string.h>

enum { ROUNDS = 30, SELECTORS = 12, LONGEST = 7, SOPS = 19, POSITIONAL = 8, PARTS = 4 };

typedef struct Bench {
    Budget budget;
    Arena *arena;
    Graph *graph;
    Domain domain;
    Values *values;
    NodeId sop[SOPS]; /* first those that the position and the length decide */
    uint32_t sops;
    Random random;
} Bench;

/* --- selectors ----------------------------------------------------------------------------- */

static NodeId number(const Bench *b, int64_t n) {
    return graph_constant(b->graph, atom_int(n), SPAN_NONE);
}
static NodeId map(const Bench *b, OpId op, NodeId x, NodeId y) {
    return graph_map(b->graph, op, (NodeId[]){x, y}, SPAN_NONE);
}
static NodeId compare(const Bench *b, OpId op, NodeId key, NodeId query) {
    return graph_select(b->graph, op, key, query, SPAN_NONE);
}
static NodeId width(const Bench *b, NodeId a, NodeId c) {
    return graph_width(b->graph, graph_and(b->graph, a, c, SPAN_NONE), SPAN_NONE);
}

static void add(Bench *b, NodeId sop) {
    assert_true(b->sops < SOPS);
    b->sop[b->sops++] = sop;
}

static void add_sops(Bench *b) {
    NodeId i = graph_indices(b->graph, SPAN_NONE),
           tokens = graph_tokens(b->graph, TOKENS_ASIS, SPAN_NONE);
    NodeId all = compare(b, OP_EQ, number(b, 1), number(b, 1));
    NodeId length = graph_width(b->graph, all, SPAN_NONE);
    add(b, i);
    add(b, map(b, OP_SUB, length, i));
    add(b, map(b, OP_MOD, i, number(b, 2)));
    add(b, map(b, OP_MUL, i, number(b, 2)));
    add(b, map(b, OP_DIV, i, number(b, 2)));
    add(b, length);
    add(b, number(b, 1));
    add(b, number(b, 3));
    NodeId same = compare(b, OP_EQ, tokens, tokens), to = compare(b, OP_LE, i, i);
    NodeId is_a = map(b, OP_EQ, tokens, graph_constant(b->graph, b->domain.alphabet[0], SPAN_NONE));
    NodeId yes = graph_constant(b->graph, atom_bool(true), SPAN_NONE);
    NodeId nth = width(b, same, to), hits = width(b, compare(b, OP_EQ, is_a, yes), to);
    NodeId before = width(b, same, compare(b, OP_LT, i, i));
    NodeId first = map(b, OP_EQ, before, number(b, 0));
    add(b, tokens);
    add(b, is_a);
    add(b, yes);
    add(b, nth);
    add(b, map(b, OP_ADD, nth, number(b, 1)));
    add(b, hits);
    add(b, map(b, OP_SUB, i, hits));
    add(b, graph_width(b->graph, same, SPAN_NONE));
    add(b, first);
    add(b, graph_map(b->graph, OP_IF, (NodeId[]){nth, first, number(b, -1)}, SPAN_NONE));
    add(b, graph_width(b->graph, compare(b, OP_EQ, is_a, yes), SPAN_NONE));
    assert_int_equal(b->sops, SOPS);
}

static void open(Bench *b, uint64_t seed) {
    static Atom alphabet[3];
    *b = (Bench){.random = {seed}};
    budget_init(&b->budget, (size_t)1 << 28);
    b->arena = arena_new(&b->budget);
    Intern *intern = intern_new(b->arena);
    b->graph = graph_new(b->arena, intern);
    for (int k = 0; k < 3; k++)
        alphabet[k] = atom_string(intern_text(intern, (const char *const[]){"a", "b", "c"}[k]));
    b->domain = (Domain){.alphabet = alphabet,
                         .alphabet_size = 1 + (uint32_t)random_below(&b->random, 3),
                         .max_length = LONGEST,
                         .first = random_below(&b->random, 4) ? -1 : 0,
                         .where = NODE_NONE};
    add_sops(b);
    if (random_below(&b->random, 4) == 0)
        b->domain.where = map(
            b, OP_LE, graph_width(b->graph, compare(b, OP_EQ, b->sop[9], b->sop[10]), SPAN_NONE),
            number(b, 3));
    b->values = values_new(b->graph, &b->domain, 65536, 1 << 22, b->arena);
}

static NodeId random_select(Bench *b, uint32_t sops) {
    static const OpId op[] = {OP_EQ, OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE};
    NodeId key = b->sop[random_below(&b->random, sops)];
    NodeId query = random_below(&b->random, 3) ? b->sop[random_below(&b->random, sops)] : key;
    return compare(b, op[random_below(&b->random, sizeof op / sizeof *op)], key, query);
}

static NodeId random_selector(Bench *b, uint32_t sops, uint64_t parts) {
    NodeId made = random_select(b, sops);
    for (uint64_t k = random_below(&b->random, parts); k-- > 0;) {
        NodeId other = random_select(b, sops);
        if (random_below(&b->random, 4) == 0) other = graph_not(b->graph, other, SPAN_NONE);
        made = random_below(&b->random, 3) ? graph_and(b->graph, made, other, SPAN_NONE)
                                           : graph_or(b->graph, made, other, SPAN_NONE);
    }
    return made;
}

/* --- the definition ------------------------------------------------------------------------ */

typedef struct Plain {
    Bench *bench;
    Literals conjuncts, formula[MAX_LITERALS], all;
    bool positional[MAX_LITERALS];
} Plain;

static const Node *node_of(const Plain *p, NodeId id) {
    return graph_node(p->bench->graph, id);
}

static Chance plain_literal(const Plain *p, NodeId select, uint32_t context, Atom query) {
    const Node *node = node_of(p, select);
    const NodeValues *key = values_of(p->bench->values, node->arg[0]);
    uint32_t count;
    const uint32_t *member = values_set(p->bench->values, key->sets[context], &count);
    Chance chance = {false, true};
    for (uint32_t k = 0; k < count; k++) {
        Atom value = key->levels[member[k]];
        if (!(ops[node->op].flags & OP_TOTAL) && !atom_comparable(value, query)) continue;
        chance.can |= op_compare(node->op, value, query);
        chance.must &= op_compare(node->op, value, query);
    }
    chance.must &= chance.can;
    return chance;
}

/* Is key j selected from i, where queries have the levels of the row? */
static Chance plain_cell(const Plain *p, uint32_t n, uint32_t j, uint32_t i, const uint32_t *row) {
    Chance all = {true, true};
    for (uint32_t c = 0; c < p->conjuncts.count; c++) {
        const Literals *formula = &p->formula[c];
        Chance chance[MAX_LITERALS], one;
        for (uint32_t k = 0; k < formula->count; k++) {
            uint32_t at = 0;
            while (p->all.select[at] != formula->select[k]) at++;
            NodeId query = node_of(p, formula->select[k])->arg[1];
            chance[k] = plain_literal(p, formula->select[k], context_of(n, j),
                                      values_of(p->bench->values, query)->levels[row[2 * at + 1]]);
        }
        one = literals_chance(formula, chance);
        if (p->positional[c]) {
            bool holds = positional_cell(p->bench->values, formula, n, j, i) == 1;
            one = (Chance){holds, holds};
        }
        all.can &= one.can;
        all.must &= one.must;
    }
    return all;
}

/* Does a position of these levels select itself?  False: they are on no input. */
static bool plain_self(const Plain *p, const uint32_t *row, bool *selected) {
    bool holds[MAX_LITERALS];
    for (uint32_t k = 0; k < p->all.count; k++) {
        const Node *node = node_of(p, p->all.select[k]);
        Atom key = values_of(p->bench->values, node->arg[0])->levels[row[2 * k]];
        Atom query = values_of(p->bench->values, node->arg[1])->levels[row[2 * k + 1]];
        if (!(ops[node->op].flags & OP_TOTAL) && !atom_comparable(key, query)) return false;
        holds[k] = op_compare(node->op, key, query);
    }
    *selected = literals_hold(&p->all, holds);
    return true;
}

static bool same_queries(const Plain *p, const uint32_t *a, const uint32_t *b) {
    for (uint32_t k = 0; k < p->all.count; k++)
        if (a[2 * k + 1] != b[2 * k + 1]) return false;
    return true;
}

static void plain_count(const Plain *p, uint32_t n, uint32_t i, uint32_t *least, uint32_t *most) {
    NodeId nodes[2 * MAX_LITERALS];
    Rows rows;
    for (uint32_t k = 0; k < p->all.count; k++)
        memcpy(nodes + 2 * k, node_of(p, p->all.select[k])->arg, 2 * sizeof *nodes);
    assert_true(values_rows(p->bench->values, nodes, 2 * p->all.count, context_of(n, i), &rows));
    *least = n, *most = 0;
    bool any = false, selected;
    for (size_t r = 0; r < rows.row_count; r++) {
        const uint32_t *row = rows.level + r * rows.width;
        uint32_t low = 0, high = 0;
        Chance self = {false, true};
        if (!plain_self(p, row, &selected)) continue;
        any = true;
        for (size_t other = 0; other < rows.row_count; other++) {
            const uint32_t *same = rows.level + other * rows.width;
            if (!same_queries(p, row, same) || !plain_self(p, same, &selected)) continue;
            self.can |= selected;
            self.must &= selected;
        }
        for (uint32_t j = 0; j < n; j++) {
            Chance chance = j == i ? self : plain_cell(p, n, j, i, row);
            low += chance.must;
            high += chance.can;
        }
        if (low < *least) *least = low;
        if (high > *most) *most = high;
    }
    if (!any) *least = 0;
    if (*least > *most) *least = *most;
}

/* --- the tests ----------------------------------------------------------------------------- */

static bool sides_known(const Plain *p) {
    for (uint32_t k = 0; k < p->all.count; k++)
        for (int side = 0; side < 2; side++)
            if (!values_of(p->bench->values, node_of(p, p->all.select[k])->arg[side])) return false;
    return true;
}

static size_t check_selector(Bench *b, NodeId selector) {
    Plain p = {.bench = b,
               .conjuncts = selector_conjuncts(b->graph, selector, b->arena),
               .all = selector_literals(b->graph, selector, b->arena)};
    uint32_t contexts = domain_contexts(&b->domain);
    uint32_t *least = ARENA_ARRAY(b->arena, contexts, uint32_t);
    uint32_t *most = ARENA_ARRAY(b->arena, contexts, uint32_t);
    if (!sides_known(&p)) return 0;
    for (uint32_t c = 0; c < p.conjuncts.count; c++) {
        p.formula[c] = selector_literals(b->graph, p.conjuncts.select[c], b->arena);
        p.positional[c] = literals_positional(b->values, &p.formula[c]);
    }
    assert_true(values_count_keys(b->values, selector, least, most));
    for (uint32_t n = 1; n <= LONGEST; n++)
        for (uint32_t i = 0; i < n; i++) {
            uint32_t low, high, at = context_of(n, i);
            plain_count(&p, n, i, &low, &high);
            if (least[at] != low || most[at] != high)
                fail_msg("%s at %u of %u: %u to %u keys, counted %u to %u",
                         graph_text(b->graph, selector, 400, b->arena), i, n, low, high, least[at],
                         most[at]);
        }
    return contexts;
}

static void test_counts(void **state) {
    (void)state;
    size_t counted = 0;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        Bench b;
        open(&b, round);
        for (int k = 0; k < SELECTORS; k++)
            counted += check_selector(&b, random_selector(&b, SOPS, PARTS));
        arena_free(b.arena);
    }
    assert_true(counted > (size_t)ROUNDS * SELECTORS * LONGEST);
}

static void test_positions(void **state) {
    (void)state;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        Bench b;
        open(&b, round);
        Literals part[PARTS];
        uint32_t parts = (uint32_t)random_below(&b.random, PARTS);
        for (uint32_t k = 0; k < parts; k++) {
            NodeId selector = random_selector(&b, POSITIONAL, PARTS);
            part[k] = selector_literals(b.graph, selector, b.arena);
            assert_true(literals_positional(b.values, &part[k]));
        }
        PositionRows *rows = position_rows_new(b.values, part, parts, b.arena);
        for (uint32_t n = 1; n <= LONGEST; n++)
            for (uint32_t i = 0; i < n; i++) {
                uint32_t count, s = 0;
                const Stretch *row = position_rows_at(rows, n, i, &count, NULL);
                for (uint32_t j = 0; j < n; j++) {
                    bool holds = true;
                    for (uint32_t k = 0; k < parts; k++)
                        holds &= positional_cell(b.values, &part[k], n, j, i) == 1;
                    while (s < count && row[s].last <= j) s++;
                    assert_int_equal(s < count && j >= row[s].first, holds);
                }
            }
        arena_free(b.arena);
    }
}

/* Which levels meet: those that two positions of an input of one length can have. */
static void test_meet(void **state) {
    (void)state;
    Bench b;
    open(&b, 1);
    for (uint32_t s = 0; s < SOPS * SOPS; s++) {
        NodeId key = b.sop[s / SOPS], query = b.sop[s % SOPS];
        const NodeValues *k = values_of(b.values, key), *q = values_of(b.values, query);
        unsigned char *meet = ARENA_ARRAY(b.arena, (size_t)k->count * q->count, unsigned char);
        unsigned char *plain = ARENA_ARRAY(b.arena, (size_t)k->count * q->count, unsigned char);
        values_meet(b.values, key, query, meet);
        for (uint32_t n = 1; n <= LONGEST; n++)
            for (uint32_t pair = 0; pair < n * n; pair++) {
                uint32_t keys, queries;
                const uint32_t *x = values_set(b.values, k->sets[context_of(n, pair / n)], &keys);
                const uint32_t *y =
                    values_set(b.values, q->sets[context_of(n, pair % n)], &queries);
                for (uint32_t m = 0; m < keys * queries; m++)
                    plain[x[m / queries] * q->count + y[m % queries]] = 1;
            }
        assert_memory_equal(meet, plain, (size_t)k->count * q->count);
    }
    arena_free(b.arena);
}

/* The values of a mean over rows of `least` to `most` keys whose values are those of the input: by
 * sums of any of them, key by key. */
static void add_means(Bench *b, const NodeValues *v, const uint32_t *member, uint32_t count,
                      uint32_t least, uint32_t most, TupleMap *found, NodeId mean) {
    bool seen;
    double reached[1 << LONGEST] = {0}; /* sums of so many, each once */
    uint32_t sums = 1;
    for (uint32_t width = 1; width <= most; width++) {
        double next[1 << LONGEST];
        uint32_t kept = 0;
        for (uint32_t s = 0; s < sums; s++)
            for (uint32_t k = 0; k < count; k++) {
                double sum = reached[s] + atom_double(v->levels[member[k]]);
                uint32_t at = 0;
                while (at < kept && next[at] != sum) at++;
                if (at < kept) continue;
                assert_true(kept < 1 << LONGEST);
                next[kept++] = sum;
            }
        memcpy(reached, next, kept * sizeof *next);
        sums = kept;
        for (uint32_t s = 0; s < sums && width >= least; s++) {
            uint32_t level = entry_find(b->values, mean, atom_float(reached[s] / width));
            assert_int_not_equal(level, UINT32_MAX);
            (void)tuple_map_at(found, &level, &seen);
        }
    }
}

static void test_means(void **state) {
    (void)state;
    Bench b;
    open(&b, 1);
    uint32_t looked_at = 0;
    for (int trial = 0; trial < 200; trial++) {
        NodeId value = b.sop[POSITIONAL + random_below(&b.random, SOPS - POSITIONAL)];
        NodeId selector = random_selector(&b, SOPS, PARTS);
        NodeId mean = graph_aggregate(b.graph, selector, value, atom_int(0), SPAN_NONE);
        const NodeValues *v = values_of(b.values, value), *m = values_of(b.values, mean);
        Literals literals = selector_literals(b.graph, selector, b.arena);
        const SelectorFacts *facts = values_selector(b.values, selector);
        if (!m || !values_numeric(v) || v->levels[0].kind == ATOM_BOOL || facts->everything ||
            values_moves(b.values, mean) || literals_positional(b.values, &literals))
            continue;
        for (uint32_t n = 1; n <= LONGEST; n++) {
            uint32_t count, members;
            const uint32_t *member = values_set(b.values, values_within(b.values, v, n), &count);
            for (uint32_t at = context_of(n, 0); at < context_of(n + 1, 0); at++, looked_at++) {
                TupleMap *found = tuple_map_new(b.arena, 1);
                bool seen;
                uint32_t none = entry_find(b.values, mean, atom_int(0));
                if (facts->least[at] == 0) (void)tuple_map_at(found, &none, &seen);
                add_means(&b, v, member, count, facts->least[at], facts->most[at], found, mean);
                (void)values_set(b.values, m->sets[at], &members);
                assert_int_equal(members, tuple_map_count(found));
            }
        }
    }
    assert_true(looked_at > 500);
    arena_free(b.arena);
}

/* Queries that are chances by kind: 2 bits each. */
static Chance table_chance(void *context, uint32_t kind, uint32_t query) {
    const unsigned char *table = context;
    unsigned bits = table[query * 4 + kind];
    return (Chance){bits & 1, (bits & 3) == 3};
}

/* Of any list those that are not beaten count as the whole list does. */
static void test_best(void **state) {
    (void)state;
    enum { QUERIES = 60, TRIALS = 400, COUNT = 90 };
    Random random = {5};
    Budget budget = {0};
    budget_init(&budget, (size_t)1 << 28);
    Arena *arena = arena_new(&budget);
    unsigned char table[QUERIES * 4];
    for (size_t k = 0; k < sizeof table; k++) table[k] = (unsigned char)random_below(&random, 4);
    Tally *tally = tally_new(arena, COUNT, table_chance, table);
    for (int trial = 0; trial < TRIALS; trial++) {
        uint32_t kind[COUNT], count = 1 + (uint32_t)random_below(&random, COUNT);
        for (uint32_t j = 0; j < count; j++) kind[j] = (uint32_t)random_below(&random, 4);
        tally_positions(tally, kind, count);
        Own list[QUERIES], best[QUERIES];
        uint32_t queries = (uint32_t)random_below(&random, QUERIES), i;
        for (uint32_t k = 0; k < queries; k++) {
            bool can = random_below(&random, 2), must = can && random_below(&random, 2);
            list[k] = (Own){(uint32_t)random_below(&random, QUERIES), {can, must}};
        }
        Stretch row = {(uint32_t)random_below(&random, count), count};
        i = (uint32_t)random_below(&random, count);
        for (Bound bound = AT_MOST; bound <= AT_LEAST; bound++) {
            memcpy(best, list, sizeof best);
            uint32_t kept = tally_best(tally, best, queries, bound);
            uint32_t all[2] = {UINT32_MAX, 0}, few[2] = {UINT32_MAX, 0};
            for (uint32_t k = 0; k < queries; k++) {
                uint32_t keys = 0, counted = tally_count(tally, list[k], i, &row, 1, bound);
                for (uint32_t j = row.first; j < row.last; j++) {
                    Chance c = j == i ? list[k].self : table_chance(table, kind[j], list[k].query);
                    keys += bound == AT_MOST ? c.can : c.must;
                }
                assert_int_equal(counted, keys);
                if (keys < all[0]) all[0] = keys;
                if (keys > all[1]) all[1] = keys;
            }
            for (uint32_t k = 0; k < kept; k++) {
                uint32_t keys = tally_count(tally, best[k], i, &row, 1, bound);
                if (keys < few[0]) few[0] = keys;
                if (keys > few[1]) few[1] = keys;
            }
            assert_int_equal(all[bound == AT_MOST], few[bound == AT_MOST]);
        }
    }
    arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts), cmocka_unit_test(test_positions),
        cmocka_unit_test(test_meet),   cmocka_unit_test(test_means),
        cmocka_unit_test(test_best),
    };
    return cmocka_run_group_tests_name("values_count", tests, NULL, NULL);
}
