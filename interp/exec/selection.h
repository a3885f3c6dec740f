/* selection.h: a selector made ready on one input, shared by all that read it.
 *
 * For each row it knows how many keys are selected and, where it is one, which; sums of a
 * values column are computed on demand.  Three ways to get there: a word of bits a row for
 * short inputs, the terms of a plan (plan.h, term.h), or blocks of bit rows (bitrows.h). */
#ifndef RASP_INTERP_EXEC_SELECTION_H
#define RASP_INTERP_EXEC_SELECTION_H

#include "interp/exec/bitrows.h"
#include "interp/exec/exec_run.h"
#include "interp/exec/term.h"

typedef struct Selection {
    size_t rows;           /* the input's length, or 1 when all rows are alike */
    uint32_t *count;       /* [rows] */
    uint32_t *position;    /* [rows], right where the count is 1; NULL until asked for */
    const uint64_t *words; /* [rows], short inputs: a bit for each key */
    Term *term;
    size_t term_count;
    BitRows *bits;
    const char *plan;
    bool counted; /* positions and sums cannot be asked for */
} Selection;

/* The selector must be checked.  Kept in its slot until it has no reader any more.  Where the slot
 * says that nobody asks for more than counts, they are all there is. */
Selection *selection_get(Exec *exec, NodeId selector);
void selection_free(Exec *exec, Selection *selection); /* NULL is fine */

const uint32_t *selection_positions(Exec *exec, Selection *selection);

/* sum: [rows][scale->words], set for rows that select more than one key. */
uint64_t *selection_sums(Exec *exec, const Selection *selection, const SumScale *scale,
                         const Column *values);

/* Short inputs: a word for each row, from those of the arguments. */
enum { SHORT_LENGTH = EXEC_SEGMENT_MAX };
uint64_t *short_words(Exec *exec, const Node *node);

/* The words of a comparison whose outcomes are those of small numbers (`mask`: for which it holds);
 * false: they are not, and nothing is written. */
bool bytes_select(Exec *exec, unsigned mask, const Column *keys, const Column *queries,
                  uint64_t *words);

#endif
