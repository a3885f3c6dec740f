/* lower_private.h: what the parts of lower.h share. */
#ifndef RASP_COMPILE_LOWER_LOWER_PRIVATE_H
#define RASP_COMPILE_LOWER_LOWER_PRIVATE_H

#include "compile/lower/lower.h"

typedef struct Feature {
    bool known, working;
    Form form;
} Feature;

struct Lower {
    Values *values;
    Arena *arena;
    LowerOptions options;
    LowerError error;
    Feature *feature; /* by node */
    size_t feature_capacity;
    Part *part;
    size_t part_count, part_capacity;
    HeadPlan **head;
    size_t head_count, head_capacity;
    ScanPlan **scan;
    size_t scan_count, scan_capacity;
    Space *token_space, *position_space;
    uint32_t nesting;    /* features being made */
    Space **moved_space; /* by aggregate node */
    size_t moved_capacity;
    const Score **score; /* by selector node, without and with the sink */
    size_t score_capacity;
};

/* The function's value at each level of the variable; false when it is not a function of it.
 * Levels at which it has no value get 0 and clear *complete. */
bool function_vector(Lower *lower, NodeId variable, NodeId node, double **vector, bool *complete);

/* A component of a head over the selector; what it reads must be there a layer before. */
bool attend(Lower *lower, NodeId node, NodeId selector, HeadKind kind, Form value, double fallback,
            Form *form);

/* The scan of this number, made if there is none; and one more output of it. */
ScanPlan *scan_of(Lower *lower, Cover cover);
Form add_scan_output(Lower *lower, ScanPlan *scan, ScanOutput output);

/* A function of a width without a table, where there is a way (lower_width.c).  False with no
 * error: there is none. */
bool feature_width(Lower *lower, NodeId id, NodeId width, Form *form);
/* Is this 1/(1+w), as a counting head gives it, for a width w?  Else NODE_NONE. */
NodeId reciprocal_of(const Lower *lower, NodeId id);

/* A comparison of numbers that have very many values (lower_sign.c); false as above. */
bool feature_sign(Lower *lower, NodeId id, Form *form);

#endif
