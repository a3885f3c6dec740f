#include "lab/span.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Vectors are rows here: [count, n]. */
static double length_of(const double *x, size_t n) {
    double square = 0;
    for (size_t i = 0; i < n; i++) square += x[i] * x[i];
    return sqrt(square);
}

static void scale(double *x, size_t n, double factor) {
    for (size_t i = 0; i < n; i++) x[i] *= factor;
}

/* x less its part along the unit vector u. */
static void remove_part(double *x, const double *u, size_t n) {
    double part = 0;
    for (size_t i = 0; i < n; i++) part += x[i] * u[i];
    for (size_t i = 0; i < n; i++) x[i] -= part * u[i];
}

/* Rows of unit length; those that are rounding are 0. */
static void make_unit(Matrix rows) {
    double longest = 0;
    for (size_t k = 0; k < rows.rows; k++)
        longest = fmax(longest, length_of(matrix_row(rows, k), rows.cols));
    for (size_t k = 0; k < rows.rows; k++) {
        double length = length_of(matrix_row(rows, k), rows.cols);
        scale(matrix_row(rows, k), rows.cols, length > 1e-12 * longest ? 1 / length : 0);
    }
}

static size_t longest_row(Matrix rows, double *length) {
    size_t best = 0;
    *length = -1;
    for (size_t k = 0; k < rows.rows; k++) {
        double here = length_of(matrix_row(rows, k), rows.cols);
        if (here <= *length) continue;
        *length = here;
        best = k;
    }
    return best;
}

Matrix span_of(Arena *arena, Matrix m, double tolerance) {
    Matrix left = matrix_transpose(arena, m), basis = matrix_new(arena, m.cols, m.rows);
    size_t n = m.rows, rank = 0;
    make_unit(left);
    while (rank < m.cols && rank < n) {
        double length, *u = matrix_row(basis, rank);
        size_t best = longest_row(left, &length);
        if (length <= tolerance) break;
        memcpy(u, matrix_row(left, best), n * sizeof *u);
        for (size_t k = 0; k < rank; k++) remove_part(u, matrix_row(basis, k), n);
        scale(u, n, 1 / length_of(u, n));
        for (size_t k = 0; k < left.rows; k++) remove_part(matrix_row(left, k), u, n);
        rank++;
    }
    return matrix_transpose(arena, (Matrix){rank, n, basis.x});
}

Matrix span_join(Arena *arena, Matrix a, Matrix b) {
    assert(a.rows == b.rows);
    Matrix joined = matrix_new(arena, a.rows, a.cols + b.cols);
    for (size_t i = 0; i < a.rows; i++) {
        memcpy(matrix_row(joined, i), matrix_row(a, i), a.cols * sizeof(double));
        memcpy(matrix_row(joined, i) + a.cols, matrix_row(b, i), b.cols * sizeof(double));
    }
    return joined;
}
