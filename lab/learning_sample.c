/* Item 72: what learning a similarity costs in training sequences. */
#include "lab/learning.h"

#include "lab/adam.h"
#include "lab/denoise.h"
#include "lab/parallel.h"
#include "lab/simplex.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH = 64, SIZES = 5, MOST_REPEATS = 5, BATCH = 32, BOOTSTRAPS = 1000 };
static const size_t sizes[SIZES] = {32, 64, 128, 256, 512};
static const size_t copies[] = {1, 2, 4, 8, 16};

/* Errors of heads trained on `sizes` sequences each; the last column: on fresh ones all along. */
typedef struct Curve {
    uint64_t seed;
    size_t repeats, steps, tests;
    double error[SIZES + 1][MOST_REPEATS];
} Curve;

/* Sequence number `index` of a training set, or of the test set. */
static size_t draw(uint64_t seed, size_t set, size_t index, Precedents *p) {
    Rng rng = rng_new(seed + 7200 * (set + 1), 1000 + index);
    size_t m = copies[rng_below(&rng, sizeof copies / sizeof *copies)];
    precedents_draw(&denoise_tagged, &rng, LENGTH, m, p);
    return m;
}

/* M from Adam on batches out of that many sequences; P = I/(1 + σ²) stays, so that all that is
 * learned is the similarity. size 0: no sequence twice. */
static void train(const Curve *curve, size_t set, size_t size, DenoiseHead *head, Arena *arena) {
    enum { MATRIX = DENOISE_WIDTH * DENOISE_WIDTH };
    const Kernel soft = {KERNEL_SOFTMAX, 1, 0, 0};
    Adam adam = adam_new(arena, MATRIX, 0.9, 0.999);
    Precedents p = precedents_new(arena, &denoise_tagged, LENGTH);
    DenoisePass pass = denoise_pass_new(arena, LENGTH);
    Rng rng = rng_new(curve->seed, 7290 + set);
    size_t wide = denoise_tagged.value_width;
    memset(head, 0, sizeof *head);
    rng_normals(&rng, head->score, MATRIX, 0.1);
    for (size_t c = 0; c < wide; c++)
        head->output[c * (wide + 1)] = 1 / (1 + denoise_tagged.noise * denoise_tagged.noise);
    for (size_t step = 0; step < curve->steps; step++) {
        DenoiseHead gradient = {0};
        for (size_t b = 0; b < BATCH; b++) {
            draw(curve->seed, set, size ? rng_below(&rng, size) : step * BATCH + b, &p);
            denoise_run(&denoise_tagged, head, &p, &soft, 1, &pass);
            denoise_gradient(&denoise_tagged, head, &p, &pass, &gradient);
        }
        for (size_t k = 0; k < MATRIX; k++) gradient.score[k] /= BATCH;
        adam_step(&adam, 0.02 * (1 - (double)step / (double)curve->steps), gradient.score,
                  head->score);
    }
}

/* What selection alone costs: the loss on fresh sequences less that of weights 1/m on the copies,
 * which are the best for this P. */
static double selection_error(const Curve *curve, const DenoiseHead *head, Arena *arena) {
    const Kernel soft = {KERNEL_SOFTMAX, 1, 0, 0};
    const size_t wide = denoise_tagged.value_width;
    double error = 0, p_scale = head->output[0];
    Precedents p = precedents_new(arena, &denoise_tagged, LENGTH);
    DenoisePass pass = denoise_pass_new(arena, LENGTH);
    for (size_t k = 0; k < curve->tests; k++) {
        size_t m = draw(curve->seed, SIZES + 1 + MOST_REPEATS * (SIZES + 1), k, &p);
        denoise_run(&denoise_tagged, head, &p, &soft, 1, &pass);
        double oracle = 0;
        for (size_t c = 0; c < wide; c++) {
            double mean = 0;
            for (size_t j = 0; j < m; j++) mean += p.values[j * wide + c] / (double)m;
            oracle += pow(p_scale * mean - p.hidden[c], 2) / (double)wide;
        }
        error += (pass.loss - oracle) / (double)curve->tests;
    }
    return error;
}

static void work(void *context, size_t k, Arena *arena) {
    Curve *curve = context;
    size_t column = k % (SIZES + 1), repeat = k / (SIZES + 1);
    DenoiseHead head;
    train(curve, k, column < SIZES ? sizes[column] : 0, &head, arena);
    curve->error[column][repeat] = selection_error(curve, &head, arena);
}

