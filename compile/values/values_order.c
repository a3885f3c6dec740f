/* The proof that a selector's width tells positions apart: every sort rests on it.  The
 * relation "j is selected in row i" between different positions must be a strict total order
 * whatever the values there: then the width counts the positions before, a permutation.  Or
 * it is one among the positions that share a value, and selects no others: then the width tells
 * those apart. */
#include "compile/values/states.h"

#include <stdlib.h>

typedef struct Ranked {
    uint32_t state, class, after; /* how many states of its class it comes before */
} Ranked;

static int by_rank(const void *a, const void *b) {
    const Ranked *x = a, *y = b;
    if (x->class != y->class) return x->class < y->class ? -1 : 1;
    return (x->after < y->after) - (x->after > y->after);
}

#define LEFT_OUT UINT32_MAX

/* All pairs of states that are compared: of different positions and the same class. */
typedef struct Order {
    const States *states;
    uint32_t *class; /* by state; LEFT_OUT: not looked at */
    bool *before;    /* [states, states] */
    uint32_t count;
} Order;

static bool compared(const Order *o, uint32_t s, uint32_t t) {
    return o->class[s] != LEFT_OUT && o->class[s] == o->class[t] &&
           !states_same_position(o->states, s, t);
}

/* A key that none of the row's class is. */
static bool outside(const Order *o, uint32_t s, uint32_t t) {
    return o->class[t] != LEFT_OUT && o->class[s] != o->class[t] &&
           !states_same_position(o->states, s, t);
}

static bool before(const Order *o, uint32_t s, uint32_t t) {
    return o->before[(size_t)s * o->count + t];
}

/* A linear order of the states in which s stands before t exactly when the relation says so,
 * for all compared pairs, makes every choice of one state a position an order; as long as nothing
 * of another class is counted, which may be more for some positions of a class than for others. */
static bool is_linear(Order *o, const Relation *relation, Arena *arena) {
    Ranked *rank = ARENA_ARRAY(arena, o->count, Ranked);
    o->before = ARENA_ARRAY(arena, (size_t)o->count * o->count, bool);
    for (uint32_t s = 0; s < o->count; s++) {
        rank[s] = (Ranked){s, o->class[s], 0};
        budget_poll(arena_budget(arena));
        for (uint32_t t = 0; t < o->count; t++) {
            if (outside(o, s, t) && relation_holds(relation, s, t)) return false;
            if (!compared(o, s, t)) continue;
            bool is = relation_holds(relation, s, t);
            o->before[(size_t)s * o->count + t] = is;
            rank[s].after += is;
        }
    }
    qsort(rank, o->count, sizeof *rank, by_rank);
    for (uint32_t k = 1; k < o->count; k++) /* states of equal count: by the relation itself */
        for (uint32_t m = k;
             m > 0 && rank[m - 1].class == rank[m].class && rank[m - 1].after == rank[m].after &&
             before(o, rank[m].state, rank[m - 1].state);
             m--) {
            Ranked swap = rank[m];
            rank[m] = rank[m - 1];
            rank[m - 1] = swap;
        }
    for (uint32_t a = 0; a < o->count; a++)
        for (uint32_t b = a + 1; b < o->count && rank[b].class == rank[a].class; b++) {
            uint32_t s = rank[a].state, t = rank[b].state;
            if (!compared(o, s, t)) continue;
            if (!before(o, s, t) || before(o, t, s)) return false;
        }
    return true;
}

/* All positions must agree on whether they count themselves. */
static bool self_constant(const Order *o, const Relation *relation) {
    uint32_t first = 0;
    while (first < o->count && o->class[first] == LEFT_OUT) first++;
    for (uint32_t s = first; s < o->count; s++)
        if (o->class[s] != LEFT_OUT &&
            relation_holds(relation, s, s) != relation_holds(relation, first, first))
            return false;
    return true;
}

/* The class of each state; with a query of one value only that class is looked at. */
static void find_classes(Order *o, NodeId class, NodeId query, Arena *arena) {
    o->class = ARENA_ARRAY(arena, o->count, uint32_t);
    if (class == NODE_NONE) return;
    uint32_t column = states_column(o->states, class);
    const NodeValues *q = values_of(o->states->values, query);
    for (uint32_t s = 0; s < o->count; s++) {
        o->class[s] = o->states->rows.level[(size_t)s * o->states->rows.width + column];
        if (q && q->count == 1 && !atom_equal(states_value(o->states, s, column), q->levels[0]))
            o->class[s] = LEFT_OUT;
    }
}

/* `x < x` is a strict total order when no two positions share an x. */
static bool is_chain(Values *values, NodeId selector, Arena *arena) {
    const Node *node = graph_node(values->graph, selector);
    if (node->kind != NODE_SELECT || (node->op != OP_LT && node->op != OP_GT)) return false;
    NodeId key = node->arg[0];
    const NodeValues *v = key == node->arg[1] ? values_of(values, key) : NULL;
    Rows rows;
    if (!v || !values_numeric(v) ||
        !values_rows_up_to(values, (NodeId[]){key, values->indices}, 2,
                           (NodeId[]){key, values->indices}, 2, v->count, &rows))
        return false; /* more rows than keys: one stands at two positions */
    bool *seen = ARENA_ARRAY(arena, v->count, bool);
    for (size_t r = 0; r < rows.row_count; r++) {
        if (seen[rows.level[2 * r]]) return false;
        seen[rows.level[2 * r]] = true;
    }
    return true;
}

static bool prove(Values *values, NodeId selector, NodeId class, NodeId query, Arena *arena) {
    States states;
    if (!states_find(values, &selector, 1, &class, class != NODE_NONE, &states, arena))
        return false;
    Relation relation = relation_of(&states, selector, arena);
    Order o = {.states = &states, .count = (uint32_t)states.rows.row_count};
    find_classes(&o, class, query, arena);
    return self_constant(&o, &relation) && is_linear(&o, &relation, arena);
}

bool values_strict_order(Values *values, NodeId selector) {
    Entry *entry = values_entry(values, selector);
    if (entry->order) return entry->order > 0;
    Arena *scratch = arena_child(values->arena);
    bool order = is_chain(values, selector, scratch) ||
                 prove(values, selector, NODE_NONE, NODE_NONE, scratch);
    arena_free(scratch);
    values_entry(values, selector)->order = order ? 1 : -1;
    return order;
}

bool values_order_within(Values *values, NodeId selector, NodeId class, NodeId query) {
    Arena *scratch = arena_child(values->arena);
    bool order = prove(values, selector, class, query, scratch);
    arena_free(scratch);
    return order;
}
