/* bias.h: what position adds to scores: log r of a prior r over keys.
 *
 * Distances are i − j ≥ 0 of a query i and a key j at or before it. */
#ifndef RASP_LAB_BIAS_H
#define RASP_LAB_BIAS_H

#include <stddef.h>

/* ALiBi (arXiv:2108.12409): −slope · distance; the slopes are 2^(−8h/H) for heads h = 1 .. H, H a
 * power of two. */
double alibi_slope(unsigned head, unsigned heads);
double alibi_bias(double slope, size_t distance);

/* T5 (arXiv:1910.10683): the bucket of a distance, 0 to 31; each has a learned bias. Distances
 * below 16 have their own, larger ones share, logarithmically, up to 128. */
enum { T5_BUCKETS = 32 };
unsigned t5_bucket(size_t distance);

/* A window of w keys, the query's own included: 0 inside, −∞ outside. */
double window_bias(size_t w, size_t distance);

#endif
