/* radix.h: sorting by integers, in time linear in the length.  All sorts are stable; all
 * positions are 32-bit. */
#ifndef RASP_INTERP_EXEC_RADIX_H
#define RASP_INTERP_EXEC_RADIX_H

#include "base/arena.h"

#include <stdint.h>

typedef struct RadixItem {
    uint64_t value;
    uint32_t index;
} RadixItem;

/* Sorts by value; bytes in which all values agree cost nothing. */
void radix_sort(RadixItem *items, size_t count, Arena *arena);

/* Where a key has no place in an order (a NaN, or a key that a term leaves out). */
#define RANK_NONE UINT32_MAX

/* order: the members of `from` (0 … count - 1 if NULL) by rank, without those of rank
 * RANK_NONE; start[r] is where rank r begins, start[ranks] the number of members.
 * start: [ranks + 1], order: [count].  rank: by member, NULL: a member is its own rank. */
void counting_sort(const uint32_t *rank, uint32_t ranks, const uint32_t *from, size_t count,
                   uint32_t *start, uint32_t *order);

/* Sorts pointers-free indices by a caller's order, merging: order[0 … count) ascending. */
typedef int MergeCompare(const void *context, uint32_t a, uint32_t b);
void merge_sort(uint32_t *order, size_t count, MergeCompare *compare, const void *context,
                Arena *arena);

#endif
