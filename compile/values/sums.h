/* sums.h: whole sums, made of means that have too many values to list.
 *
 * `round(aggregate(s, v) * w)`, for whole numbers v and a w that is how many keys s selects, is the
 * sum of v over these: the interpreter's mean is the double next to S/w, its product within
 * 2^-52 |S| (1 + 2^-53) of S, so that rounding gives S itself where |S| < 2^50.  There are w times
 * fewer sums than means, so the sum is a source of its own, and the mean is never listed: all
 * that is said of it is that it is S/w, a straight line for each w.
 *
 * It is taken so where pairs of a width and a sum are too many for a table, and values are found by
 * products: everything else is as good as it was.
 */
#ifndef RASP_COMPILE_VALUES_SUMS_H
#define RASP_COMPILE_VALUES_SUMS_H

#include "compile/values/values.h"

/* What the sum of so many keys can be: `least`, and so on in steps, up to `most`. */
typedef struct SumLine {
    uint32_t width;
    int64_t least, most;
} SumLine;

typedef struct WholeSum {
    NodeId mean, width;  /* s-ops */
    const SumLine *line; /* by width, ascending */
    uint32_t lines;
    int64_t step;        /* sums of one width differ by multiples of that */
    int64_t least, most; /* of all */
    bool many;           /* so that nobody lists them who need not, though values_of may */
} WholeSum;

/* NULL: the node is no such sum. */
const WholeSum *values_whole_sum(Values *values, NodeId node);
/* Is it the product that such a sum is rounded from?  It is a finite number then. */
bool values_sum_product(Values *values, NodeId node);
/* Is the node a number that goes by these bounds, its values not being listed: the mean of a whole
 * sum (also added to something), or a sum with many values? */
bool values_unlisted(Values *values, NodeId node, double *least, double *most);

#endif
