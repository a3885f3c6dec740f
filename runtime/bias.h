/* What position adds to scores: log r of a prior r over keys, by their distance. A property of the
 * run, as the weight rule is: ALiBi, T5's buckets and windows are functions of this kind.
 *
 * It is added to what scale and temperature leave of a score, so softmax weighs in proportion to
 * r exp(s). The sink has no position and no bias. */
#ifndef RUNTIME_BIAS_H
#define RUNTIME_BIAS_H

#include <stddef.h>

typedef struct {
    /* NULL: none. The distance is the query's index minus the key's, negative for keys behind it;
     * finite, or −∞ for keys that are not seen. A query has to see a key. Asked once, when an
     * engine is made, for every distance below the model's maximum length. */
    double (*at)(const void *context, size_t layer, size_t head, ptrdiff_t distance);
    const void *context;
} RtBias;

#endif
