/* scan.h: functions of one number, interpolated by hidden units.
 *
 * Between two neighbouring values of x a function is a straight line; where the slope changes
 * a unit is needed, and one more where no piece is flat.  What a scan will take (scan_units,
 * asked for thousands of candidates) and what it does take (scan_shape) are counted alike.
 */
#ifndef RASP_COMPILE_LOWER_SCAN_H
#define RASP_COMPILE_LOWER_SCAN_H

#include "compile/circuit.h"

typedef struct ScanPoint {
    double x, f;
} ScanPoint;

/* By x, for qsort. */
int scan_order(const void *a, const void *b);

enum { SCAN_AMBIGUOUS = -1, SCAN_ROUNDING = -2 };

/* Hidden units for one function of x, whose points are sorted in place; `slack` is how far from
 * its value x may be read.  SCAN_AMBIGUOUS: f is not a function of x; SCAN_ROUNDING: it tells
 * apart values that are too close. */
int scan_units(ScanPoint *points, size_t count, double slack);

/* The units and factors of several functions of x; `steep`: each change happens in the middle
 * half of its gap. */
TableShape scan_shape(const TableOutput *outputs, uint32_t output_count, bool steep, Arena *arena);

#endif
