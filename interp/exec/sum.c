#include "interp/exec/sum.h"

#include "base/bits.h"
#include "base/round.h"

#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 Wide;

/* A number as sign, odd magnitude (0 for zero) and the exponent of its last bit. */
typedef struct Parts {
    bool negative;
    uint64_t magnitude;
    int exponent;
} Parts;

static Parts int_parts(int64_t value) {
    return (Parts){.negative = value < 0,
                   .magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value};
}

static Parts float_parts(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    int exponent = (int)(bits >> 52 & 0x7ff);
    uint64_t fraction = bits & (((uint64_t)1 << 52) - 1);
    if (exponent) fraction |= (uint64_t)1 << 52;
    if (!fraction) return (Parts){0};
    int zeros = __builtin_ctzll(fraction);
    return (Parts){.negative = bits >> 63,
                   .magnitude = fraction >> zeros,
                   .exponent = (exponent ? exponent : 1) - 1075 + zeros};
}

static Parts parts_of(Atom value) {
    return value.kind == ATOM_FLOAT ? float_parts(value.f) : int_parts(atom_integer(value));
}

/* The exponents that the values seen so far span: bits low … high - 1. */
typedef struct Range {
    int low, high;
    bool any, infinite;
} Range;

static void widen(Range *range, Parts parts) {
    if (!parts.magnitude) return;
    int high = parts.exponent + bit_length(parts.magnitude);
    if (!range->any || parts.exponent < range->low) range->low = parts.exponent;
    if (!range->any || high > range->high) range->high = high;
    range->any = true;
}

static void widen_float(Range *range, double value) {
    if (isfinite(value))
        widen(range, float_parts(value));
    else
        range->infinite = true;
}

static Range range_of_ints(const int64_t *ints, size_t count) {
    uint64_t bits = 0; /* the union of the magnitudes has the length of the longest */
    for (size_t i = 0; i < count; i++) bits |= int_parts(ints[i]).magnitude;
    return (Range){.high = bit_length(bits), .any = true};
}

static Range range_of(const Column *values) {
    size_t count = values->constant ? 1 : values->length;
    Range range = {0};
    if (values->form == COLUMN_BOOL) return (Range){.high = 1, .any = true};
    if (values->form == COLUMN_INT) return range_of_ints(values->ints, count);
    if (values->form == COLUMN_FLOAT)
        for (size_t i = 0; i < count; i++) widen_float(&range, values->floats[i]);
    for (size_t i = 0; values->form == COLUMN_ATOM && i < count; i++)
        if (values->atoms[i].kind == ATOM_FLOAT)
            widen_float(&range, values->atoms[i].f);
        else
            widen(&range, parts_of(values->atoms[i]));
    return range;
}

SumScale sum_scale(const Column *values) {
    Range range = range_of(values);
    int bits = range.high - range.low + bit_length(values->length) + 1;
    size_t limbs = ((size_t)bits + 63) / 64;
    return (SumScale){.low = range.low,
                      .limbs = limbs,
                      .infinite = range.infinite,
                      .words = limbs + range.infinite};
}

static void count_infinite(double value, uint64_t *word) {
    uint64_t plus = 1, minus = (uint64_t)1 << 32;
    *word = isnan(value) ? plus + minus : value > 0 ? plus : minus;
}

static void negate(uint64_t *words, size_t count) {
    bool carry = true;
    for (size_t k = 0; k < count; k++) {
        words[k] = ~words[k] + carry;
        carry = carry && words[k] == 0;
    }
}

void sum_load(const SumScale *scale, Atom value, uint64_t *words) {
    memset(words, 0, scale->words * sizeof *words);
    if (value.kind == ATOM_FLOAT && !isfinite(value.f)) {
        count_infinite(value.f, &words[scale->limbs]);
        return;
    }
    Parts parts = parts_of(value);
    if (!parts.magnitude) return;
    size_t shift = (size_t)(parts.exponent - scale->low), at = shift / 64, bit = shift % 64;
    words[at] = parts.magnitude << bit;
    if (bit && at + 1 < scale->limbs) words[at + 1] = parts.magnitude >> (64 - bit);
    if (parts.negative) negate(words, scale->limbs);
}

void sum_load_column(const SumScale *scale, const Column *values, uint64_t *loads) {
    if (values->form == COLUMN_INT && scale->words == 1 && !values->constant) {
        memcpy(loads, values->ints, values->length * sizeof *loads);
        return;
    }
    for (size_t j = 0; j < values->length; j++)
        sum_load(scale, column_at(values, j), loads + j * scale->words);
}

/* --- means ------------------------------------------------------------------------------ */

/* words[0 … count) /= divisor, most significant first; the remainder. */
static uint64_t divide(uint64_t *words, size_t count, uint64_t divisor) {
    uint64_t remainder = 0;
    for (size_t k = count; k-- > 0;) {
        Wide part = (Wide)remainder << 64 | words[k];
        words[k] = (uint64_t)(part / divisor);
        remainder = (uint64_t)(part % divisor);
    }
    return remainder;
}

/* The highest 64 bits from the top one on of words[0 … count), which are not all zero. */
static double round_words(const uint64_t *words, size_t count, bool rest, int low) {
    size_t at = count - 1;
    while (!words[at]) at--;
    int shift = __builtin_clzll(words[at]);
    uint64_t top = words[at] << shift;
    if (shift && at) top |= words[at - 1] >> (64 - shift);
    if (at) rest |= (words[at - 1] << shift) != 0;
    for (size_t k = 0; k + 1 < at; k++) rest |= words[k] != 0;
    return round_once(top, rest, low + 64 * (int)at - shift);
}

static bool infinite_mean(uint64_t counts, double *mean) {
    uint64_t plus = counts & UINT32_MAX, minus = counts >> 32;
    *mean = plus && minus ? (double)NAN : plus ? (double)INFINITY : -(double)INFINITY;
    return plus || minus;
}

double sum_mean(const SumScale *scale, const uint64_t *words, uint64_t count) {
    double mean;
    if (scale->infinite && infinite_mean(words[scale->limbs], &mean)) return mean;
    int64_t small = (int64_t)words[0];
    if (scale->limbs == 1 && scale->low == 0 && small <= 1ll << 53 && small >= -(1ll << 53))
        return (double)small / (double)count; /* one IEEE division of exact operands */
    bool negative = words[scale->limbs - 1] >> 63;
    uint64_t number[SUM_MAX_WORDS + 2] = {0}; /* two words below the unit for the quotient */
    memcpy(number + 2, words, scale->limbs * sizeof *words);
    if (negative) negate(number + 2, scale->limbs);
    bool rest = divide(number, scale->limbs + 2, count) != 0;
    bool zero = true;
    for (size_t k = 0; k < scale->limbs + 2; k++) zero = zero && !number[k];
    if (zero) return 0;
    mean = round_words(number, scale->limbs + 2, rest, scale->low - 128);
    return negative ? -mean : mean;
}
