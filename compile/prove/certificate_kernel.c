/* What a kernel makes of scores that are within a known distance of their nominal values. */
#include "compile/prove/certificate_private.h"

#include "runtime/numerics.h"

#include <math.h>

double certificate_reach(RtRule kernel) {
    static const double reach[RT_RULE_COUNT] = {[RT_SPARSEMAX] = 1, [RT_ENTMAX15] = 2};
    return reach[kernel];
}

/* With exact ties a sparse kernel gives the selected keys one weight, to the last bit, and the
 * others none. Else weights move by at most as much as scores do, in the Euclidean norm (its
 * regulariser is 1-strongly convex), so the selected ones' variation is at most keys · error / 2;
 * the threshold is a sum of `keys` terms that rounds. */
static ScoreBound sparse_bound(const Checker *k, double error, double gap) {
    double keys = k->longest + 1, moved = keys * error / 2;
    double leak = gap - 2 * error >= certificate_reach(k->circuit->options.kernel) ? 0 : 1;
    double rounding = error == 0 ? 0 : k->unit * (8 + 4 * moved * (keys + 8));
    return (ScoreBound){error, leak, fmin(1, leak + moved + rounding), INFINITY};
}

static ScoreBound softmax_bound(const Checker *k, double error, double gap) {
    double keys = k->longest + 1;
    double weight = rt_weight_units(k->longest) * k->unit; /* relative error of a weight */
    double ratio = keys * exp(-(gap - 2 * error)) * (1 + 2 * weight);
    double leak = isfinite(ratio) ? ratio / (1 + ratio) : 1;
    /* One weight is exp(s) over a sum of such (certificate_reading.c). */
    double own = expm1(2 * error), all = own + ratio + own * ratio;
    return (ScoreBound){error, leak, fmin(1, leak + tanh(error / 2) + weight),
                        all + weight + all * weight};
}

ScoreBound certificate_weights(const Checker *k, double error, double gap) {
    bool sparse = k->circuit->options.kernel != RT_SOFTMAX;
    return sparse ? sparse_bound(k, error, gap) : softmax_bound(k, error, gap);
}
