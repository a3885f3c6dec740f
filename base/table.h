/* table.h: an index from hashes to the numbers of entries that are kept elsewhere.
 *
 * Open addressing; a slot holds an entry's number + 1, 0 if it is free:
 *
 *     slots    0   3   0   0   1   2   0   0        size 8, a power of two
 *                  |           |   |
 *     entries  [0] ----------- 4   |                entry 0 in the slot of its hash,
 *              [1] --------------- 5                entry 1 behind one with the same slot
 *              [2] 1
 *
 * What entries are and when two are equal is the caller's; so the search is a loop of its own,
 * without a call for each step:
 *
 *     size_t at = table_start(&table, hash);
 *     for (uint32_t k; (k = table_entry(&table, at)) != TABLE_NONE; at = table_next(&table, at))
 *         if (the entry k is the one) return k;
 *     entries[count] = new;
 *     table_put(&table, at, count++);
 *
 * At most half of the slots are taken: check table_full before the search for an entry that may
 * be added.
 */
#ifndef RASP_BASE_TABLE_H
#define RASP_BASE_TABLE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* The slots may also be memory of the caller: table_size(count) of them, zeroed. */
typedef struct Table {
    uint32_t *slots;
    size_t size;
} Table;

#define TABLE_NONE UINT32_MAX

/* The hash of an entry that is there; asked for when the table grows. */
typedef uint64_t TableHash(const void *entries, uint32_t entry);

/* Slots for so many entries. */
static inline size_t table_size(size_t count) {
    size_t size = 4;
    while (size < 2 * count) size *= 2;
    return size;
}

/* Empty, with room for `count` entries.  The slots are a block of the arena. */
Table table_new(Arena *arena, size_t count);
void table_free(Table *table, Arena *arena);

static inline bool table_full(const Table *table, size_t count) {
    return 2 * count >= table->size;
}
/* Holds the entries 0 to count - 1 and no other; there is room for them. */
void table_fill(Table *table, size_t count, TableHash *hash, const void *entries);
/* Twice the size, or the first slots; holds the entries 0 to count - 1 again. */
void table_grow(Table *table, Arena *arena, size_t count, TableHash *hash, const void *entries);

static inline size_t table_start(const Table *table, uint64_t hash) {
    return hash & (table->size - 1);
}
static inline size_t table_next(const Table *table, size_t at) {
    return (at + 1) & (table->size - 1);
}
static inline uint32_t table_entry(const Table *table, size_t at) {
    return table->slots[at] - 1; /* 0 gives TABLE_NONE */
}
static inline void table_put(Table *table, size_t at, size_t entry) {
    table->slots[at] = (uint32_t)entry + 1;
}

#endif
