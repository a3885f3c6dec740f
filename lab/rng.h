/* rng.h: random numbers of the lab: xoshiro256** (Blackman and Vigna 2018), its state filled by
 * splitmix64 (base/random.h).
 *
 * The same on every machine, normals included: they need a logarithm, which is computed here from
 * additions, multiplications and divisions alone, since those of two C libraries differ in their
 * last bits. An item's generator is made from the seed and the item's number, so an item run alone
 * draws what it draws among others. */
#ifndef RASP_LAB_RNG_H
#define RASP_LAB_RNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Rng {
    uint64_t s[4];
    double spare; /* the second normal of a pair */
    bool has_spare;
} Rng;

/* `stream` tells generators of one seed apart. */
Rng rng_new(uint64_t seed, uint64_t stream);

uint64_t rng_bits(Rng *rng);
/* Uniform below `bound` ≥ 1, without bias. */
uint64_t rng_below(Rng *rng, uint64_t bound);
/* Uniform in [0, 1), a multiple of 2^-53; in [low, high). */
double rng_unit(Rng *rng);
double rng_between(Rng *rng, double low, double high);
/* Standard normal: Marsaglia's polar method. */
double rng_normal(Rng *rng);
void rng_normals(Rng *rng, double *x, size_t count, double scale);
/* The numbers 0 .. n−1 in random order. */
void rng_permutation(Rng *rng, size_t *order, size_t n);

#endif
