/* explain.h: what a program does, in plain words: a paragraph for what comes before attention and
 * one for each layer; with an input also what becomes of it, step by step. */
#ifndef RASP_SHOW_EXPLAIN_H
#define RASP_SHOW_EXPLAIN_H

#include "show/scene.h"

#include <stdio.h>

/* In lines of at most `width` columns.  Where the scene has an input, the values of each step. */
void explain(FILE *out, const Scene *scene, size_t width);

#endif
