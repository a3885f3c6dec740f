/* describe.h: what each piece of a compiled model is for, written into the model's document:
 * nothing that the forward pass needs, everything that a reader wants to know.
 *
 *   head       selector  in source form        source  "sort.rasp:3" or ""
 *              result    "moves", "mean" or "count"     where it goes if no key is selected:
 *              sops      [{"sop": …, "default": …}, …]  "default" is absent if that cannot be
 *   sublayer   tables    [{"reads": …, "gives": […], "units": n}, …]
 *   model      dims      {"one": d, "sink": d}, those that there are
 *
 * The s-ops that the other residual dimensions carry are in `groups` (certificate.h).
 */
#ifndef RASP_COMPILE_DESCRIBE_H
#define RASP_COMPILE_DESCRIBE_H

#include "compile/compile.h"

/* The model has the plan's layers, heads and sublayers.  False when memory runs out. */
bool describe_model(const Compiled *plan, const SourceMap *sources, Model *model);

#endif
