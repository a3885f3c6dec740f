/* inputs.h: inputs of a domain to compare two engines on.
 *
 * All of them when they are few, shortest first and then in the order of their tokens; else
 * all short ones, and after them longer ones drawn from a seed, of the shapes on which
 * programs go wrong: all equal, all different, sorted, blocks, mirrored and so on.  The same
 * domain, plan and seed give the same inputs.
 *
 * Of a piece of a run (base/shard.h) the inputs of the others are passed over while all are taken.
 * Where they are counted instead, all come, and inputs_own says whose each is: which ones count is
 * known to those alone who have looked at them.
 */
#ifndef RASP_COMPILE_INPUTS_H
#define RASP_COMPILE_INPUTS_H

#include "base/shard.h"
#include "compile/values/domain.h"

typedef struct InputPlan {
    uint64_t exhaustive_limit; /* most inputs to take all of them */
    uint64_t count;            /* else this many: at most half of them short ones */
    uint64_t seed;
    Shard shard;
} InputPlan;

enum {
    INPUTS_OUTSIDE = 20, /* drawn for each that is wanted, before giving up on the domain */
    INPUTS_BLOCK = 16    /* of a shard */
};

typedef struct Inputs Inputs;

Inputs *inputs_new(const Domain *domain, InputPlan plan, Arena *arena);

/* Writes the next input's token numbers (at most max_length) and gives its length; 0 after
 * the last.  What is drawn never ends: it is the caller who counts. */
uint32_t inputs_next(Inputs *inputs, uint32_t *ids);
/* The place of the last one in the order of all, from 0; does it belong to this piece? */
uint64_t inputs_number(const Inputs *inputs);
bool inputs_own(const Inputs *inputs);

/* Is every input of the domain among them? */
bool inputs_exhaustive(const Inputs *inputs);
/* Every input of at most this many tokens is among them. */
uint32_t inputs_complete_length(const Inputs *inputs);

#endif
