/* plan.h: how to run a selector without looking at every pair of positions.
 *
 * A selector is a boolean formula over variables of three kinds: a comparison of a key with a
 * query has an outcome (less, equal, greater; unordered if a NaN is involved) for each pair of
 * positions; a part of the formula that compares keys with constants alone is a predicate of
 * the key; one that compares constants with queries, a predicate of the query.  All
 * comparisons of the same key and query are one variable, so `a < b and a >= b` is nothing,
 * and `not a == b` no more than `a != b`.
 *
 * The plan writes the formula as a sum of terms with integer weights (inclusion and
 * exclusion); a term is 1 where each variable's outcome is in the term's mask, else 0:
 *
 *     k != q              1 - [k = q]
 *     k < q or i < j      [k < q] + [i < j] - [k < q][i < j]
 *     k < q or (k = q and i < j)      [k < q] + [k = q][i < j]
 *
 * Counts, sums of values and sums of positions are additive over terms, and a term is quick
 * when it has at most two keys in order comparisons (term.h): the masks used are those whose
 * ranks are an interval, and of all expansions the plan takes the cheapest it finds.
 */
#ifndef RASP_INTERP_EXEC_PLAN_H
#define RASP_INTERP_EXEC_PLAN_H

#include "interp/exec/formula.h"

enum { PLAN_MAX_VARIABLES = 6, PLAN_MAX_TERMS = 16 };

typedef enum VariableKind {
    VARIABLE_PAIR,  /* a key against a query */
    VARIABLE_KEY,   /* a predicate of the key position alone */
    VARIABLE_QUERY, /* a predicate of the query position alone */
} VariableKind;

/* Outcomes of a predicate, in the place of those of a pair. */
enum { OUTCOME_FALSE = 1, OUTCOME_TRUE = 2 };

typedef struct Variable {
    VariableKind kind;
    bool unordered; /* pair: a NaN may be involved */
    size_t step;    /* of the formula: a comparison of the pair; the predicate */
} Variable;

typedef struct PlanTerm {
    int weight;
    uint8_t mask[PLAN_MAX_VARIABLES]; /* OUTCOME_ANY: does not matter */
} PlanTerm;

typedef struct Plan {
    size_t variable_count, term_count;
    Variable variable[PLAN_MAX_VARIABLES];
    PlanTerm term[PLAN_MAX_TERMS];
    double cost; /* of all terms, in units of one pass over the positions */
} Plan;

/* The cost of a term with two keys in order comparisons; all others cost less. */
#define PLAN_TWO_ORDERS 60.0

/* false: too many variables or terms, or a term with three keys in order comparisons; then
 * the formula must be run as rows of bits.  No terms: the selector selects nothing. */
bool plan_make(Formula *formula, Plan *plan);

#endif
