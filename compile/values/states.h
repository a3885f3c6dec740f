/* states.h: what selectors can see of one position, for proofs about pairs of positions.
 *
 * A state is one row of joint values of the position and of chosen s-ops there.  A relation
 * is a selector read between states: is the position in state s selected by the one in t?
 * What holds for all pairs of states of different positions holds on every input.  Where there are
 * too many, and positions are only compared with each other, three positions stand for all: with
 * whatever stands anywhere at each.
 */
#ifndef RASP_COMPILE_VALUES_STATES_H
#define RASP_COMPILE_VALUES_STATES_H

#include "compile/values/values_private.h"

enum { MAX_STATES = 3000, MAX_COLUMNS = 40 };

typedef struct States {
    Values *values;
    Rows rows;
    NodeId column[MAX_COLUMNS]; /* column 0: the position */
    uint32_t columns;
} States;

/* States with these selectors' keys and queries and these s-ops; false when there are too
 * many. */
bool states_find(Values *values, const NodeId *selectors, uint32_t selector_count,
                 const NodeId *sops, uint32_t sop_count, States *states, Arena *arena);

uint32_t states_column(const States *states, NodeId sop);
Atom states_value(const States *states, uint32_t state, uint32_t column);
bool states_same_position(const States *states, uint32_t s, uint32_t t);

typedef struct Relation {
    const States *states;
    Literals literals;
    uint32_t key[MAX_LITERALS], query[MAX_LITERALS]; /* columns */
} Relation;

Relation relation_of(const States *states, NodeId selector, Arena *arena);
/* Is the position in state s selected by the position in state t? */
bool relation_holds(const Relation *relation, uint32_t s, uint32_t t);

#endif
