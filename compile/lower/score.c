/* From a selector to a bilinear score: 1 where it selects, at most 0 elsewhere.
 *
 * The selector's top-level conjunction is taken apart; the scores of m parts are added and
 * m - 1 subtracted.  A part that compares positions only may become a mask.  Every other
 * part is seen as a matrix over the levels of its key side and of its query side (pairs that
 * cannot meet in one input are free), with equal rows and columns joined:
 *
 *   all ones                    nothing to score
 *   one side decides            a feature of that side, rank 1
 *   an order, of values moved   the difference (score_order.h), rank 1
 *   a matching                  1 - (code(k) - code(q))^2, rank 2 (3 with the sink)
 *   a window                    that, for each colour (window.h), rank twice their number
 *   anything else               one-hot of the side with fewer classes, rank = classes
 *
 * An equality of what tells its parts, as joined strings do, is that of the parts (tuples.h).
 */
#include "compile/lower/score.h"

#include "compile/lower/score_lines.h"
#include "compile/lower/score_mask.h"
#include "compile/lower/score_private.h"
#include "compile/values/numbers.h"
#include "compile/values/tuples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEW_CLASSES = 8 };
static const double MATRIX_LIMIT = 3e7;
static const double CODE_LIMIT = 0x1p53; /* joint codes are whole numbers that doubles hold */

/* --- sides ------------------------------------------------------------------------------ */

static bool add_side(NodeId *side, uint32_t *count, NodeId id) {
    for (uint32_t k = 0; k < *count; k++)
        if (side[k] == id) return true;
    if (*count == SIDE_MAX) return false;
    side[(*count)++] = id;
    return true;
}

/* One node whose level tells the levels of several: their code in mixed radix. */
static NodeId joint_code(Builder *b, const NodeId *side, uint32_t count) {
    if (count == 1) return side[0];
    NodeId joint = NODE_NONE;
    double stride = 1;
    for (uint32_t k = 0; k < count; k++) {
        const NodeValues *v = values_of(b->values, side[k]);
        if (!v) return NODE_NONE;
        if (stride * v->count > CODE_LIMIT) {
            lower_fail(b->lower, b->selector, "too many joint values");
            return NODE_NONE;
        }
        double *number = ARENA_ARRAY(b->arena, v->count, double);
        for (uint32_t m = 0; m < v->count; m++) number[m] = stride * m;
        NodeId digit = lower_code(b->lower, side[k], number);
        joint = joint == NODE_NONE ? digit
                                   : graph_map(b->graph, OP_ADD, (NodeId[]){joint, digit},
                                               graph_node(b->graph, b->selector)->span);
        stride *= v->count;
    }
    return joint;
}

bool split_sides(Builder *b, Conjunct *c) {
    c->literals = selector_literals(b->graph, c->formula, b->arena);
    c->chance = ARENA_ARRAY(b->arena, c->literals.count, Chance);
    for (uint32_t k = 0; k < c->literals.count; k++) {
        const Node *node = graph_node(b->graph, c->literals.select[k]);
        if (!add_side(c->keys, &c->key_count, node->arg[0]) ||
            !add_side(c->queries, &c->query_count, node->arg[1]))
            return lower_fail(b->lower, b->selector,
                              "more than %d keys or queries in one part of a selector", SIDE_MAX);
    }
    c->key = joint_code(b, c->keys, c->key_count);
    c->query = joint_code(b, c->queries, c->query_count);
    if (c->key == NODE_NONE || c->query == NODE_NONE || !values_of(b->values, c->key) ||
        !values_of(b->values, c->query)) {
        return lower_fail_values(b->lower);
    }
    return true;
}

/* The levels of each of the side's nodes, by level of the joint node.  NULL: it does not tell. */
static const uint32_t *side_levels(Builder *b, const NodeId *side, uint32_t count, NodeId joint) {
    const NodeValues *v = values_of(b->values, joint);
    uint32_t *level = ARENA_ARRAY(b->arena, (size_t)v->count * count, uint32_t);
    for (uint32_t k = 0; count == 1 && k < v->count; k++) level[k] = k;
    if (count == 1) return level;
    NodeId nodes[SIDE_MAX + 1] = {joint};
    memcpy(nodes + 1, side, count * sizeof *side);
    Rows rows;
    if (!values_rows(b->values, nodes, count + 1, UINT32_MAX, &rows)) return NULL;
    bool *told = ARENA_ARRAY(b->arena, v->count, bool);
    for (size_t r = 0; r < rows.row_count; r++) {
        const uint32_t *row = rows.level + r * rows.width;
        uint32_t *of = level + (size_t)row[0] * count;
        if (told[row[0]] && memcmp(of, row + 1, count * sizeof *of) != 0) return NULL;
        told[row[0]] = true;
        memcpy(of, row + 1, count * sizeof *of);
    }
    return level;
}

