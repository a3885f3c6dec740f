#include "compile/lower/kinds.h"

#include "compile/lower/context.h"

#include "graph/token.h"

static Atom kind_number(unsigned bits) {
    return atom_int(__builtin_ctz(bits));
}

static NodeId constant(Lower *lower, Atom value) {
    return graph_constant(values_graph(lower->values), value, SPAN_NONE);
}

static NodeId look_up(Lower *lower, NodeId node, const Atom *keys, const Atom *image, uint32_t n) {
    Graph *graph = values_graph(lower->values);
    const Lookup *lookup = lookup_new(graph_arena(graph), LOOKUP_DICT, keys, image, n);
    return graph_lookup(graph, lookup, node, graph_node(graph, node)->span);
}

static NodeId map(Lower *lower, OpId op, NodeId a, NodeId b, NodeId c) {
    Graph *graph = values_graph(lower->values);
    return graph_map(graph, op, (NodeId[]){a, b, c}, graph_node(graph, a)->span);
}

/* Every level has one kind: a function of the value. */
static NodeId kind_by_level(Lower *lower, NodeId id, const NodeValues *v) {
    Atom *image = ARENA_ARRAY(lower->arena, v->count, Atom);
    bool alike = true;
    for (uint32_t k = 0; k < v->count; k++) {
        image[k] = kind_number(v->kinds[k]);
        alike &= v->kinds[k] == v->kinds[0];
    }
    if (alike) return constant(lower, v->count ? image[0] : atom_int(0));
    return look_up(lower, id, v->levels, image, v->count);
}

NodeId kinds_joint(Lower *lower, NodeId id) {
    const NodeValues *v = values_of(lower->values, id);
    NodeId kind = kinds_of(lower, id);
    if (!v || kind == NODE_NONE) return NODE_NONE;
    Atom *image = ARENA_ARRAY(lower->arena, v->count, Atom);
    for (uint32_t k = 0; k < v->count; k++) image[k] = atom_int((int64_t)k * KIND_COUNT);
    return map(lower, OP_ADD, look_up(lower, id, v->levels, image, v->count), kind, NODE_NONE);
}

/* --- aggregates ----------------------------------------------------------------------------- */

/* Of widths: the default, the value, a float. */
static NodeId kind_by_width(Lower *lower, NodeId width, Atom none, Atom one, Atom several) {
    const NodeValues *w = values_of(lower->values, width);
    if (!w) return NODE_NONE;
    Atom *image = ARENA_ARRAY(lower->arena, w->count, Atom);
    for (uint32_t k = 0; k < w->count; k++) {
        int64_t count = atom_integer(w->levels[k]);
        image[k] = count == 0 ? none : count == 1 ? one : several;
    }
    return look_up(lower, width, w->levels, image, w->count);
}

static NodeId kind_of_aggregate(Lower *lower, const Node *node) {
    Graph *graph = values_graph(lower->values);
    const SelectorFacts *facts = values_selector(lower->values, node->arg[0]);
    NodeId value = kinds_of(lower, node->arg[1]);
    if (!facts || value == NODE_NONE) return NODE_NONE;
    Atom none = kind_number(kind_bit(node->atom)), several = kind_number(IS_FLOAT);
    if (facts->at_most_one) return graph_aggregate(graph, node->arg[0], value, none, node->span);
    NodeId width = graph_width(graph, node->arg[0], node->span);
    if (graph_node(graph, value)->kind == NODE_CONSTANT)
        return kind_by_width(lower, width, none, graph_node(graph, value)->atom, several);
    /* Where several are selected this is a mean of kinds, which nobody reads. */
    NodeId moved = graph_aggregate(graph, node->arg[0], value, none, node->span);
    NodeId many = map(lower, OP_GT, width, constant(lower, atom_int(1)), NODE_NONE);
    return map(lower, OP_IF, many, constant(lower, several), moved);
}

/* --- elementwise ---------------------------------------------------------------------------- */

/* What an operator that was never asked makes of its arguments, as atoms. */
static bool apply(Lower *lower, const Node *node, const Atom *args, Atom *result) {
    Intern *table = graph_intern(values_graph(lower->values));
    if (node->kind == NODE_LOOKUP) return lookup_eval(node->lookup, args[0], result) == FAULT_NONE;
    if (node->kind == NODE_TOKENS)
        return token_convert(node->tokens, args[0], table, result) == FAULT_NONE;
    return op_eval(node->op, args, table, result) == FAULT_NONE;
}

/* One argument with its kinds, as digits of a number. */
typedef struct Argument {
    NodeId joint; /* level * KIND_COUNT + kind */
    const NodeValues *values;
    uint32_t count;
} Argument;

static Atom argument_atom(const Argument *a, uint32_t code, bool *occurs) {
    uint32_t level = code / KIND_COUNT;
    KindBits kind = (KindBits)(1u << code % KIND_COUNT);
    *occurs = (a->values->kinds[level] & kind) != 0;
    return *occurs ? kind_variant(a->values->levels[level], kind) : atom_int(0);
}

