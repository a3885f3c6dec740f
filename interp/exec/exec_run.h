/* exec_run.h: what the files of the executor (exec*.c) share; nobody else includes it. */
#ifndef RASP_INTERP_EXEC_EXEC_RUN_H
#define RASP_INTERP_EXEC_EXEC_RUN_H

#include "interp/exec/exec.h"
#include "interp/exec/formula.h"
#include "interp/exec/key.h"

struct Selection;

/* What is known of a node on this input. */
typedef struct Slot {
    Column *column;              /* s-ops, once computed */
    KeyIndex *index;             /* s-ops that have been keys; dies with the column */
    struct Selection *selection; /* selectors that have been read */
    uint64_t *words;             /* selectors of short inputs (selection.h) */
    uint32_t readers;            /* nodes that still wait for it, when exec_want has counted */
    uint32_t step;               /* scratch of formula_build */
    bool checked;                /* selectors: keys and queries are there and comparable */
    bool pinned;                 /* asked for: never freed */
    bool counted;                /* selectors: widths alone read it, when exec_want has counted */
} Slot;

struct Exec {
    const Graph *graph;
    Input input;
    ExecOptions options;
    Arena *arena;
    Slot *slots; /* by node id */
    size_t slot_capacity;
    NodeId *stack; /* nodes being computed, each above one that needs it */
    size_t stack_capacity;
    ExecStat *stats;
    size_t stat_count, stat_capacity;
    NodeId current;         /* the node being computed: */
    const char *plan;       /* in which way, */
    size_t rows;            /* over how many different rows; 0: as many as its column stores */
    double work, work_done; /* of the nodes wanted, for progress */
};

/* To be called often.  exec_progress also tells how far the current node is, 0 to 1. */
static inline void exec_poll(Exec *exec) {
    budget_poll(arena_budget(exec->arena));
}
void exec_progress(Exec *exec, double part);

static inline const Column *exec_ready(const Exec *exec, NodeId node) {
    return exec->slots[node].column;
}

/* Threads for a pass over the input: shorter ones are not worth starting any. */
enum { EXEC_THREADS_FROM = 1 << 16 };
static inline int exec_threads(const Exec *exec) {
    return exec->input.length < EXEC_THREADS_FROM ? 1 : exec->options.threads;
}

/* The column's index, made when first asked for. */
const KeyIndex *exec_key_index(Exec *exec, NodeId key, bool ordered);

enum { EXEC_POLL_EVERY = 1 << 16 }; /* positions between two polls in plain loops */

/* Each computes the column of a node whose arguments are there; NULL and the fault. */
Column *exec_tokens(Exec *exec, const Node *node, Fault *fault);
Column *exec_map(Exec *exec, const Node *node, Fault *fault); /* lookups too */
Column *exec_aggregate(Exec *exec, const Node *node, Fault *fault);
Column *exec_width(Exec *exec, const Node *node, Fault *fault);
Column *naive_aggregate(Exec *exec, const Node *node, Fault *fault);
Column *naive_width(Exec *exec, const Node *node);

/* An elementwise operator by a plain loop, not all arguments constant.  NULL: not that way. */
Column *exec_fast_map(Exec *exec, OpId op, const Column *const *args);

/* The written column, typed; a fault if it mixes strings and numbers. */
Column *exec_finish(Exec *exec, ColumnWriter *writer, const Node *node, Fault *fault);

/* Of an aggregate: row `row` selects several values that are no numbers. */
Fault exec_average_fault(Exec *exec, const Node *node, const Column *values, size_t row);
/* If the fault is of mixed types: they are so since row `row` selects nothing. */
void exec_explain_default(Exec *exec, const Node *node, const Column *values, size_t row,
                          Fault *fault);

#endif
