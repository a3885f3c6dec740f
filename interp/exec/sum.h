/* sum.h: exact sums of numbers, and means rounded once.
 *
 * A finite double is an integer times a power of two, so the values of a column are integers
 * over one common power of two, and a sum of them is an integer of as many 64-bit words as
 * the column's range of exponents and its length ask for: one for small ints, usually two for
 * floats, 34 for floats of the whole range.  Sums are vectors of words in two's complement,
 * least word first; sums and differences wrap and stay exact as long as the final result is
 * the sum of some of the column's values.  So sums can be taken in any order, by prefix
 * differences or by inclusion and exclusion, and the mean is the same: the true mean, rounded
 * once to double (ties to even, subnormals included).
 *
 * Infinities and NaNs are counted in one more word: +inf in the low half, -inf in the high
 * half, a NaN in both.  A mean over +inf and -inf, or over a NaN, is NaN.
 */
#ifndef RASP_INTERP_EXEC_SUM_H
#define RASP_INTERP_EXEC_SUM_H

#include "interp/exec/column.h"

enum { SUM_MAX_WORDS = 36 };

typedef struct SumScale {
    int low;       /* a sum's unit is 2^low */
    size_t limbs;  /* words of the number */
    bool infinite; /* one word more, which counts infinities */
    size_t words;  /* in all, at most SUM_MAX_WORDS */
} SumScale;

/* Room for the sum of any subset of the values of a numeric column. */
SumScale sum_scale(const Column *values);

/* words: the value in units of the scale. */
void sum_load(const SumScale *scale, Atom value, uint64_t *words);

/* A column's values one after the other: loads: [values->length][scale->words]. */
void sum_load_column(const SumScale *scale, const Column *values, uint64_t *loads);

/* a += b, a -= b.  The counting word takes no carry from the number's words. */
static inline void sum_add(const SumScale *scale, uint64_t *a, const uint64_t *b) {
    uint64_t carry = 0;
    if (scale->words == 1) {
        a[0] += b[0];
        return;
    }
    if (scale->limbs == 2 && scale->words == 2) {
        a[1] += b[1] + __builtin_add_overflow(a[0], b[0], &a[0]);
        return;
    }
    for (size_t k = 0; k < scale->words; k++) {
        if (k == scale->limbs) carry = 0;
        uint64_t part = b[k] + carry;
        carry = part < carry;
        a[k] += part;
        carry += a[k] < part;
    }
}
static inline void sum_subtract(const SumScale *scale, uint64_t *a, const uint64_t *b) {
    uint64_t borrow = 0;
    if (scale->words == 1) {
        a[0] -= b[0];
        return;
    }
    if (scale->limbs == 2 && scale->words == 2) {
        a[1] -= b[1] + __builtin_sub_overflow(a[0], b[0], &a[0]);
        return;
    }
    for (size_t k = 0; k < scale->words; k++) {
        if (k == scale->limbs) borrow = 0;
        uint64_t part = b[k] + borrow;
        borrow = part < borrow;
        borrow += a[k] < part;
        a[k] -= part;
    }
}

/* The mean of `count` values (1 to 2^32 - 1) whose sum is `words`. */
double sum_mean(const SumScale *scale, const uint64_t *words, uint64_t count);

#endif
