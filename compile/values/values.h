/* values.h: the finite set of values that each s-op can take.
 *
 * Sources are what an elementwise expression is built on: the token, the position, and the
 * result of each aggregate and width.  Every other s-op is a function of its sources.  For
 * each s-op there is a list of levels (its distinct values, by the language's equality; an
 * int stands for an equal float, and which kinds it stands for is said) and, for each context
 * (domain.h), the set of levels that are possible there.  Joint values of several s-ops are
 * enumerated over their common sources, context by context, so they stay correlated.
 *
 * Sets are upper bounds: every value that can occur on an input of the domain on which no
 * operator fails is in the set.  Combinations on which an operator fails are left out: they
 * belong to no such input.
 *
 * There are two ways to find them: products of the sources' sets (products.h), and running every
 * input of the domain (runs.h), after which nothing is in a set that does not occur.
 *
 * Memory: the arena given to values_new.  Nothing here is freed earlier.
 */
#ifndef RASP_COMPILE_VALUES_VALUES_H
#define RASP_COMPILE_VALUES_VALUES_H

#include "compile/values/domain.h"
#include "compile/values/sets.h"

typedef struct NodeValues {
    bool known;
    const Atom *levels;         /* in order of discovery */
    const unsigned char *kinds; /* by level: the kinds that it occurs as, KindBits */
    uint32_t count;
    const SetId *sets;     /* per context */
    const NodeId *sources; /* that have several levels, then those that vary in kind alone */
    uint32_t source_count, all_sources; /* the first of them, all of them */
} NodeValues;

/* What equal values differ in. */
typedef enum KindBits {
    IS_BOOL = 1,
    IS_INT = 2,
    IS_FLOAT = 4,
    IS_NEGATIVE_ZERO = 8, /* -0.0 */
    IS_STRING = 16
} KindBits;
enum { KIND_COUNT = 5 };

KindBits kind_bit(Atom value);
/* The value as one of the kinds that it occurs as. */
Atom kind_variant(Atom level, KindBits kind);
static inline bool kind_is_single(unsigned kinds) {
    return (kinds & (kinds - 1)) == 0;
}
/* Is every level of one kind? */
bool values_single_kinds(const NodeValues *v);

/* What could not be enumerated. */
typedef struct ValuesError {
    NodeId node;
    double size, limit; /* combinations or levels wanted and allowed */
    const char *what;   /* "values", "combinations of values" */
    bool raisable;      /* the limit grows with `level_limit` and `row_limit` */
} ValuesError;

typedef struct Values Values;

/* `level_limit`: most levels of one s-op; `row_limit`: most combinations enumerated at once. */
uint64_t values_row_limit(uint32_t level_limit);
Values *values_new(Graph *graph, const Domain *domain, uint32_t level_limit, uint64_t row_limit,
                   Arena *arena);
/* From now on values are found by running every input of the domain, which is then known not to
 * be large (ways.h): nothing has been asked yet.  False: `where` cannot be told on each. */
bool values_run(Values *values);
/* Are they? */
bool values_exact(const Values *values);
/* Proofs about pairs of positions tell at most so many states apart by position (3,000). */
void values_limit_states(Values *values, uint32_t states);
/* Products may look at so many combinations; when they are spent nothing more is found. */
void values_limit_work(Values *values, double combinations);
bool values_spent(const Values *values);
Graph *values_graph(const Values *values);
const Domain *values_domain(const Values *values);

/* From now on means of whole sums (sums.h) count as too large: who says so knows what to do. */
void values_leave_means(Values *values);
/* NULL when the set is too large: values_error says why. */
const NodeValues *values_of(Values *values, NodeId node);
const ValuesError *values_error(const Values *values);

/* The members of a set, sorted. */
const uint32_t *values_set(const Values *values, SetId set, uint32_t *count);
/* Rows of level numbers, one column for each of several s-ops. */
typedef struct Rows {
    uint32_t *level; /* [row_count, width] */
    size_t row_count;
    uint32_t width;
} Rows;
/* The distinct joint values of `count` s-ops at one position.  `context` restricts to one
 * context (UINT32_MAX: all).  False and values_error when there are too many. */
bool values_rows(Values *values, const NodeId *nodes, uint32_t count, uint32_t context, Rows *rows);
/* The same for nodes that are functions of `basis`: where the common sources have too many
 * combinations, those of the basis are taken. */
bool values_rows_over(Values *values, const NodeId *basis, uint32_t basis_count,
                      const NodeId *nodes, uint32_t count, Rows *rows);
/* The same for somebody who has no use for more than `most` rows: false as soon as there are. */
bool values_rows_up_to(Values *values, const NodeId *basis, uint32_t basis_count,
                       const NodeId *nodes, uint32_t count, uint32_t most, Rows *rows);

/* Marks which of the key's levels stand in one input with which of the query's: [levels of the key,
 * levels of the query], zeroed by the caller. */
void values_meet(Values *values, NodeId key, NodeId query, unsigned char *meet);

/* Where values are exact: does the node never fail on an input on which its arguments do not?
 * Do strings stand beside numbers at positions of one input? */
bool values_never_fails(Values *values, NodeId node);
bool values_mixes(Values *values, NodeId node);

/* Are all its levels numbers that a double holds exactly (bools count)?  Ints beyond 2^53 may not
 * be, infinities are not: they are symbols, as strings are. */
bool values_numeric(const NodeValues *v);

/* How far the interpreter's value of a number can be from what real arithmetic gives, as far as
 * sums, products and means show it; 0 where values are exact or nothing is known.  Two floats
 * closer than twice this may be one real number, computed in two orders. */
double values_rounding(Values *values, NodeId node);
/* May they be?  Floats alone, and close to each other as well. */
bool values_joinable(Values *values, NodeId node, Atom x, Atom y);

/* Is it a function of the token or of the position alone: known before anything is computed? */
bool values_of_input(Values *values, NodeId node);

/* True when the node has the same single value in every context with the same position: then it
 * is a function of the position. */
bool values_by_position(Values *values, NodeId node);

/* Row facts of a selector, for a query at each context: at least / at most how many keys are
 * selected. */
typedef struct SelectorFacts {
    const uint32_t *least, *most; /* per context */
    bool never_empty;             /* least >= 1 everywhere */
    bool at_most_one;             /* most <= 1 everywhere */
    bool everything;              /* every row selects every key */
} SelectorFacts;
const SelectorFacts *values_selector(Values *values, NodeId selector);

/* Are all values that one row selects equal, by at-most-one or because the selector pins a
 * key that the value is a function of?  Then the aggregate moves a value, it does not mix. */
bool values_moves(Values *values, NodeId aggregate);
/* Is the aggregate 1/w, with w its selector's width, which is 1 at least: the mean of what is 1 at
 * the first position alone, which is always selected? */
bool values_counted(Values *values, NodeId aggregate);
/* Says so of an aggregate made for a function of a moved value, before its values are asked
 * for: what the proof said of strings holds of their codes. */
void values_declare_moves(Values *values, NodeId aggregate);

#endif
