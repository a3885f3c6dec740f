/* emit.h: a layer as RASP source of depth 1.
 *
 * An averaging head becomes an aggregate (and, where it selects the sink, the width of its
 * selection, by which the mean with the sink can be told); an aggregate of a grammar stays what it
 * is.  RASP has no selector for "the first in this order that is present", so a unique head becomes
 * reads of the positions it may pick from, one selector each, and a choice among them. The last
 * statement is the table: a tree of conditions on token, position and what the heads bring, no
 * larger than the instances ask for; what no instance asks for is filled as the tree happens to.
 */
#ifndef RASP_EXPRESS_EMIT_H
#define RASP_EXPRESS_EMIT_H

#include "express/decide.h"

typedef struct Carry {
    uint32_t length;   /* the first N at which the program fails; 0: none up to `tried` */
    uint32_t tried;    /* up to this length were tried: all inputs, or */
    bool sampled;      /* some of them, drawn */
    const char *input; /* on which it fails, */
    uint32_t position;
    const char *expected, *found;
} Carry;

typedef struct Emitted {
    const char *source;  /* text of the program; its last s-op is the answer */
    const char *rule;    /* the heads on one line */
    const char *grammar; /* of what its selectors are made: "relative", "absolute" or "free" */
    const char *problem; /* why it is not all that it should be; NULL: it is */
    bool checked;        /* the interpreter gives every label */
    bool certified;      /* compiled, certified, with this many attention layers: */
    size_t layers, heads, parameters;
    double error;
    bool carried;
    Carry carry;
} Emitted;

/* The program of a layer for the instances of the lengths 1 to N; looks for a layer of a grammar
 * with no more heads first, if the class is average.  Compiles it within the limits. */
const Emitted *emit_layer(Arena *arena, Task *task, const Verdict *verdict, const Query *query,
                          Limits *limits);

#endif
