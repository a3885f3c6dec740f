/* ask.h: the lab's answers about a user's own numbers: measurements for notebook_run, each with
 * what it is asked as its context. */
#ifndef RASP_LAB_ASK_H
#define RASP_LAB_ASK_H

#include "lab/kernel.h"
#include "lab/notebook.h"

/* A row of scores: its weights, how many keys they look at, how they move with the scores and with
 * the temperature. */
typedef struct KernelQuestion {
    Kernel kernel;
    const double *scores; /* [count], finite or −∞, not all −∞ */
    size_t count;         /* ≥ 1 */
} KernelQuestion;
Measurement ask_kernel;

#endif
