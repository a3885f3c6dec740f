/* cross.h: counting points in rectangles, offline: two order comparisons at once.
 *
 * Members of a term lie at positions 0 … members - 1, each with a rank in another order; a
 * row wants those of positions low … high - 1 whose rank is from … to - 1: the difference of
 * two dominance counts.  One of these, for all rows together, goes by the bits of the ranks,
 * highest first, as a search in a wavelet tree does: points and rows are both split by the
 * bit, so that each half is a smaller problem of the same kind, in adjoining memory.
 * n log n time in linear memory, and the halves are independent: they run in parallel.  (A
 * sweep with a Fenwick tree has the same bound, but is one chain of scattered reads.)
 */
#ifndef RASP_INTERP_EXEC_CROSS_H
#define RASP_INTERP_EXEC_CROSS_H

#include "interp/exec/term.h"

void cross_add(const Term *term, const Totals *totals, Arena *arena, int threads);

#endif
