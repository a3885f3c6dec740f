/* lines.h: the rows and heads of a scene as lines of text, for terminals.
 *
 *     key tokens               c  a  b
 *     query tokens                      pos
 *                c          c  .  1  1    2
 *                a          a  .  .  .    0
 *                b          b  .  1  .    1
 *
 * Columns are lined up by what characters take on a terminal. */
#ifndef RASP_SHOW_LINES_H
#define RASP_SHOW_LINES_H

#include "show/scene.h"

#include <stdio.h>

/* The most positions that fit into lines of `width` columns, in rows and with `panels` also in
 * heads; one at least, SCENE_POSITIONS at most.  Width 0: no limit. */
size_t lines_fit(const Scene *scene, size_t width, bool panels);

/* The s-ops of a layer, a line each. */
void lines_rows(FILE *out, const Scene *scene, const SceneLayer *layer, size_t indent);
/* A head: keys, queries beside the cells, results at the right, values below. */
void lines_panel(FILE *out, const Scene *scene, const ScenePanel *panel, size_t indent);
/* All of it, layer by layer; what is cut off is said. */
void lines_scene(FILE *out, const Scene *scene);

#endif
