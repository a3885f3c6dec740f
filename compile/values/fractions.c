#include "compile/values/fractions.h"

#include <float.h>
#include <math.h>

enum { MOST_PART = 1 << 12, MOST_WHOLE = 1 << 24 };

struct Fractions {
    Means *numerators;
    double denominator;
    double most; /* of the values' sizes, where signs differ; else 0: the mean's own size */
};

/* The least denominator of a fraction that rounds to x, by its continued fraction; 0: a large one.
 */
static int64_t denominator_of(double x) {
    int64_t p = 1, q = 0, last_p = 0, last_q = 1;
    for (double rest = x; q <= MOST_PART;) {
        double whole = floor(rest);
        if (fabs(whole) > MOST_WHOLE) return 0;
        int64_t next_p = (int64_t)whole * p + last_p, next_q = (int64_t)whole * q + last_q;
        last_p = p, last_q = q, p = next_p, q = next_q;
        if (q > 0 && q <= MOST_PART && (double)p / (double)q == x) return q;
        if (rest == whole) return 0;
        rest = 1 / (rest - whole);
    }
    return 0;
}

static int64_t common_divisor(int64_t a, int64_t b) {
    while (b) {
        int64_t rest = a % b;
        a = b, b = rest;
    }
    return a;
}

/* Of all the values; 1: they are whole, 0: there is none. */
static int64_t common_denominator(const Atom *values, uint32_t count) {
    int64_t all = 1;
    for (uint32_t k = 0; k < count; k++) {
        if (atom_is_integral(values[k])) continue;
        int64_t own = isfinite(values[k].f) ? denominator_of(values[k].f) : 0;
        if (own == 0) return 0;
        all = all / common_divisor(all, own) * own;
        if (all > MOST_WHOLE) return 0;
    }
    return all;
}

Fractions *fractions_new(Arena *arena, const Atom *values, uint32_t count, uint32_t longest) {
    int64_t common = common_denominator(values, count);
    if (common < 2) return NULL;
    double denominator = (double)common, least = INFINITY, most = -INFINITY;
    Atom *numerator = ARENA_ARRAY(arena, count, Atom);
    for (uint32_t k = 0; k < count; k++) {
        double x = atom_double(values[k]), p = rint(x * denominator);
        if (fabs(p) * longest > 0x1p52 || p / denominator != x) return NULL;
        numerator[k] = atom_int((int64_t)p);
        least = fmin(least, x), most = fmax(most, x);
    }
    Fractions *fractions = ARENA_NEW(arena, Fractions);
    bool one_sign = least >= 0 || most <= 0;
    *fractions = (Fractions){.numerators = means_new(arena, numerator, count, longest),
                             .denominator = denominator,
                             .most = one_sign ? 0 : fmax(fabs(least), fabs(most))};
    return fractions->numerators ? fractions : NULL;
}

double fractions_denominator(const Fractions *fractions) {
    return fractions->denominator;
}

bool fractions_sums(Fractions *fractions, uint32_t width, Sums *sums) {
    return means_sums(fractions->numerators, width, sums);
}

/* Is d a double that the mean can be, the fraction being nearest to `centre` and `beyond` it? */
static bool is_near(const Fractions *f, double d, double centre, double beyond) {
    double size = fmax(fabs(centre), f->most), own = nextafter(fabs(d), INFINITY) - fabs(d);
    double most = (size * DBL_EPSILON / 2 + own / 2) * (1 + 0x1p-30);
    return fabs((d - centre) - beyond) <= most;
}

bool fractions_near(const Fractions *f, Sum sum, uint32_t width, double *value, uint32_t *count) {
    double whole = f->denominator * width, s = (double)sum, centre = s / whole;
    double beyond = -fma(centre, whole, -s) / whole, low = centre; /* whole numbers: exact */
    int steps = 0;
    *count = 0;
    for (; steps < FRACTIONS_MOST; steps++) {
        double below = nextafter(low, -INFINITY);
        if (!is_near(f, below, centre, beyond)) break;
        low = below;
    }
    for (double d = low; is_near(f, d, centre, beyond); d = nextafter(d, INFINITY)) {
        if (*count == FRACTIONS_MOST) return false;
        value[(*count)++] = d;
    }
    return true;
}
