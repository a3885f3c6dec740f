/* form.h: sums of linear forms over the residual stream (circuit.h). */
#ifndef RASP_COMPILE_LOWER_FORM_H
#define RASP_COMPILE_LOWER_FORM_H

#include "compile/circuit.h"

Form form_constant(double value);
Form form_part(uint32_t part, Arena *arena);
/* a * x + b * y. */
Form form_sum(Form x, double a, Form y, double b, Arena *arena);
/* a * x + c. */
Form form_affine(Form x, double a, double c, Arena *arena);
/* Term by term. */
bool form_same(Form a, Form b);

#endif
