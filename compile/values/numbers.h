/* numbers.h: doubles that stand for levels. */
#ifndef RASP_COMPILE_VALUES_NUMBERS_H
#define RASP_COMPILE_VALUES_NUMBERS_H

#include <math.h>
#include <stdbool.h>

/* Do they differ by the order of operations only?  Then they are one value to the compiler,
 * and what tells them apart is refused. */
static inline bool numbers_near(double x, double y) {
    return fabs(x - y) <= 1e-12 * (1 + fabs(x));
}

/* For qsort, ascending. */
static inline int number_order(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

#endif
