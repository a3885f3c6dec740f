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
#include "compile/lower/space.h"
#include "compile/values/values.h"

typedef enum Origin { FROM_TOKEN, FROM_POSITION, FROM_HEAD, FROM_SCAN } Origin;

/* A time in the pass: after the heads (step 0) or after feed-forward sublayer `step` - 1 of
 * attention layer `layer`; layer 0 is before any attention. */
typedef struct Stage {
    uint32_t layer, step;
} Stage;

static inline bool stage_same(Stage a, Stage b) {
    return a.layer == b.layer && a.step == b.step;
}
static inline bool stage_before(Stage a, Stage b) {
    return a.layer < b.layer || (a.layer == b.layer && a.step < b.step);
}

typedef struct Part {
    Origin origin;
    NodeId node;          /* the feature that it holds (scans: up to a constant) */
    Stage stage;          /* available from here on */
    uint32_t owner;       /* head or scan */
    uint32_t column;      /* component or output */
    const double *vector; /* embedded: by token or by position */
} Part;

/* How rows without a selected key, and counting, are done. */
typedef enum HeadKind {
    HEAD_PLAIN,   /* every row selects something: no sink */
    HEAD_DEFAULT, /* the sink scores 1/2 and carries the defaults */
    HEAD_COUNT,   /* the sink scores 1 and has the value 1: the result is 1/(1+width) */
} HeadKind;

/* A score is the sum over pairs of key form x query form; it is 1 where the selector
 * selects and at most 0 elsewhere. */
typedef struct ScorePair {
    Form key, query;
} ScorePair;

typedef enum ScoreMask {
    MASK_NONE,
    MASK_CAUSAL,
    MASK_STRICT_CAUSAL,
    MASK_ANTICAUSAL,
    MASK_STRICT_ANTICAUSAL
} ScoreMask;

typedef struct Score {
    ScoreMask mask;
    const ScorePair *pairs;
    uint32_t pair_count;
    Form key_only, query_only; /* parts of the score that one side decides */
    uint32_t layer;            /* the deepest layer that its forms need */
} Score;

typedef struct Component {
    Form value;
    double fallback; /* what the sink carries */
    uint32_t part;
    NodeId node; /* the aggregate or width */
} Component;

typedef struct HeadPlan {
    NodeId selector;
    HeadKind kind;
    uint32_t layer; /* from 1 */
    bool moves;     /* each row's selected values are all equal */
    const Score *score;
    Component *components;
    size_t component_count, component_capacity;
} HeadPlan;

/* One output of a scan: its value at each of its points, ascending in x. */
typedef struct ScanOutput {
    uint32_t part;
    NodeId node;
    const double *x, *value;
    uint32_t points;
} ScanOutput;

typedef struct ScanPlan {
    NodeId x;    /* the node whose values are scanned */
    Form form;   /* the same as a linear form */
    Stage stage; /* step >= 1 */
    Space *space;
    ScanOutput *outputs;
    size_t output_count, output_capacity;
} ScanPlan;

/* What could not be compiled. */
typedef struct LowerError {
    NodeId node; /* NODE_NONE: none in particular */
    char message[640];
} LowerError;

typedef struct Lower Lower;

typedef enum MaskRule { MASKS_PER_HEAD, MASKS_NONE, MASKS_CAUSAL } MaskRule;

typedef struct LowerOptions {
    MaskRule masks;
    uint32_t table_limit; /* most combinations in one table */
    bool careful;         /* larger, but errors are magnified less: equality of attention
                             results by one-hots, numbers read as one of their values */
} LowerOptions;

Lower *lower_new(Values *values, LowerOptions options, Arena *arena);

/* The form of a numeric s-op; false and lower_error when it cannot be made. */
bool lower_feature(Lower *lower, NodeId node, Form *form);
/* Has its form been made? */
bool lower_is_known(const Lower *lower, NodeId node);
/* The number of a value in features: the number itself (bools 0 and 1). */
double feature_number(Atom value);
/* A node that maps the levels of `node` to numbers: number[level]. */
NodeId lower_code(Lower *lower, NodeId node, const double *number);

const LowerError *lower_error(const Lower *lower);
bool lower_fail(Lower *lower, NodeId node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Fails with the reason that the values could not be enumerated. */
bool lower_fail_values(Lower *lower);

Values *lower_values(const Lower *lower);
Arena *lower_arena(const Lower *lower);
LowerOptions lower_options(const Lower *lower);
const Part *lower_part(const Lower *lower, uint32_t part);
uint32_t lower_part_count(const Lower *lower);
HeadPlan *lower_head(const Lower *lower, uint32_t head);
uint32_t lower_head_count(const Lower *lower);
ScanPlan *lower_scan(const Lower *lower, uint32_t scan);
uint32_t lower_scan_count(const Lower *lower);

/* When the form can be read. */
Stage lower_stage(const Lower *lower, Form form);

/* Makes the score of a selector (score.c).  Without the sink only differences within a row
 * matter, and what the query alone decides is left out. */
bool score_build(Lower *lower, NodeId selector, bool sink, Score *score);

/* The cheapest number to scan for a feature (cover.c): its node and form, or NODE_NONE and
 * lower_error. */
enum { COVER_ELEMENTS = 4 };
typedef struct Cover {
    NodeId x;
    Form form;
    NodeId cut[COVER_ELEMENTS]; /* x and the feature are functions of these */
    uint32_t cut_count;
} Cover;
bool lower_cover(Lower *lower, NodeId node, Cover *cover);
/* An estimate of the parameters that a feature still costs. */
double lower_cost(Lower *lower, NodeId node);

#endif