/* --- the matrix ------------------------------------------------------------------------- */

static uint32_t side_of(const NodeId *side, NodeId id) {
    uint32_t k = 0;
    while (side[k] != id) k++;
    return k;
}

static unsigned char cell(Builder *b, const Conjunct *c, const uint32_t *key_level,
                          const uint32_t *query_level) {
    for (uint32_t k = 0; k < c->literals.count; k++) {
        const Node *node = graph_node(b->graph, c->literals.select[k]);
        uint32_t ks = side_of(c->keys, node->arg[0]), qs = side_of(c->queries, node->arg[1]);
        Atom key = values_of(b->values, node->arg[0])->levels[key_level[ks]];
        Atom query = values_of(b->values, node->arg[1])->levels[query_level[qs]];
        if (!(ops[node->op].flags & OP_TOTAL) && !atom_comparable(key, query)) return FREE;
        bool holds = op_compare(node->op, key, query);
        c->chance[k] = (Chance){holds, holds};
    }
    return literals_chance(&c->literals, c->chance).must;
}

bool fill_matrix(Builder *b, const Conjunct *c, Matrix *m) {
    const NodeValues *key = values_of(b->values, c->key), *query = values_of(b->values, c->query);
    m->rows = key->count;
    m->cols = query->count;
    if ((double)m->rows * m->cols > MATRIX_LIMIT)
        return lower_fail(b->lower, b->selector,
                          "selector compares %u values with %u: too large a matrix (limit %.0f): "
                          "compile for fewer tokens or shorter inputs",
                          m->rows, m->cols, MATRIX_LIMIT);
    m->entry = ARENA_ARRAY(b->arena, (size_t)m->rows * m->cols, unsigned char);
    memset(m->entry, FREE, (size_t)m->rows * m->cols);
    const uint32_t *key_level = side_levels(b, c->keys, c->key_count, c->key);
    const uint32_t *query_level = side_levels(b, c->queries, c->query_count, c->query);
    if (!key_level || !query_level)
        return lower_fail(b->lower, b->selector, "too many joint values");
    unsigned char *meet = ARENA_ARRAY(b->arena, (size_t)m->rows * m->cols, unsigned char);
    values_meet(b->values, c->key, c->query, meet);
    for (uint32_t k = 0; k < m->rows; k++) {
        for (uint32_t q = 0; q < m->cols; q++)
            if (meet[(size_t)k * m->cols + q])
                m->entry[(size_t)k * m->cols + q] = cell(b, c, key_level + (size_t)k * c->key_count,
                                                         query_level + (size_t)q * c->query_count);
        budget_poll(arena_budget(b->arena));
    }
    return true;
}

void quotient(Builder *b, Matrix *m) {
    m->row_class = ARENA_ARRAY(b->arena, m->rows, uint32_t);
    m->col_class = ARENA_ARRAY(b->arena, m->cols, uint32_t);
    uint32_t *row_leader = ARENA_ARRAY(b->arena, m->rows, uint32_t);
    uint32_t *col_leader = ARENA_ARRAY(b->arena, m->cols, uint32_t);
    uint32_t rows = m->row_classes =
        join_lines(m->entry, m->rows, m->cols, m->row_class, row_leader, b->arena);
    unsigned char *across = ARENA_ARRAY(b->arena, (size_t)rows * m->cols, unsigned char);
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t q = 0; q < m->cols; q++)
            across[(size_t)q * rows + r] = m->entry[(size_t)row_leader[r] * m->cols + q];
    m->col_classes = join_lines(across, m->cols, rows, m->col_class, col_leader, b->arena);
    m->class_entry = ARENA_ARRAY(b->arena, (size_t)m->row_classes * m->col_classes, unsigned char);
    for (uint32_t r = 0; r < m->row_classes; r++)
        for (uint32_t q = 0; q < m->col_classes; q++) {
            unsigned char e = across[(size_t)col_leader[q] * rows + r];
            m->class_entry[(size_t)r * m->col_classes + q] = e == 1;
        }
}

