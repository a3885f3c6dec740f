/* circuit.h: the compiled program as a value: what every piece of the transformer is for.
 *
 *     lower ──▶ circuit ──▶ weights (emit.h)   certificate   the file's metadata   dumps, drawings
 *
 * A circuit is made once (circuit_make in emit/schedule.h) and never changed.  All of it, but the
 * graph's nodes and the texts below them, lives in the arena that it was made in.  It holds claims
 * about weights, whatever type they are rounded to: a Model of the same shapes goes with it.
 *
 * The residual stream is a sum of *parts*, numbers that something writes: a column of an
 * embedding, a component of a head, an output of a table.  Heads and tables read *forms*, linear
 * combinations of parts.  Here are also the words that lowering speaks before the circuit is there.
 */
#ifndef RASP_COMPILE_CIRCUIT_H
#define RASP_COMPILE_CIRCUIT_H

#include "compile/values/domain.h"
#include "runtime/weight_rule.h"

/* --- words ---------------------------------------------------------------------------------- */

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

typedef struct FormTerm {
    uint32_t part;
    double factor;
    double error; /* bound on what rounding did to the factor */
} FormTerm;

/* A number that is read: the sum of factor * part, and a constant.  It stands for an s-op, whose
 * values the interpreter computes in doubles, step by step: `slack` bounds how far the sum, in
 * real arithmetic over the parts' nominal values, is from them (the factors' errors apart). */
typedef struct Form {
    const FormTerm *terms; /* by part, ascending */
    uint32_t count;
    double constant;
    double slack;
} Form;

typedef enum Origin { FROM_TOKEN, FROM_POSITION, FROM_HEAD, FROM_TABLE } Origin;

/* How rows without a selected key, and counting, are done. */
typedef enum HeadKind {
    HEAD_PLAIN,   /* every row selects something: no sink */
    HEAD_DEFAULT, /* the sink scores 1/2 and carries the defaults */
    HEAD_COUNT,   /* the sink scores 1 and has the value 1: the result is 1/(1+width) */
} HeadKind;

typedef enum ScoreMask {
    MASK_NONE,
    MASK_CAUSAL,
    MASK_STRICT_CAUSAL,
    MASK_ANTICAUSAL,
    MASK_STRICT_ANTICAUSAL
} ScoreMask;

typedef struct ScorePair {
    Form key, query;
} ScorePair;

/* A score is the sum over pairs of key form x query form, and of what one side decides; it is 1
 * where the selector selects (or more, where the components' values are all equal there) and at
 * most 0 elsewhere. */
typedef struct Score {
    ScoreMask mask;
    const ScorePair *pairs;
    uint32_t pair_count;
    Form key_only, query_only;
} Score;

/* --- pieces --------------------------------------------------------------------------------- */

#define DIM_NONE UINT32_MAX

typedef struct CircuitWrite {
    uint32_t dim;
    double factor;
} CircuitWrite;

typedef struct CircuitPart {
    Origin origin;
    NodeId node; /* the feature that it holds (tables: up to a constant) */
    Span span;
    uint32_t owner;       /* head or table, by number in the circuit */
    uint32_t column;      /* component or output of it */
    const double *vector; /* embedded: by token or by position */
    Stage born, last;     /* written, and last read by a head or table (if dim is not DIM_NONE) */
    uint32_t dim;         /* where they read it; DIM_NONE: only outputs are made of it */
    const CircuitWrite *writes; /* `dim`, and the dimensions of outputs that it is a term of */
    uint32_t write_count;
    uint32_t level_count;  /* values that the node can take */
    double least, most;    /* of them */
    const double *numbers; /* of parts with a dimension: the values, ascending, distinct */
    uint32_t number_count;
} CircuitPart;

typedef struct CircuitComponent {
    NodeId node; /* the aggregate or width */
    Span span;
    Form value;
    double fallback; /* what the sink carries */
    bool moves;      /* the values that a row selects are all equal */
    uint32_t part;
} CircuitComponent;

typedef struct CircuitHead {
    uint32_t layer, index; /* of the file, from 0 */
    Stage stage;
    NodeId selector;
    Span span;
    HeadKind kind;
    bool single; /* no row selects more than one key */
    Score score;
    const CircuitComponent *components;
    uint32_t component_count;
} CircuitHead;

/* One output of a table: its value at each of its points, ascending in x.  Where `step` is not 0,
 * points 2k and 2k + 1 are the ends of a stretch of x in which the output is straight: it takes the
 * one's value, and so on in such steps up to the other's. */
