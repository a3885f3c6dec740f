/* hull.h: is a point in the convex hull of others?
 *
 * The nearest point of the hull is found by Wolfe's algorithm for the point of least norm (Wolfe
 * 1976), which is finite.  The verdict does not rest on it: `inside` comes with weights whose mean
 * is the point, `outside` with a direction that separates, and both are evaluated again. */
#ifndef RASP_LAB_HULL_H
#define RASP_LAB_HULL_H

#include "base/arena.h"

#include <stddef.h>

typedef enum HullSide {
    HULL_INSIDE,
    HULL_OUTSIDE,
    HULL_UNDECIDED, /* the point is so near the boundary that neither proof holds in doubles */
} HullSide;

typedef struct Hull {
    HullSide side;
    double distance;   /* from the point to the nearest point found */
    double margin;     /* outside: u.x - max_j u.v_j > 0 for the unit vector u = direction */
    double *weights;   /* [n], on the simplex: the nearest point is sum_j weights_j v_j */
    double *direction; /* [d]; NULL unless outside */
} Hull;

/* `points` is [n, d] with n > 0, `x` is [d]. Inside means: nearer than `tolerance` times the
 * greatest distance of a point from x, plus the rounding of the numbers given. The result lives in
 * the arena. */
Hull hull_test(const double *points, size_t n, size_t d, const double *x, double tolerance,
               Arena *arena);

/* The proofs, from nothing but the numbers: |sum_j a_j (v_j - x)| for weights that sum to 1, and
 * u.x - max_j u.v_j. */
double hull_residual(const double *points, size_t n, size_t d, const double *x,
                     const double *weights);
double hull_margin(const double *points, size_t n, size_t d, const double *x,
                   const double *direction);

/* Wendel (1962): the chance that the centre is in the hull of n independent points of a symmetric
 * distribution in R^d: 1 - 2^(1-n) sum_{k<d} C(n-1, k). */
double hull_wendel(size_t n, size_t d);

#endif