/* Classes must not hang on the order of sums. */
typedef struct Classed {
    double number;
    uint32_t level;
} Classed;

static int by_number(const void *a, const void *b) {
    double x = ((const Classed *)a)->number, y = ((const Classed *)b)->number;
    return (x > y) - (x < y);
}

static bool tells_near_apart(Builder *b, NodeId side, const uint32_t *class, Atom *x, Atom *y) {
    const NodeValues *v = values_of(b->values, side);
    if (values_of_input(b->values, side)) return false; /* not computed: embedded */
    Classed *sorted = ARENA_ARRAY(b->arena, v->count, Classed);
    uint32_t count = 0;
    for (uint32_t k = 0; k < v->count; k++)
        if (number_is_exact(v->levels[k]))
            sorted[count++] = (Classed){feature_number(v->levels[k]), k};
    qsort(sorted, count, sizeof *sorted, by_number);
    for (uint32_t k = 1; k < count; k++) {
        const Classed *p = &sorted[k - 1], *q = &sorted[k];
        bool near = atoms_near(v->levels[p->level], v->levels[q->level]);
        if (!near || class[p->level] == class[q->level]) continue;
        *x = v->levels[p->level], *y = v->levels[q->level];
        return true;
    }
    return false;
}

static bool check_classes(Builder *b, const Conjunct *c, const Matrix *m) {
    Atom x, y;
    if (tells_near_apart(b, c->key, m->row_class, &x, &y) ||
        tells_near_apart(b, c->query, m->col_class, &x, &y))
        return lower_fail(b->lower, b->selector,
                          "tells %s from %s, which are as close as rounding errors (round what "
                          "is compared, or multiply it by the length first)",
                          atom_show(x, ATOM_PLAIN, b->arena), atom_show(y, ATOM_PLAIN, b->arena));
    return true;
}

/* --- scores ----------------------------------------------------------------------------- */

void add_pair(Builder *b, Form key, Form query) {
    b->pairs = arena_grow(lower_arena(b->lower), b->pairs, &b->pair_capacity,
                          (size_t)b->score->pair_count + 1, sizeof *b->pairs);
    b->pairs[b->score->pair_count++] = (ScorePair){key, query};
}

void add_to(Builder *b, Form *form, Form other, double factor) {
    *form = form_sum(*form, 1, other, factor, lower_arena(b->lower));
}

/* A feature of one side by class of its levels. */
bool class_feature(Builder *b, NodeId side, const uint32_t *class, const double *number,
                   Form *form) {
    const NodeValues *v = values_of(b->values, side);
    double *image = ARENA_ARRAY(b->arena, v->count, double);
    bool constant = true;
    for (uint32_t k = 0; k < v->count; k++) {
        image[k] = number[class[k]];
        constant &= image[k] == image[0];
    }
    if (constant) {
        *form = form_constant(v->count ? image[0] : 0);
        return true;
    }
    return lower_feature(b->lower, lower_code(b->lower, side, image), form);
}

/* 1 - (k - q)^2 for key and query numbers; the query's square matters only with the sink. */
void add_parabola(Builder *b, Form k, Form kk, Form q, Form qq) {
    Arena *arena = lower_arena(b->lower);
    add_pair(b, k, form_affine(q, 2, 0, arena));
    add_to(b, &b->score->key_only, kk, -1);
    add_to(b, &b->score->query_only, qq, -1);
    b->score->query_only.constant += 1;
}

/* The scaled squares of a side's numbers, and what rounding them loses. */
static const double *squares(Builder *b, NodeId side, double scale, double *lost) {
    const NodeValues *v = values_of(b->values, side);
    double *square = ARENA_ARRAY(b->arena, v->count, double);
    *lost = 0;
    for (uint32_t k = 0; k < v->count; k++) {
        double x = scale * feature_number(v->levels[k]);
        square[k] = x * x;
        *lost = fmax(*lost, fabs(fma(x, x, -square[k])));
    }
    return square;
}

