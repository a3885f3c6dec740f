#include "lab/parallel.h"

#include "base/parallel.h"

#include <stdatomic.h>

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

/* Some pieces, from number `first` on.  A budget belongs to one thread. */
typedef struct Stretch {
    void (*work)(void *context, size_t k, Arena *arena);
    void *context;
    size_t first;
    Budget *own;        /* [threads] */
    atomic_int stopped; /* a BudgetStop */
} Stretch;

static void run_one(void *context, size_t k, int thread) {
    Stretch *stretch = context;
    Budget *own = &stretch->own[thread];
    Piece piece = {stretch->work, stretch->context, own};
    if (atomic_load(&stretch->stopped) == BUDGET_GOING && !run_piece(&piece, stretch->first + k))
        atomic_store(&stretch->stopped, (int)own->stop);
}

void lab_parallel(Lab *lab, size_t count, void (*work)(void *context, size_t k, Arena *arena),
                  void *context, double from, double to) {
    Budget *whole = arena_budget(lab->arena);
    int threads = lab->threads > 1 ? lab->threads : 1;
    size_t left =
        whole->limit == SIZE_MAX ? SIZE_MAX : (whole->limit - whole->used) / (size_t)threads;
    Stretch stretch = {
        .work = work, .context = context, .own = ARENA_ARRAY(lab->arena, (size_t)threads, Budget)};
    for (size_t first = 0; first < count; first += STRETCH) {
        size_t pieces = count - first < STRETCH ? count - first : STRETCH;
        lab_progress(lab, from + (to - from) * (double)first / (double)count);
        for (int t = 0; t < threads; t++) {
            budget_init(&stretch.own[t], left);
            stretch.own[t].cancel = whole->cancel;
        }
        stretch.first = first;
        atomic_init(&stretch.stopped, BUDGET_GOING);
        parallel_for(pieces, threads, run_one, &stretch);
        if (stretch.stopped != BUDGET_GOING) budget_stop(whole, (BudgetStop)stretch.stopped);
    }
}
