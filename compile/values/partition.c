#include "compile/values/partition.h"

#include "base/table.h"
#include "compile/values/sets.h"

#include <string.h>

struct Partitions {
    const Instances *instances;
    Arena *arena;
    Partition **list;
    size_t count, capacity;
    Table table;     /* over the list, by the block arrays */
    TupleMap *joins; /* two partitions' numbers, the smaller first -> the join's */
    Partition *whole;
};

Partitions *partitions_new(const Instances *instances, Arena *arena) {
    Partitions *p = ARENA_NEW(arena, Partitions);
    *p = (Partitions){.instances = instances,
                      .arena = arena,
                      .table = table_new(arena, 32),
                      .joins = tuple_map_new(arena, 2)};
    return p;
}

uint32_t *partitions_array(Partitions *p) {
    return ARENA_BLOCK(p->arena, (size_t)p->instances->cells + 1, uint32_t);
}

/* In four lanes, that one product need not wait for the other. */
static uint64_t hash_blocks(const uint32_t *block, uint32_t cells) {
    uint64_t lane[4] = {0x9e3779b97f4a7c15u, 1, 2, 3}, hash = cells;
    for (uint32_t c = 0; c < cells; c++)
        lane[c & 3] = (lane[c & 3] ^ block[c]) * 0xff51afd7ed558ccdu;
    for (int k = 0; k < 4; k++) hash = (hash ^ lane[k] ^ lane[k] >> 32) * 0xff51afd7ed558ccdu;
    return hash ^ hash >> 32;
}

typedef struct Hashed {
    Partition *const *list;
    uint32_t cells;
} Hashed;

static uint64_t hash_partition(const void *entries, uint32_t k) {
    const Hashed *hashed = entries;
    return hash_blocks(hashed->list[k]->block, hashed->cells);
}

/* The one partition that is this array. */
static Partition *intern_blocks(Partitions *p, uint32_t *block, uint32_t count, uint32_t present) {
    uint32_t cells = p->instances->cells;
    Table *table = &p->table;
    if (table_full(table, p->count))
        table_grow(table, p->arena, p->count, hash_partition, &(Hashed){p->list, cells});
    size_t at = table_start(table, hash_blocks(block, cells));
    for (uint32_t k; (k = table_entry(table, at)) != TABLE_NONE; at = table_next(table, at)) {
        Partition *known = p->list[k];
        if (known->count != count || known->present != present ||
            memcmp(known->block, block, cells * sizeof *block) != 0)
            continue;
        arena_release(p->arena, block);
        return known;
    }
    uint32_t *cell = ARENA_ARRAY(p->arena, count, uint32_t);
    for (uint32_t c = cells; c-- > 0;)
        if (block[c] != NO_BLOCK) cell[block[c]] = c;
    Partition *partition = ARENA_NEW(p->arena, Partition);
    *partition = (Partition){.number = (uint32_t)p->count,
                             .block = block,
                             .cell = cell,
                             .count = count,
                             .present = present};
    p->list = arena_grow(p->arena, p->list, &p->capacity, p->count + 1, sizeof *p->list);
    p->list[p->count] = partition;
    table_put(table, at, p->count++);
    return partition;
}

Partition *partitions_by(Partitions *p, uint32_t *code, uint32_t codes, uint32_t **code_of,
                         Arena *arena) {
    Arena *scratch = arena_child(p->arena);
    uint32_t *number = ARENA_ARRAY(scratch, codes, uint32_t), count = 0, present = 0;
    for (uint32_t c = 0; c < p->instances->cells; c++) {
        if (code[c] == NO_BLOCK) continue;
        uint32_t *known = &number[code[c]];
        if (!*known) *known = ++count;
        code[c] = *known - 1;
        present++;
    }
    if (code_of) {
        *code_of = ARENA_ARRAY(arena, count, uint32_t);
        for (uint32_t k = 0; k < codes; k++)
            if (number[k]) (*code_of)[number[k] - 1] = k;
    }
    arena_free(scratch);
    budget_poll(arena_budget(p->arena));
    return intern_blocks(p, code, count, present);
}

Partition *partitions_whole(Partitions *p) {
    if (!p->whole) {
        uint32_t *code = partitions_array(p);
        memset(code, 0, p->instances->cells * sizeof *code);
        p->whole = partitions_by(p, code, 1, NULL, NULL);
    }
    return p->whole;
}

