/* compile_trace.h: what the compiler knew on the way to a circuit, for dumps of its early steps. */
#ifndef RASP_COMPILE_COMPILE_TRACE_H
#define RASP_COMPILE_COMPILE_TRACE_H

#include "compile/values/values.h"

struct CompileTrace {
    Values *values; /* asking them for a node enumerates it */
};

#endif
