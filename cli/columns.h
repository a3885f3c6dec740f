/* columns.h: rows of cells that line up on a terminal and fit its width.
 *
 *      input:  h e l l o  (strings)
 *     output:  1 1 2 2 1  (ints)
 *
 * A column is as wide as its widest cell, by what characters take on a terminal, and no line ends
 * with blanks.  Columns that do not fit beside the others go on in a block below. */
#ifndef RASP_CLI_COLUMNS_H
#define RASP_CLI_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct Columns {
    size_t rows, count; /* of columns */
    const char *(*label)(void *context, size_t row);
    const char *(*cell)(void *context, size_t row, size_t column);
    const char *(*note)(void *context, size_t row); /* behind the row; NULL: nothing is */
    bool numbered; /* above one of several blocks stands which positions it has */
    void *context;
} Columns;

/* Lines behind `indent` blanks, within `width` columns; 0: one block. */
void columns_print(FILE *out, const Columns *columns, size_t indent, size_t width);

/* A selector's table: token[i], then what query i selects, below the tokens as keys. */
void columns_print_grid(FILE *out, const char *const *token, size_t count, const bool *cells,
                        size_t indent, size_t width);

#endif
