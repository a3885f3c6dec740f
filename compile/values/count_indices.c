/* Counts of `select(indices, x, op)`, whatever x depends on: how many positions stand so to a
 * number is known, so the least and the greatest of x's values in a context say it of all of them.
 */
#include "compile/values/numbers.h"
#include "compile/values/values_count.h"

#include <math.h>

/* What there is to know of a set of numbers; none: low is above high. */
typedef struct Ends {
    double low, high;
    double inside; /* the least whole number from 0 on; infinity: there is none */
    bool whole;    /* all are whole */
} Ends;

/* By level, its number; and that again if it is whole and not negative, else infinity. */
static Ends ends_of(const Values *values, const double *number, const double *inside, SetId set) {
    uint32_t count;
    const uint32_t *member = sets_get(values->sets, set, &count);
    Ends ends = {INFINITY, -INFINITY, INFINITY, true};
    for (uint32_t k = 0; k < count; k++) {
        double x = number[member[k]], y = inside[member[k]];
        ends.low = x < ends.low ? x : ends.low;
        ends.high = x > ends.high ? x : ends.high;
        ends.inside = y < ends.inside ? y : ends.inside;
    }
    for (uint32_t k = 0; k < count && ends.whole; k++)
        ends.whole = floor(number[member[k]]) == number[member[k]];
    return ends;
}

/* Positions 0 … n-1 below x, or up to it. */
static uint32_t positions_below(double x, bool with, uint32_t n) {
    double count = with ? floor(x) + 1 : ceil(x);
    return count <= 0 ? 0 : count >= n ? n : (uint32_t)count;
}

static void count_between(const Ends *e, OpId op, uint32_t n, uint32_t *least, uint32_t *most) {
    bool some = e->inside < n, all = e->whole && e->low >= 0 && e->high < n;
    bool with = op == OP_LE || op == OP_GT; /* positions > x are those not <= x */
    uint32_t few = positions_below(e->low, with, n), many = positions_below(e->high, with, n);
    bool below = op == OP_LT || op == OP_LE;
    if (e->low > e->high)
        *least = *most = 0;
    else if (op == OP_EQ)
        *least = all, *most = some;
    else if (op == OP_NE)
        *least = n - some, *most = n - all;
    else
        *least = below ? few : n - many, *most = below ? many : n - few;
}

bool values_count_indices(Values *values, NodeId selector, uint32_t *least, uint32_t *most) {
    const Node *node = graph_node(values->graph, selector);
    if (node->kind != NODE_SELECT || node->arg[0] != values->indices) return false;
    OpId op = node->op;
    const NodeValues *v = values_of(values, node->arg[1]);
    if (!v || !values_numeric(v)) return false;
    Arena *scratch = arena_child(values->arena);
    double *x = ARENA_ARRAY(scratch, v->count, double);
    double *inside = ARENA_ARRAY(scratch, v->count, double);
    for (uint32_t k = 0; k < v->count; k++) {
        x[k] = atom_double(v->levels[k]);
        inside[k] = floor(x[k]) == x[k] && x[k] >= 0 ? x[k] : INFINITY;
    }
    TupleMap *map = tuple_map_new(scratch, 1);
    Ends *ends = NULL;
    size_t capacity = 0;
    for (uint32_t n = 1; n <= values->domain->max_length; n++)
        for (uint32_t at = context_of(n, 0); at < context_of(n + 1, 0); at++) {
            bool found;
            uint32_t *number = tuple_map_at(map, &v->sets[at], &found);
            if (!found) {
                *number = tuple_map_count(map) - 1;
                ends = arena_grow(scratch, ends, &capacity, *number + 1, sizeof *ends);
                ends[*number] = ends_of(values, x, inside, v->sets[at]);
            }
            count_between(&ends[*number], op, n, &least[at], &most[at]);
        }
    arena_free(scratch);
    return true;
}
