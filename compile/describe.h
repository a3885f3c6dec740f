/* describe.h: what each piece of a compiled model is for, written into the model's document:
 * nothing that the forward pass needs, everything that a reader wants to know.  The keys are
 * those of docs/weights.md, "What else the compiler writes".
 */
#ifndef RASP_COMPILE_DESCRIBE_H
#define RASP_COMPILE_DESCRIBE_H

#include "base/source.h"
#include "compile/prove/certificate.h"

/* Heads, sublayers, `dims`, `shared`.  The model has the circuit's layers, heads and sublayers;
 * `sources` are those of the circuit's spans.  False when memory runs out, here and below. */
bool describe_model(const Circuit *circuit, const SourceMap *sources, Model *model, Arena *arena);

/* `groups` and `certificate`. */
bool describe_certificate(const Circuit *circuit, const Certificate *certificate,
                          const SourceMap *sources, Model *model, Arena *arena);

#endif
