/* sets.h: hash-consed sorted lists of small numbers; equal lists have equal ids. */
#ifndef RASP_COMPILE_VALUES_SETS_H
#define RASP_COMPILE_VALUES_SETS_H

#include "base/arena.h"

#include <stdint.h>

typedef uint32_t SetId;

typedef struct Sets Sets;

Sets *sets_new(Arena *arena);
/* Sorts `member` in place, drops repetitions, and returns the list's id. */
SetId sets_add(Sets *sets, uint32_t *member, size_t count);
const uint32_t *sets_get(const Sets *sets, SetId id, uint32_t *count);

/* Is every member of `a` one of `b`? */
bool sets_within(const Sets *sets, SetId a, SetId b);
/* Are its members the numbers from the first to the last, one at least? */
bool sets_run(const Sets *sets, SetId set, uint32_t *first, uint32_t *last);
bool sets_contain(const Sets *sets, SetId set, uint32_t member);
SetId sets_union(Sets *sets, const SetId *set, uint32_t count);

/* A set in the making, by bits: members in any order, as often as may be. */
typedef struct SetMaker {
    Sets *sets;
    Arena *arena; /* of the bits */
    uint64_t *word;
    size_t words;
    size_t low, high; /* the words in use: low to high - 1 */
} SetMaker;

void set_maker_reserve(SetMaker *maker, uint32_t member);
static inline void set_maker_add(SetMaker *maker, uint32_t member) {
    size_t word = member / 64;
    if (word < maker->low || word >= maker->high) set_maker_reserve(maker, member);
    maker->word[word] |= (uint64_t)1 << member % 64;
}
void set_maker_add_set(SetMaker *maker, SetId set);
/* The set; the maker is empty again. */
SetId set_maker_finish(SetMaker *maker);

/* A map from short tuples of numbers to a number, the memo of everything per context. */
typedef struct TupleMap TupleMap;
TupleMap *tuple_map_new(Arena *arena, uint32_t width);
/* The place for the tuple's value; *found says whether it was there. */
uint32_t *tuple_map_at(TupleMap *map, const uint32_t *tuple, bool *found);
uint32_t tuple_map_count(const TupleMap *map);
/* The k-th tuple in order of insertion. */
const uint32_t *tuple_map_key(const TupleMap *map, uint32_t k);

#endif
