#include "express/limits.h"

#include <malloc.h>
#include <stdint.h>
#include <time.h>

/* All that this process has from malloc, the solver's memory included: CaDiCaL has no limit of
 * its own. */
static bool memory_is_full(const Limits *limits) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd > limits->budget->limit;
}

double limits_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

bool limits_reached(void *context) {
    Limits *limits = context;
    const Budget *budget = limits->budget;
    if (limits->full || (budget->cancel && *budget->cancel)) return true;
    double now = limits_now();
    if (limits->until > 0 && now > limits->until) return true;
    if (budget->limit != SIZE_MAX && now > limits->asked + 0.1) {
        limits->asked = now;
        limits->full = memory_is_full(limits);
    }
    return limits->full;
}
