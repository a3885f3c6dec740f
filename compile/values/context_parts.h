/* context_parts.h: contexts put together by what is found in them.
 *
 * Parts are numbered as their first contexts are, so equal partitions are equal arrays, and each is
 * kept once: compare them by pointer.  Most s-ops tell contexts apart by length, by position, by
 * both or not at all, so there are few, however many s-ops and lists of them are asked about.
 */
#ifndef RASP_COMPILE_VALUES_CONTEXT_PARTS_H
#define RASP_COMPILE_VALUES_CONTEXT_PARTS_H

#include "base/arena.h"

#include <stdint.h>

typedef struct ContextParts {
    uint32_t number;       /* of the partition */
    uint32_t count;        /* parts */
    const uint32_t *of;    /* by context */
    const uint32_t *first; /* by part: its first context */
} ContextParts;

typedef struct ContextPartitions ContextPartitions;

ContextPartitions *context_partitions_new(uint32_t contexts, Arena *arena);

/* Contexts with one code are together. */
const ContextParts *context_parts_by(ContextPartitions *p, const uint32_t *code);
/* Those that are together in both; of none, all of them. */
const ContextParts *context_parts_join(ContextPartitions *p, const ContextParts *a,
                                       const ContextParts *b);

#endif
