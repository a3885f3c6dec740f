/* tuples.h: equality of s-ops that tell what they are made of.
 *
 * Two joined strings `shift(tokens, 1, "^") + tokens` are equal where both pairs are, as long as no
 * two pairs join to one string; `10 * a + b` of two digits likewise.  Then the comparison is that
 * of the parts, which have few values where the whole has as many as their product.  It is not
 * believed but looked up, on all joint values.
 */
#ifndef RASP_COMPILE_VALUES_TUPLES_H
#define RASP_COMPILE_VALUES_TUPLES_H

#include "compile/values/values.h"

enum { TUPLE_PARTS = 8 };

/* The comparisons that hold together exactly where `select` does, made in the graph if there are
 * none; returns how many.  1: `select` itself, where it is not such an equality, or there is
 * nothing to be gained. */
uint32_t tuple_parts(Values *values, NodeId select, NodeId part[TUPLE_PARTS]);

#endif
