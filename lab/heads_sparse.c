/* Items 13 to 15: kernels that leave keys out. */
#include "lab/heads.h"

#include "lab/engine_head.h"
#include "lab/kernel.h"
#include "lab/simplex.h"

#include <math.h>

enum { N = 12 };

/* KKT of the projection: one multiplier t with s_j − a_j = t on the support and s_j ≤ t outside. */
static double projection_residual(const double *s, const double *a, size_t n) {
    double t = -INFINITY, worst = fabs(sum_of(a, n) - 1);
    for (size_t j = 0; j < n; j++)
        if (a[j] > 0) t = fmax(t, s[j] - a[j]);
    for (size_t j = 0; j < n; j++)
        worst = fmax(worst, a[j] > 0 ? fabs(s[j] - a[j] - t) : fmax(s[j] - t, 0));
    return worst;
}

/* Through the runtime's engine: queries and keys whose products are the scores. */
static void engine_row(Lab *lab, Page *page, RtRule rule, double parameter, double temperature,
                       const double *s, double *a) {
    const EngineHead head = {.rule = rule,
                             .parameter = parameter,
                             .temperature = temperature,
                             .mask = RT_MASK_NONE,
                             .dtype = RT_F64};
    Matrix q = matrix_new(lab->arena, N, 1), k = matrix_new(lab->arena, N, 1);
    for (size_t j = 0; j < N; j++) *matrix_at(q, j, 0) = 1, *matrix_at(k, j, 0) = s[j];
    Matrix out = engine_attend(lab, page, &head, q, k, matrix_identity(lab->arena, N));
    for (size_t j = 0; j < N; j++) a[j] = *matrix_at(out, 0, j);
}

/* Is nothing outside of the w best, which are `gap` better than the others, times beta? */
static bool is_hard(const Kernel *kernel, size_t w, double scaled_gap) {
    double s[2 * N], a[2 * N];
    for (size_t j = 0; j < 2 * N; j++) s[j] = j < w ? 0 : -scaled_gap;
    kernel_weights(kernel, s, 2 * N, a);
    for (size_t j = w; j < 2 * N; j++)
        if (a[j] > 0) return false;
    return true;
}

/* The least beta · gap at which a kernel is hard, by bisection. */
static double hard_from(const Kernel *kernel, size_t w) {
    double low = 0, high = 16;
    for (int k = 0; k < 50; k++) {
        double middle = (low + high) / 2;
        *(is_hard(kernel, w, middle) ? &high : &low) = middle;
    }
    return high;
}

/* The largest |β g at which it is hard − w^(1−α)/(α−1)|, w = 1 .. 8. */
static double threshold_error(const Kernel *kernel, double alpha) {
    double worst = 0;
    for (size_t w = 1; w <= 8; w++)
        worst = fmax(worst, fabs(hard_from(kernel, w) - pow((double)w, 1 - alpha) / (alpha - 1)));
    return worst;
}

static void plot_kernels(Page *page) {
    enum { STEPS = 81 };
    static const struct {
        const char *name;
        Kernel kernel;
    } shown[] = {{"softmax", {KERNEL_SOFTMAX, 1, 0, 0}},
                 {"entmax 1.25", {KERNEL_ENTMAX, 1, 1.25, 0}},
                 {"entmax 1.5", {KERNEL_ENTMAX15, 1, 0, 0}},
                 {"sparsemax", {KERNEL_SPARSEMAX, 1, 0, 0}}};
    Plot *plot = plot_new(page->arena, "weight of a key against one of score 0", "score", "weight");
    for (size_t k = 0; k < sizeof shown / sizeof *shown; k++) {
        double x[STEPS], y[STEPS], a[2];
        for (int i = 0; i < STEPS; i++) {
            x[i] = -4 + 8.0 * i / (STEPS - 1);
            kernel_weights(&shown[k].kernel, (double[]){x[i], 0}, 2, a);
            y[i] = a[0];
        }
        plot_line(plot, shown[k].name, x, y, STEPS);
    }
    page_plot(page, plot);
}

/* --- 13: sparsemax ------------------------------------------------------------------------------
 */

