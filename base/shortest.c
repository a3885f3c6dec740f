#include "base/shortest.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

__extension__ typedef unsigned __int128 Wide;

/* A double is whole * 2^last, `whole` of 53 bits. */
enum { FRACTION_BITS = 52, BIAS = 1075 };

/* What reads back as x, times 10^places * 2^bits: whole numbers. */
typedef struct Interval {
    Wide low, x, high;
    int places, bits;
    bool closed; /* ties go to even: its ends read back as x, too */
} Interval;

/* For the largest power of ten that is no wider than the interval: log10(2) is 1233 / 4096 and
 * log10(3/4) -512 / 4096, near enough for |last| < 70; shifts round down. */
static int places_of(int last, bool uneven) {
    return -((last * 1233 - (uneven ? 512 : 0)) >> 12);
}

static Interval interval_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint64_t fraction = bits & ((UINT64_C(1) << FRACTION_BITS) - 1);
    uint64_t whole = fraction | UINT64_C(1) << FRACTION_BITS;
    bool uneven = fraction == 0; /* the double below is half as far as the one above */
    int last = (int)(bits >> FRACTION_BITS) - BIAS, places = places_of(last, uneven);
    Wide power = 1;
    for (int i = 0; i < places; i++) power *= 5;
    return (Interval){.low = power * (4 * whole - (uneven ? 1 : 2)),
                      .x = power * (4 * whole),
                      .high = power * (4 * whole + 2),
                      .places = places,
                      .bits = 2 - last - places,
                      .closed = whole % 2 == 0};
}

static bool inside(const Interval *i, uint64_t digits) {
    Wide at = (Wide)digits << i->bits;
    return i->closed ? i->low <= at && at <= i->high : i->low < at && at < i->high;
}

/* It is at least 1 and less than 10 wide: one multiple of ten at most is inside, and of the two
 * numbers beside x at least one. */
static uint64_t digits_inside(const Interval *i) {
    uint64_t below = (uint64_t)(i->x >> i->bits), tens = below / 10 * 10;
    if (inside(i, tens)) return tens;
    if (inside(i, tens + 10)) return tens + 10;
    if (!inside(i, below)) return below + 1;
    if (!inside(i, below + 1)) return below;
    Wide beyond = i->x - ((Wide)below << i->bits), half = (Wide)1 << (i->bits - 1);
    return beyond < half || (beyond == half && below % 2 == 0) ? below : below + 1;
}

/* digits / 10^places, with a digit before the point and one after it. */
static int write_decimal(bool negative, uint64_t digits, int places, char *text) {
    char reversed[SHORTEST_MAX], *to = text;
    int count = 0;
    for (; places > 1 && digits % 10 == 0; places--) digits /= 10;
    if (places == 0) digits *= 10, places = 1;
    for (; places >= 0 || digits > 0; digits /= 10, places--) {
        reversed[count++] = (char)('0' + digits % 10);
        if (places == 1) reversed[count++] = '.';
    }
    if (negative) *to++ = '-';
    while (count > 0) *to++ = reversed[--count];
    *to = '\0';
    return (int)(to - text);
}

int shortest_text(double x, char text[static SHORTEST_MAX]) {
    double size = fabs(x);
    if (size == 0) return write_decimal(signbit(x), 0, 0, text);
    if (!(1e-5 <= size && size < 0x1p53)) return 0;
    Interval interval = interval_of(size);
    return write_decimal(x < 0, digits_inside(&interval), interval.places, text);
}
