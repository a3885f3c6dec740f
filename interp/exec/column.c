#include "interp/exec/column.h"

#include <string.h>

/* Data up to this size comes from the arena's chunks: cheap, and freed with the arena. */
enum { SHORT_BYTES = 1024 };

static const struct {
    size_t size;
    SequenceType type;
} forms[] = {[COLUMN_BOOL] = {sizeof(uint8_t), SEQUENCE_BOOL},
             [COLUMN_INT] = {sizeof(int64_t), SEQUENCE_INT},
             [COLUMN_FLOAT] = {sizeof(double), SEQUENCE_FLOAT},
             [COLUMN_STRING] = {sizeof(const Str *), SEQUENCE_STRING},
             [COLUMN_ATOM] = {sizeof(Atom), SEQUENCE_FLOAT}};

Atom column_at(const Column *column, size_t i) {
    size_t at = column->constant ? 0 : i;
    switch (column->form) {
    case COLUMN_BOOL:
        return atom_bool(column->bools[at]);
    case COLUMN_INT:
        return atom_int(column->ints[at]);
    case COLUMN_FLOAT:
        return atom_float(column->floats[at]);
    case COLUMN_STRING:
        return atom_string(column->strings[at]);
    case COLUMN_ATOM:
        break;
    }
    return column->atoms[at];
}

const char *sequence_type_name(SequenceType type) {
    static const char *const name[] = {[SEQUENCE_STRING] = "strings",
                                       [SEQUENCE_BOOL] = "bools",
                                       [SEQUENCE_INT] = "ints",
                                       [SEQUENCE_FLOAT] = "floats"};
    return name[type];
}

size_t column_bytes(const Column *column) {
    return (column->constant ? 1 : column->length) * forms[column->form].size;
}

static void *new_data(Arena *arena, ColumnForm form, size_t length) {
    if (length <= SHORT_BYTES / forms[form].size)
        return arena_array(arena, length, forms[form].size);
    return arena_block(arena, length, forms[form].size);
}

Column *column_new(Arena *arena, ColumnForm form, size_t length) {
    Column *column = ARENA_NEW(arena, Column);
    *column = (Column){.type = forms[form].type, .form = form, .length = length};
    column->data = new_data(arena, form, length);
    return column;
}

Column *column_constant(Arena *arena, Atom value, size_t length) {
    Column *column = column_new(arena, column_form_of(value.kind), 1);
    column_set(column, 0, value);
    column->constant = true;
    column->length = length;
    return column;
}

void column_free(Arena *arena, Column *column) {
    if (!column) return;
    if (!column->borrowed && column_bytes(column) > SHORT_BYTES) arena_release(arena, column->data);
    column->data = NULL;
}

Column column_from(const Column *column, size_t first) {
    Column part = *column;
    if (!part.constant) part.data = (char *)part.data + first * forms[part.form].size;
    part.length -= first;
    return part;
}

bool sequence_type_of(unsigned kinds, SequenceType *type) {
    enum { STRING = 1 << ATOM_STRING, BOOL = 1 << ATOM_BOOL, FLOAT = 1 << ATOM_FLOAT };
    if ((kinds & STRING) && kinds != STRING) return false;
    *type = kinds == STRING   ? SEQUENCE_STRING
            : kinds == BOOL   ? SEQUENCE_BOOL
            : (kinds & FLOAT) ? SEQUENCE_FLOAT
                              : SEQUENCE_INT;
    return true;
}

ColumnWriter column_writer(Arena *arena, size_t length) {
    Column *column = ARENA_NEW(arena, Column);
    column->length = length;
    return (ColumnWriter){.arena = arena, .column = column};
}

/* The first value, and the first of another kind than all before. */
void column_put_slow(ColumnWriter *writer, Atom value) {
    Column *column = writer->column;
    if (writer->count == 0) {
        column->form = column_form_of(value.kind);
        column->data = new_data(writer->arena, column->form, column->length);
    } else if (column->form != COLUMN_ATOM) {
        Column old = *column;
        column->data = new_data(writer->arena, COLUMN_ATOM, column->length);
        column->form = COLUMN_ATOM;
        for (size_t i = 0; i < writer->count; i++) column->atoms[i] = column_at(&old, i);
        column_free(writer->arena, &old);
    }
    writer->kinds |= 1u << value.kind;
    sequence_type_of(writer->kinds, &column->type);
    column_set(column, writer->count++, value);
}
