/* means.h: the means that a number of values from a list can have, exactly.
 *
 * Values are whole multiples of a common power of two, so sums are integers and a mean is
 * rounded once, as the interpreter's is.
 */
#ifndef RASP_COMPILE_VALUES_MEANS_H
#define RASP_COMPILE_VALUES_MEANS_H

#include "graph/atom.h"

__extension__ typedef __int128 Sum;

/* Distinct sums, ascending, in the list's unit. */
typedef struct Sums {
    const Sum *sum;
    size_t count;
} Sums;

typedef struct Means Means;

/* For sums of up to `longest` values; NULL when they do not fit 120 bits. */
Means *means_new(Arena *arena, const Atom *values, uint32_t count, uint32_t longest);

/* All sums of `width` values; false when there are too many: means_limit, or less if that was
 * said.  Remembered. */
bool means_sums(Means *means, uint32_t width, Sums *sums);
/* The same for somebody who has no use for more. */
bool means_sums_up_to(Means *means, uint32_t width, double limit, Sums *sums);
extern const double means_limit;
void means_lower_limit(Means *means, double limit);

/* Sums of one value from each of several lists that share a unit: start from width 0 of a
 * Means over all the values, then add list after list. */
bool means_add(Means *means, Sums *sums, const Atom *values, uint32_t count, Arena *arena);

/* The k-th value in the list's unit, for sums of one's own. */
Sum means_unit(const Means *means, uint32_t k);

double means_value(const Means *means, Sum sum, uint32_t width);

#endif
