/* One comparison, asked of sets of keys: can it hold, must it? */
#include "compile/values/numbers.h"
#include "compile/values/values_count.h"

#include <math.h>
#include <string.h>

struct KeySets {
    Values *values;
    OpId op;
    NodeId key, query;
    const uint32_t *of; /* by context */
    const SetId *set;   /* by number */
    double *low, *high; /* by number, of the keys */
    bool ordered;       /* all keys and queries are numbers that doubles hold */
};

static bool all_ordered(const NodeValues *v) {
    for (uint32_t k = 0; k < v->count; k++)
        if (!number_is_exact(v->levels[k])) return false;
    return true;
}

/* Sets of which a query with one value makes the same are one: that of the first of them. */
static void join_alike(KeySets *s, uint32_t *of, uint32_t count, Arena *arena) {
    enum { ALIKE = 5 }; /* can and must, or empty */
    uint32_t first[ALIKE], *joined = ARENA_ARRAY(arena, count, uint32_t);
    memset(first, 0xff, sizeof first);
    for (uint32_t k = 0; k < count; k++) {
        Chance chance = key_sets_chance(s, k, 0);
        uint32_t *to = &first[key_sets_empty(s, k) ? ALIKE - 1 : chance.can + 2 * chance.must];
        joined[k] = *to = *to < k ? *to : k;
    }
    for (uint32_t at = 0; at < domain_contexts(s->values->domain); at++) of[at] = joined[of[at]];
}

static void find_ends(KeySets *s, const NodeValues *key, uint32_t sets, Arena *arena) {
    s->low = ARENA_ARRAY(arena, sets, double);
    s->high = ARENA_ARRAY(arena, sets, double);
    for (uint32_t k = 0; k < sets; k++) {
        uint32_t count;
        const uint32_t *member = sets_get(s->values->sets, s->set[k], &count);
        s->low[k] = INFINITY, s->high[k] = -INFINITY;
        for (uint32_t m = 0; m < count; m++) {
            s->low[k] = fmin(s->low[k], atom_double(key->levels[member[m]]));
            s->high[k] = fmax(s->high[k], atom_double(key->levels[member[m]]));
        }
    }
}

KeySets *key_sets_new(Values *values, NodeId select, Arena *arena) {
    const Node *node = graph_node(values->graph, select);
    KeySets *s = ARENA_NEW(arena, KeySets);
    *s = (KeySets){.values = values, .op = node->op, .key = node->arg[0], .query = node->arg[1]};
    const NodeValues *key = values_of(values, s->key), *query = values_of(values, s->query);
    uint32_t contexts = domain_contexts(values->domain);
    uint32_t *of = ARENA_ARRAY(arena, contexts, uint32_t);
    TupleMap *map = tuple_map_new(arena, 1);
    for (uint32_t at = 0; at < contexts; at++) {
        bool found;
        uint32_t *number = tuple_map_at(map, &key->sets[at], &found);
        if (!found) *number = tuple_map_count(map) - 1;
        of[at] = *number;
    }
    s->of = of;
    s->set = tuple_map_key(map, 0);
    s->ordered = all_ordered(key) && all_ordered(query);
    if (s->ordered) find_ends(s, key, tuple_map_count(map), arena);
    if (query->count == 1) join_alike(s, of, tuple_map_count(map), arena);
    return s;
}

bool key_sets_empty(const KeySets *s, uint32_t number) {
    uint32_t count;
    (void)sets_get(s->values->sets, s->set[number], &count);
    return count == 0;
}

bool key_sets_comparable(const KeySets *s) {
    return s->ordered || (ops[s->op].flags & OP_TOTAL);
}

uint32_t key_sets_at(const KeySets *sets, uint32_t context) {
    return sets->of[context];
}

/* Each key on its own.  Comparisons that fail belong to no input of the domain. */
static Chance chance_by_members(const KeySets *s, uint32_t number, Atom query) {
    const Atom *levels = s->values->entry[s->key]->levels;
    uint32_t count;
    const uint32_t *member = sets_get(s->values->sets, s->set[number], &count);
    Chance chance = {false, true};
    for (uint32_t k = 0; k < count; k++) {
        Atom key = levels[member[k]];
        if (!(ops[s->op].flags & OP_TOTAL) && !atom_comparable(key, query)) continue;
        bool holds = op_compare(s->op, key, query);
        chance.can |= holds;
        chance.must &= holds;
    }
    if (!chance.can) chance.must = false;
    return chance;
}

/* Is the query's value among the keys; is it all of them? */
static Chance chance_of_equality(const KeySets *s, uint32_t number, Atom query) {
    const Entry *key = s->values->entry[s->key];
    uint32_t level = entry_find(s->values, s->key, query), count;
    bool in = level != UINT32_MAX && atom_equal(key->levels[level], query) &&
              sets_contain(s->values->sets, s->set[number], level);
    (void)sets_get(s->values->sets, s->set[number], &count);
    if (s->op == OP_EQ) return (Chance){in, in && count == 1};
    return (Chance){count > in, count > 0 && !in};
}

/* Of numbers, by the least and the greatest key. */
static Chance chance_by_range(const KeySets *s, uint32_t number, double query) {
    Atom low = atom_float(s->low[number]), high = atom_float(s->high[number]);
    if (s->low[number] > s->high[number]) return (Chance){false, false};
    bool at_low = op_compare(s->op, low, atom_float(query));
    bool at_high = op_compare(s->op, high, atom_float(query));
    return (Chance){at_low || at_high, at_low && at_high};
}

Chance key_sets_chance(KeySets *s, uint32_t number, uint32_t query_level) {
    Atom query = s->values->entry[s->query]->levels[query_level];
    if (s->op == OP_EQ || s->op == OP_NE) return chance_of_equality(s, number, query);
    if (s->ordered) return chance_by_range(s, number, atom_double(query));
    return chance_by_members(s, number, query);
}
