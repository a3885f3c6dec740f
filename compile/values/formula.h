/* formula.h: a selector as a formula over comparisons. */
#ifndef RASP_COMPILE_VALUES_FORMULA_H
#define RASP_COMPILE_VALUES_FORMULA_H

#include "compile/values/values.h"

enum { MAX_LITERALS = 16, CELL_FREE = 2 };

/* Comparisons (selects), or parts of a formula. */
typedef struct Literals {
    NodeId *select;
    uint32_t count;
} Literals;

/* The comparisons in the selector's formula, each once. */
Literals selector_literals(const Graph *graph, NodeId selector, Arena *arena);
/* The parts that must all hold: the selector's top-level conjunction. */
Literals selector_conjuncts(const Graph *graph, NodeId selector, Arena *arena);

/* The formula's value, given each literal's; there may be MAX_LITERALS, and callers have said so
 * to the user where there are more. */
bool selector_holds(const Graph *graph, NodeId selector, const Literals *literals,
                    const bool *holds);

/* Does everything that is compared have one value in each context?  Then whether j is
 * selected from i depends on n, i and j alone: 0, 1, or CELL_FREE where it never comes up. */
bool literals_positional(Values *values, const Literals *literals);
unsigned positional_cell(Values *values, NodeId formula, const Literals *literals, uint32_t n,
                         uint32_t j, uint32_t i);

#endif
