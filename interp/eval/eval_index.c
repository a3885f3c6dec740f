/* Indexing: x[i]. */
#include "interp/eval/eval.h"

#include "base/utf8.h"

static const char *kind_word(Value container) {
    return container.kind == VALUE_LIST ? "list" : "string";
}

/* --- by a plain value ------------------------------------------------------------------- */

static void index_sequence(Session *s, const Ast *ast, Value container, Value index) {
    const Ast *right = ast->child[1];
    if (!value_is_integral(index))
        EVAL_FAIL(s, INDEX_SEQUENCE, right, kind_word(container), eval_quoted(s, index));
    size_t count = 0;
    value_count(container, &count);
    int64_t at = atom_integer(index.atom), length = (int64_t)count;
    if (at < -length || at >= length)
        EVAL_FAIL(s, INDEX_RANGE, right, eval_plain(s, index), kind_word(container),
                  eval_number(s, count));
    size_t place = (size_t)(at < 0 ? at + length : at);
    eval_reduce(s, 2, value_element(container, place, s->intern));
}

static void index_dict(Session *s, const Ast *ast, const Dict *dict, Value key) {
    const Ast *right = ast->child[1];
    if (key.kind != VALUE_ATOM) EVAL_FAIL(s, INDEX_DICT, right, eval_quoted(s, key));
    const Value *found = dict_find(dict, key.atom);
    if (!found) EVAL_FAIL(s, NO_SUCH_KEY, right, eval_quoted(s, key));
    eval_reduce(s, 2, *found);
}

/* The value at one position everywhere: an aggregate over the selector of that position, so
 * that a place outside gives the default 0. */
static NodeId position_value(Session *s, NodeId sop, int64_t at, Span span) {
    Graph *g = s->graph;
    NodeId query = graph_constant(g, atom_int(at), span);
    if (at < 0) {
        NodeId one = graph_constant(g, atom_int(1), span);
        NodeId length = graph_width(g, graph_select(g, OP_EQ, one, one, span), span);
        query = graph_map(g, OP_ADD, (NodeId[OP_MAX_ARITY]){length, query}, span);
    }
    NodeId selector = graph_select(g, OP_EQ, graph_indices(g, span), query, span);
    return graph_aggregate(g, selector, sop, atom_int(0), span);
}

static void index_sop(Session *s, const Ast *ast, Value sop, Value index) {
    if (!value_is_integral(index)) EVAL_FAIL(s, INDEX_SOP, ast->child[1], eval_quoted(s, index));
    int64_t at = atom_integer(index.atom);
    NodeId node = position_value(s, sop.object->node, at, eval_span(s, ast));
    char buffer[NAME_ROOM];
    Text text = text_cut(buffer, sizeof buffer, NAME_LIMIT);
    text_put_str(&text, sop.object->name);
    text_put(&text, "[");
    text_put_value(&text, index, TEXT_PLAIN);
    text_put(&text, "]");
    eval_object(s, 2, VALUE_SOP, node, name_finish(s, &text, VALUE_SOP));
}

/* --- by an s-op ------------------------------------------------------------------------- */

/* What is no atom becomes a hole. */
static void copy_atoms(Atom *to, bool *holes, Value (*at)(const void *from, size_t k),
                       const void *from, size_t count) {
    for (size_t k = 0; k < count; k++) {
        Value value = at(from, k);
        holes[k] = value.kind != VALUE_ATOM;
        to[k] = holes[k] ? atom_int(0) : value.atom;
    }
}

static Value item_of_list(const void *from, size_t k) {
    return list_at(from, k);
}
static Value value_of_dict(const void *from, size_t k) {
    return ((const Dict *)from)->values[k];
}

static const Lookup *string_lookup(Session *s, const Str *text) {
    Atom *characters = ARENA_BLOCK(s->arena, text->chars, Atom);
    size_t count = 0;
    for (const char *at = text->text, *end = at + text->length; at < end;) {
        size_t step = utf8_step(at, (size_t)(end - at));
        characters[count++] = atom_string(intern(s->intern, at, step));
        at += step;
    }
    const Lookup *lookup = lookup_new(s->arena, LOOKUP_STRING, NULL, characters, count);
    arena_release(s->arena, characters);
    return lookup;
}

static const Lookup *container_lookup(Session *s, Value container) {
    if (value_is_string(container)) return string_lookup(s, container.atom.s);
    bool is_list = container.kind == VALUE_LIST;
    const Lookup **kept = is_list ? &container.list->lookup : &container.dict->lookup;
    if (*kept) return *kept;
    size_t count = 0;
    value_count(container, &count);
    Atom *values = ARENA_BLOCK(s->arena, count, Atom);
    bool *holes = ARENA_BLOCK(s->arena, count, bool);
    if (is_list)
        copy_atoms(values, holes, item_of_list, container.list, count);
    else
        copy_atoms(values, holes, value_of_dict, container.dict, count);
    *kept = lookup_new_holed(s->arena, is_list ? LOOKUP_LIST : LOOKUP_DICT,
                             is_list ? NULL : container.dict->keys, values, holes, count);
    arena_release(s->arena, values);
    arena_release(s->arena, holes);
    return *kept;
}

/* Picks the entry for one value of an s-op, in place of the topmost two values. */
static void pick(Session *s, const Ast *ast, Value container, Atom at) {
    if (container.kind == VALUE_DICT)
        index_dict(s, ast, container.dict, value_atom(at));
    else if (at.kind == ATOM_STRING)
        EVAL_FAIL(s, INDEX_STRING, ast->child[1], NULL);
    else if (at.kind == ATOM_FLOAT)
        EVAL_FAIL(s, INDEX_NOT_INT, ast->child[1], kind_word(container), atom_kind_name(at.kind));
    else
        index_sequence(s, ast, container, value_atom(at));
}