/* Plain equality of numbers: by their values, scaled so that different ones differ by 1. */
static bool add_equality(Builder *b, const Conjunct *c, bool *done) {
    const Node *node = graph_node(b->graph, c->formula);
    *done = false;
    if (node->kind != NODE_SELECT || node->op != OP_EQ) return true;
    const NodeValues *key = values_of(b->values, c->key), *query = values_of(b->values, c->query);
    double gap = INFINITY, largest = 0;
    for (uint32_t k = 0; k < key->count; k++) {
        double x = feature_number(key->levels[k]);
        largest = fmax(largest, fabs(x));
        for (uint32_t q = 0; q < query->count; q++) {
            double y = feature_number(query->levels[q]);
            if (isnan(x) || isnan(y)) return true;
            largest = fmax(largest, fabs(y));
            if (x != y) gap = fmin(gap, fabs(x - y));
        }
    }
    double scale = gap == INFINITY ? 1 : exp2(ceil(-log2(gap)));
    if (gap < INFINITY && scale * gap < 1) scale *= 2; /* a rounded logarithm */
    if (scale * largest > 1e5 || scale > 1e5) return true;
    Form k, kk, q, qq;
    double key_lost, query_lost;
    const double *square_key = squares(b, c->key, scale, &key_lost);
    const double *square_query = squares(b, c->query, scale, &query_lost);
    Arena *arena = lower_arena(b->lower);
    if (!lower_feature(b->lower, c->key, &k) || !lower_feature(b->lower, c->query, &q) ||
        !lower_feature(b->lower, lower_code(b->lower, c->key, square_key), &kk))
        return false;
    /* Without the sink the query's square is the same for all keys and is left out. */
    if (!b->sink)
        qq = form_constant(0);
    else if (!lower_feature(b->lower, lower_code(b->lower, c->query, square_query), &qq))
        return false;
    add_parabola(b, form_affine(k, scale, 0, arena), form_loose(kk, key_lost),
                 form_affine(q, scale, 0, arena), form_loose(qq, b->sink ? query_lost : 0));
    *done = true;
    return true;
}

static uint32_t ones_in_row(const Matrix *m, uint32_t r) {
    uint32_t ones = 0;
    for (uint32_t q = 0; q < m->col_classes; q++) ones += m->class_entry[r * m->col_classes + q];
    return ones;
}

static uint32_t ones_in_col(const Matrix *m, uint32_t q) {
    uint32_t ones = 0;
    for (uint32_t r = 0; r < m->row_classes; r++) ones += m->class_entry[r * m->col_classes + q];
    return ones;
}

bool is_matching(const Matrix *m) {
    for (uint32_t r = 0; r < m->row_classes; r++)
        if (ones_in_row(m, r) > 1) return false;
    for (uint32_t q = 0; q < m->col_classes; q++)
        if (ones_in_col(m, q) > 1) return false;
    return true;
}

/* Classes that match get equal codes, key classes without a match one above all, query
 * classes without a match one below. */
static bool add_matching(Builder *b, const Conjunct *c, const Matrix *m) {
    double *key = ARENA_ARRAY(b->arena, m->row_classes, double), *query;
    query = ARENA_ARRAY(b->arena, m->col_classes, double);
    uint32_t codes = 0;
    for (uint32_t q = 0; q < m->col_classes; q++) query[q] = -1;
    for (uint32_t r = 0; r < m->row_classes; r++) {
        key[r] = -2;
        for (uint32_t q = 0; q < m->col_classes; q++)
            if (m->class_entry[r * m->col_classes + q]) key[r] = query[q] = codes++;
    }
    for (uint32_t r = 0; r < m->row_classes; r++)
        if (key[r] == -2) key[r] = codes;
    double *key2 = ARENA_ARRAY(b->arena, m->row_classes, double);
    double *query2 = ARENA_ARRAY(b->arena, m->col_classes, double);
    for (uint32_t r = 0; r < m->row_classes; r++) key2[r] = key[r] * key[r];
    for (uint32_t q = 0; q < m->col_classes; q++) query2[q] = query[q] * query[q];
    Form k, kk, q, qq = form_constant(0);
    if (!class_feature(b, c->key, m->row_class, key, &k) ||
        !class_feature(b, c->key, m->row_class, key2, &kk) ||
        !class_feature(b, c->query, m->col_class, query, &q))
        return false;
    if (b->sink && !class_feature(b, c->query, m->col_class, query2, &qq)) return false;
    add_parabola(b, k, kk, q, qq);
    return true;
}

