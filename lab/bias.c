#include "lab/bias.h"

#include <math.h>

double alibi_slope(unsigned head, unsigned heads) {
    return exp2(-8.0 * head / heads);
}

double alibi_bias(double slope, size_t distance) {
    return -slope * (double)distance;
}

unsigned t5_bucket(size_t distance) {
    enum { EXACT = 16, FARTHEST = 128 };
    if (distance < EXACT) return (unsigned)distance;
    double share = log((double)distance / EXACT) / log((double)FARTHEST / EXACT);
    double bucket = EXACT + floor(share * (T5_BUCKETS - EXACT));
    return bucket < T5_BUCKETS ? (unsigned)bucket : T5_BUCKETS - 1;
}

double window_bias(size_t w, size_t distance) {
    return distance < w ? 0 : -INFINITY;
}
