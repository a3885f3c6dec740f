/* Linear forms over s-ops, with what is lost on the way. */
#include "compile/prove/judge_private.h"

Linear linear_constant(double constant) {
    return (Linear){.constant = constant};
}

double level_number(const NodeValues *v, uint32_t level) {
    return number_is_exact(v->levels[level]) ? atom_double(v->levels[level]) : NAN;
}

double node_size(Judge *j, NodeId node) {
    double least, most, size = 0;
    if (values_unlisted(j->values, node, &least, &most)) return fmax(fabs(least), fabs(most));
    const NodeValues *v = values_of(j->values, node);
    if (!v) return INFINITY;
    for (uint32_t k = 0; k < v->count; k++) {
        double x = level_number(v, k);
        if (isnan(x)) return INFINITY;
        size = fmax(size, fabs(x));
    }
    return size;
}

Linear linear_node(Judge *j, NodeId node, double factor) {
    node = judge_name(j, node);
    const NodeValues *v = values_of(j->values, node);
    if (factor == 0) return linear_constant(0);
    if (v && v->count <= 1 && (v->count == 0 || number_is_exact(v->levels[0])))
        return linear_constant(v->count ? factor * level_number(v, 0) : 0);
    Term *term = ARENA_NEW(j->arena, Term);
    *term = (Term){node, factor};
    return (Linear){.term = term, .count = 1};
}

/* The sum of two factors.  What two computations of one number leave of it is slack. */
static double add_factors(Judge *j, NodeId node, double a, double b, double *slack) {
    double sum = a + b, size = fabs(a) + fabs(b), lost = fabs(sum_lost(a, b));
    if (fabs(sum) <= 8 * DBL_EPSILON * size) lost += fabs(sum), sum = 0;
    if (lost > 0) *slack += lost * node_size(j, node);
    return sum;
}

Linear linear_add(Judge *j, Linear a, double factor, Linear b) {
    if (factor == 0) return a;
    Term *term = ARENA_ARRAY(j->arena, (size_t)a.count + b.count, Term);
    Linear sum = {.term = term, .slack = a.slack + fabs(factor) * b.slack};
    double product = factor * b.constant;
    sum.constant = a.constant + product;
    sum.slack += fabs(sum_lost(a.constant, product)) + fabs(fma(factor, b.constant, -product));
    for (uint32_t k = 0, m = 0; k < a.count || m < b.count;) {
        bool left = m == b.count || (k < a.count && a.term[k].node <= b.term[m].node);
        bool right = k == a.count || (m < b.count && b.term[m].node <= a.term[k].node);
        NodeId node = left ? a.term[k].node : b.term[m].node;
        double x = left ? a.term[k++].factor : 0, y = 0;
        if (right) {
            double f = b.term[m++].factor, lost;
            y = factor * f;
            lost = fabs(fma(factor, f, -y));
            if (lost > 0) sum.slack += lost * node_size(j, node);
        }
        double total = add_factors(j, node, x, y, &sum.slack);
        if (total != 0) term[sum.count++] = (Term){node, total};
    }
    return sum;
}

Linear linear_affine(Judge *j, Affine a, NodeId node) {
    Linear l = linear_add(j, linear_constant(a.constant), a.scale, linear_node(j, node, 1));
    l.slack += a.slack;
    return l;
}

double linear_at(const Linear *l, const double *number, double *lost) {
    double sum = l->constant, size = fabs(sum), error = 0;
    for (uint32_t k = 0; k < l->count; k++) {
        double product = l->term[k].factor * number[k];
        error += fabs(fma(l->term[k].factor, number[k], -product)) + fabs(sum_lost(sum, product));
        size += fabs(product);
        sum += product;
    }
    *lost = error == 0 ? 0 : error * (1 + 4 * DBL_EPSILON) + 0x1p-96 * size;
    return sum;
}

double linear_size(Judge *j, const Linear *l) {
    double size = fabs(l->constant) + l->slack;
    for (uint32_t k = 0; k < l->count; k++)
        size += fabs(l->term[k].factor) * node_size(j, l->term[k].node);
    return size;
}

bool linear_is_zero(const Linear *l) {
    return l->count == 0 && l->constant == 0 && l->slack == 0;
}