/* A number that is a table of several parts is made once, before all the functions of it. */
static bool make_number(Builder *b, NodeId side) {
    const NodeValues *v = values_of(b->values, side);
    Form form;
    return !values_numeric(v) || v->source_count < 2 || lower_feature(b->lower, side, &form);
}

/* One-hot of the side with fewer classes that select anything, against the other side's
 * lines of the matrix. */
static bool add_one_hot(Builder *b, const Conjunct *c, const Matrix *m) {
    uint32_t key_classes = 0, query_classes = 0;
    for (uint32_t r = 0; r < m->row_classes; r++) key_classes += ones_in_row(m, r) > 0;
    for (uint32_t q = 0; q < m->col_classes; q++) query_classes += ones_in_col(m, q) > 0;
    bool by_key = key_classes <= query_classes;
    uint32_t near_count = by_key ? m->row_classes : m->col_classes;
    uint32_t far_count = by_key ? m->col_classes : m->row_classes;
    NodeId near = by_key ? c->key : c->query, far = by_key ? c->query : c->key;
    const uint32_t *near_class = by_key ? m->row_class : m->col_class;
    const uint32_t *far_class = by_key ? m->col_class : m->row_class;
    if (!make_number(b, near) || !make_number(b, far)) return false;
    Form *hot = ARENA_ARRAY(b->arena, near_count, Form), line;
    double *number = ARENA_ARRAY(b->arena, near_count > far_count ? near_count : far_count, double);
    for (uint32_t x = 0; x < near_count; x++) { /* all one-hots first: lines are made of them */
        if ((by_key ? ones_in_row(m, x) : ones_in_col(m, x)) == 0) continue;
        memset(number, 0, near_count * sizeof *number);
        number[x] = 1;
        if (!class_feature(b, near, near_class, number, &hot[x])) return false;
    }
    for (uint32_t x = 0; x < near_count; x++) {
        if ((by_key ? ones_in_row(m, x) : ones_in_col(m, x)) == 0) continue;
        for (uint32_t y = 0; y < far_count; y++)
            number[y] = m->class_entry[by_key ? x * m->col_classes + y : y * m->col_classes + x];
        if (!class_feature(b, far, far_class, number, &line)) return false;
        add_pair(b, by_key ? hot[x] : line, by_key ? line : hot[x]);
    }
    return true;
}

/* One side decides alone. */
static bool add_side_only(Builder *b, const Conjunct *c, const Matrix *m, bool *done) {
    double *number = ARENA_ARRAY(b->arena, (size_t)m->row_classes + m->col_classes, double);
    Form form;
    *done = true;
    if (m->col_classes == 1) {
        for (uint32_t r = 0; r < m->row_classes; r++) number[r] = m->class_entry[r];
        if (!class_feature(b, c->key, m->row_class, number, &form)) return false;
        add_to(b, &b->score->key_only, form, 1);
    } else if (m->row_classes == 1 && !b->sink) {
        return true;
    } else if (m->row_classes == 1) {
        for (uint32_t q = 0; q < m->col_classes; q++) number[q] = m->class_entry[q];
        if (!class_feature(b, c->query, m->col_class, number, &form)) return false;
        add_to(b, &b->score->query_only, form, 1);
    } else
        *done = false;
    return true;
}

static bool is_all(const Matrix *m) {
    for (size_t k = 0; k < (size_t)m->rows * m->cols; k++)
        if (m->entry[k] == 0) return false;
    return true;
}

/* 1 - (k - q)^2 multiplies errors of k and q by their size; where the certificate cannot bear
 * that, what comes out of attention is compared class by class. */
bool by_one_hot(Builder *b, const Conjunct *c) {
    if (lower_options(b->lower).care != LOWER_CAREFUL) return false;
    for (int side = 0; side < 2; side++) {
        const NodeValues *v = values_of(b->values, side ? c->query : c->key);
        for (uint32_t s = 0; s < v->source_count; s++) {
            NodeKind kind = graph_node(b->graph, v->sources[s])->kind;
            if (kind == NODE_AGGREGATE || kind == NODE_WIDTH) return true;
        }
    }
    return false;
}

/* An order of many values, where selected keys may score more than 1: one of the parts may do so,
 * and is kept for the end (add_order). */
