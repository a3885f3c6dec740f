#include "lab/kernel.h"

#include "lab/simplex.h"

#include <math.h>
#include <string.h>

typedef void RowKernel(const Kernel *kernel, const double *s, size_t n, double *a);

static double top_of(const double *s, size_t n) {
    double top = -INFINITY;
    for (size_t j = 0; j < n; j++) top = fmax(top, s[j]);
    return top;
}

static void softmax_row(const Kernel *kernel, const double *s, size_t n, double *a) {
    softmax(s, n, kernel->temperature, a);
}

static void unnormalised_row(const Kernel *kernel, const double *s, size_t n, double *a) {
    for (size_t j = 0; j < n; j++) a[j] = exp(s[j] / kernel->temperature);
}

/* --- hard ----------------------------------------------------------------------------------- */

static void average_row(const Kernel *kernel, const double *s, size_t n, double *a) {
    double top = top_of(s, n);
    size_t count = 0;
    (void)kernel;
    for (size_t j = 0; j < n; j++) count += s[j] == top;
    for (size_t j = 0; j < n; j++) a[j] = s[j] == top ? 1.0 / (double)count : 0;
}

static void hard_left_row(const Kernel *kernel, const double *s, size_t n, double *a) {
    double top = top_of(s, n);
    size_t first = 0;
    (void)kernel;
    while (s[first] != top) first++;
    for (size_t j = 0; j < n; j++) a[j] = j == first;
}

static void hard_right_row(const Kernel *kernel, const double *s, size_t n, double *a) {
    double top = top_of(s, n);
    size_t last = n - 1;
    (void)kernel;
    while (s[last] != top) last--;
    for (size_t j = 0; j < n; j++) a[j] = j == last;
}

/* Softmax of the scores above the k-th, and of as many that equal it as there is room for. */
static void top_row(const Kernel *kernel, const double *s, size_t n, double *a) {
    size_t k = kernel->k < n ? kernel->k : n, above = 0;
    double top = top_of(s, n), sum = 0;
    memcpy(a, s, n * sizeof *a);
    sort_descending(a, n);
    double least = a[k - 1];
    for (size_t j = 0; j < n; j++) above += s[j] > least;
    size_t room = k - above;
    for (size_t j = 0; j < n; j++) {
        bool kept = s[j] > least || (s[j] == least && room > 0 && room--);
        sum += a[j] = kept ? exp((s[j] - top) / kernel->temperature) : 0;
    }
    for (size_t j = 0; j < n; j++) a[j] /= sum;
}

/* --- sparse --------------------------------------------------------------------------------- */

/* Sorted scores relative to their maximum, times `factor`: that is what thresholds are found on. */
static void sorted(const double *s, size_t n, double top, double factor, double *a) {
    for (size_t j = 0; j < n; j++) a[j] = factor * (s[j] - top);
    sort_descending(a, n);
}

/* a = (z − t)₊ with Σ a = 1: t = (Σ_{i≤k} z_i − 1)/k for the last k with z_k > t. */
static void sparsemax_row(const Kernel *kernel, const double *s, size_t n, double *a) {
    double top = top_of(s, n), factor = 1 / kernel->temperature, sum = 0, threshold = 0;
    sorted(s, n, top, factor, a);
    for (size_t k = 0; k < n && isfinite(a[k]); k++) {
        sum += a[k];
        double candidate = (sum - 1) / (double)(k + 1);
        if (!(a[k] > candidate)) break;
        threshold = candidate;
    }
    for (size_t j = 0; j < n; j++) a[j] = fmax(factor * (s[j] - top) - threshold, 0);
}

/* a = (z − t)₊², z = s/2: Peters, Niculae, Martins 2019, algorithm 2; mean and sum of squared
 * deviations of the k largest by Welford's updates. */
