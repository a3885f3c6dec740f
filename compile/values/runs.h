/* runs.h: values by running every input, for domains of few inputs (instances.h).
 *
 * Of each node there is its value at every cell, computed as the interpreter computes it: the
 * same operators on the same atoms, means of exact sums rounded once.  An input on which the node
 * or one below it fails is left out, all of it.  So sets, joint values and what is said of
 * selectors are exact: what occurs on some input, nothing else.
 *
 * Cells at which the sources have the same values are one block (partition.h), so an operator is
 * applied once a block, and joint values are asked of blocks, not of cells.
 *
 * One thing is not left out: an input on which strings stand beside numbers in a sequence.  The
 * interpreter has no answer there, but safe nodes of partial programs have (compile/flags.h).
 */
#ifndef RASP_COMPILE_VALUES_RUNS_H
#define RASP_COMPILE_VALUES_RUNS_H

#include "compile/values/partition.h"
#include "compile/values/values_private.h"

/* A node on all inputs. */
struct Run {
    Partition *cells;        /* in no block: no value on that input */
    const uint32_t *variant; /* by block */
    bool fails;              /* itself, on an input on which its arguments do not */
    bool mixes;              /* strings stand beside numbers on some input */
    bool moves;              /* aggregates: all values that a row selects are equal */
};

/* A selector on all inputs. */
struct RunRows {
    const uint64_t *row; /* by cell of the query: bit j says that position j is selected */
    const bool *absent;  /* by input: not there */
    bool fails;
    SelectorFacts facts;
};

struct Runs {
    const Instances *instances;
    Partitions *partitions;
};

Runs *runs_new(const Instances *instances, Arena *arena);

static inline uint32_t run_variant(const Run *run, uint32_t cell) {
    uint32_t block = run->cells->block[cell];
    return block == NO_BLOCK ? NO_BLOCK : run->variant[block];
}
static inline bool run_present(const Run *run, uint32_t cell) {
    return run->cells->block[cell] != NO_BLOCK;
}
/* A variant of the node's as the atom that it is. */
Atom run_atom(Values *values, NodeId node, uint32_t variant);
/* The variant of a value of the node's, a level added if new; NO_BLOCK: there are too many. */
uint32_t run_level(Values *values, NodeId node, Atom value);

/* Sets entry->run and the node's sets; its arguments' runs are there. */
bool runs_elementwise(Values *values, NodeId id, const NodeId *args, uint32_t arg_count,
                      Entry *entry);
bool runs_source(Values *values, NodeId id, Entry *entry);
/* With a code of each cell: its variant. */
bool runs_keep(Values *values, NodeId id, Entry *entry, uint32_t *code, Run run);

/* NULL: keys or queries have too many values. */
const RunRows *runs_selector(Values *values, NodeId selector);

bool runs_rows(Values *values, const RowsRequest *request, Rows *rows);

/* Marks [key levels, query levels] that stand in one input. */
void runs_meet(Values *values, NodeId key, NodeId query, unsigned char *meet);

/* Those inputs alone on which the s-op is true everywhere; NULL: nobody can say. */
const Instances *runs_where(Values *values, NodeId where, Arena *arena);

#endif
