/* What position adds to a head's scores: log r of a prior r over keys, by their distance. The table
 * is bias.def.
 *
 * It is added to what scale and temperature leave of a score, so softmax weighs in proportion to
 * r exp(s). The sink has no position and no bias. A distance is the query's index minus the key's,
 * negative for keys behind the query. */
#ifndef RUNTIME_BIAS_H
#define RUNTIME_BIAS_H

#include "runtime/error.h"

#include <stddef.h>

typedef enum {
    RT_BIAS_NONE,
#define BIAS(id, ...) id,
#include "runtime/bias.def"
#undef BIAS
    RT_BIAS_COUNT
} RtBiasForm;

extern const char *const rt_bias_names[RT_BIAS_COUNT]; /* "none" first */

typedef struct {
    RtBiasForm form;
    ptrdiff_t from; /* prior: the distance that values[0] is for; else 0 */
    size_t count;
    double *values; /* −∞ in a prior: not seen */
} HeadBias;

/* Finite, or −∞ for keys that are not seen; 0 without a bias. */
double rt_bias_at(const HeadBias *bias, ptrdiff_t distance);

/* Whether numbers are as many and of the size that the form wants: finite at each distance of
 * inputs of up to `longest` tokens, at most `limit` in size, and with a key for every query, which
 * may be the sink. */
bool rt_bias_check(const HeadBias *bias, size_t longest, double limit, bool sink, RtError *err);

#endif
