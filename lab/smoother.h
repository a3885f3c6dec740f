/* smoother.h: Nadaraya–Watson regression on a line: the estimate at x is the mean of the y_j,
 * weighted by a kernel of (x − x_j)/h.
 *
 * Kernels are weight rules on the scores −(x − x_j)²/2 at the temperature h²: softmax is the
 * Gaussian kernel, sparsemax the Epanechnikov kernel of a width that the data choose. */
#ifndef RASP_LAB_SMOOTHER_H
#define RASP_LAB_SMOOTHER_H

#include "lab/kernel.h"

typedef struct Sample {
    const double *x, *y;
    size_t count;
} Sample;

/* sin 2πx + noise of that standard deviation at `count` random places of [0, 1]. */
Sample sample_wave(Arena *arena, Rng *rng, size_t count, double noise);

/* The estimate at x; `without`: a point that is left out, or SIZE_MAX. weights: [count] scratch,
 * holds the weights afterwards. scores: [count] scratch. */
double smooth_at(const Kernel *kernel, Sample sample, double h, double x, size_t without,
                 double *scores, double *weights);

/* Mean squared error of each y_k estimated without itself. */
double leave_one_out(Arena *arena, const Kernel *kernel, Sample sample, double h);

#endif
