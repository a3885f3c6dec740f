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
    Table table;    /* over list, by hash_numbers */
    uint32_t *line; /* 0, 1, 2, …: what the members of consecutive numbers stand in */
    size_t line_count, line_capacity;
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

static bool is_run(const SetList *list) {
    return list->count && list->member[list->count - 1] - list->member[0] == list->count - 1;
}

/* Sorted members, kept; consecutive ones in the memory that all such lists share. */
static const uint32_t *keep_members(Sets *sets, const uint32_t *member, size_t count) {
    if (!is_run(&(SetList){member, (uint32_t)count})) {
        uint32_t *copy = ARENA_ARRAY(sets->arena, count, uint32_t);
        if (count) memcpy(copy, member, count * sizeof *copy);
        return copy;
    }
    size_t need = (size_t)member[count - 1] + 1;
    if (need > sets->line_count) {
        sets->line =
            arena_grow(sets->arena, sets->line, &sets->line_capacity, need, sizeof *sets->line);
        for (; sets->line_count < sets->line_capacity; sets->line_count++)
            sets->line[sets->line_count] = (uint32_t)sets->line_count;
    }
    return sets->line + member[0];
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
    const uint32_t *kept = keep_members(sets, member, count);
    sets->list =
        arena_grow(sets->arena, sets->list, &sets->capacity, sets->count + 1, sizeof *sets->list);
    sets->list[sets->count] = (SetList){kept, (uint32_t)count};
    table_put(table, at, sets->count);
    return (SetId)sets->count++;
}

const uint32_t *sets_get(const Sets *sets, SetId id, uint32_t *count) {
    *count = sets->list[id].count;
    return sets->list[id].member;
}

bool sets_within(const Sets *sets, SetId a, SetId b) {
    const SetList *x = &sets->list[a], *y = &sets->list[b];
    if (a == b || x->count == 0) return true;
    uint32_t least = x->member[0], most = x->member[x->count - 1];
    if (x->count > y->count || least < y->member[0] || most > y->member[y->count - 1]) return false;
    if (is_run(y)) return true;
    uint32_t k = 0;
    for (uint32_t m = 0; m < y->count && k < x->count; m++) k += x->member[k] == y->member[m];
    return k == x->count;
}

bool sets_run(const Sets *sets, SetId set, uint32_t *first, uint32_t *last) {
    const SetList *list = &sets->list[set];
    if (!is_run(list)) return false;
    *first = list->member[0];
    *last = list->member[list->count - 1];
    return true;
}

bool sets_contain(const Sets *sets, SetId set, uint32_t member) {
    const SetList *list = &sets->list[set];
    uint32_t low = 0, high = list->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (list->member[middle] < member)
            low = middle + 1;
        else
            high = middle;
    }
    return low < list->count && list->member[low] == member;
}

SetId sets_union(Sets *sets, const SetId *set, uint32_t count) {
    bool same = true;
    for (uint32_t k = 1; k < count && same; k++) same = set[k] == set[0];
    if (same && count) return set[0];
    Arena *scratch = arena_child(sets->arena);
    SetMaker maker = {.sets = sets, .arena = scratch};
    for (uint32_t k = 0; k < count; k++)
        if (k == 0 || set[k] != set[k - 1]) set_maker_add_set(&maker, set[k]);
    SetId all = set_maker_finish(&maker);
    arena_free(scratch);
    return all;
}

/* --- making ----------------------------------------------------------------------------- */

void set_maker_reserve(SetMaker *maker, uint32_t member) {
    size_t word = member / 64;
    maker->word =
        arena_grow(maker->arena, maker->word, &maker->words, word + 1, sizeof *maker->word);
    if (maker->low == maker->high) maker->low = maker->high = word;
    if (word < maker->low) maker->low = word;
    if (word >= maker->high) maker->high = word + 1;
}

void set_maker_add_set(SetMaker *maker, SetId set) {
    const SetList *list = &maker->sets->list[set];
    if (list->count == 0) return;
    uint32_t first = list->member[0], last = list->member[list->count - 1];
    set_maker_add(maker, first);
    set_maker_add(maker, last);
    if (!is_run(list)) {
        for (uint32_t k = 0; k < list->count; k++) set_maker_add(maker, list->member[k]);
        return;
    }
    uint64_t from = ~(uint64_t)0 << first % 64, to = ~(uint64_t)0 >> (63 - last % 64);
    for (size_t w = first / 64; w <= last / 64; w++)
        maker->word[w] |=
            (w == first / 64 ? from : ~(uint64_t)0) & (w == last / 64 ? to : ~(uint64_t)0);
}

SetId set_maker_finish(SetMaker *maker) {
    size_t total = 0, kept = 0;
    for (size_t w = maker->low; w < maker->high; w++)
        total += (size_t)__builtin_popcountll(maker->word[w]);
    uint32_t *member = ARENA_BLOCK(maker->arena, total + 1, uint32_t);
    for (size_t w = maker->low; w < maker->high; w++) {
        for (uint64_t bits = maker->word[w]; bits; bits &= bits - 1)
            member[kept++] = (uint32_t)(64 * w) + (uint32_t)__builtin_ctzll(bits);
        maker->word[w] = 0;
    }
    maker->low = maker->high = 0;
    SetId set = sets_add(maker->sets, member, total);
    arena_release(maker->arena, member);
    return set;
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
