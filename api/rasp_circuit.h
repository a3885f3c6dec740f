/* rasp_circuit.h: which head, hidden unit and residual dimension of a compiled transformer is for
 * what, and who reads whom: the ground truth that a method of finding circuits can be scored by.
 *
 *     nodes write columns, edges say who reads them
 *
 *         tokens ──c0──▶ head 0.0 ──c2──▶ table 0.0 ──c3──▶ output y
 *     positions ──c1──────┘    (query, key or value of a head, input of a table, part of an output)
 *
 * A *column* is one s-op in the residual stream: a number at each position, which stands in a
 * dimension from the step that writes it to the step that clears it, if one does.  A *node* is
 * what writes columns: an embedding, a head, the hidden units that make up a table, a unit that
 * clears a dimension; and an output, which only reads.  All are referred to by their number in the
 * lists below.
 *
 * Steps are the places where rasp_trace shows the residual stream: 0 after the embedding, then for
 * each layer one after its heads and one after each of its feed-forward sublayers.
 *
 * Layers, heads, sublayers, units and dimensions are those of the model, in either layout, counted
 * from 0.  What a standard layout pads with, no node names: it writes nothing.  The same is in
 * `rasp compile --circuit` as JSON: docs/circuit.md.
 */
#ifndef RASP_CIRCUIT_H
#define RASP_CIRCUIT_H

#include "rasp.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RASP_NONE UINT32_MAX /* no dimension, step, column or s-op */

/* An s-op or a selector: of the program, or made by the compiler on the way. */
typedef struct RaspCircuitSop {
    const char *name; /* NULL: the program gives it none */
    const char *text; /* in source form, whole; of inner ones that have a name, the name, and in
                         long texts `$3` for number 3 of `sops`, if that is long and has none */
    RaspPlace place;  /* where the program first asks for it; source NULL: nowhere, the compiler */
    bool selector;
    int type;                /* RaspType; -1 of a selector, or when its values are not known */
    size_t value_count;      /* different values that it can have; 0: not known */
    const uint32_t *columns; /* that carry it */
    size_t column_count;
} RaspCircuitSop;

/* A step of the forward pass, named as RaspTap.residual names it. */
typedef struct RaspCircuitStep {
    uint32_t layer;
    int sublayer; /* -2: the embedding, -1: the layer's heads */
} RaspCircuitStep;

typedef struct RaspCircuitWrite {
    uint32_t dim;
    double factor; /* of the column's number, added there */
} RaspCircuitWrite;

/* An s-op as a number in the residual stream: true is 1, strings have codes of their own. */
typedef struct RaspCircuitColumn {
    uint32_t sop;
    uint32_t node;    /* that writes it, and */
    uint32_t index;   /* as which of its columns */
    uint32_t dim;     /* where heads and tables read it; RASP_NONE: outputs alone are made of it */
    uint32_t written; /* step */
    uint32_t read;    /* last step whose heads or tables read it; `written` if none do */
    uint32_t cleared; /* step after which `dim` is 0 again; RASP_NONE: never */
    const RaspCircuitWrite *writes; /* `dim`, and the dimensions of outputs */
    size_t write_count;
    const double *values; /* that it can have, ascending; NULL if outputs alone are made of it */
    size_t value_count;
    double least, most;
    const double *embedded; /* of an embedding: by token of the alphabet, or by index; else NULL */
    size_t embedded_count;
} RaspCircuitColumn;

/* What is read: the sum of factor * column, and a constant. */
typedef struct RaspCircuitTerm {
    uint32_t column;
    double factor;
} RaspCircuitTerm;

typedef struct RaspCircuitForm {
    const RaspCircuitTerm *terms; /* ascending by column */
    size_t count;
    double constant; /* heads read it from the dimension `one` */
} RaspCircuitForm;

/* One product of key and query. */
typedef struct RaspCircuitPair {
    RaspCircuitForm key, query;
} RaspCircuitPair;

/* One aggregate (or width) that a head computes: the columns of its value matrix. */
typedef struct RaspCircuitComponent {
    uint32_t sop, column;
    RaspCircuitForm value;
    double fallback; /* what a row that selects nothing gets; if the head has defaults */
    bool moves;      /* the values that a row selects are all equal */
} RaspCircuitComponent;

