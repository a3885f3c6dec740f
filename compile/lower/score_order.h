/* score_order.h: an order of numbers as a score that grows with their difference.
 *
 * A selector's score is 1 where it selects.  Where all the values that a row selects are equal,
 * it need not be: more than 1 will do, since the keys may share the weight as they like.  Then
 * `key < query` is the difference, scaled so that it is at least 1 where it is not 0 or less: a
 * number of the key and one of the query, where steps would take one-hots of all values.
 */
#ifndef RASP_COMPILE_LOWER_SCORE_ORDER_H
#define RASP_COMPILE_LOWER_SCORE_ORDER_H

#include "compile/values/values.h"

/* score = scale * (query - key) + constant: at least 1 where the comparison holds, at most 0
 * elsewhere, never more than `most`. */
typedef struct OrderScore {
    double scale, constant, most;
} OrderScore;

/* False: it is no order, or the values are no numbers or differ too little for their size. */
bool score_order(OpId op, const NodeValues *key, const NodeValues *query, OrderScore *score);

#endif
