/* column.h: the values of an s-op on one input, as a typed array.
 *
 * The language's sequence type (language.md 7.2) and the representation are two things: a
 * sequence of floats may hold ints that stay ints, one of ints may hold bools.  Uniform
 * columns are plain arrays; mixed ones hold atoms.
 *
 * A column and its data belong to the arena it was made in (a run's).  column_free gives a
 * long column's data back early; what is short lives and dies with the arena.
 */
#ifndef RASP_INTERP_EXEC_COLUMN_H
#define RASP_INTERP_EXEC_COLUMN_H

#include "graph/atom.h"

typedef enum SequenceType {
    SEQUENCE_STRING,
    SEQUENCE_BOOL,
    SEQUENCE_INT,
    SEQUENCE_FLOAT
} SequenceType;

typedef enum ColumnForm {
    COLUMN_BOOL,   /* uint8_t, 0 or 1 */
    COLUMN_INT,    /* int64_t */
    COLUMN_FLOAT,  /* double */
    COLUMN_STRING, /* const Str * */
    COLUMN_ATOM,   /* Atom: ints among floats, bools among ints */
} ColumnForm;

typedef struct Column {
    SequenceType type;
    ColumnForm form;
    bool constant; /* every position holds the same value; only element 0 is stored */
    bool borrowed; /* the data is somebody else's, and only read */
    size_t length;
    union {
        uint8_t *bools;
        int64_t *ints;
        double *floats;
        const Str **strings;
        Atom *atoms;
        void *data;
    };
} Column;

/* The value at position i. */
Atom column_at(const Column *column, size_t i);

/* "ints", "floats", "strings", "bools". */
const char *sequence_type_name(SequenceType type);

/* Uninitialised data; the type is the form's (an atom column's is the caller's to set). */
Column *column_new(Arena *arena, ColumnForm form, size_t length);
Column *column_constant(Arena *arena, Atom value, size_t length);
void column_free(Arena *arena, Column *column);

/* The column from a position on, to be read: it shares the data. */
Column column_from(const Column *column, size_t first);

/* Bytes of data. */
size_t column_bytes(const Column *column);

static inline ColumnForm column_form_of(AtomKind kind) {
    static const ColumnForm form[] = {[ATOM_BOOL] = COLUMN_BOOL,
                                      [ATOM_INT] = COLUMN_INT,
                                      [ATOM_FLOAT] = COLUMN_FLOAT,
                                      [ATOM_STRING] = COLUMN_STRING};
    return form[kind];
}

/* Stores a value of a kind that the form can hold. */
static inline void column_set(Column *column, size_t i, Atom value) {
    switch (column->form) {
    case COLUMN_BOOL:
        column->bools[i] = value.b;
        break;
    case COLUMN_INT:
        column->ints[i] = value.i;
        break;
    case COLUMN_FLOAT:
        column->floats[i] = value.f;
        break;
    case COLUMN_STRING:
        column->strings[i] = value.s;
        break;
    case COLUMN_ATOM:
        column->atoms[i] = value;
        break;
    }
}

/* A column whose form shows as its values arrive, in order. */
typedef struct ColumnWriter {
    Arena *arena;
    Column *column;
    size_t count;
    unsigned kinds; /* bit 1 << AtomKind for each kind seen */
} ColumnWriter;

ColumnWriter column_writer(Arena *arena, size_t length);
void column_put_slow(ColumnWriter *writer, Atom value);
static inline void column_put(ColumnWriter *writer, Atom value) {
    if (writer->kinds != 1u << value.kind)
        column_put_slow(writer, value);
    else
        column_set(writer->column, writer->count++, value);
}

/* The sequence type of values of these kinds (bits as above); false: strings and numbers. */
bool sequence_type_of(unsigned kinds, SequenceType *type);

#endif
