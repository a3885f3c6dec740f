/* Items 7 to 10: priors over keys, of which position biases and windows are cases. */
#include "lab/heads.h"

#include "lab/bias.h"
#include "lab/engine_head.h"
#include "lab/matrix.h"
#include "lab/simplex.h"

#include <math.h>
#include <string.h>

/* --- 7: a prior r -------------------------------------------------------------------------------
 */

/* b·s − τ KL(b, r) */
static double objective(const double *b, const double *s, const double *r, size_t n, double tau) {
    return dot(b, s, n) - tau * divergence(b, r, n);
}

/* a ∝ r exp(s/τ): softmax with the bias log r. */
static void prior_weights(const double *s, const double *r, size_t n, double tau, double *a) {
    for (size_t j = 0; j < n; j++) a[j] = s[j] / tau + log(r[j]);
    softmax(a, n, 1, a);
}

void heads_prior(Lab *lab, Page *page) {
    enum { N = 8 };
    size_t cases = lab->quick ? 200 : 2000;
    double worst_gap = 0, worst_value = 0, worst_uniform = 0;
    for (size_t c = 0; c < cases; c++) {
        double s[N], r[N], a[N], b[N], u[N], tau = exp(rng_between(lab->rng, -1.5, 1.5));
        double z = 0;
        lab_poll(lab);
        rng_normals(lab->rng, s, N, 1);
        rng_normals(lab->rng, r, N, 1);
        rng_normals(lab->rng, b, N, 1);
        softmax(r, N, 1, r);
        softmax(b, N, 1, b);
        prior_weights(s, r, N, tau, a);
        double gap = objective(a, s, r, N, tau) - objective(b, s, r, N, tau);
        worst_gap = fmax(worst_gap, fabs(gap - tau * divergence(b, a, N)) / fmax(1, fabs(gap)));
        for (size_t j = 0; j < N; j++) z += r[j] * exp(s[j] / tau);
        double value = objective(a, s, r, N, tau);
        worst_value = fmax(worst_value, fabs(value - tau * log(z)) / fmax(1, fabs(value)));
        for (size_t j = 0; j < N; j++) u[j] = 1.0 / N;
        prior_weights(s, u, N, tau, a);
        softmax(s, N, tau, b);
        worst_uniform = fmax(worst_uniform, max_difference(a, b, N));
    }
    check_near(page, IDENTITY, "F(a) − F(b) − τ KL(b, a), largest, relative", worst_gap, 0, 1e-12);
    check_near(page, IDENTITY, "F(a) − τ log Σ r exp(s/τ), largest, relative", worst_value, 0,
               1e-12);
    check_near(page, IDENTITY, "uniform r: largest difference from softmax", worst_uniform, 0,
               1e-12);
}

/* --- in the engine ------------------------------------------------------------------------------
 */

/* The weights of every position by the runtime's engine, causal, under a bias as weights files have
 * it; all scores are 0 but for s[j] of the key j. */
static Matrix engine_weights(Lab *lab, Page *page, const double *s, size_t n,
                             const HeadBias *bias) {
    EngineHead head = {RT_SOFTMAX, 1, RT_MASK_CAUSAL, RT_F64, 0, bias, 0};
    Matrix q = matrix_new(lab->arena, n, 1), k = matrix_new(lab->arena, n, 1);
    for (size_t j = 0; j < n; j++) {
        *matrix_at(q, j, 0) = 1;
        *matrix_at(k, j, 0) = s ? s[j] : 0;
    }
    return engine_attend(lab, page, &head, q, k, matrix_identity(lab->arena, n));
}

/* --- 8: ALiBi -----------------------------------------------------------------------------------
 */

enum { LONG = 64 };

/* Weights of query i with zero content scores, by the biases. */
static void alibi_weights(double slope, size_t i, double *a) {
    for (size_t j = 0; j <= i; j++) a[j] = alibi_bias(slope, i - j);
    softmax(a, i + 1, 1, a);
}

