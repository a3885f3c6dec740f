/* Is one number another?  In this order: terms cancel; sums, affine images and choices are taken
 * apart until they do; widths cancel key by key; what is left is tried on all joint values. */
#include "compile/prove/judge_private.h"
#include "compile/values/remainders.h"

#include <stdlib.h>

static const double MANY_PAIRS = 20000;

/* --- taking apart --------------------------------------------------------------------- */

static bool numeric(Judge *j, NodeId node) {
    double least, most;
    if (values_unlisted(j->values, node, &least, &most)) return true;
    const NodeValues *v = values_of(j->values, node);
    return v && values_numeric(v);
}

/* What rounding the sum of two s-ops can lose. */
static double sum_slack(Judge *j, NodeId a, NodeId b, double sign, NodeId node) {
    const NodeValues *x = values_of(j->values, a), *y = values_of(j->values, b);
    double most = 0;
    bool whole = node_size(j, a) + node_size(j, b) <= 0x1p53;
    if (!x || !y) return DBL_EPSILON * node_size(j, node);
    for (uint32_t k = 0; k < x->count && whole; k++) whole = atom_is_integral(x->levels[k]);
    for (uint32_t k = 0; k < y->count && whole; k++) whole = atom_is_integral(y->levels[k]);
    if (whole) return 0;
    if ((double)x->count * y->count > MANY_PAIRS) return DBL_EPSILON * node_size(j, node);
    for (uint32_t k = 0; k < x->count; k++)
        for (uint32_t m = 0; m < y->count; m++) {
            double lost = sum_lost(level_number(x, k), sign * level_number(y, m));
            if (isfinite(lost)) most = fmax(most, fabs(lost));
        }
    return most;
}

static bool open_sum(Judge *j, NodeId node, const Node *n, Linear *sum) {
    if (n->kind != NODE_MAP || (n->op != OP_ADD && n->op != OP_SUB)) return false;
    if (!numeric(j, n->arg[0]) || !numeric(j, n->arg[1])) return false;
    double sign = n->op == OP_ADD ? 1 : -1;
    *sum = linear_add(j, linear_node(j, n->arg[0], 1), sign, linear_node(j, n->arg[1], 1));
    sum->slack += sum_slack(j, n->arg[0], n->arg[1], sign, node);
    return true;
}

/* The one argument that varies, or NODE_NONE. */
static NodeId only_argument(const Judge *j, const Node *n) {
    NodeId only = NODE_NONE;
    for (int k = 0; k < n->arity; k++) {
        if (graph_node(j->graph, n->arg[k])->kind == NODE_CONSTANT || n->arg[k] == only) continue;
        if (only != NODE_NONE) return NODE_NONE;
        only = n->arg[k];
    }
    return only;
}

/* node = a * argument + b on all values. */
static bool open_affine(Judge *j, NodeId node, const Node *n, Linear *sum) {
    NodeId arg = only_argument(j, n);
    FormRows rows;
    if (arg == NODE_NONE || !numeric(j, arg) || !numeric(j, node)) return false;
    const Linear one = {.term = &(Term){node, 1}, .count = 1};
    if (!form_rows(j, &one, arg, &rows) || rows.count < 2) return false;
    Affine fit = fit_affine(rows.node, rows.form, rows.count);
    if (!(fit.slack <= 1e-13 * (node_size(j, node) + fabs(fit.constant)))) return false;
    *sum = linear_affine(j, fit, arg);
    return true;
}

/* A remainder as it is computed where there are too many pairs of values for a table. */
static bool open_remainder(Judge *j, NodeId node, const Node *n, Linear *sum) {
    NodeId term[REMAINDER_MOST];
    uint32_t count;
    if (!values_remainder(j->values, node, term, &count)) return false;
    *sum = linear_node(j, n->arg[0], 1);
    for (uint32_t k = 0; k < count; k++) *sum = linear_add(j, *sum, -1, linear_node(j, term[k], 1));
    return true;
}

static bool has_term(const Linear *l, NodeId node, double *factor) {
    for (uint32_t k = 0; k < l->count; k++)
        if (l->term[k].node == node) {
            *factor = l->term[k].factor;
            return true;
        }
    return false;
}

/* `a if c else b` is b + (a - b if c else 0), where somebody has computed that; of a mean that
 * counts, the difference goes by the width. */
