/* Items 55 to 59: lengths, gaps and bandwidths. */
#include "lab/predictions.h"

#include "lab/kernel.h"
#include "lab/simplex.h"

#include <math.h>

static const size_t lengths[] = {2, 10, 100, 1000, 10000, 100000, 1000000};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

/* The weight of one key that leads by `gap` over n − 1 equal ones, by softmax of all n scores. */
static double leading_weight(Lab *lab, double gap, size_t n) {
    Arena *scratch = arena_child(lab->arena);
    double *a = ARENA_ARRAY(scratch, n, double);
    a[0] = gap;
    softmax(a, n, 1, a);
    double weight = a[0];
    arena_free(scratch);
    return weight;
}

static const double gaps[] = {0.5, 1, 1.5, 2};
enum { GAPS = sizeof gaps / sizeof *gaps };

static void plot_gaps(Page *page, const char *title, double weight[GAPS][LENGTHS],
                      const char *name) {
    double x[LENGTHS];
    for (size_t l = 0; l < LENGTHS; l++) x[l] = (double)lengths[l];
    Plot *plot = plot_new(page->arena, title, "n", "weight of the leading key");
    plot->log_x = true;
    for (size_t g = 0; g < GAPS; g++)
        plot_line(plot, arena_format(page->arena, "%s = %g", name, gaps[g]), x, weight[g], LENGTHS);
    page_plot(page, plot);
}

void predictions_gap(Lab *lab, Page *page) {
    double worst = 0, weight[GAPS][LENGTHS];
    for (size_t g = 0; g < GAPS; g++)
        for (size_t l = 0; l < LENGTHS; l++) {
            double lead = exp(4 * gaps[g]), n = (double)lengths[l];
            weight[g][l] = leading_weight(lab, 4 * gaps[g], lengths[l]);
            worst = fmax(worst, fabs(weight[g][l] - lead / (lead + n - 1)));
        }
    check_near(page, IDENTITY, "largest error of e^g/(e^g + n − 1)", worst, 0, 1e-12);
    check_most(page, IDENTITY, "weight at n = 10^6, g = 2", weight[0][LENGTHS - 1], 1e-5);
    plot_gaps(page, "a fixed gap loses its weight", weight, "g/4");
}

void predictions_log_n(Lab *lab, Page *page) {
    double worst = 0, weight[GAPS][LENGTHS];
    for (size_t g = 0; g < GAPS; g++)
        for (size_t l = 0; l < LENGTHS; l++) {
            double n = (double)lengths[l], lead = pow(n, gaps[g]);
            weight[g][l] = leading_weight(lab, gaps[g] * log(n), lengths[l]);
            worst = fmax(worst, fabs(weight[g][l] - lead / (lead + n - 1)));
        }
    check_near(page, IDENTITY, "largest error of n^g/(n^g + n − 1)", worst, 0, 1e-10);
    check_near(page, IDENTITY, "n = 10^6: g = 2", weight[3][LENGTHS - 1], 1, 1e-5);
    check_near(page, IDENTITY, "n = 10^6: g = 1", weight[1][LENGTHS - 1], 0.5, 1e-5);
    check_near(page, IDENTITY, "n = 10^6: g = 1/2", weight[0][LENGTHS - 1], 0, 1e-2);
    plot_gaps(page, "scores times log n", weight, "g");
}

/* --- 57: the bandwidth of a head -------------------------------------------------------------- */

enum { DIM = 16, KEYS = 10 };

/* √d / (‖q‖ ‖k‖), all keys of one norm. */
static double bandwidth(const double *q, const double *k) {
    return sqrt(DIM) / (sqrt(dot(q, q, DIM)) * sqrt(dot(k, k, DIM)));
}

void predictions_bandwidth(Lab *lab, Page *page) {
    size_t cases = lab->quick ? 50 : 1000;
    double worst = 0, halved = 0;
    for (size_t c = 0; c < cases; c++) {
        lab_poll(lab);
        double q[DIM], unit[DIM], s[2][KEYS], a[2][KEYS], norm = rng_between(lab->rng, 0.5, 4);
        Matrix keys = matrix_normal(lab->arena, lab->rng, KEYS, DIM, 1);
        rng_normals(lab->rng, q, DIM, 2);
        for (size_t j = 0; j < KEYS; j++) {
            double *k = matrix_row(keys, j), size = norm / sqrt(dot(k, k, DIM));
            for (size_t m = 0; m < DIM; m++) k[m] *= size;
        }
        double width = bandwidth(q, matrix_row(keys, 0)), length = sqrt(dot(q, q, DIM));
        for (size_t m = 0; m < DIM; m++) unit[m] = q[m] / length;
        for (size_t j = 0; j < KEYS; j++) {
            s[0][j] = dot(q, matrix_row(keys, j), DIM) / sqrt(DIM);
            s[1][j] = dot(unit, matrix_row(keys, j), DIM) / norm;
        }
        softmax(s[0], KEYS, 1, a[0]);
        softmax(s[1], KEYS, width, a[1]);
        worst = fmax(worst, max_difference(a[0], a[1], KEYS));
        for (size_t m = 0; m < DIM; m++) q[m] *= 2;
        halved = fmax(halved, fabs(bandwidth(q, matrix_row(keys, 0)) / width - 0.5));
    }
    check_near(page, IDENTITY, "weights at that temperature with unit q and k, largest difference",
               worst, 0, 1e-13);
    check_near(page, IDENTITY, "doubling ‖q‖: largest |factor − 1/2|", halved, 0, 0);
}

/* --- 58 and 59: smoothing data ---------------------------------------------------------------- */

static double truth(double x) {
    return sin(6 * x);
}

