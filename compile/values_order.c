/* The proof that a selector's width is a permutation of the positions: every sort rests on
 * it.  The relation "j is selected in row i" between different positions must be a strict
 * total order whatever the values there: then the width counts the positions before. */
#include "compile/values_private.h"

#include <stdlib.h>

enum { MAX_STATES = 3000, MAX_PARTS = 16 };

/* A state: what the selector can see of one position.  One row of joint values of its keys
 * and queries with the position itself, which is column 0. */
typedef struct Order {
    Values *values;
    NodeId selector;
    Literals literals;
    Rows states;
    uint32_t key[MAX_PARTS], query[MAX_PARTS]; /* column of each literal's key and query */
    const Atom *key_levels[MAX_PARTS], *query_levels[MAX_PARTS];
    OpId op[MAX_PARTS];
} Order;

static const uint32_t *state(const Order *o, uint32_t s) {
    return o->states.level + (size_t)s * o->states.width;
}

static bool same_position(const Order *o, uint32_t s, uint32_t t) {
    return state(o, s)[0] == state(o, t)[0];
}

/* Is the position in state s selected by the position in state t? */
static bool before(const Order *o, uint32_t s, uint32_t t) {
    bool holds[MAX_PARTS];
    for (uint32_t k = 0; k < o->literals.count; k++) {
        Atom key = o->key_levels[k][state(o, s)[o->key[k]]];
        Atom query = o->query_levels[k][state(o, t)[o->query[k]]];
        holds[k] = (o->op[k] == OP_EQ || o->op[k] == OP_NE || atom_comparable(key, query)) &&
                   op_compare(o->op[k], key, query);
    }
    return selector_holds(o->values->graph, o->selector, &o->literals, holds);
}

static bool find_states(Order *o) {
    NodeId column[2 * MAX_PARTS + 1] = {o->values->indices};
    uint32_t columns = 1;
    if (o->literals.count > MAX_PARTS) return false;
    for (uint32_t k = 0; k < o->literals.count; k++) {
        const Node *node = graph_node(o->values->graph, o->literals.select[k]);
        o->op[k] = node->op;
        for (int side = 0; side < 2; side++) {
            uint32_t at = 0;
            while (at < columns && column[at] != node->arg[side]) at++;
            if (at == columns) column[columns++] = node->arg[side];
            *(side ? &o->query[k] : &o->key[k]) = at;
        }
    }
    if (!values_rows(o->values, column, columns, UINT32_MAX, &o->states)) return false;
    for (uint32_t k = 0; k < o->literals.count; k++) {
        o->key_levels[k] = values_of(o->values, column[o->key[k]])->levels;
        o->query_levels[k] = values_of(o->values, column[o->query[k]])->levels;
    }
    return o->states.row_count <= MAX_STATES;
}

typedef struct Ranked {
    uint32_t state, after; /* how many states it comes before */
} Ranked;

static int by_after(const void *a, const void *b) {
    const Ranked *x = a, *y = b;
    return (x->after < y->after) - (x->after > y->after);
}

/* A linear order of the states in which s stands before t exactly when before(s, t), for all
 * states of different positions, makes every choice of one state a position an order. */
static bool is_linear(const Order *o, Arena *arena) {
    uint32_t count = (uint32_t)o->states.row_count;
    Ranked *rank = ARENA_ARRAY(arena, count, Ranked);
    bool *relation = ARENA_ARRAY(arena, (size_t)count * count, bool);
    for (uint32_t s = 0; s < count; s++) {
        rank[s].state = s;
        budget_poll(arena_budget(arena));
        for (uint32_t t = 0; t < count; t++) {
            if (same_position(o, s, t)) continue;
            relation[(size_t)s * count + t] = before(o, s, t);
            rank[s].after += relation[(size_t)s * count + t];
        }
    }
    qsort(rank, count, sizeof *rank, by_after);
    for (uint32_t k = 1; k < count; k++) /* states of equal count: by the relation itself */
        for (uint32_t m = k; m > 0 && rank[m - 1].after == rank[m].after &&
                             relation[(size_t)rank[m].state * count + rank[m - 1].state];
             m--) {
            Ranked swap = rank[m];
            rank[m] = rank[m - 1];
            rank[m - 1] = swap;
        }
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = a + 1; b < count; b++) {
            uint32_t s = rank[a].state, t = rank[b].state;
            if (same_position(o, s, t)) continue;
            if (!relation[(size_t)s * count + t] || relation[(size_t)t * count + s]) return false;
        }
    return true;
}

/* All positions must agree on whether they count themselves. */
static bool self_constant(const Order *o) {
    for (uint32_t s = 1; s < o->states.row_count; s++)
        if (before(o, s, s) != before(o, 0, 0)) return false;
    return true;
}

bool values_strict_order(Values *values, NodeId selector) {
    Entry *entry = values_entry(values, selector);
    if (entry->order) return entry->order > 0;
    Arena *scratch = arena_child(values->arena);
    Order o = {.values = values, .selector = selector};
    o.literals = selector_literals(values->graph, selector, scratch);
    bool order = find_states(&o) && self_constant(&o) && is_linear(&o, scratch);
    arena_free(scratch);
    values_entry(values, selector)->order = order ? 1 : -1;
    return order;
}
