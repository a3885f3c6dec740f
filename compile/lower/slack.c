#include "compile/lower/slack.h"

#include "compile/lower/context.h"
#include "compile/values/numbers.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { MOST_PAIRS = 20000 };
/* Slack up to this share of a gap leaves the rest to the model's own errors. */
static const double SHARE = 1.0 / 16, CAREFUL_SHARE = 0x1p-30;

double slack_size(Lower *lower, NodeId node) {
    const NodeValues *v = values_of(lower->values, node);
    double size = 0;
    for (uint32_t k = 0; v && k < v->count; k++)
        size = fmax(size, fabs(feature_number(v->levels[k]))); /* fmax drops NANs */
    return size;
}

static bool all_integral(const NodeValues *v) {
    for (uint32_t k = 0; k < v->count; k++)
        if (!atom_is_integral(v->levels[k])) return false;
    return true;
}

bool slack_whole(Lower *lower, NodeId a, NodeId b) {
    const NodeValues *x = values_of(lower->values, a), *y = values_of(lower->values, b);
    return x && y && slack_size(lower, a) + slack_size(lower, b) <= 0x1p53 && all_integral(x) &&
           all_integral(y);
}

double sum_slack(Lower *lower, NodeId a, NodeId b, double sign, NodeId node) {
    const NodeValues *x = values_of(lower->values, a), *y = values_of(lower->values, b);
    if (!x || !y) return INFINITY;
    if (slack_whole(lower, a, b)) return 0;
    if ((double)x->count * y->count > MOST_PAIRS) return DBL_EPSILON * slack_size(lower, node);
    double most = 0;
    for (uint32_t i = 0; i < x->count; i++)
        for (uint32_t j = 0; j < y->count; j++) {
            double lost =
                sum_lost(feature_number(x->levels[i]), sign * feature_number(y->levels[j]));
            if (isfinite(lost)) most = fmax(most, fabs(lost)); /* else no value of the node */
        }
    return most;
}

double slack_of_form(Lower *lower, Form form) {
    double slack = form.slack;
    for (uint32_t k = 0; k < form.count; k++)
        if (form.terms[k].error > 0)
            slack += form.terms[k].error * slack_size(lower, lower->part[form.terms[k].part].node);
    return slack;
}

static int by_number(const void *a, const void *b) {
    return number_order(&(double){atom_double(*(const Atom *)a)},
                        &(double){atom_double(*(const Atom *)b)});
}

/* The least distance of two values that may not be joined. */
static double least_gap(Lower *lower, NodeId node) {
    const NodeValues *v = values_of(lower->values, node);
    Arena *scratch = arena_child(lower->arena);
    Atom *sorted = ARENA_ARRAY(scratch, v->count, Atom);
    double gap = INFINITY;
    for (uint32_t k = 0; k < v->count; k++) sorted[k] = v->levels[k];
    qsort(sorted, v->count, sizeof *sorted, by_number);
    for (uint32_t k = 1; k < v->count; k++)
        if (!values_joinable(lower->values, node, sorted[k - 1], sorted[k]))
            gap = fmin(gap, atom_double(sorted[k]) - atom_double(sorted[k - 1]));
    arena_free(scratch);
    return gap;
}

bool slack_fits(Lower *lower, NodeId node, double slack) {
    if (slack == 0) return true;
    return slack <=
           least_gap(lower, node) * (lower->options.care == LOWER_CAREFUL ? CAREFUL_SHARE : SHARE);
}

bool slack_folds(Lower *lower, NodeId id, double *slack) {
    Node node = *graph_node(values_graph(lower->values), id);
    if (node.kind != NODE_MAP || (node.op != OP_ADD && node.op != OP_SUB)) return false;
    NodeId of[3] = {node.arg[0], node.arg[1], id};
    for (int k = 0; k < 3; k++) {
        const NodeValues *v = values_of(lower->values, of[k]);
        if (!v || !values_numeric(v)) return false;
    }
    *slack = sum_slack(lower, of[0], of[1], node.op == OP_ADD ? 1 : -1, id);
    double arguments = slack_expected(lower, of[0]) + slack_expected(lower, of[1]);
    return slack_fits(lower, id, *slack + arguments);
}

double slack_expected(Lower *lower, NodeId id) {
    if (lower_is_known(lower, id)) return slack_of_form(lower, lower->feature[id].form);
    const NodeValues *v = values_of(lower->values, id);
    if (!v || v->count < 2 || v->source_count < 2) return 0;
    lower->expected = arena_grow(lower->arena, lower->expected, &lower->expected_capacity,
                                 (size_t)id + 1, sizeof *lower->expected);
    if (lower->expected[id].known) return lower->expected[id].slack;
    double own, slack = 0;
    if (slack_folds(lower, id, &own)) {
        Node node = *graph_node(values_graph(lower->values), id);
        slack = own + slack_expected(lower, node.arg[0]) + slack_expected(lower, node.arg[1]);
    }
    lower->expected = arena_grow(lower->arena, lower->expected, &lower->expected_capacity,
                                 (size_t)id + 1, sizeof *lower->expected);
    lower->expected[id] = (Expected){true, slack};
    return slack;
}
