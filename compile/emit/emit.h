/* emit.h: pieces to weights: layers, residual dimensions, tensors.
 *
 * Row 0 of the residual stream is the sink.  It never depends on the input: feed-forward
 * units are silent there, and what the heads leave in it (their defaults) is known here and
 * taken off by the sink dimension's rows of key and value.
 */
#ifndef RASP_COMPILE_EMIT_EMIT_H
#define RASP_COMPILE_EMIT_EMIT_H

#include "compile/emit/liveness.h"

#include "runtime/model.h"

typedef struct EmitOptions {
    RtDtype dtype;
    double beta;     /* inverse temperature for a score gap of 1; a power of two */
    bool steep;      /* scans as steps with flat parts, which take errors away */
    bool log_length; /* scores scaled by ln(n+1) when run */
} EmitOptions;

/* Where things ended up. */
typedef struct Emission {
    Model *model;
    uint32_t width;
    uint32_t sink, one;     /* dimensions, or DIM_NONE */
    uint32_t *part_dim;     /* by part; DIM_NONE where only outputs read it */
    uint32_t *output_start; /* by output */
    Liveness live;
    uint32_t first_layer; /* attention layer L is layer L - first_layer of the file */
    uint32_t *head_index; /* by head: its number within its layer */
} Emission;

/* The weights are not yet rounded to the type (model_round).  False when memory runs out. */
bool emit_model(Lower *lower, const OutputPlan *outputs, uint32_t output_count, EmitOptions options,
                Emission *emission);

/* An atom of the language as the runtime's; it borrows the text. */
RtAtom emit_atom(Atom a);

/* One hidden unit of a scan: relu(sign * x - sign * at), counted from `at` to one side. */
typedef struct ScanUnit {
    double at, sign;
} ScanUnit;

/* How a scan is interpolated: units, and for each output its base and factors. */
typedef struct ScanShape {
    ScanUnit *units;
    uint32_t unit_count;
    double *base;   /* [outputs] */
    double *factor; /* [units, outputs] */
} ScanShape;
void scan_shape(const ScanPlan *scan, bool steep, Arena *arena, ScanShape *shape);

#endif
