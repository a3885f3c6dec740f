/* The forward pass once more, in plain double loops straight from docs/weights.md.
 *
 * The judge in tests, and the pass to look into: no tiles, no BLAS, no compressed matrices, nothing
 * shared with forward.h but the model and the decoders' definition. O(n²) memory. Weights are taken
 * as they are, in double: round the model first (model_round) to compare with a float32 run. */
#ifndef RUNTIME_REFERENCE_H
#define RUNTIME_REFERENCE_H

#include "runtime/model.h"
#include "runtime/weight_rule.h"

#include <signal.h>

/* Called with what the pass computes, in its order; NULL: not wanted.  All row-major; row and
 * column 0 are the sink. */
typedef struct {
    void *context;
    /* scores, weights: [n+1, n+1], row i of query i, -inf and 0 where it does not see the key;
     * result: [n+1, W], what the head adds to the residual stream. */
    void (*head)(void *context, size_t layer, size_t head, size_t n, const double *scores,
                 const double *weights, size_t width, const double *result);
    /* hidden: [n+1, U], after the ReLU. */
    void (*sublayer)(void *context, size_t layer, size_t sublayer, size_t n, size_t units,
                     const double *hidden);
    /* h: [n+1, W], after the embedding (layer 0, sublayer -2), after the heads of each layer
     * (sublayer -1) and after each of its feed-forward sublayers (0, 1, …). */
    void (*residual)(void *context, size_t layer, int sublayer, size_t n, size_t width,
                     const double *h);
} ReferenceTap;

/* Who reads the residual stream. */
typedef enum {
    REFERENCE_QUERY,
    REFERENCE_KEY,
    REFERENCE_VALUE,
    REFERENCE_INPUT, /* of a feed-forward sublayer */
} ReferenceReader;

/* Called with what the pass is about to go on with, which it may change; NULL: not wanted.  A tap
 * is shown what came of it.  Shapes are those of the tap. */
typedef struct {
    void *context;
    /* stream: [n+1, W], of `reader` (a ReferenceReader) of this head, or of this sublayer; a copy
     * that nobody else reads. */
    void (*read)(void *context, size_t layer, size_t piece, int reader, size_t n, size_t width,
                 double *stream);
    void (*weights)(void *context, size_t layer, size_t head, size_t n, double *weights);
    void (*head)(void *context, size_t layer, size_t head, size_t n, size_t width, double *result);
    void (*sublayer)(void *context, size_t layer, size_t sublayer, size_t n, size_t units,
                     double *hidden);
    void (*residual)(void *context, size_t layer, int sublayer, size_t n, size_t width, double *h);
} ReferencePatch;

typedef struct {
    RtRule rule;      /* softmax: the model's own kernel */
    double parameter; /* as in RunOptions */
    double temperature;
    const volatile sig_atomic_t *stop; /* NULL, or what ends the pass when it is set */
    ReferenceTap tap;
    ReferencePatch patch;
} ReferenceOptions;

/* h after the last layer, [n+1, W] row-major, to be freed; NULL when ids or n are out of range,
 * memory runs out, or it was stopped. */
double *reference_run(const Model *model, const ReferenceOptions *options, const size_t *ids,
                      size_t n, RtError *err);

/* Index into `values` that an output decodes at a row of h, or -1 (decode number). */
ptrdiff_t reference_decode(const ModelOutput *output, const double *row);

#endif