/* Of a container with holes: a hole matters only if it is picked; then the fault lists all that
 * is picked on the example. */
static void check_picks(Session *s, const Ast *ast, Value container, Value sop) {
    Fault fault;
    Exec *exec = example_exec(s, example_current(s), &fault);
    const Column *column = exec ? exec_column(exec, sop.object->node, &fault) : NULL;
    size_t base = s->top;
    bool atoms = true;
    for (size_t k = 0; column && k < column->length; k++) {
        eval_push(s, container);
        eval_push(s, value_atom(column_at(column, k)));
        pick(s, ast, container, column_at(column, k));
        atoms &= eval_top(s, 0).kind == VALUE_ATOM;
    }
    Text text = text_new(s->scratch);
    text_put_tuple(&text, s->stack + base, s->top - base);
    if (!atoms) EVAL_FAIL(s, ILLEGAL_TYPES, ast, text.bytes, eval_quoted(s, container));
    s->top = base;
}

static void put_variable(Text *text, const Ast *ast) {
    text_put(text, ast->kind == AST_NAME ? ast->text->text : "out");
}

static void index_by_sop(Session *s, const Ast *ast, Value container, Value sop) {
    const Lookup *lookup = container_lookup(s, container);
    if (lookup->holes && s->trying) check_picks(s, ast, container, sop);
    NodeId node = graph_lookup(s->graph, lookup, sop.object->node, eval_span(s, ast));
    char buffer[NAME_ROOM];
    Text text = text_cut(buffer, sizeof buffer, NAME_LIMIT);
    put_variable(&text, ast->child[0]);
    text_put(&text, "[");
    put_variable(&text, ast->child[1]);
    text_put(&text, "]");
    eval_object(s, 2, VALUE_SOP, node, name_finish(s, &text, VALUE_SOP));
}

void eval_index(Session *s, const Ast *ast) {
    eval(s, ast->child[0]);
    eval(s, ast->child[1]);
    Value container = eval_top(s, 1), index = eval_top(s, 0);
    bool sequence = container.kind == VALUE_LIST || value_is_string(container);
    if (container.kind == VALUE_SOP)
        index_sop(s, ast, container, index);
    else if ((sequence || container.kind == VALUE_DICT) && index.kind == VALUE_SOP)
        index_by_sop(s, ast, container, index);
    else if (sequence)
        index_sequence(s, ast, container, index);
    else if (container.kind == VALUE_DICT)
        index_dict(s, ast, container.dict, index);
    else
        EVAL_FAIL(s, INDEX_KIND, ast->child[0], eval_quoted(s, container));
}

/* --- slices ----------------------------------------------------------------------------- */

/* A bound is an int, even of an s-op: the parts of all its strings are alike. */
static int64_t bound(Session *s, const Ast *ast, uint32_t k) {
    if (k >= ast->count) return SLICE_END;
    Value value = eval_top(s, ast->count - 1 - k);
    if (!value_is_integral(value)) EVAL_FAIL(s, SLICE_BOUND, ast->child[k], eval_quoted(s, value));
    return atom_integer(value.atom);
}

static void slice_list(Session *s, const Ast *ast, const List *list, int64_t from, int64_t to) {
    size_t begin = op_slice_place(from, list->count), end = op_slice_place(to, list->count);
    size_t base = s->top;
    for (size_t k = begin; k < end; k++) eval_push(s, list_at(list, k));
    eval_push_list(s, base, ast);
    eval_reduce(s, 1 + ast->count, eval_top(s, 0));
}

/* Of a string, or of each string of an s-op. */
static void slice_strings(Session *s, const Ast *ast, Value of, int64_t from, int64_t to) {
    Atom args[3] = {of.atom, atom_int(from), atom_int(to)}, part;
    if (of.kind != VALUE_SOP) {
        op_eval(OP_SLICE, args, s->intern, &part); /* of a string and ints: cannot fail */
        eval_reduce(s, ast->count, value_atom(part));
        return;
    }
    NodeId operands[OP_MAX_ARITY] = {of.object->node};
    for (int k = 1; k < 3; k++) operands[k] = graph_constant(s->graph, args[k], eval_span(s, ast));
    NodeId node = graph_map(s->graph, OP_SLICE, operands, eval_span(s, ast));
    char buffer[NAME_ROOM];
    Text text = text_cut(buffer, sizeof buffer, NAME_LIMIT);
    text_put_str(&text, of.object->name);
    text_put(&text, arena_format(s->scratch, "[%lld:", (long long)from));
    text_put(&text, to == SLICE_END ? "]" : arena_format(s->scratch, "%lld]", (long long)to));
    eval_object(s, ast->count, VALUE_SOP, node, name_finish(s, &text, VALUE_SOP));
}

void eval_slice(Session *s, const Ast *ast) {
    for (uint32_t k = 0; k < ast->count; k++) eval(s, ast->child[k]);
    Value of = eval_top(s, ast->count - 1);
    int64_t from = bound(s, ast, 1), to = bound(s, ast, 2);
    if (of.kind == VALUE_LIST)
        slice_list(s, ast, of.list, from, to);
    else if (of.kind == VALUE_SOP || value_is_string(of))
        slice_strings(s, ast, of, from, to);
    else
        EVAL_FAIL(s, SLICE_OF, ast->child[0], eval_quoted(s, of));
}
