#include "lab/matrix.h"

#include "lab/simplex.h"

#include <assert.h>
#include <math.h>
#include <string.h>

Matrix matrix_new(Arena *arena, size_t rows, size_t cols) {
    size_t size;
    if (__builtin_mul_overflow(rows, cols, &size)) size = SIZE_MAX;
    return (Matrix){rows, cols, ARENA_ARRAY(arena, size ? size : 1, double)};
}

Matrix matrix_copy(Arena *arena, Matrix m) {
    Matrix copy = matrix_new(arena, m.rows, m.cols);
    memcpy(copy.x, m.x, m.rows * m.cols * sizeof *m.x);
    return copy;
}

Matrix matrix_identity(Arena *arena, size_t n) {
    Matrix m = matrix_new(arena, n, n);
    for (size_t i = 0; i < n; i++) *matrix_at(m, i, i) = 1;
    return m;
}

Matrix matrix_normal(Arena *arena, Rng *rng, size_t rows, size_t cols, double scale) {
    Matrix m = matrix_new(arena, rows, cols);
    rng_normals(rng, m.x, rows * cols, scale);
    return m;
}

Matrix matrix_transpose(Arena *arena, Matrix m) {
    Matrix t = matrix_new(arena, m.cols, m.rows);
    for (size_t i = 0; i < m.rows; i++)
        for (size_t j = 0; j < m.cols; j++) *matrix_at(t, j, i) = *matrix_at(m, i, j);
    return t;
}

Matrix matrix_product(Arena *arena, Matrix a, Matrix b) {
    assert(a.cols == b.rows);
    Matrix product = matrix_new(arena, a.rows, b.cols);
    for (size_t i = 0; i < a.rows; i++) {
        double *out = matrix_row(product, i);
        for (size_t k = 0; k < a.cols; k++) {
            double factor = *matrix_at(a, i, k);
            const double *row = matrix_row(b, k);
            for (size_t j = 0; j < b.cols; j++) out[j] += factor * row[j];
        }
    }
    return product;
}

Matrix matrix_sum(Arena *arena, Matrix a, double scale, Matrix b) {
    assert(a.rows == b.rows && a.cols == b.cols);
    Matrix sum = matrix_copy(arena, a);
    for (size_t k = 0; k < a.rows * a.cols; k++) sum.x[k] += scale * b.x[k];
    return sum;
}

double matrix_norm(Matrix m) {
    return sqrt(dot(m.x, m.x, m.rows * m.cols));
}

double matrix_difference(Matrix a, Matrix b) {
    assert(a.rows == b.rows && a.cols == b.cols);
    return max_difference(a.x, b.x, a.rows * a.cols);
}

/* --- singular values ------------------------------------------------------------------------ */

/* Turns rows p and q of length n so that they are orthogonal; false if they were. */
static bool rotate_rows(double *p, double *q, size_t n) {
    double a = dot(p, p, n), b = dot(q, q, n), c = dot(p, q, n);
    if (fabs(c) <= 1e-16 * sqrt(a * b) || c == 0) return false;
    double zeta = (b - a) / (2 * c);
    double t = copysign(1, zeta) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    double cosine = 1 / sqrt(1 + t * t), sine = cosine * t;
    for (size_t k = 0; k < n; k++) {
        double x = p[k], y = q[k];
        p[k] = cosine * x - sine * y;
        q[k] = sine * x + cosine * y;
    }
    return true;
}

double *matrix_singular_values(Arena *arena, Matrix m) {
    enum { SWEEPS = 60 };
    Matrix w = m.rows <= m.cols ? matrix_copy(arena, m) : matrix_transpose(arena, m);
    bool moving = true;
    for (int sweep = 0; moving && sweep < SWEEPS; sweep++) {
        moving = false;
        for (size_t i = 0; i < w.rows; i++) {
            budget_poll(arena_budget(arena));
            for (size_t j = i + 1; j < w.rows; j++)
                moving |= rotate_rows(matrix_row(w, i), matrix_row(w, j), w.cols);
        }
    }
    double *values = ARENA_ARRAY(arena, w.rows ? w.rows : 1, double);
    for (size_t i = 0; i < w.rows; i++)
        values[i] = sqrt(dot(matrix_row(w, i), matrix_row(w, i), w.cols));
    sort_descending(values, w.rows);
    return values;
}

size_t matrix_rank(Arena *arena, Matrix m, double tolerance) {
    size_t count = m.rows < m.cols ? m.rows : m.cols, rank = 0;
    Arena *scratch = arena_child(arena);
    const double *values = matrix_singular_values(scratch, m);
    while (rank < count && values[rank] > tolerance * values[0]) rank++;
    arena_free(scratch);
    return rank;
}

/* --- orthonormal rows ----------------------------------------------------------------------- */

void matrix_project_out(Matrix q, size_t rank, double *x) {
    for (int turn = 0; turn < 2; turn++) /* again, for what rounding left */
        for (size_t k = 0; k < rank; k++) {
            double along = dot(matrix_row(q, k), x, q.cols);
            for (size_t i = 0; i < q.cols; i++) x[i] -= along * *matrix_at(q, k, i);
        }
}

size_t matrix_join(Matrix q, size_t rank, const double *row, double tolerance) {
    double length = sqrt(dot(row, row, q.cols)), left;
    if (length == 0 || rank == q.rows) return rank;
    double *next = matrix_row(q, rank);
    for (size_t i = 0; i < q.cols; i++) next[i] = row[i] / length;
    matrix_project_out(q, rank, next);
    left = sqrt(dot(next, next, q.cols));
    for (size_t i = 0; i < q.cols; i++) next[i] = left > tolerance ? next[i] / left : 0;
    return rank + (left > tolerance);
}

/* --- linear systems -------------------------------------------------------------------------- */

static void swap_rows(Matrix m, size_t i, size_t j) {
    for (size_t k = 0; i != j && k < m.cols; k++) {
        double x = *matrix_at(m, i, k);
        *matrix_at(m, i, k) = *matrix_at(m, j, k);
        *matrix_at(m, j, k) = x;
    }
}

static void subtract_row(Matrix m, size_t from, double factor, size_t row) {
    for (size_t k = 0; k < m.cols; k++) *matrix_at(m, from, k) -= factor * *matrix_at(m, row, k);
}

bool matrix_solve(Arena *arena, Matrix a, Matrix b, Matrix *x) {
    assert(a.rows == a.cols && a.rows == b.rows);
    Matrix u = matrix_copy(arena, a);
    *x = matrix_copy(arena, b);
    for (size_t p = 0; p < u.rows; p++) {
        size_t best = p;
        for (size_t i = p + 1; i < u.rows; i++)
            if (fabs(*matrix_at(u, i, p)) > fabs(*matrix_at(u, best, p))) best = i;
        if (*matrix_at(u, best, p) == 0) return false;
        swap_rows(u, p, best);
        swap_rows(*x, p, best);
        for (size_t i = p + 1; i < u.rows; i++) {
            double factor = *matrix_at(u, i, p) / *matrix_at(u, p, p);
            subtract_row(u, i, factor, p);
            subtract_row(*x, i, factor, p);
        }
    }
    for (size_t p = u.rows; p-- > 0;) {
        for (size_t i = p + 1; i < u.rows; i++) subtract_row(*x, p, *matrix_at(u, p, i), i);
        for (size_t k = 0; k < x->cols; k++) *matrix_at(*x, p, k) /= *matrix_at(u, p, p);
    }
    return true;
}
