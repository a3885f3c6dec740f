/* pairs.h: with which values of its arguments an operator fails.
 *
 * A value of a set stands for equal ones of other kinds (values.h), and whether an operator fails
 * may depend on them: ints overflow where floats do not.
 */
#ifndef RASP_COMPILE_PAIRS_H
#define RASP_COMPILE_PAIRS_H

#include "compile/values/values.h"

enum { PAIR_UNSEEN, PAIR_GOOD, PAIR_FAILS };

/* Pairs of two arguments' values; of one argument, pairs with a value that is always the same.  A
 * third one is a constant, as a slice has it. */
typedef struct Pairs {
    const NodeValues *v[2];
    unsigned char *cell; /* [v[0], v[1]] */
    Atom *class[2];      /* by value: the class's number; set by pairs_join */
    uint32_t *leader[2]; /* by class: a value whose cells are those of all of the class */
    uint32_t class_count[2];
    Atom good[2]; /* a pair that does not fail */
    bool any_good;
    bool any_bad, any_exact; /* some fail always; some fail if neither value is a float */
    bool too_many;
} Pairs;

/* False: the arguments have too many values (then `too_many`), or whether the operator fails
 * depends on kinds in another way than said above. */
bool pairs_find(Values *values, const Node *node, Arena *arena, Pairs *pairs);

/* Joins values of one side whose cells nowhere contradict; what is known of any goes into the
 * cells of the class's first, its leader. */
void pairs_join(Pairs *pairs, int side, Arena *arena);

static inline unsigned char pairs_cell(const Pairs *p, uint32_t first, uint32_t second) {
    return p->cell[(size_t)first * p->v[1]->count + second];
}

#endif
