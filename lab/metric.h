/* metric.h: metric learning for kernel regression (Weinberger and Tesauro 2007): the matrix M of
 * the kernel exp(−‖M(x − x')‖²) by gradient descent on the leave-one-out error. */
#ifndef RASP_LAB_METRIC_H
#define RASP_LAB_METRIC_H

#include "lab/matrix.h"

typedef struct MetricData {
    Matrix x, y; /* [N, D], [N, 1] */
} MetricData;

/* (1/N) Σ_i (y_i − ŷ_i)², ŷ_i the mean of the other y_j weighted by the kernel; M is [D, D]. Where
 * `gradient` is not NULL, [D, D] is written there. */
double metric_loss(Arena *arena, const MetricData *data, Matrix m, Matrix *gradient);
/* The kernel's estimate at x, of D numbers. */
double metric_estimate(Arena *arena, const MetricData *data, Matrix m, const double *x);

#endif
