/* classes.h: contexts that are alike for several s-ops.
 *
 * Two contexts are of one class when each of the s-ops has the same set in both: what is found in
 * one holds in the other.  Many classes have much in common, which saves looking at combinations
 * again:
 *
 *   sets    a class that contains an earlier one (each set, that one's) adds to its combinations
 *   rows    of all contexts: classes that differ in one s-op are one box, with the union of its
 *           sets there, and what lies within another box adds nothing
 */
#ifndef RASP_COMPILE_VALUES_CLASSES_H
#define RASP_COMPILE_VALUES_CLASSES_H

#include "compile/values/values_private.h"

#define NO_CLASS UINT32_MAX

struct Classes {
    const NodeId *nodes;
    uint32_t width;          /* s-ops */
    uint32_t count;          /* classes */
    const uint32_t *of;      /* by context */
    const uint32_t *context; /* by class: its first context */
    double size;             /* combinations of all classes */
    const uint32_t
        *within;      /* values_classes_within: an earlier class that it contains, or NO_CLASS */
    double added;     /* combinations that the classes within do not have */
    const SetId *box; /* values_classes_boxes: [boxes, width] */
    uint32_t boxes;
    double apart; /* combinations of the boxes */
};

/* The s-ops are known; kept. */
Classes *values_classes(Values *values, const NodeId *nodes, uint32_t count);
void values_classes_within(Values *values, Classes *classes);
void values_classes_boxes(Values *values, Classes *classes);
/* The s-ops' sets in a class. */
void values_class_sets(const Values *values, const Classes *classes, uint32_t class, SetId *set);

/* The variants of a set of the node's levels: each level as all the kinds that it occurs as. */
uint32_t values_variants(const Values *values, NodeId node, SetId set);

#endif
