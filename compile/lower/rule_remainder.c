/* Remainders by a number that varies, where that is taken off a few times at most: what is left is
 * a difference, a gate for each time that it may be taken off.
 *
 * How often that can be is looked up in the joint values; where there are too many pairs of these,
 * the ends of what goes together tell it (remainders.h). */
#include "compile/lower/rules.h"

#include "compile/lower/slack.h"
#include "compile/values/remainders.h"

#include <math.h>

enum { MOST_ROUNDS = 3 };

/* What (a - a % b) / b is at least, how often b is taken off at least, and how many times more that
 * it can be. */
static bool few_rounds(Lower *lower, NodeId id, const Node *node, double *least, double *more) {
    Graph *graph = values_graph(lower->values);
    NodeId off = graph_map(graph, OP_SUB, (NodeId[]){node->arg[0], id}, node->span);
    NodeId times = graph_map(graph, OP_DIV, (NodeId[]){off, node->arg[1]}, node->span);
    const NodeValues *v = values_of(lower->values, times);
    double low = INFINITY, high = -INFINITY;
    if (!v || !values_numeric(v) || v->count < 2 || v->count > MOST_ROUNDS + 1) return false;
    for (uint32_t k = 0; k < v->count; k++) {
        double x = feature_number(v->levels[k]);
        if (x != trunc(x)) return false;
        low = fmin(low, x), high = fmax(high, x);
    }
    *least = low, *more = high - low;
    return *more <= MOST_ROUNDS;
}

static NodeId multiple(Graph *graph, double factor, NodeId of, Span span) {
    NodeId times = graph_constant(graph, atom_int((int64_t)factor), SPAN_NONE);
    return factor == 1 ? of : graph_map(graph, OP_MUL, (NodeId[]){times, of}, span);
}

static bool few_pairs(Lower *lower, NodeId id, Form *form) {
    Graph *graph = values_graph(lower->values);
    Node node = *graph_node(graph, id);
    NodeId a = node.arg[0], b = node.arg[1], zero = graph_constant(graph, atom_int(0), SPAN_NONE);
    double least, more;
    if (graph_node(graph, b)->kind == NODE_CONSTANT || !slack_whole(lower, a, b)) return false;
    if (!few_rounds(lower, id, &node, &least, &more)) return false;
    NodeId off = multiple(graph, least, b, node.span), rest = a;
    if (least != 0) rest = graph_map(graph, OP_SUB, (NodeId[]){a, off}, node.span);
    if (!values_of(lower->values, rest)) return false;
    NodeId difference = rest;
    double cost = cover_cost(lower, rest);
    for (int k = 1; k <= more; k++) {
        NodeId bound = multiple(graph, k, b, node.span);
        NodeId reached = graph_map(graph, OP_GE, (NodeId[]){rest, bound}, node.span);
        NodeId gate = graph_map(graph, OP_IF, (NodeId[]){reached, b, zero}, node.span);
        if (!values_of(lower->values, gate)) return false;
        cost += cover_cost(lower, gate);
        difference = graph_map(graph, OP_SUB, (NodeId[]){difference, gate}, node.span);
    }
    if (cost >= cover_cost(lower, id) && cover_is_small(lower, node.arg, 2)) return false;
    return values_of(lower->values, difference) && lower_feature(lower, difference, form);
}

/* Whole numbers below 2^53: nothing is rounded. */
static bool many_pairs(Lower *lower, NodeId id, const NodeId *term, uint32_t count, Form *form) {
    NodeId number = graph_node(values_graph(lower->values), id)->arg[0];
    if (!lower_feature(lower, number, form)) return false;
    for (uint32_t k = 0; k < count; k++) {
        Form gate;
        if (!lower_feature(lower, term[k], &gate)) return false;
        *form = form_sum(*form, 1, gate, -1, lower->arena);
    }
    return slack_fits(lower, id, slack_of_form(lower, *form));
}

bool feature_remainder(Lower *lower, NodeId id, Form *form) {
    const Node *node = graph_node(values_graph(lower->values), id);
    NodeId term[REMAINDER_MOST];
    uint32_t count;
    if (node->kind != NODE_MAP || node->op != OP_MOD) return false;
    if (values_remainder(lower->values, id, term, &count))
        return many_pairs(lower, id, term, count, form);
    return few_pairs(lower, id, form);
}
