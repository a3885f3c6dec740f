/* select, aggregate, membership: what makes selectors and attention. */
#include "interp/eval/eval.h"

void eval_select(Session *s, const Ast *ast) {
    eval(s, ast->child[0]);
    eval(s, ast->child[1]);
    NodeId key = eval_operand(s, eval_top(s, 1), ast->child[0]);
    NodeId query = eval_operand(s, eval_top(s, 0), ast->child[1]);
    NodeId node = graph_select(s->graph, ast->op, key, query, eval_span(s, ast));
    eval_object(s, 2, VALUE_SELECTOR, node, intern_text(s->intern, "plain select"));
}

/* --- a default that is no atom ---------------------------------------------------------- */

static bool has_zero(const Column *column) {
    for (size_t k = 0; k < column->length; k++)
        if (atom_integer(column_at(column, k)) == 0) return true;
    return false;
}

/* Raises the fault that lists what the example gives, if the default is used there.  Its place
 * is held by a value that the sequence has in any case. */
static void check_default_unused(Session *s, const Ast *ast, NodeId selector, NodeId values,
                                 NodeId width, Value fallback) {
    Fault fault;
    Exec *exec = example_exec(s, example_current(s), &fault);
    const Column *from = exec ? exec_column(exec, values, &fault) : NULL;
    const Column *widths = from ? exec_column(exec, width, &fault) : NULL;
    if (!widths || !has_zero(widths)) return;
    NodeId node =
        graph_aggregate(s->graph, selector, values, column_at(from, 0), eval_span(s, ast));
    const Column *column = exec_column(exec, node, &fault);
    if (!column) eval_raise(s, &fault); /* an average of what is no number */
    size_t base = s->top;
    for (size_t k = 0; k < column->length; k++) {
        bool used = atom_integer(column_at(widths, k)) == 0;
        eval_push(s, used ? fallback : value_atom(column_at(column, k)));
    }
    Text text = text_new(s->scratch);
    text_put_tuple(&text, s->stack + base, s->top - base);
    EVAL_FAIL(s, ILLEGAL_TYPES, ast->child[2], text.bytes, eval_quoted(s, fallback));
}

/* The reference minds only if the default is used.  So does this node: it picks a hole where
 * nothing is selected. */
static NodeId aggregate_without_default(Session *s, const Ast *ast, NodeId selector, NodeId values,
                                        Value fallback) {
    Graph *g = s->graph;
    Span span = eval_span(s, ast);
    NodeId width = graph_width(g, selector, span);
    check_default_unused(s, ast, selector, values, width, fallback);
    NodeId is_empty[OP_MAX_ARITY] = {width, graph_constant(g, atom_int(0), span)};
    const Atom entries[2] = {atom_bool(true), atom_bool(true)};
    const bool holes[2] = {false, true};
    const Lookup *guard = lookup_new_holed(s->arena, LOOKUP_LIST, NULL, entries, holes, 2);
    NodeId node = graph_aggregate(g, selector, values, atom_int(0), span);
    NodeId guarded[OP_MAX_ARITY] = {
        graph_lookup(g, guard, graph_map(g, OP_EQ, is_empty, span), span), node, node};
    return graph_map(g, OP_IF, guarded, span);
}

/* --- aggregate -------------------------------------------------------------------------- */

void eval_aggregate(Session *s, const Ast *ast) {
    size_t base = s->top;
    for (uint32_t k = 0; k < ast->count; k++) eval(s, ast->child[k]);
    Value selector = s->stack[base], values = s->stack[base + 1];
    Value fallback = ast->count > 2 ? s->stack[base + 2] : value_atom(atom_int(0));
    if (selector.kind != VALUE_SELECTOR)
        EVAL_FAIL(s, NOT_A_SELECTOR, ast->child[0], eval_quoted(s, selector));
    bool is_atom = fallback.kind == VALUE_ATOM;
    if (!is_atom && (value_is_graph(fallback) || !s->trying))
        EVAL_FAIL(s, DEFAULT_NOT_ATOM, ast->child[2], eval_quoted(s, fallback));
    NodeId from = selector.object->node, of = eval_operand(s, values, ast->child[1]);
    NodeId node = is_atom ? graph_aggregate(s->graph, from, of, fallback.atom, eval_span(s, ast))
                          : aggregate_without_default(s, ast, from, of, fallback);
    eval_object(s, s->top - base, VALUE_SOP, node, intern_text(s->intern, "s-op"));
}

