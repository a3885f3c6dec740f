/* emit.h: a circuit to weights.
 *
 * Row 0 of the residual stream is the sink.  It never depends on the input: feed-forward
 * units are silent there, and what the heads leave in it (their defaults) is known here and
 * taken off by the sink dimension's rows of key and value.
 */
#ifndef RASP_COMPILE_EMIT_EMIT_H
#define RASP_COMPILE_EMIT_EMIT_H

#include "compile/circuit.h"

#include "runtime/model.h"

/* The weights are not yet rounded to the type (model_round).  False when memory runs out.
 * *model is set before anything can jump to a budget's guard, and is the caller's in any case. */
bool emit_model(const Circuit *circuit, RtDtype dtype, Arena *scratch, Model **model);

/* Bytes of the tensors that it makes, at most: the runtime allocates them, so they are charged
 * beforehand. */
size_t emit_bytes(const Circuit *circuit);

#endif
