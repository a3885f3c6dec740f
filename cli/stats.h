/* stats.h: the table that `rasp run --stats` prints: what each node cost. */
#ifndef RASP_CLI_STATS_H
#define RASP_CLI_STATS_H

#include "interp/exec/exec.h"

/* To standard error. */
void stats_print(const Exec *exec, const Graph *graph, Arena *arena);

#endif
