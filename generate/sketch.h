/* sketch.h: a random program as people write them: named steps, each an idiom (idiom.def) over
 * earlier ones, every one of them used, in a given number of attention layers.
 *
 * It is well typed and nearly always runs.  Whether it does something, whoever has an interpreter
 * can say. */
#ifndef RASP_GENERATE_SKETCH_H
#define RASP_GENERATE_SKETCH_H

#include "base/arena.h"
#include "base/random.h"

#include <stdbool.h>
#include <stdint.h>

enum { SKETCH_MOST_LAYERS = 16, SKETCH_MOST_STEPS = 96 };

typedef struct SketchPlan {
    uint32_t layers;           /* at least one */
    uint32_t heads;            /* so many selectors are attended with; 0: one or two a layer */
    uint32_t steps;            /* most statements */
    const char *const *tokens; /* texts of the alphabet that may stand in a string, at least one */
    uint32_t token_count;
    bool closed; /* these are all of the alphabet: a dict may stand for a function of tokens */
    bool digits; /* they read as ints */
} SketchPlan;

typedef struct Sketch {
    const char *text;
    uint32_t layers, heads, steps;
} Sketch;

/* False: nothing came of these numbers; the next ones may do better.  Texts live in the arena. */
bool sketch_draw(const SketchPlan *plan, Random *random, Arena *arena, Sketch *sketch);

#endif
