/* score.h: a compiled transformer as a score sheet.
 *
 *               embedding        layer 0, heads       layer 0, sublayer 0
 *               tokens           head 0.0             table 0.0
 *     dim 0     ■─tokens────────(k)
 *     dim 1                      ■─hist──────────────(x)
 *     out y                                           ■─y
 *
 * Lines are dimensions of the residual stream, time runs to the right; a node (embedding, head,
 * table, unit that clears, output) is a stem with a square on each line that it writes and a letter
 * on each that it reads: q, k, v of a head, x of a table, c of what is cleared, o of an output.  A
 * bar is a column over its lifetime, thin where nobody will read it any more. */
#ifndef RASP_SHOW_SCORE_H
#define RASP_SHOW_SCORE_H

#include "api/rasp_circuit.h"
#include "base/arena.h"

#include <stdio.h>

enum { SCORE_NODES = 1000, SCORE_LINES = 1000 }; /* more are no picture */

/* The lines that the picture would have. */
size_t score_lines(const RaspCircuit *circuit);

void score_svg(FILE *out, const RaspCircuit *circuit, const char *title, Arena *arena);

#endif
