#include "lab/simplex.h"

#include <math.h>
#include <stdlib.h>

static double largest(const double *z, size_t n) {
    double top = -INFINITY;
    for (size_t k = 0; k < n; k++)
        if (z[k] > top) top = z[k];
    return top;
}

double log_sum_exp(const double *z, size_t n) {
    double top = largest(z, n), sum = 0;
    if (isinf(top)) return top;
    for (size_t k = 0; k < n; k++) sum += exp(z[k] - top);
    return top + log(sum);
}

double softmax(const double *z, size_t n, double temperature, double *a) {
    double top = largest(z, n), sum = 0;
    if (temperature == 1) /* as in all that is trained: no division, the same bits */
        for (size_t k = 0; k < n; k++) sum += a[k] = exp(z[k] - top);
    else
        for (size_t k = 0; k < n; k++) sum += a[k] = exp((z[k] - top) / temperature);
    for (size_t k = 0; k < n; k++) a[k] /= sum;
    return top / temperature + log(sum);
}

double entropy(const double *a, size_t n) {
    double sum = 0;
    for (size_t k = 0; k < n; k++)
        if (a[k] > 0) sum -= a[k] * log(a[k]);
    return sum;
}

double divergence(const double *p, const double *q, size_t n) {
    double sum = 0;
    for (size_t k = 0; k < n; k++)
        if (p[k] > 0) sum += p[k] * log(p[k] / q[k]);
    return sum;
}

double total_variation(const double *a, const double *b, size_t n) {
    double sum = 0;
    for (size_t k = 0; k < n; k++) sum += fabs(a[k] - b[k]);
    return sum / 2;
}

double cross_entropy(const double *p, const double *z, size_t n) {
    return log_sum_exp(z, n) * sum_of(p, n) - dot(p, z, n);
}

static int descending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

void sort_descending(double *x, size_t n) {
    qsort(x, n, sizeof *x, descending);
}

/* a holds the sorted z until the threshold is known. */
void simplex_project(const double *z, size_t n, double *a) {
    /* Below the largest, so that no size of z swallows the 1. */
    double sum = 0, threshold = 0, most = -INFINITY;
    for (size_t k = 0; k < n; k++) most = fmax(most, a[k] = z[k]);
    sort_descending(a, n);
    for (size_t k = 0; k < n; k++) {
        a[k] -= most;
        sum += a[k];
        double candidate = (sum - 1) / (double)(k + 1);
        if (!(a[k] > candidate)) break;
        threshold = candidate;
    }
    for (size_t k = 0; k < n; k++) a[k] = fmax(z[k] - most - threshold, 0);
}

double dot(const double *x, const double *y, size_t n) {
    double sum = 0;
    for (size_t k = 0; k < n; k++) sum += x[k] * y[k];
    return sum;
}

double sum_of(const double *x, size_t n) {
    double sum = 0;
    for (size_t k = 0; k < n; k++) sum += x[k];
    return sum;
}

double mean_of(const double *x, size_t n) {
    return sum_of(x, n) / (double)n;
}

double variance_of(const double *x, size_t n) {
    double mean = mean_of(x, n), sum = 0;
    for (size_t k = 0; k < n; k++) sum += (x[k] - mean) * (x[k] - mean);
    return sum / (double)(n - 1);
}

double max_difference(const double *x, const double *y, size_t n) {
    double worst = 0;
    for (size_t k = 0; k < n; k++) {
        double d = fabs(x[k] - y[k]);
        if (!(d <= worst)) worst = d; /* NaN stays */
    }
    return worst;
}