static bool open_choice(Judge *j, const Linear *l, NodeId node, const Node *n, Linear *sum) {
    if (n->kind != NODE_MAP || n->op != OP_IF) return false;
    NodeId a = n->arg[1], b = n->arg[2], zero = graph_constant(j->graph, atom_int(0), SPAN_NONE);
    if (!numeric(j, a) || !numeric(j, b)) return false;
    NodeId difference = graph_map(j->graph, OP_SUB, (NodeId[]){a, b}, n->span);
    NodeId as[] = {difference, node_by_width(j, difference)};
    double f, g;
    if (!has_term(l, node, &f)) return false;
    for (int k = 0; k < 2; k++) {
        NodeId gate = graph_map(j->graph, OP_IF, (NodeId[]){n->arg[0], as[k], zero}, n->span);
        gate = judge_name(j, gate);
        if (!has_term(l, gate, &g) || f * g > 0 || !numeric(j, gate)) continue;
        *sum = linear_add(j, linear_node(j, b, 1), 1, linear_node(j, gate, 1));
        sum->slack += sum_slack(j, a, b, -1, difference);
        return true;
    }
    return false;
}

/* Replaces one term, the last that can be taken apart. */
static bool open_one(Judge *j, Linear *l) {
    for (uint32_t k = l->count; k-- > 0;) {
        NodeId node = l->term[k].node;
        Node n = *graph_node(j->graph, node);
        Linear sum, rest = *l;
        if (!is_elementwise(j, node)) continue;
        if (!open_choice(j, l, node, &n, &sum) && !open_remainder(j, node, &n, &sum) &&
            !open_sum(j, node, &n, &sum) && !open_affine(j, node, &n, &sum))
            continue;
        Term *term = ARENA_ARRAY(j->arena, l->count, Term);
        rest.term = term;
        rest.count = 0;
        for (uint32_t m = 0; m < l->count; m++)
            if (m != k) term[rest.count++] = l->term[m];
        *l = linear_add(j, rest, l->term[k].factor, sum);
        return true;
    }
    return false;
}

static Linear open_all(Judge *j, Linear l) {
    while (l.count && open_one(j, &l)) budget_poll(arena_budget(j->arena));
    return l;
}

/* --- trying all ----------------------------------------------------------------------- */

/* The least and most of the form on all joint values. */
static bool range_of(Judge *j, const Linear *l, double *least, double *most, double *lost) {
    FormRows rows;
    if (!form_rows(j, l, NODE_NONE, &rows)) return false;
    *least = INFINITY, *most = -INFINITY, *lost = rows.lost;
    for (size_t r = 0; r < rows.count; r++) {
        if (isnan(rows.form[r])) return false;
        *least = fmin(*least, rows.form[r]), *most = fmax(*most, rows.form[r]);
    }
    if (rows.count == 0) *least = *most = 0;
    return true;
}

/* Do two s-ops depend on a common source? */
static bool share_source(Judge *j, NodeId a, NodeId b) {
    const NodeValues *v = values_of(j->values, a), *w = values_of(j->values, b);
    for (uint32_t k = 0; v && w && k < v->source_count; k++)
        for (uint32_t m = 0; m < w->source_count; m++)
            if (v->sources[k] == w->sources[m]) return true;
    return false;
}

/* Takes the first term, and those that depend on what it depends on, out of the form. */
static Linear take_together(Judge *j, Linear *l) {
    Term *taken = ARENA_ARRAY(j->arena, l->count, Term);
    Term *left = ARENA_ARRAY(j->arena, l->count, Term);
    bool *in = ARENA_ARRAY(j->arena, l->count, bool), grown = true;
    Linear some = {.term = taken}, rest = *l;
    in[0] = true;
    while (grown) {
        grown = false;
        for (uint32_t k = 0; k < l->count; k++)
            for (uint32_t m = 0; m < l->count && !in[k]; m++)
                if (in[m] && share_source(j, l->term[m].node, l->term[k].node))
                    grown = in[k] = true;
    }
    rest.term = left;
    rest.count = 0;
    for (uint32_t k = 0; k < l->count; k++)
        if (in[k])
            taken[some.count++] = l->term[k];
        else
            left[rest.count++] = l->term[k];
    *l = rest;
    return some;
}

/* All terms together, else those that have to do with each other, else each by itself. */
static void find_range(Judge *j, Linear l, double *least, double *most, double *lost) {
    if (range_of(j, &l, least, most, lost)) return;
    *least = *most = l.constant, *lost = 0;
    while (l.count) {
        Linear some = take_together(j, &l);
        double low, high, off;
        if (!range_of(j, &some, &low, &high, &off)) {
            high = linear_size(j, &some);
            low = -high;
            off = 0;
        }
        *least += low, *most += high, *lost += off;
    }
    *lost += 64 * DBL_EPSILON * (fabs(*least) + fabs(*most));
}

Affine solve_constant(Judge *j, Linear l) {
    double least, most, lost = 0;
    if (l.count) l = open_all(j, l);
    if (l.count) l = widths_drop(j, l);
    least = most = l.constant;
    if (l.count) find_range(j, l, &least, &most, &lost);
    Affine a = {.constant = least == most ? least : least + (most - least) / 2,
                .slack = l.slack + lost + (most - least)};
    if (isnan(a.slack) || !isfinite(a.constant)) a.slack = INFINITY;
    return a;
}

