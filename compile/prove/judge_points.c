/* What the claimed outputs of a table are at each value of x: by their joint values; where there
 * are too many, by the sign of a difference. */
#include "compile/prove/judge_tables.h"

#include <stdlib.h>

static int by_x(const void *a, const void *b) {
    const Point *p = a, *q = b;
    if (p->x != q->x) return (p->x > q->x) - (p->x < q->x);
    return (p->value > q->value) - (p->value < q->value);
}

static void sort_points(Points *p) {
    size_t kept = 0;
    qsort(p->at, p->count, sizeof *p->at, by_x);
    for (size_t k = 0; k < p->count; k++)
        if (k == 0 || by_x(&p->at[k], &p->at[kept - 1]) != 0) p->at[kept++] = p->at[k];
    p->count = kept;
}

/* Is the output one number at each x, as far as its values can be told apart? */
static bool is_function(const Points *p, double gap) {
    for (size_t k = 1; k < p->count; k++)
        if (p->at[k].x == p->at[k - 1].x && p->at[k].value - p->at[k - 1].value >= gap / 2)
            return false;
    return true;
}

/* From the joint values of the output and of a form that is t->scale * x + t->constant, but for
 * its slack. */
static bool points_of(Reader *t, const Linear *l, double scale, double constant, NodeId node,
                      Points *p) {
    Judge *j = t->j;
    FormRows rows;
    if (!form_rows(j, l, node, &rows)) return false;
    *p = (Points){.at = ARENA_ARRAY(j->arena, rows.count, Point), .count = rows.count};
    double off = 0;
    for (size_t r = 0; r < rows.count; r++) {
        double less = rows.form[r] - constant, x = less / scale;
        off = worse(off, fabs(sum_lost(rows.form[r], -constant)) + fabs(fma(x, scale, -less)));
        p->at[r] = (Point){x, rows.node[r]};
    }
    t->slack = worse(t->slack, (rows.lost + off + l->slack) / fabs(scale));
    sort_points(p);
    return is_function(p, node_gap(j, node));
}

/* From the values of x. */
static bool points_by_x(Reader *t, NodeId node, Points *p) {
    const Linear x = {.term = &(Term){judge_name(t->j, t->claim->x), 1}, .count = 1};
    return points_of(t, &x, 1, 0, node, p);
}

/* From those of all that the units read. */
static bool points_by_terms(Reader *t, NodeId node, Points *p) {
    return points_of(t, &t->direct, t->scale, t->constant, node, p);
}

static double *sorted_numbers(Judge *j, const NodeValues *v) {
    double *number = ARENA_ARRAY(j->arena, v->count, double);
    for (uint32_t k = 0; k < v->count; k++) number[k] = level_number(v, k);
    qsort(number, v->count, sizeof *number, number_order);
    return number;
}

/* The least distance of two different values, and the greatest of any; *lost: bound on what
 * rounding these lost. */
static double least_difference(Judge *j, NodeId a, NodeId b, double *reach, double *lost) {
    const NodeValues *v = values_of(j->values, a), *w = values_of(j->values, b);
    double *x = sorted_numbers(j, v), *y = sorted_numbers(j, w), gap = INFINITY;
    *reach = fmax(fabs(x[v->count - 1] - y[0]), fabs(y[w->count - 1] - x[0]));
    *lost = fmax(fabs(sum_lost(x[v->count - 1], -y[0])), fabs(sum_lost(y[w->count - 1], -x[0])));
    for (uint32_t i = 0, k = 0; i < v->count; i++) {
        while (k < w->count && y[k] < x[i]) k++;
        for (uint32_t m = k ? k - 1 : 0; m < w->count && m <= k + 1; m++) {
            if (x[i] == y[m]) continue;
            gap = fmin(gap, fabs(x[i] - y[m]));
            *lost = fmax(*lost, fabs(sum_lost(x[i], -y[m])));
        }
    }
    return gap;
}

/* A comparison of the two s-ops whose difference x is, which have too many values for pairs: at
 * the ends of what the difference can be, and at each bend between. */
static bool points_by_sign(Reader *t, NodeId node, Points *p) {
    Judge *j = t->j;
    Node n = *graph_node(j->graph, node);
    double reach, lost;
    if (n.kind != NODE_MAP || !(ops[n.op].flags & OP_COMPARES)) return false;
    for (int k = 0; k < 2; k++) {
        const NodeValues *v = values_of(j->values, n.arg[k]);
        if (!v || !values_numeric(v) || v->count == 0) return false;
    }
    Linear x = linear_add(j, linear_node(j, n.arg[0], 1), -1, linear_node(j, n.arg[1], 1));
    Affine rest = solve_constant(j, linear_add(j, t->direct, -t->scale, x));
    double slack = (rest.slack + fabs(rest.constant - t->constant)) / fabs(t->scale);
    double gap = least_difference(j, n.arg[0], n.arg[1], &reach, &lost);
    slack += lost;
    if (!(slack < gap / 2) || gap == INFINITY) return false;
    t->slack = worse(t->slack, slack);
    p->at = ARENA_ARRAY(j->arena, (size_t)t->shape.unit_count + 5, Point);
    p->sign = true;
    const double at[5] = {-reach, -gap, 0, gap, reach};
    for (int k = 0; k < 5; k++) p->at[p->count++] = (Point){at[k], 0};
    for (uint32_t u = 0; u < t->shape.unit_count; u++)
        if (fabs(t->unit[u].at) > gap && fabs(t->unit[u].at) < reach)
            p->at[p->count++] = (Point){t->unit[u].at, 0};
    for (size_t k = 0; k < p->count; k++)
        p->at[k].value = op_compare(n.op, atom_float(p->at[k].x), atom_float(0));
    sort_points(p);
    return true;
}

bool find_points(Reader *t) {
    Judge *j = t->j;
    t->points = ARENA_ARRAY(j->arena, t->claim->output_count, Points);
    for (uint32_t o = 0; o < t->claim->output_count; o++) {
        NodeId claimed = t->claim->outputs[o].node, node = judge_name(j, claimed);
        if (points_by_lines(t, node, &t->points[o])) continue;
        const NodeValues *v = values_of(j->values, node);
        if (!v || !values_numeric(v)) return judge_refuse(j, claimed, "it is no number");
        if (!points_by_x(t, node, &t->points[o]) && !points_by_terms(t, node, &t->points[o]) &&
            !points_by_sign(t, node, &t->points[o]))
            return judge_refuse(j, claimed, "it is not shown to be a function of %s",
                                judge_text(j, t->claim->x));
    }
    return true;
}

double value_at(const Points *p, double x) {
    size_t low = 0, high = p->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (p->at[middle].x < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->count && p->at[low].x == x ? p->at[low].value : NAN;
}
