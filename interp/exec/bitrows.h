/* bitrows.h: a selector run as rows of bits, for formulas that no plan expands: any formula
 * at all.
 *
 * Rows are taken 64 at a time.  For each key one word says which of the 64 rows select it:
 * a comparison's word is looked up by the key's rank in a table made for the block, and and,
 * or, not are operations on words.  So n positions cost n²/64 words of work, and linear
 * memory.  Rows with the same queries are computed once.  Blocks run in parallel.
 */
#ifndef RASP_INTERP_EXEC_BITROWS_H
#define RASP_INTERP_EXEC_BITROWS_H

#include "interp/exec/exec_run.h"
#include "interp/exec/term.h"

typedef struct BitRows BitRows;

/* The formula's columns and their indices must outlive it. */
BitRows *bitrows_new(Exec *exec, Formula *formula);
void bitrows_free(BitRows *rows, Arena *arena); /* NULL is fine */

/* Like term_add; a position is right where the count is 1, and no sum of positions else. */
void bitrows_add(Exec *exec, const BitRows *rows, const Totals *totals);

/* How many rows have different queries. */
size_t bitrows_classes(const BitRows *rows);

#endif
