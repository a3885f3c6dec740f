#include "lab/adam.h"

#include <math.h>

Adam adam_new(Arena *arena, size_t count, double beta1, double beta2) {
    return (Adam){.beta1 = beta1,
                  .beta2 = beta2,
                  .epsilon = 1e-8,
                  .mean = ARENA_ARRAY(arena, count, double),
                  .square = ARENA_ARRAY(arena, count, double),
                  .count = count};
}

void adam_step(Adam *a, double rate, const double *gradient, double *parameters) {
    double steps = (double)++a->steps;
    double first = 1 - pow(a->beta1, steps), second = 1 - pow(a->beta2, steps);
    for (size_t k = 0; k < a->count; k++) {
        double g = gradient[k];
        a->mean[k] = a->beta1 * a->mean[k] + (1 - a->beta1) * g;
        a->square[k] = a->beta2 * a->square[k] + (1 - a->beta2) * g * g;
        parameters[k] -= rate * (a->mean[k] / first) / (sqrt(a->square[k] / second) + a->epsilon);
    }
}
