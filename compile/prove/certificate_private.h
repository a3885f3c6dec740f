/* certificate_private.h: what the parts of the certificate share. */
#ifndef RASP_COMPILE_PROVE_CERTIFICATE_PRIVATE_H
#define RASP_COMPILE_PROVE_CERTIFICATE_PRIVATE_H

#include "compile/prove/certificate.h"

#include <float.h>
#include <math.h>

/* Weights are written as doubles before they are rounded to the model's type. */
static const double EMIT_SLACK = DBL_EPSILON;
/* The interpreter rounds a mean once; a reciprocal too. */
static const double MEAN_SLACK = DBL_EPSILON;

/* What is known of one residual dimension, at program rows and in row 0: a bound on the
 * nominal value, a bound on the distance from it, and a power of two that every nominal
 * value is a multiple of (0: none known).
 *
 * A count arrives as 1/(1+w), and what attention and rounding do to it is a share of that, however
 * small it is: where `shared`, the distance is no more than share * |nominal value| + floor either,
 * as long as `error` is still `whole`. */
typedef struct Bound {
    double size, error, grain;
    bool shared;
    double share, floor, whole;
} Bound;

typedef struct Checker {
    const Circuit *circuit;
    const Model *ideal, *model;
    Arena *arena;
    Certificate *c;
    double unit;        /* rounding unit of the model's type */
    double significand; /* 2^p: whole numbers up to here are exact */
    double largest;     /* far below what overflows, squares included */
    uint32_t width, longest;
    Bound *row, *row0; /* [width] */
    double *value0;    /* [width] the nominal row 0, which does not depend on the input */
    uint32_t layer;
    struct UnitBound *hidden; /* of the sublayer at hand, by unit; size 0: writes nothing */
    uint32_t *writers;        /* [width] table outputs that it adds to the dimension */
    double low, high;         /* the neighbours that the next decision tells apart; NAN: none */
} Checker;

/* The largest power of two that divides the number; infinity for 0, 0 for the tiny. */
double grain_of(double x);
static inline double finer(double a, double b) {
    return a < b ? a : b;
}
/* Rounding of a sum of `terms` products, the sum of their sizes bounded by `size`. */
double sum_rounding(const Checker *k, double size, double grain, double terms);
/* Notes a number that may overflow the model's type, or comes near. */
void certificate_note_reach(const Checker *k, double reach);

/* The largest absolute value of a part's s-op. */
static inline double part_size(const CircuitPart *part) {
    return fmax(fabs(part->least), fabs(part->most));
}

typedef struct ScoreBound {
    double error;  /* distance of any score from nominal, scale included */
    double leak;   /* total weight that can go to keys that are not selected */
    double spread; /* total variation in all, leak included */
    double ratio;  /* of any one selected key, or the sink: relative to its weight */
} ScoreBound;

/* How far below the maximum a key has weight 0 whatever the row, 1/(α − 1); softmax: 0, no such
 * distance (certificate_kernel.c). */
double certificate_reach(RtRule kernel);
/* Of weights, from scores with that error and gap, both times the scale. */
ScoreBound certificate_weights(const Checker *k, double error, double gap);

/* How far what a form reads is from the s-op that it stands for, the parts' errors apart. */
double certificate_slack(const Checker *k, const Form *form);
/* How far the number that a table reads is from its nominal value, there or anywhere
 * (certificate_reading.c). */
typedef struct ReadBound {
    double error;        /* at most */
    double share, floor; /* and share * |x - constant| + floor; share 1 or more: not known */
    double constant;
} ReadBound;
ReadBound certificate_reading(const Checker *k, const CircuitTable *table);
double read_error(const ReadBound *read, double x);
/* Of a counting head's component: `out` with its error as a share, if it is one.  Keys have the
 * value `key`, the sink has `sink`, meant to be `there`; `slack` is the component's. */
void certificate_share(const Checker *k, Bound *out, double ratio, const Bound *key,
                       const Bound *sink, double there, double slack);
/* A decision: the error of what it reads, and its margin (INFINITY: nothing to decide). */
void certificate_decide(Checker *k, double error, double allowed, const char *what,
                        const char *which);
/* The errors of what a table's unit n reads otherwise than as its multiple of the form
 * (certificate_stray.c). */
double certificate_stray(const Checker *k, const CircuitTable *table, const ModelMlp *ideal,
                         uint32_t n);
/* Decoding one output (certificate_output.c). */
void certificate_output(Checker *k, const CircuitOutput *output);

/* A hidden unit: its own error, beyond that of what it is meant to read; how large its activation
 * can be; a power of two that every nominal activation is a multiple of (0: none known). */
typedef struct UnitBound {
    double noise, size, grain;
} UnitBound;
typedef struct Units {
    UnitBound *unit; /* by unit of the table's shape */
    bool changed;    /* some write other weights than the circuit's */
} Units;

static inline size_t unit_place(const CircuitTable *table, uint32_t n) {
    return table->first_unit + (table->shape.column ? table->shape.column[n] : n);
}
/* Unit u, meant to read the dimensions `meant`, of which it reads no more than `most` where it is
 * active (certificate_unit.c). */
UnitBound certificate_unit(const Checker *k, const ModelMlp *ideal, const ModelMlp *actual,
                           size_t u, const bool *meant, double most);
Units certificate_units(const Checker *k, const CircuitTable *table, double x_error,
                        const ModelMlp *ideal, const ModelMlp *actual);
/* What rounding does to `after` where a sublayer's products are added to what the dimensions held,
 * `k->row`, one by one and in any order; the tables' own sums are charged already
 * (certificate_stream.c). */
void certificate_add_up(const Checker *k, const ModelMlp *actual, Bound *after);

#endif
