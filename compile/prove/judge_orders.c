/* How a comparison goes with two others: `key + indices / 1024` of two positions is ordered as
 * `key` and `indices` are.
 *
 * An s-op, and two others that it depends on no more than, are each compared between two positions.
 * Every row of their joint values is put beside every other: outcomes that are never found together
 * do not occur. */
#include "compile/prove/judge_private.h"

enum { MOST_ROWS = 8192, OUTCOMES = 3 };

static unsigned outcome(double key, double query) {
    return key < query ? OUTCOME_LESS : key > query ? OUTCOME_GREATER : OUTCOME_EQUAL;
}

uint64_t orders_bit(unsigned of, unsigned first, unsigned second) {
    return UINT64_C(1) << (16 * __builtin_ctz(of) + 4 * __builtin_ctz(first) +
                           __builtin_ctz(second));
}

/* [rows, 3]; false: there are too many, or they are no numbers. */
static bool read_numbers(Judge *j, const NodeId *nodes, double **number, size_t *count) {
    Rows rows;
    for (size_t k = 0; k < 3; k++) {
        const NodeValues *v = values_of(j->values, nodes[k]);
        if (!v || !values_numeric(v)) return false;
    }
    if (!joint_rows(j, nodes, 3, &rows) || rows.row_count > MOST_ROWS) return false;
    *count = rows.row_count;
    *number = ARENA_ARRAY(j->arena, 3 * rows.row_count, double);
    for (size_t r = 0; r < rows.row_count; r++)
        for (size_t k = 0; k < 3; k++) {
            double x = level_number(values_of(j->values, nodes[k]), rows.level[r * rows.width + k]);
            if (isnan(x)) return false;
            (*number)[3 * r + k] = x;
        }
    return true;
}

static uint64_t find_orders(Judge *j, const Orders *o) {
    double *number;
    size_t count;
    uint64_t found = 0;
    if (!read_numbers(j, (NodeId[]){o->first, o->second, o->node}, &number, &count))
        return UINT64_MAX;
    for (size_t r = 0; r < count; r++) {
        const double *key = number + 3 * r;
        for (size_t q = 0; q < count; q++) {
            const double *query = number + 3 * q;
            found |= orders_bit(outcome(key[2], query[2]), outcome(key[0], query[0]),
                                outcome(key[1], query[1]));
        }
        budget_poll(arena_budget(j->arena));
        if (__builtin_popcountll(found) == OUTCOMES * OUTCOMES * OUTCOMES) return UINT64_MAX;
    }
    return found;
}

uint64_t orders_of(Judge *j, NodeId node, NodeId first, NodeId second) {
    for (size_t k = 0; k < j->order_count; k++) {
        const Orders *o = &j->orders[k];
        if (o->node == node && o->first == first && o->second == second) return o->found;
    }
    Orders o = {.node = node, .first = first, .second = second, .found = UINT64_MAX};
    if (is_elementwise(j, node) && node_depends(j, node, (NodeId[]){first, second}, 2))
        o.found = find_orders(j, &o);
    j->orders =
        arena_grow(j->arena, j->orders, &j->order_capacity, j->order_count + 1, sizeof *j->orders);
    j->orders[j->order_count++] = o;
    return o.found;
}
