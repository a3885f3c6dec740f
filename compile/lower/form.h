/* form.h: linear forms over the residual stream.
 *
 * A feature is a number that a head or a feed-forward sublayer reads.  Each is a linear
 * combination of parts, plus a constant.  A part is a number that something writes: one
 * column of an embedding, one component of a head's result, one output of a scan.
 */
#ifndef RASP_COMPILE_LOWER_FORM_H
#define RASP_COMPILE_LOWER_FORM_H

#include "base/arena.h"

#include <stdint.h>

typedef struct Term {
    uint32_t part;
    double factor;
} Term;

typedef struct Form {
    const Term *terms; /* by part, ascending; factors not 0 */
    uint32_t count;
    double constant;
} Form;

Form form_constant(double value);
Form form_part(uint32_t part, Arena *arena);
/* a * x + b * y. */
Form form_sum(Form x, double a, Form y, double b, Arena *arena);
/* a * x + c. */
Form form_affine(Form x, double a, double c, Arena *arena);

#endif
