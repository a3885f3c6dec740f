/* cover.h: the grammars, decided by partitions.
 *
 * Whatever an aggregate brings, a table may map: so it matters only which instances of one key it
 * tells apart, a partition.  All partitions of a grammar are made; together they tell whether any
 * number of heads can do it, and a smallest cover of the pairs of different label is the least
 * number.
 */
#ifndef RASP_EXPRESS_COVER_H
#define RASP_EXPRESS_COVER_H

#include "express/layer.h"
#include "express/limits.h"
#include "express/search.h"

typedef struct Cover {
    Answer any;            /* is it possible with any number of heads? */
    Pair collision;        /* NO: the shortest pair that no aggregate tells apart */
    unsigned least;        /* heads; 0: more than `most` */
    unsigned most;         /* up to here the search was exhaustive */
    unsigned greedy;       /* so many are enough, if any is YES and more than `most` are needed */
    bool decided;          /* false: `least` is at least `most` + 1 */
    Aggregate *aggregates; /* of the least cover, or the greedy one */
    Pairs pairs;           /* that cannot be covered by least - 1, or by `most` */
    bool minimal;          /* none of them can be left out */
    size_t partitions;     /* different ones */
} Cover;

/* zero_one: only values that are 0 or 1 at a key, and widths: what `average` with one value can
 * bring too. */
void cover_decide(Arena *arena, const Task *task, uint32_t length, bool absolute, bool zero_one,
                  unsigned most, Limits *limits, Cover *cover);

#endif
