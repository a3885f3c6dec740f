/* running.h: softmax attention of one query, block after block: (m, l, o), the largest score so
 * far, the sum of exp(score − m) and the sum of exp(score − m) · value.
 *
 * Merging is associative, so tiles, chunks of a prompt and single tokens of decoding are one
 * computation (Milakov and Gimelshein 2018; arXiv:2205.14135). Memory does not depend on how many
 * keys there are. */
#ifndef RASP_LAB_RUNNING_H
#define RASP_LAB_RUNNING_H

#include "lab/matrix.h"

typedef struct Running {
    double m, l;
    double *o; /* [c] */
    size_t c;
} Running;

Running running_new(Arena *arena, size_t c); /* of no keys */
void running_clear(Running *state);
/* Keys first .. first + count − 1 of scores and values[·, c]. */
void running_add(Running *state, const double *scores, Matrix values, size_t first, size_t count);
/* The keys of both. */
void running_merge(Running *state, const Running *other);
/* Σ weights · values: [c]. */
void running_read(const Running *state, double *out);

#endif
