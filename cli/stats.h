/* stats.h: `rasp run --stats`: what each s-op of a run cost, to standard error. */
#ifndef RASP_CLI_STATS_H
#define RASP_CLI_STATS_H

#include "api/rasp.h"

void stats_print(RaspRun *run);

#endif
