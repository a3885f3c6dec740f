/* Item 74: does the entropy of a trained head follow the number of its precedents? */
#include "lab/experiments.h"

#include "lab/denoise.h"
#include "lab/simplex.h"

#include <math.h>

static const size_t copies[] = {1, 2, 4, 8, 16}, lengths[] = {16, 64, 256, 1024};
enum { COPIES = 5, LENGTHS = 4, TRAINED_AT = 1, FAILURE_AT = 2 }; /* of lengths */

typedef enum Regime { FREE_OUTPUT, FIXED_OUTPUT, UNTAGGED, REGIMES } Regime;
static const char *const regime_names[REGIMES] = {"output trained", "output fixed", "untagged"};

/* The least-squares slope and the correlation of y on log m. */
static void fit(const double *y, double *slope, double *correlation) {
    double x[COPIES], xx = 0, xy = 0, yy = 0;
    for (size_t k = 0; k < COPIES; k++) x[k] = log((double)copies[k]);
    double mx = mean_of(x, COPIES), my = mean_of(y, COPIES);
    for (size_t k = 0; k < COPIES; k++) {
        xx += (x[k] - mx) * (x[k] - mx);
        xy += (x[k] - mx) * (y[k] - my);
        yy += (y[k] - my) * (y[k] - my);
    }
    *slope = xy / xx;
    *correlation = xy / sqrt(xx * yy);
}

/* What one trained head gives: the slopes and correlations by length, and at the training length
 * the largest |mass − α*|. */
typedef struct Found {
    double slope[LENGTHS], correlation[LENGTHS], away;
    double entropy[LENGTHS][COPIES];
} Found;

static void add_row(PageTable *table, const DenoiseTask *task, size_t n, size_t m, double best,
                    double law, const DenoiseFigures *f) {
    double noise = task->noise * task->noise;
    table_count(table, n);
    table_count(table, m);
    table_number(table, f->loss, 3);
    table_number(table, noise / ((double)m + noise), 3);
    table_number(table, f->entropy, 3);
    table_number(table, f->entropy - log((double)m), 3);
    table_number(table, f->keys, 3);
    table_number(table, f->mass, 3);
    table_number(table, best, 3);
    table_number(table, law, 3);
    table_number(table, f->best_scale, 2);
}

static Found measure(Lab *lab, Page *page, Regime regime, const DenoiseHead *head, Rng *rng,
                     bool show) {
    const DenoiseTask *task = regime == UNTAGGED ? &denoise_untagged : &denoise_tagged;
    const Kernel kernel = {KERNEL_SOFTMAX, 1, 0, 0};
    double p = denoise_diagonal(head->output, task->value_width);
    double b = denoise_diagonal(head->score, task->key_width) / sqrt((double)task->key_width);
    PageTable *table = NULL;
    if (show)
        table = page_table(page, regime_names[regime],
                           (const char *const[]){"n", "m", "MSE", "Bayes", "H", "H − log m",
                                                 "exp H", "mass", "α*", "law", "t*", NULL});
    Found found = {.away = 0};
    for (size_t l = 0; l < LENGTHS; l++) {
        for (size_t c = 0; c < COPIES; c++) {
            size_t n = lengths[l], m = copies[c];
            if (m == n) { /* nothing but copies: H is log m whatever the head does */
                found.entropy[l][c] = log((double)m);
                continue;
            }
            DenoiseFigures f = denoise_measure(lab, task, head, rng, n, m, lab->quick ? 40 : 400,
                                               &kernel, 1, show);
            double best = denoise_best_mass(task, p, n, m), law = denoise_law_mass(task, b, n, m);
            found.entropy[l][c] = f.entropy;
            if (l == TRAINED_AT) found.away = fmax(found.away, fabs(f.mass - best));
            if (table) add_row(table, task, n, m, best, regime == UNTAGGED ? NAN : law, &f);
        }
        fit(found.entropy[l], &found.slope[l], &found.correlation[l]);
    }
    return found;
}

static void plot_entropy(Page *page, const Found *found, Regime regime) {
    double x[COPIES];
    for (size_t k = 0; k < COPIES; k++) x[k] = log((double)copies[k]);
    Plot *plot = plot_new(
        page->arena, arena_format(page->arena, "entropy and precedents: %s", regime_names[regime]),
        "log m", "mean entropy, nats");
    for (size_t l = 0; l < LENGTHS; l++)
        plot_line(plot, arena_format(page->arena, "n = %zu", lengths[l]), x, found->entropy[l],
                  COPIES);
    plot_rule(plot, "H = log m", 0, 0, log(16), log(16));
    page_plot(page, plot);
}

