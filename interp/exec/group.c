#include "interp/exec/group.h"

static uint32_t key_rank(const KeyIndex *index, size_t j) {
    return index->rank ? index->rank[j] : (uint32_t)j;
}

/* The rank that the query equals. */
static uint32_t query_rank(uint32_t code) {
    return code != CODE_NAN && (code & 1) ? code >> 1 : RANK_NONE;
}

Groups groups_new(const KeyIndex *index, const uint32_t *codes, size_t rows, Arena *arena) {
    Groups groups = {.count = index->distinct, .keys = index->length, .rows = rows};
    groups.key = ARENA_BLOCK(arena, groups.keys, uint32_t);
    groups.query = ARENA_BLOCK(arena, rows, uint32_t);
    for (size_t j = 0; j < groups.keys; j++) groups.key[j] = key_rank(index, j);
    for (size_t i = 0; i < rows; i++) groups.query[i] = query_rank(codes[i]);
    return groups;
}

void groups_free(Groups *groups, Arena *arena) {
    arena_release(arena, groups->key);
    arena_release(arena, groups->query);
    *groups = (Groups){0};
}

/* Pairs of numbers, numbered as they come. */
typedef struct PairSet {
    uint64_t *pair;
    uint32_t count;
    Table table;
} PairSet;

/* The slot of the pair, or the free one where it would go. */
static size_t find(const PairSet *set, uint64_t pair) {
    uint64_t hash = pair * 0x9e3779b97f4a7c15u;
    size_t at = table_start(&set->table, hash ^ hash >> 32);
    for (uint32_t k; (k = table_entry(&set->table, at)) != TABLE_NONE;
         at = table_next(&set->table, at))
        if (set->pair[k] == pair) break;
    return at;
}

static uint32_t add(PairSet *set, uint64_t pair) {
    size_t at = find(set, pair);
    if (table_entry(&set->table, at) == TABLE_NONE) {
        set->pair[set->count] = pair;
        table_put(&set->table, at, set->count++);
    }
    return table_entry(&set->table, at);
}

static uint64_t make_pair(uint32_t group, uint32_t rank) {
    return (uint64_t)group << 32 | rank;
}

static PairSet set_new(size_t most, Arena *arena) {
    return (PairSet){.pair = ARENA_BLOCK(arena, most, uint64_t), .table = table_new(arena, most)};
}

static void set_free(PairSet *set, Arena *arena) {
    arena_release(arena, set->pair);
    table_free(&set->table, arena);
}

uint32_t number_pairs(uint32_t *number, const uint32_t *code, size_t count, Arena *arena) {
    PairSet set = set_new(count, arena);
    for (size_t i = 0; i < count; i++) number[i] = add(&set, make_pair(number[i], code[i]));
    set_free(&set, arena);
    return set.count;
}

static void refine_hashed(Groups *groups, const KeyIndex *index, const uint32_t *codes,
                          Arena *arena) {
    PairSet set = set_new(groups->keys, arena);
    for (size_t j = 0; j < groups->keys; j++) {
        uint32_t group = groups->key[j], rank = key_rank(index, j);
        bool in = group != RANK_NONE && rank != RANK_NONE;
        groups->key[j] = in ? add(&set, make_pair(group, rank)) : RANK_NONE;
    }
    for (size_t i = 0; i < groups->rows; i++) {
        uint32_t group = groups->query[i], rank = query_rank(codes[i]);
        bool in = group != RANK_NONE && rank != RANK_NONE;
        uint32_t number =
            in ? table_entry(&set.table, find(&set, make_pair(group, rank))) : TABLE_NONE;
        groups->query[i] = number == TABLE_NONE ? RANK_NONE : number;
    }
    groups->count = set.count;
    set_free(&set, arena);
}

static uint32_t product(uint32_t group, uint32_t ranks, uint32_t rank) {
    return group == RANK_NONE || rank == RANK_NONE ? RANK_NONE : group * ranks + rank;
}

void groups_refine(Groups *groups, const KeyIndex *index, const uint32_t *codes, Arena *arena) {
    uint64_t table = (uint64_t)groups->count * index->distinct;
    if (table > 2 * (uint64_t)groups->keys + 1024 || table > INT32_MAX) {
        refine_hashed(groups, index, codes, arena);
        return;
    }
    uint32_t ranks = index->distinct;
    for (size_t j = 0; j < groups->keys; j++)
        groups->key[j] = product(groups->key[j], ranks, key_rank(index, j));
    for (size_t i = 0; i < groups->rows; i++)
        groups->query[i] = product(groups->query[i], ranks, query_rank(codes[i]));
    groups->count = (uint32_t)table;
}
