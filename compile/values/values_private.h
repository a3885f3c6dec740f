/* values_private.h: what the parts of values.h share. */
#ifndef RASP_COMPILE_VALUES_VALUES_PRIVATE_H
#define RASP_COMPILE_VALUES_VALUES_PRIVATE_H

#include "compile/values/values.h"

typedef struct Entry {
    NodeValues values;
    Atom *levels;
    size_t level_capacity;
    uint32_t *slots; /* open addressing over levels, index + 1 */
    size_t slot_count;
    SetId *sets;
    const SelectorFacts *facts; /* selectors */
    signed char moves;          /* aggregates: -1 no, 1 yes, 0 not yet asked */
    signed char order;          /* selectors: strict total order?  the same */
} Entry;

struct Values {
    Graph *graph;
    const Domain *domain;
    Arena *arena;
    Sets *sets;
    uint32_t level_limit;
    uint64_t row_limit;
    Entry **entry; /* by node; NULL: not yet asked */
    size_t entry_count;
    Atom *slot; /* by node: the value under evaluation */
    size_t slot_count;
    NodeId tokens, indices; /* the two input sources */
    ValuesError error;
};

Entry *values_entry(Values *values, NodeId node);

/* The level number of a value of the node, added if new; UINT32_MAX when there are too many. */
uint32_t entry_level(Values *values, NodeId node, Atom value);

bool values_too_large(Values *values, NodeId node, const char *what, double size, double limit);

/* All levels that the positions of an input of length n can hold, as a set. */
SetId values_within(Values *values, const NodeValues *v, uint32_t n, Arena *scratch);

/* The parts, by kind of source (values_source.c). */
bool values_compute_source(Values *values, NodeId node, Entry *entry);

/* Is the relation "position j is selected by position i" a strict total order of the
 * positions on every input?  Then the selector's width is a permutation (values_order.c). */
bool values_strict_order(Values *values, NodeId selector);
/* Is it one among the positions at which the s-op `class` has the same value: one that the
 * s-op `query` can have? */
bool values_order_within(Values *values, NodeId selector, NodeId class, NodeId query);

/* Does the selector ask for a mark that stands at one position at most; or only at positions
 * that agree in `value` (values_marks.c)? */
bool values_marked_once(Values *values, NodeId selector);
bool values_marks_agree(Values *values, NodeId selector, NodeId value);

/* The comparisons in a selector's formula. */
typedef struct Literals {
    NodeId *select;
    uint32_t count;
} Literals;
Literals selector_literals(const Graph *graph, NodeId selector, Arena *arena);
/* The parts that must all hold: the selector's top-level conjunction. */
Literals selector_conjuncts(const Graph *graph, NodeId selector, Arena *arena);
enum { MAX_LITERALS = 16, CELL_FREE = 2 };

/* Does everything that is compared have one value in each context?  Then whether j is
 * selected from i depends on n, i and j alone: 0, 1, or CELL_FREE where it never comes up. */
bool literals_positional(Values *values, const Literals *literals);
unsigned positional_cell(Values *values, NodeId formula, const Literals *literals, uint32_t n,
                         uint32_t j, uint32_t i);
/* The formula's value, given each literal's; there may be MAX_LITERALS, and callers have said so
 * to the user where there are more. */
bool selector_holds(const Graph *graph, NodeId selector, const Literals *literals,
                    const bool *holds);

#endif
