/* regression.h: linear regression in a context: examples (x_j, y_j), a weight vector w to be found.
 *
 * Two ways to the same numbers, which share nothing: a layer of linear attention on tokens (x, y),
 * and the textbook: gradient steps on the loss (1/2N) Σ (w·x_j − y_j)², least squares, ridge. */
#ifndef RASP_LAB_REGRESSION_H
#define RASP_LAB_REGRESSION_H

#include "lab/matrix.h"

typedef struct Regression {
    Matrix x, y; /* [N, d], [N, 1] */
    Matrix w;    /* [d, 1]: what the y were made from */
} Regression;

/* x ~ N(0, I), w ~ N(0, I), y = x·w + noise of that variance. */
Regression regression_draw(Arena *arena, Rng *rng, size_t count, size_t width, double variance);

/* w − η/N Σ (w·x_j − y_j) x_j. */
Matrix regression_step(Arena *arena, const Regression *r, Matrix w, double eta);
/* (XᵀX + λI)⁻¹ Xᵀy; least squares for λ = 0. False when that matrix is singular. */
bool regression_ridge(Arena *arena, const Regression *r, double lambda, Matrix *w);

/* A layer of linear attention with a skip on tokens z = (x, y), [n, d + 1], in which every token
 * attends to the first `context` ones:
 *     z_i ← z_i + Σ_j (z_i W_Q · z_j W_K) z_j W_V P,
 * with W_Q = W_K = diag(I, 0), W_V = diag(0, −1), P = (η/N) I. */
Matrix regression_layer(Arena *arena, Matrix z, size_t context, double eta);
/* Tokens of the examples, then (x, 0) for each row of `queries`. */
Matrix regression_tokens(Arena *arena, const Regression *r, Matrix queries);

#endif
