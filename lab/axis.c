#include "lab/axis.h"

#include <math.h>

/* 1, 2 or 5 times a power of ten, so that about `wanted` of them fit. */
static double round_step(double span, int wanted) {
    double raw = span / wanted, unit = pow(10, floor(log10(raw))), share = raw / unit;
    return unit * (share <= 1 ? 1 : share <= 2 ? 2 : share <= 5 ? 5 : 10);
}

static void add_tick(Axis *axis, double at) {
    double slack = 1e-9 * (axis->range.high - axis->range.low);
    if (at < axis->range.low - slack || at > axis->range.high + slack) return;
    if (axis->tick_count < AXIS_TICKS) axis->ticks[axis->tick_count++] = at;
}

static void linear_ticks(Axis *axis, int wanted) {
    double step = round_step(axis->range.high - axis->range.low, wanted);
    double first = ceil(axis->range.low / step - 1e-9);
    for (int k = 0; k < AXIS_TICKS; k++) {
        double at = (first + k) * step;
        if (at > axis->range.high + step * 1e-9) break;
        add_tick(axis, at);
    }
}

/* Powers of ten, every so many of them; 1, 2 and 5 times those if there are few. */
static void log_ticks(Axis *axis, int wanted) {
    int low = (int)floor(log10(axis->range.low)), high = (int)ceil(log10(axis->range.high));
    int step = 1 + (high - low) / wanted;
    for (int e = low; e <= high; e += step) {
        double power = pow(10, e);
        add_tick(axis, power);
        if (step > 1 || high - low > 3) continue;
        add_tick(axis, 2 * power);
        add_tick(axis, 5 * power);
    }
}

Axis axis_of(Range values, bool logarithmic, int wanted) {
    Axis axis = {.range = values, .logarithmic = logarithmic};
    if (logarithmic) {
        if (values.low == values.high) axis.range = (Range){values.low / 2, values.high * 2};
        log_ticks(&axis, wanted);
        return axis;
    }
    double size = fmax(fabs(values.low), fabs(values.high));
    if (!(values.high - values.low > 1e-12 * size)) {
        double pad = size > 0 ? size / 2 : 1;
        axis.range = (Range){values.low - pad, values.high + pad};
    }
    linear_ticks(&axis, wanted);
    return axis;
}

double axis_place(const Axis *axis, double value) {
    Range r = axis->range;
    if (!isfinite(value) || (axis->logarithmic && value <= 0)) return NAN;
    if (axis->logarithmic) return log(value / r.low) / log(r.high / r.low);
    return (value - r.low) / (r.high - r.low);
}
