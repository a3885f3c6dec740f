/* formula.h: layers as propositional formulas, in the canonical form of certificates.
 *
 * A formula says "there is a layer that tells these pairs of instances apart".  Variables and
 * clauses come in a fixed order (docs/expressivity.md), so that a formula is determined by
 * class, heads, values and the list of pairs, and whoever checks a certificate can write it again.
 * The same code feeds the solver while searching and the text of a certificate.
 *
 * Symmetry: heads are named in the order in which pairs first use them, the values of a head
 * likewise; so the j-th pair (from 0) uses only (h, m), from 0, with h + m <= j.
 */
#ifndef RASP_EXPRESS_FORMULA_H
#define RASP_EXPRESS_FORMULA_H

#include "express/task.h"

typedef struct Pair {
    uint32_t x, y; /* instances: equal keys, different labels */
} Pair;

typedef struct Pairs {
    Pair *at;
    size_t count, room;
} Pairs;

void pairs_add(Arena *arena, Pairs *pairs, Pair pair);

/* Where clauses go: literals one by one, 0 ends a clause. */
typedef struct Formula {
    Arena *arena;
    const Task *task;
    void (*add)(void *context, int literal);
    void *context;
    int variables;
    size_t clauses;
} Formula;

/* --- averaging heads -------------------------------------------------------------------- */

/* Head h selects, for a query of key c, literals l as sel(h, c, l) says, and averages the 0/1
 * values val(h, m, l), m < values.  What it brings is ones : zeros among the selected, for each m.
 */
typedef struct Average Average;

Average *average_new(Formula *formula, unsigned heads, unsigned values, uint32_t longest);
/* One more pair to tell apart.  guard: 0, or a variable without which the pair does not count. */
void average_pair(Average *average, size_t number, const Instance *x, const Instance *y, int guard);
/* Variables, 0 if there is none: what no pair asks for is false. */
int average_selects(const Average *average, unsigned h, uint32_t key, uint32_t literal);
int average_value(const Average *average, unsigned h, unsigned m, uint32_t literal);

/* --- unique heads, for one key ---------------------------------------------------------- */

/* Head h picks of the literals present the first in an order: before(h, a, b).  The query's own
 * literal is left out: it is always there, as the sink is, and one such is enough. */
typedef struct Unique Unique;

/* literals: increasing, the sink first, without the query's own. */
Unique *unique_new(Formula *formula, unsigned heads, const uint32_t *literals, uint32_t count);
void unique_pair(Unique *unique, size_t number, const Instance *x, const Instance *y, int guard);
/* The literal that says "a comes before b", a and b places in the list. */
int unique_before(const Unique *unique, unsigned h, uint32_t a, uint32_t b);

/* The literals of some instances of one key in that form; in the arena. */
uint32_t unique_literals(Arena *arena, const Task *task, const uint32_t *members, size_t count,
                         uint32_t **literals);

#endif
