#include "runtime/bias.h"

#include <math.h>
#include <stdlib.h>

const char *const rt_bias_names[RT_BIAS_COUNT] = {
    "none",
#define BIAS(id, function, name, ...) [id] = name,
#include "runtime/bias.def"
#undef BIAS
};

static const size_t numbers[RT_BIAS_COUNT] = {
#define BIAS(id, function, name, count, summary) [id] = count,
#include "runtime/bias.def"
#undef BIAS
};

/* --- a function a row ------------------------------------------------------------------------- */

typedef double Bias(const HeadBias *bias, ptrdiff_t distance);

static size_t steps(ptrdiff_t distance) {
    return distance < 0 ? 0 - (size_t)distance : (size_t)distance;
}

/* Press, Smith, Lewis 2021 (arXiv:2108.12409); on both sides alike. */
static double alibi(const HeadBias *bias, ptrdiff_t distance) {
    return -bias->values[0] * (double)steps(distance);
}

static double window(const HeadBias *bias, ptrdiff_t distance) {
    return (double)steps(distance) < bias->values[0] ? 0 : -INFINITY;
}

/* Raffel et al. 2019 (arXiv:1910.10683), of a decoder: distances below 16 have a bucket each; the
 * others begin at 16 · 8^(k/16); keys behind the query count as distance 0. */
static double t5(const HeadBias *bias, ptrdiff_t distance) {
    static const ptrdiff_t first[] = {16, 19, 21, 24, 27, 31, 35, 40,
                                      46, 52, 59, 67, 77, 87, 99, 113};
    size_t shared = 0;
    if (distance < 0) distance = 0;
    while (shared < sizeof first / sizeof *first && first[shared] <= distance) shared++;
    return bias->values[shared ? 15 + shared : (size_t)distance];
}

/* Beyond an end of the list, what stands at that end. */
static double prior(const HeadBias *bias, ptrdiff_t distance) {
    ptrdiff_t last = (ptrdiff_t)bias->count - 1, k = distance - bias->from;
    return bias->values[k < 0 ? 0 : k > last ? last : k];
}

static Bias *const functions[RT_BIAS_COUNT] = {
#define BIAS(id, function, ...) [id] = function,
#include "runtime/bias.def"
#undef BIAS
};

double rt_bias_at(const HeadBias *bias, ptrdiff_t distance) {
    return bias->form == RT_BIAS_NONE ? 0 : functions[bias->form](bias, distance);
}

/* --- what is allowed -------------------------------------------------------------------------- */

static bool check_count(const HeadBias *bias, size_t longest, RtError *err) {
    size_t wanted = numbers[bias->form], most = 2 * longest - 1, count = bias->count;
    if (wanted ? count == wanted : count >= 1 && count <= most)
        return bias->values || rt_error(err, "values: expected %zu numbers, found none", count);
    if (wanted)
        return rt_error(err, "expected %zu number%s for %s, found %zu", wanted,
                        wanted == 1 ? "" : "s", rt_bias_names[bias->form], count);
    return rt_error(err, "expected 1 to %zu numbers, one for each distance, found %zu", most,
                    count);
}

static bool check_values(const HeadBias *bias, double limit, RtError *err) {
    for (size_t k = 0; k < bias->count; k++) {
        double x = bias->values[k];
        if (fabs(x) <= limit || (bias->form == RT_BIAS_PRIOR && x == -INFINITY)) continue;
        return rt_error(err, "values[%zu]: expected a number of at most %g in size, found %g", k,
                        limit, x);
    }
    return true;
}

static bool check_form(const HeadBias *bias, size_t longest, double limit, bool sink,
                       RtError *err) {
    double x = bias->values[0];
    switch (bias->form) {
    case RT_BIAS_WINDOW:
        return (x >= 1 && x == floor(x)) ||
               rt_error(err, "expected a window of at least 1 key, a whole number, found %g", x);
    case RT_BIAS_ALIBI:
        return fabs(x) * (double)longest <= limit ||
               rt_error(err, "expected a slope that stays below %g over %zu tokens, found %g",
                        limit, longest, x);
    case RT_BIAS_PRIOR:
        if (bias->from > 0 || bias->from <= -(ptrdiff_t)bias->count)
            return rt_error(err, "from: expected the distance 0 among the %zu values, found %td",
                            bias->count, bias->from);
        return sink || rt_bias_at(bias, 0) > -INFINITY ||
               rt_error(err, "a query that does not see itself may see no key at all; set sink to "
                             "true");
    default:
        return true;
    }
}

bool rt_bias_check(const HeadBias *bias, size_t longest, double limit, bool sink, RtError *err) {
    if ((unsigned)bias->form >= RT_BIAS_COUNT)
        return rt_error(err, "no such form: %d", (int)bias->form);
    if (bias->form == RT_BIAS_NONE)
        return bias->count == 0 || rt_error(err, "expected a form for %zu numbers", bias->count);
    if (bias->form != RT_BIAS_PRIOR && bias->from != 0)
        return rt_error(err, "from: expected none for %s, found %td", rt_bias_names[bias->form],
                        bias->from);
    return check_count(bias, longest, err) && check_values(bias, limit, err) &&
           check_form(bias, longest, limit, sink, err);
}
