/* What the forward pass promises about its arithmetic, in the numbers that both it and a proof
 * about its results need: whoever changes one here changes the pass and every later bound.
 *
 * A softmax weight is computed as exp(s − m) / Σ exp(s − m) over tiles of keys, m the row's maximum
 * so far; when a later tile has a larger one, what was summed is multiplied by exp(old m − new m)
 * (attention_real.h). So a row over n keys goes through at most ⌈n / tile⌉ factors of exp; through
 * one, where it is weighed at once (abreast_real.h). */
#ifndef RUNTIME_NUMERICS_H
#define RUNTIME_NUMERICS_H

#include <stddef.h>

/* Sizes of tiles, measured at 4,096 positions: scores of narrow heads stay in the first cache; of
 * wide ones keys and values of a tile stay in the second while many queries look at them, a number
 * that strips divide (strip_real.h). May be set when building, to try others: nothing else has to
 * change. */
#ifndef RT_NARROW_QUERIES
#define RT_NARROW_QUERIES 16
#endif
#ifndef RT_NARROW_KEYS
#define RT_NARROW_KEYS 1024
#endif
#ifndef RT_WIDE_QUERIES
#define RT_WIDE_QUERIES 144
#endif
#ifndef RT_WIDE_KEYS
#define RT_WIDE_KEYS 512
#endif

/* The narrowest tile of keys that a run chooses by itself (RunOptions.key_tile asks for another).
 */
#define RT_LEAST_KEYS (RT_WIDE_KEYS < RT_NARROW_KEYS ? RT_WIDE_KEYS : RT_NARROW_KEYS)

/* exp(x), x ≤ 0: relative error in units in the last place; exp(0) is 1, exactly. */
#define RT_EXP_ULPS 2

/* Below, exp gives 0: no subnormal number ever arises (kernels_real.h). */
#define RT_EXP_LEAST_32 (-87.336540f)
#define RT_EXP_LEAST_64 (-708.39641853226407875)

/* The relative error of one softmax weight over at most `keys` keys and the sink, as a multiple of
 * the rounding unit u (half an ulp of 1, so an ulp is at most 2u): the exp of the score and the exp
 * in the sum, 2u · RT_EXP_ULPS each, and as much again for each tile by whose maximum the row may
 * be rescaled; what sums and quotients round is charged where they are made. */
static inline double rt_weight_units(size_t keys) {
    double one = 2.0 * RT_EXP_ULPS;
    return 2 * one + one * (1 + (double)(keys / RT_LEAST_KEYS));
}

#endif
