#include "lab/denoise.h"

#include "lab/adam.h"
#include "lab/simplex.h"

#include <math.h>
#include <string.h>

const DenoiseTask denoise_tagged = {16, 8, 0.5, true}, denoise_untagged = {16, 16, 0.5, false};
const DenoiseTraining denoise_training = {3000, 64, 64, 1e-2, false};

/* --- the task --------------------------------------------------------------------------------- */

Precedents precedents_new(Arena *arena, const DenoiseTask *task, size_t most) {
    return (Precedents){.keys = ARENA_ARRAY(arena, most * task->key_width, double),
                        .values = ARENA_ARRAY(arena, most * task->value_width, double)};
}

static void draw_tag(Rng *rng, size_t width, double *tag) {
    uint64_t bits = rng_bits(rng);
    for (size_t c = 0; c < width; c++, bits >>= 1) tag[c] = bits & 1 ? 1 : -1;
}

void precedents_draw(const DenoiseTask *task, Rng *rng, size_t n, size_t m, Precedents *p) {
    size_t wide = task->value_width, keyed = task->key_width;
    double alone = sqrt(1 + task->noise * task->noise);
    p->n = n;
    p->m = m;
    rng_normals(rng, p->hidden, wide, 1);
    if (task->tagged)
        draw_tag(rng, keyed, p->query);
    else
        for (size_t c = 0; c < wide; c++)
            p->query[c] = p->hidden[c] + task->noise * rng_normal(rng);
    for (size_t j = 0; j < n; j++) {
        double *value = p->values + j * wide, *key = p->keys + j * keyed;
        rng_normals(rng, value, wide, j < m ? task->noise : alone);
        for (size_t c = 0; c < wide && j < m; c++) value[c] += p->hidden[c];
        if (!task->tagged)
            memcpy(key, value, wide * sizeof *key);
        else if (j < m)
            memcpy(key, p->query, keyed * sizeof *key);
        else
            draw_tag(rng, keyed, key);
    }
}

/* --- the head --------------------------------------------------------------------------------- */

DenoisePass denoise_pass_new(Arena *arena, size_t most) {
    return (DenoisePass){.scores = ARENA_ARRAY(arena, most, double),
                         .weights = ARENA_ARRAY(arena, most, double)};
}

/* out = x W, W [width, width]. */
static void times(const double *x, const double *matrix, size_t width, double *out) {
    memset(out, 0, width * sizeof *out);
    for (size_t r = 0; r < width; r++)
        for (size_t c = 0; c < width; c++) out[c] += x[r] * matrix[r * width + c];
}

static void score(const DenoiseTask *task, const DenoiseHead *head, const Precedents *p,
                  DenoisePass *pass) {
    double along[DENOISE_WIDTH], root = sqrt((double)task->key_width);
    times(p->query, head->score, task->key_width, along);
    for (size_t j = 0; j < p->n; j++)
        pass->scores[j] = dot(along, p->keys + j * task->key_width, task->key_width) / root;
}

static void answer(const DenoiseTask *task, const DenoiseHead *head, const Precedents *p,
                   DenoisePass *pass) {
    size_t wide = task->value_width;
    mix_values(pass->weights, (Matrix){p->n, wide, p->values}, pass->mixed);
    times(pass->mixed, head->output, wide, pass->answer);
    pass->loss = 0;
    for (size_t c = 0; c < wide; c++)
        pass->loss += pow(pass->answer[c] - p->hidden[c], 2) / (double)wide;
}

void denoise_run(const DenoiseTask *task, const DenoiseHead *head, const Precedents *p,
                 const Kernel *kernel, double scale, DenoisePass *pass) {
    score(task, head, p, pass);
    for (size_t j = 0; j < p->n; j++) pass->scores[j] *= scale;
    kernel_weights(kernel, pass->scores, p->n, pass->weights);
    answer(task, head, p, pass);
}

void denoise_gradient(const DenoiseTask *task, const DenoiseHead *head, const Precedents *p,
                      const DenoisePass *pass, DenoiseHead *gradient) {
    size_t wide = task->value_width, keyed = task->key_width;
    double off[DENOISE_WIDTH], mixed[DENOISE_WIDTH], along[DENOISE_WIDTH] = {0};
    for (size_t c = 0; c < wide; c++) off[c] = 2 * (pass->answer[c] - p->hidden[c]) / (double)wide;
    for (size_t r = 0; r < wide; r++) {
        mixed[r] = dot(off, head->output + r * wide, wide); /* d loss / d mixed = off P^T */
        for (size_t c = 0; c < wide; c++) gradient->output[r * wide + c] += pass->mixed[r] * off[c];
    }
    /* ds = a (da − Σ a da), da_j = v_j · d mixed, and Σ a da = mixed · d mixed. */
    double mean = dot(pass->mixed, mixed, wide), root = sqrt((double)keyed);
    for (size_t j = 0; j < p->n; j++) {
        double step = pass->weights[j] * (dot(p->values + j * wide, mixed, wide) - mean) / root;
        for (size_t c = 0; c < keyed; c++) along[c] += step * p->keys[j * keyed + c];
    }
    for (size_t r = 0; r < keyed; r++)
        for (size_t c = 0; c < keyed; c++) gradient->score[r * keyed + c] += p->query[r] * along[c];
}

