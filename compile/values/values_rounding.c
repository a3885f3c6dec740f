/* How far doubles that were computed step by step can be from real arithmetic. */
#include "compile/values/numbers.h"
#include "compile/values/values_private.h"

#include <float.h>

static const double UNIT = DBL_EPSILON / 2;

typedef struct Range {
    double least, most; /* of the absolute values */
    bool floats;
} Range;

static Range range_of(const NodeValues *v) {
    Range range = {INFINITY, 0, false};
    for (uint32_t k = 0; k < v->count; k++) {
        if (!number_is_exact(v->levels[k])) continue;
        double size = fabs(atom_double(v->levels[k]));
        range.floats |= v->levels[k].kind == ATOM_FLOAT;
        range.least = fmin(range.least, size);
        range.most = fmax(range.most, size);
    }
    return range;
}

/* One operator: what its arguments bring along, and its own rounding. */
static double of_map(Values *values, const Node *node, double most) {
    Range arg[OP_MAX_ARITY] = {{0}};
    double r[OP_MAX_ARITY] = {0}, own = UNIT * most;
    for (int k = 0; k < node->arity; k++) {
        const NodeValues *v = values_of(values, node->arg[k]);
        if (!v) return 0;
        r[k] = values_rounding(values, node->arg[k]);
        arg[k] = range_of(v);
    }
    switch (node->op) {
    case OP_ADD:
    case OP_SUB:
        return r[0] + r[1] + own;
    case OP_MUL:
        return arg[0].most * r[1] + arg[1].most * r[0] + own;
    case OP_DIV:
        return arg[1].least > r[1] ? (r[0] + most * r[1]) / (arg[1].least - r[1]) + own : 0;
    case OP_POW:
        return arg[1].least == arg[1].most && arg[1].most >= 1 && r[1] == 0
                   ? arg[1].most * pow(arg[0].most, arg[1].most - 1) * r[0] + own
                   : 0;
    case OP_MOD:
        return r[1] == 0 ? r[0] + own : 0; /* away from where it wraps */
    case OP_NEG:
    case OP_POS:
        return r[0];
    case OP_IF:
        return fmax(r[1], r[2]);
    default:
        return 0;
    }
}

static double compute(Values *values, NodeId id) {
    const NodeValues *v = values_of(values, id);
    if (!v || v->count < 2) return 0;
    Range range = range_of(v);
    Node node = *graph_node(values->graph, id);
    if (!range.floats) return 0;
    if (node.kind == NODE_MAP) return of_map(values, &node, range.most);
    if (node.kind != NODE_AGGREGATE) return 0;
    double value = values_rounding(values, node.arg[1]);
    return values_moves(values, id) ? value : value + UNIT * range.most;
}

double values_rounding(Values *values, NodeId node) {
    Entry *entry = values_entry(values, node);
    if (!entry->rounding_known) {
        double rounding = compute(values, node);
        entry->rounding = rounding;
        entry->rounding_known = true;
    }
    return entry->rounding;
}

bool values_joinable(Values *values, NodeId node, Atom x, Atom y) {
    return atoms_near(x, y) && x.f != y.f && fabs(x.f - y.f) <= 2 * values_rounding(values, node);
}
