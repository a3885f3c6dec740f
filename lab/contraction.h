/* contraction.h: how much an averaging brings rows together.
 *
 * For row-stochastic P and any X (Dobrushin 1956): diam(PX) ≤ δ(P) diam(X), and δ(PQ) ≤ δ(P) δ(Q).
 */
#ifndef RASP_LAB_CONTRACTION_H
#define RASP_LAB_CONTRACTION_H

#include "lab/matrix.h"

/* Dobrushin's coefficient δ: the largest total variation between two rows, from `first` on. */
double dobrushin(Matrix p, size_t first);
/* The largest Euclidean distance between two rows, from `first` on. */
double diameter(Matrix x, size_t first);

#endif
