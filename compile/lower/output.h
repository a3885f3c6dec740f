/* output.h: how an output s-op is read off the residual stream.
 *
 * Numbers take one dimension and are decoded by the nearest of their values; those of another
 * kind, ints among floats, stand a fixed distance away.  Other values
 * take one dimension each, scored 2kc - k^2 for the value's number c: the largest is k = c,
 * whatever c is made of, and nothing but c has to be computed.
 */
#ifndef RASP_COMPILE_LOWER_OUTPUT_H
#define RASP_COMPILE_LOWER_OUTPUT_H

#include "compile/lower/lower.h"

typedef struct OutputPlan {
    const char *name;
    NodeId node;
    bool numeric;        /* decoded by the nearest value; else by the largest score */
    bool whole;          /* numeric: by the nearest whole number from values[0] to values[1] */
    const Atom *values;  /* numeric: ascending; else by number c */
    const double *place; /* numeric: where each value is read, ascending */
    bool placed;         /* that is not the number that it is */
    const double *most;  /* the greatest float joined with each value (values_joinable) */
    uint32_t value_count;
    const Form *forms; /* one a dimension */
    uint32_t form_count;
} OutputPlan;

bool output_plan(Lower *lower, const char *name, NodeId node, OutputPlan *plan);

#endif
