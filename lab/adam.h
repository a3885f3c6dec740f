/* adam.h: the optimiser Adam (Kingma and Ba 2015), bias corrected, for flat arrays of parameters.
 */
#ifndef RASP_LAB_ADAM_H
#define RASP_LAB_ADAM_H

#include "base/arena.h"

typedef struct Adam {
    double beta1, beta2, epsilon;
    double *mean, *square; /* [count]: running means of the gradient and its square */
    size_t count, steps;
} Adam;

Adam adam_new(Arena *arena, size_t count, double beta1, double beta2);
void adam_step(Adam *adam, double rate, const double *gradient, double *parameters);

#endif
