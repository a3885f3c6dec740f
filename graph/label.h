/* label.h: s-ops and selectors in source form, whole, for files.
 *
 * As a tree, what is shared may be beyond number: three lines of a program can have a text of
 * gigabytes.  So a label of more than 200 bytes has inner nodes, those without a name and with a
 * text of more than 100 bytes, by number, `$3`, which is how the file that has the label finds
 * their own.  Nothing is cut; what all labels have together is no more than a few hundred bytes a
 * node, and the constants and tables that the program itself writes.
 */
#ifndef RASP_GRAPH_LABEL_H
#define RASP_GRAPH_LABEL_H

#include "graph/graph.h"

#define LABEL_NONE UINT32_MAX

/* number: [graph_count], what `$` is followed by; LABEL_NONE: the node is written out. */
const char *graph_label(const Graph *graph, NodeId id, const uint32_t *number, Arena *arena);

/* Numbers for those nodes alone that labels of the roots refer to, and labels of these; from 0 in
 * the order of the graph, so that a label refers to lower numbers only.  `shared`: how many. */
uint32_t *graph_label_numbers(const Graph *graph, const NodeId *roots, size_t count,
                              uint32_t *shared, Arena *arena);

#endif
