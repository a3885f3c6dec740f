/* search.h: is there a layer of so many heads?  Decided by satisfiability with pairs added as
 * they are needed: the solver proposes a layer, the layer is run on all instances, and pairs that
 * it confuses become part of the formula, until there is no layer or nothing is confused.
 */
#ifndef RASP_EXPRESS_SEARCH_H
#define RASP_EXPRESS_SEARCH_H

#include "express/layer.h"
#include "express/limits.h"

typedef enum Answer { ANSWER_UNDECIDED, ANSWER_YES, ANSWER_NO } Answer;

/* `average`, all keys together, for one number of heads and values; keeps its solver, so that
 * going on with longer inputs is cheap. */
typedef struct AverageSearch AverageSearch;
AverageSearch *average_search_new(Arena *arena, const Task *task, unsigned heads, unsigned values,
                                  uint32_t longest, Limits *limits);
void average_search_free(AverageSearch *search); /* the solver; NULL is fine */
/* On the instances of the lengths 1 to `length`.  YES: *layer; NO: the pairs are a witness. */
Answer average_search(AverageSearch *search, uint32_t length, Layer **layer);
const Pairs *average_search_pairs(const AverageSearch *search);

/* Fewer selected literals and ones, as long as the layer stays right: rules instead of noise. */
void layer_simplify(Layer *layer, const Task *task, size_t count, Limits *limits);

/* `unique`, for the instances `members` of one key: fills orders[h] for this key. */
Answer unique_search(Arena *arena, const Task *task, const uint32_t *members, size_t count,
                     unsigned heads, Limits *limits, Order *orders, Pairs *pairs);

/* One unique head for one key as a decision list; always decided.  NO: the stuck set, in which
 * every literal of every member is in members of two labels. */
Answer decision_list(Arena *arena, const Task *task, const uint32_t *members, size_t count,
                     Order *order, uint32_t **stuck, size_t *stuck_count);

/* A smallest set of the pairs (no pair can be left out, time permitting) that no layer tells
 * apart; pairs is replaced.  False: the limits came first, and the set is only smaller. */
bool witness_shrink(Arena *arena, const Task *task, ClassKind kind, unsigned heads, unsigned values,
                    Limits *limits, Pairs *pairs);

/* The formula of the pairs, and a proof that it has no solution, as texts from malloc. */
bool witness_prove(Arena *arena, const Task *task, ClassKind kind, unsigned heads, unsigned values,
                   Limits *limits, const Pairs *pairs, char **cnf, char **proof);

#endif