/* --- joins ------------------------------------------------------------------------------ */

/* Pairs of blocks as codes: in a square if that is small. */
static Partition *join_dense(Partitions *p, const Partition *a, const Partition *b) {
    uint32_t *code = partitions_array(p);
    for (uint32_t c = 0; c < p->instances->cells; c++)
        code[c] = a->block[c] == NO_BLOCK || b->block[c] == NO_BLOCK
                      ? NO_BLOCK
                      : a->block[c] * b->count + b->block[c];
    return partitions_by(p, code, a->count * b->count, NULL, NULL);
}

static Partition *join_sparse(Partitions *p, const Partition *a, const Partition *b) {
    uint32_t *block = partitions_array(p), present = 0;
    Arena *scratch = arena_child(p->arena);
    TupleMap *pairs = tuple_map_new(scratch, 2);
    for (uint32_t c = 0; c < p->instances->cells; c++) {
        bool found, none = a->block[c] == NO_BLOCK || b->block[c] == NO_BLOCK;
        block[c] = NO_BLOCK;
        if (none) continue;
        uint32_t *at = tuple_map_at(pairs, (uint32_t[]){a->block[c], b->block[c]}, &found);
        if (!found) *at = tuple_map_count(pairs) - 1;
        block[c] = *at;
        present++;
    }
    uint32_t count = tuple_map_count(pairs);
    arena_free(scratch);
    budget_poll(arena_budget(p->arena));
    return intern_blocks(p, block, count, present);
}

Partition *partitions_join(Partitions *p, Partition *a, Partition *b) {
    uint32_t cells = p->instances->cells;
    if (a == b || (b->count == 1 && b->present == cells)) return a;
    if (a->count == 1 && a->present == cells) return b;
    if (a->number > b->number) return partitions_join(p, b, a);
    bool found;
    uint32_t *at = tuple_map_at(p->joins, (uint32_t[]){a->number, b->number}, &found);
    if (found) return p->list[*at];
    bool small = (double)a->count * b->count <= 4.0 * cells + 1024;
    Partition *join = small ? join_dense(p, a, b) : join_sparse(p, a, b);
    *at = join->number; /* joins are not added to in between */
    return join;
}

/* --- contexts --------------------------------------------------------------------------- */

static void look_in_contexts(const Instances *instances, const Partition *partition, uint32_t *seen,
                             uint32_t *start, uint32_t *member) {
    uint32_t total = 0;
    for (uint32_t n = 1; n <= instances->longest; n++)
        for (uint32_t i = 0; i < n; i++) {
            uint32_t context = context_of(n, i);
            const uint32_t *block = partition->block + instances->first[n] + i;
            start[context] = total;
            for (uint32_t k = 0; k < instances->inputs[n]; k++, block += n) {
                if (*block == NO_BLOCK || seen[*block] == context + 1) continue;
                seen[*block] = context + 1;
                member[total++] = *block;
            }
        }
    start[instances->longest * (instances->longest + 1) / 2] = total;
}

/* No more than there are cells, and no more than all blocks in all contexts. */
static size_t most_members(const Partition *partition, size_t contexts) {
    size_t all = (size_t)partition->count * contexts;
    return all < partition->present ? all : partition->present;
}

const uint32_t *partitions_in(Partitions *p, Partition *partition, uint32_t context,
                              uint32_t *count) {
    const Instances *instances = p->instances;
    size_t contexts = (size_t)instances->longest * (instances->longest + 1) / 2;
    if (!partition->start) {
        Arena *scratch = arena_child(p->arena);
        uint32_t *start = ARENA_ARRAY(p->arena, contexts + 1, uint32_t);
        uint32_t *seen = ARENA_ARRAY(scratch, partition->count, uint32_t);
        uint32_t *member = ARENA_BLOCK(scratch, most_members(partition, contexts) + 1, uint32_t);
        look_in_contexts(instances, partition, seen, start, member);
        partition->member = ARENA_ARRAY(p->arena, start[contexts], uint32_t);
        if (start[contexts]) memcpy(partition->member, member, start[contexts] * sizeof *member);
        partition->start = start;
        arena_free(scratch);
        budget_poll(arena_budget(p->arena));
    }
    *count = partition->start[context + 1] - partition->start[context];
    return partition->member + partition->start[context];
}
