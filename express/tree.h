/* tree.h: a finite table as nested conditions, `(x if f == v else y)`, as few as greed finds.
 *
 * Rows that the table does not have may get any leaf.  Long expressions are cut into statements of
 * their own, named _t1, _t2, …, written to `out` before they are used.
 */
#ifndef RASP_EXPRESS_TREE_H
#define RASP_EXPRESS_TREE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A column of the table: an expression and the values that it can have, in increasing order. */
typedef struct Feature {
    const char *name;
    const char **texts; /* of the values */
    uint32_t count;
    bool ordered; /* `<` makes sense */
} Feature;

typedef struct Tree {
    Arena *arena;
    FILE *out;
    unsigned *names; /* how many statements have been named so far */
    const Feature *features;
    size_t feature_count;
    const uint32_t *cells;  /* [row][feature]: numbers of values */
    const uint32_t *labels; /* [row] */
    const char **leaves;    /* [label] */
    uint32_t label_count;
} Tree;

/* The expression for all rows; at least one. */
const char *tree_text(const Tree *tree, size_t rows);

#endif
