/* Items 16 to 18: attention without the exponential or without the division. */
#include "lab/heads.h"

#include "lab/matrix.h"
#include "lab/simplex.h"

#include <math.h>
#include <time.h>

/* --- 16: linear attention ------------------------------------------------------------------------
 */

typedef double Feature(double x);

static double identity(double x) {
    return x;
}

static double elu1(double x) {
    return x > 0 ? x + 1 : exp(x);
}

static double relu(double x) {
    return x > 0 ? x : 0;
}

static Matrix map(Arena *arena, Matrix m, Feature *f) {
    Matrix out = matrix_copy(arena, m);
    for (size_t k = 0; k < m.rows * m.cols; k++) out.x[k] = f(m.x[k]);
    return out;
}

/* Feature rows and values; the identity may be negative, so it is not normalised. */
typedef struct Linear {
    Matrix q, k, v;
    bool normalised;
} Linear;

static void divide_row(const Linear *at, double *row, double z) {
    for (size_t m = 0; at->normalised && m < at->v.cols; m++) row[m] /= z;
}

/* o_i = Σ_{j ≤ i} (φ(q_i)·φ(k_j)) v_j: O(n²). */
static Matrix quadratic(Arena *arena, const Linear *at) {
    Matrix out = matrix_new(arena, at->q.rows, at->v.cols);
    for (size_t i = 0; i < at->q.rows; i++) {
        double z = 0;
        for (size_t j = 0; j <= i; j++) {
            double weight = dot(matrix_row(at->q, i), matrix_row(at->k, j), at->q.cols);
            z += weight;
            for (size_t m = 0; m < at->v.cols; m++)
                *matrix_at(out, i, m) += weight * *matrix_at(at->v, j, m);
        }
        divide_row(at, matrix_row(out, i), z);
    }
    return out;
}

/* S += φ(k) vᵀ, z += φ(k) for the keys first .. end − 1. */
static void absorb(const Linear *at, size_t first, size_t end, Matrix s, double *z) {
    for (size_t j = first; j < end; j++) {
        for (size_t d = 0; d < s.rows; d++) {
            double feature = *matrix_at(at->k, j, d);
            z[d] += feature;
            for (size_t m = 0; m < s.cols; m++)
                *matrix_at(s, d, m) += feature * *matrix_at(at->v, j, m);
        }
    }
}

/* φ(q_i)ᵀ S into row i; φ(q_i)·z. */
static double read_state(const Linear *at, size_t i, Matrix s, const double *z, double *row) {
    for (size_t d = 0; d < s.rows; d++)
        for (size_t m = 0; m < s.cols; m++) row[m] += *matrix_at(at->q, i, d) * *matrix_at(s, d, m);
    return dot(matrix_row(at->q, i), z, s.rows);
}

/* By a state of d_φ × d_v numbers, a token at a time: O(n). */
static Matrix prefix(Arena *arena, const Linear *at) {
    Matrix out = matrix_new(arena, at->q.rows, at->v.cols);
    Matrix s = matrix_new(arena, at->k.cols, at->v.cols);
    double *z = ARENA_ARRAY(arena, at->k.cols, double);
    for (size_t i = 0; i < at->q.rows; i++) {
        absorb(at, i, i + 1, s, z);
        divide_row(at, matrix_row(out, i), read_state(at, i, s, z, matrix_row(out, i)));
    }
    return out;
}

/* The state of earlier chunks, and the quadratic form within the query's own. */
static Matrix chunked(Arena *arena, const Linear *at, size_t chunk) {
    Matrix out = matrix_new(arena, at->q.rows, at->v.cols);
    Matrix s = matrix_new(arena, at->k.cols, at->v.cols);
    double *sum = ARENA_ARRAY(arena, at->k.cols, double);
    for (size_t first = 0; first < at->q.rows; first += chunk) {
        size_t end = first + chunk < at->q.rows ? first + chunk : at->q.rows;
        for (size_t i = first; i < end; i++) {
            double *row = matrix_row(out, i), z = read_state(at, i, s, sum, row);
            for (size_t j = first; j <= i; j++) {
                double weight = dot(matrix_row(at->q, i), matrix_row(at->k, j), at->q.cols);
                z += weight;
                for (size_t m = 0; m < at->v.cols; m++) row[m] += weight * *matrix_at(at->v, j, m);
            }
            divide_row(at, row, z);
        }
        absorb(at, first, end, s, sum);
    }
    return out;
}

