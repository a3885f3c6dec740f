/* instances.h: every input of a small domain, one after the other.
 *
 * A *cell* is a position of an input.  Cells are numbered by length, then by input (in the order
 * of the tokens' numbers, the last turning fastest), then by position, so that those of one input
 * stand together:
 *
 *     length 1      length 2                    cells of the alphabet {0, 1}, N = 2:
 *     0  1          00  01  10  11              token[] = 0 1  0 0  0 1  1 0  1 1
 */
#ifndef RASP_COMPILE_VALUES_INSTANCES_H
#define RASP_COMPILE_VALUES_INSTANCES_H

#include "base/arena.h"
#include "compile/values/domain.h"

/* Rows of a selector are words of this many bits. */
enum { INSTANCES_LONGEST = 64 };

/* How much there is to run: inputs, their positions, pairs of those. */
typedef struct InstancesSize {
    double inputs, cells, pairs;
} InstancesSize;
InstancesSize instances_size(const Domain *domain);

typedef struct Instances {
    uint32_t longest;
    uint32_t *inputs; /* by length */
    uint32_t *first;  /* by length: number of its first cell */
    uint32_t input_count, cells;
    uint32_t *token; /* by cell: its number in the alphabet */
} Instances;

Instances *instances_new(const Domain *domain, Arena *arena);
/* Those inputs alone that are kept, by number. */
Instances *instances_keep(const Instances *all, const bool *kept, Arena *arena);

/* Goes through the inputs: for (each = instances_begin(i); each.n; instances_next(i, &each)). */
typedef struct Instance {
    uint32_t n, number, cell; /* length, which input, its first cell; n = 0 behind the last */
    uint32_t left;            /* of its length, this one too */
} Instance;
Instance instances_begin(const Instances *instances);
void instances_next(const Instances *instances, Instance *each);

#endif
