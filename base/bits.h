/* bits.h: counting bits. */
#ifndef RASP_BASE_BITS_H
#define RASP_BASE_BITS_H

#include <stdint.h>

/* The place of the highest 1, from 1; 0 for 0. */
static inline int bit_length(uint64_t x) {
    return x ? 64 - __builtin_clzll(x) : 0;
}

#endif
