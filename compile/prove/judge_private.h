/* judge_private.h: what the parts of the judge share.
 *
 *     judge_read      the walk over the weights: what every dimension holds, layer by layer
 *     judge_head      a head's values and default; judge_scores its scores against its selector,
 *                     judge_mask what a mask leaves of that
 *     judge_sublayer  hidden units; judge_tables.h as functions of one number
 *     judge_outputs   what is decoded
 *     judge_solve     is one number another?  The rules by which that is shown
 *     judge_rows      joint values, on which what is left is tried
 *     judge_nodes     s-ops under names that the rules can compare
 *     judge_kinds     ints, floats and bools as values
 *     judge_widths    identities of widths; judge_orders comparisons that go together
 *     judge_linear    linear forms over s-ops
 *     judge_fails     what fails where an output does not
 */
#ifndef RASP_COMPILE_PROVE_JUDGE_PRIVATE_H
#define RASP_COMPILE_PROVE_JUDGE_PRIVATE_H

#include "compile/prove/judge.h"
#include "compile/values/formula.h"
#include "compile/values/numbers.h"
#include "compile/values/sums.h"
#include "compile/values/values.h"

#include <float.h>

/* A number at a position: the sum of factor * s-op, and a constant, within `slack`. */
typedef struct Term {
    NodeId node;
    double factor;
} Term;
typedef struct Linear {
    const Term *term; /* by node, ascending; no factor is 0 */
    uint32_t count;
    double constant, slack;
} Linear;

/* A number that is scale * another one + constant, within `slack` (INFINITY: not shown). */
typedef struct Affine {
    double scale, constant, slack;
} Affine;

/* What stands in a node's dimension was shown by what stands in another's. */
typedef struct Reliance {
    NodeId node, on;
} Reliance;

/* The greater of two errors; INFINITY where nobody knows. */
static inline double worse(double a, double b) {
    if (isnan(a) || isnan(b)) return INFINITY;
    return a > b ? a : b;
}

/* Which outcomes of three comparisons, each of an s-op with itself, occur together. */
typedef struct Orders {
    NodeId node, first, second;
    uint64_t found; /* orders_bit of them; UINT64_MAX: any may */
} Orders;

typedef struct Judge {
    const Circuit *claims;
    Graph *graph;
    Values *values;
    const Model *model;
    Arena *arena;
    Verdict *verdict;
    Linear *state;     /* by dimension: what it holds at program positions */
    double *row0;      /* by dimension: what it holds in row 0 */
    Linear *held;      /* by claimed part: what its dimension held when that was last looked at */
    bool *shown;       /* by claimed part: it was looked at when it was written */
    const bool *below; /* by node: is it of the program, below some output? */
    NodeId below_count;
    NodeId *name; /* by node: 1 + judge_name of it; 0: not yet asked */
    size_t name_count;
    Reliance *reliance;
    size_t reliance_count, reliance_capacity;
    Orders *orders; /* those that were asked for */
    size_t order_count, order_capacity;
    /* What is made: the claims with numbers. */
    Circuit *circuit;
    CircuitPart *parts; /* the claims', one a dimension, one a column of tables */
    size_t part_count, part_capacity;
} Judge;

