/* sets.h: sets of small numbers; equal sets have equal ids.
 *
 * They are kept as trees (set_trees.h); a list of the members is made when somebody asks for it.
 */
#ifndef RASP_COMPILE_VALUES_SETS_H
#define RASP_COMPILE_VALUES_SETS_H

#include "compile/values/set_trees.h"

typedef uint32_t SetId;

typedef struct Sets Sets;

Sets *sets_new(Arena *arena);
/* Sorts `member` in place, drops repetitions, and returns the set's id. */
SetId sets_add(Sets *sets, uint32_t *member, size_t count);
/* The members, ascending; kept for good, and so is better not asked for of very many sets. */
const uint32_t *sets_get(Sets *sets, SetId id, uint32_t *count);

uint32_t sets_count(const Sets *sets, SetId id);
/* Is every member of `a` one of `b`? */
bool sets_within(const Sets *sets, SetId a, SetId b);
/* How many are members of both? */
uint32_t sets_common(const Sets *sets, SetId a, SetId b);
/* The members of `a` that `b` lacks, ascending; returns how many. */
uint32_t sets_minus(const Sets *sets, SetId a, SetId b, uint32_t *member);
/* Are its members the numbers from the first to the last, one at least?  Those it gives of any set
 * that has members. */
bool sets_run(const Sets *sets, SetId set, uint32_t *first, uint32_t *last);
bool sets_contain(const Sets *sets, SetId set, uint32_t member);
SetId sets_union(Sets *sets, const SetId *set, uint32_t count);

/* A set in the making: the members of sets, and others in any order, as often as may be. */
typedef struct SetMaker {
    Sets *sets;
    Arena *arena; /* of what follows */
    SetTree base;
    uint64_t *word; /* bits of others */
    size_t words;
    SetWord *touched; /* which of them are in use */
    size_t touched_count, touched_capacity;
} SetMaker;

void set_maker_touch(SetMaker *maker, uint32_t word);
static inline void set_maker_add(SetMaker *maker, uint32_t member) {
    uint32_t word = member / 64;
    if (word >= maker->words || !maker->word[word]) set_maker_touch(maker, word);
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