/* (1 − d²/h²)₊ normalised, with the h² = −2t that sparsemax of −d²/2 found. */
static double epanechnikov_error(const double *s, const double *a) {
    double t = -INFINITY, b[N], total = 0;
    for (size_t j = 0; j < N; j++)
        if (a[j] > 0) t = fmax(t, s[j] - a[j]);
    for (size_t j = 0; j < N; j++) total += b[j] = fmax(1 - s[j] / t, 0);
    for (size_t j = 0; j < N; j++) b[j] /= total;
    return max_difference(a, b, N);
}

void heads_sparsemax(Lab *lab, Page *page) {
    const Kernel sparsemax = {.kind = KERNEL_SPARSEMAX, .temperature = 1};
    size_t cases = lab->quick ? 100 : 1000;
    double kkt = 0, bisected = 0, projected = 0, epanechnikov = 0, engine = 0;
    for (size_t c = 0; c < cases; c++) {
        double s[N], a[N], b[N];
        lab_progress(lab, (double)c / (double)cases);
        rng_normals(lab->rng, s, N, 0.6);
        kernel_weights(&sparsemax, s, N, a);
        kkt = fmax(kkt, projection_residual(s, a, N));
        kernel_bisect(2, 1, s, N, b);
        bisected = fmax(bisected, max_difference(a, b, N));
        simplex_project(s, N, b);
        projected = fmax(projected, max_difference(a, b, N));
        engine_row(lab, page, RT_SPARSEMAX, 0, 1, s, b);
        engine = fmax(engine, max_difference(a, b, N));
        for (size_t j = 0; j < N; j++) s[j] = -s[j] * s[j] / 2; /* −d²/2 */
        kernel_weights(&sparsemax, s, N, a);
        epanechnikov = fmax(epanechnikov, epanechnikov_error(s, a));
    }
    check_near(page, IDENTITY, "residual of the conditions of optimality", kkt, 0, 1e-12);
    check_near(page, IDENTITY, "largest |sorted − bisected, α = 2| weight", bisected, 0, 1e-12);
    check_near(page, IDENTITY, "largest difference from the projection", projected, 0, 1e-12);
    check_near(page, IDENTITY, "largest difference from the runtime's engine", engine, 0, 1e-12);
    check_near(page, IDENTITY, "largest difference from Epanechnikov's kernel", epanechnikov, 0,
               1e-12);
    check_near(page, IDENTITY, "exactly hard from β g = 1/w: largest error, w to 8",
               threshold_error(&sparsemax, 2), 0, 1e-12);
    plot_kernels(page);
}

/* --- 14: entmax ---------------------------------------------------------------------------------
 */

/* b·s + H_α(b), Tsallis: H = Σ (b − b^α) / (α (α − 1)). */
static double tsallis(const double *b, const double *s, double alpha) {
    double sum = dot(b, s, N);
    for (size_t j = 0; j < N; j++) sum += (b[j] - pow(b[j], alpha)) / (alpha * (alpha - 1));
    return sum;
}

/* α = 1 + 1/m and s = −d²/2 give (1 − d²/h²)₊^m, h² = −2 t/(α−1). */
static double power_kernel_error(const double *s, const double *a, int m) {
    double t = -INFINITY, b[N], total = 0;
    for (size_t j = 0; j < N; j++)
        if (a[j] > 0) t = fmax(t, s[j] / m - pow(a[j], 1.0 / m));
    for (size_t j = 0; j < N; j++) total += b[j] = pow(fmax(1 - s[j] / m / t, 0), m);
    for (size_t j = 0; j < N; j++) b[j] /= total;
    return max_difference(a, b, N);
}

