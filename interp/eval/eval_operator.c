/* Operators: on plain values (atoms, lists, dicts, functions) they compute, on s-ops they
 * make a map node, on selectors a combination. */
#include "interp/eval/eval.h"

static bool is_comparison(OpId op) {
    return ops[op].flags & OP_COMPARES;
}

/* --- plain values ----------------------------------------------------------------------- */

/* The fault of an operator with two kinds that it cannot join. */
_Noreturn static void fail_kinds(Session *s, FaultId id, OpId op, Value a, Value b, const Ast *at) {
    const char *const arg[FAULT_ARGS] = {ops[op].host_name, value_kind_name(a), value_kind_name(b),
                                         ops[op].spelling};
    eval_fail(s, id, at, arg);
}

static Value compute_atoms(Session *s, OpId op, const Atom *args, const Ast *at) {
    Atom result;
    FaultId id = op_eval(op, args, s->intern, &result);
    if (id != FAULT_NONE) {
        Fault fault = op_fault(op, id, args, at->mark);
        eval_raise(s, &fault);
    }
    return value_atom(result);
}

static bool in_order(Session *s, OpId op, Value a, Value b, const Ast *at);

/* Lists compare as their first unequal elements do, else as their lengths. */
static bool lists_in_order(Session *s, OpId op, const List *a, const List *b, const Ast *at) {
    for (size_t k = 0; k < a->count && k < b->count; k++)
        if (!value_equal(s->budget, list_at(a, k), list_at(b, k)))
            return in_order(s, op, list_at(a, k), list_at(b, k), at);
    return op_compare(op, atom_int((int64_t)a->count), atom_int((int64_t)b->count));
}

static bool in_order(Session *s, OpId op, Value a, Value b, const Ast *at) {
    if (a.kind == VALUE_ATOM && b.kind == VALUE_ATOM) {
        Atom args[2] = {a.atom, b.atom};
        return compute_atoms(s, op, args, at).atom.b;
    }
    if (a.kind != VALUE_LIST || b.kind != VALUE_LIST) fail_kinds(s, FAULT_ORDER, op, a, b, at);
    return lists_in_order(s, op, a.list, b.list, at);
}

static Value add(Session *s, Value a, Value b, const Ast *at) {
    if (a.kind == VALUE_LIST && b.kind == VALUE_LIST) {
        List *list = list_concat(s->heap, a.list, b.list);
        return value_list(list);
    }
    bool joins = a.kind == VALUE_LIST || value_is_string(a);
    fail_kinds(s, joins ? FAULT_CONCATENATION : FAULT_OPERANDS, OP_ADD, a, b, at);
}

static bool is_sequence(Value value) {
    return value.kind == VALUE_LIST || value_is_string(value);
}

static Value multiply(Session *s, Value a, Value b, const Ast *at) {
    Value list = a.kind == VALUE_LIST ? a : b, times = a.kind == VALUE_LIST ? b : a;
    if (list.kind == VALUE_LIST && value_is_integral(times)) {
        int64_t count = atom_integer(times.atom);
        return value_list(list_repeat(s->heap, list.list, count > 0 ? (size_t)count : 0));
    }
    if (is_sequence(a)) fail_kinds(s, FAULT_REPEAT, OP_MUL, a, b, at);
    if (is_sequence(b)) fail_kinds(s, FAULT_REPEAT, OP_MUL, b, a, at);
    fail_kinds(s, FAULT_OPERANDS, OP_MUL, a, b, at);
}

/* Two values of which neither is an s-op or selector. */
static Value compute(Session *s, OpId op, Value a, Value b, const Ast *at) {
    if (a.kind == VALUE_ATOM && b.kind == VALUE_ATOM) {
        Atom args[2] = {a.atom, b.atom};
        return compute_atoms(s, op, args, at);
    }
    if (op == OP_EQ || op == OP_NE)
        return value_atom(atom_bool(value_equal(s->budget, a, b) == (op == OP_EQ)));
    if (is_comparison(op)) return value_atom(atom_bool(in_order(s, op, a, b, at)));
    if (op == OP_ADD) return add(s, a, b, at);
    if (op == OP_MUL) return multiply(s, a, b, at);
    fail_kinds(s, op == OP_MOD && value_is_string(a) ? FAULT_FORMAT : FAULT_OPERANDS, op, a, b, at);
}

/* --- s-ops ------------------------------------------------------------------------------ */

