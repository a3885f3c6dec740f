/* lower.h: from the graph to the pieces of a transformer.
 *
 * Lowering works backwards from what must be visible.  It is asked for *features*: numeric
 * s-ops that some head, feed-forward sublayer or output reads.  Each becomes a linear form
 * (form.h) over parts:
 *
 *   embedded   a function of the token or of the position alone: a column of an embedding
 *   moved      a component of a head's result.  A function of a moved value is itself moved:
 *              F(aggregate(s, v)) = aggregate(s, F(v)), so what travels is only what its
 *              reader can tell apart
 *   averaged   likewise, for means; counts arrive as 1/(1+width)
 *   scanned    a function of one linear form x: a feed-forward sublayer interpolates it
 *              between the values that x can take (scan.h)
 *
 * An elementwise expression of several parts is a function of one number once that number
 * is chosen well: a difference for a comparison, a sum of bits for a conjunction, digits of
 * a mixed radix for the rest.  Choosing it is the covering problem (cover.h).
 *
 * Helper nodes (codes, indicators, digits) are ordinary nodes added to the graph.
 */
#ifndef RASP_COMPILE_LOWER_LOWER_H
#define RASP_COMPILE_LOWER_LOWER_H

#include "compile/lower/form.h"
#include "compile/lower/plan.h"
#include "compile/values/values.h"

/* What could not be compiled. */
typedef struct LowerError {
    NodeId node; /* NODE_NONE: none in particular */
    char message[640];
} LowerError;

typedef enum MaskRule { MASKS_PER_HEAD, MASKS_NONE, MASKS_CAUSAL } MaskRule;

/* Larger each, but errors are magnified less. */
typedef enum LowerCare {
    LOWER_PLAIN,
    LOWER_DIGITS,  /* equality of attention results by two digits */
    LOWER_CAREFUL, /* by one-hots; numbers read as one of their values */
} LowerCare;

typedef struct LowerOptions {
    MaskRule masks;
    uint32_t table_limit; /* most combinations in one table */
    LowerCare care;
} LowerOptions;

typedef struct Lower Lower;

Lower *lower_new(Values *values, LowerOptions options, Arena *arena);
Values *lower_values(const Lower *lower);
Arena *lower_arena(const Lower *lower);
LowerOptions lower_options(const Lower *lower);

/* The form of a numeric s-op; false and lower_error when it cannot be made. */
bool lower_feature(Lower *lower, NodeId node, Form *form);
/* Has its form been made? */
bool lower_is_known(const Lower *lower, NodeId node);
/* The number of a value in features: the number itself (bools 0 and 1), NAN for what is no number
 * that a double holds. */
double feature_number(Atom value);
/* A node that maps the levels of `node` to numbers: number[level]. */
NodeId lower_code(Lower *lower, NodeId node, const double *number);
/* Is anything compared that LOWER_DIGITS compares by digits? */
bool lower_has_digits(const Lower *lower);
/* When the form can be read. */
Stage lower_stage(const Lower *lower, Form form);

const LowerError *lower_error(const Lower *lower);
/* False, for returning it; the first cause stands. */
bool lower_fail(Lower *lower, NodeId node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Fails with the reason that the values could not be enumerated. */
bool lower_fail_values(Lower *lower);

const Part *lower_part(const Lower *lower, uint32_t part);
uint32_t lower_part_count(const Lower *lower);
const HeadPlan *lower_head(const Lower *lower, uint32_t head);
uint32_t lower_head_count(const Lower *lower);
const ScanPlan *lower_scan(const Lower *lower, uint32_t scan);
uint32_t lower_scan_count(const Lower *lower);

#endif
