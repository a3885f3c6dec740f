#include "lab/metric.h"

#include "lab/simplex.h"

#include <math.h>

/* Weights of all examples at x, given M x_j as rows and M x; `without` gets 0. */
static void weigh(Matrix rows, const double *at, size_t without, double *a) {
    for (size_t j = 0; j < rows.rows; j++) {
        double square = 0;
        for (size_t c = 0; c < rows.cols; c++) square += pow(*matrix_at(rows, j, c) - at[c], 2);
        a[j] = j == without ? -INFINITY : -square;
    }
    softmax(a, rows.rows, 1, a);
}

/* ŷ_i changes by a_ij (y_j − ŷ_i) with the score −‖Mδ‖², δ = x_i − x_j, whose gradient is −2 Mδδᵀ:
 * so the gradient is M G with G = Σ_ij −(4/N) (ŷ_i − y_i) a_ij (y_j − ŷ_i) δδᵀ. */
double metric_loss(Arena *arena, const MetricData *data, Matrix m, Matrix *gradient) {
    Arena *scratch = arena_child(arena);
    size_t n = data->x.rows, wide = data->x.cols;
    Matrix rows = matrix_product(scratch, data->x, matrix_transpose(scratch, m));
    Matrix g = matrix_new(scratch, wide, wide);
    double *a = ARENA_ARRAY(scratch, n, double), *delta = ARENA_ARRAY(scratch, wide, double);
    double loss = 0;
    for (size_t i = 0; i < n; i++) {
        weigh(rows, matrix_row(rows, i), i, a);
        double estimate = dot(a, data->y.x, n), off = estimate - data->y.x[i];
        loss += off * off / (double)n;
        for (size_t j = 0; j < n && gradient; j++) {
            double f = -4 / (double)n * off * a[j] * (data->y.x[j] - estimate);
            if (fabs(f) < 1e-18) continue;
            for (size_t c = 0; c < wide; c++)
                delta[c] = *matrix_at(data->x, i, c) - *matrix_at(data->x, j, c);
            for (size_t r = 0; r < wide; r++)
                for (size_t c = r; c < wide; c++) *matrix_at(g, r, c) += f * delta[r] * delta[c];
        }
    }
    for (size_t r = 0; r < wide; r++)
        for (size_t c = 0; c < r; c++) *matrix_at(g, r, c) = *matrix_at(g, c, r);
    if (gradient) {
        Matrix product = matrix_product(scratch, m, g);
        for (size_t k = 0; k < wide * wide; k++) gradient->x[k] = product.x[k];
    }
    arena_free(scratch);
    return loss;
}

double metric_estimate(Arena *arena, const MetricData *data, Matrix m, const double *x) {
    Arena *scratch = arena_child(arena);
    size_t n = data->x.rows;
    Matrix rows = matrix_product(scratch, data->x, matrix_transpose(scratch, m));
    Matrix at = matrix_new(scratch, 1, m.rows);
    double *a = ARENA_ARRAY(scratch, n, double);
    for (size_t r = 0; r < m.rows; r++) at.x[r] = dot(matrix_row(m, r), x, m.cols);
    weigh(rows, at.x, SIZE_MAX, a);
    double estimate = dot(a, data->y.x, n);
    arena_free(scratch);
    return estimate;
}
