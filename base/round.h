/* round.h: the one rounding of a mean, which the interpreter's values and the compiler's value
 * sets must share to the last bit. */
#ifndef RASP_BASE_ROUND_H
#define RASP_BASE_ROUND_H

#include <stdbool.h>
#include <stdint.h>

/* top · 2^exponent, and a bit more if `rest`; top has its highest bit set.  Rounded to
 * nearest, ties to even, to the 53 bits of a double or to what a subnormal keeps. */
double round_once(uint64_t top, bool rest, int exponent);

#endif
