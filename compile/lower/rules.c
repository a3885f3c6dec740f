/* Which rule makes a feature: the first that applies. */
#include "compile/lower/rules.h"

#include "compile/lower/slack.h"
#include "compile/values/numbers.h"

#include <float.h>
#include <math.h>

enum { MAX_NESTING = 2000 };

/* The one argument that is not constant, or NODE_NONE. */
static NodeId only_argument(const Graph *graph, const Node *node) {
    NodeId only = NODE_NONE;
    for (int k = 0; k < node->arity; k++) {
        if (graph_node(graph, node->arg[k])->kind == NODE_CONSTANT || node->arg[k] == only)
            continue;
        if (only != NODE_NONE) return NODE_NONE;
        only = node->arg[k];
    }
    return only;
}

/* The most that a * x + b, in real arithmetic, is from the function's value. */
static double affine_slack(const NodeValues *v, const double *vector, double a, double b) {
    double most = 0;
    for (uint32_t k = 0; k < v->count; k++) {
        double x = feature_number(v->levels[k]), product = a * x, sum = product + b;
        double lost = fma(a, x, -product) + sum_lost(product, b);
        most = fmax(most, fabs((sum - vector[k]) + lost));
    }
    return most * (1 + 4 * DBL_EPSILON);
}

/* f = a * argument + b on all its values. */
static bool feature_affine(Lower *lower, NodeId id, Form *form) {
    const Graph *graph = values_graph(lower->values);
    const Node *node = graph_node(graph, id);
    if (node->kind != NODE_MAP && node->kind != NODE_LOOKUP) return false;
    NodeId argument = only_argument(graph, node);
    if (argument == NODE_NONE) return false;
    const NodeValues *v = values_of(lower->values, argument);
    if (!v || !values_numeric(v) || v->count < 2) return false;
    double *vector;
    bool complete;
    if (!function_vector(lower, argument, id, &vector, &complete) || !complete) return false;
    double x0 = feature_number(v->levels[0]), x1 = feature_number(v->levels[1]);
    double a = (vector[1] - vector[0]) / (x1 - x0), b = vector[0] - a * x0;
    if (!isfinite(a) || !isfinite(b) || a == 0) return false;
    for (uint32_t k = 0; k < v->count; k++) {
        double x = feature_number(v->levels[k]), error = fabs(a * x + b - vector[k]);
        if (!(error <= 1e-14 * (fabs(a * x) + fabs(b) + fabs(vector[k])))) return false;
    }
    double slack = affine_slack(v, vector, a, b);
    if (!slack_fits(lower, id, slack + fabs(a) * slack_expected(lower, argument))) return false;
    Form of_argument;
    if (!lower_feature(lower, argument, &of_argument)) return false;
    *form = form_loose(form_affine(of_argument, a, b, lower->arena), slack);
    return true;
}

static bool numeric_node(Lower *lower, NodeId id) {
    const NodeValues *v = values_of(lower->values, id);
    return v && values_numeric(v);
}

/* Sums, differences and multiples of numbers, where that is no dearer than a table. */
static bool feature_sum(Lower *lower, NodeId id, Form *form) {
    const Node *node = graph_node(values_graph(lower->values), id);
    if (node->kind != NODE_MAP || (node->op != OP_ADD && node->op != OP_SUB)) return false;
    NodeId a = node->arg[0], b = node->arg[1];
    double sign = node->op == OP_ADD ? 1 : -1, slack;
    if (!slack_folds(lower, id, &slack)) return false;
    Form of_a, of_b;
    if (!lower_feature(lower, a, &of_a) || !lower_feature(lower, b, &of_b)) return false;
    *form = form_loose(form_sum(of_a, 1, of_b, sign, lower->arena), slack);
    return slack_fits(lower, id, slack_of_form(lower, *form));
}

/* The most that `sum`, b + (a - b) or b + 0 step by step in doubles, is from the choice of a and b:
 * nothing between whole numbers, else on all joint values, or by size where those are too many. */
static double choice_slack(Lower *lower, NodeId choice, NodeId sum, NodeId a, NodeId b) {
    Rows rows;
    double most = 0;
    if (slack_whole(lower, a, b)) return 0;
    if (!values_rows(lower->values, (NodeId[]){choice, sum}, 2, UINT32_MAX, &rows))
        return 2 * DBL_EPSILON * (slack_size(lower, a) + slack_size(lower, b));
    const NodeValues *x = values_of(lower->values, choice), *y = values_of(lower->values, sum);
    for (size_t r = 0; r < rows.row_count; r++)
        most = fmax(most, fabs(feature_number(x->levels[rows.level[2 * r]]) -
                               feature_number(y->levels[rows.level[2 * r + 1]])));
    return most * (1 + DBL_EPSILON);
}

/* `a if c else b` of numbers is b + (a - b if c else 0): one gate instead of a table, where that is
 * cheaper or there are too many combinations for one. */
