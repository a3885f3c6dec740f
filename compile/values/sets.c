#include "compile/values/sets.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash_numbers(const uint32_t *number, size_t count) {
    uint64_t hash = 0x9e3779b97f4a7c15u + count;
    for (size_t k = 0; k < count; k++) {
        hash = (hash ^ number[k]) * 0xff51afd7ed558ccdu;
        hash ^= hash >> 32;
    }
    return hash;
}

/* --- sets ------------------------------------------------------------------------------- */

typedef struct SetList {
    const uint32_t *member;
    uint32_t count;
} SetList;

struct Sets {
    Arena *arena;
    SetList *list;
    size_t count, capacity;
    uint32_t *slots; /* id + 1 */
    size_t slot_count;
};

Sets *sets_new(Arena *arena) {
    Sets *sets = ARENA_NEW(arena, Sets);
    sets->arena = arena;
    sets->slot_count = 256;
    sets->slots = ARENA_ARRAY(arena, sets->slot_count, uint32_t);
    return sets;
}

static void enlarge(Sets *sets) {
    size_t count = sets->slot_count * 2;
    uint32_t *slots = ARENA_ARRAY(sets->arena, count, uint32_t);
    for (uint32_t id = 0; id < sets->count; id++) {
        const SetList *list = &sets->list[id];
        size_t at = hash_numbers(list->member, list->count) & (count - 1);
        while (slots[at]) at = (at + 1) & (count - 1);
        slots[at] = id + 1;
    }
    sets->slots = slots;
    sets->slot_count = count;
}

static int by_number(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static size_t sort_distinct(uint32_t *member, size_t count) {
    bool sorted = true;
    for (size_t k = 1; k < count && sorted; k++) sorted = member[k - 1] < member[k];
    if (sorted) return count;
    qsort(member, count, sizeof *member, by_number);
    size_t kept = 0;
    for (size_t k = 0; k < count; k++)
        if (k == 0 || member[k] != member[kept - 1]) member[kept++] = member[k];
    return kept;
}

SetId sets_add(Sets *sets, uint32_t *member, size_t count) {
    count = sort_distinct(member, count);
    if (sets->count * 2 >= sets->slot_count) enlarge(sets);
    size_t at = hash_numbers(member, count) & (sets->slot_count - 1);
    for (; sets->slots[at]; at = (at + 1) & (sets->slot_count - 1)) {
        const SetList *list = &sets->list[sets->slots[at] - 1];
        if (list->count == count &&
            (count == 0 || memcmp(list->member, member, count * sizeof *member) == 0))
            return sets->slots[at] - 1;
    }
    uint32_t *copy = ARENA_ARRAY(sets->arena, count, uint32_t);
    if (count) memcpy(copy, member, count * sizeof *copy);
    sets->list =
        arena_grow(sets->arena, sets->list, &sets->capacity, sets->count + 1, sizeof *sets->list);
    sets->list[sets->count] = (SetList){copy, (uint32_t)count};
    sets->slots[at] = (uint32_t)++sets->count;
    return (SetId)(sets->count - 1);
}

const uint32_t *sets_get(const Sets *sets, SetId id, uint32_t *count) {
    *count = sets->list[id].count;
    return sets->list[id].member;
}

/* --- tuples ----------------------------------------------------------------------------- */

struct TupleMap {
    Arena *arena;
    uint32_t width, count;
    uint32_t *keys, *value;
    size_t key_capacity, value_capacity;
    uint32_t *slots;
    size_t slot_count;
};

TupleMap *tuple_map_new(Arena *arena, uint32_t width) {
    TupleMap *map = ARENA_NEW(arena, TupleMap);
    map->arena = arena;
    map->width = width;
    map->slot_count = 64;
    map->slots = ARENA_ARRAY(arena, map->slot_count, uint32_t);
    return map;
}

const uint32_t *tuple_map_key(const TupleMap *map, uint32_t k) {
    return map->keys ? map->keys + (size_t)k * map->width : NULL;
}
uint32_t tuple_map_count(const TupleMap *map) {
    return map->count;
}

static void enlarge_map(TupleMap *map) {
    size_t count = map->slot_count * 2;
    uint32_t *slots = ARENA_ARRAY(map->arena, count, uint32_t);
    for (uint32_t k = 0; k < map->count; k++) {
        size_t at = hash_numbers(tuple_map_key(map, k), map->width) & (count - 1);
        while (slots[at]) at = (at + 1) & (count - 1);
        slots[at] = k + 1;
    }
    map->slots = slots;
    map->slot_count = count;
}

uint32_t *tuple_map_at(TupleMap *map, const uint32_t *tuple, bool *found) {
    size_t bytes = map->width * sizeof *tuple;
    if ((size_t)map->count * 2 >= map->slot_count) enlarge_map(map);
    size_t at = hash_numbers(tuple, map->width) & (map->slot_count - 1);
    for (; map->slots[at]; at = (at + 1) & (map->slot_count - 1)) {
        uint32_t k = map->slots[at] - 1;
        if (bytes == 0 || memcmp(tuple_map_key(map, k), tuple, bytes) == 0) {
            *found = true;
            return &map->value[k];
        }
    }
    *found = false;
    map->keys = arena_grow(map->arena, map->keys, &map->key_capacity,
                           ((size_t)map->count + 1) * map->width, sizeof *map->keys);
    map->value = arena_grow(map->arena, map->value, &map->value_capacity, (size_t)map->count + 1,
                            sizeof *map->value);
    if (bytes) memcpy(map->keys + (size_t)map->count * map->width, tuple, bytes);
    map->slots[at] = ++map->count;
    return &map->value[map->count - 1];
}
