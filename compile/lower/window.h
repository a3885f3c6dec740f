/* window.h: a selector of which each row, or each column, selects few classes: a window.
 *
 * Of a matrix of classes, `near` against `far`, those of the near side get colours such that no
 * far class selects two of one colour, and codes that are 2 apart within a colour.  Then of each
 * colour a far class selects at most the one code that it asks for, and
 *
 *     1 - (code(near) - asked[colour(near)](far))^2
 *
 * is 1 where it selects and at most 0 elsewhere: twice as many pairs as there are colours, where
 * one-hots would take as many as there are classes.
 *
 * Where no far class selects more than two, neighbours, one colour is enough: codes are 1 apart,
 * and what is asked is half-way between the two.  Both are then 1/2 away, others 3/2 or more; 1/4
 * less than the square of the distance is taken off.
 */
#ifndef RASP_COMPILE_LOWER_WINDOW_H
#define RASP_COMPILE_LOWER_WINDOW_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Window {
    bool by_key;            /* the near side is the key's */
    uint32_t count;         /* of colours */
    const uint32_t *colour; /* by near class */
    const double *code;     /* by near class */
    const double *asked;    /* [far classes, count]; where nothing is selected, no code of that
                               colour */
} Window;

/* The square of what is asked, less 1/4 if that is half-way between codes. */
double window_square(double asked);
/* entry: [key classes, query classes], 1 where it selects.  False where one-hots would do, or it
 * takes too many colours. */
bool window_find(const unsigned char *entry, uint32_t key_classes, uint32_t query_classes,
                 Arena *arena, Window *window);

#endif