/* The score is the sum over pairs of key * query, plus `key` plus `query`: 1 where the selector
 * selects, at most 0 elsewhere; the model's scores are that times the inverse temperature. */
typedef struct RaspCircuitHead {
    uint32_t node;
    uint32_t layer, head;
    uint32_t selector;  /* s-op */
    const char *mask;   /* "none", "causal", "strict_causal", "anticausal", "strict_anticausal" */
    const char *result; /* "moves" one key's value, "mean", "count": 1 / (1 + keys selected) */
    bool defaults;      /* rows may select nothing: the sink scores 1/2 and carries `fallback` */
    bool single;        /* no row selects more than one key */
    double beta;        /* inverse temperature */
    const RaspCircuitPair *pairs;
    size_t pair_count;
    RaspCircuitForm key, query;
    const RaspCircuitComponent *components; /* in the order of the node's columns */
    size_t component_count;
} RaspCircuitHead;

/* relu(sign * (x - at)) of the table's number x. */
typedef struct RaspCircuitUnit {
    double at;
    double sign; /* 1 or -1 */
} RaspCircuitUnit;

typedef struct RaspCircuitEntry {
    double x, value;
} RaspCircuitEntry;

/* One function of x, in the order of the node's columns. */
typedef struct RaspCircuitFunction {
    uint32_t sop, column;
    const RaspCircuitEntry *entries; /* ascending in x: what it is at each x that there is */
    size_t entry_count;
    double base;           /* its value is that and, for each unit, factor * activation */
    const double *factors; /* one a unit; 0: the unit does not write it */
} RaspCircuitFunction;

/* Functions of one number x, piecewise linear: some hidden units of a feed-forward sublayer. */
typedef struct RaspCircuitTable {
    uint32_t node;
    uint32_t layer, sublayer;
    uint32_t first_unit; /* of the sublayer's */
    uint32_t reads;      /* s-op */
    RaspCircuitForm x;
    const RaspCircuitUnit *units;
    size_t unit_count;
    const RaspCircuitFunction *functions;
    size_t function_count;
} RaspCircuitTable;

/* A hidden unit that subtracts a column from its dimension, for another to stand there. */
typedef struct RaspCircuitClear {
    uint32_t node, column;
    uint32_t layer, sublayer, unit;
    double least; /* it subtracts least + relu(x - least): nothing is left of x >= least */
} RaspCircuitClear;

/* An output of the model.  How it is decoded: rasp_model_info(model)->outputs, by the same number;
 * behind its output_count are the flags. */
typedef struct RaspCircuitOutput {
    uint32_t node, sop;
    const char *name;
    uint32_t start;               /* the first of its dimensions */
    const RaspCircuitForm *forms; /* what each of them holds in the end */
    size_t form_count;
    const double *places; /* where each of its values stands; NULL: a number where it is */
} RaspCircuitOutput;

typedef enum RaspCircuitKind {
    RASP_CIRCUIT_TOKENS, /* what each token's embedding holds */
    RASP_CIRCUIT_POSITIONS,
    RASP_CIRCUIT_HEAD,
    RASP_CIRCUIT_TABLE,
    RASP_CIRCUIT_CLEAR,
    RASP_CIRCUIT_OUTPUT,
} RaspCircuitKind;
RASP_API const char *rasp_circuit_kind_name(int kind); /* NULL behind the last */

typedef struct RaspCircuitNode {
    RaspCircuitKind kind;
    uint32_t index; /* in the list of its kind; of an embedding 0 */
    uint32_t step;  /* that it belongs to; of an output the last */
    const uint32_t *columns;
    size_t column_count;
} RaspCircuitNode;

typedef enum RaspRole {
    RASP_ROLE_QUERY, /* of a head */
    RASP_ROLE_KEY,
    RASP_ROLE_VALUE,
    RASP_ROLE_INPUT,  /* of a table's units */
    RASP_ROLE_CLEAR,  /* of a unit that clears */
    RASP_ROLE_OUTPUT, /* it is added to an output's dimensions */
} RaspRole;
RASP_API const char *rasp_role_name(int role); /* NULL behind the last */

