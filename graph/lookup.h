/* lookup.h: a constant list, string, dict or set that an s-op is looked up in:
 * `[3,1,2][s]`, `"abc"[s]`, `{"a": 1}[s]`, `s in ["a", "b"]`. */
#ifndef RASP_GRAPH_LOOKUP_H
#define RASP_GRAPH_LOOKUP_H

#include "base/table.h"
#include "graph/atom.h"
#include "graph/fault.h"

typedef enum LookupKind {
    LOOKUP_LIST,   /* by int; negative counts from the end */
    LOOKUP_STRING, /* the same; values are the characters, as strings */
    LOOKUP_DICT,   /* by key (language equality) */
    LOOKUP_SET,    /* gives a bool: is it one of the keys? */
} LookupKind;

typedef struct Lookup {
    LookupKind kind;
    uint32_t count;
    const Atom *keys;   /* DICT and SET, distinct by atom_equal; else NULL */
    const Atom *values; /* LIST, STRING, DICT; else NULL */
    const bool *holes;  /* which entries hold no atom and may not be picked; NULL: none */
    Table table;        /* DICT and SET: over keys, by atom_hash */
    uint64_t hash;      /* of the content, for hash-consing */
} Lookup;

/* Copies the arrays.  Keys must be distinct by atom_equal. */
const Lookup *lookup_new(Arena *arena, LookupKind kind, const Atom *keys, const Atom *values,
                         size_t count);
/* The same with holes, where the values are of no account. */
const Lookup *lookup_new_holed(Arena *arena, LookupKind kind, const Atom *keys, const Atom *values,
                               const bool *holes, size_t count);
bool lookup_same(const Lookup *a, const Lookup *b);

FaultId lookup_eval(const Lookup *lookup, Atom at, Atom *result);
/* The fault with its arguments, for an `at` on which lookup_eval gave `id`. */
Fault lookup_fault(const Lookup *lookup, FaultId id, Atom at, Span span, Arena *arena);

#endif
