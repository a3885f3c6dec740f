/* What forward.c asks of the forward pass in one real type. pass32.c and pass64.c provide it, both
 * from the templates *_real.h. */
#ifndef RUNTIME_PASS_H
#define RUNTIME_PASS_H

#include "runtime/decode.h"
#include "runtime/kernels.h"
#include "runtime/memory.h"

/* Inputs that are run together: their positions, each input's sink first, are the columns of one
 * residual stream. */
typedef struct {
    const RunInput *inputs;
    RunResult *results; /* allocated by the caller, filled by the pass */
    size_t count;
} Pack;

/* How outputs are read. */
typedef struct {
    const Decoder *decoders;
    size_t count;    /* of outputs */
    size_t max_dims; /* the most dimensions one of them reads */
} Outputs;

typedef struct {
    /* Weights in this type, in the form they are run in. */
    void *(*prepare)(const Model *model, const RunOptions *options, const KernelSet *kernels,
                     RtError *err);
    void (*release)(void *prepared);
    void (*info)(const void *prepared, EngineInfo *info);

    /* How many columns a pack should have. */
    size_t (*pack_columns)(const void *prepared);

    /* Runs a pack with `threads` threads, in `memory`, which grows as needed and is the caller's.
     * On failure *at is the input that failed, if one did. */
    bool (*run)(const void *prepared, const Pack *pack, const Outputs *outputs, RtBuffer *memory,
                int threads, size_t *at, RtError *err);

    /* One token at a time. The sink is the first column of a new stream. */
    void *(*stream_new)(const void *prepared, RtError *err);
    void (*stream_free)(void *stream);
    bool (*stream_push)(void *stream, size_t id, const Outputs *outputs, Reading *readings,
                        RtError *err);
} PassType;

extern const PassType rt_pass32, rt_pass64;

#endif
