/* term.h: one term of a plan on one input: for each query row the keys it selects.
 *
 * The keys that can be selected are put in an order in which every row's are one slice:
 * grouped by the keys of the term's equalities, inside a group by the key of its order
 * comparisons.
 *
 *     select(tokens, tokens, ==) and select(indices, indices, <)     on "abcab"
 *
 *     order      0  3 | 1  4 | 2          groups a, b, c; inside by index
 *     row 3      [    )                   low 0, high 1: position 0
 *
 * A second key in order comparisons cuts across the slice (cross.h).  Building takes linear
 * time, and a binary search a row where there are both groups and an order.
 */
#ifndef RASP_INTERP_EXEC_TERM_H
#define RASP_INTERP_EXEC_TERM_H

#include "interp/exec/key.h"
#include "interp/exec/plan.h"
#include "interp/exec/sum.h"

/* A plan's variables on one input. */
typedef struct TermSource {
    const Plan *plan;
    size_t length;
    size_t rows; /* length, or 1 if no variable depends on the query: all rows are alike */
    const Column *keys[PLAN_MAX_VARIABLES];    /* pairs */
    const KeyIndex *index[PLAN_MAX_VARIABLES]; /* pairs; the same for the same column */
    uint32_t *codes[PLAN_MAX_VARIABLES];       /* pairs: [length], queries in the index */
    bool *holds[PLAN_MAX_VARIABLES];           /* predicates: [length] */
    int threads;
} TermSource;

typedef struct Term {
    int weight;
    size_t rows;
    size_t members;       /* keys in the order */
    uint32_t *order;      /* [members]; NULL: 0, 1, 2, … */
    uint32_t *low, *high; /* [rows]: the slice, low <= high */
    /* A second key in order comparisons, or NULL: */
    uint32_t *cross; /* [members]: ranks in that key, in this term's order */
    uint32_t cross_ranks;
    uint32_t *from, *to; /* [rows]: the ranks from … to - 1; from NULL: 0 */
    int cross_weight;    /* of those members; */
    bool whole;          /* and the whole slice by `weight` (`key > query` as all but the rest) */
    const char *plan;    /* for exec_stats */
} Term;

Term term_build(const TermSource *source, const PlanTerm *plan, Arena *arena);
void term_free(Term *term, Arena *arena);

/* What rows select, added up over terms.  Unsigned numbers wrap, and end right. */
typedef struct Totals {
    uint32_t *count;    /* [rows], or NULL: not wanted */
    uint32_t *position; /* [rows]: sum of the selected positions, or NULL */
    uint64_t *sum;      /* [rows][scale->words]: sum of the selected values, or NULL */
    const SumScale *scale;
    const uint64_t *load; /* [keys][scale->words]: the values, sum_load_column */
    const uint32_t *only; /* sums only for rows where this count exceeds 1 */
} Totals;

void term_add(const Term *term, const Totals *totals, Arena *arena, int threads);

#endif
