/* group.h: keys grouped by equal tuples of several columns, and the group a query asks for. */
#ifndef RASP_INTERP_EXEC_GROUP_H
#define RASP_INTERP_EXEC_GROUP_H

#include "interp/exec/key.h"

typedef struct Groups {
    uint32_t count;
    uint32_t *key;   /* [keys]: RANK_NONE if in no group */
    uint32_t *query; /* [rows]: RANK_NONE if no key equals it */
    size_t keys, rows;
} Groups;

/* By one column; codes: [rows], the queries in the index. */
Groups groups_new(const KeyIndex *index, const uint32_t *codes, size_t rows, Arena *arena);
/* And by one more. */
void groups_refine(Groups *groups, const KeyIndex *index, const uint32_t *codes, Arena *arena);
void groups_free(Groups *groups, Arena *arena);

/* Numbers the distinct pairs (number[i], code[i]) from 0 in order of appearance, into number;
 * how many there are. */
uint32_t number_pairs(uint32_t *number, const uint32_t *code, size_t count, Arena *arena);

#endif
