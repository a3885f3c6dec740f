/* rasp_facts.h: what the text of a program shows of it, before any input is run or anything is
 * compiled.
 *
 * Facts are proved of all inputs of a target on which the program does not fail.  What is not said
 * is not shown: it may hold all the same.  docs/expressivity.md defines each and says which
 * fragments of transformers and logics follow, with sources.
 *
 * Handles, errors, threads and strings are those of rasp.h.
 */
#ifndef RASP_FACTS_H
#define RASP_FACTS_H

#include "rasp.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How the numbers of positions come into it. */
typedef enum RaspPositions {
    RASP_POSITIONS_UNUSED,   /* not at all: permuted inputs give permuted outputs */
    RASP_POSITIONS_MASKS,    /* in selectors: is the key before, at or behind the query? */
    RASP_POSITIONS_ORDER,    /* compared with one another: any growing numbers give the same */
    RASP_POSITIONS_DISTANCE, /* only by differences: numbers from 7 on give the same */
    RASP_POSITIONS_NUMBERS,  /* as numbers */
} RaspPositions;

/* How many positions a selector selects for a query. */
typedef enum RaspSelects {
    RASP_SELECTS_ANY,
    RASP_SELECTS_SOME, /* at least one */
    RASP_SELECTS_AT_MOST_ONE,
    RASP_SELECTS_ONE,
    RASP_SELECTS_ALL,
} RaspSelects;

/* What becomes of a selection. */
typedef enum RaspUse {
    RASP_USE_MEAN,  /* an aggregate that mixes values */
    RASP_USE_COUNT, /* how many are selected */
    RASP_USE_MOVE,  /* an aggregate whose selected values are equal: one position is enough */
    RASP_USE_ASK,   /* no more than whether there is a position */
} RaspUse;

/* "unused", "at most one", "mean", ...; NULL behind the last. */
RASP_API const char *rasp_positions_name(int positions);
RASP_API const char *rasp_selects_name(int selects);
RASP_API const char *rasp_use_name(int use);

/* Which positions may be selected, seen from the query. */
typedef struct RaspReach {
    bool before, here, after;
} RaspReach;

typedef struct RaspReader {
    const char *sop; /* its name, or in source form */
    RaspPlace place;
    RaspUse use;
} RaspReader;

/* A selector of a layer. */
typedef struct RaspHeadFacts {
    uint32_t layer;       /* from 1 */
    const char *selector; /* in source form */
    RaspPlace place;
    RaspSelects selects;
    RaspReach reach;
    bool constants; /* but for comparing two positions it compares with constants alone */
    const RaspReader *readers;
    size_t reader_count;
} RaspHeadFacts;

typedef struct RaspFacts {
    const RaspAtom *alphabet; /* the inputs that this is about */
    size_t alphabet_size;
    uint32_t max_length;
    ptrdiff_t first;   /* the alphabet's index of the token that inputs start with, or -1 */
    const char *where; /* the s-op that is true everywhere on inputs, or NULL */
    uint32_t layers;   /* attention layers */
    const RaspHeadFacts *heads;
    size_t head_count;
    bool causal; /* a value depends on the tokens up to its position alone */
    RaspPositions positions;
    RaspReach reach; /* of all selectors together */
    bool constants;  /* of all selectors */
    bool unique;     /* each head can pick one position: unique hard attention */
    bool counting;   /* C-RASP: conditions, counts of them, sums and comparisons of counts */
    uint32_t counting_depth;
    /* The widest layer, if heads average 0/1 values (values 0: how many is not known), and if
     * each picks one position (0: not shown). */
    uint32_t average_heads, average_values, unique_heads;
} RaspFacts;

/* `target`: the inputs, as for rasp_compile, with time_limit and table_limit.  What the facts
 * point to lives with the program. */
RASP_API bool rasp_program_facts(RaspProgram *program, const RaspSop *sop, const RaspTarget *target,
                                 RaspFacts *facts, RaspError *error);

#ifdef __cplusplus
}
#endif

#endif
