/* flags.h: s-ops that say where other s-ops have no answer, for models of partial programs.
 *
 * For each node that may fail there is a condition, an s-op made of ordinary nodes, which is true
 * where it does; and a *safe* node that takes its place, which has the same values where there is
 * no failure and some value where there is.  Safe nodes are made of safe nodes, so nothing in
 * such a graph ever fails, and what is proved of it holds on every input, flagged or not.  The
 * conditions of all nodes below an s-op, together and over all positions, are its flag: the
 * interpreter fails at the first node that does, and up to there safe values are true ones.
 *
 *     node        condition                                    safe
 *     tokens      the token is one that does not convert       a dict of converted tokens
 *     map         its arguments are a pair that fails          on a pair that does not
 *     lookup      its argument is no key, index or entry       a dict of all its argument's values
 *     select      a string meets a number                      on values of one kind
 *     aggregate   several selected, and they are no numbers    selects nothing there
 *     any         some but not all values are strings          the same
 */
#ifndef RASP_COMPILE_FLAGS_H
#define RASP_COMPILE_FLAGS_H

#include "compile/total.h"

/* Why there is no flag: the node of which nobody can say where it fails. */
typedef struct FlagsError {
    NodeId node;
    const char *message;
} FlagsError;

typedef struct Flagged {
    NodeId safe;
    NodeId flag; /* true at all positions, or at none; NODE_NONE: it has an answer everywhere */
} Flagged;

/* Adds nodes to the graph; `flagged`: one an s-op.  False and *error when it cannot be done. */
bool flags_make(Total *total, const NodeId *sops, size_t count, Arena *arena, Flagged *flagged,
                FlagsError *error);

/* The name of the output that is the flag of the output `name`, which no s-op can have. */
const char *flags_name(const char *name, Arena *arena);
/* Is `flag` that name? */
bool flags_is_name(const char *flag, const char *name);

#endif
