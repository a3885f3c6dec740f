/* exec.h: runs nodes of a graph on one input, with averaging hard attention.
 *
 * An Exec belongs to one graph and one input and remembers what it has computed, so asking
 * for a node costs only what is new.  The graph may grow while an Exec lives (the REPL tries
 * every new s-op on its example).  Selectors are planned, never materialised (plan.h), except
 * by exec_matrix.
 *
 * The mean is defined without an order: the true mean of the selected values, rounded once
 * to double.  Where infinities are among them it is the infinity, or NaN if both are or if a
 * NaN is (sum.h).
 *
 * Give each Exec an arena of its own (one a run): an Exec with all it has made lives there
 * and dies with it, and after a stop of the budget (budget.h) freeing the arena is all there
 * is to do.  An Exec may also be used on after a stop: what it had computed is kept.
 */
#ifndef RASP_INTERP_EXEC_EXEC_H
#define RASP_INTERP_EXEC_EXEC_H

#include "graph/graph.h"
#include "interp/exec/column.h"

typedef struct Input {
    const Atom *tokens; /* NULL: strings */
    size_t length;      /* at least 1 */
    bool is_string;     /* written as a string: one token a code point */
    const Str *const *strings;
    /* 0, or several inputs one after the other, of so many tokens each, up to EXEC_SEGMENT_MAX
     * (plan auto only).  What is not the same whatever their number fails, without a fault: run
     * each by itself then. */
    size_t segment;
} Input;

enum { EXEC_SEGMENT_MAX = 64 };

/* How selectors are run.  All give the same, bit for bit; all but the first are for tests and
 * comparisons. */
typedef enum ExecPlan {
    EXEC_PLAN_AUTO,  /* whatever is quickest */
    EXEC_PLAN_NAIVE, /* the definition: every query against every key */
    EXEC_PLAN_TERMS, /* slices and counts (plan.h), or bits where there is no plan */
    EXEC_PLAN_BITS,  /* rows of bits (bitrows.h) */
} ExecPlan;

/* Told now and then, from the thread that called, how much of what was wanted is done: 0 to 1,
 * an estimate.  It may print; it must not use the Exec. */
typedef void ExecProgress(void *context, double done);

typedef struct ExecOptions {
    ExecPlan plan;
    bool keep;              /* keep every column (REPL); else free a column after its last reader */
    bool stats;             /* record what exec_stats gives */
    int threads;            /* 0: as many as there are cores */
    ExecProgress *progress; /* NULL: nobody wants to know */
    void *progress_context;
} ExecOptions;

typedef struct Exec Exec;

/* Positions are 32-bit numbers inside plans.  A longer input is refused like one that needs
 * too much memory. */
enum { EXEC_MAX_LENGTH = INT32_MAX - 1 };

/* The input's atoms must outlive the Exec.  Charged to the budget of `arena`. */
Exec *exec_new(const Graph *graph, const Input *input, ExecOptions options, Arena *arena);
const Input *exec_input(const Exec *exec);
/* Gives back the long columns at once; the rest goes with the arena. */
void exec_free(Exec *exec);

/* Without `keep`: says which nodes will be asked for, so that columns can be freed after
 * their last reader.  Call before exec_column. */
void exec_want(Exec *exec, const NodeId *nodes, size_t count);

/* The column of an s-op (valid until exec_free), or NULL and the fault: with the span of the
 * node that failed, its arguments filled in (texts in the Exec's arena).  Of several inputs it may
 * also be NULL with FAULT_NONE. */
const Column *exec_column(Exec *exec, NodeId node, Fault *fault);

/* Checks a selector as exec_column would (types of what it compares), computing its keys
 * and queries. */
bool exec_check_selector(Exec *exec, NodeId node, Fault *fault);

/* The selector's table, for showing: cell [i * length + j] says whether query row i selects
 * key column j.  An arena block of the Exec.  NULL and the fault on error. */
const bool *exec_matrix(Exec *exec, NodeId node, Fault *fault);

/* What happened, for `rasp run --stats`: one row a computed s-op, in the order of computing
 * (only with options.stats). */
typedef struct ExecStat {
    NodeId node;
    const char *plan; /* "elementwise", "hash groups", "prefix sums", … */
    size_t rows;      /* computed; equal ones are computed once */
    double seconds;
    size_t bytes; /* of its column */
} ExecStat;
const ExecStat *exec_stats(const Exec *exec, size_t *count);

#endif
