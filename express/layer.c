#include "express/layer.h"

#include "base/random.h"
#include "base/table.h"

#include <string.h>

const char *class_name(int kind) {
    static const char *const names[] = {"average",      "unique", "relative", "absolute",
                                        "no-positions", "window", "bits"};
    return kind >= 0 && kind < CLASS_COUNT ? names[kind] : NULL;
}

Layer *layer_new(Arena *arena, ClassKind kind, unsigned heads, unsigned values, uint32_t keys,
                 uint32_t literals) {
    Layer *layer = ARENA_NEW(arena, Layer);
    *layer =
        (Layer){.kind = kind, .heads = heads, .values = values, .keys = keys, .literals = literals};
    if (kind == CLASS_AVERAGE) {
        layer->selects = ARENA_ARRAY(arena, (size_t)heads * keys * literals, bool);
        layer->value = ARENA_ARRAY(arena, (size_t)heads * values * literals, bool);
    } else if (kind == CLASS_UNIQUE) {
        layer->orders = ARENA_ARRAY(arena, (size_t)heads * keys, Order);
    } else {
        layer->aggregates = ARENA_ARRAY(arena, heads, Aggregate);
    }
    return layer;
}

/* --- what the heads bring ----------------------------------------------------------------- */

static unsigned divisor(unsigned a, unsigned b) {
    while (b) {
        unsigned rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static void average_signature(const Layer *layer, const Task *task, const Instance *x, unsigned h,
                              uint8_t *to) {
    uint32_t key = instance_key(task, x);
    for (unsigned m = 0; m < layer->values; m++) {
        unsigned ones = 0, zeros = 0;
        for (uint32_t i = 0; i <= x->length; i++) {
            uint32_t l = i ? literal_at(task, x, i - 1) : 0;
            if (!*layer_selects(layer, h, key, l)) continue;
            if (*layer_value(layer, h, m, l))
                ones++;
            else
                zeros++;
        }
        unsigned common = divisor(ones, zeros);
        to[2 * m] = (uint8_t)(common ? ones / common : 0);
        to[2 * m + 1] = (uint8_t)(common ? zeros / common : 0);
    }
}

static void unique_signature(const Layer *layer, const Task *task, const Instance *x, unsigned h,
                             uint8_t *to) {
    const Order *order = &layer->orders[(size_t)h * layer->keys + instance_key(task, x)];
    uint32_t picked = 0;
    for (uint32_t k = 0; k < order->count && !picked; k++) {
        uint32_t l = order->literals[k];
        if (l == 0) break;
        uint32_t position = (l - 1) / task->symbols;
        if (position < x->length && literal_at(task, x, position) == l) picked = l;
    }
    memcpy(to, &picked, 4);
}

size_t layer_signature_size(const Layer *layer) {
    return layer->heads * (layer->kind == CLASS_AVERAGE ? 2u * layer->values : 4u);
}

void layer_signature(const Layer *layer, const Task *task, const Instance *x, uint8_t *signature) {
    size_t size = layer_signature_size(layer) / (layer->heads ? layer->heads : 1);
    for (unsigned h = 0; h < layer->heads; h++, signature += size) {
        if (layer->kind == CLASS_AVERAGE) {
            average_signature(layer, task, x, h, signature);
        } else if (layer->kind == CLASS_UNIQUE) {
            unique_signature(layer, task, x, h, signature);
        } else {
            uint32_t brought = aggregate_value(&layer->aggregates[h], task, x);
            memcpy(signature, &brought, 4);
        }
    }
}

/* --- conflicts ---------------------------------------------------------------------------- */

typedef struct Groups {
    const Task *task;
    const uint32_t *members;
    const uint8_t *signatures;
    size_t size;
    uint32_t *first; /* of each group */
} Groups;

static uint32_t member(const Groups *g, uint32_t k) {
    return g->members ? g->members[k] : k;
}

static uint64_t hash_of(const Groups *g, uint32_t k) {
    const Instance *x = &g->task->instances[member(g, k)];
    uint64_t hash = instance_key(g->task, x);
    for (size_t b = 0; b < g->size; b++)
        hash = (hash ^ g->signatures[k * g->size + b]) * 0x100000001b3u;
    return random_mix(hash);
}

static bool same_group(const Groups *g, uint32_t a, uint32_t b) {
    const Instance *instances = g->task->instances;
    return instance_key(g->task, &instances[member(g, a)]) ==
               instance_key(g->task, &instances[member(g, b)]) &&
           memcmp(&g->signatures[a * g->size], &g->signatures[b * g->size], g->size) == 0;
}

void conflicts_find(Arena *scratch, const Task *task, const uint32_t *members, size_t count,
                    const uint8_t *signatures, size_t size, unsigned most, Arena *arena,
                    Pairs *pairs) {
    Groups g = {task, members, signatures, size, ARENA_BLOCK(scratch, count + 1, uint32_t)};
    uint32_t *found = ARENA_ARRAY(scratch, key_count(task, TASK_LONGEST), uint32_t), groups = 0;
    Table table = table_new(scratch, count + 1);
    for (uint32_t k = 0; k < count; k++) {
        const Instance *x = &task->instances[member(&g, k)];
        size_t at = table_start(&table, hash_of(&g, k));
        uint32_t group;
        for (; (group = table_entry(&table, at)) != TABLE_NONE; at = table_next(&table, at))
            if (same_group(&g, g.first[group], k)) break;
        if (group == TABLE_NONE) {
            g.first[groups] = k;
            table_put(&table, at, groups++);
            continue;
        }
        uint32_t other = member(&g, g.first[group]);
        if (task->instances[other].label == x->label || found[instance_key(task, x)] >= most)
            continue;
        found[instance_key(task, x)]++;
        pairs_add(arena, pairs, (Pair){other, member(&g, k)});
    }
}

void layer_conflicts(const Layer *layer, const Task *task, const uint32_t *members, size_t count,
                     unsigned most, Arena *arena, Pairs *pairs) {
    Arena *scratch = arena_child(arena);
    size_t size = layer_signature_size(layer);
    uint8_t *signatures = arena_block(scratch, count * size + 1, 1);
    for (uint32_t k = 0; k < count; k++)
        layer_signature(layer, task, &task->instances[members ? members[k] : k],
                        &signatures[k * size]);
    conflicts_find(scratch, task, members, count, signatures, size, most, arena, pairs);
    arena_free(scratch);
}
