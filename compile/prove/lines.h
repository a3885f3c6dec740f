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

#endif
