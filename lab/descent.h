/* descent.h: the least value of a convex function of weights: a product of simplices, one a head.
 *
 * Two solvers that share nothing but the objective: accelerated projected gradient with restart
 * (Beck and Teboulle 2009; O'Donoghue and Candès 2015) and exponentiated gradient (Kivinen and
 * Warmuth 1997). The Frank–Wolfe gap judges both: at weights a with gradient g it is Σ over heads
 * of a·g − min_j g_j, and f(a) − min f ≤ gap when f is convex (Jaggi 2013). */
#ifndef RASP_LAB_DESCENT_H
#define RASP_LAB_DESCENT_H

#include "base/arena.h"

#include <stddef.h>

/* A convex function of weights [heads, keys], each head's on the simplex. */
typedef struct Objective {
    size_t heads, keys;
    /* The value at `weights`; where `gradient` is not NULL, the gradient [heads, keys] too. */
    double (*at)(void *context, const double *weights, double *gradient);
    void *context;
} Objective;

typedef struct Descent {
    double value; /* f at the weights found */
    double gap;   /* Frank–Wolfe: the least value is at least value − gap */
    size_t steps;
} Descent;

double frank_wolfe_gap(const Objective *objective, const double *weights, const double *gradient);

/* From uniform weights until the gap is at most `tolerance` or `most` steps are done: the result's
 * gap says which. The weights with the smallest gap are written. Rounding of f ends progress near a
 * gap of 1e-9 of f's scale. */
Descent descend_projected(const Objective *objective, double tolerance, size_t most,
                          double *weights, Arena *arena);
Descent descend_exponentiated(const Objective *objective, double tolerance, size_t most,
                              double *weights, Arena *arena);

#endif
