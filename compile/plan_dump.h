/* plan_dump.h: what the compiler decided, as text, one dump for each of its steps:
 *
 *     sets      the values that each s-op can take, and what is known of each selector
 *     cover     the tables: what is scanned, what is read off, the points
 *     heads     scores and values as linear forms over the parts of the residual stream
 *     schedule  what each layer and sublayer does, and where the parts stand
 *     model     the tensors
 */
#ifndef RASP_COMPILE_PLAN_DUMP_H
#define RASP_COMPILE_PLAN_DUMP_H

#include "compile/compile.h"

#include <stdio.h>

typedef void PlanDump(FILE *out, const Compiled *plan);

/* NULL: no dump of that name. */
PlanDump *plan_dump_find(const char *name);
/* The k-th name; NULL behind the last. */
const char *plan_dump_name(int k);
/* The names, for a message. */
extern const char plan_dump_names[];

#endif
