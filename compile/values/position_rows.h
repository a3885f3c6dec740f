/* position_rows.h: the keys that selectors on positions alone leave each row, as stretches.
 *
 * Keys that are numbers and go up, or down, with the position are compared with a query by looking
 * for its place among them: less, equal and greater keys are three stretches.  A formula over such
 * comparisons is read once a stretch; what else there is, key by key.
 */
#ifndef RASP_COMPILE_VALUES_POSITION_ROWS_H
#define RASP_COMPILE_VALUES_POSITION_ROWS_H

#include "compile/values/formula.h"

/* Positions first … last - 1. */
typedef struct Stretch {
    uint32_t first, last;
} Stretch;

typedef struct PositionRows PositionRows;

/* Of rows in which all the selectors hold (literals_positional; none: every key). */
PositionRows *position_rows_new(Values *values, const Literals *selectors, uint32_t count,
                                Arena *arena);
/* Position i's in an input of length n, ascending and apart; good until the next call.  What was
 * looked at is added to *work, if that is not NULL. */
const Stretch *position_rows_at(PositionRows *rows, uint32_t n, uint32_t i, uint32_t *count,
                                double *work);

#endif
