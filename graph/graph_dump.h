/* graph_dump.h: the graph below some nodes as text, for `--dump=graph` and golden files.
 *
 *     0  tokens str
 *     1  constant "a"
 *     2  map == 0 1
 *     3  select == 2 2 (depth 1)
 *     4  width 3 (depth 1) n
 *     n: 4
 *
 * Nodes are numbered anew, so that what else the session holds does not show.
 */
#ifndef RASP_GRAPH_GRAPH_DUMP_H
#define RASP_GRAPH_GRAPH_DUMP_H

#include "graph/graph.h"

#include <stdio.h>

/* names[k] is what roots[k] is called. */
void graph_dump(FILE *out, const Graph *graph, const NodeId *roots, const char *const *names,
                size_t count, Arena *arena);

#endif