/* --- affine --------------------------------------------------------------------------- */

/* A number with few digits that floats may have made `a` of. */
static double few_digits(double a) {
    double few = rint(a * 0x1p10) * 0x1p-10;
    return fabs(few - a) <= 0x1p-20 * fabs(a) ? few : a;
}

/* Scales that terms are likely to have in common are preferred: with others they do not cancel. */
Affine fit_affine(const double *x, const double *y, size_t count) {
    size_t low = 0, high = 0;
    for (size_t k = 1; k < count; k++) {
        if (x[k] < x[low]) low = k;
        if (x[k] > x[high]) high = k;
    }
    double a = count && x[high] > x[low] ? (y[high] - y[low]) / (x[high] - x[low]) : 0;
    const double try_a[] = {1, a == 0 ? 1 : copysign(exp2(round(log2(fabs(a)))), a), few_digits(a),
                            a};
    const double better[] = {1, 4, 4, 256};
    Affine best = {.slack = INFINITY};
    for (int t = 0; t < 4; t++) {
        double b = count ? y[low] - try_a[t] * x[low] : 0, off = 0;
        if (t < 2 && fabs(b) <= 0x1p-7 * fabs(y[low])) b = 0;
        for (size_t k = 0; k < count; k++) {
            double p = try_a[t] * x[k], lost = fma(try_a[t], x[k], -p) + sum_lost(p, b);
            off = worse(off, fabs((p + b - y[k]) + lost));
        }
        if (!isnan(off) && off < best.slack / better[t]) best = (Affine){try_a[t], b, off};
    }
    best.slack *= 1 + 4 * DBL_EPSILON;
    return best;
}

/* Do the terms say by how much one form is a multiple of another?  Those of one s-op do, and those
 * of widths may: disjoint selectors' add up to their union's. */
static bool same_measure(const Judge *j, NodeId a, NodeId b) {
    return a == b || (graph_node(j->graph, a)->kind == NODE_WIDTH &&
                      graph_node(j->graph, b)->kind == NODE_WIDTH);
}

static void try_scale(Judge *j, Linear l, double scale, Linear e, Affine *best) {
    Affine a = solve_constant(j, linear_add(j, l, -scale, e));
    a.scale = scale;
    if (a.slack < best->slack) *best = a;
}

/* By the factors of terms, once taken apart. */
static void try_factors(Judge *j, Linear l, Linear e, Affine *best) {
    Linear a = open_all(j, l), b = open_all(j, e);
    double last = 1;
    for (uint32_t k = b.count; k-- > 0;)
        for (uint32_t m = 0; m < a.count && best->slack > 0; m++) {
            double factor = a.term[m].factor / b.term[k].factor;
            if (!same_measure(j, a.term[m].node, b.term[k].node) || factor == last) continue;
            try_scale(j, l, factor, e, best);
            last = factor;
        }
}

/* By all joint values of the form and the node. */
static void try_rows(Judge *j, Linear l, NodeId node, Affine *best) {
    FormRows rows;
    if (!form_rows(j, &l, node, &rows) || rows.count == 0) return;
    Affine a = fit_affine(rows.node, rows.form, rows.count);
    a.slack += rows.lost + l.slack;
    if (a.scale != 0 && a.slack < best->slack) *best = a;
}

Affine solve_affine(Judge *j, Linear l, NodeId node) {
    Linear e = linear_node(j, node, 1);
    Affine best = {.scale = 1, .slack = INFINITY};
    if (!numeric(j, node)) return best;
    try_scale(j, l, 1, e, &best);
    if (best.slack == 0 || e.count == 0) return best;
    try_factors(j, l, e, &best);
    if (!(best.slack < 0x1p-20 * node_gap(j, node) * fabs(best.scale)))
        try_rows(j, l, e.term[0].node, &best);
    return best;
}

double node_gap(Judge *j, NodeId node) {
    double gap = INFINITY, least, most, longest = j->claims->domain.max_length;
    const WholeSum *sum = values_whole_sum(j->values, node);
    if (values_unlisted(j->values, node, &least, &most)) /* means of whole numbers */
        return sum ? (double)sum->step : 1 / (longest * longest);
    const NodeValues *v = values_of(j->values, node);
    if (!v || !values_numeric(v)) return 0;
    Arena *scratch = arena_child(j->arena);
    double *number = ARENA_ARRAY(scratch, v->count, double);
    for (uint32_t k = 0; k < v->count; k++) number[k] = level_number(v, k);
    qsort(number, v->count, sizeof *number, number_order);
    for (uint32_t k = 1; k < v->count; k++)
        if (!numbers_near(number[k - 1], number[k])) gap = fmin(gap, number[k] - number[k - 1]);
    arena_free(scratch);
    return gap;
}