/* Any operator: evaluated on all that its arguments can be, level and kind. */
static NodeId kind_by_arguments(Lower *lower, const Node *node, const Argument *arg, int arity) {
    double total = 1;
    for (int k = 0; k < arity; k++) total *= arg[k].count;
    if (total > lower->options.table_limit) {
        lower_fail(lower, NODE_NONE,
                   "too many combinations to tell ints from floats: %.0f (--table-limit=%u: raise "
                   "it)",
                   total, lower->options.table_limit);
        return NODE_NONE;
    }
    Atom *key = ARENA_ARRAY(lower->arena, (size_t)total, Atom);
    Atom *image = ARENA_ARRAY(lower->arena, (size_t)total, Atom);
    uint32_t count = 0;
    for (uint32_t code = 0; code < (uint32_t)total; code++) {
        Atom args[OP_MAX_ARITY], result;
        uint32_t rest = code;
        bool occurs = true;
        for (int k = 0; k < arity && occurs; k++) {
            args[k] = argument_atom(&arg[k], rest % arg[k].count, &occurs);
            rest /= arg[k].count;
        }
        if (!occurs || !apply(lower, node, args, &result)) continue;
        key[count] = atom_int(code);
        image[count++] = kind_number(kind_bit(result));
    }
    NodeId joint = arg[0].joint;
    int64_t stride = arg[0].count;
    for (int k = 1; k < arity; k++) {
        NodeId scale = constant(lower, atom_int(stride));
        NodeId digit = map(lower, OP_MUL, arg[k].joint, scale, NODE_NONE);
        joint = map(lower, OP_ADD, joint, digit, NODE_NONE);
        stride *= arg[k].count;
    }
    return look_up(lower, joint, key, image, count);
}

/* Is the result a float if an argument is, and else an int, whatever the numbers are? */
static bool spreads_floats(Lower *lower, NodeId id, const Node *node) {
    const NodeValues *v = values_of(lower->values, id);
    bool fits =
        node->kind == NODE_MAP && (node->op == OP_ADD || node->op == OP_SUB || node->op == OP_MUL);
    for (uint32_t k = 0; k < v->count && fits; k++)
        fits = (v->kinds[k] & (IS_NEGATIVE_ZERO | IS_STRING)) == 0;
    return fits;
}

static NodeId kind_by_kinds(Lower *lower, const Node *node) {
    enum { FLOATS = IS_FLOAT | IS_NEGATIVE_ZERO };
    NodeId a = kinds_of(lower, node->arg[0]), b = kinds_of(lower, node->arg[1]);
    Atom key[KIND_COUNT * KIND_COUNT], image[KIND_COUNT * KIND_COUNT];
    if (a == NODE_NONE || b == NODE_NONE) return NODE_NONE;
    for (int k = 0; k < KIND_COUNT * KIND_COUNT; k++) {
        int kinds = 1 << k / KIND_COUNT | 1 << k % KIND_COUNT;
        key[k] = atom_int(k);
        image[k] = kind_number(kinds & FLOATS ? IS_FLOAT : IS_INT);
    }
    NodeId high = map(lower, OP_MUL, a, constant(lower, atom_int(KIND_COUNT)), NODE_NONE);
    NodeId both = map(lower, OP_ADD, high, b, NODE_NONE);
    return look_up(lower, both, key, image, KIND_COUNT * KIND_COUNT);
}

static NodeId kind_of_map(Lower *lower, NodeId id, const Node *node) {
    if (spreads_floats(lower, id, node)) return kind_by_kinds(lower, node);
    if (node->kind == NODE_MAP && node->op == OP_IF) {
        NodeId yes = kinds_of(lower, node->arg[1]), no = kinds_of(lower, node->arg[2]);
        if (yes == NODE_NONE || no == NODE_NONE) return NODE_NONE;
        return map(lower, OP_IF, node->arg[0], yes, no);
    }
    Graph *graph = values_graph(lower->values);
    Argument arg[OP_MAX_ARITY];
    bool token = node->kind == NODE_TOKENS;
    int arity = token ? 1 : node->arity;
    for (int k = 0; k < arity; k++) {
        NodeId argument = token ? graph_tokens(graph, TOKENS_ASIS, SPAN_NONE) : node->arg[k];
        NodeId joint = kinds_joint(lower, argument);
        if (joint == NODE_NONE) return NODE_NONE;
        const NodeValues *v = values_of(lower->values, argument);
        arg[k] = (Argument){joint, v, v->count * KIND_COUNT};
    }
    return kind_by_arguments(lower, node, arg, arity);
}

static NodeId make_kinds(Lower *lower, NodeId id) {
    const NodeValues *v = values_of(lower->values, id);
    if (!v) {
        lower_fail_values(lower);
        return NODE_NONE;
    }
    if (values_single_kinds(v)) return kind_by_level(lower, id, v);
    Node node = *graph_node(values_graph(lower->values), id);
    return node.kind == NODE_AGGREGATE ? kind_of_aggregate(lower, &node)
                                       : kind_of_map(lower, id, &node);
}

NodeId kinds_of(Lower *lower, NodeId id) {
    lower->kinds = arena_grow(lower->arena, lower->kinds, &lower->kinds_capacity, (size_t)id + 1,
                              sizeof *lower->kinds);
    if (lower->kinds[id] == NODE_NONE) return NODE_NONE;
    if (lower->kinds[id] != 0) return lower->kinds[id] - 1;
    NodeId kinds = make_kinds(lower, id);
    lower->kinds = arena_grow(lower->arena, lower->kinds, &lower->kinds_capacity, (size_t)id + 1,
                              sizeof *lower->kinds);
    lower->kinds[id] = kinds == NODE_NONE ? NODE_NONE : kinds + 1;
    return kinds;
}
