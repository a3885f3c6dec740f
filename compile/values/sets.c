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

typedef struct SetItem {
    SetTree tree;
    uint32_t count, first, last;
    const uint32_t *member; /* NULL: not yet asked for */
} SetItem;

struct Sets {
    Arena *arena;
    SetTrees *trees;
    SetItem *item;
    size_t count, capacity;
    Table table;    /* over items, by their trees */
    uint32_t *line; /* 0, 1, 2, …: what the members of consecutive numbers stand in */
    size_t line_count, line_capacity;
};

Sets *sets_new(Arena *arena) {
    Sets *sets = ARENA_NEW(arena, Sets);
    sets->arena = arena;
    sets->trees = set_trees_new(arena);
    sets->table = table_new(arena, 128);
    return sets;
}

static uint64_t hash_tree(SetTree tree) {
    return hash_numbers((uint32_t[]){tree.root, tree.height}, 2);
}

static uint64_t hash_item(const void *items, uint32_t id) {
    return hash_tree(((const SetItem *)items)[id].tree);
}

static SetId keep_tree(Sets *sets, SetTree tree) {
    Table *table = &sets->table;
    if (table_full(table, sets->count))
        table_grow(table, sets->arena, sets->count, hash_item, sets->item);
    size_t at = table_start(table, hash_tree(tree));
    for (SetId id; (id = table_entry(table, at)) != TABLE_NONE; at = table_next(table, at)) {
        SetTree known = sets->item[id].tree;
        if (known.root == tree.root && known.height == tree.height) return id;
    }
    sets->item = arena_grow_block(sets->arena, sets->item, &sets->capacity, sets->count + 1,
                                  sizeof *sets->item);
    SetItem *item = &sets->item[sets->count];
    *item = (SetItem){.tree = tree, .count = set_tree_count(sets->trees, tree)};
    if (item->count) {
        item->first = set_tree_least(sets->trees, tree);
        item->last = set_tree_greatest(sets->trees, tree);
    }
    table_put(table, at, sets->count);
    return (SetId)sets->count++;
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
    Arena *scratch = arena_child(sets->arena);
    count = sort_distinct(member, count);
    SetWord *word = ARENA_BLOCK(scratch, count, SetWord);
    size_t words = 0;
    for (size_t k = 0; k < count; k++) {
        if (words == 0 || word[words - 1].index != member[k] / 64)
            word[words++] = (SetWord){member[k] / 64, 0};
        word[words - 1].bits |= (uint64_t)1 << member[k] % 64;
    }
    SetId id = keep_tree(sets, set_tree_add(sets->trees, (SetTree){0, 0}, word, words));
    arena_free(scratch);
    return id;
}

/* The numbers from 0 to the last, and more. */
static const uint32_t *line_to(Sets *sets, uint32_t last) {
    size_t need = (size_t)last + 1;
    if (need > sets->line_count) {
        sets->line =
            arena_grow(sets->arena, sets->line, &sets->line_capacity, need, sizeof *sets->line);
        for (; sets->line_count < sets->line_capacity; sets->line_count++)
            sets->line[sets->line_count] = (uint32_t)sets->line_count;
    }
    return sets->line;
}

const uint32_t *sets_get(Sets *sets, SetId id, uint32_t *count) {
    SetItem *item = &sets->item[id];
    uint32_t first, last;
    *count = item->count;
    if (sets_run(sets, id, &first, &last)) return line_to(sets, last) + first;
    if (!item->member) {
        uint32_t *member = ARENA_ARRAY(sets->arena, item->count, uint32_t);
        set_tree_minus(sets->trees, item->tree, (SetTree){0, 0}, member);
        item->member = member;
    }
    return item->member;
}

uint32_t sets_count(const Sets *sets, SetId id) {
    return sets->item[id].count;
}

bool sets_within(const Sets *sets, SetId a, SetId b) {
    const SetItem *x = &sets->item[a], *y = &sets->item[b];
    if (a == b || x->count == 0) return true;
    if (x->count > y->count || x->first < y->first || x->last > y->last) return false;
    return set_tree_within(sets->trees, x->tree, y->tree);
}

uint32_t sets_common(const Sets *sets, SetId a, SetId b) {
    return set_tree_common(sets->trees, sets->item[a].tree, sets->item[b].tree);
}

uint32_t sets_minus(const Sets *sets, SetId a, SetId b, uint32_t *member) {
    return set_tree_minus(sets->trees, sets->item[a].tree, sets->item[b].tree, member);
}

bool sets_run(const Sets *sets, SetId set, uint32_t *first, uint32_t *last) {
    const SetItem *item = &sets->item[set];
    *first = item->first;
    *last = item->last;
    return item->count && item->last - item->first == item->count - 1;
}

bool sets_contain(const Sets *sets, SetId set, uint32_t member) {
    return set_tree_contains(sets->trees, sets->item[set].tree, member);
}

SetId sets_union(Sets *sets, const SetId *set, uint32_t count) {
    bool same = true;
    for (uint32_t k = 1; k < count && same; k++) same = set[k] == set[0];
    if (same && count) return set[0];
    Arena *scratch = arena_child(sets->arena);
    SetTree *tree = ARENA_BLOCK(scratch, count, SetTree);
    uint32_t kept = 0;
    for (uint32_t k = 0; k < count; k++)
        if (k == 0 || set[k] != set[k - 1]) tree[kept++] = sets->item[set[k]].tree;
    SetId all = keep_tree(sets, set_tree_union(sets->trees, tree, kept));
    arena_free(scratch);
    return all;
}

/* --- making ----------------------------------------------------------------------------- */

void set_maker_touch(SetMaker *maker, uint32_t word) {
    maker->word =
        arena_grow(maker->arena, maker->word, &maker->words, (size_t)word + 1, sizeof *maker->word);
    maker->touched = arena_grow(maker->arena, maker->touched, &maker->touched_capacity,
                                maker->touched_count + 1, sizeof *maker->touched);
    maker->touched[maker->touched_count++].index = word;
}

void set_maker_add_set(SetMaker *maker, SetId set) {
    SetTree pair[2] = {maker->base, maker->sets->item[set].tree};
    maker->base = set_tree_union(maker->sets->trees, pair, 2);
}

static int by_index(const void *a, const void *b) {
    uint32_t x = ((const SetWord *)a)->index, y = ((const SetWord *)b)->index;
    return (x > y) - (x < y);
}

SetId set_maker_finish(SetMaker *maker) {
    bool sorted = true;
    for (size_t k = 0; k < maker->touched_count; k++) {
        SetWord *word = &maker->touched[k];
        word->bits = maker->word[word->index];
        maker->word[word->index] = 0;
        sorted &= k == 0 || word[-1].index < word->index;
    }
    if (!sorted) qsort(maker->touched, maker->touched_count, sizeof *maker->touched, by_index);
    SetTree tree =
        set_tree_add(maker->sets->trees, maker->base, maker->touched, maker->touched_count);
    maker->base = (SetTree){0, 0};
    maker->touched_count = 0;
    return keep_tree(maker->sets, tree);
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
    map->keys = arena_grow_block(map->arena, map->keys, &map->key_capacity,
                                 ((size_t)map->count + 1) * map->width, sizeof *map->keys);
    map->value = arena_grow_block(map->arena, map->value, &map->value_capacity,
                                  (size_t)map->count + 1, sizeof *map->value);
    if (bytes) memcpy(map->keys + (size_t)map->count * map->width, tuple, bytes);
    map->value[map->count] = 0;
    table_put(table, at, map->count);
    return &map->value[map->count++];
}
