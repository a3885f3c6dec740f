/* lines.h: one output of a table as the straight lines between its units.
 *
 * Between two units the output is slope * x - offset: running sums over the units, which are
 * ordered by where they bend.  So a question at one x costs a search, and one at each of a table's
 * points is not the square of their number.  The offsets are far larger than what they leave, so
 * sums are pairs of doubles, with a bound on what those lose; it is part of all that is answered.
 */
#ifndef RASP_COMPILE_PROVE_LINES_H
#define RASP_COMPILE_PROVE_LINES_H

#include "compile/circuit.h"

typedef struct Lines Lines;

Lines *lines_new(const CircuitTable *table, uint32_t output, Arena *arena);

/* What the units give at x. */
double lines_value(const Lines *lines, double x);
/* How far that is, in real arithmetic, from `value`; no less. */
double lines_off(const Lines *lines, double x, double value);
/* The largest |slope| within `reach` of x; no less. */
double lines_slope(Lines *lines, double x, double reach);
/* Between the points (x[0], value[0]) and (x[1], value[1]) of a straight line: how far off the
 * output is from it at most, if x is off by `x_error`; no less.  What the units give is straight
 * but where one of them bends, so that it is farthest from the line there, or at an end, and
 * steepest beside one; the ends themselves are left out. */
double lines_along(Lines *lines, const double x[2], const double value[2], double x_error);

#endif
