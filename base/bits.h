/* bits.h: counting bits. */
#ifndef RASP_BASE_BITS_H
#define RASP_BASE_BITS_H

#include <stdint.h>

/* The place of the highest 1, from 1; 0 for 0. */
static inline int bit_length(uint64_t x) {
    return x ? 64 - __builtin_clzll(x) : 0;
}

/* The number of its 1s.  (What every processor can, not the builtin's table.) */
static inline uint32_t bit_count(uint64_t x) {
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (uint32_t)(x * 0x0101010101010101u >> 56);
}

/* The same of x < 65,536, by a table. */
static inline uint32_t bit_count_16(uint32_t x) {
#define BITS_2(n) n, n + 1, n + 1, n + 2
#define BITS_4(n) BITS_2(n), BITS_2(n + 1), BITS_2(n + 1), BITS_2(n + 2)
#define BITS_6(n) BITS_4(n), BITS_4(n + 1), BITS_4(n + 1), BITS_4(n + 2)
    static const uint8_t of_byte[256] = {BITS_6(0), BITS_6(1), BITS_6(1), BITS_6(2)};
#undef BITS_2
#undef BITS_4
#undef BITS_6
    return (uint32_t)of_byte[x & 255] + of_byte[x >> 8];
}

/* The place of the lowest 1, from 0; 0 for 0. */
static inline uint32_t bit_lowest(uint64_t x) {
    return x ? (uint32_t)__builtin_ctzll(x) : 0;
}

#endif