typedef struct TableOutput {
    NodeId node;
    Span span;
    uint32_t part;
    const double *x, *value;
    uint32_t points;
    double step;
} TableOutput;

/* One hidden unit: relu(sign * x - sign * at), counted from `at` to one side.  The sign is 1 or -1;
 * of a judged circuit any number. */
typedef struct TableUnit {
    double at, sign;
} TableUnit;

/* How a table is interpolated: output o is base[o] + sum over units of factor[unit, o] * unit. */
typedef struct TableShape {
    const TableUnit *units; /* by `at`, ascending */
    const uint32_t *column; /* by unit: its place behind the table's first; NULL: in this order */
    const double *off;      /* by unit: how far from that what its weights compute is; NULL: 0 */
    uint32_t unit_count;
    const double *base;   /* [outputs] */
    const double *factor; /* [units, outputs] */
} TableShape;

/* Functions of one number x, piecewise linear, in one feed-forward sublayer. */
typedef struct CircuitTable {
    uint32_t layer, sublayer; /* of the file, from 0 */
    uint32_t first_unit;      /* of the sublayer's hidden units; shape.unit_count follow */
    Stage stage;
    NodeId x; /* the node whose values are read */
    Span span;
    Form form; /* the same as a linear form */
    const TableOutput *outputs;
    uint32_t output_count;
    TableShape shape;
} CircuitTable;

/* A dimension given back: one hidden unit subtracts the part that it held. */
typedef struct CircuitClear {
    uint32_t part, dim;
    uint32_t layer, sublayer, unit;
    Stage stage;
    double least; /* the part's smallest value: relu(h - least) is h - least */
} CircuitClear;

typedef struct CircuitOutput {
    const char *name;
    NodeId node;
    Span span;
    bool numeric;        /* decoded by the nearest value; else by the largest score */
    bool whole;          /* numeric: by the nearest whole number from values[0] to values[1] */
    const Atom *values;  /* numeric: ascending; else by number */
    const double *place; /* numeric: where each value is read */
    bool placed;         /* that is not the number that it is */
    const double *most;  /* the greatest float joined with each (itself, if none is) */
    uint32_t value_count;
    const Form *forms; /* one a dimension, from `start` on */
    uint32_t form_count;
    uint32_t start;
} CircuitOutput;

/* A layer of the file. */
typedef struct CircuitLayer {
    uint32_t head_count, sublayer_count;
    const uint32_t *units; /* by sublayer: hidden units, tables' before clears'; 0: an idle one */
} CircuitLayer;

typedef struct CircuitOptions {
    double beta;     /* inverse temperature for a score gap of 1; a power of two */
    bool steep;      /* tables as steps with flat parts, which take errors away */
    bool log_length; /* scores scaled by ln(n+1) when run */
    RtRule kernel;   /* how scores become weights */
} CircuitOptions;

/* --- all of it ------------------------------------------------------------------------------ */

typedef struct Circuit {
    const Graph *graph; /* of the nodes, the compiler's helpers included */
    Domain domain;
    CircuitOptions options;
    uint32_t depth;       /* RASP's: attention layers that the program says it needs */
    uint32_t width;       /* residual dimensions, at least 1 */
    uint32_t sink, one;   /* dimensions that are 1 in row 0, or in all others; or DIM_NONE */
    uint32_t first_layer; /* Stage.layer of the file's layer 0 */
    const CircuitLayer *layers;
    uint32_t layer_count;
    const CircuitPart *parts;
    uint32_t part_count;
    const CircuitHead *heads; /* of one layer: ascending as `index` */
    uint32_t head_count;
    const CircuitTable *tables; /* of one sublayer: ascending as `first_unit` */
    uint32_t table_count;
    const CircuitClear *clears;
    uint32_t clear_count;
    const CircuitOutput *outputs;
    uint32_t output_count;
    bool judged; /* read off weights (prove/judge.h): the slack of scores is all there is of them,
                    the sink's share included */
} Circuit;

bool circuit_embedded(const CircuitPart *part);
/* The node in source form, cut to about `limit` bytes; in `arena`. */
const char *circuit_text(const Circuit *circuit, NodeId node, size_t limit, Arena *arena);
/* Its name in the program, if it has one, or that text. */
const char *circuit_name(const Circuit *circuit, NodeId node, size_t limit, Arena *arena);
/* What the table's hidden units give for output `o` at x. */
double table_value(const CircuitTable *table, uint32_t o, double x);

#endif