/* Differences relative to the largest entry. */
static double apart(Matrix a, Matrix b) {
    double size = 0;
    for (size_t k = 0; k < a.rows * a.cols; k++) size = fmax(size, fabs(a.x[k]));
    return matrix_difference(a, b) / fmax(size, 1);
}

/* exp(w·x − ‖x‖²/2) for each w: positive random features (arXiv:2009.14794). */
static double random_kernel(Rng *rng, const double *q, const double *k, size_t d) {
    double wq = 0, wk = 0;
    for (size_t i = 0; i < d; i++) {
        double w = rng_normal(rng);
        wq += w * q[i];
        wk += w * k[i];
    }
    return exp(wq - dot(q, q, d) / 2) * exp(wk - dot(k, k, d) / 2);
}

static void check_random_features(Lab *lab, Page *page) {
    enum { D = 4 };
    size_t draws = lab->quick ? 20000 : 400000;
    double q[D], k[D], sum = 0, squares = 0;
    rng_normals(lab->rng, q, D, 0.5);
    rng_normals(lab->rng, k, D, 0.5);
    for (size_t c = 0; c < draws; c++) {
        double x = random_kernel(lab->rng, q, k, D);
        sum += x;
        squares += x * x;
        lab_poll(lab);
    }
    double n = (double)draws, mean = sum / n;
    check_z(page, "random features: mean of φ(q)·φ(k) beside exp(q·k)", mean, exp(dot(q, k, D)),
            sqrt((squares / n - mean * mean) / n));
}

/* Of this thread's CPU, which other processes do not change much. */
static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef Matrix Form(Arena *arena, const Linear *at);

static double seconds_of(Lab *lab, const Linear *at, Form *form) {
    Arena *arena = arena_child(lab->arena);
    double start = cpu_seconds();
    form(arena, at);
    double seconds = cpu_seconds() - start;
    arena_free(arena);
    lab_poll(lab);
    return seconds;
}

/* Least time for twice the length by the least for once, taken in turns. */
static double growth(Lab *lab, const Linear *once, const Linear *twice, Form *form) {
    double least[2] = {INFINITY, INFINITY};
    for (int k = 0; k < 5; k++) {
        lab_progress(lab, form == prefix ? 0.2 : 0.2 + 0.16 * k);
        least[0] = fmin(least[0], seconds_of(lab, once, form));
        least[1] = fmin(least[1], seconds_of(lab, twice, form));
    }
    return least[1] / least[0];
}

static Linear random_linear(Lab *lab, size_t n, Feature *f) {
    return (Linear){map(lab->arena, matrix_normal(lab->arena, lab->rng, n, 8, 1), f),
                    map(lab->arena, matrix_normal(lab->arena, lab->rng, n, 8, 1), f),
                    matrix_normal(lab->arena, lab->rng, n, 4, 1), f != identity};
}

static void time_forms(Lab *lab, Page *page) {
    size_t n = lab->quick ? 512 : 4096;
    Linear once = random_linear(lab, n, elu1), twice = random_linear(lab, 2 * n, elu1);
    check_most(page, MEASUREMENT, "time of the prefix form, twice the length / once",
               growth(lab, &once, &twice, prefix), 2.4);
    check_least(page, MEASUREMENT, "time of the quadratic form, twice the length / once",
                growth(lab, &once, &twice, quadratic), 3.5);
}

