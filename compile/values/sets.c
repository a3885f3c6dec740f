#include "compile/values/sets.h"

#include "base/table.h"

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
    Table table; /* over list, by hash_numbers */
};

Sets *sets_new(Arena *arena) {
    Sets *sets = ARENA_NEW(arena, Sets);
    sets->arena = arena;
    sets->table = table_new(arena, 128);
    return sets;
}

static uint64_t hash_list(const void *lists, uint32_t id) {
    const SetList *list = (const SetList *)lists + id;
    return hash_numbers(list->member, list->count);
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
    Table *table = &sets->table;
    if (table_full(table, sets->count))
        table_grow(table, sets->arena, sets->count, hash_list, sets->list);
    size_t at = table_start(table, hash_numbers(member, count));
    for (SetId id; (id = table_entry(table, at)) != TABLE_NONE; at = table_next(table, at)) {
        const SetList *list = &sets->list[id];
        if (list->count == count &&
            (count == 0 || memcmp(list->member, member, count * sizeof *member) == 0))
            return id;
    }
    uint32_t *copy = ARENA_ARRAY(sets->arena, count, uint32_t);
    if (count) memcpy(copy, member, count * sizeof *copy);
    sets->list =
        arena_grow(sets->arena, sets->list, &sets->capacity, sets->count + 1, sizeof *sets->list);
    sets->list[sets->count] = (SetList){copy, (uint32_t)count};
    table_put(table, at, sets->count);
    return (SetId)sets->count++;
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
    Table table; /* over the keys, by hash_numbers */
};

TupleMap *tuple_map_new(Arena *arena, uint32_t width) {
    TupleMap *map = ARENA_NEW(arena, TupleMap);
    map->arena = arena;
    map->width = width;
    map->table = table_new(arena, 32);
    return map;
}

const uint32_t *tuple_map_key(const TupleMap *map, uint32_t k) {
    return map->keys ? map->keys + (size_t)k * map->width : NULL;
}
uint32_t tuple_map_count(const TupleMap *map) {
    return map->count;
}

static uint64_t hash_tuple(const void *map, uint32_t k) {
    return hash_numbers(tuple_map_key(map, k), ((const TupleMap *)map)->width);
}

uint32_t *tuple_map_at(TupleMap *map, const uint32_t *tuple, bool *found) {
    size_t bytes = map->width * sizeof *tuple;
    Table *table = &map->table;
    if (table_full(table, map->count)) table_grow(table, map->arena, map->count, hash_tuple, map);
    size_t at = table_start(table, hash_numbers(tuple, map->width));
    for (uint32_t k; (k = table_entry(table, at)) != TABLE_NONE; at = table_next(table, at)) {
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
    table_put(table, at, map->count);
    return &map->value[map->count++];
}
