/* ask.h: the lab's answers about a user's own numbers: measurements for notebook_run, each with
 * what it is asked as its context. */
#ifndef RASP_LAB_ASK_H
#define RASP_LAB_ASK_H

#include "api/rasp.h"
#include "lab/kernel.h"
#include "lab/notebook.h"
#include "lab/smoother.h"

/* A row of scores: its weights, how many keys they look at, how they move with the scores and with
 * the temperature. */
typedef struct KernelQuestion {
    Kernel kernel;
    const double *scores; /* [count], finite or −∞, not all −∞ */
    size_t count;         /* ≥ 1 */
} KernelQuestion;
Measurement ask_kernel;

/* Points of a plane: the Nadaraya–Watson fit of y by x, the bandwidth with the least error left out
 * (or a given one), and that error over the bandwidth. */
typedef struct SmoothQuestion {
    Kernel kernel;
    Sample sample;    /* at least 3 points, not all at one x */
    double bandwidth; /* 0: the best */
    const char *x_name, *y_name, *rule_name;
} SmoothQuestion;
Measurement ask_smooth;

/* A compiled model, and inputs that it is for: none are drawn ones. */
typedef struct ModelInput {
    const size_t *ids; /* token numbers of the model's alphabet */
    size_t length;
} ModelInput;

typedef struct ModelQuestion {
    RaspModel *model;
    const ModelInput *inputs;
    size_t input_count;
    size_t drawn; /* inputs, when none is given; 0: the usual */
} ModelQuestion;

/* Its outputs over the inverse temperature, and where they break, by length. */
Measurement ask_temperature;

/* Its weights with noise and rounded to fewer bits, and the first head that fails. */
Measurement ask_noise;

/* The rank of its residual stream and how much its heads contract, layer by layer. */
Measurement ask_collapse;

/* What its key/value caches hold, and what of that is needed. */
Measurement ask_cache;

/* Which outputs of its heads and blocks lie in the hull of what they are made from. */
Measurement ask_hulls;

#endif
