/* Item 70: a kernel that learns which coordinates matter. */
#include "lab/learning.h"

#include "lab/adam.h"
#include "lab/metric.h"

#include <math.h>

enum { WIDTH = 8, PLANTED = 2, STEPS = 500, TEST = 400 };
static const double noise = 0.1;

/* x uniform in the cube [−1, 1]^8; y is a function of the first two coordinates alone. */
static double target(const double *x) {
    return sin(3 * x[0]) + x[1] * x[1] + x[0] * x[1];
}

static MetricData draw(Arena *arena, Rng *rng, size_t count) {
    MetricData data = {matrix_new(arena, count, WIDTH), matrix_new(arena, count, 1)};
    for (size_t i = 0; i < count; i++) {
        for (size_t c = 0; c < WIDTH; c++) *matrix_at(data.x, i, c) = rng_between(rng, -1, 1);
        data.y.x[i] = target(matrix_row(data.x, i)) + noise * rng_normal(rng);
    }
    return data;
}

/* The largest |analytic − central difference| over the largest entry, at a random M. */
static double gradient_error(Lab *lab, const MetricData *data) {
    const double h = 1e-5;
    Matrix m = matrix_normal(lab->arena, lab->rng, WIDTH, WIDTH, 0.5);
    Matrix gradient = matrix_new(lab->arena, WIDTH, WIDTH);
    double worst = 0, largest = 0;
    metric_loss(lab->arena, data, m, &gradient);
    for (size_t k = 0; k < WIDTH * WIDTH; k++) {
        double at = m.x[k];
        m.x[k] = at + h;
        double up = metric_loss(lab->arena, data, m, NULL);
        m.x[k] = at - h;
        double down = metric_loss(lab->arena, data, m, NULL);
        m.x[k] = at;
        worst = fmax(worst, fabs((up - down) / (2 * h) - gradient.x[k]));
        largest = fmax(largest, fabs(gradient.x[k]));
    }
    return worst / largest;
}

/* The part of ‖M‖² in the columns of the planted coordinates. */
static double share_of(Matrix m) {
    double planted = 0, all = 0;
    for (size_t r = 0; r < WIDTH; r++)
        for (size_t c = 0; c < WIDTH; c++) {
            all += pow(*matrix_at(m, r, c), 2);
            if (c < PLANTED) planted += pow(*matrix_at(m, r, c), 2);
        }
    return planted / all;
}

/* Mean squared error of the estimate on fresh points, without their noise. */
static double test_error(Lab *lab, const MetricData *data, Matrix m, Matrix fresh) {
    double sum = 0;
    for (size_t i = 0; i < fresh.rows; i++) {
        if (i % 32 == 0) lab_poll(lab);
        const double *x = matrix_row(fresh, i);
        sum += pow(metric_estimate(lab->arena, data, m, x) - target(x), 2);
    }
    return sum / (double)fresh.rows;
}

/* The least test error of M = s I, and of s on the planted coordinates alone, over s: what no
 * metric and a given metric have. */
static double best_scale(Lab *lab, const MetricData *data, Matrix fresh, size_t coordinates) {
    double best = INFINITY;
    for (int k = 0; k < 12; k++) {
        Matrix m = matrix_new(lab->arena, WIDTH, WIDTH);
        for (size_t c = 0; c < coordinates; c++) *matrix_at(m, c, c) = 0.5 * pow(1.4, k);
        best = fmin(best, test_error(lab, data, m, fresh));
    }
    return best;
}

/* From M = I. share: [STEPS]. */
static Matrix train(Lab *lab, const MetricData *data, double *share) {
    Matrix m = matrix_identity(lab->arena, WIDTH), gradient = matrix_copy(lab->arena, m);
    Adam adam = adam_new(lab->arena, WIDTH * WIDTH, 0.9, 0.999);
    for (size_t step = 0; step < STEPS; step++) {
        lab_poll(lab);
        metric_loss(lab->arena, data, m, &gradient);
        adam_step(&adam, 0.03 * (1 - (double)step / STEPS), gradient.x, m.x);
        share[step] = share_of(m);
    }
    return m;
}

static void plot_training(Page *page, const double *share, Matrix m) {
    double x[STEPS], square[WIDTH * WIDTH] = {0};
    for (size_t k = 0; k < STEPS; k++) x[k] = (double)(k + 1);
    Plot *plot = plot_new(page->arena, "the metric finds the planted coordinates", "step",
                          "their part of ‖M‖²");
    plot_line(plot, "mean of the seeds", x, share, STEPS);
    plot_rule(plot, "95 %", 1, 0.95, STEPS, 0.95);
    page_plot(page, plot);
    for (size_t r = 0; r < WIDTH; r++)
        for (size_t i = 0; i < WIDTH; i++)
            for (size_t c = 0; c < WIDTH; c++)
                square[i * WIDTH + c] += *matrix_at(m, r, i) * *matrix_at(m, r, c);
    page_plot(page, plot_matrix(page->arena, "the metric MᵀM of the first seed", "coordinate",
                                "coordinate", WIDTH, WIDTH, square, NULL, NULL));
}

void learning_metric(Lab *lab, Page *page) {
    size_t seeds = lab->quick ? 1 : 5, count = lab->quick ? 80 : 250;
    double mean = 0, least = 1, error = 0, history[STEPS] = {0};
    Matrix first = {0};
    MetricData small = draw(lab->arena, lab->rng, 40);
    for (int k = 0; k < 3; k++) error = fmax(error, gradient_error(lab, &small));
    PageTable *table =
        page_table(page, "squared error on fresh points, and the planted part of ‖M‖²",
                   (const char *const[]){"seed", "M = s I, best s", "trained M",
                                         "planted given, best s", "part of ‖M‖²", NULL});
    for (size_t s = 0; s < seeds; s++) {
        double share[STEPS];
        lab_progress(lab, (double)s / (double)seeds);
        Rng rng = rng_new(lab->seed, 7000 + s);
        MetricData data = draw(lab->arena, &rng, count);
        Matrix fresh = draw(lab->arena, &rng, lab->quick ? 50 : TEST).x;
        Matrix m = train(lab, &data, share);
        if (s == 0) first = m;
        mean += share_of(m) / (double)seeds;
        least = fmin(least, share_of(m));
        for (size_t k = 0; k < STEPS; k++) history[k] += share[k] / (double)seeds;
        table_count(table, s + 1);
        table_number(table, best_scale(lab, &data, fresh, WIDTH), 3);
        table_number(table, test_error(lab, &data, m, fresh), 3);
        table_number(table, best_scale(lab, &data, fresh, PLANTED), 3);
        table_number(table, share_of(m), 4);
    }
    check_near(page, IDENTITY, "largest |gradient − differences| over the largest entry", error, 0,
               1e-5);
    check_least(page, MEASUREMENT, "part of ‖M‖² on the planted coordinates, mean of seeds", mean,
                0.95);
    check_figure(page, "the same, least of the seeds", least);
    if (lab->quick) page_too_small(page); /* the 95 % are of 250 examples and five seeds */
    plot_training(page, history, first);
    page_note(page, "%zu examples in 8 dimensions, noise %g; y depends on coordinates 0 and 1.",
              count, noise);
}
