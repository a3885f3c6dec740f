/* score_private.h: a score in the making; for score.c and score_window.c. */
#ifndef RASP_COMPILE_LOWER_SCORE_PRIVATE_H
#define RASP_COMPILE_LOWER_SCORE_PRIVATE_H

#include "compile/lower/score.h"
#include "compile/lower/score_order.h"
#include "compile/values/formula.h"

enum { SIDE_MAX = 16, FREE = CELL_FREE };

/* One part of the conjunction. */
typedef struct Conjunct {
    NodeId formula;
    Literals literals;
    Chance *chance; /* scratch, by literal */
    NodeId keys[SIDE_MAX], queries[SIDE_MAX];
    uint32_t key_count, query_count;
    NodeId key, query; /* one node a side: the node itself or a joint code */
} Conjunct;

typedef struct Builder {
    Lower *lower;
    Values *values;
    Graph *graph;
    NodeId selector;
    bool sink;
    bool moves;            /* selected keys may score more than 1 */
    const Conjunct *order; /* the part that does, or NULL */
    OrderScore by;
    Arena *arena; /* scratch */
    Score *score;
    size_t pair_capacity;
    ScorePair *pairs;
} Builder;

/* The matrix over levels, entry 0, 1 or FREE. */
typedef struct Matrix {
    uint32_t rows, cols; /* key levels, query levels */
    unsigned char *entry;
    uint32_t *row_class, *col_class, row_classes, col_classes;
    unsigned char *class_entry; /* [row_classes, col_classes] */
} Matrix;

bool split_sides(Builder *b, Conjunct *c);
bool fill_matrix(Builder *b, const Conjunct *c, Matrix *m);
/* Joins equal lines of the matrix. */
void quotient(Builder *b, Matrix *m);
bool is_matching(const Matrix *m);
/* Is the side made of tokens, positions and the length?  What else comes out of attention has
 * errors, which codes multiply by their size, and one-hots do not. */
bool is_exact(Builder *b, NodeId side);
/* Must values of one side be compared class by class? */
bool by_one_hot(Builder *b, const Conjunct *c);

void add_pair(Builder *b, Form key, Form query);
void add_to(Builder *b, Form *form, Form other, double factor);
/* 1 - (k - q)^2 for key and query numbers, with their squares. */
void add_parabola(Builder *b, Form k, Form kk, Form q, Form qq);
/* A feature of one side by class of its levels. */
bool class_feature(Builder *b, NodeId side, const uint32_t *class, const double *number,
                   Form *form);

/* --- windows (score_window.c) --------------------------------------------------------------- */

/* Joins two orders of the same variables that leave few keys, or few queries, between them: each
 * alone would take a one-hot of all values. */
bool join_windows(Builder *b, Literals *conjuncts);
/* Adds the matrix's score, if it is a window. */
bool add_window(Builder *b, const Conjunct *c, const Matrix *m, bool *done);

/* --- digits (score_digits.c) ---------------------------------------------------------------- */

/* Adds an equality by digits, if it has some and the lowering asks for that. */
bool add_digits(Builder *b, const Conjunct *c, bool *done);

#endif
