/* space.h: the functions of one variable that a set of forms can already express.
 *
 * A variable (the token, the position, a moved value, a scan's input) has finitely many
 * points; a function of it is a vector of values at the points.  A space holds vectors with
 * the forms that compute them, and answers whether another vector is a combination of them
 * and the constant: then its feature costs nothing.
 */
#ifndef RASP_COMPILE_LOWER_SPACE_H
#define RASP_COMPILE_LOWER_SPACE_H

#include "compile/lower/form.h"

typedef struct Space Space;

Space *space_new(Arena *arena, uint32_t points);

/* Is the vector a combination of what is there, with short dyadic factors, exactly (but for what
 * the doubles of the vectors round: the form's slack)? */
bool space_solve(Space *space, const double *vector, Form *form);
void space_add(Space *space, const double *vector, Form form);

#endif
