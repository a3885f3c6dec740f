/* kernel.h: kernels: how scores become weights, and what follows from the weights.
 *
 * The definitions in plain loops; runtime/ has those that a model can be run with, and tests hold
 * the two against one another. Scores may be −∞ (masked: weight 0) but not all of them. */
#ifndef RASP_LAB_KERNEL_H
#define RASP_LAB_KERNEL_H

#include "lab/matrix.h"

typedef enum KernelKind {
#define KERNEL(id, ...) id,
#include "lab/kernel.def"
#undef KERNEL
    KERNEL_COUNT
} KernelKind;

typedef struct KernelInfo {
    const char *name, *summary;
    double alpha;
} KernelInfo;
extern const KernelInfo kernel_infos[KERNEL_COUNT];

typedef struct Kernel {
    KernelKind kind;
    double temperature; /* > 0; scores are divided by it */
    double alpha;       /* entmax: > 1 */
    size_t k;           /* top-k: ≥ 1 */
} Kernel;

/* NULL-tolerant look-up by name; false when there is none. */
bool kernel_find(const char *name, KernelKind *kind);

/* scores, weights: [n], two arrays. All kernels but the unnormalised one give weights ≥ 0 whose sum
 * is 1. */
void kernel_weights(const Kernel *kernel, const double *scores, size_t n, double *weights);

/* Masses by bisection on the threshold alone, for any alpha > 1: the judge of the sorted ones. */
void kernel_bisect(double alpha, double temperature, const double *scores, size_t n,
                   double *weights);

/* ∂ weights / ∂ scores at those weights: [n, n]. Where a kernel has a kink, of the side on which
 * the support stays. */
Matrix kernel_derivative(Arena *arena, const Kernel *kernel, const double *weights, size_t n);

/* What an attention head does with it: out[m] = Σ_j weights[j] values[j, m]. */
void mix_values(const double *weights, Matrix values, double *out);

#endif
