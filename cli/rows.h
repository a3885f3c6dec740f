/* rows.h: an input above what becomes of it, and the tables of selectors: as the reference
 * interpreter has them, byte for byte, or lined up within the width of a terminal. */
#ifndef RASP_CLI_ROWS_H
#define RASP_CLI_ROWS_H

#include "api/rasp_repl.h"

#include <stdio.h>

typedef struct RowsPlace {
    FILE *out;
    unsigned tabs; /* how deep in containers */
    size_t width;  /* of the terminal; 0: as the reference */
} RowsPlace;

/* What stands on a terminal before things so deep. */
enum { ROWS_INDENT = 5, ROWS_DEEPER = 2 };

/* Goes on behind what introduces it, with a newline. */
void rows_print(const RowsPlace *place, RaspRepl *repl, RaspValue input,
                const RaspSequence *values);
/* cells [i * n + j]: query i selects key j. */
void rows_print_matrix(const RowsPlace *place, RaspRepl *repl, RaspValue input, const bool *cells);

#endif
