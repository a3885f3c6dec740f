/* formula.h: a selector as a list of steps, each below the ones that use it: comparisons of
 * a key column with a query column, and the and, or, not that join them.  The last step is
 * the selector itself.  Every plan starts from here, and the naive one, which judges the
 * others, is formula_cell on every pair. */
#ifndef RASP_INTERP_EXEC_FORMULA_H
#define RASP_INTERP_EXEC_FORMULA_H

#include "graph/graph.h"
#include "interp/exec/column.h"

/* What a step's value depends on: the key position, the query position.  A comparison of a
 * string with a number depends on neither. */
enum { REACH_KEY = 1, REACH_QUERY = 2 };

typedef struct FormulaStep {
    NodeKind kind; /* NODE_SELECT, NODE_AND, NODE_OR, NODE_NOT */
    OpId op;       /* select */
    NodeId node;
    NodeId key, query; /* select */
    const Column *keys, *queries;
    uint32_t a, b; /* and, or, not: steps before this one (not: both the same) */
    uint8_t reach;
} FormulaStep;

typedef struct Formula {
    FormulaStep *steps;
    size_t count;
    bool *cell; /* scratch of formula_cell, one value a step */
    bool *used; /* scratch of formula_predicate: all false between calls */
} Formula;

typedef struct Exec Exec;

/* The columns must be there (the selector checked).  In blocks of the run's arena. */
Formula formula_build(Exec *exec, NodeId selector);
void formula_free(Exec *exec, Formula *formula);

/* Does query row i select key column j?  The definition. */
bool formula_cell(Formula *formula, size_t i, size_t j);

/* A step that depends on one side at most, for every position of that side (one value if on
 * none): a block of the run's arena. */
bool *formula_predicate(Exec *exec, Formula *formula, size_t step);

#endif
