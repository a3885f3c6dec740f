/* Items 1, 2, 4 and 5: softmax attention as a kernel smoother and as the optimum of an
 * entropy-regularised linear objective. */
#include "lab/heads.h"

#include "lab/engine_head.h"
#include "lab/kernel.h"
#include "lab/simplex.h"

#include <math.h>

/* --- 1: Nadaraya–Watson ----------------------------------------------------------------------- */

/* f(q) = Σ K(q, k_j) v_j / Σ K(q, k_j) with K = exp(q·k/τ): from the definition, no maximum. */
static Matrix smoother(Arena *arena, Matrix q, Matrix k, Matrix v, double temperature) {
    Matrix out = matrix_new(arena, q.rows, v.cols);
    for (size_t i = 0; i < q.rows; i++) {
        double total = 0;
        for (size_t j = 0; j < k.rows; j++) {
            double near = exp(dot(matrix_row(q, i), matrix_row(k, j), q.cols) / temperature);
            total += near;
            for (size_t m = 0; m < v.cols; m++) *matrix_at(out, i, m) += near * *matrix_at(v, j, m);
        }
        for (size_t m = 0; m < v.cols; m++) *matrix_at(out, i, m) /= total;
    }
    return out;
}

/* Adds c(q), a function of the query alone, to its scores: the keys get one more coordinate, 1. */
static Matrix with_column(Arena *arena, Matrix m, const double *last) {
    Matrix wide = matrix_new(arena, m.rows, m.cols + 1);
    for (size_t i = 0; i < m.rows; i++) {
        for (size_t j = 0; j < m.cols; j++) *matrix_at(wide, i, j) = *matrix_at(m, i, j);
        *matrix_at(wide, i, m.cols) = last[i];
    }
    return wide;
}

/* Largest change of a softmax row when a constant is added to its scores. */
static double shift_error(Lab *lab, size_t n) {
    double s[32], t[32], a[32], b[32], c = rng_between(lab->rng, -3, 3);
    for (size_t j = 0; j < n; j++) t[j] = (s[j] = rng_normal(lab->rng)) + c;
    softmax(s, n, 1, a);
    softmax(t, n, 1, b);
    return max_difference(a, b, n);
}

void heads_nadaraya_watson(Lab *lab, Page *page) {
    size_t cases = lab->quick ? 100 : 1000, bad_rows = 0;
    double worst = 0, worst_shift = 0;
    for (size_t c = 0; c < cases; c++) {
        lab_progress(lab, (double)c / (double)cases);
        size_t n = 1 + rng_below(lab->rng, 12), d = 1 + rng_below(lab->rng, 6);
        double temperature = sqrt((double)d), ones[12], constant[12];
        Matrix q = matrix_normal(lab->arena, lab->rng, n, d, 1);
        Matrix k = matrix_normal(lab->arena, lab->rng, n, d, 1);
        Matrix v = matrix_normal(lab->arena, lab->rng, n, 3, 1);
        EngineHead head = {RT_SOFTMAX, temperature, RT_MASK_NONE, RT_F64, 0, NULL, 0};
        Matrix kernel = smoother(lab->arena, q, k, v, temperature);
        worst = fmax(worst, matrix_difference(engine_attend(lab, page, &head, q, k, v), kernel));
        for (size_t j = 0; j < n; j++) ones[j] = 1, constant[j] = 2 * rng_normal(lab->rng);
        Matrix moved = engine_attend(lab, page, &head, with_column(lab->arena, q, constant),
                                     with_column(lab->arena, k, ones), v);
        worst = fmax(worst, matrix_difference(moved, kernel));
        worst_shift = fmax(worst_shift, shift_error(lab, 1 + rng_below(lab->rng, 32)));
        double s[12], a[12], total = 0;
        for (size_t j = 0; j < n; j++) s[j] = 3 * rng_normal(lab->rng);
        softmax(s, n, 1, a);
        for (size_t j = 0; j < n; j++) bad_rows += !(a[j] > 0), total += a[j];
        bad_rows += !(fabs(total - 1) <= 1e-14);
    }
    check_near(page, IDENTITY, "largest |attention − kernel smoother|, with and without c(q)",
               worst, 0, 1e-12);
    check_near(page, IDENTITY, "largest change of weights when c(q) is added to scores",
               worst_shift, 0, 1e-14);
    check_none(page, "weights that are not positive, sums that are not 1", bad_rows);
}

