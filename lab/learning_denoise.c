/* Items 64 and 71: a head that denoises by precedents: how its error falls with them, and what it
 * says when there is none. */
#include "lab/learning.h"

#include "lab/denoise.h"
#include "lab/simplex.h"

#include <math.h>
#include <string.h>

static const Kernel soft = {KERNEL_SOFTMAX, 1, 0, 0}, match = {KERNEL_AVERAGE, 1, 0, 0};

/* M = μ I, P = I. */
static DenoiseHead plain_head(const DenoiseTask *task, double mu) {
    DenoiseHead head = {0};
    for (size_t c = 0; c < task->key_width; c++) head.score[c * (task->key_width + 1)] = mu;
    for (size_t c = 0; c < task->value_width; c++) head.output[c * (task->value_width + 1)] = 1;
    return head;
}

static void train(Lab *lab, bool fixed_output, Rng *rng, DenoiseHead *head) {
    DenoiseTraining training = denoise_training;
    training.fixed_output = fixed_output;
    if (lab->quick) training.steps = 300;
    denoise_train(lab, &denoise_tagged, &training, rng, head);
}

/* --- 64: few shots and many ------------------------------------------------------------------- */

static const size_t copies[] = {1, 2, 4, 8, 16};
enum { COPIES = 5, LENGTH = 64, CURVES = 4 };

/* A sequence in which no other key is the query's tag by chance (2⁻¹⁶ each). */
static void draw_distinct(const DenoiseTask *task, Rng *rng, size_t m, Precedents *p) {
    size_t wide = task->key_width;
    bool again = true;
    while (again) {
        precedents_draw(task, rng, LENGTH, m, p);
        again = false;
        for (size_t j = m; j < LENGTH; j++)
            again |= memcmp(p->keys + j * wide, p->query, wide * sizeof *p->query) == 0;
    }
}

/* Mean loss and its standard error, largest loss. */
typedef struct Loss {
    double mean, error, largest;
} Loss;

static Loss loss_of(Lab *lab, const DenoiseTask *task, const DenoiseHead *head,
                    const Kernel *kernel, size_t m, size_t sequences) {
    Loss loss = {0};
    double squares = 0, count = (double)sequences;
    Arena *scratch = arena_child(lab->arena);
    Precedents p = precedents_new(scratch, task, LENGTH);
    DenoisePass pass = denoise_pass_new(scratch, LENGTH);
    for (size_t k = 0; k < sequences; k++) {
        if (k % 64 == 0) lab_poll(lab);
        draw_distinct(task, lab->rng, m, &p);
        denoise_run(task, head, &p, kernel, 1, &pass);
        loss.mean += pass.loss / count;
        squares += pass.loss * pass.loss / count;
        loss.largest = fmax(loss.largest, pass.loss);
    }
    loss.error = sqrt(fmax(squares - loss.mean * loss.mean, 0) / count);
    arena_free(scratch);
    return loss;
}

