/* How active a hidden unit can be, from the values that its table knows of x. */
#include "compile/prove/certificate_private.h"

#include <float.h>
#include <math.h>

/* The least and the greatest nominal value of x. */
void certificate_x_range(const CircuitTable *table, double *low, double *high) {
    *low = INFINITY, *high = -INFINITY;
    for (uint32_t o = 0; o < table->output_count; o++) {
        const TableOutput *output = &table->outputs[o];
        for (uint32_t p = 0; p < output->points; p++) {
            *low = fmin(*low, output->x[p]);
            *high = fmax(*high, output->x[p]);
        }
    }
}

/* How far x goes beyond where the unit begins: an activation is no larger, but for errors. */
double certificate_unit_reach(const TableUnit *unit, double low, double high) {
    double reach = unit->sign > 0 ? high - unit->at : unit->at - low;
    return fmax(0, reach) + DBL_EPSILON * (fmax(fabs(low), fabs(high)) + fabs(unit->at));
}

/* How large x less the form's constant can be where the unit is active, or is computed to be:
 * rounding is of the size of what is rounded. */
double certificate_unit_reads(const CircuitTable *table, const TableUnit *unit, double low,
                              double high, double x_error) {
    double from = unit->sign > 0 ? unit->at : low, to = unit->sign > 0 ? high : unit->at;
    double constant = table->form.constant;
    double most = fmax(fabs(from - constant), fabs(to - constant)) + x_error;
    return (most + fabs(constant - unit->at)) * (1 + 0x1p-10);
}
