/* atom.h: the value of one position: a bool, an int, a float or a string.
 *
 * Two notions of sameness.  atom_equal is the language's: numbers compare by value across
 * kinds, exactly (1 == 1.0 == True), other kinds are unequal.  atom_same also asks for the
 * same kind and, for floats, the same bits (0.0 and -0.0 differ, a NaN is itself): it is
 * what hash-consing, alphabets and level sets use.
 */
#ifndef RASP_GRAPH_ATOM_H
#define RASP_GRAPH_ATOM_H

#include "base/intern.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum AtomKind { ATOM_BOOL, ATOM_INT, ATOM_FLOAT, ATOM_STRING } AtomKind;

typedef struct Atom {
    AtomKind kind;
    union {
        bool b;
        int64_t i;
        double f;
        const Str *s;
    };
} Atom;

static inline Atom atom_bool(bool b) {
    return (Atom){.kind = ATOM_BOOL, .i = b};
}
static inline Atom atom_int(int64_t i) {
    return (Atom){.kind = ATOM_INT, .i = i};
}
static inline Atom atom_float(double f) {
    return (Atom){.kind = ATOM_FLOAT, .f = f};
}
static inline Atom atom_string(const Str *s) {
    return (Atom){.kind = ATOM_STRING, .s = s};
}

static inline bool atom_is_number(Atom a) {
    return a.kind != ATOM_STRING;
}
/* Bools and ints: the value as an int. */
static inline bool atom_is_integral(Atom a) {
    return a.kind == ATOM_INT || a.kind == ATOM_BOOL;
}
static inline int64_t atom_integer(Atom a) {
    return a.kind == ATOM_BOOL ? a.b : a.i;
}
/* Numbers: the value as a double (ints beyond 2^53 are rounded). */
static inline double atom_double(Atom a) {
    return a.kind == ATOM_FLOAT ? a.f : (double)atom_integer(a);
}

bool atom_truth(Atom a); /* falsy: 0, 0.0, False, "" */
bool atom_equal(Atom a, Atom b);
bool atom_same(Atom a, Atom b);

typedef enum AtomOrder { ATOM_LESS, ATOM_EQUAL, ATOM_GREATER, ATOM_UNORDERED } AtomOrder;
/* Numbers with numbers exactly, strings with strings by code point.  ATOM_UNORDERED: a NaN
 * is involved.  Must not be called on a string and a number (atom_comparable). */
AtomOrder atom_order(Atom a, Atom b);
bool atom_comparable(Atom a, Atom b);

/* Consistent with atom_equal and with atom_same. */
uint64_t atom_hash(Atom a);

/* A total order for sorting sets (kinds mixed): by kind class, value, kind. */
int atom_compare_total(const Atom *a, const Atom *b);

/* "bool", "int", "float", "str": the reference's names in messages. */
const char *atom_kind_name(AtomKind kind);

typedef enum AtomStyle {
    ATOM_PLAIN,  /* True, 3, 0.5, text as it is */
    ATOM_QUOTED, /* strings in double quotes, nothing escaped */
    ATOM_LISTED, /* strings as in a printed list: 'a', "it's", escapes */
    ATOM_CELL,   /* T and F, floats in full, strings bare */
    ATOM_JSON,   /* true, 3, 0.5, "escaped"; inf and nan as strings */
} AtomStyle;

/* Writes the text and returns its length as snprintf does (it may exceed size - 1). */
size_t atom_text(Atom a, AtomStyle style, char *text, size_t size);
/* The same of a string that is nobody's Str. */
size_t string_text(const char *string, size_t length, AtomStyle style, char *text, size_t size);
const char *atom_show(Atom a, AtomStyle style, Arena *arena);

/* The atom as the language writes it, which has neither exponents nor quotes within strings; NULL:
 * it has no word for it. */
const char *atom_literal(Atom a, Arena *arena);

/* The shortest decimal text that reads back to the same double, in the reference's form
 * (1.0, 1e-05, 1e+16, inf, nan, -0.0).  At least 32 bytes. */
void float_text(double value, char text[32]);
/* Rounded to `digits` decimals (correctly, from the exact binary value), then as above. */
double float_round(double value, int digits);

/* Reads an int ([+-]digits) or a float ([+-]digits[.digits]); false: not of that form, or
 * out of range. */
bool read_int(const char *text, size_t length, int64_t *value);
bool read_float(const char *text, size_t length, double *value);

#endif
