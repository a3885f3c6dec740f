/* Items 3 and 6: the temperature as a bandwidth, and the Gaussian kernel. */
#include "lab/heads.h"

#include "lab/simplex.h"
#include "lab/smoother.h"

#include <float.h>
#include <math.h>

/* --- 3: temperature limits, bias and variance ---------------------------------------------------
 */

/* How far the bounds exp(−R/τ)/n ≤ a ≤ exp(R/τ)/n and TV(a, U_S) ≤ (n−w)/w exp(−g/τ) are passed. */
static size_t bounds_broken(Lab *lab) {
    enum { N = 10 };
    double s[N], a[N], u[N] = {0}, low = INFINITY, high = -INFINITY;
    double tau = exp(rng_between(lab->rng, -2.5, 2.5)), gap = rng_between(lab->rng, 0.1, 2);
    size_t w = 1 + rng_below(lab->rng, N - 1), broken = 0;
    for (size_t j = 0; j < N; j++) {
        s[j] = j < w ? 0 : -gap - 2 * rng_unit(lab->rng);
        u[j] = j < w ? 1 / (double)w : 0;
        low = fmin(low, s[j]), high = fmax(high, s[j]);
    }
    softmax(s, N, tau, a);
    double range = (high - low) / tau, slack = 1 + 1e-13;
    for (size_t j = 0; j < N; j++)
        broken += a[j] * slack < exp(-range) / N || a[j] > slack * exp(range) / N;
    double bound = (double)(N - w) / (double)w * exp(-gap / tau);
    return broken + (total_variation(a, u, N) > bound * slack + 4 * DBL_EPSILON);
}

/* Largest |fit − nearest neighbour's y| at random x, where the runner-up is 40 τ worse. */
static double neighbour_error(Lab *lab, const Kernel *kernel, Sample data) {
    double h = 1e-3, worst = 0, *scores = ARENA_ARRAY(lab->arena, data.count, double);
    double *weights = ARENA_ARRAY(lab->arena, data.count, double);
    for (int c = 0; c < 500; c++) {
        double x = rng_unit(lab->rng), best = INFINITY, second = INFINITY;
        size_t nearest = 0;
        for (size_t j = 0; j < data.count; j++) {
            double d = (x - data.x[j]) * (x - data.x[j]) / 2;
            if (d < best)
                second = best, best = d, nearest = j;
            else if (d < second)
                second = d;
        }
        if (!(second - best > 40 * h * h)) continue;
        double fit = smooth_at(kernel, data, h, x, SIZE_MAX, scores, weights);
        worst = fmax(worst, fabs(fit - data.y[nearest]));
    }
    return worst;
}

/* Largest |fit − mean y| divided by (exp(R/τ) − 1) mean |y − mean y|, at a large τ. */
static double wide_ratio(Lab *lab, const Kernel *kernel, Sample data) {
    double h = 5, mean = mean_of(data.y, data.count), deviation = 0, worst = 0;
    double *scores = ARENA_ARRAY(lab->arena, data.count, double);
    double *weights = ARENA_ARRAY(lab->arena, data.count, double);
    for (size_t j = 0; j < data.count; j++) deviation += fabs(data.y[j] - mean);
    deviation /= (double)data.count;
    for (int c = 0; c <= 100; c++) {
        double fit = smooth_at(kernel, data, h, c / 100.0, SIZE_MAX, scores, weights);
        double low = INFINITY, high = -INFINITY;
        for (size_t j = 0; j < data.count; j++)
            low = fmin(low, scores[j]), high = fmax(high, scores[j]);
        double bound = expm1((high - low) / (h * h)) * deviation;
        worst = fmax(worst, fabs(fit - mean) / bound);
    }
    return worst;
}

static void plot_fits(Lab *lab, Page *page, const Kernel *kernel, Sample data, double best) {
    enum { STEPS = 101 };
    const double widths[] = {best / 8, best, best * 8};
    const char *const names[] = {"h too small", "h of the least error left out", "h too large"};
    double x[STEPS], y[STEPS], *scores = ARENA_ARRAY(lab->arena, data.count, double);
    double *weights = ARENA_ARRAY(lab->arena, data.count, double);
    Plot *plot = plot_new(page->arena, "bandwidth: bias and variance", "x", "y");
    plot_points(plot, "data", data.x, data.y, data.count);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < STEPS; i++) {
            x[i] = i / (STEPS - 1.0);
            y[i] = smooth_at(kernel, data, widths[k], x[i], SIZE_MAX, scores, weights);
        }
        plot_line(plot, names[k], x, y, STEPS);
    }
    page_plot(page, plot);
}