void heads_linear_attention(Lab *lab, Page *page) {
    static Feature *const features[] = {identity, elu1, relu};
    double worst = 0;
    for (size_t f = 0; f < 3; f++) {
        for (size_t c = 0; c < 20; c++) {
            lab_poll(lab);
            Linear at = random_linear(lab, 96, features[f]);
            if (features[f] == relu) /* no query without a key */
                for (size_t i = 0; i < 96; i++) *matrix_at(at.q, i, 0) = *matrix_at(at.k, i, 0) = 1;
            Matrix q = quadratic(lab->arena, &at);
            worst = fmax(worst, apart(q, prefix(lab->arena, &at)));
            worst = fmax(worst, apart(q, chunked(lab->arena, &at, 1 + rng_below(lab->rng, 40))));
        }
    }
    check_near(page, IDENTITY, "quadratic, prefix and chunked form: largest difference", worst, 0,
               1e-10);
    check_random_features(lab, page);
    time_forms(lab, page);
}

/* --- 17: fast-weight memory
 * ----------------------------------------------------------------------- */

/* W += v kᵀ for each row. */
static Matrix hebbian(Arena *arena, Matrix keys, Matrix values) {
    Matrix w = matrix_new(arena, values.cols, keys.cols);
    for (size_t t = 0; t < keys.rows; t++)
        for (size_t i = 0; i < w.rows; i++)
            for (size_t j = 0; j < w.cols; j++)
                *matrix_at(w, i, j) += *matrix_at(values, t, i) * *matrix_at(keys, t, j);
    return w;
}

/* W += η (v − W k) kᵀ with η = 1/‖k‖². */
static Matrix delta_rule(Arena *arena, Matrix keys, Matrix values) {
    Matrix w = matrix_new(arena, values.cols, keys.cols);
    for (size_t t = 0; t < keys.rows; t++) {
        const double *k = matrix_row(keys, t);
        double eta = 1 / dot(k, k, keys.cols);
        for (size_t i = 0; i < w.rows; i++) {
            double miss = *matrix_at(values, t, i) - dot(matrix_row(w, i), k, keys.cols);
            for (size_t j = 0; j < w.cols; j++) *matrix_at(w, i, j) += eta * miss * k[j];
        }
    }
    return w;
}

/* The largest |W k_m − v_m − crosstalk|, crosstalk Σ_{j≠m} (k_j·k_m) v_j if wanted. */
static double recall_error(Matrix w, Matrix keys, Matrix values, size_t m, bool crosstalk) {
    double worst = 0;
    for (size_t i = 0; i < w.rows; i++) {
        double expected = *matrix_at(values, m, i);
        for (size_t j = 0; crosstalk && j < keys.rows; j++)
            if (j != m)
                expected += dot(matrix_row(keys, j), matrix_row(keys, m), keys.cols) *
                            *matrix_at(values, j, i);
        double found = dot(matrix_row(w, i), matrix_row(keys, m), keys.cols);
        worst = fmax(worst, fabs(found - expected));
    }
    return worst;
}

/* Gram–Schmidt, twice. */
static void make_orthonormal(Matrix m) {
    for (size_t i = 0; i < m.rows; i++) {
        double *row = matrix_row(m, i);
        for (size_t k = 0; k < 2 * i; k++) {
            const double *other = matrix_row(m, k % i);
            double share = dot(row, other, m.cols);
            for (size_t d = 0; d < m.cols; d++) row[d] -= share * other[d];
        }
        double norm = sqrt(dot(row, row, m.cols));
        for (size_t d = 0; d < m.cols; d++) row[d] /= norm;
    }
}

