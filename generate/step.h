/* step.h: the steps of a program in the making (sketch.h): their texts and names. */
#ifndef RASP_GENERATE_STEP_H
#define RASP_GENERATE_STEP_H

#include "generate/sketch.h"

enum { MOST_ARGUMENTS = 3 };

typedef struct Idiom {
    char gives;
    uint32_t layers;
    unsigned weight;
    const char *takes, *text, *name;
} Idiom;

extern const Idiom idioms[];
extern const uint32_t idiom_count;

/* The literals of a step: a letter of its idiom is the same throughout. */
typedef struct Literals {
    uint32_t token, other, number, order, values[8];
} Literals;

typedef struct Step {
    const Idiom *idiom; /* NULL: tokens and the like, which are there */
    char type;
    uint32_t layers;  /* with those below it */
    const char *name; /* given when it is known who is needed */
    const char *text; /* until then with $1 for arguments */
    uint32_t arg[MOST_ARGUMENTS];
    Literals literals;
    uint32_t uses;
    bool needed, inlined;
} Step;

typedef struct Drawing {
    const SketchPlan *plan;
    Random *random;
    Arena *arena;
    Step steps[SKETCH_MOST_STEPS];
    uint32_t count;
    uint32_t fuel; /* steps that may still be made for the present one */
} Drawing;

static inline uint32_t drawing_choose(Drawing *d, uint32_t bound) {
    return (uint32_t)random_below(d->random, bound);
}

/* The inputs. */
void drawing_begin(Drawing *drawing);
/* The step's number; -1: there is no room, or there is such a step already. */
int drawing_add(Drawing *drawing, const Idiom *idiom, const uint32_t *arguments);
/* Takes back the last steps, down to so many; nobody else reads them. */
void drawing_rewind(Drawing *drawing, uint32_t count);
/* The text of what `result` needs. */
void drawing_finish(Drawing *drawing, uint32_t result, Sketch *sketch);

#endif
