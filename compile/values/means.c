#include "compile/values/means.h"

#include "base/bits.h"
#include "base/round.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 WideSum;

const double means_limit = 4e6;

struct Means {
    Arena *arena;
    int exponent; /* the unit is 2^exponent */
    Sum *value;
    uint32_t count;
    double limit;
    Sums *by_width;
    size_t known, capacity;
};

/* The value is a whole multiple of the unit: its 53 bits, shifted. */
static Sum in_units(Atom value, int exponent) {
    if (atom_is_integral(value)) return (Sum)atom_integer(value) * ((Sum)1 << -exponent);
    int e;
    int64_t bits = (int64_t)ldexp(frexp(atom_double(value), &e), 53);
    int shift = e - 53 - exponent;
    if (bits == 0) return 0;
    return shift >= 0 ? (Sum)bits * ((Sum)1 << shift) : (Sum)(bits / ((int64_t)1 << -shift));
}

/* The exponent of the largest power of two that all values are whole multiples of. */
static bool common_exponent(const Atom *atom, uint32_t count, uint32_t longest, int *exponent) {
    int lowest = 0, highest = 0;
    for (uint32_t k = 0; k < count; k++) {
        double x = atom_double(atom[k]);
        if (x == 0) continue;
        if (!isfinite(x)) return false;
        int e;
        double f = frexp(fabs(x), &e);
        int low = e - 53 + __builtin_ctzll((uint64_t)ldexp(f, 53));
        if (low < lowest) lowest = low;
        if (e > highest) highest = e;
    }
    *exponent = lowest;
    return highest - lowest + (64 - __builtin_clzll(longest)) <= 120;
}

Means *means_new(Arena *arena, const Atom *values, uint32_t count, uint32_t longest) {
    int exponent;
    if (!common_exponent(values, count, longest, &exponent)) return NULL;
    Means *means = ARENA_NEW(arena, Means);
    *means = (Means){.arena = arena, .exponent = exponent, .count = count, .limit = means_limit};
    means->value = ARENA_ARRAY(arena, count, Sum);
    for (uint32_t k = 0; k < count; k++) means->value[k] = in_units(values[k], exponent);
    means->by_width = arena_grow(arena, NULL, &means->capacity, 1, sizeof *means->by_width);
    means->by_width[0] = (Sums){ARENA_NEW(arena, Sum), 1};
    means->known = 1;
    return means;
}

static int by_sum(const void *a, const void *b) {
    Sum x = *(const Sum *)a, y = *(const Sum *)b;
    return (x > y) - (x < y);
}

/* Dense sums: marks in an array over their range. */
static Sums add_dense(Sums sums, const Sum *value, uint32_t count, Sum low, size_t range,
                      Arena *arena) {
    Arena *scratch = arena_child(arena);
    bool *mark = ARENA_ARRAY(scratch, range, bool);
    size_t total = 0;
    for (uint32_t k = 0; k < count; k++)
        for (size_t s = 0; s < sums.count; s++) {
            bool *at = &mark[sums.sum[s] + value[k] - low];
            total += !*at;
            *at = true;
        }
    Sum *next = ARENA_ARRAY(arena, total, Sum);
    size_t kept = 0;
    for (size_t k = 0; k < range; k++)
        if (mark[k]) next[kept++] = low + (Sum)k;
    arena_free(scratch);
    return (Sums){next, total};
}

static Sums add_sparse(Sums sums, const Sum *value, uint32_t count, Arena *arena) {
    Sum *next = ARENA_ARRAY(arena, sums.count * count, Sum);
    size_t total = 0, kept = 0;
    for (size_t s = 0; s < sums.count; s++)
        for (uint32_t k = 0; k < count; k++) next[total++] = sums.sum[s] + value[k];
    qsort(next, total, sizeof *next, by_sum);
    for (size_t k = 0; k < total; k++)
        if (k == 0 || next[k] != next[kept - 1]) next[kept++] = next[k];
    return (Sums){next, kept};
}

void means_lower_limit(Means *means, double limit) {
    if (limit < means->limit) means->limit = limit;
}

static bool add_values(Sums *sums, const Sum *value, uint32_t count, double limit, Arena *arena) {
    double pairs = (double)sums->count * count;
    if (pairs > limit) return false;
    if (sums->count == 0 || count == 0) {
        sums->count = 0;
        return true;
    }
    Sum least = value[0], most = value[0];
    for (uint32_t k = 1; k < count; k++) {
        if (value[k] < least) least = value[k];
        if (value[k] > most) most = value[k];
    }
    Sum low = sums->sum[0] + least, high = sums->sum[sums->count - 1] + most;
    Sum range = high - low + 1;
    *sums = range <= (Sum)(4 * pairs) + 1024
                ? add_dense(*sums, value, count, low, (size_t)range, arena)
                : add_sparse(*sums, value, count, arena);
    return true;
}

bool means_sums(Means *means, uint32_t width, Sums *sums) {
    return means_sums_up_to(means, width, means->limit, sums);
}

bool means_sums_up_to(Means *means, uint32_t width, double limit, Sums *sums) {
    if (limit > means->limit) limit = means->limit;
    while (means->known <= width) {
        Sums next = means->by_width[means->known - 1];
        if (!add_values(&next, means->value, means->count, limit, means->arena)) return false;
        means->by_width = arena_grow(means->arena, means->by_width, &means->capacity,
                                     means->known + 1, sizeof *means->by_width);
        means->by_width[means->known++] = next;
        budget_poll(arena_budget(means->arena));
    }
    *sums = means->by_width[width];
    return true;
}

bool means_add(Means *means, Sums *sums, const Atom *values, uint32_t count, Arena *arena) {
    Sum *units = ARENA_ARRAY(arena, count, Sum);
    for (uint32_t k = 0; k < count; k++) units[k] = in_units(values[k], means->exponent);
    return add_values(sums, units, count, means->limit, arena);
}

Sum means_unit(const Means *means, uint32_t k) {
    return means->value[k];
}

static int wide_length(WideSum x) {
    uint64_t high = (uint64_t)(x >> 64);
    return high ? 64 + bit_length(high) : bit_length((uint64_t)x);
}

/* Rounded once: enough quotient bits, of which the highest 64, and whether there is more. */
double means_value(const Means *means, Sum sum, uint32_t width) {
    WideSum size = sum < 0 ? (WideSum)0 - (WideSum)sum : (WideSum)sum;
    if (size == 0) return 0;
    int shift = 58 + wide_length(width) - wide_length(size);
    if (shift < 0) shift = 0;
    WideSum quotient = (size << shift) / width;
    bool rest = (size << shift) % width != 0;
    int above = wide_length(quotient) - 64;
    if (above > 0) rest |= (quotient & (((WideSum)1 << above) - 1)) != 0;
    uint64_t top = (uint64_t)(above > 0 ? quotient >> above : quotient << -above);
    double value = round_once(top, rest, means->exponent - shift + above);
    return sum < 0 ? -value : value;
}