/* The least-squares slope of log mean error on log size, over the repeats that `pick` says. */
static double slope_of(const Curve *curve, size_t pick[SIZES][MOST_REPEATS]) {
    double x[SIZES], y[SIZES], xx = 0, xy = 0;
    for (size_t s = 0; s < SIZES; s++) {
        double mean = 0;
        for (size_t r = 0; r < curve->repeats; r++)
            mean += curve->error[s][pick[s][r]] / (double)curve->repeats;
        x[s] = log((double)sizes[s]);
        y[s] = log(mean);
    }
    double mx = mean_of(x, SIZES), my = mean_of(y, SIZES);
    for (size_t s = 0; s < SIZES; s++) {
        xx += (x[s] - mx) * (x[s] - mx);
        xy += (x[s] - mx) * (y[s] - my);
    }
    return xy / xx;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The slope and the middle 95 % of it when repeats are drawn again with replacement. */
static double bootstrap(Lab *lab, const Curve *curve, double *low, double *high) {
    double *slopes = ARENA_ARRAY(lab->arena, BOOTSTRAPS, double);
    size_t pick[SIZES][MOST_REPEATS];
    for (size_t b = 0; b < BOOTSTRAPS; b++) {
        for (size_t s = 0; s < SIZES; s++)
            for (size_t r = 0; r < curve->repeats; r++)
                pick[s][r] = rng_below(lab->rng, curve->repeats);
        slopes[b] = slope_of(curve, pick);
    }
    qsort(slopes, BOOTSTRAPS, sizeof *slopes, ascending);
    *low = slopes[BOOTSTRAPS / 40];
    *high = slopes[BOOTSTRAPS - 1 - BOOTSTRAPS / 40];
    for (size_t s = 0; s < SIZES; s++)
        for (size_t r = 0; r < curve->repeats; r++) pick[s][r] = r;
    return slope_of(curve, pick);
}

static void show(Page *page, const Curve *curve) {
    double x[SIZES], mean[SIZES], all[SIZES * MOST_REPEATS], places[SIZES * MOST_REPEATS];
    PageTable *table = page_table(
        page, "test loss above the best weights', by the number of training sequences",
        (const char *const[]){"sequences", "per parameter of M", "mean", "least", "largest", NULL});
    for (size_t s = 0; s <= SIZES; s++) {
        const double *e = curve->error[s];
        double low = e[0], high = e[0];
        for (size_t r = 0; r < curve->repeats; r++) {
            low = fmin(low, e[r]);
            high = fmax(high, e[r]);
            if (s == SIZES) continue;
            all[s * curve->repeats + r] = e[r];
            places[s * curve->repeats + r] = (double)sizes[s];
        }
        if (s < SIZES) {
            x[s] = (double)sizes[s];
            mean[s] = mean_of(e, curve->repeats);
            table_count(table, sizes[s]);
            table_number(table, x[s] / (DENOISE_WIDTH * DENOISE_WIDTH), 3);
        } else {
            table_text(table, "never the same");
            table_text(table, "");
        }
        table_number(table, mean_of(e, curve->repeats), 3);
        table_number(table, low, 3);
        table_number(table, high, 3);
    }
    Plot *plot = plot_new(page->arena, "the cost of learning a similarity", "training sequences",
                          "loss above the best weights'");
    plot->log_x = plot->log_y = true;
    plot_points(plot, "a training set each", places, all, SIZES * curve->repeats);
    plot_line(plot, "mean", x, mean, SIZES);
    page_plot(page, plot);
}

void learning_sample_curve(Lab *lab, Page *page) {
    Curve curve = {.seed = lab->seed,
                   .repeats = lab->quick ? 2 : MOST_REPEATS,
                   .steps = lab->quick ? 30 : 400,
                   .tests = lab->quick ? 100 : 1000};
    double low, high;
    lab_parallel(lab, curve.repeats * (SIZES + 1), work, &curve, 0, 1);
    double slope = bootstrap(lab, &curve, &low, &high);
    check_figure(page, "slope of log selection error on log training sequences", slope);
    check_figure(page, "bootstrap, 95 %: from", low);
    check_figure(page, "bootstrap, 95 %: to", high);
    check_figure(page, "selection error when no sequence is seen twice",
                 mean_of(curve.error[SIZES], curve.repeats));
    show(page, &curve);
    page_note(
        page,
        "The score u M kᵀ has %d parameters. Each head makes %zu steps of %d sequences; %zu "
        "training sets of each size, drawn again with replacement for the interval. The last row "
        "is what so few steps leave whatever the data: the curve bends towards it, so its one "
        "slope is a summary and not a law.",
        DENOISE_WIDTH * DENOISE_WIDTH, curve.steps, BATCH, curve.repeats);
}
