/* axis.h: where an axis begins and ends, and where its ticks stand. */
#ifndef RASP_LAB_AXIS_H
#define RASP_LAB_AXIS_H

#include "lab/plot.h"

enum { AXIS_TICKS = 16 };

typedef struct Axis {
    Range range; /* low < high */
    bool logarithmic;
    double ticks[AXIS_TICKS]; /* ascending, within the range */
    int tick_count;
} Axis;

/* Of values from low to high: ticks at round numbers, at powers of ten where that is a logarithmic
 * axis of several; the range is a little wider than the values. */
Axis axis_of(Range values, bool logarithmic, int wanted);

/* 0 at the low end, 1 at the high one; NAN for what has no place on it. */
double axis_place(const Axis *axis, double value);

#endif
