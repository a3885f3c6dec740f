/* decide.h: the least layer of a class for a task, for N = 1, 2, 3, … */
#ifndef RASP_EXPRESS_DECIDE_H
#define RASP_EXPRESS_DECIDE_H

#include "express/cover.h"
#include "express/search.h"

typedef struct Query {
    ClassKind kind;
    unsigned most;   /* heads to try, or values */
    unsigned values; /* average: of each head */
    unsigned heads;  /* vary_values: this many heads, the least number of values */
    bool vary_values;
    unsigned distance; /* window */
} Query;

/* The class and its parameters: "average", "average, 2 values", "window 3". */
const char *query_text(const Query *query, Arena *arena);

/* Why a layer is impossible. */
typedef struct Witness {
    unsigned heads, values; /* of the layers that there are none of; heads 0: any number */
    uint32_t length;        /* the N at which this was found */
    Pairs pairs;
    uint32_t *stuck; /* unique, one head: instances; NULL: the pairs */
    size_t stuck_count;
    bool shrunk, least; /* the pairs are a minimal set */
} Witness;

typedef struct Verdict {
    uint32_t length;
    Answer answer;   /* YES: `least` is it; NO: more than query.most, or none at all */
    unsigned least;  /* heads (or values) */
    unsigned above;  /* it is proved that so many are too few */
    unsigned enough; /* undecided: so many are enough, 0: not known */
    bool impossible; /* with any number */
    size_t instances, pairs;
    double seconds;
    Layer *layer;     /* of `least`, or `enough`; NULL: none */
    Witness *witness; /* against `above`; NULL: none was needed */
    /* bits: */
    unsigned bits, average_heads, unique_heads, part; /* part: the first positions on one side */
    uint32_t *rows;
    size_t row_count;
} Verdict;

typedef struct Decider Decider;

/* For inputs up to `longest`.  The task grows as lengths are asked for. */
Decider *decider_new(Arena *arena, Task *task, const Query *query, uint32_t longest,
                     Limits *limits);
/* The next length, from 1.  `seconds` may be spent on it, 0: any.  False: the task's error. */
bool decider_next(Decider *decider, double seconds, Verdict *verdict, RaspError *error);
/* Gives the solvers back, also after a budget's jump; NULL is fine. */
void decider_free(Decider *decider);

/* Shrinks the witness's pairs once, within the limits. */
void witness_ready(Arena *arena, const Task *task, ClassKind kind, Witness *witness,
                   Limits *limits);

/* The bounds, for decide.c: fill the verdict of their class. */
void counts_decide(Arena *arena, const Task *task, const Query *query, Verdict *verdict);
void bits_decide(Arena *arena, const Task *task, Verdict *verdict);

#endif