void heads_entmax(Lab *lab, Page *page) {
    size_t cases = lab->quick ? 100 : 1000, beaten = 0;
    double sorted = 0, engine = 0, of_any = 0, powers = 0;
    const Kernel entmax15 = {.kind = KERNEL_ENTMAX15, .temperature = 1};
    for (size_t c = 0; c < cases; c++) {
        double s[N], a[N], b[N], noise[N], alpha = rng_between(lab->rng, 1.1, 2.5);
        lab_progress(lab, (double)c / (double)cases);
        rng_normals(lab->rng, s, N, 1);
        kernel_weights(&entmax15, s, N, a);
        kernel_bisect(1.5, 1, s, N, b);
        sorted = fmax(sorted, max_difference(a, b, N));
        engine_row(lab, page, RT_ENTMAX15, 0, 1, s, b);
        engine = fmax(engine, max_difference(a, b, N));
        kernel_bisect(alpha, 1, s, N, a);
        engine_row(lab, page, RT_ENTMAX, alpha, 1, s, b);
        of_any = fmax(of_any, max_difference(a, b, N));
        double best = tsallis(a, s, alpha);
        rng_normals(lab->rng, noise, N, 0.3);
        for (size_t j = 0; j < N; j++) noise[j] += s[j];
        kernel_bisect(alpha, 1, noise, N, b); /* near it */
        beaten += tsallis(b, s, alpha) > best + 1e-12;
        softmax(noise, N, 0.5, b); /* and inside */
        beaten += tsallis(b, s, alpha) > best + 1e-12;
        for (size_t j = 0; j < N; j++) s[j] = -s[j] * s[j] / 2;
        int m = 1 + (int)rng_below(lab->rng, 3);
        kernel_bisect(1 + 1.0 / m, 1, s, N, a);
        powers = fmax(powers, power_kernel_error(s, a, m));
    }
    check_near(page, IDENTITY, "α = 1.5: largest |sorted − bisected| weight", sorted, 0, 1e-12);
    check_near(page, IDENTITY, "α = 1.5: largest difference from the runtime's engine", engine, 0,
               1e-12);
    check_near(page, IDENTITY, "α from 1.1 to 2.5: largest difference from the runtime's engine",
               of_any, 0, 1e-12);
    check_none(page, "points of the simplex that beat the optimum", beaten);
    check_near(page, IDENTITY, "α = 1 + 1/m: largest difference from (1 − x²)₊^m, m = 1, 2, 3",
               powers, 0, 1e-12);
    static const double alphas[] = {1.25, 1.5, 2};
    const char *const columns[] = {"α", "hard from β g, w = 1", "closed form", NULL};
    PageTable *table = page_table(page, "the gap from which nothing leaks", columns);
    double worst = 0;
    for (int k = 0; k < 3; k++) {
        Kernel kernel = {.kind = KERNEL_ENTMAX, .temperature = 1, .alpha = alphas[k]};
        table_number(table, alphas[k], 4);
        table_number(table, hard_from(&kernel, 1), 10);
        table_number(table, 1 / (alphas[k] - 1), 10);
        worst = fmax(worst, threshold_error(&kernel, alphas[k]));
    }
    check_near(page, IDENTITY, "hard from β g = w^(1−α)/(α−1): largest error, w to 8", worst, 0,
               1e-12);
}

/* --- 15: top-k ----------------------------------------------------------------------------------
 */

void heads_top(Lab *lab, Page *page) {
    size_t cases = lab->quick ? 200 : 2000, not_first = 0;
    double mass = 0, all = 0, engine = 0;
    for (size_t c = 0; c < cases; c++) {
        double s[N], a[N], b[N], run[N], outside = 0;
        size_t k = 1 + rng_below(lab->rng, N);
        Kernel top = {.kind = KERNEL_TOP, .temperature = 0.7, .k = k};
        lab_poll(lab);
        for (size_t j = 0; j < N; j++) s[j] = (double)rng_below(lab->rng, 5); /* ties */
        kernel_weights(&top, s, N, a);
        softmax(s, N, 0.7, b);
        engine_row(lab, page, RT_TOP_K, (double)k, 0.7, s, run);
        engine = fmax(engine, max_difference(a, run, N));
        for (size_t j = 0; j < N; j++) outside += a[j] > 0 ? 0 : b[j];
        mass = fmax(mass, fabs(total_variation(a, b, N) - outside));
        top.k = N;
        kernel_weights(&top, s, N, a);
        all = fmax(all, max_difference(a, b, N));
        top.k = 1;
        kernel_weights(&top, s, N, a);
        kernel_weights(&(Kernel){.kind = KERNEL_HARD_LEFT, .temperature = 1}, s, N, b);
        not_first += max_difference(a, b, N) != 0;
    }
    check_near(page, IDENTITY, "TV to softmax − softmax's mass outside, largest", mass, 0, 1e-12);
    check_near(page, IDENTITY, "largest difference from the runtime's engine", engine, 0, 1e-12);
    check_near(page, IDENTITY, "k = n: largest difference from softmax", all, 0, 1e-15);
    check_none(page, "k = 1: rows that are not the leftmost maximum", not_first);
}
