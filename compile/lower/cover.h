/* cover.h: the cheapest number to scan for a feature. */
#ifndef RASP_COMPILE_LOWER_COVER_H
#define RASP_COMPILE_LOWER_COVER_H

#include "compile/lower/lower.h"

enum { COVER_ELEMENTS = 4 };

typedef struct Cover {
    NodeId x; /* the number */
    Form form;
    NodeId cut[COVER_ELEMENTS]; /* x and the feature are functions of these */
    uint32_t cut_count;
    bool unlisted; /* nobody knows all values of x */
} Cover;

/* False and lower_error when there is none within the limits. */
bool cover_find(Lower *lower, NodeId feature, Cover *cover);
/* Are there so few joint values that a table of these can be looked at? */
bool cover_is_small(Lower *lower, const NodeId *nodes, uint32_t count);
/* An estimate of the parameters that a feature still costs. */
double cover_cost(Lower *lower, NodeId node);

#endif
