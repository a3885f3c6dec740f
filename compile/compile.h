/* compile.h: s-ops of a graph to a transformer.
 *
 * Value sets (values.h), then features backwards from the outputs (lower.h), then the circuit
 * (circuit.h) and its weights (emit.h), then a certificate (certificate.h).  The same graph,
 * outputs and options give the same bytes.
 */
#ifndef RASP_COMPILE_COMPILE_H
#define RASP_COMPILE_COMPILE_H

#include "compile/answers.h"
#include "compile/circuit.h"
#include "compile/facts/facts.h"
#include "compile/lower/lower.h"
#include "compile/values/ways.h"
#include "runtime/model.h"

typedef enum CompileDtype { COMPILE_AUTO, COMPILE_F32, COMPILE_F64 } CompileDtype;

/* Compact: as few feed-forward sublayers and as small heads as there can be.  Standard: one
 * sublayer a layer and heads of one size, as common frameworks have it. */
typedef enum CompileLayout { LAYOUT_COMPACT, LAYOUT_STANDARD } CompileLayout;

/* The greatest and least that can be asked for, on the command line and in a file alike.  The
 * contexts of the longest length fit 32 bits. */
enum {
    COMPILE_LONGEST = 50000,
    COMPILE_MOST_TOKENS = 1000000,
    COMPILE_LEAST_TABLE = 2,
    COMPILE_LARGEST_TABLE = 1000000000,
};

typedef struct CompileOptions {
    const Atom *alphabet; /* distinct, of one kind */
    uint32_t alphabet_size;
    uint32_t max_length; /* from 1 to COMPILE_LONGEST */
    int32_t first;       /* index of the token that inputs start with, or -1 */
    NodeId where;        /* an s-op that is true everywhere on inputs, or NODE_NONE */
    CompileDtype dtype;
    uint32_t table_limit; /* most values of one s-op */
    MaskRule masks;
    bool log_length;
    RtRule kernel; /* softmax, sparsemax or entmax15 */
    CompileLayout layout;
    double tolerance; /* the certified error may not be greater; 0: whatever holds */
    bool partial;     /* there may be inputs without an answer, which flag outputs tell */
    ValuesWay way;    /* how values are found, for tests */
    /* NULL, or told what is about to be done, and after how many tries of weights. */
    void (*progress)(void *context, const char *step, uint32_t tries);
    void *progress_context;
} CompileOptions;

/* All fields but the alphabet: length 16, no first token, dtype auto, masks per head. */
CompileOptions compile_options(void);

typedef struct CompileOutput {
    const char *name;
    NodeId node;
} CompileOutput;

/* Where the time went, in seconds, and over how much. */
typedef struct CompileStats {
    double lowering; /* value sets, covering, scores */
    double weights;  /* tables to hidden units, tensors */
    double certificate;
    uint32_t tries; /* types and shapes of tables, until the certificate held */
    uint32_t nodes; /* of the graph, helpers included */
} CompileStats;

typedef struct Certificate Certificate;
typedef struct CompileTrace CompileTrace;

typedef struct Compiled {
    const Circuit *circuit; /* what the pieces are for */
    Model *model;           /* the weights, rounded to their type; the caller's: model_free */
    Model *ideal;           /* before rounding: compiled_clear */
    const Certificate *certificate; /* of `model` */
    Answers answers;
    NoAnswer none; /* of what is refused because an input has no answer: `ids` is not NULL */
    CompileStats stats;
    Arena *arena;        /* of everything but the models */
    Arena *tensors;      /* the models' bytes, charged */
    CompileTrace *trace; /* what the compiler knew on the way, for dumps (compile_trace.h) */
} Compiled;

/* False and *error when it cannot be done.  Helper nodes are added to the graph; everything
 * but the models lives in `arena`. */
bool compile_graph(Graph *graph, const CompileOutput *outputs, uint32_t output_count,
                   const CompileOptions *options, Arena *arena, Compiled *compiled,
                   LowerError *error);
/* The first of its steps alone: *settled are the outputs that a model must have, those that say
 * where others have no answer behind them, and *answers is what there is to say of answers.  False
 * as above, or because values are to be found in another way. */
typedef struct Settled {
    const CompileOutput *outputs;
    uint32_t output_count;
    Answers answers;
    NoAnswer none;
} Settled;
bool compile_settle(Graph *graph, const CompileOutput *outputs, uint32_t output_count,
                    const CompileOptions *options, ValuesWay way, Arena *arena, Settled *settled,
                    LowerError *error);
/* The ways in which compile_graph may have found values; ends with VALUES_BY_DOMAIN. */
typedef ValuesWay CompileWays[4];
void compile_ways(const CompileOptions *options, CompileWays ways);

/* What the text of one s-op shows of it; the same errors. */
bool compile_facts(Graph *graph, NodeId sop, const CompileOptions *options, Arena *arena,
                   Facts *facts, LowerError *error);
/* The inputs that the options speak of. */
Domain compile_domain(const CompileOptions *options);
/* Puts the model into the layout that the options ask for, once it has been described; false
 * when memory runs out. */
bool compiled_lay_out(Compiled *compiled, const CompileOptions *options);
/* Frees what is not in the arena, but for the model. */
void compiled_clear(Compiled *compiled);

#endif
