/* analysis.h: how many attention layers and heads an s-op needs (language.md section 15).
 *
 * An aggregate or width stands in the layer of its depth; a head is a distinct selector of a
 * layer.  Structurally equal selectors are one node already.  A width whose rows are all
 * alike (each query of its selector is a constant: `count`, `contains`, `length`) needs no
 * selection of its own: it is the mean of its selector's condition over all positions, so it
 * goes with the head of its selector if an aggregate of the layer has one, else with the head
 * that attends to everything.  Selectors that select everything are one.
 */
#ifndef RASP_GRAPH_ANALYSIS_H
#define RASP_GRAPH_ANALYSIS_H

#include "graph/graph.h"

typedef struct Head {
    uint32_t layer;  /* from 1 */
    NodeId selector; /* NODE_NONE: everything, by a selector that is not in the graph */
    uint32_t uses;   /* aggregates and widths that read it */
} Head;

#define HEAD_NONE UINT32_MAX

typedef struct Layers {
    uint32_t count;    /* attention layers: the depth of the deepest root */
    const Head *heads; /* by layer, then by selector */
    size_t head_count;
    const NodeId *path;      /* a longest chain: one aggregate or width a layer, from layer 1 */
    const uint32_t *head_of; /* [node]: the head of an aggregate or width; else HEAD_NONE */
    const bool *alike;       /* [node]: are all rows of the selector the same? */
} Layers;

/* Does each row of the selector select every position, whatever the input? */
bool selects_everything(const Graph *graph, NodeId selector);

/* What the roots (s-ops) need together; in `arena`. */
Layers analyse_layers(const Graph *graph, const NodeId *roots, size_t count, Arena *arena);

#endif
