/* Which positions a selector may select, seen from the query; and what follows: whether an s-op
 * depends on earlier tokens alone. */
#include "compile/facts/facts_private.h"
#include "compile/values/formula.h"

#include <string.h>

enum { SIDES = 3, LONGEST = 64 }; /* before, here, after; longer inputs are not looked through */
static const double LIMIT = 2e7;  /* pairs of values compared for one comparison */

static const Chance anything = {true, false};

bool is_mask(const Finder *f, const Node *select) {
    return graph_node(f->graph, select->arg[0])->kind == NODE_INDICES &&
           graph_node(f->graph, select->arg[1])->kind == NODE_INDICES;
}

/* --- one comparison --------------------------------------------------------------------- */

static Chance compare_sets(Finder *f, const Node *node, SetId keys, SetId queries, double *work) {
    const NodeValues *key = values_of(f->values, node->arg[0]);
    const NodeValues *query = values_of(f->values, node->arg[1]);
    uint32_t ks, qs;
    const uint32_t *k = values_set(f->values, keys, &ks), *q = values_set(f->values, queries, &qs);
    Chance chance = {false, true};
    *work += (double)ks * qs;
    for (uint32_t x = 0; x < ks && *work < LIMIT; x++)
        for (uint32_t y = 0; y < qs; y++) {
            Atom a = key->levels[k[x]], b = query->levels[q[y]];
            if (!(ops[node->op].flags & OP_TOTAL) && !atom_comparable(a, b)) continue;
            bool holds = op_compare(node->op, a, b);
            chance.can |= holds;
            chance.must &= holds;
        }
    return chance;
}

static void join(Chance *sum, Chance chance) {
    sum->can |= chance.can;
    sum->must &= chance.must;
}

/* Over all pairs of positions, by the values that each can have. */
static void compare_contexts(Finder *f, const Node *node, Chance side[SIDES]) {
    const NodeValues *key = values_of(f->values, node->arg[0]);
    const NodeValues *query = values_of(f->values, node->arg[1]);
    uint32_t longest = values_domain(f->values)->max_length;
    Arena *scratch = arena_child(f->arena);
    TupleMap *memo = tuple_map_new(scratch, 2);
    double work = 0;
    for (int s = 0; s < SIDES; s++) side[s] = (Chance){false, true};
    for (uint32_t n = 1; n <= longest && work < LIMIT; n++)
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n; j++) {
                bool found;
                uint32_t pair[2] = {key->sets[context_of(n, j)], query->sets[context_of(n, i)]};
                uint32_t *at = tuple_map_at(memo, pair, &found);
                if (!found) {
                    Chance chance = compare_sets(f, node, pair[0], pair[1], &work);
                    *at = chance.can | (uint32_t)chance.must << 1;
                }
                join(&side[j < i ? 0 : j == i ? 1 : 2], (Chance){*at & 1, *at >> 1 & 1});
            }
    for (int s = 0; s < SIDES && work >= LIMIT; s++) side[s] = anything;
    arena_free(scratch);
}

static void compare_positions(Finder *f, NodeId select, Chance side[SIDES]) {
    static const unsigned outcome[SIDES] = {OUTCOME_LESS, OUTCOME_EQUAL, OUTCOME_GREATER};
    Node node = *graph_node(f->graph, select);
    for (int s = 0; s < SIDES; s++) {
        bool holds = ops[node.op].holds & outcome[s];
        side[s] = is_mask(f, &node) ? (Chance){holds, holds} : anything;
    }
    if (is_mask(f, &node) || values_domain(f->values)->max_length > LONGEST) return;
    if (values_of(f->values, node.arg[0]) && values_of(f->values, node.arg[1]))
        compare_contexts(f, &node, side);
}

/* --- a selector ------------------------------------------------------------------------- */

Reach selector_reach(Finder *f, NodeId selector) {
    Arena *scratch = arena_child(f->arena);
    Literals literals = selector_literals(f->graph, selector, scratch);
    Chance *by_side[SIDES], side[SIDES], whole[SIDES];
    for (int s = 0; s < SIDES; s++) by_side[s] = ARENA_ARRAY(scratch, literals.count, Chance);
    for (uint32_t k = 0; k < literals.count; k++) {
        compare_positions(f, literals.select[k], side);
        for (int s = 0; s < SIDES; s++) by_side[s][k] = side[s];
    }
    for (int s = 0; s < SIDES; s++) whole[s] = literals_chance(&literals, by_side[s]);
    arena_free(scratch);
    return (Reach){whole[0].can, whole[1].can, whole[2].can};
}

/* --- causality -------------------------------------------------------------------------- */

/* A selector is causal if it reaches no later position and compares what is. */
static bool node_causal(Finder *f, NodeId id, const bool *causal) {
    Node node = *graph_node(f->graph, id);
    for (int k = 0; k < node.arity; k++)
        if (!causal[node.arg[k]])
            return !node_is_selector(&node) && values_by_position(f->values, id);
    if (!node_attends(&node) || !selector_reach(f, node.arg[0]).after) return true;
    return values_by_position(f->values, id);
}

bool find_causal(Finder *f) {
    bool *causal = ARENA_ARRAY(f->arena, (size_t)f->count + 1, bool);
    for (NodeId id = 0; id < f->count; id++)
        if (f->needed[id]) causal[id] = node_causal(f, id, causal);
    return causal[f->root];
}
