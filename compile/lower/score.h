/* score.h: from a selector to the bilinear score of a head. */
#ifndef RASP_COMPILE_LOWER_SCORE_H
#define RASP_COMPILE_LOWER_SCORE_H

#include "compile/lower/lower.h"

/* Without the sink only differences within a row matter, and what the query alone decides is
 * left out.  `moves`: all values that a row selects are equal, so selected keys may score more than
 * 1; *unequal: some do.  False and lower_error when it cannot be made. */
bool score_build(Lower *lower, NodeId selector, bool sink, bool moves, Score *score, bool *unequal);

/* The deepest layer that its forms need. */
uint32_t score_layer(const Lower *lower, const Score *score);

#endif
