#include "express/limits.h"

#include "base/clock.h"

#include <malloc.h>
#include <stdint.h>

/* All that this process has from malloc, the solver's memory included: CaDiCaL has no limit of
 * its own. */
static bool memory_is_full(const Limits *limits) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd > limits->budget->limit;
}

bool limits_reached(void *context) {
    Limits *limits = context;
    const Budget *budget = limits->budget;
    if (limits->full || (budget->cancel && *budget->cancel)) return true;
    double now = clock_seconds();
    if (limits->until > 0 && now > limits->until) return true;
    if (budget->limit != SIZE_MAX && now > limits->asked + 0.1) {
        limits->asked = now;
        limits->full = memory_is_full(limits);
    }
    return limits->full;
}