/* A sequence whose values are no atoms, all of them `value`. */
static _Noreturn void fail_illegal(Session *s, Value value, const Ast *at) {
    Text text = text_new(s->scratch);
    Fault fault;
    Exec *exec = s->trying ? example_exec(s, example_current(s), &fault) : NULL;
    size_t count = exec ? example_current(s)->input.length : 1;
    text_put(&text, "(");
    for (size_t k = 0; k < count; k++) {
        if (k) text_put(&text, ", ");
        text_put_value(&text, value, TEXT_LISTED);
    }
    text_put(&text, count == 1 ? ",)" : ")");
    EVAL_FAIL(s, ILLEGAL_TYPES, at, text.bytes, eval_quoted(s, value));
}

NodeId eval_operand(Session *s, Value value, const Ast *at) {
    if (value.kind == VALUE_SOP) return value.object->node;
    if (value.kind != VALUE_ATOM) fail_illegal(s, value, at);
    return graph_constant(s->graph, value.atom, eval_span(s, at));
}

/* A lookup among no values, so that the graph shows it (graph/traps.h), or its opposite. */
static NodeId equals_nothing(Session *s, OpId op, Value sop, Span span) {
    const Lookup *none = lookup_new(s->arena, LOOKUP_SET, NULL, NULL, 0);
    NodeId node = graph_lookup(s->graph, none, sop.object->node, span);
    NodeId operand[OP_MAX_ARITY] = {node};
    return op == OP_EQ ? node : graph_map(s->graph, OP_NOT, operand, span);
}

/* An s-op joined with a list, dict or function: the same at every position.  Comparing for
 * equality is legal and never true; anything else fails, as the operator does at the first
 * position of the example. */
static void join_container(Session *s, OpId op, Value a, Value b, const Ast *at) {
    if (op == OP_EQ || op == OP_NE) {
        Value operands[2] = {a, b};
        NodeId node = equals_nothing(s, op, a.kind == VALUE_SOP ? a : b, eval_span(s, at));
        eval_object(s, 2, VALUE_SOP, node, name_operation(s, op, operands));
        return;
    }
    Value sop = a.kind == VALUE_SOP ? a : b;
    Fault fault;
    Exec *exec = s->trying ? example_exec(s, example_current(s), &fault) : NULL;
    const Column *column = exec ? exec_column(exec, sop.object->node, &fault) : NULL;
    if (!column && s->trying) { /* it ran on another example only */
        if (fault.span.begin == 0) fault.span = at->mark;
        eval_raise(s, &fault);
    }
    if (!column) fail_kinds(s, FAULT_SOP_OPERAND, op, a, b, at);
    size_t base = s->top;
    for (size_t k = 0; k < column->length; k++) {
        Value element = value_atom(column_at(column, k));
        eval_push(s, a.kind == VALUE_SOP ? compute(s, op, element, b, at)
                                         : compute(s, op, a, element, at));
    }
    Text text = text_new(s->scratch);
    text_put_tuple(&text, s->stack + base, s->top - base);
    EVAL_FAIL(s, ILLEGAL_TYPES, at, text.bytes, value_kind_name(a.kind == VALUE_SOP ? b : a));
}

void eval_map(Session *s, OpId op, const Value *operands, const Ast *at) {
    NodeId args[OP_MAX_ARITY];
    size_t arity = (size_t)ops[op].arity;
    for (size_t k = 0; k < arity; k++) args[k] = eval_operand(s, operands[k], at);
    NodeId node = graph_map(s->graph, op, args, eval_span(s, at));
    eval_object(s, arity, VALUE_SOP, node, name_operation(s, op, operands));
}

static void join_sops(Session *s, OpId op, Value a, Value b, const Ast *at) {
    Value operands[2] = {a, b};
    if (is_comparison(op) && a.kind != VALUE_SOP) { /* the s-op comes first, 13.6 */
        operands[0] = b, operands[1] = a;
        op = ops[op].mirrored;
    }
    bool container = a.kind != VALUE_SOP && a.kind != VALUE_ATOM;
    container |= b.kind != VALUE_SOP && b.kind != VALUE_ATOM;
    if (container && op != OP_AND && op != OP_OR)
        join_container(s, op, operands[0], operands[1], at);
    else
        eval_map(s, op, operands, at);
}

/* --- joining any two values ------------------------------------------------------------- */

