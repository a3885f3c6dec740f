/* shortest.h: floats in the fewest decimal digits that read back, without exponent. */
#ifndef RASP_BASE_SHORTEST_H
#define RASP_BASE_SHORTEST_H

enum { SHORTEST_MAX = 32 };

/* x as "0.25", "-3.0", "0.3333333333333333", and its length, if x is 0 or 1e-5 <= |x| < 2^53; else
 * 0.  Of the shortest decimals that read back as x it is the nearest, whatever the locale.
 * Raffaello Giulietti, "The Schubfach way to render doubles" (2020), where its products with
 * powers of ten are exact in 128 bits. */
int shortest_text(double x, char text[static SHORTEST_MAX]);

#endif