void heads_temperature(Lab *lab, Page *page) {
    enum { WIDTHS = 41 };
    size_t cases = lab->quick ? 1000 : 10000, broken = 0, best = 0;
    double h[WIDTHS], error[WIDTHS];
    Kernel gauss = {.kind = KERNEL_SOFTMAX, .temperature = 1};
    for (size_t c = 0; c < cases; c++) broken += bounds_broken(lab);
    Sample data = sample_wave(lab->arena, lab->rng, 60, 0.3);
    for (size_t k = 0; k < WIDTHS; k++) {
        h[k] = 0.003 * pow(1000, (double)k / (WIDTHS - 1));
        error[k] = leave_one_out(lab->arena, &gauss, data, h[k]);
        if (error[k] < error[best]) best = k;
        lab_poll(lab);
    }
    check_none(page, "bounds on weights and on the leak that are passed", broken);
    check_near(page, IDENTITY, "small τ: largest |fit − nearest neighbour|",
               neighbour_error(lab, &gauss, data), 0, 1e-12);
    check_most(page, IDENTITY, "large τ: |fit − mean y| as a share of its bound",
               wide_ratio(lab, &gauss, data), 1);
    check_least(page, MEASUREMENT, "error left out at the narrow end / at the minimum",
                error[0] / error[best], 1.05);
    check_least(page, MEASUREMENT, "error left out at the wide end / at the minimum",
                error[WIDTHS - 1] / error[best], 1.05);
    check_figure(page, "h of the least error left out", h[best]);
    plot_fits(lab, page, &gauss, data, h[best]);
    Plot *plot = plot_new(page->arena, "error of each point estimated from the others",
                          "bandwidth h = √τ", "mean squared error");
    plot->log_x = true;
    plot_line(plot, "leave-one-out error", h, error, WIDTHS);
    plot_rule(plot, "variance of the noise", h[0], 0.09, h[WIDTHS - 1], 0.09);
    page_plot(page, plot);
}

/* --- 6: the Gaussian kernel ---------------------------------------------------------------------
 */

/* exp(−‖q−k‖²/2σ²), normalised: from the distances. */
static void gaussian_weights(Matrix q, size_t i, Matrix k, double sigma, double *a) {
    double total = 0;
    for (size_t j = 0; j < k.rows; j++) {
        double distance = 0;
        for (size_t d = 0; d < k.cols; d++) {
            double delta = *matrix_at(q, i, d) - *matrix_at(k, j, d);
            distance += delta * delta;
        }
        total += a[j] = exp(-distance / (2 * sigma * sigma));
    }
    for (size_t j = 0; j < k.rows; j++) a[j] /= total;
}

/* Softmax of q·k, with the bias −‖k‖²/2 of the key or without, at the temperature σ². */
static void dot_weights(Matrix q, size_t i, Matrix k, double sigma, bool bias, double *a) {
    for (size_t j = 0; j < k.rows; j++) {
        const double *key = matrix_row(k, j);
        a[j] = dot(matrix_row(q, i), key, k.cols) - (bias ? dot(key, key, k.cols) / 2 : 0);
    }
    softmax(a, k.rows, sigma * sigma, a);
}

void heads_gaussian(Lab *lab, Page *page) {
    enum { N = 12, D = 4 };
    size_t cases = lab->quick ? 100 : 1000;
    double with = 0, equal = 0, apart = INFINITY, a[N], b[N];
    for (size_t c = 0; c < cases; c++) {
        lab_poll(lab);
        double sigma = rng_between(lab->rng, 0.5, 2);
        Matrix q = matrix_normal(lab->arena, lab->rng, 1, D, 1);
        Matrix k = matrix_normal(lab->arena, lab->rng, N, D, 1);
        gaussian_weights(q, 0, k, sigma, a);
        dot_weights(q, 0, k, sigma, true, b);
        with = fmax(with, max_difference(a, b, N));
        dot_weights(q, 0, k, sigma, false, b);
        apart = fmin(apart, total_variation(a, b, N));
        for (size_t j = 0; j < N; j++) {
            double norm = sqrt(dot(matrix_row(k, j), matrix_row(k, j), D));
            for (size_t d = 0; d < D; d++) *matrix_at(k, j, d) *= 1.5 / norm;
        }
        gaussian_weights(q, 0, k, sigma, a);
        dot_weights(q, 0, k, sigma, false, b);
        equal = fmax(equal, max_difference(a, b, N));
    }
    check_near(page, IDENTITY, "with the key bias −‖k‖²/2σ²: largest difference", with, 0, 1e-12);
    check_near(page, IDENTITY, "without it, keys of one norm: largest difference", equal, 0, 1e-12);
    check_least(page, IDENTITY, "without it, keys of unequal norms: least TV", apart, 1e-6);
}
