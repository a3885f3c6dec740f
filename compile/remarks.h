/* remarks.h: what compiles, and is hardly what was meant: what graph/traps.h finds, on this
 * alphabet too, a literal that no token is, an output that is the same on every input. */
#ifndef RASP_COMPILE_REMARKS_H
#define RASP_COMPILE_REMARKS_H

#include "compile/compile.h"

typedef struct Remark {
    Span span; /* where the program says it, or SPAN_NONE */
    const char *text;
} Remark;

/* In `arena`, one a place and text; of a program that has been compiled. */
const Remark *remarks_find(const Compiled *compiled, const CompileOutput *outputs,
                           size_t output_count, size_t *count, Arena *arena);

#endif
