/* positions.h: which positions a head attends to and what it makes of them, in plain words.
 *
 *     the earlier positions where the token is the same as here
 *     the position before it
 *
 * "here" is the position that attends. */
#ifndef RASP_SHOW_POSITIONS_H
#define RASP_SHOW_POSITIONS_H

#include "show/words.h"

typedef struct Positions {
    const char *text;
    bool single;  /* there is never more than one, so "it" and not "them" */
    bool found;   /* there is always one at least */
    bool matched; /* by a key that equals another s-op here: often there is one alone */
} Positions;

/* Those that a selector selects; RASP_NO_NODE: every one. */
Positions positions_of(const Words *words, uint32_t selector);

/* "brings their token as prev, or "-" if there are none": what an aggregate does with them.
 * `name`: NULL, it has none. */
const char *positions_brought(const Words *words, uint32_t aggregate, const Positions *from,
                              const char *name);

#endif
