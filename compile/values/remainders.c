#include "compile/values/remainders.h"

#include "compile/values/numbers.h"

#include <math.h>

static const double FEW_PAIRS = 40000;
static const double LARGEST = 0x1p52;

/* Ints alone, of at least that. */
static bool all_ints(const NodeValues *v, double least) {
    for (uint32_t k = 0; k < v->count; k++) {
        if (v->kinds[k] != IS_INT || !number_is_exact(v->levels[k])) return false;
        double x = atom_double(v->levels[k]);
        if (!(x >= least && x <= LARGEST)) return false;
    }
    return true;
}

/* The greatest, or the least, number of a set; NAN: it is empty. */
static double end_of(Values *values, const NodeValues *v, SetId set, bool greatest) {
    uint32_t count;
    const uint32_t *member = values_set(values, set, &count);
    double end = NAN; /* which fmin and fmax drop */
    for (uint32_t k = 0; k < count; k++) {
        double x = atom_double(v->levels[member[k]]);
        end = greatest ? fmax(end, x) : fmin(end, x);
    }
    return end;
}

/* What the quotient is at most, whatever goes together at a context. */
static double most_quotient(Values *values, const NodeValues *a, const NodeValues *b) {
    double most = 0;
    for (uint32_t c = 0; c < domain_contexts(values_domain(values)); c++) {
        double x = end_of(values, a, a->sets[c], true), y = end_of(values, b, b->sets[c], false);
        if (!isnan(x) && !isnan(y)) most = fmax(most, floor(x / y));
        if (most > REMAINDER_MOST) break;
    }
    return most;
}

bool values_remainder(Values *values, NodeId node, NodeId term[REMAINDER_MOST], uint32_t *count) {
    Graph *graph = values_graph(values);
    const Node n = *graph_node(graph, node);
    if (n.kind != NODE_MAP || n.op != OP_MOD || values_exact(values)) return false;
    const NodeValues *a = values_of(values, n.arg[0]), *b = values_of(values, n.arg[1]);
    if (!a || !b || (double)a->count * b->count <= FEW_PAIRS) return false;
    if (!all_ints(a, 0) || !all_ints(b, 1)) return false;
    double most = most_quotient(values, a, b);
    if (most > REMAINDER_MOST) return false;
    NodeId zero = graph_constant(graph, atom_int(0), SPAN_NONE);
    for (*count = 0; *count < most; ++*count) {
        NodeId times = graph_constant(graph, atom_int(*count + 1), SPAN_NONE);
        NodeId multiple =
            *count ? graph_map(graph, OP_MUL, (NodeId[]){n.arg[1], times}, n.span) : n.arg[1];
        NodeId reaches = graph_map(graph, OP_GE, (NodeId[]){n.arg[0], multiple}, n.span);
        term[*count] = graph_map(graph, OP_IF, (NodeId[]){reaches, n.arg[1], zero}, n.span);
        if (!values_of(values, term[*count])) return false;
    }
    return true;
}
