/* trace.h: how a run came about, for `rasp run --show`. */
#ifndef RASP_CLI_TRACE_H
#define RASP_CLI_TRACE_H

#include "api/rasp.h"

/* Prints the selection grids and the intermediate s-ops, as many positions as fit into lines of the
 * terminal; says on standard error why it cannot. */
void trace_print(RaspProgram *program, const RaspSop *sops, size_t count, const RaspInput *input);

#endif
