/* Which kind an s-op's value is of, as an s-op: equal numbers may be ints here and floats there.
 *
 * A kind is the number of its bit (values.h).  An aggregate is the default where its selector
 * selects nothing, the value itself where it selects one key, and a float where it selects
 * several; operators are asked. */
#include "compile/prove/judge_private.h"

enum { MOST_CODES = 1 << 16 };

static Atom kind_number(unsigned bits) {
    return atom_int(__builtin_ctz(bits));
}

static NodeId constant(Judge *j, Atom value) {
    return graph_constant(j->graph, value, SPAN_NONE);
}

static NodeId looked_up(Judge *j, NodeId at, const Atom *key, const Atom *image, uint32_t count) {
    const Lookup *lookup = lookup_new(graph_arena(j->graph), LOOKUP_DICT, key, image, count);
    return graph_lookup(j->graph, lookup, at, SPAN_NONE);
}

static NodeId by_level(Judge *j, NodeId node, const NodeValues *v) {
    Atom *image = ARENA_ARRAY(j->arena, v->count, Atom);
    bool alike = true;
    for (uint32_t k = 0; k < v->count; k++) {
        image[k] = kind_number(v->kinds[k]);
        alike &= v->kinds[k] == v->kinds[0];
    }
    return alike ? constant(j, v->count ? image[0] : atom_int(0))
                 : looked_up(j, node, v->levels, image, v->count);
}

/* By how many keys are selected; `one` stands for where that is 1. */
static NodeId by_width(Judge *j, NodeId width, Atom none, NodeId one) {
    NodeId floats = constant(j, kind_number(IS_FLOAT));
    NodeId many =
        graph_map(j->graph, OP_GT, (NodeId[]){width, constant(j, atom_int(1))}, SPAN_NONE);
    NodeId some =
        graph_map(j->graph, OP_GT, (NodeId[]){width, constant(j, atom_int(0))}, SPAN_NONE);
    NodeId few = graph_map(j->graph, OP_IF, (NodeId[]){some, one, constant(j, none)}, SPAN_NONE);
    return graph_map(j->graph, OP_IF, (NodeId[]){many, floats, few}, SPAN_NONE);
}

static NodeId of_aggregate(Judge *j, const Node *n) {
    const SelectorFacts *facts = values_selector(j->values, n->arg[0]);
    NodeId value = kind_node(j, n->arg[1]);
    if (!facts || value == NODE_NONE) return NODE_NONE;
    Atom none = kind_number(kind_bit(n->atom));
    NodeId width = graph_width(j->graph, n->arg[0], SPAN_NONE);
    bool alike = graph_node(j->graph, value)->kind == NODE_CONSTANT;
    if (alike && !facts->at_most_one) return by_width(j, width, none, value);
    NodeId moved = graph_aggregate(j->graph, n->arg[0], value, none, SPAN_NONE);
    return facts->at_most_one ? moved : by_width(j, width, none, moved);
}

/* level * KIND_COUNT + kind */
static NodeId joint_code(Judge *j, NodeId node, const NodeValues *v, NodeId kind) {
    double *number = ARENA_ARRAY(j->arena, v->count, double);
    for (uint32_t k = 0; k < v->count; k++) number[k] = (double)k * KIND_COUNT;
    NodeId code = node_coded(j, node, number);
    return graph_map(j->graph, OP_ADD, (NodeId[]){code, kind}, SPAN_NONE);
}

static bool argument(const NodeValues *v, uint32_t code, Atom *value) {
    KindBits kind = (KindBits)(1u << code % KIND_COUNT);
    if (!(v->kinds[code / KIND_COUNT] & kind)) return false;
    *value = kind_variant(v->levels[code / KIND_COUNT], kind);
    return true;
}

static bool apply(Judge *j, const Node *n, const Atom *args, Atom *result) {
    if (n->kind == NODE_LOOKUP) return lookup_eval(n->lookup, args[0], result) == FAULT_NONE;
    return op_eval(n->op, args, graph_intern(j->graph), result) == FAULT_NONE;
}

