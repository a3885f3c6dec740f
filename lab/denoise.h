/* denoise.h: a head that denoises by precedents, trained and as an oracle.
 *
 * A sequence hides a vector h ~ N(0, I). m of its n positions carry a noisy copy h + σ ε, the
 * others noise of the same size; the query asks for h. Tagged: the key of a copy is the query's own
 * tag, a vector of ±1, and other keys are independent tags. Untagged: a key is its value, the query
 * a further noisy copy. One softmax head with bilinear scores,
 *
 *     s_j = scale · u M k_j / √d_k,   o = Σ a_j v_j,   answer = o P,   loss = ‖answer − h‖² / d_v,
 *
 * is what a transformer has for it. Bayes with known labels: σ²/(m + σ²) a coordinate. */
#ifndef RASP_LAB_DENOISE_H
#define RASP_LAB_DENOISE_H

#include "lab/item.h"
#include "lab/kernel.h"

enum { DENOISE_WIDTH = 16 }; /* the widest key or value */

typedef struct DenoiseTask {
    size_t key_width, value_width;
    double noise; /* σ */
    bool tagged;
} DenoiseTask;
extern const DenoiseTask denoise_tagged, denoise_untagged;

typedef struct Precedents {
    size_t n, m;           /* positions 0 .. m−1 are the copies: order means nothing here */
    double *keys, *values; /* [n, key_width], [n, value_width] */
    double query[DENOISE_WIDTH], hidden[DENOISE_WIDTH];
} Precedents;

Precedents precedents_new(Arena *arena, const DenoiseTask *task, size_t most);
void precedents_draw(const DenoiseTask *task, Rng *rng, size_t n, size_t m, Precedents *p);

typedef struct DenoiseHead {
    double score[DENOISE_WIDTH * DENOISE_WIDTH];  /* M [key_width, key_width] */
    double output[DENOISE_WIDTH * DENOISE_WIDTH]; /* P [value_width, value_width] */
} DenoiseHead;

/* One pass. */
typedef struct DenoisePass {
    double *scores, *weights; /* [n] */
    double mixed[DENOISE_WIDTH], answer[DENOISE_WIDTH];
    double loss;
} DenoisePass;

DenoisePass denoise_pass_new(Arena *arena, size_t most);
void denoise_run(const DenoiseTask *task, const DenoiseHead *head, const Precedents *p,
                 const Kernel *kernel, double scale, DenoisePass *pass);
/* Adds the gradient of the loss of a softmax pass at scale 1. */
void denoise_gradient(const DenoiseTask *task, const DenoiseHead *head, const Precedents *p,
                      const DenoisePass *pass, DenoiseHead *gradient);

typedef struct DenoiseTraining {
    size_t steps, batch, n;
    double rate;
    bool fixed_output; /* P = I/(1 + σ²), not trained */
} DenoiseTraining;
/* n = 64, m uniform on {1, 2, 4, 8, 16}, batches of 64, Adam from 1e-2. */
extern const DenoiseTraining denoise_training;

void denoise_train(Lab *lab, const DenoiseTask *task, const DenoiseTraining *training, Rng *rng,
                   DenoiseHead *head);

/* With P = p I: the mass on the copies that the best weights have, uniform over copies and over the
 * others: α* = min(1, (1/p + C)/(1 + σ²/m + C)), C = (1 + σ²)/(n − m). */
double denoise_best_mass(const DenoiseTask *task, double p, size_t n, size_t m);
/* With M = μ I and b = μ/√d_k: m/(m + (n − m) ρ), ρ = ((1 + e^{−2b})/2)^{d_k}. */
double denoise_law_mass(const DenoiseTask *task, double b, size_t n, size_t m);
/* The mean of the diagonal. */
double denoise_diagonal(const double *matrix, size_t width);

/* Means over sequences drawn. */
typedef struct DenoiseFigures {
    double loss, loss_error;    /* and its standard error */
    double entropy, mass, keys; /* of the weights; on the copies; exp H */
    double ratio;               /* mean over distractors of exp(s − mean score of the copies) */
    double best_scale;          /* the multiplier of scores with the least loss, on a grid */
} DenoiseFigures;

DenoiseFigures denoise_measure(Lab *lab, const DenoiseTask *task, const DenoiseHead *head, Rng *rng,
                               size_t n, size_t m, size_t sequences, const Kernel *kernel,
                               double scale, bool find_scale);

#endif
