/* Faults of sequences: what they hold, and what the rows of an aggregate select. */
#include "interp/exec/exec_run.h"

#include <string.h>

/* --- values ----------------------------------------------------------------------------- */

enum { VALUES_SHOWN = 100 };

/* The values as the reference lists them, `(0, 'h')` or `['h', 'e']`, after a hundred "…". */
static const char *values_text(Exec *exec, const Column *column, const char *brackets) {
    size_t shown = column->length < VALUES_SHOWN ? column->length : VALUES_SHOWN, size = 8;
    for (size_t i = 0; i < shown; i++)
        size += atom_text(column_at(column, i), ATOM_LISTED, NULL, 0) + 2;
    char *text = arena_alloc(exec->arena, size), *at = text;
    *at++ = brackets[0];
    for (size_t i = 0; i < shown; i++) {
        if (i) at = stpcpy(at, ", ");
        at += atom_text(column_at(column, i), ATOM_LISTED, at, (size_t)(text + size - at));
    }
    if (shown < column->length) at = stpcpy(at, ", …");
    *at++ = brackets[1];
    *at = 0;
    return text;
}

Column *exec_finish(Exec *exec, ColumnWriter *writer, const Node *node, Fault *fault) {
    SequenceType type;
    if (sequence_type_of(writer->kinds, &type)) return writer->column;
    bool as_given = node->kind == NODE_TOKENS && node->tokens == TOKENS_ASIS;
    *fault = (Fault){.id = FAULT_MIXED_TYPES, .span = node->span};
    fault->arg[0] = values_text(exec, writer->column, as_given ? "[]" : "()");
    column_free(exec->arena, writer->column);
    return NULL;
}

/* --- rows of an aggregate --------------------------------------------------------------- */

/* What a message calls the values of a sequence, and one of them. */
static const struct {
    const char *values, *value, *hint;
} types[] = {
    [SEQUENCE_STRING] = {"strings", "a string",
                         "a selector of at most one position moves strings unchanged"},
    [SEQUENCE_BOOL] = {"bools", "a bool", "indicator(x) makes them numbers"},
    [SEQUENCE_INT] = {"ints", "a number", ""},
    [SEQUENCE_FLOAT] = {"floats", "a number", ""},
};

/* "0, 1 and 3 more, the values 'a', 'b', ...": the positions that a row selects, and what is
 * there. */
static const char *selected_text(Exec *exec, const Node *node, const Column *values, size_t row) {
    enum { NAMED = 2 };
    size_t count = 0, named[NAMED] = {0};
    Arena *arena = exec->arena;
    Formula formula = formula_build(exec, node->arg[0]);
    for (size_t j = 0; j < exec->input.length; j++) {
        if (j % EXEC_POLL_EVERY == 0) exec_poll(exec);
        if (!formula_cell(&formula, row, j)) continue;
        if (count < NAMED) named[count] = j;
        count++;
    }
    formula_free(exec, &formula);
    const char *a = atom_show(column_at(values, named[0]), ATOM_QUOTED, arena);
    const char *b = atom_show(column_at(values, named[1]), ATOM_QUOTED, arena);
    return count == NAMED ? arena_format(arena, "positions %zu and %zu, the values %s and %s",
                                         named[0], named[1], a, b)
                          : arena_format(arena,
                                         "%zu positions, such as %zu and %zu, the values "
                                         "%s and %s",
                                         count, named[0], named[1], a, b);
}

Fault exec_average_fault(Exec *exec, const Node *node, const Column *values, size_t row) {
    return (Fault){.id = FAULT_AVERAGE,
                   .span = node->span,
                   .arg = {values_text(exec, values, "[]"), arena_format(exec->arena, "%zu", row),
                           selected_text(exec, node, values, row),
                           arena_format(exec->arena, "%s: %s", types[values->type].values,
                                        types[values->type].hint)}};
}

void exec_explain_default(Exec *exec, const Node *node, const Column *values, size_t row,
                          Fault *fault) {
    if (fault->id != FAULT_MIXED_TYPES) return;
    fault->id = FAULT_DEFAULT_TYPE;
    fault->arg[1] = arena_format(exec->arena, "%zu", row);
    fault->arg[2] =
        arena_format(exec->arena, "%s among %s", atom_show(node->atom, ATOM_QUOTED, exec->arena),
                     types[values->type].values);
    fault->arg[3] = types[values->type].value;
}
