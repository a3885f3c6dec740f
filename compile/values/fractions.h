/* fractions.h: means of quotients such as hist / length, by numerators.
 *
 * Quotients of whole numbers are rounded, so that their sums are as many as there are ways to
 * choose them, though their real values are whole multiples of 1/D.  Here a mean is a fraction s /
 * (D w), and what the interpreter makes of it is one of the doubles next to that: rounded values
 * are off by a share of 2^-53 each, so is their mean, and it is rounded once more.
 */
#ifndef RASP_COMPILE_VALUES_FRACTIONS_H
#define RASP_COMPILE_VALUES_FRACTIONS_H

#include "compile/values/means.h"

typedef struct Fractions Fractions;

/* NULL: some value is not the double nearest to a fraction of a common, small denominator, or all
 * are whole. */
Fractions *fractions_new(Arena *arena, const Atom *values, uint32_t count, uint32_t longest);

/* D. */
double fractions_denominator(const Fractions *fractions);

/* Sums of `width` numerators; false when there are too many, as for means_sums. */
bool fractions_sums(Fractions *fractions, uint32_t width, Sums *sums);

/* The doubles that a mean of `width` values can be whose numerators have this sum, ascending:
 * FRACTIONS_MOST at most; false where there may be more. */
enum { FRACTIONS_MOST = 8 };
bool fractions_near(const Fractions *fractions, Sum sum, uint32_t width, double *value,
                    uint32_t *count);

#endif
