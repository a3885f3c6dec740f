#include "interp/exec/radix.h"

#include <string.h>

enum { BYTES = 8, BUCKETS = 256 };

static size_t byte_of(uint64_t value, size_t k) {
    return value >> (8 * k) & 0xff;
}

static void scatter(const RadixItem *from, RadixItem *to, size_t count, size_t k,
                    const size_t *histogram) {
    size_t start[BUCKETS], sum = 0;
    for (size_t b = 0; b < BUCKETS; b++) start[b] = sum, sum += histogram[b];
    for (size_t i = 0; i < count; i++) to[start[byte_of(from[i].value, k)]++] = from[i];
}

void radix_sort(RadixItem *items, size_t count, Arena *arena) {
    if (count < 2) return;
    size_t histogram[BYTES][BUCKETS] = {{0}};
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < BYTES; k++) histogram[k][byte_of(items[i].value, k)]++;
    RadixItem *spare = ARENA_BLOCK(arena, count, RadixItem), *from = items, *to = spare;
    for (size_t k = 0; k < BYTES; k++) {
        if (histogram[k][byte_of(items[0].value, k)] == count) continue;
        scatter(from, to, count, k, histogram[k]);
        RadixItem *swap = from;
        from = to;
        to = swap;
    }
    if (from != items) memcpy(items, from, count * sizeof *items);
    arena_release(arena, spare);
}

void counting_sort(const uint32_t *rank, uint32_t ranks, const uint32_t *from, size_t count,
                   uint32_t *start, uint32_t *order) {
    memset(start, 0, ((size_t)ranks + 1) * sizeof *start);
    for (size_t k = 0; k < count; k++) {
        uint32_t member = from ? from[k] : (uint32_t)k, r = rank ? rank[member] : member;
        if (r != RANK_NONE) start[r + 1]++;
    }
    for (uint32_t r = 0; r < ranks; r++) start[r + 1] += start[r];
    for (size_t k = 0; k < count; k++) {
        uint32_t member = from ? from[k] : (uint32_t)k, r = rank ? rank[member] : member;
        if (r != RANK_NONE) order[start[r]++] = member;
    }
    /* Each start has moved to its end, which is the next one's start. */
    memmove(start + 1, start, (size_t)ranks * sizeof *start);
    start[0] = 0;
}

static void merge(const uint32_t *from, uint32_t *to, size_t begin, size_t middle, size_t end,
                  MergeCompare *compare, const void *context) {
    size_t a = begin, b = middle;
    for (size_t k = begin; k < end; k++) {
        bool left = a < middle && (b >= end || compare(context, from[a], from[b]) <= 0);
        to[k] = left ? from[a++] : from[b++];
    }
}

void merge_sort(uint32_t *order, size_t count, MergeCompare *compare, const void *context,
                Arena *arena) {
    uint32_t *spare = ARENA_BLOCK(arena, count, uint32_t), *from = order, *to = spare;
    for (size_t width = 1; width < count; width *= 2) {
        budget_poll(arena_budget(arena));
        for (size_t begin = 0; begin < count; begin += 2 * width) {
            size_t middle = begin + width < count ? begin + width : count;
            size_t end = begin + 2 * width < count ? begin + 2 * width : count;
            merge(from, to, begin, middle, end, compare, context);
        }
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != order) memcpy(order, from, count * sizeof *order);
    arena_release(arena, spare);
}
