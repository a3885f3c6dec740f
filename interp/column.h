/* column.h: the values of an s-op on one input, as a typed array.
 *
 * The language's sequence type (language.md 7.2) and the representation are two things: a
 * sequence of floats may hold ints that stay ints, one of ints may hold bools.  Uniform
 * columns are plain arrays; mixed ones hold atoms.
 */
#ifndef RASP_INTERP_COLUMN_H
#define RASP_INTERP_COLUMN_H

#include "interp/atom.h"

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
    size_t length;
    union {
        uint8_t *bools;
        int64_t *ints;
        double *floats;
        const Str **strings;
        Atom *atoms;
        void *data; /* an arena block */
    };
} Column;

/* The value at position i. */
Atom column_at(const Column *column, size_t i);

/* "ints", "floats", "strings", "bools". */
const char *sequence_type_name(SequenceType type);

#endif
