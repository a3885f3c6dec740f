/* Equality of numbers that come out of attention, by two digits.
 *
 * 1 - (k - q)^2 multiplies errors of k and q by their size, and what counts such keys turns errors
 * of scores into a share of the count.  So a number of many values is split into digits of a base
 * near to the root of their range.  The higher one is a table of steps, so it is rid of the
 * number's error; what it leaves is the lower one and that error, of which another table of steps
 * rids it.  Their errors are those of few steps, and are multiplied by what is as large as a digit.
 */
#include "compile/lower/context.h"
#include "compile/lower/rules.h"
#include "compile/lower/scan.h"
#include "compile/lower/score_private.h"

#include <math.h>
#include <stdlib.h>

enum { FEW_VALUES = 64 };

/* Whole numbers, from `least` on. */
typedef struct Radix {
    double least, base;
} Radix;

typedef struct Digits {
    Form high, high2, low, low2;
} Digits;

/* --- which numbers -------------------------------------------------------------------------- */

static bool whole_range(const NodeValues *v, double *least, double *most) {
    for (uint32_t k = 0; k < v->count; k++) {
        double x = feature_number(v->levels[k]);
        if (!(x == trunc(x))) return false;
        *least = fmin(*least, x), *most = fmax(*most, x);
    }
    return true;
}

static bool has_digits(Builder *b, const Conjunct *c, Radix *radix) {
    const Node *node = graph_node(b->graph, c->formula);
    double least = INFINITY, most = -INFINITY;
    if (node->kind != NODE_SELECT || node->op != OP_EQ) return false;
    if (is_exact(b, c->key) && is_exact(b, c->query)) return false;
    if (!whole_range(values_of(b->values, c->key), &least, &most) ||
        !whole_range(values_of(b->values, c->query), &least, &most))
        return false;
    *radix = (Radix){least, exp2(round(log2(most - least + 1) / 2))};
    return most - least >= FEW_VALUES && most - least <= 0x1p40;
}

/* --- digits --------------------------------------------------------------------------------- */

/* The function of x, a level's number at each, in the scan of x. */
static Form function_of(Builder *b, NodeId x, Form form_of_x, const double *number) {
    Lower *lower = b->lower;
    Arena *arena = lower_arena(lower);
    ScanPlan *scan = scan_of(lower, (Cover){.x = x, .form = form_of_x});
    const NodeValues *v = values_of(b->values, x);
    Form form;
    if (scan->x == x && space_solve(scan->space, number, &form)) return form;
    ScanPoint *point = ARENA_ARRAY(b->arena, v->count, ScanPoint);
    double *at = ARENA_ARRAY(arena, v->count, double),
           *value = ARENA_ARRAY(arena, v->count, double);
    for (uint32_t k = 0; k < v->count; k++)
        point[k] = (ScanPoint){feature_number(v->levels[k]), number[k]};
    qsort(point, v->count, sizeof *point, scan_order);
    for (uint32_t k = 0; k < v->count; k++) at[k] = point[k].x, value[k] = point[k].f;
    form = add_scan_output(
        lower, scan,
        (TableOutput){
            .node = lower_code(lower, x, number), .x = at, .value = value, .points = v->count});
    if (scan->x == x) space_add(scan->space, number, form);
    return form;
}

static double *squares_of(Builder *b, const double *number, uint32_t count) {
    double *square = ARENA_ARRAY(b->arena, count, double);
    for (uint32_t k = 0; k < count; k++) square[k] = number[k] * number[k];
    return square;
}

/* Both digits of a number that is there without an error: features of their own. */
static bool exact_digit(Builder *b, NodeId side, const double *digit, Form *form, Form *square) {
    uint32_t count = values_of(b->values, side)->count;
    const double *digit2 = squares_of(b, digit, count);
    return lower_feature(b->lower, lower_code(b->lower, side, digit), form) &&
           lower_feature(b->lower, lower_code(b->lower, side, digit2), square);
}

static bool digits_of(Builder *b, NodeId side, Radix r, Digits *d) {
    const NodeValues *v = values_of(b->values, side);
    double *high = ARENA_ARRAY(b->arena, v->count, double);
    double *low = ARENA_ARRAY(b->arena, v->count, double);
    for (uint32_t k = 0; k < v->count; k++) {
        double x = feature_number(v->levels[k]) - r.least;
        high[k] = floor(x / r.base);
        low[k] = x - r.base * high[k];
    }
    if (is_exact(b, side))
        return exact_digit(b, side, high, &d->high, &d->high2) &&
               exact_digit(b, side, low, &d->low, &d->low2);
    Form whole;
    if (!lower_feature(b->lower, side, &whole)) return false;
    d->high = function_of(b, side, whole, high);
    d->high2 = function_of(b, side, whole, squares_of(b, high, v->count));
    NodeId base = graph_constant(b->graph, atom_int((int64_t)r.base), SPAN_NONE);
    NodeId of_high = lower_code(b->lower, side, high);
    NodeId times = graph_map(b->graph, OP_MUL, (NodeId[]){base, of_high}, SPAN_NONE);
    NodeId rest = graph_map(b->graph, OP_SUB, (NodeId[]){side, times}, SPAN_NONE);
    const NodeValues *left = values_of(b->values, rest);
    if (!left) return lower_fail_values(b->lower);
    Form form = form_sum(whole, 1, d->high, -r.base, lower_arena(b->lower));
    double *of_rest = ARENA_ARRAY(b->arena, left->count, double);
    for (uint32_t k = 0; k < left->count; k++)
        of_rest[k] = feature_number(left->levels[k]) - r.least;
    d->low = function_of(b, rest, form, of_rest);
    d->low2 = function_of(b, rest, form, squares_of(b, of_rest, left->count));
    return true;
}

bool add_digits(Builder *b, const Conjunct *c, bool *done) {
    Radix radix;
    Digits key, query;
    *done = false;
    if (!has_digits(b, c, &radix)) return true;
    b->lower->digits = true;
    if (lower_options(b->lower).care != LOWER_DIGITS) return true;
    if (!digits_of(b, c->key, radix, &key) || !digits_of(b, c->query, radix, &query)) return false;
    add_parabola(b, key.high, key.high2, query.high, query.high2);
    add_parabola(b, key.low, key.low2, query.low, query.low2);
    b->score->query_only.constant -= 1;
    *done = true;
    return true;
}
