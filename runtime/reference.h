/* The forward pass once more, in plain double loops straight from docs/weights.md.
 *
 * The judge in tests: no tiles, no BLAS, no compressed matrices, nothing shared with forward.h but
 * the model and the decoders' definition. O(n²) memory. Weights are taken as they are, in double:
 * round the model first (model_round) to compare with a float32 run. */
#ifndef RUNTIME_REFERENCE_H
#define RUNTIME_REFERENCE_H

#include "runtime/model.h"
#include "runtime/weight_rule.h"

/* Called with h [n+1, W], row-major, after the embedding (layer 0, sublayer -2), after the heads of
 * each layer (sublayer -1) and after each of its feed-forward sublayers (0, 1, …). */
typedef void ReferenceTap(void *context, size_t layer, int sublayer, const double *h, size_t n,
                          size_t width);

typedef struct {
    RtRule rule;
    double temperature;
    ReferenceTap *tap; /* or NULL */
    void *tap_context;
} ReferenceOptions;

/* h after the last layer, [n+1, W] row-major, to be freed; NULL when ids or n are out of range or
 * memory runs out. */
double *reference_run(const Model *model, const ReferenceOptions *options, const size_t *ids,
                      size_t n, RtError *err);

/* Index into `values` that an output decodes at a row of h, or -1 (decode number). */
ptrdiff_t reference_decode(const ModelOutput *output, const double *row);

#endif