void heads_alibi(Lab *lab, Page *page) {
    enum { HEADS = 8 };
    double worst = 0, worst_prior = 0, worst_slope = 0, engine = 0, shown[HEADS * LONG] = {0};
    for (unsigned h = 1; h <= HEADS; h++) {
        double m = alibi_slope(h, HEADS), a[LONG], s[LONG], r[LONG], b[LONG], sum = 0;
        worst_slope = fmax(worst_slope, fabs(m - 1.0 / (double)(1u << h)));
        for (size_t i = 0; i < LONG; i++) {
            alibi_weights(m, i, a);
            for (size_t t = 0; t <= i; t++) {
                double closed = expm1(-m) * exp(-m * (double)t) / expm1(-m * (double)(i + 1));
                worst = fmax(worst, fabs(a[i - t] - closed));
            }
        }
        memcpy(shown + (h - 1) * LONG, a, sizeof a);
        Matrix run = engine_weights(lab, page, NULL, LONG, &(HeadBias){RT_BIAS_ALIBI, 0, 1, &m});
        engine = fmax(engine, max_difference(matrix_row(run, LONG - 1), a, LONG));
        rng_normals(lab->rng, s, LONG, 1);
        for (size_t j = 0; j < LONG; j++) sum += r[j] = exp(-m * (double)(LONG - 1 - j));
        for (size_t j = 0; j < LONG; j++) r[j] /= sum;
        prior_weights(s, r, LONG, 1, b);
        for (size_t j = 0; j < LONG; j++) a[j] = s[j] + alibi_bias(m, LONG - 1 - j);
        softmax(a, LONG, 1, a);
        worst_prior = fmax(worst_prior, max_difference(a, b, LONG));
    }
    check_near(page, IDENTITY, "zero scores: largest |weight − geometric law|", worst, 0, 1e-12);
    check_near(page, IDENTITY, "with scores: largest difference from the prior's weights",
               worst_prior, 0, 1e-12);
    check_near(page, IDENTITY, "largest difference from the runtime's engine", engine, 0, 1e-12);
    check_near(page, IDENTITY, "slopes of 8 heads: ½, ¼, … 2^-8", worst_slope, 0, 0);
    page_plot(page, plot_matrix(page->arena, "weights of position 63 by head, zero scores", "key",
                                "head", HEADS, LONG, shown, NULL, NULL));
}

/* --- 9: T5 --------------------------------------------------------------------------------------
 */

/* Distances whose bucket is not the number of steps 16 · 8^(k/16) at or below them, for k ≥ 0. */
static size_t buckets_wrong(void) {
    size_t wrong = 0;
    for (size_t t = 0; t < 2000; t++) {
        unsigned expected = t < 16 ? (unsigned)t : 15;
        for (int k = 0; t >= 16 && k < 16; k++)
            expected += (long double)t >= 16 * powl(8, k / 16.0L);
        wrong += t5_bucket(t) != expected;
    }
    return wrong;
}

void heads_t5(Lab *lab, Page *page) {
    enum { N = 200 };
    double s[N], a[N], r[N], b[N], bias[T5_BUCKETS], sum = 0, t[N], bucket[N];
    rng_normals(lab->rng, bias, T5_BUCKETS, 1);
    rng_normals(lab->rng, s, N, 1);
    for (size_t j = 0; j < N; j++) {
        double of_key = bias[t5_bucket(N - 1 - j)];
        a[j] = s[j] + of_key;
        sum += r[j] = exp(of_key);
        t[j] = (double)j, bucket[j] = t5_bucket(j);
    }
    softmax(a, N, 1, a);
    for (size_t j = 0; j < N; j++) r[j] /= sum;
    prior_weights(s, r, N, 1, b);
    check_none(page, "distances below 2,000 in a wrong bucket", buckets_wrong());
    check_near(page, IDENTITY, "bucket of distance 16", t5_bucket(16), 16, 0);
    check_near(page, IDENTITY, "bucket of distance 127", t5_bucket(127), 31, 0);
    check_near(page, IDENTITY, "bucket of distance 1,000,000", t5_bucket(1000000), 31, 0);
    check_near(page, IDENTITY, "largest difference from the weights of the prior exp(b)",
               max_difference(a, b, N), 0, 1e-12);
    Matrix run = engine_weights(lab, page, s, N, &(HeadBias){RT_BIAS_T5, 0, T5_BUCKETS, bias});
    check_near(page, IDENTITY, "largest difference from the runtime's engine",
               max_difference(matrix_row(run, N - 1), a, N), 0, 1e-12);
    Plot *plot = plot_new(page->arena, "buckets", "distance", "bucket");
    plot_line(plot, "T5, causal", t, bucket, N);
    page_plot(page, plot);
}

