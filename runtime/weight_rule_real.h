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
    double parameter;
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

/* The same for any α > 1, as exponentials of logarithms, so that α near 1 is as good as any: a key
 * x below the maximum has the share (1 + (x − u)/power)₊^power, power = 1/(α − 1), with the u at
 * which shares add up to 1. It is between 0, where the maximum alone has 1, and power, where
 * nothing is left. Beyond α = 2 the sum is not convex: a step of Newton's that would leave the
 * bracket halves it instead. */
static double entmax_share(double x, double u, double power) {
    double base = (x - u) / power;
    return base > -1 ? exp(power * log1p(base)) : 0;
}

static double entmax_sum(const Scores *row, double u, double power, double *slope) {
    double sum = *slope = 0;
    for (size_t j = 0; j < row->n; j++) {
        double x = (double)row->s[j] - (double)row->top, share = entmax_share(x, u, power);
        if (!(share > 0)) continue;
        sum += share;
        *slope += share / (1 + (x - u) / power);
    }
    return sum;
}

/* The largest u found at which the sum is still 1 or more: no row is left without a weight. */
static double entmax_level(const Scores *row, double power) {
    enum { MOST_STEPS = 200 };
    const double enough = 1e-15;
    double low = 0, high = power, u = 0, slope;
    for (int step = 0; step < MOST_STEPS; step++) {
        double sum = entmax_sum(row, u, power, &slope);
        if (sum >= 1)
            low = u;
        else
            high = u;
        if (sum >= 1 && sum - 1 <= enough) break;
        u += (sum - 1) / slope;
        if (!(u > low && u < high)) u = low + (high - low) / 2;
        if (u == low || u == high) break;
    }
    return low;
}

static Real entmax_alpha(const Scores *row) {
    double power = 1 / (row->parameter - 1), u = entmax_level(row, power);
    double most = entmax_share(0, u, power);
    Real sum = 0;
    for (size_t j = 0; j < row->n; j++) {
        double x = (double)row->s[j] - (double)row->top;
        sum += row->s[j] = (Real)(entmax_share(x, u, power) / most);
    }
    return sum;
}

/* A whole number that orders as x does; −0 is 0. */
static uint64_t rank_of(Real x) {
    RealBits bits;
    Real plain = x + 0;
    memcpy(&bits, &plain, sizeof bits);
    uint64_t sign = UINT64_C(1) << (8 * sizeof bits - 1), all = sign | (sign - 1);
    uint64_t pattern = (uint64_t)bits & all;
    return pattern & sign ? ~pattern & all : pattern | sign;
}

static size_t count_from(const Scores *row, uint64_t least) {
    size_t count = 0;
    for (size_t j = 0; j < row->n; j++) count += rank_of(row->s[j]) >= least;
    return count;
}

/* The rank of the k-th largest score, k ≤ n, by bisection: no memory, and no order is disturbed. */
static uint64_t rank_of_largest(const Scores *row, size_t k) {
    uint64_t low = rank_of(-(Real)INFINITY), high = rank_of(row->top);
    while (low < high) {
        uint64_t middle = low + (high - low + 1) / 2;
        if (count_from(row, middle) >= k)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static Real top_k(const Scores *row) {
    if (!(row->parameter < (double)row->n)) return softmax(row);
    size_t k = (size_t)row->parameter;
    uint64_t least = rank_of_largest(row, k);
    size_t room = k - count_from(row, least + 1); /* for those equal to the k-th */
    for (size_t j = 0; j < row->n; j++) {
        uint64_t rank = rank_of(row->s[j]);
        bool kept = rank > least || (rank == least && room > 0 && room--);
        if (!kept) row->s[j] = -(Real)INFINITY;
    }
    return softmax(row);
}

static Rule *const rules[RT_RULE_COUNT] = {
#define RULE(id, function, ...) [id] = function,
#include "runtime/weight_rule.def"
#undef RULE
};
