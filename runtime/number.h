/* Doubles as text that reads back to the same double, in as few digits as possible.
 *
 * Independent of the locale: the point is '.', always. A number always carries a point or an
 * exponent (1.0, 0.5, 1e+100), as a weights file spells floats. */
#ifndef RUNTIME_NUMBER_H
#define RUNTIME_NUMBER_H

enum { RT_NUMBER_MAX = 32 };

/* Writes x (finite) and a NUL; returns the length. */
int rt_number_text(double x, char buf[static RT_NUMBER_MAX]);

#endif