/* --- training --------------------------------------------------------------------------------- */

/* Up over 100 steps, then even, and a tenth after 70 % of the steps. */
static double rate_at(const DenoiseTraining *t, size_t step) {
    double warm = fmin(1, (double)(step + 1) / 100);
    return t->rate * warm * (10 * step < 7 * t->steps ? 1 : 0.1);
}

void denoise_train(Lab *lab, const DenoiseTask *task, const DenoiseTraining *t, Rng *rng,
                   DenoiseHead *head) {
    static const size_t copies[] = {1, 2, 4, 8, 16};
    const Kernel softmax_kernel = {KERNEL_SOFTMAX, 1, 0, 0};
    enum { MATRIX = DENOISE_WIDTH * DENOISE_WIDTH };
    Adam score_adam = adam_new(lab->arena, MATRIX, 0.9, 0.999);
    Adam output_adam = adam_new(lab->arena, MATRIX, 0.9, 0.999);
    Precedents p = precedents_new(lab->arena, task, t->n);
    DenoisePass pass = denoise_pass_new(lab->arena, t->n);
    size_t wide = task->value_width;
    memset(head, 0, sizeof *head);
    rng_normals(rng, head->score, task->key_width * task->key_width, 0.1);
    rng_normals(rng, head->output, wide * wide, 0.1);
    for (size_t k = 0; k < wide * wide && t->fixed_output; k++)
        head->output[k] = k % (wide + 1) ? 0 : 1 / (1 + task->noise * task->noise);
    for (size_t step = 0; step < t->steps; step++) {
        DenoiseHead gradient = {0};
        lab_poll(lab);
        for (size_t b = 0; b < t->batch; b++) {
            size_t m = copies[rng_below(rng, sizeof copies / sizeof *copies)];
            precedents_draw(task, rng, t->n, m, &p);
            denoise_run(task, head, &p, &softmax_kernel, 1, &pass);
            denoise_gradient(task, head, &p, &pass, &gradient);
        }
        for (size_t k = 0; k < MATRIX; k++) {
            gradient.score[k] /= (double)t->batch;
            gradient.output[k] /= (double)t->batch;
        }
        adam_step(&score_adam, rate_at(t, step), gradient.score, head->score);
        if (!t->fixed_output)
            adam_step(&output_adam, rate_at(t, step), gradient.output, head->output);
    }
}

/* --- closed forms and figures ----------------------------------------------------------------- */

double denoise_best_mass(const DenoiseTask *task, double p, size_t n, size_t m) {
    double noise = task->noise * task->noise, others = (1 + noise) / (double)(n - m);
    return fmin(1, (1 / p + others) / (1 + noise / (double)m + others));
}

double denoise_law_mass(const DenoiseTask *task, double b, size_t n, size_t m) {
    double ratio = pow((1 + exp(-2 * b)) / 2, (double)task->key_width);
    return (double)m / ((double)m + (double)(n - m) * ratio);
}

double denoise_diagonal(const double *matrix, size_t width) {
    double sum = 0;
    for (size_t c = 0; c < width; c++) sum += matrix[c * (width + 1)];
    return sum / (double)width;
}

/* The multipliers tried: 24 from 1/4 to 8. */
enum { SCALES = 24 };
static double scale_of(size_t k) {
    return 0.25 * pow(32, (double)k / (SCALES - 1));
}

DenoiseFigures denoise_measure(Lab *lab, const DenoiseTask *task, const DenoiseHead *head, Rng *rng,
                               size_t n, size_t m, size_t sequences, const Kernel *kernel,
                               double scale, bool find_scale) {
    DenoiseFigures f = {.best_scale = NAN};
    double squares = 0, by_scale[SCALES] = {0}, count = (double)sequences;
    Arena *scratch = arena_child(lab->arena);
    Precedents p = precedents_new(scratch, task, n);
    DenoisePass pass = denoise_pass_new(scratch, n);
    for (size_t k = 0; k < sequences; k++) {
        lab_poll(lab);
        precedents_draw(task, rng, n, m, &p);
        for (size_t s = 0; s < SCALES && find_scale; s++) {
            denoise_run(task, head, &p, kernel, scale * scale_of(s), &pass);
            by_scale[s] += pass.loss;
        }
        denoise_run(task, head, &p, kernel, scale, &pass);
        double copies = mean_of(pass.scores, m), h = entropy(pass.weights, n), ratio = 0;
        for (size_t j = m; j < n; j++) ratio += exp(pass.scores[j] - copies) / (double)(n - m);
        f.loss += pass.loss / count;
        squares += pass.loss * pass.loss / count;
        f.entropy += h / count;
        f.keys += exp(h) / count;
        f.mass += sum_of(pass.weights, m) / count;
        f.ratio += ratio / count;
    }
    f.loss_error = sqrt(fmax(squares - f.loss * f.loss, 0) / count);
    for (size_t s = 0, best = 0; s < SCALES && find_scale; s++) {
        if (by_scale[s] < by_scale[best]) best = s;
        f.best_scale = scale_of(best);
    }
    arena_free(scratch);
    return f;
}
