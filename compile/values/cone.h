/* cone.h: s-ops computed from the levels of others, at each point of a product.
 *
 * A cone is what stands between a basis and its roots.  Values are levels here: each operator is
 * applied once to each tuple of its arguments' levels, and the level that comes out is kept for
 * good (with the s-op, not with the cone), so that a point costs a look-up for each s-op.
 *
 * The first s-op of the basis varies fastest.  What depends on slower ones alone is not computed
 * again; where it fails, or has a value that it has on no input, all faster ones are passed over.
 */
#ifndef RASP_COMPILE_VALUES_CONE_H
#define RASP_COMPILE_VALUES_CONE_H

#include "compile/values/values_private.h"

typedef struct ConeStep {
    NodeId id;
    NodeId arg[OP_MAX_ARITY];
    uint32_t arity;
    bool computed;    /* else it is neither in the basis nor a function of it: no value */
    ConeTable *table; /* NULL: too large */
} ConeStep;

typedef struct Cone {
    Values *values;
    const NodeId *basis;
    uint32_t basis_count;
    ConeStep *step;
    uint32_t *start; /* by basis s-op, the fastest that a step depends on; last: what is constant */
    NodeId where;    /* points are where this is true; NODE_NONE: anywhere */
    bool empty;      /* something has no value at all */
    bool stopped;    /* too many levels */
} Cone;

/* The variants that each s-op of the basis takes. */
typedef struct ConeRange {
    const uint32_t *variant;
    uint32_t count;
} ConeRange;

/* Sees values->slot, the variant of each s-op at this point; false stops the run. */
typedef bool ConeVisit(Values *values, void *context);

/* `points` are about to be looked at: tables are made if that is worth it. */
Cone *cone_new(Values *values, const NodeId *roots, uint32_t root_count, const NodeId *basis,
               uint32_t basis_count, NodeId where, double points, Arena *arena);
/* False: the visit said so, or an s-op has more levels than it may have. */
bool cone_run(Cone *cone, const ConeRange *range, ConeVisit *visit, void *context);

#endif
