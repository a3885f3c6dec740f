#include "lab/rng.h"

#include "base/random.h"

#include <math.h>

Rng rng_new(uint64_t seed, uint64_t stream) {
    Random fill = {.state = random_mix(seed) ^ stream};
    Rng rng = {.has_spare = false};
    for (int k = 0; k < 4; k++) rng.s[k] = random_bits(&fill);
    return rng;
}

static uint64_t rotate(uint64_t x, int by) {
    return (x << by) | (x >> (64 - by));
}

uint64_t rng_bits(Rng *rng) {
    uint64_t *s = rng->s, result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

uint64_t rng_below(Rng *rng, uint64_t bound) {
    uint64_t least = -bound % bound, bits; /* 2^64 mod bound: so many too many */
    do bits = rng_bits(rng);
    while (bits < least);
    return bits % bound;
}

double rng_unit(Rng *rng) {
    return (double)(rng_bits(rng) >> 11) * 0x1p-53;
}

double rng_between(Rng *rng, double low, double high) {
    return low + (high - low) * rng_unit(rng);
}

/* ln x for 0 < x < 1. With x = m 2^e and √½ ≤ m < √2, ln m = 2 artanh t, t = (m−1)/(m+1), |t| <
 * 0.172: fourteen terms of the series reach a double's precision. Compiled without fused
 * multiply-adds (Makefile). */
static double portable_log(double x) {
    int e;
    double m = frexp(x, &e);
    if (m < 0.70710678118654752) m *= 2, e--;
    double t = (m - 1) / (m + 1), square = t * t, sum = 0;
    for (int k = 27; k >= 1; k -= 2) sum = sum * square + 1.0 / k;
    return e * 0.69314718055994531 + 2 * t * sum;
}

double rng_normal(Rng *rng) {
    if (rng->has_spare) {
        rng->has_spare = false;
        return rng->spare;
    }
    double x, y, r;
    do {
        x = 2 * rng_unit(rng) - 1;
        y = 2 * rng_unit(rng) - 1;
        r = x * x + y * y;
    } while (r >= 1 || r == 0);
    double scale = sqrt(-2 * portable_log(r) / r);
    rng->spare = y * scale;
    rng->has_spare = true;
    return x * scale;
}

void rng_normals(Rng *rng, double *x, size_t count, double scale) {
    for (size_t k = 0; k < count; k++) x[k] = scale * rng_normal(rng);
}

void rng_permutation(Rng *rng, size_t *order, size_t n) {
    for (size_t k = 0; k < n; k++) order[k] = k;
    for (size_t k = n; k > 1; k--) {
        size_t other = (size_t)rng_below(rng, k), last = order[k - 1];
        order[k - 1] = order[other];
        order[other] = last;
    }
}
