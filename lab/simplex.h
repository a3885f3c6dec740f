/* simplex.h: points of the simplex Δ_n = {a ≥ 0, Σ a = 1}: what weights and next-token laws are.
 *
 * Arrays hold n doubles; logarithms are natural, entropies and divergences in nats; 0 log 0 = 0. */
#ifndef RASP_LAB_SIMPLEX_H
#define RASP_LAB_SIMPLEX_H

#include <stddef.h>

/* log Σ exp z, without overflow; −∞ for n = 0. */
double log_sum_exp(const double *z, size_t n);
/* a = softmax(z / temperature); z and a may be the same. Gives log Σ exp(z / temperature). */
double softmax(const double *z, size_t n, double temperature, double *a);
/* H(a) = −Σ a log a. */
double entropy(const double *a, size_t n);
/* KL(p, q) = Σ p log(p/q); infinite where q is 0 and p is not. */
double divergence(const double *p, const double *q, size_t n);
/* TV(a, b) = ½ Σ |a − b|. */
double total_variation(const double *a, const double *b, size_t n);
/* −Σ p log softmax(z): cross-entropy of logits against a law. */
double cross_entropy(const double *p, const double *z, size_t n);

/* The nearest point of the simplex: by sorting, O(n log n) (Held, Wolfe, Crowder 1974). z and a are
 * different arrays. */
void simplex_project(const double *z, size_t n, double *a);

double dot(const double *x, const double *y, size_t n);
double sum_of(const double *x, size_t n);
double mean_of(const double *x, size_t n);
/* Of the sample: divided by n − 1. */
double variance_of(const double *x, size_t n);
/* The largest |x − y|. */
double max_difference(const double *x, const double *y, size_t n);
/* From large to small. */
void sort_descending(double *x, size_t n);

#endif