void heads_fast_weights(Lab *lab, Page *page) {
    enum { T = 6, DK = 8, DV = 3 };
    size_t cases = lab->quick ? 50 : 500;
    double exact = 0, crosstalk = 0, last = 0, interference = 0;
    for (size_t c = 0; c < cases; c++) {
        lab_poll(lab);
        Matrix keys = matrix_normal(lab->arena, lab->rng, T, DK, 0.5);
        Matrix values = matrix_normal(lab->arena, lab->rng, T, DV, 1);
        Matrix w = hebbian(lab->arena, keys, values), plain = matrix_copy(lab->arena, keys);
        for (size_t m = 0; m < T; m++) {
            double norm = sqrt(dot(matrix_row(plain, m), matrix_row(plain, m), DK));
            for (size_t d = 0; d < DK; d++) *matrix_at(plain, m, d) /= norm;
        }
        w = hebbian(lab->arena, plain, values);
        for (size_t m = 0; m < T; m++) {
            crosstalk = fmax(crosstalk, recall_error(w, plain, values, m, true));
            interference += recall_error(w, plain, values, m, false) / (double)(T * cases);
        }
        w = delta_rule(lab->arena, keys, values);
        last = fmax(last, recall_error(w, keys, values, T - 1, false));
        make_orthonormal(keys);
        w = hebbian(lab->arena, keys, values);
        for (size_t m = 0; m < T; m++) exact = fmax(exact, recall_error(w, keys, values, m, false));
    }
    check_near(page, IDENTITY, "orthonormal keys: largest error of recall", exact, 0, 1e-12);
    check_near(page, IDENTITY, "unit keys: largest |W k_m − v_m − Σ (k_j·k_m) v_j|", crosstalk, 0,
               1e-12);
    check_near(page, IDENTITY, "delta rule, η = 1/‖k‖²: largest error of the last write", last, 0,
               1e-12);
    check_figure(page, "unit keys, 6 in 8 dimensions: mean error of recall", interference);
}

/* --- 18: no division
 * ------------------------------------------------------------------------------ */

/* Lengths up to which a float32 sum of ones is not the length. */
static size_t widths_wrong(Lab *lab, size_t longest) {
    size_t wrong = 0;
    volatile float sum = 0; /* each sum rounded, whatever the compiler keeps */
    for (size_t n = 1; n < longest; n++) {
        sum = sum + 1;
        wrong += sum != (float)n || (size_t)sum != n;
        if (n % 65536 == 0) lab_poll(lab);
    }
    return wrong;
}

void heads_unnormalised(Lab *lab, Page *page) {
    static const double q[2] = {1, 0.5}, k[3][2] = {{1, 0}, {0, 1}, {1, 1}};
    static const double v[3][2] = {{1, 0}, {0, 1}, {-1, -1}};
    double out[2] = {0}, normalised[2] = {0}, total = 0, square = 0, farthest = -INFINITY;
    size_t longest = lab->quick ? (size_t)1 << 20 : (size_t)1 << 24;
    for (int j = 0; j < 3; j++) {
        double weight = exp(dot(q, k[j], 2));
        total += weight;
        for (int m = 0; m < 2; m++) out[m] += weight * v[j][m];
    }
    for (int m = 0; m < 2; m++) normalised[m] = out[m] / total;
    /* The direction of the output itself separates it from every value. */
    for (int j = 0; j < 3; j++) farthest = fmax(farthest, dot(out, v[j], 2));
    square = dot(out, out, 2);
    check_least(page, IDENTITY, "o·o − max o·v_j: outside of the values' hull if positive",
                square - farthest, 1e-6);
    check_most(page, IDENTITY, "the same of the normalised output, along the same direction",
               dot(out, normalised, 2) - farthest, 0);
    check_none(page, "float32: lengths below 2^24 (quick: 2^20) that a sum of ones gets wrong",
               widths_wrong(lab, longest));
    Plot *plot = plot_new(page->arena, "the hull of three values", "first", "second");
    plot_line(plot, "hull", (double[]){1, 0, -1, 1}, (double[]){0, 1, -1, 0}, 4);
    plot_points(plot, "unnormalised output", &out[0], &out[1], 1);
    plot_points(plot, "normalised output", &normalised[0], &normalised[1], 1);
    page_plot(page, plot);
}
