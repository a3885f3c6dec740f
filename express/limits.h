/* limits.h: when to stop, and whom to tell how far a search is. */
#ifndef RASP_EXPRESS_LIMITS_H
#define RASP_EXPRESS_LIMITS_H

#include "base/budget.h"

#include <stddef.h>

typedef struct Limits {
    const Budget *budget; /* its limit holds for the solver too, and its cancel */
    double until;         /* of limits_now; 0: no limit */
    /* A search has looked at so many pairs; may be NULL. */
    void (*progress)(void *context, unsigned heads, size_t pairs);
    void *context;
    /* private: */
    double asked; /* when memory was last looked at */
    bool full;
} Limits;

/* Seconds of this thread's CPU time, so that a busy machine does not change what is decided. */
double limits_now(void);

/* Is it time to stop?  Cheap enough for inner loops; for solver_stop_when. */
bool limits_reached(void *limits);

#endif
