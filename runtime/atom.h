/* A token of the alphabet or a value of an output: a tagged string, int, float or bool.
 *
 * The runtime's own type, since runtime/ knows nothing of RASP's values. Kinds are kept apart:
 * True, 1, 1.0 and "1" are four different atoms. Strings carry their length and may contain NUL
 * bytes; they are UTF-8. Whoever holds an atom in a Model owns the string; everywhere else the
 * bytes are borrowed. Floats are finite. */
#ifndef RUNTIME_ATOM_H
#define RUNTIME_ATOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { RT_STRING, RT_INT, RT_FLOAT, RT_BOOL, RT_KIND_COUNT } RtKind;

typedef struct {
    RtKind kind;
    union {
        struct {
            const char *bytes;
            size_t length;
        } s;
        int64_t i;
        double f;
        bool b;
    } u;
} RtAtom;

/* "string", "int", "float", "bool": the spelling of `token_type` in a weights file. */
extern const char *const rt_kind_names[RT_KIND_COUNT];

RtAtom rt_string(const char *bytes, size_t length);
RtAtom rt_int(int64_t i);
RtAtom rt_float(double f);
RtAtom rt_bool(bool b);

/* Total order: by kind, then by value (strings bytewise); 0 when kind and value are the same. */
int rt_atom_compare(const RtAtom *a, const RtAtom *b);

/* The number an int, float or bool stands for. */
double rt_atom_number(const RtAtom *a);

/* Writes the atom for an error message ("abc", 1, 1.0, true), cut to size; returns buf. */
const char *rt_atom_text(const RtAtom *a, char *buf, size_t size);

#endif
