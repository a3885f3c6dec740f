/* cross.h: counting points in rectangles, offline: two order comparisons at once.
 *
 * Members lie at positions 0 … members - 1, each with a rank in another order; a row wants
 * those of positions low … high - 1 whose rank is from … to - 1.  The difference of two
 * dominance counts, each taken bit by bit of the rank, highest first, as in a wavelet tree:
 * one pass a bit over all members and rows, in linear memory, and each pass in parallel over
 * the rows (an offline sweep with a Fenwick tree has the same n log n, but is one dependent
 * chain).
 */
#ifndef RASP_INTERP_CROSS_H
#define RASP_INTERP_CROSS_H

#include "interp/term.h"

void cross_add(const Term *term, const Totals *totals, Arena *arena, int threads);

#endif
