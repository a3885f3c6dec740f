#include "base/budget.h"

#include "base/clock.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void budget_init(Budget *budget, size_t limit) {
    *budget = (Budget){.limit = limit ? limit : SIZE_MAX};
}

void budget_push(Budget *budget, BudgetGuard *guard) {
    guard->outer = budget->guard;
    budget->guard = guard;
    budget->stop = BUDGET_GOING;
}

void budget_leave(Budget *budget, BudgetGuard *guard) {
    budget->guard = guard->outer;
}

_Noreturn void budget_stop(Budget *budget, BudgetStop why) {
    BudgetGuard *guard = budget->guard;
    if (!guard) {
        fprintf(stderr, "rasp: budget stopped outside any guard\n");
        abort();
    }
    budget->stop = why;
    budget->guard = guard->outer;
    longjmp(guard->jump, 1);
}

/* --- time ------------------------------------------------------------------------------- */

/* Reading the clock is a system call: the first is made after so many polls, which short work never
 * reaches. */
enum { TICKS = 64 };

void budget_time(Budget *budget, double seconds) {
    budget->time_limit = seconds > 0 ? seconds : 0;
    budget->deadline = 0;
    budget->ticks = 0;
}

static void tick(Budget *budget) {
    if (budget->time_limit == 0 || ++budget->ticks % TICKS) return;
    double now = clock_cpu_seconds();
    if (budget->deadline == 0) budget->deadline = now + budget->time_limit;
    if (now > budget->deadline) budget_stop(budget, BUDGET_OUT_OF_TIME);
}

/* --- memory ----------------------------------------------------------------------------- */

static _Noreturn void refuse(Budget *budget, size_t size) {
    budget->wanted = size;
    budget_stop(budget, BUDGET_OUT_OF_MEMORY);
}

static void count(Budget *budget, size_t size) {
    budget->used += size;
    if (budget->used > budget->peak) budget->peak = budget->used;
}

void *budget_alloc(Budget *budget, size_t size) {
    tick(budget);
    bool fail = budget->fail_after > 0 && --budget->fail_after == 0;
    void *memory = NULL;
    if (!fail && size <= budget->limit - budget->used) memory = malloc(size ? size : 1);
    if (!memory) refuse(budget, size);
    count(budget, size);
    return memory;
}

void budget_charge(Budget *budget, size_t size) {
    if (size > budget->limit - budget->used) refuse(budget, size);
    count(budget, size);
}

void budget_refund(Budget *budget, size_t size) {
    budget->used -= size;
}

void budget_free(Budget *budget, void *memory, size_t size) {
    if (!memory) return;
    free(memory);
    budget->used -= size;
}

void budget_poll(Budget *budget) {
    if (budget->cancel && *budget->cancel) budget_stop(budget, BUDGET_CANCELLED);
    tick(budget);
}

static void print_bytes(char *text, size_t size, size_t bytes) {
    static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    double value = (double)bytes;
    size_t u = 0;
    while (value >= 1024 && u + 1 < sizeof unit / sizeof *unit) value /= 1024, u++;
    snprintf(text, size, u ? "%.1f %s" : "%.0f %s", value, unit[u]);
}

void budget_message(const Budget *budget, char *text, size_t size) {
    if (budget->stop == BUDGET_CANCELLED) {
        snprintf(text, size, "interrupted");
        return;
    }
    if (budget->stop == BUDGET_OUT_OF_TIME) {
        snprintf(text, size, "not done within the time limit of %g s (--time-limit raises it)",
                 budget->time_limit);
        return;
    }
    char wanted[32], used[32], limit[32];
    print_bytes(wanted, sizeof wanted, budget->wanted);
    print_bytes(used, sizeof used, budget->used);
    print_bytes(limit, sizeof limit, budget->limit);
    snprintf(text, size,
             "out of memory: %s more needed, %s in use, the limit is %s (--max-memory raises it)",
             wanted, used, limit);
}
