/* Nodes that need no attention: the input's tokens, elementwise operators, lookups. */
#include "interp/exec_run.h"

#include <math.h>

/* --- tokens ----------------------------------------------------------------------------- */

typedef FaultId Convert(Exec *exec, Atom token, Atom *value);

static FaultId as_is(Exec *exec, Atom token, Atom *value) {
    (void)exec;
    *value = token;
    return FAULT_NONE;
}

static FaultId to_string(Exec *exec, Atom token, Atom *value) {
    char text[64]; /* numbers and bools are shorter */
    *value = token;
    if (token.kind == ATOM_STRING) return FAULT_NONE;
    size_t length = atom_text(token, ATOM_PLAIN, text, sizeof text);
    *value = atom_string(intern(graph_intern(exec->graph), text, length));
    return FAULT_NONE;
}

/* Is it written as an int, so that only its size can be what is wrong with it? */
static bool looks_like_int(const Str *s) {
    uint32_t at = s->length && (s->text[0] == '-' || s->text[0] == '+');
    if (at == s->length) return false;
    for (; at < s->length; at++)
        if (s->text[at] < '0' || s->text[at] > '9') return false;
    return true;
}

static FaultId to_int(Exec *exec, Atom token, Atom *value) {
    (void)exec;
    int64_t number = 0;
    if (token.kind == ATOM_STRING) {
        if (!read_int(token.s->text, token.s->length, &number))
            return looks_like_int(token.s) ? FAULT_INT_OVERFLOW : FAULT_NOT_AN_INT;
    } else if (token.kind == ATOM_FLOAT) {
        double whole = trunc(token.f);
        if (!(whole >= -0x1p63 && whole < 0x1p63)) return FAULT_INT_OVERFLOW;
        number = (int64_t)whole;
    } else
        number = atom_integer(token);
    *value = atom_int(number);
    return FAULT_NONE;
}

static FaultId to_float(Exec *exec, Atom token, Atom *value) {
    (void)exec;
    double number = 0;
    if (token.kind != ATOM_STRING)
        number = atom_double(token);
    else if (!read_float(token.s->text, token.s->length, &number))
        return FAULT_NOT_A_FLOAT;
    *value = atom_float(number);
    return FAULT_NONE;
}

static FaultId to_bool(Exec *exec, Atom token, Atom *value) {
    (void)exec;
    *value = atom_bool(atom_truth(token));
    return FAULT_NONE;
}

static Convert *const converts[] = {[TOKENS_ASIS] = as_is,
                                    [TOKENS_STR] = to_string,
                                    [TOKENS_INT] = to_int,
                                    [TOKENS_FLOAT] = to_float,
                                    [TOKENS_BOOL] = to_bool};

static Fault token_fault(Exec *exec, FaultId id, Atom token, Span span) {
    Fault fault = {.id = id, .span = span};
    fault.arg[0] =
        id == FAULT_INT_OVERFLOW ? "tokens_int" : atom_show(token, ATOM_LISTED, exec->arena);
    return fault;
}

Column *exec_tokens(Exec *exec, const Node *node, Fault *fault) {
    ColumnWriter writer = column_writer(exec->arena, exec->input.length);
    for (size_t i = 0; i < exec->input.length; i++) {
        Atom value;
        FaultId id = converts[node->tokens](exec, exec->input.tokens[i], &value);
        if (id) {
            *fault = token_fault(exec, id, exec->input.tokens[i], node->span);
            return NULL;
        }
        column_put(&writer, value);
        if (i % EXEC_POLL_EVERY == 0) exec_poll(exec);
    }
    return exec_finish(exec, &writer, node, fault);
}

/* --- operators and lookups -------------------------------------------------------------- */

/* The operator, atom by atom: what the fast paths are judged by and fall back to. */
static Column *map_atoms(Exec *exec, const Node *node, const Column *const *args, size_t length,
                         Fault *fault) {
    ColumnWriter writer = column_writer(exec->arena, length);
    Intern *table = graph_intern(exec->graph);
    for (size_t i = 0; i < length; i++) {
        Atom arg[OP_MAX_ARITY], value;
        for (int k = 0; k < node->arity; k++) arg[k] = column_at(args[k], i);
        FaultId id = node->kind == NODE_MAP ? op_eval(node->op, arg, table, &value)
                                            : lookup_eval(node->lookup, arg[0], &value);
        if (id) {
            *fault = node->kind == NODE_MAP
                         ? op_fault(node->op, id, arg, node->span, exec->arena)
                         : lookup_fault(node->lookup, id, arg[0], node->span, exec->arena);
            column_free(exec->arena, writer.column);
            return NULL;
        }
        column_put(&writer, value);
        if (i % EXEC_POLL_EVERY == 0) exec_poll(exec);
    }
    return exec_finish(exec, &writer, node, fault);
}

static Column *make_constant(Column *column, size_t length) {
    if (!column) return NULL;
    column->constant = true;
    column->length = length;
    return column;
}

static Column *map(Exec *exec, const Node *node, Fault *fault) {
    const Column *args[OP_MAX_ARITY];
    bool constant = true;
    for (int k = 0; k < node->arity; k++) {
        args[k] = exec_ready(exec, node->arg[k]);
        constant = constant && args[k]->constant;
    }
    size_t n = exec->input.length;
    if (constant) return make_constant(map_atoms(exec, node, args, 1, fault), n);
    return map_atoms(exec, node, args, n, fault);
}

Column *exec_map(Exec *exec, const Node *node, Fault *fault) {
    return map(exec, node, fault);
}

Column *exec_lookup(Exec *exec, const Node *node, Fault *fault) {
    return map(exec, node, fault);
}
