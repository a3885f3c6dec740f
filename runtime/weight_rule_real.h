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

/* α-entmax, α = 1 + 1/power: a_j = (z_j − t)₊^power with z = (s − top)/power and t such that the
 * sum is 1 (Peters, Niculae, Martins 2019). The sum is convex and falls with t, so Newton's method
 * from t = −1, where it is at least 1, climbs to the root without passing it, and no key whose z is
 * −1 or less ever gets weight, however many keys there are. */
static Real threshold(const Scores *row, int power) {
    enum { MOST_STEPS = 80 };
    Real t = -1, scale = 1 / (Real)power;
    for (int step = 0; step < MOST_STEPS; step++) {
        Real sum = 0, slope = 0;
        for (size_t j = 0; j < row->n; j++) {
            Real over = (row->s[j] - row->top) * scale - t;
            if (!(over > 0)) continue;
            sum += power == 1 ? over : over * over;
            slope += power == 1 ? 1 : 2 * over;
        }
        Real next = t + (sum - 1) / slope;
        if (!(next > t)) break;
        t = next;
    }
    return t;
}

/* Weights relative to that of the maximum, so that equal ones are 1 and their sum is a count. */
static Real entmax(const Scores *row, int power) {
    Real t = threshold(row, power), scale = 1 / (Real)power, sum = 0;
    for (size_t j = 0; j < row->n; j++) {
        Real over = (row->s[j] - row->top) * scale - t;
        Real share = over > 0 ? over / -t : 0;
        sum += row->s[j] = power == 1 ? share : share * share;
    }
    return sum;
}

static Real sparsemax(const Scores *row) {
    return entmax(row, 1);
}

static Real entmax15(const Scores *row) {
    return entmax(row, 2);
}

static Rule *const rules[RT_RULE_COUNT] = {
#define RULE(id, function, ...) [id] = function,
#include "runtime/weight_rule.def"
#undef RULE
};