static bool feature_choice(Lower *lower, NodeId id, Form *form) {
    Graph *graph = values_graph(lower->values);
    Node node = *graph_node(graph, id);
    if (node.kind != NODE_MAP || node.op != OP_IF) return false;
    NodeId c = node.arg[0], a = node.arg[1], b = node.arg[2];
    Span span = node.span;
    if (graph_node(graph, b)->kind == NODE_CONSTANT) return false;
    if (!numeric_node(lower, a) || !numeric_node(lower, b)) return false;
    NodeId zero = graph_constant(graph, atom_int(0), SPAN_NONE);
    NodeId difference = graph_map(graph, OP_SUB, (NodeId[]){a, b}, span);
    NodeId gated = graph_map(graph, OP_IF, (NodeId[]){c, difference, zero}, span);
    if (!values_of(lower->values, gated)) return false;
    NodeId sum = graph_map(graph, OP_ADD, (NodeId[]){b, gated}, span);
    bool dear = cover_cost(lower, b) + cover_cost(lower, gated) >= cover_cost(lower, id);
    if (dear && cover_is_small(lower, node.arg, (uint32_t)node.arity)) return false;
    if (!values_of(lower->values, sum)) return false;
    double slack = choice_slack(lower, id, sum, a, b);
    if (!slack_fits(lower, id, slack + slack_expected(lower, sum))) return false;
    if (!lower_feature(lower, sum, form)) return false;
    *form = form_loose(*form, slack);
    return slack_fits(lower, id, slack_of_form(lower, *form));
}

/* What no double holds can be told apart and moved, but is no number to compute with. */
static bool fail_symbol(Lower *lower, NodeId id, const NodeValues *v) {
    uint32_t k = 0;
    while (number_is_exact(v->levels[k])) k++;
    return lower_fail(lower, id, "takes the value %s, with which the weights cannot compute (%s)",
                      atom_show(v->levels[k], ATOM_LISTED, lower->arena),
                      v->levels[k].kind == ATOM_INT ? "whole numbers are exact up to 2^53"
                                                    : "it is no finite number");
}

static bool make_feature(Lower *lower, NodeId id, Form *form) {
    Graph *graph = values_graph(lower->values);
    const NodeValues *v = values_of(lower->values, id);
    const WholeSum *sum = values_whole_sum(lower->values, id);
    if (sum) return feature_whole_sum(lower, id, sum, form);
    if (!v) return lower_fail_values(lower);
    if (!values_numeric(v)) return fail_symbol(lower, id, v);
    if (v->count <= 1) {
        *form = form_constant(v->count ? feature_number(v->levels[0]) : 0);
        return true;
    }
    NodeId source = v->source_count == 1 ? v->sources[0] : NODE_NONE;
    NodeKind kind = source == NODE_NONE ? NODE_CONSTANT : graph_node(graph, source)->kind;
    if (kind == NODE_TOKENS) return embed_token(lower, id, source, form);
    if (values_by_position(lower->values, id)) return embed_position(lower, id, form);
    if (kind == NODE_WIDTH && reciprocal_of(lower, id) == source)
        return attend(lower, id, graph_node(graph, source)->arg[0], HEAD_COUNT, false,
                      form_constant(0), 1, form);
    if (kind == NODE_AGGREGATE && feature_counted(lower, id, source, form)) return true;
    if (lower->error.message[0]) return false;
    if (feature_affine(lower, id, form)) return true;
    if (lower->error.message[0]) return false;
    if (kind == NODE_AGGREGATE && id == source) return feature_aggregate(lower, id, form);
    if (kind == NODE_AGGREGATE && values_moves(lower->values, source))
        return feature_moved(lower, id, source, form);
    if (kind == NODE_AGGREGATE && !values_numeric(values_of(lower->values, source)))
        return feature_mixed(lower, id, source, form);
    if (kind == NODE_WIDTH && feature_width(lower, id, source, form)) return true;
    if (feature_sum(lower, id, form)) return true;
    if (feature_choice(lower, id, form)) return true;
    if (lower->error.message[0]) return false;
    if (feature_remainder(lower, id, form)) return true;
    if (lower->error.message[0]) return false;
    if (feature_sign(lower, id, form)) return true;
    if (lower->error.message[0]) return false;
    return feature_scan(lower, id, form);
}

bool lower_is_known(const Lower *lower, NodeId id) {
    return id < lower->feature_capacity && lower->feature[id].known;
}

bool lower_feature(Lower *lower, NodeId id, Form *form) {
    lower->feature = arena_grow(lower->arena, lower->feature, &lower->feature_capacity,
                                (size_t)id + 1, sizeof *lower->feature);
    if (!lower->feature[id].known) {
        Form made = form_constant(0);
        budget_poll(arena_budget(lower->arena));
        if (lower->error.message[0]) return false;
        if (lower->nesting >= MAX_NESTING)
            return lower_fail(lower, id, "expression too deep: more than %d tables in one another",
                              MAX_NESTING);
        lower->nesting++;
        bool done = make_feature(lower, id, &made);
        lower->nesting--;
        if (!done)
            return lower_fail(lower, id, "depends on whether equal numbers are ints or floats");
        lower->feature = arena_grow(lower->arena, lower->feature, &lower->feature_capacity,
                                    (size_t)id + 1, sizeof *lower->feature);
        lower->feature[id] = (Feature){.known = true, .form = made};
    }
    *form = lower->feature[id].form;
    return true;
}
