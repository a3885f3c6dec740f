/* The one place where runtime/ allocates.
 *
 * Sizes are given as count × size and the product is checked. NULL means that there is no memory
 * (or the product overflows); callers turn that into an RtError. Memory is released with free(),
 * aligned memory too. */
#ifndef RUNTIME_MEMORY_H
#define RUNTIME_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* count × size bytes of zeros; never NULL for an empty array. */
void *rt_calloc(size_t count, size_t size);

/* Zeroed like rt_calloc, aligned to a cache line (64 bytes), the size rounded up to whole lines. */
void *rt_calloc_aligned(size_t count, size_t size);

/* Grows an array to count × size bytes; on failure the old one stays as it was. */
void *rt_realloc(void *old, size_t count, size_t size);

/* A copy of n bytes with a NUL after them. */
char *rt_memdup(const char *bytes, size_t n);

/* Memory that is kept from one use to the next. {0} is empty. */
typedef struct {
    void *bytes; /* aligned to a cache line */
    size_t size;
} RtBuffer;

/* At least `size` bytes; what was in the buffer is lost when it has to grow. */
bool rt_buffer_reserve(RtBuffer *buffer, size_t size);
void rt_buffer_clear(RtBuffer *buffer);

/* Arrays laid out one after the other in one piece of memory, each at a cache line. Carving from
 * base NULL gives no arrays but the size they need: lay out, allocate `used` bytes, lay out again.
 * `overflow` is set, and stays, when sizes overflow. */
typedef struct {
    char *base;
    size_t used;
    bool overflow;
} RtCarve;

void *rt_carve(RtCarve *carve, size_t count, size_t size);

/* For tests: the allocation numbered `after` from now (0 the next) and every later one fail.
 * A negative number switches that off. Not for use while several threads allocate. */
void rt_memory_fail_after(long after);

#endif