/* --- 10: a local window -------------------------------------------------------------------------
 */

/* One layer of causal attention of h to itself: keys at distance below w alone, O(n w). */
static Matrix banded(Arena *arena, Matrix h, size_t w) {
    Matrix out = matrix_new(arena, h.rows, h.cols);
    double *s = ARENA_ARRAY(arena, w, double);
    for (size_t i = 0; i < h.rows; i++) {
        size_t first = i + 1 > w ? i + 1 - w : 0, count = i + 1 - first;
        for (size_t j = 0; j < count; j++)
            s[j] = dot(matrix_row(h, i), matrix_row(h, first + j), h.cols);
        softmax(s, count, 1, s);
        for (size_t j = 0; j < count; j++)
            for (size_t d = 0; d < h.cols; d++)
                *matrix_at(out, i, d) += s[j] * *matrix_at(h, first + j, d);
    }
    return out;
}

/* All scores, those outside of the window −∞. */
static Matrix masked(Arena *arena, Matrix h, size_t w) {
    Matrix a = matrix_product(arena, h, matrix_transpose(arena, h));
    for (size_t i = 0; i < h.rows; i++) {
        for (size_t j = 0; j < h.rows; j++)
            *matrix_at(a, i, j) += j > i ? -INFINITY : window_bias(w, i - j);
        softmax(matrix_row(a, i), h.rows, 1, matrix_row(a, i));
    }
    return matrix_product(arena, a, h);
}

void heads_window(Lab *lab, Page *page) {
    enum { N = 48, D = 3, LAYERS = 4 };
    double worst = 0, engine = 0;
    size_t reached = 0, unreached = 0;
    for (size_t w = 1; w <= 8; w++) {
        lab_poll(lab);
        Matrix h = matrix_normal(lab->arena, lab->rng, N, D, 1);
        Matrix edited = matrix_copy(lab->arena, h);
        Matrix band = banded(lab->arena, h, w);
        double width = (double)w;
        HeadBias window = {RT_BIAS_WINDOW, 0, 1, &width};
        EngineHead head = {RT_SOFTMAX, 1, RT_MASK_CAUSAL, RT_F64, 0, &window, 0};
        worst = fmax(worst, matrix_difference(band, masked(lab->arena, h, w)));
        engine = fmax(engine, matrix_difference(band, engine_attend(lab, page, &head, h, h, h)));
        size_t last = N - 1, seen = LAYERS * (w - 1); /* position `last` sees so far back */
        for (size_t j = 0; j + seen < last; j++)
            for (size_t d = 0; d < D; d++) *matrix_at(edited, j, d) = rng_normal(lab->rng);
        Matrix nearer = matrix_copy(lab->arena, edited);
        *matrix_at(nearer, last - seen, 0) += 1;
        for (int l = 0; l < LAYERS; l++) {
            h = banded(lab->arena, h, w);
            edited = banded(lab->arena, edited, w);
            nearer = banded(lab->arena, nearer, w);
        }
        size_t bytes = D * sizeof(double);
        reached += memcmp(matrix_row(h, last), matrix_row(edited, last), bytes) != 0;
        unreached += memcmp(matrix_row(h, last), matrix_row(nearer, last), bytes) == 0;
    }
    check_near(page, IDENTITY, "largest |banded − masked| attention", worst, 0, 1e-12);
    check_near(page, IDENTITY, "largest |banded − the runtime's engine|", engine, 0, 1e-12);
    check_none(page, "windows through 4 layers of which edits before i − L(W−1) reach i", reached);
    check_none(page, "windows of which an edit at i − L(W−1) does not", unreached);
}