/* --- 2: the kernel is bilinear and not symmetric ------------------------------------------------
 */

/* ‖K − Kᵀ‖ / ‖K‖ */
static double asymmetry(Arena *arena, Matrix k) {
    return matrix_norm(matrix_sum(arena, k, -1, matrix_transpose(arena, k))) / matrix_norm(k);
}

/* K_ij = exp(h_i W h_jᵀ) */
static Matrix bilinear_kernel(Arena *arena, Matrix h, Matrix w) {
    Matrix s = matrix_product(arena, matrix_product(arena, h, w), matrix_transpose(arena, h));
    for (size_t k = 0; k < s.rows * s.cols; k++) s.x[k] = exp(s.x[k]);
    return s;
}

/* sin and cos of the angle to place m. Turned by one place, a row of this code is the next one's,
 * so one bilinear form selects the previous position. */
static Matrix previous_token_weights(Arena *arena, size_t n) {
    Matrix codes = matrix_new(arena, n, 2), turn = matrix_new(arena, 2, 2);
    double step = 2 * acos(-1) / (double)n;
    for (size_t i = 0; i < n; i++) {
        *matrix_at(codes, i, 0) = cos(step * (double)i);
        *matrix_at(codes, i, 1) = sin(step * (double)i);
    }
    *matrix_at(turn, 0, 0) = *matrix_at(turn, 1, 1) = cos(step);
    *matrix_at(turn, 1, 0) = sin(step);
    *matrix_at(turn, 0, 1) = -sin(step);
    Matrix s =
        matrix_product(arena, matrix_product(arena, codes, turn), matrix_transpose(arena, codes));
    Matrix a = matrix_new(arena, n, n);
    Kernel hard = {.kind = KERNEL_HARD_LEFT, .temperature = 1};
    for (size_t i = 0; i < n; i++) kernel_weights(&hard, matrix_row(s, i), n, matrix_row(a, i));
    return a;
}

void heads_asymmetry(Lab *lab, Page *page) {
    enum { N = 12, D = 8, DK = 3 };
    Arena *arena = lab->arena;
    Matrix h = matrix_normal(arena, lab->rng, N, D, 0.5);
    Matrix wq = matrix_normal(arena, lab->rng, D, DK, 0.6);
    Matrix wk = matrix_normal(arena, lab->rng, D, DK, 0.6);
    Matrix w = matrix_product(arena, wq, matrix_transpose(arena, wk));
    Matrix wt = matrix_transpose(arena, w);
    Matrix twice_symmetric = matrix_sum(arena, w, 1, wt), twice_anti = matrix_sum(arena, w, -1, wt);
    Matrix kernel = bilinear_kernel(arena, h, w);
    Matrix symmetric =
        bilinear_kernel(arena, h, matrix_product(arena, wq, matrix_transpose(arena, wq)));
    check_near(page, IDENTITY, "asymmetry of the kernel with a symmetric W",
               asymmetry(arena, symmetric), 0, 1e-12);
    check_near(page, IDENTITY, "asymmetry of a hard previous-token head (√2)",
               asymmetry(arena, previous_token_weights(arena, N)), sqrt(2), 1e-12);
    check_near(page, IDENTITY, "rank of W, at most d_k", (double)matrix_rank(arena, w, 1e-10), DK,
               0);
    check_near(page, IDENTITY, "‖sym W‖² + ‖anti W‖² − ‖W‖²",
               (pow(matrix_norm(twice_symmetric), 2) + pow(matrix_norm(twice_anti), 2)) / 4 -
                   pow(matrix_norm(w), 2),
               0, 1e-12);
    check_figure(page, "asymmetry of the kernel of a random W", asymmetry(arena, kernel));
    page_plot(page, plot_matrix(page->arena, "kernel of a random head", "key", "query", N, N,
                                kernel.x, NULL, NULL));
    page_plot(page, plot_matrix(page->arena, "previous-token head", "key", "query", N, N,
                                previous_token_weights(arena, N).x, NULL, NULL));
}

/* --- 4: the entropy-regularised optimum ---------------------------------------------------------
 */

