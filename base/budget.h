/* budget.h: what one session may use, and the one way out when it has used it up.
 *
 * Every allocation of the library is charged to a Budget.  Code that allocates never sees a
 * failure: when the limit is reached (or the user has cancelled) the budget jumps to the
 * innermost guard, and whoever set the guard frees its arenas and reports.  Set guards only
 * at entry points (parse a file, evaluate a statement, run an input, compile):
 *
 *     BudgetGuard guard;
 *     if (BUDGET_ENTER(budget, &guard)) {
 *         ... work, charging freely ...
 *         budget_leave(budget, &guard);
 *     } else {
 *         ... guard is left already; budget->stop says why ...
 *     }
 *
 * Locals changed after BUDGET_ENTER and read in the else branch must be volatile (setjmp).
 * A Budget belongs to one thread: workers of a loop (parallel.h) allocate before it.
 */
#ifndef RASP_BASE_BUDGET_H
#define RASP_BASE_BUDGET_H

#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

typedef enum BudgetStop {
    BUDGET_GOING,
    BUDGET_OUT_OF_MEMORY, /* the limit would be passed; `wanted` says by which request */
    BUDGET_CANCELLED,     /* *cancel was set (Ctrl-C) */
    BUDGET_OUT_OF_TIME,   /* the thread has used the CPU time that it was given */
} BudgetStop;

typedef struct BudgetGuard {
    jmp_buf jump;
    struct BudgetGuard *outer;
} BudgetGuard;

typedef struct Budget {
    size_t used, peak;                   /* bytes */
    size_t limit;                        /* bytes; SIZE_MAX: none */
    size_t wanted;                       /* bytes of the request that failed */
    long fail_after;                     /* tests: fail the n-th allocation; 0: never */
    const volatile sig_atomic_t *cancel; /* may be NULL */
    double time_limit;                   /* CPU seconds given by budget_time; 0: no limit */
    double deadline;                     /* on the thread's CPU clock; 0: not read yet */
    unsigned ticks;                      /* polls and allocations until the clock is read */
    BudgetStop stop;
    BudgetGuard *guard;
} Budget;

#define BUDGET_DEFAULT_LIMIT ((size_t)4 << 30)

void budget_init(Budget *budget, size_t limit);

/* True at first, false when a stop has jumped back here. */
#define BUDGET_ENTER(budget, guard) (budget_push(budget, guard), setjmp((guard)->jump) == 0)
void budget_push(Budget *budget, BudgetGuard *guard);
void budget_leave(Budget *budget, BudgetGuard *guard);

/* malloc and free, charged.  Memory is uninitialised.  Never returns NULL. */
void *budget_alloc(Budget *budget, size_t size);
void budget_free(Budget *budget, void *memory, size_t size);

/* Counts memory that somebody else allocates (tensors) until it is refunded; jumps as
 * budget_alloc does when it is too much. */
void budget_charge(Budget *budget, size_t size);
void budget_refund(Budget *budget, size_t size);

/* From now on so many seconds of this thread's CPU time; 0: no limit.  CPU time, so that a busy
 * machine does not change what can be done. */
void budget_time(Budget *budget, double seconds);

/* Long loops call this: jumps to the guard when the user has cancelled or time is up. */
void budget_poll(Budget *budget);

/* Jumps to the innermost guard with the given reason; aborts without one. */
_Noreturn void budget_stop(Budget *budget, BudgetStop why);

/* One line for the user: "out of memory: needed 3.2 GiB more, the limit is 4.0 GiB …". */
void budget_message(const Budget *budget, char *text, size_t size);

#endif
