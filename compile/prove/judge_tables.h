/* judge_tables.h: a table as it is read off its units; for the files about tables.
 *
 *     judge_units      what the units read, and where they bend; what they write
 *     judge_points     what the claimed outputs are at each value of x
 *     judge_lines      sums of too many values for that: straight lines
 *     judge_tables     the one against the other
 *     judge_sublayer   all tables and clears of a sublayer
 */
#ifndef RASP_COMPILE_PROVE_JUDGE_TABLES_H
#define RASP_COMPILE_PROVE_JUDGE_TABLES_H

#include "compile/prove/judge_private.h"

/* A claimed output at the values of x, ascending. */
typedef struct Point {
    double x, value;
} Point;
typedef struct Points {
    Point *at;
    size_t count;
    double lost; /* what rounding made of values between */
    double step; /* of straight lines: points 2k and 2k + 1 are the ends of one (circuit.h) */
    bool sign;   /* of the sign of x alone: constant up to -gap, and from gap on */
} Points;

typedef struct Reader {
    Judge *j;
    const CircuitTable *claim;
    const ModelMlp *weights;
    Linear direct;          /* what the units read, in units of the first */
    double scale, constant; /* direct = scale * x + constant */
    double slack;           /* of x */
    Points *points;         /* by claimed output */
    TableShape shape;       /* units as read; one output a class of columns */
    TableUnit *unit;
    uint32_t *column;
    double *off;  /* by unit: how far from that what it computes is */
    double *bias; /* by dimension: what its share of the out bias is; this table's own */
    Linear *after;
    /* Classes of dimensions that get multiples of one function. */
    size_t *leader; /* by class: a dimension */
    size_t classes;
    uint32_t *class_of; /* by dimension; UINT32_MAX: not written */
    double *factor_of;  /* by dimension */
} Reader;

/* What the units read, as scale * x + constant. */
bool read_direct(Reader *t);
/* All units, by where they bend. */
bool read_units(Reader *t);
/* Dimensions by what they get; those that the claimed outputs stand in lead. */
void find_classes(Reader *t);
/* The first dimension that holds something which varies, and that the unit reads. */
size_t pivot_of(const Reader *t, size_t unit);
bool find_points(Reader *t);
/* The node is a whole sum, and the units read its mean and something that goes by its width. */
bool points_by_lines(Reader *t, NodeId node, Points *p);
/* The output at x; NAN: it is never there. */
double value_at(const Points *p, double x);
bool judge_table(Judge *j, const CircuitTable *claim, CircuitTable *made, const ModelMlp *weights,
                 double *bias, Linear *after, const bool *cleared);

#endif
