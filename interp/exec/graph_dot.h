/* graph_dot.h: how an s-op comes about on one input, as a picture for graphviz
 * (language.md section 15, "What the drawing shows").
 *
 * One block a layer.  In it a box for each head: its keys above and queries beside the table
 * of what is selected, then for each aggregate or width of the head the values and the result.
 * Below, the elementwise s-ops of that depth.  Hidden are constants, and nameless elementwise
 * s-ops that only one other elementwise s-op uses.
 */
#ifndef RASP_INTERP_EXEC_GRAPH_DOT_H
#define RASP_INTERP_EXEC_GRAPH_DOT_H

#include "interp/exec/exec.h"

#include <stdio.h>

typedef struct Drawing {
    const Graph *graph;
    Exec *exec;        /* with `keep`, of the input */
    size_t length;     /* of the input */
    NodeId root;       /* the s-op, which runs on the input */
    const char *title; /* "name(input)" */
} Drawing;

/* Writes DOT text; false and the fault if something cannot be computed. */
bool graph_dot(FILE *out, const Drawing *drawing, Arena *arena, Fault *fault);

#endif
