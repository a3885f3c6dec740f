/* plan.h: parts, heads and scans while lowering adds to them; plain data.  The finished ones, with
 * their places in the file, are in circuit.h. */
#ifndef RASP_COMPILE_LOWER_PLAN_H
#define RASP_COMPILE_LOWER_PLAN_H

#include "compile/circuit.h"
#include "compile/lower/space.h"

typedef struct Part {
    Origin origin;
    NodeId node;          /* the feature that it holds (scans: up to a constant) */
    Stage stage;          /* available from here on */
    uint32_t owner;       /* head or scan */
    uint32_t column;      /* component or output */
    const double *vector; /* embedded: by token or by position */
} Part;

typedef struct Component {
    Form value;
    double fallback; /* what the sink carries */
    uint32_t part;
    NodeId node; /* the aggregate or width */
} Component;

typedef struct HeadPlan {
    NodeId selector;
    HeadKind kind;
    uint32_t layer; /* from 1 */
    bool single;    /* no row selects more than one key */
    const Score *score;
    Component *components;
    size_t component_count, component_capacity;
} HeadPlan;

typedef struct ScanPlan {
    NodeId x;    /* the node whose values are scanned */
    Form form;   /* the same as a linear form */
    Stage stage; /* step >= 1 */
    Space *space;
    TableOutput *outputs;
    size_t output_count, output_capacity;
} ScanPlan;

#endif
