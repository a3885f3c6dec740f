/* context.h: what lowering knows so far; for the files of this folder. */
#ifndef RASP_COMPILE_LOWER_CONTEXT_H
#define RASP_COMPILE_LOWER_CONTEXT_H

#include "compile/lower/lower.h"

typedef struct Feature {
    bool known;
    Form form;
} Feature;

typedef struct Expected {
    bool known;
    double slack;
} Expected;

typedef struct Costed {
    uint32_t estimate;
    double cost;
} Costed;

/* A selector's score with the layer that it needs. */
typedef struct LayeredScore {
    Score score;
    uint32_t layer;
} LayeredScore;

struct Lower {
    Values *values;
    Arena *arena;
    LowerOptions options;
    LowerError error;
    Feature *feature; /* by node */
    size_t feature_capacity;
    NodeId *kinds; /* by node: 1 + the s-op that gives its kinds (kinds.h); 0: not made yet;
                      NODE_NONE: cannot be */
    size_t kinds_capacity;
    Expected *expected; /* by node: the slack of forms that are not made yet (slack.h) */
    size_t expected_capacity;
    Part *part;
    size_t part_count, part_capacity;
    HeadPlan **head;
    size_t head_count, head_capacity;
    ScanPlan **scan;
    size_t scan_count, scan_capacity;
    Space *token_space, *position_space;
    uint32_t nesting; /* features being made */
    uint32_t unions;  /* widths taken apart (rule_width.c) */
    bool digits;      /* are there numbers to compare by digits (score_digits.c)? */
    Costed *cost;     /* by node, of the estimate of that number (cover.c) */
    size_t cost_capacity;
    uint32_t estimates;
    Space **moved_space; /* by aggregate node */
    size_t moved_capacity;
    const LayeredScore **score; /* by selector node, without and with the sink */
    size_t score_capacity;
};

/* Its number. */
uint32_t add_part(Lower *lower, Part part);
/* An int where the number is one. */
Atom number_atom(double number);

#endif
