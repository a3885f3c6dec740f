#include "base/round.h"

#include <math.h>

double round_once(uint64_t top, bool rest, int exponent) {
    int keep = 53, highest = exponent + 63;
    if (highest < -1022) keep -= -1022 - highest;
    if (keep < 0) return 0;
    int drop = 64 - keep; /* 11 … 64 */
    uint64_t kept = drop == 64 ? 0 : top >> drop;
    uint64_t half = (uint64_t)1 << (drop - 1), below = top & (half - 1);
    bool up = (top & half) && (below || rest || (kept & 1));
    return ldexp((double)(kept + up), exponent + drop);
}
