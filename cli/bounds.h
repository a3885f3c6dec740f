/* bounds.h: how many layers of a class a task needs: at most those of the program, if its text
 * shows that they are of the class; at least what a decision (express/) leaves. */
#ifndef RASP_CLI_BOUNDS_H
#define RASP_CLI_BOUNDS_H

#include "api/rasp_facts.h"
#include "cli/program.h"
#include "express/decide.h"

/* A class of layers that the program's are in, and what is known of fewer. */
typedef struct Bound {
    const char *name;   /* "average", "unique", "masks", "c-rasp" */
    Query query;        /* its decision */
    bool any_heads;     /* no number of heads is too great */
    bool tokens_alone;  /* without attention a layer sees the token, and not the position */
    uint32_t program;   /* layers, or depth, of the program */
    uint32_t without;   /* from this N on attention is needed; 0: not as far as was looked */
    uint32_t one;       /* from this N on one layer is too few; 0: not shown */
    uint32_t looked;    /* attention: up to this N was decided whether it is needed */
    uint32_t enough;    /* up to this N one layer was decided to be enough */
    Pair apart;         /* instances that need attention */
    const Pairs *pairs; /* instances that one layer cannot all tell apart; NULL: not pairs */
    const char *open;   /* why it was not decided further, or NULL */
    uint32_t open_at;   /* at this N */
} Bound;

/* What is proved for all N from *from to the facts' greatest: at least so many. */
uint32_t bound_least(const Bound *bound, uint32_t *from);

typedef struct BoundLimits {
    double seconds; /* of CPU time, for each class */
    size_t memory;  /* 0: the default */
} BoundLimits;

typedef struct BoundListener {
    void *context;
    void (*tell)(void *context, const Task *task, const Bound *bound);
} BoundListener;

/* Tells of each class as it is known.  False: stopped (Ctrl-C, memory), or the program's error. */
bool bounds_find(const Program *program, const RaspSop *sop, const RaspFacts *facts,
                 const BoundLimits *limits, const BoundListener *listener, RaspError *error);

#endif
