/* drawing.h: the picture of an s-op on an input as DOT text; for the files of api/ alone. */
#ifndef RASP_API_DRAWING_H
#define RASP_API_DRAWING_H

#include "api/handle.h"
#include "interp/exec/graph_dot.h"

/* For rasp_free.  NULL: the fault, or, if that is FAULT_NONE, after core_fail. */
char *drawing_text(Core *core, const Drawing *drawing, Arena *arena, Fault *fault);

#endif
