/* partition.h: cells (instances.h) that are alike.
 *
 * A partition puts cells into blocks; some cells may be in none, always all of an input: there
 * is no value on that input.  Blocks are numbered as their first cells are, so equal partitions
 * are equal arrays, and each is kept once: compare them by pointer.
 */
#ifndef RASP_COMPILE_VALUES_PARTITION_H
#define RASP_COMPILE_VALUES_PARTITION_H

#include "compile/values/instances.h"

#define NO_BLOCK UINT32_MAX

typedef struct Partition {
    uint32_t number;       /* of the partition */
    const uint32_t *block; /* by cell */
    const uint32_t *cell;  /* by block: its first cell */
    uint32_t count;
    uint32_t present; /* so many cells are in some block */
    uint32_t *start;  /* by context, into member; NULL: not yet asked */
    uint32_t *member;
} Partition;

typedef struct Partitions Partitions;

Partitions *partitions_new(const Instances *instances, Arena *arena);

/* By a code of each cell below `codes`, or NO_BLOCK.  Takes the array over: it comes from
 * partitions_array.  Unless NULL, *code_of: each block's, in the given arena. */
Partition *partitions_by(Partitions *p, uint32_t *code, uint32_t codes, uint32_t **code_of,
                         Arena *arena);
uint32_t *partitions_array(Partitions *p);

/* All cells in one block. */
Partition *partitions_whole(Partitions *p);

/* Cells are alike where they are in both; in no block where they are in none of one. */
Partition *partitions_join(Partitions *p, Partition *a, Partition *b);

/* The blocks that have cells in a context, each once. */
const uint32_t *partitions_in(Partitions *p, Partition *partition, uint32_t context,
                              uint32_t *count);

#endif
