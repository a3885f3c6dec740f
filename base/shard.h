/* shard.h: the K-th of N pieces of a run whose items are in an order.
 *
 * Items are dealt out in blocks of a few, in turn, so that each piece has as many of the long ones
 * as the others, and any number of pieces makes the same whole. */
#ifndef RASP_BASE_SHARD_H
#define RASP_BASE_SHARD_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Shard {
    uint32_t number; /* from 0 */
    uint32_t of;     /* 0: the whole run is one piece */
} Shard;

static inline bool shard_has(Shard shard, uint64_t item, uint32_t block) {
    return shard.of == 0 || item / block % shard.of == shard.number;
}

#endif
