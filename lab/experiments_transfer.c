/* Item 75: what becomes of a trained head on longer inputs, and whether scores times log n help; of
 * a compiled one, experiments_compiled.c. */
#include "lab/experiments.h"

#include "lab/denoise.h"

#include <math.h>

static const size_t lengths[] = {16, 64, 256, 1024, 4096}, copies[] = {1, 4};
enum { LENGTHS = 5, COPIES = 2, TRAINED_AT = 1, LONGEST = LENGTHS - 1 };

typedef enum Arm { PLAIN, LOG_N, SPARSEMAX, ENTMAX, ARMS } Arm;
static const struct {
    const char *name;
    KernelKind kernel;
    bool log_n;
} arms[ARMS] = {
    {"plain", KERNEL_SOFTMAX, false},
    {"log n", KERNEL_SOFTMAX, true},
    {"sparsemax", KERNEL_SPARSEMAX, false},
    {"entmax15", KERNEL_ENTMAX15, false},
};

static double scale_of(Arm arm, size_t n) {
    return arms[arm].log_n ? log((double)n) / log((double)lengths[TRAINED_AT]) : 1;
}

/* Means over the seeds. */
typedef struct Grid {
    double mass[ARMS][COPIES][LENGTHS], loss[ARMS][COPIES][LENGTHS];
    double predicted[COPIES][LENGTHS]; /* of the plain arm, from the training length alone */
    double away;                       /* the largest |mass − predicted| */
} Grid;

/* `share`: of the seeds, one's. */
static void measure(Lab *lab, const DenoiseHead *head, Rng *rng, double share, Grid *grid) {
    for (size_t c = 0; c < COPIES; c++) {
        size_t m = copies[c];
        Kernel softmax_kernel = {KERNEL_SOFTMAX, 1, 0, 0};
        double ratio = denoise_measure(lab, &denoise_tagged, head, rng, lengths[TRAINED_AT], m,
                                       lab->quick ? 100 : 400, &softmax_kernel, 1, false)
                           .ratio;
        for (size_t l = 0; l < LENGTHS; l++) {
            size_t n = lengths[l], sequences = lab->quick ? 20 : n > 1000 ? 100 : 400;
            double predicted = (double)m / ((double)m + (double)(n - m) * ratio);
            grid->predicted[c][l] += share * predicted;
            for (Arm a = 0; a < ARMS; a++) {
                Kernel kernel = {arms[a].kernel, 1, 0, 0};
                DenoiseFigures f = denoise_measure(lab, &denoise_tagged, head, rng, n, m, sequences,
                                                   &kernel, scale_of(a, n), false);
                grid->mass[a][c][l] += share * f.mass;
                grid->loss[a][c][l] += share * f.loss;
                if (a == PLAIN) grid->away = fmax(grid->away, fabs(f.mass - predicted));
            }
        }
    }
}

static void show(Page *page, const Grid *grid) {
    PageTable *table = page_table(
        page, "mass on the copies and MSE by length (trained at 64)",
        (const char *const[]){"m", "n", "plain", "predicted", "log n", "sparsemax", "entmax15",
                              "MSE plain", "MSE log n", "MSE sparsemax", "MSE entmax15", NULL});
    for (size_t c = 0; c < COPIES; c++)
        for (size_t l = 0; l < LENGTHS; l++) {
            table_count(table, copies[c]);
            table_count(table, lengths[l]);
            table_number(table, grid->mass[PLAIN][c][l], 3);
            table_number(table, grid->predicted[c][l], 3);
            for (Arm a = LOG_N; a < ARMS; a++) table_number(table, grid->mass[a][c][l], 3);
            for (Arm a = 0; a < ARMS; a++) table_number(table, grid->loss[a][c][l], 3);
        }
    double x[LENGTHS];
    for (size_t l = 0; l < LENGTHS; l++) x[l] = (double)lengths[l];
    Plot *mass = plot_new(page->arena, "mass on one copy", "n", "mass");
    Plot *loss = plot_new(page->arena, "error with one copy", "n", "MSE");
    mass->log_x = loss->log_x = true;
    for (Arm a = 0; a < ARMS; a++) {
        plot_line(mass, arms[a].name, x, grid->mass[a][0], LENGTHS);
        plot_line(loss, arms[a].name, x, grid->loss[a][0], LENGTHS);
    }
    plot_points(mass, "predicted", x, grid->predicted[0], LENGTHS);
    page_plot(page, mass);
    page_plot(page, loss);
}

void experiment_transfer(Lab *lab, Page *page) {
    size_t seeds = lab->quick ? 1 : EXPERIMENT_SEEDS;
    Grid grid = {.away = 0};
    for (size_t s = 0; s < seeds; s++) {
        lab_progress(lab, (double)s / (double)seeds);
        DenoiseTraining training = denoise_training;
        if (lab->quick) training.steps = 300;
        Rng rng = rng_new(lab->seed, 7500 + s);
        DenoiseHead head;
        denoise_train(lab, &denoise_tagged, &training, &rng, &head);
        measure(lab, &head, &rng, 1 / (double)seeds, &grid);
    }
    double recovered = grid.loss[LOG_N][0][LONGEST] / grid.loss[LOG_N][0][TRAINED_AT];
    check_most(page, MEASUREMENT, "plain: largest |mass − predicted| over n and m", grid.away,
               0.03);
    check_most(page, MEASUREMENT, "log n: MSE at 4096 over MSE at 64, one copy", recovered, 1.25);
    check_least(page, MEASUREMENT, "log n: mass at 4096, one copy", grid.mass[LOG_N][0][LONGEST],
                0.6);
    check_figure(page, "plain: mass at 4096, one copy", grid.mass[PLAIN][0][LONGEST]);
    check_figure(page, "floor of exact key collisions, 2^−16", 0x1p-16);
    show(page, &grid);
    if (lab->quick) page_too_small(page); /* a tenth of the training, and 20 sequences of 400 */
    bool compiled = experiment_transfer_compiled(lab, page);
    page_note(page,
              "Rule: the head degrades like a smoother of fixed bandwidth if the mass is within "
              "0.03 of m/(m + (n − m) r) everywhere, r measured at the training length alone; "
              "log n recovers it if MSE(4096) ≤ 1.25 MSE(64) and mass(4096) ≥ 0.6. A compiled head "
              "has to be "
              "recovered exactly.");
    bool degrades = grid.away <= 0.03;
    bool recovers = recovered <= 1.25 && grid.mass[LOG_N][0][LONGEST] >= 0.6;
    page->conclusion = degrades && recovers && compiled ? "supported"
                       : degrades || recovers           ? "in part"
                                                        : "refuted";
}
