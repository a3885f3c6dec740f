/* The one place where runtime/ allocates.
 *
 * Sizes are given as count × size and the product is checked. NULL means that there is no memory
 * (or the product overflows); callers turn that into an RtError. Memory is released with free(),
 * aligned memory too. */
#ifndef RUNTIME_MEMORY_H
#define RUNTIME_MEMORY_H

#include <stddef.h>

/* count × size bytes of zeros; never NULL for an empty array. */
void *rt_calloc(size_t count, size_t size);

/* Zeroed like rt_calloc, aligned to a cache line (64 bytes), the size rounded up to whole lines. */
void *rt_calloc_aligned(size_t count, size_t size);

/* Grows an array to count × size bytes; on failure the old one stays as it was. */
void *rt_realloc(void *old, size_t count, size_t size);

/* A copy of n bytes with a NUL after them. */
char *rt_memdup(const char *bytes, size_t n);

/* For tests: the allocation numbered `after` from now (0 the next) and every later one fail.
 * A negative number switches that off. Not for use while several threads allocate. */
void rt_memory_fail_after(long after);

#endif
