/* kinds.h: which of the equal values, 1, 1.0 or True, an s-op gives where.
 *
 * To the compiler equal values are one level.  Where a level occurs as several kinds, the kind is
 * a value like any other: an s-op of its own, built from the node's arguments and selectors.  An
 * aggregate gives its default, the value as it is, or a float, as none, one or several keys are
 * selected; an operator's kind follows from its arguments and theirs.
 */
#ifndef RASP_COMPILE_LOWER_KINDS_H
#define RASP_COMPILE_LOWER_KINDS_H

#include "compile/lower/lower.h"

/* An s-op that gives, for each value of the node, the number of its kind: log2 of its KindBits.
 * NODE_NONE and lower_error when its values cannot be enumerated. */
NodeId kinds_of(Lower *lower, NodeId node);

/* An s-op whose numbers tell both: level * KIND_COUNT + kind. */
NodeId kinds_joint(Lower *lower, NodeId node);

#endif
