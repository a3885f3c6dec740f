/* facts_private.h: what the parts of facts.h share. */
#ifndef RASP_COMPILE_FACTS_FACTS_PRIVATE_H
#define RASP_COMPILE_FACTS_FACTS_PRIVATE_H

#include "compile/facts/facts.h"
#include "compile/values/formula.h"

typedef struct Finder {
    Values *values;
    const Graph *graph;
    NodeId root;
    const bool *needed; /* by node */
    uint32_t count;     /* nodes */
    Arena *arena;
} Finder;

static inline bool node_attends(const Node *node) {
    return node->kind == NODE_AGGREGATE || node->kind == NODE_WIDTH;
}

/* Is it select(indices, indices, op), a comparison of two positions? */
bool is_mask(const Finder *f, const Node *select);

/* The positions that a selector may select (reach.c). */
Reach selector_reach(Finder *f, NodeId selector);
/* Does the s-op depend on no later token? */
bool find_causal(Finder *f);

PositionUse find_positions(Finder *f);

/* How the attention of a node is read (readers.c). */
ReaderFact reader_fact(Finder *f, NodeId node);

/* False: the s-op is not shown to be in the logic of counting (counting.c). */
bool find_counting(Finder *f, uint32_t *depth);

#endif