void learning_precedents(Lab *lab, Page *page) {
    static const char *const names[CURVES] = {"match", "smooth, M = I/2", "smooth, M = I",
                                              "trained"};
    const DenoiseTask *noisy = &denoise_tagged;
    DenoiseTask exact = denoise_tagged;
    exact.noise = 0;
    size_t sequences = lab->quick ? 300 : 4000, rises = 0;
    double x[COPIES], curve[CURVES][COPIES], law[COPIES], clean = 0, blurred = INFINITY, far = 0;
    Rng rng = rng_new(lab->seed, 6400);
    DenoiseHead heads[CURVES] = {plain_head(noisy, 1), plain_head(noisy, 0.5),
                                 plain_head(noisy, 1)};
    train(lab, false, &rng, &heads[3]);
    PageTable *table =
        page_table(page, "squared error a coordinate, n = 64, σ = 0.5",
                   (const char *const[]){"m", "σ²/m", "match", "z", "smooth, M = I/2",
                                         "smooth, M = I", "trained", NULL});
    for (size_t c = 0; c < COPIES; c++) {
        size_t m = copies[c];
        double expected = noisy->noise * noisy->noise / (double)m;
        lab_progress(lab, 0.2 + 0.8 * (double)c / COPIES);
        Loss free = loss_of(lab, &exact, &heads[0], &match, m, sequences / 4);
        clean = fmax(clean, free.largest);
        if (m == 1) blurred = loss_of(lab, &exact, &heads[2], &soft, m, sequences / 4).mean;
        x[c] = (double)m;
        law[c] = expected;
        table_count(table, m);
        table_number(table, expected, 4);
        for (size_t k = 0; k < CURVES; k++) {
            Loss loss = loss_of(lab, noisy, &heads[k], k ? &soft : &match, m, sequences);
            curve[k][c] = loss.mean;
            table_number(table, loss.mean, 4);
            rises += c > 0 && k > 0 && curve[k][c] >= curve[k][c - 1];
            if (k > 0) continue;
            table_number(table, (loss.mean - expected) / loss.error, 2);
            far = fmax(far, fabs(loss.mean - expected) / loss.error);
        }
    }
    check_near(page, IDENTITY, "noise-free, match kernel: largest error, one precedent or more",
               clean, 0, 1e-28);
    check_most(page, STATISTICAL, "noisy, match kernel: largest |z| against σ²/m", far, 4);
    check_most(page, STATISTICAL,
               "smooth and trained: numbers of precedents at which the error does not fall",
               (double)rises, 0);
    check_figure(page, "noise-free, smooth kernel M = I: error at m = 1", blurred);
    Plot *plot = plot_new(page->arena, "error and the number of precedents", "m", "MSE");
    plot->log_x = plot->log_y = true;
    for (size_t k = 0; k < CURVES; k++) plot_line(plot, names[k], x, curve[k], COPIES);
    plot_points(plot, "σ²/m", x, law, COPIES);
    page_plot(page, plot);
    page_note(page,
              "A kernel that matches needs one precedent, and more of them only against "
              "noise; a smooth one mixes in the other 64 − m until precedents outweigh them.");
}

/* --- 71: confabulation ------------------------------------------------------------------------ */

enum { FARTHEST = 8, PRECEDENTS = 4, GRID = 25 };

/* A sequence whose query is the copies' tag with `flips` of its bits turned. */
static void draw_absent(Rng *rng, size_t flips, Precedents *p) {
    size_t order[DENOISE_WIDTH];
    precedents_draw(&denoise_tagged, rng, LENGTH, PRECEDENTS, p);
    rng_permutation(rng, order, DENOISE_WIDTH);
    for (size_t k = 0; k < flips; k++) p->query[order[k]] *= -1;
}

/* Outputs of the head before its output map, and the average of the same values with the kernel
 * exp(b u·k_j), which is exp(−b ‖u − k_j‖²/2) as all keys are of one length. */
typedef struct Outputs {
    size_t count, width;
    double *head, *smoother; /* [count, width] */
    double norm, keys;       /* means: of ‖head‖, of exp H of its weights */
} Outputs;

static Outputs outputs_at(Lab *lab, const DenoiseHead *head, uint64_t stream, size_t flips,
                          double bandwidth, size_t sequences) {
    const DenoiseTask *task = &denoise_tagged;
    size_t wide = task->value_width;
    Rng rng = rng_new(lab->seed, stream + flips);
    Outputs o = {.count = sequences, .width = wide};
    o.head = ARENA_ARRAY(lab->arena, sequences * wide, double);
    o.smoother = ARENA_ARRAY(lab->arena, sequences * wide, double);
    Precedents p = precedents_new(lab->arena, task, LENGTH);
    DenoisePass pass = denoise_pass_new(lab->arena, LENGTH);
    double a[LENGTH];
    for (size_t k = 0; k < sequences; k++) {
        if (k % 64 == 0) lab_poll(lab);
        draw_absent(&rng, flips, &p);
        denoise_run(task, head, &p, &soft, 1, &pass);
        memcpy(o.head + k * wide, pass.mixed, wide * sizeof *o.head);
        o.norm += sqrt(dot(pass.mixed, pass.mixed, wide)) / (double)sequences;
        o.keys += exp(entropy(pass.weights, LENGTH)) / (double)sequences;
        for (size_t j = 0; j < LENGTH; j++)
            a[j] = bandwidth * dot(p.query, p.keys + j * task->key_width, task->key_width);
        softmax(a, LENGTH, 1, a);
        mix_values(a, (Matrix){LENGTH, wide, p.values}, o.smoother + k * wide);
    }
    return o;
}

