/* Comparisons of numbers that have very many values each. */
#include "compile/lower/rules.h"
#include "compile/values/numbers.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static double *sorted_numbers(Lower *lower, const NodeValues *v) {
    double *number = ARENA_ARRAY(lower->arena, v->count, double);
    for (uint32_t k = 0; k < v->count; k++) number[k] = feature_number(v->levels[k]);
    qsort(number, v->count, sizeof *number, number_order);
    return number;
}

/* The smallest distance of two different values; -1 when some differ by rounding only. */
static double least_gap(Lower *lower, const NodeValues *a, const NodeValues *b, double *reach) {
    double *x = sorted_numbers(lower, a), *y = sorted_numbers(lower, b), gap = INFINITY;
    *reach = fmax(fabs(x[a->count - 1] - y[0]), fabs(y[b->count - 1] - x[0]));
    for (uint32_t i = 0, j = 0; i < a->count; i++) {
        while (j < b->count && y[j] < x[i]) j++;
        for (uint32_t k = j ? j - 1 : 0; k < b->count && k <= j + 1; k++) {
            double d = fabs(x[i] - y[k]);
            if (d == 0) continue;
            if (x[i] != trunc(x[i]) && numbers_near(x[i], y[k])) return -1;
            gap = fmin(gap, d);
        }
    }
    return gap;
}

enum { MANY_PAIRS = 20000 };

/* Only the sign of the difference matters, and how near to 0 it comes: no pairs of values. */
bool feature_sign(Lower *lower, NodeId id, Form *form) {
    Graph *graph = values_graph(lower->values);
    Node node = *graph_node(graph, id);
    if (node.kind != NODE_MAP || !(ops[node.op].flags & OP_COMPARES)) return false;
    const NodeValues *a = values_of(lower->values, node.arg[0]);
    const NodeValues *b = values_of(lower->values, node.arg[1]);
    if (!a || !b || !values_numeric(a) || !values_numeric(b)) return false;
    if ((double)a->count * b->count < MANY_PAIRS) return false;
    double reach, gap = least_gap(lower, a, b, &reach);
    if (gap == INFINITY) return false;
    if (gap < 0)
        return lower_fail(lower, id,
                          "depends on differences that are due to rounding only (round "
                          "what is compared)");
    Form of_a, of_b;
    if (!lower_feature(lower, node.arg[0], &of_a) || !lower_feature(lower, node.arg[1], &of_b))
        return false;
    NodeId difference = graph_map(graph, OP_SUB, node.arg, node.span);
    Form form_of_x = form_sum(of_a, 1, of_b, -1, lower->arena);
    Cover cover = {.x = difference, .form = form_loose(form_of_x, DBL_EPSILON * reach)};
    ScanPlan *scan = scan_of(lower, cover);
    double *x = ARENA_ARRAY(lower->arena, 5, double), *value = ARENA_ARRAY(lower->arena, 5, double);
    const double at[5] = {-reach, -gap, 0, gap, reach};
    for (int k = 0; k < 5; k++) {
        x[k] = at[k];
        value[k] = op_compare(node.op, atom_float(at[k]), atom_float(0));
    }
    TableOutput output = {.node = id, .x = x, .value = value, .points = 5};
    if (reach <= gap) output.x++, output.value++, output.points = 3;
    *form = add_scan_output(lower, scan, output);
    return true;
}
