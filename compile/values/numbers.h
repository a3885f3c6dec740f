/* numbers.h: doubles that stand for levels. */
#ifndef RASP_COMPILE_VALUES_NUMBERS_H
#define RASP_COMPILE_VALUES_NUMBERS_H

#include "graph/atom.h"

#include <math.h>
#include <stdbool.h>

/* Two doubles so close, relative to themselves, that arithmetic in doubles may give either for
 * one real number. */
static const double NUMBERS_NEAR = 0x1p-40;

static inline bool numbers_near(double x, double y) {
    return fabs(x - y) <= NUMBERS_NEAR * fmax(fabs(x), fabs(y));
}

/* Of values: what is no float is exact. */
static inline bool atoms_near(Atom x, Atom y) {
    return x.kind == ATOM_FLOAT && y.kind == ATOM_FLOAT && numbers_near(x.f, y.f);
}

/* Is the value a real number that a double holds?  Beyond 2^53 not every int is, and infinities
 * are none. */
static inline bool number_is_exact(Atom a) {
    if (a.kind == ATOM_STRING) return false;
    if (a.kind == ATOM_FLOAT) return isfinite(a.f);
    return fabs(atom_double(a)) < 0x1p63 && (int64_t)atom_double(a) == atom_integer(a);
}

/* The exact difference between a + b and the double that it is rounded to (Knuth). */
static inline double sum_lost(double a, double b) {
    double sum = a + b, back = sum - a;
    return (a - (sum - back)) + (b - back);
}

/* For qsort, ascending. */
static inline int number_order(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

#endif
