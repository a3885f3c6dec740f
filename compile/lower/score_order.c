#include "compile/lower/score_order.h"

#include "compile/lower/lower.h"

#include <math.h>

/* Scores of this size leave attention's weights exact enough. */
static const double MOST_SCORE = 1e5;

bool score_order(OpId op, const NodeValues *key, const NodeValues *query, OrderScore *score) {
    bool less = op == OP_LT || op == OP_LE, equal = op == OP_LE || op == OP_GE;
    double gap = INFINITY, most = -INFINITY, size = 0;
    if (!less && op != OP_GT && op != OP_GE) return false;
    if (!values_numeric(key) || !values_numeric(query)) return false;
    for (uint32_t k = 0; k < key->count; k++) {
        double x = feature_number(key->levels[k]);
        for (uint32_t q = 0; q < query->count; q++) {
            double y = feature_number(query->levels[q]), d = less ? y - x : x - y;
            if (d != 0) gap = fmin(gap, fabs(d));
            most = fmax(most, d);
            size = fmax(size, fmax(fabs(x), fabs(y)));
        }
    }
    double scale = gap == INFINITY ? 1 : exp2(ceil(-log2(gap)));
    if (gap < INFINITY && scale * gap < 1) scale *= 2; /* a rounded logarithm */
    *score = (OrderScore){less ? scale : -scale, equal, scale * most + equal};
    return scale <= MOST_SCORE && scale * size <= MOST_SCORE;
}