/* False, for returning it; the first refusal stands. */
bool judge_refuse(Judge *j, NodeId node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
const char *judge_text(const Judge *j, NodeId node);

/* --- judge_linear --------------------------------------------------------------------- */

Linear linear_constant(double constant);
/* factor * node; a constant where the s-op has one value. */
Linear linear_node(Judge *j, NodeId node, double factor);
/* The affine image of an s-op. */
Linear linear_affine(Judge *j, Affine a, NodeId node);
/* a + factor * b; terms that cancel but for the rounding of their factors are slack. */
Linear linear_add(Judge *j, Linear a, double factor, Linear b);
/* At given numbers of its terms; *lost: bound on what rounding that made. */
double linear_at(const Linear *l, const double *number, double *lost);
/* The largest absolute value of the s-op, or of the form; INFINITY: not known. */
double node_size(Judge *j, NodeId node);
double linear_size(Judge *j, const Linear *l);
bool linear_is_zero(const Linear *l);
/* The number of a level, NAN where no double holds it. */
double level_number(const NodeValues *v, uint32_t level);

/* --- judge_nodes ---------------------------------------------------------------------- */

/* The same s-op, in terms of those below the outputs where it is a function of one that moves. */
NodeId judge_name(Judge *j, NodeId node);
/* Is it computed position by position? */
static inline bool is_elementwise(const Judge *j, NodeId node) {
    NodeKind kind = graph_node(j->graph, node)->kind;
    return kind == NODE_MAP || kind == NODE_LOOKUP;
}
/* Can the node be computed from those of the basis? */
bool node_follows(Judge *j, NodeId node, const NodeId *basis, uint32_t count);
/* Does it depend only on what those depend on? */
bool node_depends(Judge *j, NodeId node, const NodeId *on, uint32_t count);
/* A table as an s-op: number[level] for the node's levels. */
NodeId node_coded(Judge *j, NodeId node, const double *number);
/* The same as a table of the one width that it depends on; itself where it is no such. */
NodeId node_by_width(Judge *j, NodeId node);

/* --- judge_kinds ---------------------------------------------------------------------- */

/* The number of the bit of its kind, as an s-op; NODE_NONE: not known. */
NodeId kind_node(Judge *j, NodeId node);

/* --- judge_rows ----------------------------------------------------------------------- */

/* Joint values of s-ops, the last one a function of what the others are made of, if need be. */
bool joint_rows(Judge *j, const NodeId *nodes, uint32_t count, Rows *rows);

/* A form and an s-op on all their joint values. */
typedef struct FormRows {
    size_t count;
    double *form, *node; /* by row; NAN: no number */
    double lost;         /* bound on what rounding the form here made */
} FormRows;
/* `node` may be NODE_NONE. */
bool form_rows(Judge *j, const Linear *l, NodeId node, FormRows *rows);

/* --- judge_solve ---------------------------------------------------------------------- */

/* Shows that the form is a constant. */
Affine solve_constant(Judge *j, Linear l);
/* Shows that it is an affine image of the s-op. */
Affine solve_affine(Judge *j, Linear l, NodeId node);
/* y of x on all points, plain numbers preferred; the slack is how far it is off. */
Affine fit_affine(const double *x, const double *y, size_t count);
/* The least distance of two different numbers of the s-op; INFINITY: there are none. */
double node_gap(Judge *j, NodeId node);

/* --- judge_widths --------------------------------------------------------------------- */

/* The same without widths, or with one, where that is shown key by key. */
Linear widths_drop(Judge *j, Linear l);
/* The width of a part of its selector, if the rest selects nothing more or less; else one of the
 * program's that counts the same keys. */
NodeId width_alike(Judge *j, NodeId width);

/* --- judge_orders --------------------------------------------------------------------- */

/* Of outcomes of the s-op's comparison with itself at another position, and of two others'. */
uint64_t orders_of(Judge *j, NodeId node, NodeId first, NodeId second);
uint64_t orders_bit(unsigned of, unsigned first, unsigned second);

/* --- judge_fails ---------------------------------------------------------------------- */

void relies_on(Judge *j, NodeId node, NodeId on);
void relies_on_form(Judge *j, NodeId node, const Linear *l);
/* Does nothing fail, that the nodes `from` rely on, on inputs on which the output does not? */
bool judge_reliance(Judge *j, NodeId output, const NodeId *from, size_t count);

/* --- the walk ------------------------------------------------------------------------- */

/* The form that a column of a matrix reads. */
Linear read_column(Judge *j, const Tensor *t, size_t column);
/* What it gives in row 0; *lost: bound on what rounding that here makes. */
double read_row0(const Judge *j, const Tensor *t, size_t column, double *lost);
/* Adds what the head writes to what dimensions hold after it. */
bool judge_head(Judge *j, const CircuitHead *claim, CircuitHead *head, Linear *after,
                double *after0);
/* `moves`: all values that a row selects are equal, so what is selected may score more or less, as
 * long as nothing else comes near to it. */
bool judge_scores(Judge *j, const CircuitHead *claim, const ModelHead *weights, bool moves,
                  double *slack);
bool judge_sublayer(Judge *j, uint32_t layer, uint32_t sublayer);
bool judge_outputs(Judge *j);

#endif