/* `to` reads the column, which `from` writes. */
typedef struct RaspCircuitEdge {
    uint32_t from, to, column;
    RaspRole role;
    /* The columns that can change when this reading does.  Of a clear those that stand in the
     * dimension later; nothing gets to them while what is read is what the dimension holds, and
     * is at least `least`.  Of an output none: the output itself. */
    const uint32_t *changes;
    size_t change_count;
} RaspCircuitEdge;

/* All lists in the order of the forward pass: a node stands behind those that it reads, edges
 * are sorted by `to`, then role, then column. */
typedef struct RaspCircuit {
    uint32_t width;
    uint32_t one, sink; /* dimensions: 1 at each position, 1 in the sink's row; or RASP_NONE */
    const RaspCircuitSop *sops;
    size_t sop_count;
    const RaspCircuitStep *steps;
    size_t step_count;
    const RaspCircuitColumn *columns;
    size_t column_count;
    const RaspCircuitNode *nodes;
    size_t node_count;
    const RaspCircuitEdge *edges;
    size_t edge_count;
    const RaspCircuitHead *heads;
    size_t head_count;
    const RaspCircuitTable *tables;
    size_t table_count;
    const RaspCircuitClear *clears;
    size_t clear_count;
    const RaspCircuitOutput *outputs;
    size_t output_count;
} RaspCircuit;

/* What the model is made of.  Of a file, its program is compiled again, and the file must have the
 * structure that comes of it (RASP_WRONG_FILE); that its weights do as the circuit says, only
 * rasp_verify shows.  The model keeps it; NULL: see the error. */
RASP_API const RaspCircuit *rasp_model_circuit(RaspModel *model, RaspError *error);

/* What can change when some columns do.  columns: [column_count], true where one is changed for all
 * that read it; outputs: [output_count]; both are then true also for whatever is downstream.
 * `below`: a changed column may be less than the `least` that it can be, so that clearing
 * leaves something of it behind for the next column there. */
RASP_API void rasp_circuit_downstream(const RaspCircuit *circuit, bool below, bool *columns,
                                      bool *outputs);

/* === changing a run ======================================================================= */

/* Called with what a forward pass is about to go on with, in its order, and may change it; NULL:
 * not wanted.  Shapes as in RaspTap, whose functions see what came of it: all are row-major, n is
 * the input's length, row 0 is the sink.  No input changes the sink's row of anything, and what
 * the model does with it is worked into its weights: a change that stands for another input leaves
 * it alone.
 *
 * An embedding or a column of it is changed in `residual` at step 0, a head in `head`, a unit in
 * `sublayer`; an edge in `read`, which one reader alone sees (the tables of a sublayer have one
 * reader: to change one of them, its units); attention in `weights`. */
typedef struct RaspPatch {
    void *context;
    /* stream: [n+1, width], what the role (RASP_ROLE_QUERY to RASP_ROLE_INPUT) of this head, or
     * this sublayer, is shown of the residual stream: a copy. */
    void (*read)(void *context, size_t layer, size_t piece, int role, size_t n, size_t width,
                 double *stream);
    /* [n+1, n+1], after the softmax. */
    void (*weights)(void *context, size_t layer, size_t head, size_t n, double *weights);
    /* result: [n+1, width], what the head is about to add to the residual stream. */
    void (*head)(void *context, size_t layer, size_t head, size_t n, size_t width, double *result);
    /* hidden: [n+1, units], after the ReLU. */
    void (*sublayer)(void *context, size_t layer, size_t sublayer, size_t n, size_t units,
                     double *hidden);
    /* stream: [n+1, width]; sublayer -1: after the layer's heads, -2: after the embedding. */
    void (*residual)(void *context, size_t layer, int sublayer, size_t n, size_t width,
                     double *stream);
} RaspPatch;

/* rasp_trace with changes; `tap` may be NULL.  Outputs decode whatever the stream holds in the
 * end: the nearest of their values, however far.  A run that says of all outputs that they have
 * no answer is no error here. */
RASP_API RaspForward *rasp_patch(RaspEngine *engine, const RaspInput *input, const RaspPatch *patch,
                                 const RaspTap *tap, RaspError *error);

#ifdef __cplusplus
}
#endif

#endif
