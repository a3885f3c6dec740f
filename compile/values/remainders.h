/* remainders.h: a remainder of whole numbers whose quotient is small.
 *
 *     a % b = a - (b if a >= b else 0) - (b if a >= 2 * b else 0) - …
 *
 * for whole numbers a of at least 0 and b of at least 1, as many terms as the quotient can be: each
 * is a comparison and a gate, however many pairs of values there are.
 */
#ifndef RASP_COMPILE_VALUES_REMAINDERS_H
#define RASP_COMPILE_VALUES_REMAINDERS_H

#include "compile/values/values.h"

enum { REMAINDER_MOST = 16 };

/* The terms that are taken away, as s-ops that are added to the graph; false: it is no such
 * remainder, or has so few pairs of values that a table is as good. */
bool values_remainder(Values *values, NodeId node, NodeId term[REMAINDER_MOST], uint32_t *count);

#endif