static void join_truths(Session *s, OpId op, Value a, Value b, const Ast *at) {
    bool selector = a.kind == VALUE_SELECTOR || b.kind == VALUE_SELECTOR;
    if (selector && a.kind != b.kind) EVAL_FAIL(s, SELECTOR_MIX, at, NULL);
    if (selector) {
        NodeId p = a.object->node, q = b.object->node;
        NodeId node = op == OP_AND ? graph_and(s->graph, p, q, eval_span(s, at))
                                   : graph_or(s->graph, p, q, eval_span(s, at));
        eval_object(s, 2, VALUE_SELECTOR, node, intern_text(s->intern, "plain select"));
    } else if (a.kind == VALUE_SOP || b.kind == VALUE_SOP) {
        join_sops(s, op, a, b, at);
    } else {
        bool second = value_truth(a) == (op == OP_AND);
        eval_reduce(s, 2, second ? b : a);
    }
}

/* The topmost two values become one. */
static void join(Session *s, const Ast *ast) {
    OpId op = ast->op;
    Value a = eval_top(s, 1), b = eval_top(s, 0);
    if (op == OP_AND || op == OP_OR)
        join_truths(s, op, a, b, ast);
    else if (a.kind == VALUE_SELECTOR || b.kind == VALUE_SELECTOR)
        EVAL_FAIL(s, SELECTOR_OPERATOR, ast, ops[op].spelling);
    else if (a.kind == VALUE_SOP || b.kind == VALUE_SOP)
        join_sops(s, op, a, b, ast);
    else
        eval_reduce(s, 2, compute(s, op, a, b, ast));
}

static void push_spine(Session *s, const Ast *ast) {
    if (s->spine_top == s->spine_room)
        s->spine =
            arena_grow(s->arena, s->spine, &s->spine_room, s->spine_top + 1, sizeof *s->spine);
    s->spine[s->spine_top++] = ast;
}

/* Walks down the left operands first, so that a chain of a million terms needs no deep
 * recursion. */
void eval_binary(Session *s, const Ast *ast) {
    size_t base = s->spine_top;
    for (; ast->kind == AST_BINARY; ast = ast->child[0]) push_spine(s, ast);
    eval(s, ast);
    while (s->spine_top > base) {
        ast = s->spine[--s->spine_top];
        eval(s, ast->child[1]);
        join(s, ast);
        bool last = s->spine_top == base; /* which eval tries */
        if (!last && s->trying && value_is_graph(eval_top(s, 0)))
            example_try(s, eval_top(s, 0), ast);
    }
}

/* --- one operand, and three ------------------------------------------------------------- */

static void negate(Session *s, Value operand, const Ast *ast) {
    if (operand.kind != VALUE_SELECTOR) {
        eval_reduce(s, 1, value_atom(atom_bool(!value_truth(operand))));
        return;
    }
    NodeId node = graph_not(s->graph, operand.object->node, eval_span(s, ast));
    eval_object(s, 1, VALUE_SELECTOR, node, intern_text(s->intern, "plain select"));
}

void eval_unary(Session *s, const Ast *ast) {
    eval(s, ast->child[0]);
    OpId op = ast->op;
    Value operand = eval_top(s, 0);
    if (operand.kind == VALUE_SOP)
        eval_map(s, op, &operand, ast);
    else if (op == OP_NOT)
        negate(s, operand, ast);
    else if (op == OP_INDICATOR)
        EVAL_FAIL(s, INDICATOR, ast, eval_plain(s, operand));
    else if (operand.kind == VALUE_ATOM)
        eval_reduce(s, 1, compute_atoms(s, op, &operand.atom, ast));
    else
        fail_kinds(s, op_class(op) == OP_CLASS_FUNCTION ? FAULT_FUNCTION : FAULT_UNARY, op, operand,
                   operand, ast);
}

/* On an s-op condition both branches are evaluated, on anything else one: a loop, since the
 * branch is often another ternary. */
void eval_ternary(Session *s, const Ast *ast) {
    while (ast->kind == AST_TERNARY) {
        eval(s, ast->child[0]);
        Value condition = eval_top(s, 0);
        if (value_is_graph(condition)) {
            eval(s, ast->child[1]);
            eval(s, ast->child[2]);
            Value operands[3] = {eval_top(s, 2), eval_top(s, 1), eval_top(s, 0)};
            eval_map(s, OP_IF, operands, ast);
            return;
        }
        s->top--;
        ast = ast->child[value_truth(condition) ? 1 : 2];
        eval_check_stack(s, ast);
    }
    eval(s, ast);
}
