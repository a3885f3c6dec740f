/* output.h: a result on its way to where the user wants it: a file, which holds all of it or stays
 * what it was (base/replace.h), or standard output.
 *
 *     Output *output = output_open(path);
 *     if (!output) return EXIT_FAILED;
 *     …                                     writes to output->file
 *     return output_close(output);
 */
#ifndef RASP_CLI_OUTPUT_H
#define RASP_CLI_OUTPUT_H

#include "base/replace.h"

#include <stdio.h>

/* On the heap: a jump of a budget may leave its stream behind, which is flushed at exit. */
typedef struct Output {
    FILE *file;
    const char *path;
    Replacement replacement; /* not of standard output; .fd is what the file writes to */
    int error;               /* errno of the first failure to write */
} Output;

/* Is it standard output: NULL, "-", or a name of the descriptor?  What that leads to may be a file
 * with something in it, which is not to be replaced. */
bool output_is_standard(const char *path);

/* NULL, after a message, if it cannot be written. */
Output *output_open(const char *path);

/* What was written is all of it: an exit status, after a message if not EXIT_FINE.  (What became of
 * standard output is told by report_output.) */
int output_close(Output *output);
/* It is not: a file stays what it was. */
void output_drop(Output *output);

#endif
