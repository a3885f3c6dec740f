#include "lab/regression.h"

#include <math.h>
#include <string.h>

Regression regression_draw(Arena *arena, Rng *rng, size_t count, size_t width, double variance) {
    Regression r = {.x = matrix_normal(arena, rng, count, width, 1),
                    .w = matrix_normal(arena, rng, width, 1, 1)};
    r.y = matrix_sum(arena, matrix_product(arena, r.x, r.w), sqrt(variance),
                     matrix_normal(arena, rng, count, 1, 1));
    return r;
}

Matrix regression_step(Arena *arena, const Regression *r, Matrix w, double eta) {
    Matrix off = matrix_sum(arena, matrix_product(arena, r->x, w), -1, r->y);
    Matrix gradient = matrix_product(arena, matrix_transpose(arena, r->x), off);
    return matrix_sum(arena, w, -eta / (double)r->x.rows, gradient);
}

bool regression_ridge(Arena *arena, const Regression *r, double lambda, Matrix *w) {
    Matrix across = matrix_transpose(arena, r->x);
    Matrix gram = matrix_product(arena, across, r->x);
    for (size_t c = 0; c < gram.rows; c++) *matrix_at(gram, c, c) += lambda;
    return matrix_solve(arena, gram, matrix_product(arena, across, r->y), w);
}

static Matrix diagonal(Arena *arena, size_t width, double features, double label) {
    Matrix m = matrix_new(arena, width, width);
    for (size_t c = 0; c < width; c++) *matrix_at(m, c, c) = c + 1 < width ? features : label;
    return m;
}

Matrix regression_layer(Arena *arena, Matrix z, size_t context, double eta) {
    Matrix seen = {context, z.cols, z.x};
    Matrix query = matrix_product(arena, z, diagonal(arena, z.cols, 1, 0));
    Matrix key = matrix_product(arena, seen, diagonal(arena, z.cols, 1, 0));
    Matrix value = matrix_product(arena, seen, diagonal(arena, z.cols, 0, -1));
    Matrix weights = matrix_product(arena, query, matrix_transpose(arena, key));
    return matrix_sum(arena, z, eta / (double)context, matrix_product(arena, weights, value));
}

Matrix regression_tokens(Arena *arena, const Regression *r, Matrix queries) {
    size_t width = r->x.cols, count = r->x.rows;
    Matrix z = matrix_new(arena, count + queries.rows, width + 1);
    for (size_t i = 0; i < z.rows; i++) {
        const double *x = i < count ? matrix_row(r->x, i) : matrix_row(queries, i - count);
        memcpy(matrix_row(z, i), x, width * sizeof *x);
        if (i < count) *matrix_at(z, i, width) = r->y.x[i];
    }
    return z;
}
