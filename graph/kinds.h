/* kinds.h: can an s-op hold strings, can it hold numbers, whatever the input?
 *
 * An upper bound, from how it is made alone.  Strings and numbers are never equal, so a comparison
 * of the one with the other is a mistake (traps.h).
 */
#ifndef RASP_GRAPH_KINDS_H
#define RASP_GRAPH_KINDS_H

#include "graph/graph.h"

typedef struct Kinds {
    bool strings, numbers;
    bool single; /* and if numbers, then this one alone: a default among strings */
    Atom number;
} Kinds;

/* By node, of all that the graph has; those of selectors are of no account.  In `arena`. */
const Kinds *graph_kinds(const Graph *graph, Arena *arena);

/* Can a value of the one equal a value of the other? */
bool kinds_meet(const Kinds *a, const Kinds *b);

#endif
