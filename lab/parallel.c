#include "lab/parallel.h"

#include <omp.h>

typedef struct Piece {
    void (*work)(void *context, size_t k, Arena *arena);
    void *context;
    Budget *budget; /* the thread's */
} Piece;

/* False when the budget has stopped it. */
static bool run_piece(const Piece *piece, size_t k) {
    BudgetGuard guard;
    Arena *volatile arena = NULL; /* read behind the jump */
    volatile bool done = false;
    if (BUDGET_ENTER(piece->budget, &guard)) {
        arena = arena_new(piece->budget);
        piece->work(piece->context, k, arena);
        budget_leave(piece->budget, &guard);
        done = true;
    }
    if (arena) arena_free(arena);
    return done;
}

/* Between progress calls: enough that threads seldom wait for one another. */
enum { STRETCH = 64 };

void lab_parallel(Lab *lab, size_t count, void (*work)(void *context, size_t k, Arena *arena),
                  void *context, double from, double to) {
    Budget *whole = arena_budget(lab->arena);
    size_t left =
        whole->limit == SIZE_MAX ? SIZE_MAX : (whole->limit - whole->used) / (size_t)lab->threads;
    for (size_t first = 0; first < count; first += STRETCH) {
        size_t last = first + STRETCH < count ? first + STRETCH : count;
        int stopped = BUDGET_GOING;
        lab_progress(lab, from + (to - from) * (double)first / (double)count);
#pragma omp parallel num_threads(lab->threads) if (lab->threads > 1)
        {
            Budget own; /* a budget belongs to one thread */
            budget_init(&own, left);
            own.cancel = whole->cancel;
            Piece piece = {work, context, &own};
#pragma omp for schedule(dynamic)
            for (size_t k = first; k < last; k++) {
                int going;
#pragma omp atomic read
                going = stopped;
                if (going == BUDGET_GOING && !run_piece(&piece, k)) {
#pragma omp atomic write
                    stopped = (int)own.stop;
                }
            }
        }
        if (stopped != BUDGET_GOING) budget_stop(whole, (BudgetStop)stopped);
    }
}
