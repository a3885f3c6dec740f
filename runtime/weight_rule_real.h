/* Template: the weight rules themselves, one function a row of weight_rule.def.
 *
 * A rule turns a row of scores into weights, in place, and returns their sum; the caller divides by
 * it. With `tiles` in the table a row may be one part of a longer one: `top` is then the largest
 * score so far, of this part and the earlier ones. Masked scores are −∞ and get weight 0. */

typedef struct {
    Real *s;
    size_t n;
    Real top;    /* the row's maximum, finite */
    Real window; /* how far below the maximum a key is still selected */
    const Kernels *kernels;
} Scores;

typedef Real Rule(const Scores *row);

static Real softmax(const Scores *row) {
    return row->kernels->exp_row(row->s, row->n, row->top);
}

static Real hard_left(const Scores *row) {
    Real least = row->top - row->window;
    size_t first = 0;
    while (first < row->n && !(row->s[first] >= least)) first++;
    for (size_t j = 0; j < row->n; j++) row->s[j] = j == first;
    return 1;
}

static Real hard_right(const Scores *row) {
    Real least = row->top - row->window;
    size_t end = row->n;
    while (end > 0 && !(row->s[end - 1] >= least)) end--;
    for (size_t j = 0; j < row->n; j++) row->s[j] = j + 1 == end;
    return 1;
}

static Real average(const Scores *row) {
    Real least = row->top - row->window, sum = 0;
    for (size_t j = 0; j < row->n; j++) sum += row->s[j] = row->s[j] >= least;
    return sum;
}

static Rule *const rules[RT_RULE_COUNT] = {
#define RULE(id, function, ...) [id] = function,
#include "runtime/weight_rule.def"
#undef RULE
};