static bool take_order(Builder *b, const Conjunct *c, const Matrix *m) {
    const Node *node = graph_node(b->graph, c->formula);
    if (!b->moves || b->order || node->kind != NODE_SELECT) return false;
    if (m->row_classes <= FEW_CLASSES || m->col_classes <= FEW_CLASSES) return false;
    if (!score_order(node->op, values_of(b->values, c->key), values_of(b->values, c->query),
                     &b->by))
        return false;
    b->order = c;
    return true;
}

static Form times(Builder *b, Form form, double factor) {
    return form_affine(form, factor, 0, lower_arena(b->lower));
}

/* The other parts' sum is 1 where all of them hold, at most 0 elsewhere: there it must take away
 * as much as the order can give. */
static bool add_order(Builder *b) {
    double weight = exp2(ceil(log2(fmax(b->by.most, 1))));
    Score *score = b->score;
    Form key, query;
    if (!lower_feature(b->lower, b->order->key, &key) ||
        !lower_feature(b->lower, b->order->query, &query))
        return false;
    for (uint32_t p = 0; p < score->pair_count; p++)
        b->pairs[p].query = times(b, b->pairs[p].query, weight);
    score->key_only = times(b, score->key_only, weight);
    score->query_only = times(b, score->query_only, weight);
    add_to(b, &score->key_only, key, -b->by.scale);
    if (b->sink) add_to(b, &score->query_only, query, b->by.scale);
    score->query_only.constant += b->by.constant - weight;
    return true;
}

static bool add_conjunct(Builder *b, Conjunct *c, bool *scored) {
    Matrix m = {0};
    bool done = false;
    *scored = true;
    if (!split_sides(b, c) || !fill_matrix(b, c, &m)) return false;
    if (is_all(&m)) {
        *scored = false;
        return true;
    }
    quotient(b, &m);
    if (!check_classes(b, c, &m)) return false;
    if (take_order(b, c, &m)) {
        *scored = false;
        return true;
    }
    if (!add_side_only(b, c, &m, &done)) return false;
    if (done) return true;
    if (!add_window(b, c, &m, &done)) return false;
    if (done) return true;
    if (!is_matching(&m) || by_one_hot(b, c)) return add_one_hot(b, c, &m);
    if (!add_digits(b, c, &done)) return false;
    if (done) return true;
    if (!add_equality(b, c, &done)) return false;
    return done || add_matching(b, c, &m);
}

static bool build(Builder *b) {
    Literals conjuncts = selector_conjuncts(b->graph, b->selector, b->arena);
    if (!b->moves && !join_windows(b, &conjuncts)) return false;
    if (!score_take_mask(b->lower, b->selector, &conjuncts, &b->score->mask, b->arena))
        return false;
    if (b->moves && !join_windows(b, &conjuncts)) return false;
    uint32_t scored = 0;
    for (uint32_t k = 0; k < conjuncts.count; k++) {
        NodeId part[TUPLE_PARTS];
        uint32_t parts = tuple_parts(b->values, conjuncts.select[k], part);
        for (uint32_t p = 0; p < parts; p++) {
            Conjunct *c = ARENA_NEW(b->arena, Conjunct);
            bool counts;
            c->formula = part[p];
            if (!add_conjunct(b, c, &counts)) return false;
            scored += counts;
        }
    }
    b->score->query_only.constant += 1 - (double)scored;
    b->score->pairs = b->pairs;
    return !b->order || add_order(b);
}

bool score_build(Lower *lower, NodeId selector, bool sink, bool moves, Score *score,
                 bool *unequal) {
    Builder b = {.lower = lower,
                 .values = lower_values(lower),
                 .graph = values_graph(lower_values(lower)),
                 .selector = selector,
                 .sink = sink,
                 .moves = moves && lower_options(lower).care != LOWER_CAREFUL,
                 .arena = arena_child(lower_arena(lower)),
                 .score = score};
    bool done = build(&b);
    *unequal = b.order != NULL;
    arena_free(b.arena);
    return done;
}

static uint32_t later(const Lower *lower, Form form, uint32_t layer) {
    uint32_t needed = lower_stage(lower, form).layer;
    return needed > layer ? needed : layer;
}

uint32_t score_layer(const Lower *lower, const Score *score) {
    uint32_t layer = later(lower, score->query_only, later(lower, score->key_only, 0));
    for (uint32_t k = 0; k < score->pair_count; k++)
        layer = later(lower, score->pairs[k].query, later(lower, score->pairs[k].key, layer));
    return layer;
}
