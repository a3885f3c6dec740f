/* run_stream.h: a weights file that consumes a token at a time.
 *
 * An INPUT of the command line is read as always; of standard input each character is a token, or
 * each element of a list (token_reader.h), whose value is written as soon as it is there, and a
 * newline ends the sequence. */
#ifndef RASP_CLI_RUN_STREAM_H
#define RASP_CLI_RUN_STREAM_H

#include "cli/run_weights.h"

typedef struct StreamRun {
    RaspEngine *engine;
    const RaspModelInfo *info;
    const size_t *outputs; /* chosen */
    size_t output_count;
    const WeightsRun *run;
} StreamRun;

/* The exit status. */
int run_stream(const StreamRun *stream);

#endif