static double objective(const double *b, const double *s, size_t n, double temperature) {
    return dot(b, s, n) + temperature * entropy(b, n);
}

void heads_variational(Lab *lab, Page *page) {
    enum { N = 8 };
    size_t cases = lab->quick ? 200 : 2000, not_less = 0;
    double worst_gap = 0, worst_value = 0;
    for (size_t c = 0; c < cases; c++) {
        double s[N], a[N], b[N], noise[N], temperature = exp(rng_between(lab->rng, -2, 2));
        lab_poll(lab);
        rng_normals(lab->rng, s, N, 1);
        rng_normals(lab->rng, noise, N, 2);
        softmax(s, N, temperature, a);
        softmax(noise, N, 1, b);
        double best = objective(a, s, N, temperature), other = objective(b, s, N, temperature);
        for (size_t j = 0; j < N; j++) noise[j] = s[j] / temperature;
        worst_value = fmax(worst_value,
                           fabs(best - temperature * log_sum_exp(noise, N)) / fmax(1, fabs(best)));
        worst_gap = fmax(worst_gap, fabs(best - other - temperature * divergence(b, a, N)) /
                                        fmax(1, fabs(best - other)));
        not_less += !(other < best);
    }
    check_near(page, IDENTITY, "F(a) − F(b) − τ KL(b, a), largest, relative", worst_gap, 0, 1e-12);
    check_near(page, IDENTITY, "F(a) − τ LSE(s/τ), largest, relative", worst_value, 0, 1e-12);
    check_none(page, "points b of the simplex that are not worse than a", not_less);
}

/* --- 5: how many keys a head looks at -----------------------------------------------------------
 */

static double entropy_at(const double *s, size_t n, double temperature) {
    double a[16];
    softmax(s, n, temperature, a);
    return entropy(a, n);
}

/* Var_a(s) / τ³, the closed form of dH/dτ. */
static double entropy_slope(const double *s, size_t n, double temperature) {
    double a[16], mean, second = 0;
    softmax(s, n, temperature, a);
    mean = dot(a, s, n);
    for (size_t j = 0; j < n; j++) second += a[j] * (s[j] - mean) * (s[j] - mean);
    return second / pow(temperature, 3);
}

static void plot_effective_k(Page *page, const double *s, size_t n) {
    enum { STEPS = 60 };
    double tau[STEPS], k[STEPS];
    for (int i = 0; i < STEPS; i++) {
        tau[i] = pow(10, -2 + 4.0 * i / (STEPS - 1));
        k[i] = exp(entropy_at(s, n, tau[i]));
    }
    Plot *plot = plot_new(page->arena, "effective number of keys", "temperature", "exp H");
    plot->log_x = true;
    plot_line(plot, "exp H(a), 16 random scores", tau, k, STEPS);
    plot_rule(plot, "n", tau[0], (double)n, tau[STEPS - 1], (double)n);
    page_plot(page, plot);
}

void heads_effective_k(Lab *lab, Page *page) {
    enum { N = 16 };
    size_t cases = lab->quick ? 100 : 1000, falling = 0;
    double worst_slope = 0, worst_ties = 0, s[N];
    for (size_t c = 0; c < cases; c++) {
        double tau = exp(rng_between(lab->rng, -1, 1.5)), step = 1e-4 * tau, a[N] = {0};
        lab_poll(lab);
        rng_normals(lab->rng, s, N, 1);
        double rise = (entropy_at(s, N, tau + step) - entropy_at(s, N, tau - step)) / (2 * step);
        worst_slope = fmax(worst_slope, fabs(rise - entropy_slope(s, N, tau)));
        falling += entropy_at(s, N, tau * 1.01) < entropy_at(s, N, tau);
        size_t w = 1 + rng_below(lab->rng, N);
        for (size_t j = 0; j < w; j++) a[j] = 1 / (double)w;
        worst_ties = fmax(worst_ties, fabs(exp(entropy(a, N)) - (double)w));
    }
    check_near(page, IDENTITY, "dH/dτ by differences − Var(s)/τ³, largest", worst_slope, 0, 1e-6);
    check_near(page, IDENTITY, "exp H − w, equal weights on w keys, largest", worst_ties, 0, 1e-12);
    check_none(page, "temperatures at which entropy falls", falling);
    plot_effective_k(page, s, N);
}
