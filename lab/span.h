/* span.h: the space that the columns of a matrix span. */
#ifndef RASP_LAB_SPAN_H
#define RASP_LAB_SPAN_H

#include "lab/matrix.h"

/* An orthonormal basis of it, [rows, rank]: Gram-Schmidt, each column twice, the one with the most
 * left first. Columns are taken at unit length, so that small ones count like large ones; those
 * below 1e-12 of the longest are rounding, and so is what is left of one below `tolerance`. */
Matrix span_of(Arena *arena, Matrix m, double tolerance);

/* Side by side; both have as many rows. */
Matrix span_join(Arena *arena, Matrix a, Matrix b);

#endif
