#include "runtime/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CACHE_LINE = 64 };

static long fail_after = -1;

static bool refused(void) {
    if (fail_after < 0) return false;
    if (fail_after == 0) return true;
    fail_after--;
    return false;
}

static bool product(size_t count, size_t size, size_t *bytes) {
    if (refused() || __builtin_mul_overflow(count, size, bytes)) return false;
    if (*bytes > PTRDIFF_MAX - CACHE_LINE) return false;
    if (*bytes == 0) *bytes = 1;
    return true;
}

void *rt_calloc(size_t count, size_t size) {
    size_t bytes;
    return product(count, size, &bytes) ? calloc(bytes, 1) : NULL;
}

void *rt_calloc_aligned(size_t count, size_t size) {
    size_t bytes;
    if (!product(count, size, &bytes)) return NULL;
    bytes = (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    void *p = aligned_alloc(CACHE_LINE, bytes);
    if (p) memset(p, 0, bytes);
    return p;
}

void *rt_realloc(void *old, size_t count, size_t size) {
    size_t bytes;
    return product(count, size, &bytes) ? realloc(old, bytes) : NULL;
}

char *rt_memdup(const char *bytes, size_t n) {
    char *copy = rt_calloc(n + 1, 1);
    if (copy) memcpy(copy, bytes, n);
    return copy;
}

bool rt_buffer_reserve(RtBuffer *buffer, size_t size) {
    if (size <= buffer->size) return true;
    void *bytes = rt_calloc_aligned(size, 1);
    if (!bytes) return false;
    free(buffer->bytes);
    *buffer = (RtBuffer){bytes, size};
    return true;
}

void rt_buffer_clear(RtBuffer *buffer) {
    free(buffer->bytes);
    *buffer = (RtBuffer){0};
}

void *rt_carve(RtCarve *carve, size_t count, size_t size) {
    size_t bytes, at = carve->used;
    carve->overflow |= __builtin_mul_overflow(count, size, &bytes) ||
                       __builtin_add_overflow(bytes, CACHE_LINE - 1, &bytes);
    bytes = bytes / CACHE_LINE * CACHE_LINE;
    carve->overflow |= __builtin_add_overflow(at, bytes, &carve->used);
    return carve->base ? carve->base + at : NULL;
}

void rt_memory_fail_after(long after) {
    fail_after = after;
}
