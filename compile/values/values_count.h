/* values_count.h: how many keys a selector's rows select, at least and at most.
 *
 * A selector is a conjunction.  Conjuncts on positions alone give the keys of a row as stretches
 * of positions.  What the others can and must select is counted over *kinds* of key positions, for
 * each joint value of their queries once, as running totals: a row is a few differences of these
 * (tally.h).  A position's own key and query go together.
 */
#ifndef RASP_COMPILE_VALUES_VALUES_COUNT_H
#define RASP_COMPILE_VALUES_VALUES_COUNT_H

#include "compile/values/values_private.h"

/* By context; keys and queries are known.  0 … n where looking costs too much.  False and
 * values_error: the queries have too many joint values. */
bool values_count_keys(Values *values, NodeId selector, uint32_t *least, uint32_t *most);

/* The same of a comparison of `indices` with numbers; false: it is none (count_indices.c). */
bool values_count_indices(Values *values, NodeId selector, uint32_t *least, uint32_t *most);

/* The keys that a query can and must select among those of one set: what values_count rests on. */
typedef struct KeySets KeySets;
KeySets *key_sets_new(Values *values, NodeId select, Arena *arena);
/* The number of the key's set in a context; sets of which a query with one value makes the same
 * have one number. */
uint32_t key_sets_at(const KeySets *sets, uint32_t context);
bool key_sets_empty(const KeySets *sets, uint32_t number);
/* Can each key be compared with each query? */
bool key_sets_comparable(const KeySets *sets);
Chance key_sets_chance(KeySets *sets, uint32_t number, uint32_t query_level);

#endif
