/* matrix.h: small dense matrices of doubles, row-major, in an arena.
 *
 * Shapes are the caller's promise (assert). Products are plain loops in a fixed order, so results
 * are the same on every machine; what needs speed calls BLAS itself (runtime/blas.h). */
#ifndef RASP_LAB_MATRIX_H
#define RASP_LAB_MATRIX_H

#include "base/arena.h"
#include "lab/rng.h"

typedef struct Matrix {
    size_t rows, cols;
    double *x; /* [rows, cols] */
} Matrix;

Matrix matrix_new(Arena *arena, size_t rows, size_t cols); /* zeros */
Matrix matrix_copy(Arena *arena, Matrix m);
Matrix matrix_identity(Arena *arena, size_t n);
Matrix matrix_normal(Arena *arena, Rng *rng, size_t rows, size_t cols, double scale);
Matrix matrix_transpose(Arena *arena, Matrix m);
Matrix matrix_product(Arena *arena, Matrix a, Matrix b); /* a b */
/* a + scale b */
Matrix matrix_sum(Arena *arena, Matrix a, double scale, Matrix b);

static inline double *matrix_row(Matrix m, size_t i) {
    return m.x + i * m.cols;
}
static inline double *matrix_at(Matrix m, size_t i, size_t j) {
    return &m.x[i * m.cols + j];
}

/* ‖m‖_F, and the largest |a − b|. */
double matrix_norm(Matrix m);
double matrix_difference(Matrix a, Matrix b);

/* min(rows, cols) singular values from large to small: one-sided Jacobi (Hestenes 1958), accurate
 * to a few units of the largest one's last place. */
double *matrix_singular_values(Arena *arena, Matrix m);
/* How many singular values exceed `tolerance` times the largest. */
size_t matrix_rank(Arena *arena, Matrix m, double tolerance);

/* Removes from x[q.cols] what the first `rank` rows of q, orthonormal, span: what is left is
 * orthogonal to them. */
void matrix_project_out(Matrix q, size_t rank, double *x);
/* Gram and Schmidt: row[q.cols] joins the first `rank` rows of q if more than `tolerance` times its
 * length is left of it. Gives the new rank. */
size_t matrix_join(Matrix q, size_t rank, const double *row, double tolerance);

/* Solves a x = b by elimination with partial pivoting; false when a pivot is 0. b: [n, k]. */
bool matrix_solve(Arena *arena, Matrix a, Matrix b, Matrix *x);

#endif