/* --- membership ------------------------------------------------------------------------- */

/* The distinct atoms of a list as a set; NULL if something in it is no atom. */
static const Lookup *list_set(Session *s, List *list) {
    if (list->set) return list->set;
    Value *pairs = ARENA_BLOCK(s->arena, 2 * list->count, Value);
    bool atoms = true;
    for (size_t k = 0; k < list->count; k++) {
        pairs[2 * k] = pairs[2 * k + 1] = list_at(list, k);
        atoms &= pairs[2 * k].kind == VALUE_ATOM;
    }
    if (atoms) {
        const Dict *dict = dict_new(s->heap, pairs, list->count);
        list->set = lookup_new(s->arena, LOOKUP_SET, dict->keys, NULL, dict->count);
    }
    arena_release(s->arena, pairs);
    return list->set;
}

/* The way out for a string. */
static const char *characters_hint(Session *s, Value container) {
    if (!value_is_string(container)) return "";
    return arena_format(s->scratch, " ([c for c in %s] are its characters)",
                        eval_quoted(s, container));
}

static void sop_in(Session *s, const Ast *ast, Value sop, Value container) {
    const Ast *right = ast->child[1];
    if (container.kind != VALUE_LIST)
        EVAL_FAIL(s, IN_SOP, right, eval_quoted(s, container), characters_hint(s, container));
    const Lookup *set = list_set(s, container.list);
    if (!set) EVAL_FAIL(s, IN_SOP_VALUES, right, eval_quoted(s, container));
    NodeId node = graph_lookup(s->graph, set, sop.object->node, eval_span(s, ast));
    char buffer[NAME_ROOM];
    Text text = text_cut(buffer, sizeof buffer, NAME_LIMIT);
    text_put_str(&text, sop.object->name);
    text_put(&text, " in ");
    if (right->kind == AST_NAME)
        text_put_str(&text, right->text);
    else
        text_put_value(&text, container, TEXT_PLAIN);
    eval_object(s, 2, VALUE_SOP, node, name_finish(s, &text, VALUE_SOP));
}

/* Whether the atom occurs in the s-op: is the width of the positions that hold it above 0? */
static NodeId occurs(Session *s, Atom atom, NodeId sop, Span span) {
    NodeId hit[2] = {sop, graph_constant(s->graph, atom, span)};
    NodeId key = graph_map(s->graph, OP_EQ, hit, span);
    NodeId query = graph_constant(s->graph, atom_bool(true), span);
    NodeId hits = graph_select(s->graph, OP_EQ, key, query, span);
    NodeId positive[2] = {graph_width(s->graph, hits, span),
                          graph_constant(s->graph, atom_int(0), span)};
    return graph_map(s->graph, OP_GT, positive, span);
}

static void atom_in(Session *s, const Ast *ast, Atom atom, Value container) {
    if (container.kind == VALUE_SOP) {
        NodeId node = occurs(s, atom, container.object->node, eval_span(s, ast));
        eval_object(s, 2, VALUE_SOP, node, intern_text(s->intern, "( s-op > 0 )"));
        return;
    }
    if (container.kind != VALUE_LIST)
        EVAL_FAIL(s, IN_ATOM, ast->child[1], eval_quoted(s, container),
                  characters_hint(s, container));
    bool found = false;
    for (size_t k = 0; k < container.list->count && !found; k++)
        found = value_equal(s->budget, list_at(container.list, k), value_atom(atom));
    eval_reduce(s, 2, value_atom(atom_bool(found)));
}

void eval_in(Session *s, const Ast *ast) {
    eval(s, ast->child[0]);
    eval(s, ast->child[1]);
    Value element = eval_top(s, 1), container = eval_top(s, 0);
    switch (element.kind) {
    case VALUE_SOP:
        sop_in(s, ast, element, container);
        break;
    case VALUE_ATOM:
        atom_in(s, ast, element.atom, container);
        break;
    case VALUE_SELECTOR:
    case VALUE_FUNCTION:
        EVAL_FAIL(s, IN_OBJECT, ast->child[0],
                  element.kind == VALUE_SELECTOR ? "select" : "function");
    case VALUE_LIST:
    case VALUE_DICT:
        EVAL_FAIL(s, IN_KIND, ast->child[0], eval_quoted(s, element));
    }
}