/* 1 − Σ ‖head − smoother‖² / Σ ‖head − mean‖²; `shift` pairs outputs with other sequences'. */
static double r_squared(const Outputs *o, size_t shift) {
    double off = 0, spread = 0;
    for (size_t c = 0; c < o->width; c++) {
        double mean = 0;
        for (size_t k = 0; k < o->count; k++) mean += o->head[k * o->width + c] / (double)o->count;
        for (size_t k = 0; k < o->count; k++) {
            double out = o->head[k * o->width + c];
            off += pow(out - o->smoother[(k + shift) % o->count * o->width + c], 2);
            spread += pow(out - mean, 2);
        }
    }
    return 1 - off / spread;
}

/* The bandwidth of a grid with the greatest R² on average over distances, on sequences that the
 * checks do not see. */
static double fit_bandwidth(Lab *lab, const DenoiseHead *head, size_t sequences) {
    double best = 0, most = -INFINITY;
    for (int g = 0; g < GRID; g++) {
        double b = 0.05 * pow(1.2, g), sum = 0;
        Arena *scratch = arena_child(lab->arena);
        Lab inner = *lab;
        inner.arena = scratch;
        for (size_t flips = 0; flips <= FARTHEST; flips += 2) {
            Outputs o = outputs_at(&inner, head, 7100, flips, b, sequences);
            sum += r_squared(&o, 0);
        }
        arena_free(scratch);
        if (sum > most) {
            most = sum;
            best = b;
        }
    }
    return best;
}

void learning_confabulation(Lab *lab, Page *page) {
    enum { DISTANCES = FARTHEST + 1 };
    size_t sequences = lab->quick ? 60 : 1000;
    double x[DISTANCES], fit[DISTANCES], norm[DISTANCES], keys[DISTANCES], least = 1, control = -9;
    Rng rng = rng_new(lab->seed, 7190);
    DenoiseHead head;
    train(lab, false, &rng, &head);
    double b = fit_bandwidth(lab, &head, sequences / 4);
    PageTable *table =
        page_table(page, "a query whose key is absent: the nearest ones differ in so many bits",
                   (const char *const[]){"distance", "R²", "permuted", "‖output‖", "exp H", NULL});
    for (size_t d = 0; d < DISTANCES; d++) {
        lab_progress(lab, 0.5 + 0.5 * (double)d / DISTANCES);
        Outputs o = outputs_at(lab, &head, 7150, d, b, sequences);
        double permuted = r_squared(&o, 1);
        x[d] = (double)d;
        fit[d] = r_squared(&o, 0);
        norm[d] = o.norm;
        keys[d] = o.keys;
        least = fmin(least, fit[d]);
        control = fmax(control, permuted);
        table_count(table, d);
        table_number(table, fit[d], 4);
        table_number(table, permuted, 3);
        table_number(table, norm[d], 3);
        table_number(table, keys[d], 3);
    }
    check_least(page, MEASUREMENT, "least R² over distances 0 to 8, one bandwidth", least, 0.95);
    check_most(page, MEASUREMENT, "control, outputs of other sequences: largest R²", control, 0);
    check_most(page, MEASUREMENT, "‖output‖ at distance 8 over that at 0", norm[FARTHEST] / norm[0],
               1);
    check_least(page, MEASUREMENT, "exp H at distance 8 over that at 0", keys[FARTHEST] / keys[0],
                1);
    check_figure(page, "fitted b of exp(b u·k)", b);
    check_figure(page, "the head's own, mean diagonal of M over √d",
                 denoise_diagonal(head.score, 16) / 4);
    Plot *plot = plot_new(page->arena, "what a head says of an absent key", "distance in bits",
                          "R² and ‖output‖");
    plot_line(plot, "R² of the smoother", x, fit, DISTANCES);
    plot_line(plot, "‖output‖", x, norm, DISTANCES);
    page_plot(page, plot);
    page_note(page,
              "Asked for a key that is not there, the trained head gives the kernel average of "
              "what is: an answer that shrinks and rests on more keys as the query moves away, "
              "but is never withheld.");
}
