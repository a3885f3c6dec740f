/* pool.h: JSON's memory comes from one block.
 *
 * Nearly all that a small weights file costs under the sanitizers is malloc, for JSON that jansson
 * makes of it.  So jansson is given memory of a block that is used from its begin to its end and
 * never twice for an input: a piece has poisoned bytes at both ends, is poisoned as a whole when
 * it is freed, and stays so until the next input; at the end of an input all must be free.
 * What has no room comes from malloc.
 */
#ifndef RASP_TESTS_FUZZ_POOL_H
#define RASP_TESTS_FUZZ_POOL_H

#include <jansson.h>
#include <sanitizer/asan_interface.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POOL_ROOM = 16 << 20, POOL_UNIT = 16 };

static struct Pool {
    _Alignas(POOL_UNIT) char block[POOL_ROOM];
    size_t used, live; /* bytes; pieces that are not freed */
} pool;

/* A piece's size stands before it: 0 when it is free. */
__attribute__((no_sanitize("address"))) static size_t pool_mark(char *memory, size_t size) {
    size_t *mark = (size_t *)(void *)(memory - POOL_UNIT), before = *mark;
    *mark = size;
    return before;
}

static void *pool_alloc(size_t size) {
    size_t room = (size / POOL_UNIT + 2) * POOL_UNIT;
    pool.live++;
    if (size > POOL_ROOM || room > POOL_ROOM - pool.used) return malloc(size);
    char *memory = pool.block + pool.used + POOL_UNIT;
    pool.used += room;
    pool_mark(memory, size + 1);
    ASAN_UNPOISON_MEMORY_REGION(memory, size);
    return memory;
}

static void pool_free(void *memory) {
    if (!memory) return;
    pool.live--;
    if ((uintptr_t)memory - (uintptr_t)pool.block >= POOL_ROOM) {
        free(memory);
        return;
    }
    size_t size = pool_mark(memory, 0);
    if (size == 0) {
        fputs("JSON is freed twice\n", stderr);
        abort();
    }
    ASAN_POISON_MEMORY_REGION(memory, size - 1);
}

/* Before an input, and before one is changed: nothing of what was is there any more. */
static void pool_begin(void) {
    ASAN_POISON_MEMORY_REGION(pool.block, pool.used ? pool.used : POOL_ROOM);
    pool.used = pool.live = 0;
    json_set_alloc_funcs(pool_alloc, pool_free);
}

static void pool_end(void) {
    if (pool.live == 0) return;
    fprintf(stderr, "%zu pieces of JSON are not freed\n", pool.live);
    abort();
}

/* The linker sends json_dumps here (--wrap): its caller frees the text by `free`. */
char *__real_json_dumps(const json_t *value, size_t flags);
char *__wrap_json_dumps(const json_t *value, size_t flags);

char *__wrap_json_dumps(const json_t *value, size_t flags) {
    char *text = __real_json_dumps(value, flags), *copy = text ? strdup(text) : NULL;
    pool_free(text);
    return copy;
}

#endif
