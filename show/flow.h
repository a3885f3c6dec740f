/* flow.h: how an s-op comes about on one input, as a picture.
 *
 *     ┌ Layer 1 ──────────────────────┐
 *   ┌─▶ head: keys along the top,     │      each head as its selection grid
 *   │ │   queries down the side  ─────┼─┐
 *   ├─▶ s-op  v0 v1 v2 …          ◀───┼─┘    each s-op as a row of values
 *   │ └───────────────────────────────┘
 *   └── wires at the left: where values come from
 *
 * Wires run where no text is: down the left side, in channels above and below a line of heads, and
 * in gutters between heads. */
#ifndef RASP_SHOW_FLOW_H
#define RASP_SHOW_FLOW_H

#include "show/scene.h"

#include <stdio.h>

/* Writes the picture as SVG. */
void flow_svg(FILE *out, const Scene *scene, const char *title);

#endif
