/* weights.h: weights files on the command line. */
#ifndef RASP_CLI_WEIGHTS_H
#define RASP_CLI_WEIGHTS_H

#include "api/rasp.h"
#include "cli/program.h"

/* Does the file begin as a weights file does? */
bool weights_recognised(const char *path);

/* A file comes from anybody, and what it embeds is run: there is always a limit. */
typedef struct WeightsLimits {
    size_t memory;  /* 0: the usual */
    double seconds; /* CPU time of each call; 0: WEIGHTS_SECONDS */
} WeightsLimits;

enum { WEIGHTS_SECONDS = 600 };

RaspConfig weights_config(const WeightsLimits *limits);

/* Loads it; an exit status, after a message if not EXIT_FINE. */
int weights_open(const char *path, const WeightsLimits *limits, RaspModel **model);
/* The same, and the program that it is held against; `name` NULL: none, `program` stays empty. */
int weights_open_beside(const char *path, const WeightsLimits *limits, const char *name,
                        RaspModel **model, Program *program);

/* Writes the model to a file, or to standard output (output_is_standard). */
int weights_save(const RaspModel *model, const char *path);

#endif
