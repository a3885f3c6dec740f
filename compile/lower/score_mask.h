/* score_mask.h: what a selector says of positions alone, as the head's mask. */
#ifndef RASP_COMPILE_LOWER_SCORE_MASK_H
#define RASP_COMPILE_LOWER_SCORE_MASK_H

#include "compile/lower/lower.h"
#include "compile/values/formula.h"

/* Chooses the mask by the options' rule and takes the conjunct that it stands for off the
 * list.  False and lower_error: the selector looks where --mask causal does not. */
bool score_take_mask(Lower *lower, NodeId selector, Literals *conjuncts, ScoreMask *mask,
                     Arena *arena);

#endif
