/* schedule.h: where every piece goes: layers, sublayers, hidden units, residual dimensions. */
#ifndef RASP_COMPILE_EMIT_SCHEDULE_H
#define RASP_COMPILE_EMIT_SCHEDULE_H

#include "compile/lower/output.h"

/* The circuit of what has been lowered, in `arena`; `depth` is the program's. */
const Circuit *circuit_make(Lower *lower, const OutputPlan *outputs, uint32_t output_count,
                            CircuitOptions options, uint32_t depth, Arena *arena);

#endif
