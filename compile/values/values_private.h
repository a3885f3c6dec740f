/* values_private.h: what the parts of values.h share. */
#ifndef RASP_COMPILE_VALUES_VALUES_PRIVATE_H
#define RASP_COMPILE_VALUES_VALUES_PRIVATE_H

#include "base/table.h"
#include "compile/values/formula.h"
#include "compile/values/values.h"

typedef struct Run Run; /* runs.h */
typedef struct RunRows RunRows;
typedef struct Runs Runs;
typedef struct ConeTable ConeTable;       /* cone.h */
typedef struct Classes Classes;           /* classes.h */
typedef struct ContextParts ContextParts; /* context_parts.h */
typedef struct ContextPartitions ContextPartitions;

/* What a level is in one place: its number and its kind. */
static inline uint32_t variant_of(uint32_t level, KindBits kind) {
    return level << 3 | (uint32_t)__builtin_ctz(kind);
}
static inline uint32_t variant_level(uint32_t variant) {
    return variant >> 3;
}
static inline KindBits variant_kind(uint32_t variant) {
    return (KindBits)(1u << (variant & 7));
}

typedef struct Entry {
    NodeValues values;
    Atom *levels;
    unsigned char *kinds;
    size_t level_capacity, kind_capacity;
    Table table; /* over levels, by atom_hash */
    SetId *sets;
    const ValuesError *failure;    /* why it has no values, or NULL */
    const SelectorFacts *facts;    /* selectors */
    signed char moves;             /* aggregates: -1 no, 1 yes, 0 not yet asked */
    signed char order;             /* selectors: strict total order?  the same */
    signed char global;            /* sources: one value in an input?  the same */
    signed char counted;           /* aggregates: values_counted?  the same */
    bool single_kinds;             /* values_single_kinds, once known */
    const uint32_t *variant;       /* by level, then; NULL: not yet asked */
    const SetId *several;          /* by kinds - 1: its levels of more; NULL: not yet asked */
    const ContextParts *parts;     /* contexts by its set; NULL: not yet asked */
    const uint32_t *part_variants; /* by part (classes.h) */
    double rounding;               /* values_rounding */
    bool rounding_known;
    Run *run;                   /* s-ops, where inputs are run */
    RunRows *rows;              /* selectors, the same */
    const struct WholeSum *sum; /* of its product: sums.h */
    bool sum_known, summed;     /* asked for; it is the mean of such a sum */
    bool sum_source;            /* it is such a sum itself */
    ConeTable *cone; /* elementwise s-ops: results by their arguments' levels; NULL: not made */
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
    uint32_t *slot; /* by node: the variant under evaluation */
    size_t slot_count;
    NodeId tokens, indices;        /* the two input sources */
    Classes **classes;             /* those asked for so far */
    ContextPartitions *partitions; /* NULL: none yet */
    size_t class_count, class_capacity;
    Runs *runs;              /* NULL: products */
    double work, work_limit; /* combinations that products looked at; 0: no limit */
    bool leaves_means;       /* of whole sums: they have no values */
    uint32_t state_limit;    /* states that are told apart by position (states.h) */
    ValuesError error;
};

/* A combination that is looked at costs less than a row that is kept. */
enum { POINTS_PER_ROW = 16 };

/* What is asked for: the joint values of `nodes`.  They are functions of `basis`. */
typedef struct RowsRequest {
    const NodeId *basis;
    uint32_t basis_count;
    const NodeId *nodes;
    uint32_t count;
    uint32_t only; /* one context, or UINT32_MAX */
    uint64_t most; /* rows */
    NodeId about;  /* for errors */
} RowsRequest;

/* Counts work; false and values_error when it is too much. */
bool values_charge(Values *values, NodeId node, double work);

/* Rows from a map whose keys they are. */
void values_keep_rows(Values *values, const TupleMap *map, uint32_t width, Rows *rows);

Entry *values_entry(Values *values, NodeId node);

/* The level number of a value of the node, added if new; UINT32_MAX when there are too many. */
uint32_t entry_level(Values *values, NodeId node, Atom value);
/* The same for a value that occurs as several kinds. */
uint32_t entry_level_as(Values *values, NodeId node, Atom value, unsigned kinds);
/* The level number of a value of the node; UINT32_MAX when it is none. */
uint32_t entry_find(Values *values, NodeId node, Atom value);

bool values_too_large(Values *values, NodeId node, const char *what, double size, double limit);

/* Has it one value, in all respects?  Then it does not depend on anything. */
static inline bool values_fixed(const NodeValues *v) {
    return v->count == 0 || (v->count == 1 && kind_is_single(v->kinds[0]));
}
bool nodes_contain(const NodeId *list, uint32_t count, NodeId node);
/* The union of the nodes' sources, of those that have several values or kinds. */
NodeId *values_sources(Values *values, const NodeId *nodes, uint32_t count, uint32_t *total,
                       Arena *arena);

/* All levels that the positions of an input of length n can hold, as a set. */
SetId values_within(Values *values, const NodeValues *v, uint32_t n);

/* The parts, by kind of source (values_source.c). */
bool values_compute_source(Values *values, NodeId node, Entry *entry);
/* Those of a whole sum (sums.h). */
bool values_compute_sum(Values *values, NodeId node, Entry *entry);

/* Is the relation "position j is selected by position i" a strict total order of the
 * positions on every input?  Then the selector's width is a permutation (values_order.c). */
bool values_strict_order(Values *values, NodeId selector);
/* Is it one among the positions at which the s-op `class` has the same value: one that the
 * s-op `query` can have? */
bool values_order_within(Values *values, NodeId selector, NodeId class, NodeId query);

/* Of positions that agree in what the equalities `conjuncts` compare (that of `but` left out): does
 * the selector, without what it decides alike for all of them, order them strictly? */
bool values_orders_pinned(Values *values, NodeId selector, NodeId but, const Literals *conjuncts,
                          Arena *arena);
/* Is the one a function of the other, at each position? */
bool values_function_of(Values *values, NodeId value, NodeId of);

/* Does the selector ask for a mark that stands at one position at most; or only at positions
 * that agree in `value` (values_marks.c)? */
bool values_marked_once(Values *values, NodeId selector);
bool values_marks_agree(Values *values, NodeId selector, NodeId value);

#endif
