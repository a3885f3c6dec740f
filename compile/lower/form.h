/* form.h: sums of linear forms over the residual stream (circuit.h). */
#ifndef RASP_COMPILE_LOWER_FORM_H
#define RASP_COMPILE_LOWER_FORM_H

#include "compile/circuit.h"

Form form_constant(double value);
Form form_part(uint32_t part, Arena *arena);
/* The same form, standing for something up to so much further away. */
Form form_loose(Form form, double slack);
/* a * x + b * y; what rounding does to factors and constants is in their errors and the slack. */
Form form_sum(Form x, double a, Form y, double b, Arena *arena);
/* a * x + c. */
Form form_affine(Form x, double a, double c, Arena *arena);
/* Term by term. */
bool form_same(Form a, Form b);

#endif
