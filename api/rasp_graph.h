/* rasp_graph.h: what a program computes, to read: the graph of s-ops and selectors below some
 * s-ops, and the values of each on one input.
 *
 *     RaspProgram ──▶ RaspGraph ──▶ RaspGraphNode          what is computed from what
 *     an input   ──┘      └───────▶ rasp_graph_values, rasp_graph_selection
 *
 * Functions, loops and lists are gone: what is left are nodes, and equal ones are one.  A node's
 * operands come before it, so that one pass over the nodes is a pass in order of computing.
 *
 * Handles, errors, threads and strings are those of rasp.h.
 */
#ifndef RASP_GRAPH_H
#define RASP_GRAPH_H

#include "rasp.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum RaspGraphKind {
    RASP_GRAPH_TOKENS,    /* the input's tokens; `op`: "tokens", "tokens_int", … */
    RASP_GRAPH_INDICES,   /* 0, 1, 2, … */
    RASP_GRAPH_CONSTANT,  /* `atom` */
    RASP_GRAPH_MAP,       /* `op` of 1 to 3 s-ops; "if" has condition, then, else */
    RASP_GRAPH_LOOKUP,    /* an s-op looked up in a list, string, dict or set; `op` says which */
    RASP_GRAPH_SELECT,    /* row i: the j for which key(j) `op` query(i); operands key, query */
    RASP_GRAPH_AND,       /* selectors, cell by cell */
    RASP_GRAPH_OR,        /* the same */
    RASP_GRAPH_NOT,       /* the same */
    RASP_GRAPH_AGGREGATE, /* the mean of the values selected, or `atom`; selector, values */
    RASP_GRAPH_WIDTH,     /* how many positions a selector selects */
} RaspGraphKind;

#define RASP_NO_NODE UINT32_MAX

typedef struct RaspGraphNode {
    RaspGraphKind kind;
    const char *op;                     /* as a program writes it; NULL: the kind says all */
    uint32_t operand[3], operand_count; /* nodes */
    RaspAtom atom;
    const RaspAtom *keys, *entries; /* lookup: of a dict or set; of all but a set; else NULL */
    size_t entry_count;
    uint32_t layer;   /* attention layers that it needs; an aggregate or width stands there */
    uint32_t head;    /* aggregate, width: its head; else RASP_NO_NODE */
    bool uniform;     /* selectors: all rows are the same, whatever the input */
    bool everything;  /* selectors: each row selects every position */
    const char *name; /* the first that the program gave it; NULL: none */
    const char *text; /* in source form, inner nodes by their names; for people: cut with "…" at 200
                         bytes */
    RaspPlace place;
} RaspGraphNode;

/* A head: a distinct selector of a layer.  Uniform selectors that are only counted need none of
 * their own and go with the one that selects everything (as `rasp layers` counts). */
typedef struct RaspGraphHead {
    uint32_t layer;    /* from 1 */
    uint32_t selector; /* a node; RASP_NO_NODE: everything, by a selector that is no node */
} RaspGraphHead;

typedef struct RaspGraph RaspGraph;

/* What is below the s-ops.  With an input also the values on it; NULL: none. */
RASP_API RaspGraph *rasp_graph_new(RaspProgram *program, const RaspSop *sops, size_t count,
                                   const RaspInput *input, RaspError *error);
RASP_API void rasp_graph_free(RaspGraph *graph);

RASP_API const RaspGraphNode *rasp_graph_nodes(const RaspGraph *graph, size_t *count);
/* Which node the k-th s-op is, of those that the graph was made from. */
RASP_API uint32_t rasp_graph_root(const RaspGraph *graph, size_t k);
RASP_API const RaspGraphHead *rasp_graph_heads(const RaspGraph *graph, size_t *count);

/* The tokens, and whether they were written as a string; NULL: there is no input. */
RASP_API const RaspSequence *rasp_graph_input(const RaspGraph *graph, bool *is_string);
/* The values of an s-op.  NULL: it fails on the input, as the error says. */
RASP_API const RaspSequence *rasp_graph_values(RaspGraph *graph, uint32_t node, RaspError *error);
/* A selector's table, cell [i * n + j]: query i selects key j. */
RASP_API const bool *rasp_graph_selection(RaspGraph *graph, uint32_t node, RaspError *error);

/* The computation of the k-th s-op as DOT text, for graphviz and for rasp_free. */
RASP_API char *rasp_graph_dot(RaspGraph *graph, size_t k, const char *title, RaspError *error);

#ifdef __cplusplus
}
#endif

#endif
