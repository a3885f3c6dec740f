/* traps.h: what runs without a fault and cannot have been meant: a string compared with a number, a
 * literal that stands for a truth value.
 *
 * Each is a node of the graph, so one that was computed far away is found as well; a node that is
 * written at several places is found at the first.
 */
#ifndef RASP_GRAPH_TRAPS_H
#define RASP_GRAPH_TRAPS_H

#include "graph/graph.h"

typedef struct Trap {
    NodeId node;
    const char *text; /* what it does, and the way out */
} Trap;

/* Those among the roots and below them, in the order of the nodes; in `arena`. */
const Trap *traps_find(const Graph *graph, const NodeId *roots, size_t root_count, size_t *count,
                       Arena *arena);
/* As a warning. */
void trap_report(const Trap *trap, const Graph *graph, const DiagSink *sink, const SourceMap *map);

/* The text for a comparison by == or != (a map or a select) of which argument `strings`, 0 or 1,
 * holds strings alone and the other one numbers. */
const char *trap_text(const Graph *graph, const Node *node, int strings, Arena *arena);

#endif
