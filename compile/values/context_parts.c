#include "compile/values/context_parts.h"

#include "compile/values/sets.h"

#include <string.h>

struct ContextPartitions {
    Arena *arena;
    uint32_t contexts;
    ContextParts **kept;
    size_t count, capacity;
    TupleMap *joined; /* two numbers -> that of both together */
};

ContextPartitions *context_partitions_new(uint32_t contexts, Arena *arena) {
    ContextPartitions *p = ARENA_NEW(arena, ContextPartitions);
    p->arena = arena;
    p->contexts = contexts;
    p->joined = tuple_map_new(arena, 2);
    return p;
}

/* Takes `of` over, a block. */
static const ContextParts *keep(ContextPartitions *p, uint32_t *of, uint32_t count) {
    for (size_t k = 0; k < p->count; k++) {
        const ContextParts *known = p->kept[k];
        if (known->count != count || memcmp(known->of, of, p->contexts * sizeof *of) != 0) continue;
        arena_release(p->arena, of);
        return known;
    }
    uint32_t *first = ARENA_ARRAY(p->arena, count, uint32_t);
    for (uint32_t at = p->contexts; at-- > 0;) first[of[at]] = at;
    ContextParts *parts = ARENA_NEW(p->arena, ContextParts);
    *parts = (ContextParts){(uint32_t)p->count, count, of, first};
    p->kept = arena_grow(p->arena, p->kept, &p->capacity, p->count + 1, sizeof(ContextParts *));
    return p->kept[p->count++] = parts;
}

const ContextParts *context_parts_by(ContextPartitions *p, const uint32_t *code) {
    uint32_t most = 0, count = 0;
    for (uint32_t at = 0; at < p->contexts; at++) most = code[at] > most ? code[at] : most;
    Arena *scratch = arena_child(p->arena);
    uint32_t *part = ARENA_ARRAY(scratch, (size_t)most + 1, uint32_t); /* by code, from 1 */
    uint32_t *of = ARENA_BLOCK(p->arena, p->contexts, uint32_t);
    for (uint32_t at = 0; at < p->contexts; at++) {
        if (!part[code[at]]) part[code[at]] = ++count;
        of[at] = part[code[at]] - 1;
    }
    arena_free(scratch);
    return keep(p, of, count);
}

/* Is each part of `a` within one of `b`? */
static bool refines(const ContextPartitions *p, const ContextParts *a, const ContextParts *b) {
    if (a->count < b->count) return false;
    for (uint32_t at = 0; at < p->contexts; at++)
        if (b->of[a->first[a->of[at]]] != b->of[at]) return false;
    return true;
}

static const ContextParts *join(ContextPartitions *p, const ContextParts *a,
                                const ContextParts *b) {
    if (refines(p, a, b)) return a;
    if (refines(p, b, a)) return b;
    uint32_t *of = ARENA_BLOCK(p->arena, p->contexts, uint32_t), count;
    Arena *scratch = arena_child(p->arena);
    TupleMap *map = tuple_map_new(scratch, 2);
    for (uint32_t at = 0; at < p->contexts; at++) {
        bool found;
        uint32_t *part = tuple_map_at(map, (uint32_t[]){a->of[at], b->of[at]}, &found);
        if (!found) *part = tuple_map_count(map) - 1;
        of[at] = *part;
    }
    count = tuple_map_count(map);
    arena_free(scratch);
    return keep(p, of, count);
}

static const ContextParts *whole(ContextPartitions *p) {
    uint32_t *of = ARENA_BLOCK(p->arena, p->contexts, uint32_t);
    memset(of, 0, p->contexts * sizeof *of);
    return keep(p, of, 1);
}

const ContextParts *context_parts_join(ContextPartitions *p, const ContextParts *a,
                                       const ContextParts *b) {
    if (!a || !b) return a ? a : b ? b : whole(p);
    if (a == b) return a;
    bool found;
    uint32_t pair[2] = {a->number, b->number};
    uint32_t *number = tuple_map_at(p->joined, pair, &found);
    if (!found) *number = join(p, a, b)->number;
    return p->kept[*number];
}
