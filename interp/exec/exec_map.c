/* Nodes that need no attention: the input's tokens, elementwise operators, lookups. */
#include "graph/token.h"
#include "interp/exec/exec_run.h"

/* --- tokens ----------------------------------------------------------------------------- */

static Fault token_fault(Exec *exec, FaultId id, Atom token, Span span) {
    Fault fault = {.id = id, .span = span};
    fault.arg[0] =
        id == FAULT_INT_OVERFLOW ? "tokens_int" : atom_show(token, ATOM_LISTED, exec->arena);
    fault.arg[3] = fault.arg[0];
    return fault;
}

/* Strings as they are. */
static Column *borrow_strings(Exec *exec) {
    Column *column = ARENA_NEW(exec->arena, Column);
    *column = (Column){.type = SEQUENCE_STRING,
                       .form = COLUMN_STRING,
                       .borrowed = true,
                       .length = exec->input.length};
    column->strings = (const Str **)(uintptr_t)exec->input.strings;
    return column;
}

static Atom token_at(const Input *input, size_t i) {
    return input->strings ? atom_string(input->strings[i]) : input->tokens[i];
}

Column *exec_tokens(Exec *exec, const Node *node, Fault *fault) {
    bool as_they_are = node->tokens == TOKENS_STR || node->tokens == TOKENS_ASIS;
    if (exec->input.strings && as_they_are) return borrow_strings(exec);
    ColumnWriter writer = column_writer(exec->arena, exec->input.length);
    for (size_t i = 0; i < exec->input.length; i++) {
        Atom value;
        FaultId id = token_convert(node->tokens, token_at(&exec->input, i),
                                   graph_intern(exec->graph), &value);
        if (id) {
            *fault = token_fault(exec, id, token_at(&exec->input, i), node->span);
            return NULL;
        }
        column_put(&writer, value);
        if (i % EXEC_POLL_EVERY == 0) exec_poll(exec);
    }
    return exec_finish(exec, &writer, node, fault);
}

/* --- operators and lookups -------------------------------------------------------------- */

static FaultId eval(const Exec *exec, const Node *node, const Atom *arg, Atom *value) {
    return node->kind == NODE_MAP ? op_eval(node->op, arg, graph_intern(exec->graph), value)
                                  : lookup_eval(node->lookup, arg[0], value);
}

static Fault eval_fault(Exec *exec, const Node *node, FaultId id, const Atom *arg) {
    return node->kind == NODE_MAP ? op_fault(node->op, id, arg, node->span)
                                  : lookup_fault(node->lookup, id, arg[0], node->span, exec->arena);
}

/* What strings met before gave, where one column of strings is all that varies: tokens are
 * few, and looking them up or joining them is dear. */
typedef struct Memo {
    int varying; /* the argument, or -1: no use */
    struct {
        const Str *key;
        Atom value;
    } entry[256];
} Memo;

static void memo_init(Memo *memo, const Node *node, const Column *const *args) {
    int count = 0;
    memo->varying = -1;
    for (int k = 0; k < node->arity; k++)
        if (!args[k]->constant) {
            count++;
            memo->varying = args[k]->form == COLUMN_STRING ? k : -1;
        }
    if (count != 1) memo->varying = -1;
    for (size_t e = 0; memo->varying >= 0 && e < 256; e++) memo->entry[e].key = NULL;
}

static FaultId eval_memo(const Exec *exec, const Node *node, Memo *memo, const Atom *arg,
                         Atom *value) {
    if (memo->varying < 0) return eval(exec, node, arg, value);
    const Str *key = arg[memo->varying].s;
    size_t e = key->hash % 256;
    FaultId id = FAULT_NONE;
    if (memo->entry[e].key != key) {
        id = eval(exec, node, arg, &memo->entry[e].value);
        memo->entry[e].key = id ? NULL : key;
    }
    *value = memo->entry[e].value;
    return id;
}

/* The operator, atom by atom: what the fast loops are judged by and fall back to. */
static Column *map_atoms(Exec *exec, const Node *node, const Column *const *args, size_t length,
                         Fault *fault) {
    ColumnWriter writer = column_writer(exec->arena, length);
    Memo memo;
    memo_init(&memo, node, args);
    for (size_t i = 0; i < length; i++) {
        Atom arg[OP_MAX_ARITY], value;
        for (int k = 0; k < node->arity; k++) arg[k] = column_at(args[k], i);
        FaultId id = eval_memo(exec, node, &memo, arg, &value);
        if (id) {
            *fault = eval_fault(exec, node, id, arg);
            column_free(exec->arena, writer.column);
            return NULL;
        }
        column_put(&writer, value);
        if (i % EXEC_POLL_EVERY == 0) exec_poll(exec);
    }
    return exec_finish(exec, &writer, node, fault);
}

/* All arguments are constant: so is the result. */
static Column *map_once(Exec *exec, const Node *node, const Column *const *args, Fault *fault) {
    Atom arg[OP_MAX_ARITY], value;
    for (int k = 0; k < node->arity; k++) arg[k] = column_at(args[k], 0);
    FaultId id = eval(exec, node, arg, &value);
    if (!id) return column_constant(exec->arena, value, exec->input.length);
    *fault = eval_fault(exec, node, id, arg);
    return NULL;
}

Column *exec_map(Exec *exec, const Node *node, Fault *fault) {
    const Column *args[OP_MAX_ARITY];
    bool constant = true;
    for (int k = 0; k < node->arity; k++) {
        args[k] = exec_ready(exec, node->arg[k]);
        constant = constant && args[k]->constant;
    }
    if (constant) return map_once(exec, node, args, fault);
    Column *column = node->kind == NODE_MAP && exec->options.plan != EXEC_PLAN_NAIVE
                         ? exec_fast_map(exec, node->op, args)
                         : NULL;
    return column ? column : map_atoms(exec, node, args, exec->input.length, fault);
}
