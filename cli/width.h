/* width.h: how wide lines of standard output may be. */
#ifndef RASP_CLI_WIDTH_H
#define RASP_CLI_WIDTH_H

#include <stddef.h>

enum { WIDTH_OF_TEXT = 80 }; /* of prose where nobody says */

/* Columns of the terminal; COLUMNS goes before it.  0: output is no terminal and nobody says. */
size_t width_of_output(void);
/* The same of standard error, where only a terminal counts. */
size_t width_of_errors(void);

#endif
