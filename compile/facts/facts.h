/* facts.h: what the text of a program shows of it, on the inputs of a domain.
 *
 * A fact is proved: of the text (how positions come into it, counting) or, by the sets of values
 * (values.h), of all inputs of the domain on which the program does not fail.  What is not proved
 * is not thereby false: another text may compute the same.
 *
 * From the facts follow the fragments that the program lies in (docs/expressivity.md has them
 * defined, with sources):
 *
 *     position-free            POSITIONS_UNUSED
 *     masked                   no head reaches behind its query; strictly: nor the query itself
 *     unique hard attention    `unique`
 *     first-order with order   `unique` and at most POSITIONS_MASKS
 *     C-RASP, of which depth   `counting`, `counting_depth`; both ways if a head reaches ahead
 *     averaging hard attention every program
 */
#ifndef RASP_COMPILE_FACTS_FACTS_H
#define RASP_COMPILE_FACTS_FACTS_H

#include "compile/values/values.h"

/* How the numbers of positions come into it. */
typedef enum PositionUse {
    POSITIONS_UNUSED,   /* not at all: permuted inputs give permuted outputs */
    POSITIONS_MASKS,    /* in selectors: is the key before, at or behind the query? */
    POSITIONS_ORDER,    /* compared with one another: any growing numbers give the same */
    POSITIONS_DISTANCE, /* only by differences: numbers from 7 on give the same */
    POSITIONS_NUMBERS,  /* as numbers */
} PositionUse;

/* Which positions may be selected, seen from the query. */
typedef struct Reach {
    bool before, here, after;
} Reach;

/* How many positions a row selects. */
typedef enum Selects {
    SELECTS_ANY,
    SELECTS_SOME, /* at least one */
    SELECTS_AT_MOST_ONE,
    SELECTS_ONE,
    SELECTS_ALL,
} Selects;

/* What becomes of a selection. */
typedef enum Use {
    USE_MEAN,  /* an aggregate that mixes values */
    USE_COUNT, /* a width */
    USE_MOVE,  /* an aggregate whose selected values are equal: one position is enough */
    USE_ASK,   /* only whether there is a position: of a width whether it is 0, of the mean of
                    0 and 1 whether it is 0 or whether it is 1 */
} Use;

typedef struct ReaderFact {
    NodeId node; /* an aggregate or width */
    Use use;
    bool is_width;
    uint32_t values; /* so many 0/1 values tell the result; 0: that is not known */
    uint32_t heads;  /* so many heads that pick one position do it; 0: none are shown to */
} ReaderFact;

/* A selector of a layer.  Selectors that select everything are one. */
typedef struct HeadFact {
    uint32_t layer; /* from 1 */
    NodeId selector;
    Selects selects;
    Reach reach;
    bool constants; /* but for a mask it compares with constants alone */
    const ReaderFact *readers;
    uint32_t reader_count;
} HeadFact;

typedef struct Facts {
    uint32_t layers;
    const HeadFact *heads; /* by layer */
    uint32_t head_count;
    bool causal; /* a value depends on the tokens up to its position */
    PositionUse positions;
    Reach reach;    /* of all heads together */
    bool constants; /* all heads compare with constants alone */
    bool unique;    /* each head can pick one position */
    bool counting;  /* counts of conditions, sums and comparisons of counts */
    uint32_t counting_depth;
    /* The widest layer: heads, 0/1 values of a head (0: not known); and if every head picks one
     * position (else 0). */
    uint32_t average_heads, average_values, unique_heads;
} Facts;

/* Of an s-op; what is given lives in `arena`. */
Facts facts_find(Values *values, NodeId root, Arena *arena);

#endif
