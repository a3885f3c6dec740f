/* formula.h: a selector as a formula over comparisons.
 *
 * Selectors share parts: `s = s and (s or t)`, said 60 times, is 120 nodes and 2^60 ways down to
 * them.  So a formula is a list of steps, each once, and reading one costs its length. */
#ifndef RASP_COMPILE_VALUES_FORMULA_H
#define RASP_COMPILE_VALUES_FORMULA_H

#include "compile/values/values.h"

enum { MAX_LITERALS = 16, CELL_FREE = 2 };

/* Three-valued: what is possible and what is certain. */
typedef struct Chance {
    bool can, must;
} Chance;

typedef struct LiteralStep {
    NodeKind kind; /* NODE_SELECT, NODE_AND, NODE_OR, NODE_NOT */
    uint32_t a, b; /* select: a literal; else steps before this one (not: both the same) */
} LiteralStep;

/* Comparisons (selects) and what joins them; or the parts of a conjunction, without steps. */
typedef struct Literals {
    NodeId *select;
    uint32_t count;
    LiteralStep *step; /* the last one is the formula */
    uint32_t step_count;
    Chance *value; /* scratch, one a step */
} Literals;

/* The comparisons in the selector's formula, each once. */
Literals selector_literals(const Graph *graph, NodeId selector, Arena *arena);
/* The parts that must all hold: the selector's top-level conjunction, each once. */
Literals selector_conjuncts(const Graph *graph, NodeId selector, Arena *arena);

/* The formula's value, given each literal's. */
Chance literals_chance(const Literals *literals, const Chance *chance);
/* The same; there may be MAX_LITERALS, and callers have said so to the user where there are
 * more. */
bool literals_hold(const Literals *literals, const bool *holds);

/* Does everything that is compared have one value in each context?  Then whether j is
 * selected from i depends on n, i and j alone: 0, 1, or CELL_FREE where it never comes up. */
bool literals_positional(Values *values, const Literals *literals);
unsigned positional_cell(Values *values, const Literals *literals, uint32_t n, uint32_t j,
                         uint32_t i);
/* The node's first value in the context, the only one if literals_positional says so; false where
 * the context never comes up. */
bool values_single(Values *values, NodeId node, uint32_t context, Atom *value);

#endif
