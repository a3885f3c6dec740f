/* Running a model: token ids in, decoded outputs out.
 *
 * An Engine is a model made ready for one set of options: weights in the model's dtype, each
 * matrix dense or compressed, whichever is cheaper. It keeps nothing of the Model, is never
 * changed by a run, and may be used by several threads at once. Memory of a run is O(n): scores
 * are computed for tiles of queries and keys.
 *
 * engine_run and engine_run_batch use threads of their own and set OpenBLAS to one thread
 * meanwhile. On path sparse results do not depend on the number of threads; otherwise they may
 * differ in the last bits, as they may between paths, between a batch, a stream and a single run,
 * and between processors. How far a softmax weight can be from the exact one is in numerics.h. */
#ifndef RUNTIME_FORWARD_H
#define RUNTIME_FORWARD_H

#include "runtime/model.h"
#include "runtime/weight_rule.h"

#include <signal.h>

typedef enum {
    RT_PATH_AUTO,   /* each matrix by its cost, equal keys and queries of a head once */
    RT_PATH_DENSE,  /* OpenBLAS throughout, as if no weight were zero */
    RT_PATH_SPARSE, /* compressed rows, equal keys and queries once; OpenBLAS is not loaded */
    RT_PATH_COUNT
} RtPath;

extern const char *const rt_path_names[RT_PATH_COUNT]; /* "auto", "dense", "sparse" */

typedef struct {
    RtRule rule;        /* softmax: the model's own kernel */
    double parameter;   /* of rules that take one: entmax's α, top-k's k; else 0 */
    double temperature; /* > 0; of rules that have one */
    RtPath path;
    int threads;         /* 0: one a processor */
    size_t query_tile;   /* queries and keys a tile of scores; 0: chosen. The outcome does not */
    size_t key_tile;     /* depend on them but for the last bits. */
    const char *kernels; /* NULL: the best this processor has, else one of rt_kernel_names */
    const volatile sig_atomic_t *stop; /* NULL, or what a signal handler sets: a run then ends soon,
                                          with the error "interrupted" */
    bool keep_raw; /* whether results carry the residual values that were decoded */
} RunOptions;

/* Softmax at temperature 1, path auto, all threads. */
RunOptions run_options(void);

/* What one output says at one position. */
typedef struct {
    ptrdiff_t index; /* into the output's values; -1 with decode number and whole */
    double number;   /* the residual value read: the maximum, or h[start] */
    /* How far the decision is from another answer, in units of the residual stream:
     * argmax: the maximum minus the largest entry whose value is a different atom;
     * nearest: half the distance to the closest other number minus |h[start] − value|;
     * whole: 1/2 minus |h[start] − value|;
     * infinite when there is no other answer, and for decode number. */
    double margin;
} Reading;

/* Row-major [output][position], in the model's order of outputs. */
typedef struct {
    size_t length, output_count;
    Reading *readings;
    size_t raw_size; /* values an input position has in `raw`, over all outputs */
    double *raw;     /* with keep_raw, else NULL: [position][raw_size], outputs one after another,
                        each with value_count (argmax) or 1 entries */
} RunResult;

void run_result_clear(RunResult *result);
const Reading *run_reading(const RunResult *result, size_t output, size_t position);

typedef struct Engine Engine;

/* The model has to pass model_check, which is called. */
Engine *engine_new(const Model *model, const RunOptions *options, RtError *err);
void engine_free(Engine *engine);

/* The number the engine knows a token by; kinds are kept apart. False when it has no such token;
 * the error names the token. */
bool rt_token_id(const Engine *engine, const RtAtom *token, size_t *id, RtError *err);

/* One input of n token ids, 1 ≤ n ≤ N. The result is written on success; clear it. */
bool engine_run(const Engine *engine, const size_t *ids, size_t n, RunResult *result, RtError *err);

typedef struct {
    const size_t *ids;
    size_t n;
} RunInput;

/* Many inputs, of any lengths: results[i] for inputs[i], each to be cleared. All or nothing; an
 * error names the input by its number from 0. */
bool engine_run_batch(const Engine *engine, const RunInput *inputs, size_t count,
                      RunResult *results, RtError *err);

/* The same, with memory of the caller's for the readings: those of all inputs, one after the other.
 * Nothing is to be cleared; results have no raw values. */
bool engine_run_batch_in(const Engine *engine, const RunInput *inputs, size_t count,
                         RunResult *results, Reading *readings, RtError *err);

/* ---- one token at a time ----
 *
 * For models that never look ahead: every head masked causal or strict_causal, none scaled by the
 * length (which would change what was computed before). Keys and values are kept, so a token costs
 * O(tokens before it). The readings are those of a full run over what was pushed. */
typedef struct RunStream RunStream;

RunStream *run_stream_new(const Engine *engine, RtError *err);
void run_stream_free(RunStream *stream);

/* readings: [output_count], for the position just pushed. After an error the stream is as it was
 * before. */
bool run_stream_push(RunStream *stream, size_t id, Reading *readings, RtError *err);
size_t run_stream_length(const RunStream *stream);

/* ---- what an engine is made of, for reports and measurements ---- */

typedef struct {
    size_t dense_matrices, sparse_matrices;
    size_t weight_bytes;
    const char *kernels;
} EngineInfo;

EngineInfo engine_info(const Engine *engine);

/* Kernel sets in this build, best first, NULL-terminated; those this processor cannot run are
 * refused by engine_new. */
extern const char *const rt_kernel_names[];

#endif