static void plot_mass(Page *page, const double *mass, const double *law) {
    double x[LENGTHS];
    for (size_t l = 0; l < LENGTHS; l++) x[l] = (double)lengths[l];
    Plot *plot = plot_new(page->arena, "mass on one copy, output fixed", "n", "mass");
    plot->log_x = true;
    plot_points(plot, "trained head", x, mass, LENGTHS);
    plot_line(plot, "fixed-bandwidth law", x, law, LENGTHS);
    page_plot(page, plot);
}

void experiment_denoise(Lab *lab, Page *page) {
    size_t seeds = lab->quick ? 1 : EXPERIMENT_SEEDS;
    double slope[REGIMES] = {0}, correlation[REGIMES] = {0}, failure[REGIMES] = {0};
    double least = INFINITY, low = INFINITY, high = -INFINITY, away = 0, mass[LENGTHS],
           law[LENGTHS];
    for (size_t s = 0; s < seeds; s++)
        for (Regime r = 0; r < REGIMES; r++) {
            lab_progress(lab, (double)(s * REGIMES + r) / (double)(seeds * REGIMES));
            const DenoiseTask *task = r == UNTAGGED ? &denoise_untagged : &denoise_tagged;
            DenoiseTraining training = denoise_training;
            training.fixed_output = r == FIXED_OUTPUT;
            if (lab->quick) training.steps = 300;
            Rng rng = rng_new(lab->seed, 7400 + s * REGIMES + r);
            DenoiseHead head;
            denoise_train(lab, task, &training, &rng, &head);
            Found found = measure(lab, page, r, &head, &rng, s == 0);
            slope[r] += found.slope[TRAINED_AT] / (double)seeds;
            correlation[r] += found.correlation[TRAINED_AT] / (double)seeds;
            failure[r] += found.slope[FAILURE_AT] / (double)seeds;
            if (r == FREE_OUTPUT) away = fmax(away, found.away);
            if (r == FIXED_OUTPUT) {
                low = fmin(low, found.slope[TRAINED_AT]);
                high = fmax(high, found.slope[TRAINED_AT]);
                least = fmin(least, found.correlation[TRAINED_AT]);
            }
            if (s == 0 && r != UNTAGGED) plot_entropy(page, &found, r);
            for (size_t l = 0; l < LENGTHS && s == 0 && r == FIXED_OUTPUT; l++) {
                double b =
                    denoise_diagonal(head.score, task->key_width) / sqrt((double)task->key_width);
                mass[l] =
                    denoise_measure(lab, task, &head, &rng, lengths[l], 1, lab->quick ? 40 : 400,
                                    &(Kernel){KERNEL_SOFTMAX, 1, 0, 0}, 1, false)
                        .mass;
                law[l] = denoise_law_mass(task, b, lengths[l], 1);
            }
        }
    plot_mass(page, mass, law);
    check_near(page, MEASUREMENT, "output fixed: slope of H on log m at n = 64",
               slope[FIXED_OUTPUT], 1, 0.1);
    check_least(page, MEASUREMENT, "the same, correlation, least of the seeds", least, 0.99);
    check_most(page, MEASUREMENT, "output trained: largest |mass − α*| at n = 64", away, 0.05);
    check_figure(page, "output trained: slope at n = 64", slope[FREE_OUTPUT]);
    check_figure(page, "output trained: slope at n = 256", failure[FREE_OUTPUT]);
    check_figure(page, "output fixed: slope at n = 256", failure[FIXED_OUTPUT]);
    check_figure(page, "untagged: slope at n = 64", slope[UNTAGGED]);
    check_figure(page, "untagged: correlation at n = 64", correlation[UNTAGGED]);
    page_note(
        page,
        "Rule: the entropy follows log m if, with the output fixed, its slope at the training "
        "length lies in [0.9, 1.1] with a correlation of at least 0.99 for every seed, and, with "
        "the output trained, the mass on copies is within 0.05 of the oracle's α* for all m.");
    bool follows = low >= 0.9 && high <= 1.1 && least >= 0.99 && away <= 0.05;
    page->conclusion = follows ? "supported" : "refuted";
    if (lab->quick) page_too_small(page); /* a tenth of the training that the rule is about */
}
