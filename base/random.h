/* random.h: random numbers that are the same in every run and on every machine: splitmix64
 * (Steele, Lea, Flood 2014). */
#ifndef RASP_BASE_RANDOM_H
#define RASP_BASE_RANDOM_H

#include <stdint.h>

typedef struct Random {
    uint64_t state; /* any number: the seed */
} Random;

/* Spreads what two numbers differ in over all bits; for hashes too. */
static inline uint64_t random_mix(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static inline uint64_t random_bits(Random *random) {
    return random_mix(random->state += 0x9e3779b97f4a7c15u);
}

/* Below `bound`, which is small against 2^64. */
static inline uint64_t random_below(Random *random, uint64_t bound) {
    return random_bits(random) % bound;
}

#endif
