/* weights.h: weights files on the command line. */
#ifndef RASP_CLI_WEIGHTS_H
#define RASP_CLI_WEIGHTS_H

#include "api/rasp.h"

/* Does the file begin as a weights file does? */
bool weights_recognised(const char *path);

/* Loads it; an exit status, after a message if not EXIT_FINE. */
int weights_open(const char *path, size_t memory, RaspModel **model);

#endif
