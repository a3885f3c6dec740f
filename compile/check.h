/* check.h: a model against the interpreter, input by input.
 *
 * The interpreter runs each input once; the model runs it under one or more sets of options
 * (weight rules, temperatures).  An input agrees when every output has the interpreter's
 * value at every position.  Where the interpreter reports an error, no value is compared, but
 * the flag of the output if the model has one (flags.h): it must be true there, and false
 * everywhere else.  Inputs on which nothing is compared, and those outside the domain, are
 * counted: whoever says that all agree says also how many those are.
 *
 * A piece of a check (InputPlan.shard) reports of its own inputs alone, and the reports of all
 * pieces add up to that of the whole: counts by adding, errors and margins by their extremes, the
 * first disagreements by the numbers of their inputs.
 */
#ifndef RASP_COMPILE_CHECK_H
#define RASP_COMPILE_CHECK_H

#include "compile/inputs.h"

#include "runtime/forward.h"

typedef struct CheckSubject {
    Graph *graph;
    const Domain *domain; /* its alphabet in the order of the model's */
    const Model *model;
    const NodeId *nodes; /* what the model's outputs should be; NODE_NONE: not compared */
    const bool *flags;   /* by output: should it be true where that s-op fails, false elsewhere? */
} CheckSubject;

/* Of a model whose outputs should be `count` s-ops, with flags behind them (flags.h). */
CheckSubject check_subject(Graph *graph, const Domain *domain, const Model *model,
                           const NodeId *sops, size_t count, Arena *arena);

typedef struct CheckOptions {
    InputPlan inputs;
    const RunOptions *runs; /* each is compared */
    size_t run_count;
    uint32_t shown; /* most disagreements kept of each run */
    /* Cancelled or out of time, give the report of what was compared until then (`stopped`) and
     * jump nowhere.  Out of memory there is none. */
    bool keep;
    /* Called now and then with the number of inputs compared so far; may be NULL. */
    void (*progress)(void *context, size_t inputs);
    void *progress_context;
} CheckOptions;

typedef struct CheckExample {
    const uint32_t *ids;
    uint64_t number;         /* of the input, in the order of all */
    uint32_t length, output; /* the first output that differs */
    const Atom *expected, *found;
} CheckExample;

/* How one set of options fared. */
typedef struct CheckRun {
    size_t agreed;        /* inputs */
    size_t right;         /* positions, over all outputs */
    double largest_error; /* of outputs decoded as numbers, against the true value; -1: none are */
    /* How far the nearest decision was from another answer, in units of the residual stream;
     * negative if one is wrong, infinite if nothing was decided. */
    double least_margin;
    CheckExample *examples;
    uint32_t example_count;
} CheckRun;

typedef struct CheckReport {
    bool exhaustive;          /* every input of the domain was tried */
    uint32_t complete_length; /* every input up to this length was */
    size_t compared;          /* inputs */
    size_t positions;         /* of them, over all outputs that are compared */
    size_t faulted;           /* inputs on which an output of the interpreter is an error */
    size_t left_out;          /* of these, on which an output was not compared, nor its flag */
    size_t outside;           /* inputs on which Domain.where does not hold everywhere */
    size_t tried;             /* inputs of this piece, the last two kinds among them */
    BudgetStop stopped;       /* with `keep`: why this is not all */
    CheckRun *runs;           /* one a run of the options */
} CheckReport;

/* False and *error when the model cannot be run at all.  The report lives in `arena`, whose
 * budget may stop the check at any time; nothing is leaked then. */
bool check_model(const CheckSubject *subject, const CheckOptions *options, Arena *arena,
                 CheckReport *report, RtError *error);

/* Are these the same answer: the same kind and value, floats bit by bit, or two floats that the
 * model's compiler has joined: no further apart than both of these (0: none are). */
typedef struct CheckJoin {
    double absolute, relative;
} CheckJoin;
bool check_same(Atom expected, Atom found, CheckJoin joined);
/* What the model's file says of joined floats. */
CheckJoin check_join(const Model *model);

#endif