/* An operator on all that its arguments can be. */
static NodeId of_operator(Judge *j, const Node *n) {
    const NodeValues *v[OP_MAX_ARITY];
    NodeId joint = NODE_NONE;
    double total = 1;
    for (int k = 0; k < n->arity; k++) {
        NodeId kind = kind_node(j, n->arg[k]);
        v[k] = values_of(j->values, n->arg[k]);
        if (!v[k] || kind == NODE_NONE) return NODE_NONE;
        NodeId code = joint_code(j, n->arg[k], v[k], kind);
        NodeId scale = constant(j, atom_int((int64_t)total));
        NodeId digit = graph_map(j->graph, OP_MUL, (NodeId[]){code, scale}, SPAN_NONE);
        joint = k == 0 ? digit : graph_map(j->graph, OP_ADD, (NodeId[]){joint, digit}, SPAN_NONE);
        total *= (double)v[k]->count * KIND_COUNT;
        if (total > MOST_CODES) return NODE_NONE;
    }
    Atom *key = ARENA_ARRAY(j->arena, (size_t)total, Atom);
    Atom *image = ARENA_ARRAY(j->arena, (size_t)total, Atom);
    uint32_t count = 0;
    for (uint32_t code = 0; code < (uint32_t)total; code++) {
        Atom args[OP_MAX_ARITY], result;
        uint32_t rest = code;
        bool occurs = true;
        for (int k = 0; k < n->arity && occurs; k++) {
            occurs = argument(v[k], rest % (v[k]->count * KIND_COUNT), &args[k]);
            rest /= v[k]->count * KIND_COUNT;
        }
        if (!occurs || !apply(j, n, args, &result)) continue;
        key[count] = atom_int(code);
        image[count++] = kind_number(kind_bit(result));
    }
    return looked_up(j, joint, key, image, count);
}

/* Sums and products of numbers are floats if an argument is, else ints. */
static bool spreads_floats(const Node *n, const NodeValues *v) {
    bool fits = n->kind == NODE_MAP && (n->op == OP_ADD || n->op == OP_SUB || n->op == OP_MUL);
    for (uint32_t k = 0; k < v->count && fits; k++)
        fits = (v->kinds[k] & (IS_NEGATIVE_ZERO | IS_STRING)) == 0;
    return fits;
}

static NodeId of_sum(Judge *j, const Node *n) {
    NodeId is[2];
    for (int k = 0; k < 2; k++) {
        NodeId kind = kind_node(j, n->arg[k]);
        if (kind == NODE_NONE) return NODE_NONE;
        is[k] = graph_map(j->graph, OP_GE, (NodeId[]){kind, constant(j, kind_number(IS_FLOAT))},
                          SPAN_NONE);
    }
    NodeId any = graph_map(j->graph, OP_OR, is, SPAN_NONE);
    NodeId kinds[3] = {any, constant(j, kind_number(IS_FLOAT)), constant(j, kind_number(IS_INT))};
    return graph_map(j->graph, OP_IF, kinds, SPAN_NONE);
}

NodeId kind_node(Judge *j, NodeId node) {
    const NodeValues *v = values_of(j->values, node);
    Node n = *graph_node(j->graph, node);
    if (!v) return NODE_NONE;
    if (values_single_kinds(v)) return by_level(j, node, v);
    if (n.kind == NODE_AGGREGATE) return of_aggregate(j, &n);
    if (n.kind == NODE_MAP && n.op == OP_IF) {
        NodeId yes = kind_node(j, n.arg[1]), no = kind_node(j, n.arg[2]);
        if (yes == NODE_NONE || no == NODE_NONE) return NODE_NONE;
        return graph_map(j->graph, OP_IF, (NodeId[]){n.arg[0], yes, no}, SPAN_NONE);
    }
    if (spreads_floats(&n, v)) return of_sum(j, &n);
    if (n.kind == NODE_MAP || n.kind == NODE_LOOKUP) return of_operator(j, &n);
    return NODE_NONE;
}
