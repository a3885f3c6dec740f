/* difference.h: two models, piece by piece. */
#ifndef RASP_COMPILE_PROVE_DIFFERENCE_H
#define RASP_COMPILE_PROVE_DIFFERENCE_H

#include "runtime/model.h"

#include <stddef.h>

typedef struct Difference {
    bool same_shape; /* layers, heads, sublayers, sizes, masks, outputs */
    char shape[256]; /* the first that is not, or "" */
    size_t weights;  /* elements compared */
    size_t changed;  /* elements that differ */
    double largest;  /* of their differences */
    char where[96];  /* that element: "layers.0.heads.1.key[3,2]" */
} Difference;

/* `expected` against `found`, both as they are (model_round). */
void model_difference(const Model *expected, const Model *found, Difference *difference);

#endif