/* The mean square error of the kernel smoother with n points on the inner 80 % of the design. */
static double smoothing_error(Lab *lab, size_t n, double h) {
    enum { GRID = 60 };
    Arena *scratch = arena_child(lab->arena);
    double *x = ARENA_ARRAY(scratch, n, double), *y = ARENA_ARRAY(scratch, n, double), error = 0;
    for (size_t j = 0; j < n; j++) {
        x[j] = rng_unit(lab->rng);
        y[j] = truth(x[j]) + 0.5 * rng_normal(lab->rng);
    }
    for (size_t g = 0; g < GRID; g++) {
        double at = 0.1 + 0.8 * ((double)g + 0.5) / GRID, top = 0, total = 0;
        lab_poll(lab);
        for (size_t j = 0; j < n; j++) {
            double near = exp(-(at - x[j]) * (at - x[j]) / (2 * h * h));
            top += near * y[j];
            total += near;
        }
        error += total > 0 ? pow(top / total - truth(at), 2) / GRID : 0;
    }
    arena_free(scratch);
    return error;
}

void predictions_consistency(Lab *lab, Page *page) {
    enum { SIZES = 9 };
    size_t repeats = 40, sizes = lab->quick ? 7 : SIZES;
    double at[SIZES], fixed[SIZES] = {0}, shrinking[SIZES] = {0}, law[SIZES];
    for (size_t k = 0; k < sizes; k++) {
        size_t n = (size_t)64 << k;
        at[k] = (double)n;
        for (size_t r = 0; r < repeats; r++) {
            lab_progress(lab, ((double)k + (double)r / (double)repeats) / (double)sizes);
            fixed[k] += smoothing_error(lab, n, 0.12) / (double)repeats;
            shrinking[k] += smoothing_error(lab, n, 0.15 * pow((double)n, -0.2)) / (double)repeats;
        }
        law[k] = shrinking[0] * pow(at[k] / at[0], -0.8);
    }
    double xx = 0, xy = 0, mx = 0, my = 0;
    for (size_t k = 0; k < sizes; k++)
        mx += log(at[k]) / (double)sizes, my += log(shrinking[k]) / (double)sizes;
    for (size_t k = 0; k < sizes; k++) {
        xx += pow(log(at[k]) - mx, 2);
        xy += (log(at[k]) - mx) * (log(shrinking[k]) - my);
    }
    double slope = xy / xx, floor = fabs(fixed[sizes - 1] / fixed[sizes - 2] - 1);
    check_near(page, STATISTICAL, "shrinking bandwidth: slope of log MSE on log n", slope, -0.775,
               0.125);
    check_most(page, STATISTICAL, "fixed bandwidth: change of MSE at the last doubling", floor,
               lab->quick ? 0.15 : 0.05);
    Plot *plot = plot_new(page->arena, "smoothing more and more points", "n", "MSE, inner 80 %");
    plot->log_x = plot->log_y = true;
    plot_line(plot, "fixed bandwidth", at, fixed, sizes);
    plot_line(plot, "bandwidth n^−1/5", at, shrinking, sizes);
    plot_rule(plot, "slope −4/5", at[0], law[0], at[sizes - 1], law[sizes - 1]);
    page_plot(page, plot);
}

void predictions_neighbour(Lab *lab, Page *page) {
    static const size_t copies[] = {1, 2, 4, 8, 16};
    size_t draws = lab->quick ? 2000 : 40000;
    const double sigma = 0.5;
    const Kernel hard = {KERNEL_HARD_LEFT, 1, 0, 0}, average = {KERNEL_AVERAGE, 1, 0, 0};
    PageTable *table =
        page_table(page, "an exact precedent, seen m times with noise",
                   (const char *const[]){"m", "variance, hard", "variance, averaging", "ratio",
                                         "bias, hard", NULL});
    for (size_t k = 0; k < 5; k++) {
        size_t m = copies[k];
        double sum[2] = {0}, squares[2] = {0}, scores[32], a[32], values[32];
        lab_progress(lab, (double)k / 5);
        for (size_t t = 0; t < draws; t++) {
            double out[2] = {0};
            if (t % 1024 == 0) lab_poll(lab);
            for (size_t j = 0; j < 2 * m; j++) { /* half of the keys are no precedents */
                scores[j] = j % 2 ? 0 : 1;
                values[j] = (j % 2 ? 100 : 1) + sigma * rng_normal(lab->rng);
            }
            for (int way = 0; way < 2; way++) {
                kernel_weights(way ? &average : &hard, scores, 2 * m, a);
                out[way] = dot(a, values, 2 * m) - 1;
                sum[way] += out[way] / (double)draws;
                squares[way] += out[way] * out[way] / (double)draws;
            }
        }
        double hard_variance = squares[0] - sum[0] * sum[0];
        double mean_variance = squares[1] - sum[1] * sum[1], ratio = hard_variance / mean_variance;
        /* Each variance has a relative standard error of √(2/N); for m = 1 they are one variable.
         */
        if (m > 1)
            check_z(page, arena_format(page->arena, "variance ratio, m = %zu", m), ratio, (double)m,
                    (double)m * sqrt(4 / (double)draws));
        else
            check_near(page, IDENTITY, "variance ratio, m = 1", ratio, 1, 1e-9);
        check_z(page, arena_format(page->arena, "bias of hard attention, m = %zu", m), sum[0], 0,
                sigma / sqrt((double)draws));
        table_count(table, m);
        table_number(table, hard_variance, 4);
        table_number(table, mean_variance, 4);
        table_number(table, ratio, 4);
        table_number(table, sum[0], 2);
    }
}
