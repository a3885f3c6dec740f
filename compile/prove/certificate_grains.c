/* Sums that are not rounded: of whole multiples of a power of two, as many as a float holds. */
#include "compile/prove/certificate_private.h"

double grain_of(double x) {
    if (x == 0) return INFINITY;
    int e;
    double f = frexp(fabs(x), &e);
    uint64_t bits = (uint64_t)ldexp(f, 53);
    int low = e - 53 + __builtin_ctzll(bits);
    return low < -60 ? 0 : ldexp(1, low);
}

double sum_rounding(const Checker *k, double size, double grain, double terms) {
    if (size == 0) return 0;
    if (grain == INFINITY || (grain > 0 && size <= k->significand * grain)) return 0;
    return size * k->unit * (terms + 2) * (1 + k->unit * (terms + 2));
}