static void entmax15_row(const Kernel *kernel, const double *s, size_t n, double *a) {
    double top = top_of(s, n), factor = 0.5 / kernel->temperature;
    double mean = 0, squares = 0, threshold = 0;
    sorted(s, n, top, factor, a);
    for (size_t k = 0; k < n && isfinite(a[k]); k++) {
        double count = (double)(k + 1), step = a[k] - mean;
        mean += step / count;
        squares += step * (a[k] - mean);
        double candidate = mean - sqrt(fmax((1 - squares) / count, 0));
        if (!(candidate <= a[k])) break;
        threshold = candidate;
    }
    for (size_t j = 0; j < n; j++) {
        double z = fmax(factor * (s[j] - top) - threshold, 0);
        a[j] = z * z;
    }
}

void kernel_bisect(double alpha, double temperature, const double *scores, size_t n,
                   double *weights) {
    enum { HALVINGS = 60 };
    double top = top_of(scores, n), factor = (alpha - 1) / temperature, power = 1 / (alpha - 1);
    double low = -1, high = -pow((double)n, 1 - alpha), sum = 0;
    for (int k = 0; k <= HALVINGS; k++) {
        double t = k < HALVINGS ? (low + high) / 2 : low; /* at `low` the sum is at least 1 */
        sum = 0;
        for (size_t j = 0; j < n; j++) {
            double z = factor * (scores[j] - top) - t;
            sum += weights[j] = z > 0 ? pow(z, power) : 0;
        }
        if (sum >= 1)
            low = t;
        else
            high = t;
    }
    for (size_t j = 0; j < n; j++) weights[j] /= sum;
}

static void entmax_row(const Kernel *kernel, const double *s, size_t n, double *a) {
    kernel_bisect(kernel->alpha, kernel->temperature, s, n, a);
}

/* --- the table ------------------------------------------------------------------------------ */

const KernelInfo kernel_infos[KERNEL_COUNT] = {
#define KERNEL(id, function, name, alpha, summary) [id] = {name, summary, alpha},
#include "lab/kernel.def"
#undef KERNEL
};

static RowKernel *const functions[KERNEL_COUNT] = {
#define KERNEL(id, function, ...) [id] = function,
#include "lab/kernel.def"
#undef KERNEL
};

bool kernel_find(const char *name, KernelKind *kind) {
    for (int k = 0; k < KERNEL_COUNT; k++) {
        if (strcmp(kernel_infos[k].name, name) != 0) continue;
        *kind = (KernelKind)k;
        return true;
    }
    return false;
}

void kernel_weights(const Kernel *kernel, const double *scores, size_t n, double *weights) {
    functions[kernel->kind](kernel, scores, n, weights);
}

/* With u_j = a_j^{2−α} on the support, ∂a/∂s = (diag u − u uᵀ / Σ u) / τ: Correia, Niculae, Martins
 * 2019. α = 1 is softmax, whose u is a itself. */
Matrix kernel_derivative(Arena *arena, const Kernel *kernel, const double *weights, size_t n) {
    Matrix d = matrix_new(arena, n, n);
    double alpha = kernel_infos[kernel->kind].alpha;
    if (alpha == -1) return d;
    if (alpha == 0) alpha = kernel->alpha;
    bool normalised = alpha > 0;
    double *u = ARENA_ARRAY(arena, n, double), sum = 0;
    for (size_t j = 0; j < n; j++)
        sum += u[j] = weights[j] > 0 ? pow(weights[j], normalised ? 2 - alpha : 1) : 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            double x = i == j ? u[i] : 0;
            if (normalised) x -= u[i] * u[j] / sum;
            *matrix_at(d, i, j) = x / kernel->temperature;
        }
    }
    return d;
}

void mix_values(const double *weights, Matrix values, double *out) {
    memset(out, 0, values.cols * sizeof *out);
    for (size_t j = 0; j < values.rows; j++)
        for (size_t m = 0; m < values.cols; m++) out[m] += weights[j] * *matrix_at(values, j, m);
}
