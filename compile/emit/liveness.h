/* liveness.h: which residual dimension holds which part, as registers are allocated.
 *
 * A part is alive from where it is written to its last reader.  A dimension whose part is
 * dead can be cleared by a hidden unit of a sublayer in between and be written again; that
 * is done where the dimension saved is larger than the unit.  Dimensions that outputs are
 * read from are never shared.
 */
#ifndef RASP_COMPILE_EMIT_LIVENESS_H
#define RASP_COMPILE_EMIT_LIVENESS_H

#include "compile/lower/output.h"

/* Subtract the part from its dimension, in the sublayer of that stage. */
typedef struct Clear {
    uint32_t part, dim;
    Stage stage;
    double least; /* the part's smallest value: relu(h - least) is h - least */
} Clear;

typedef struct Liveness {
    uint32_t *part_dim; /* by part; DIM_NONE where only outputs read it */
    Stage *last;        /* by part: its last reader */
    uint32_t sink, one; /* dimensions, or DIM_NONE */
    uint32_t used;      /* dimensions in all */
    Clear *clears;
    uint32_t clear_count;
} Liveness;

/* `reuse` false: a dimension for each part. */
void liveness_find(Lower *lower, const OutputPlan *outputs, uint32_t output_count, bool reuse,
                   Arena *arena, Liveness *live);

#endif
