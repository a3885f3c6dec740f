#include "cli/bounds.h"

#include "cli/stop.h"

#include <stdio.h>
#include <string.h>

enum { MOST_HEADS = 8, MOST_VALUES = 8, MOST_INSTANCES = 60000, MOST_TOKENS = 255, CLASSES = 4 };

/* --- classes ---------------------------------------------------------------------------- */

/* The classes that the program's layers are in. */
static size_t classes_of(const RaspFacts *f, Bound bounds[CLASSES]) {
    size_t count = 0;
    Query bag = {.kind = CLASS_NO_POSITIONS, .most = 1, .values = 1, .heads = 1};
    if (f->layers && f->average_values && f->average_heads <= MOST_HEADS &&
        f->average_values <= MOST_VALUES) {
        Query q = {CLASS_AVERAGE, f->average_heads, f->average_values, 1, false, 1};
        bounds[count++] = (Bound){.name = "average", .query = q, .program = f->layers};
    }
    if (f->layers && f->unique && f->unique_heads <= MOST_HEADS) {
        Query q = {CLASS_UNIQUE, f->unique_heads, 1, 1, false, 1};
        bounds[count++] = (Bound){.name = "unique", .query = q, .program = f->layers};
    }
    if (f->layers && f->positions <= RASP_POSITIONS_MASKS)
        bounds[count++] = (Bound){"masks", bag, true, true, .program = f->layers};
    /* counts are what layers of softmax without positions have of tokens, so one layer of any
     * heads is no less than a depth of 1 */
    if (f->counting && f->counting_depth)
        bounds[count++] = (Bound){"c-rasp", bag, true, true, .program = f->counting_depth};
    return count;
}

uint32_t bound_least(const Bound *b, uint32_t *from) {
    bool two = b->one && b->program >= 2;
    *from = two ? b->one : b->without ? b->without : 1;
    return two ? 2 : b->without != 0;
}

/* --- decisions -------------------------------------------------------------------------- */

typedef struct Finder {
    Arena *arena;
    Task *task;
    const RaspFacts *facts;
    Limits limits;
    Decider *decider; /* to be freed after a jump */
    double seconds;
    uint32_t longest; /* inputs that the task has */
    const char *open; /* why no longer ones */
} Finder;

/* As long as there are not too many instances. */
static bool extend_task(Finder *f, RaspError *error) {
    double inputs = 1;
    for (uint32_t n = 1; n <= f->facts->max_length; n++) {
        inputs *= f->task->symbols;
        if (n > TASK_LONGEST || inputs * n + (double)f->task->until[n - 1] > MOST_INSTANCES) {
            f->open = "too many inputs";
            break;
        }
        if (!task_extend(f->task, n, error)) return false;
        f->longest = n;
    }
    return true;
}

/* Two instances of one token (and one position) with different labels: attention is needed. */
static void decide_none(Finder *f, Bound *b) {
    const Task *task = f->task;
    Arena *scratch = arena_child(f->arena);
    uint32_t *first = ARENA_ARRAY(scratch, key_count(task, TASK_LONGEST), uint32_t);
    b->looked = f->longest;
    for (uint32_t e = 0; e < task->until[f->longest] && !b->without; e++) {
        const Instance *x = &task->instances[e];
        uint32_t *seen = &first[b->tokens_alone ? x->tokens[x->position] : instance_key(task, x)];
        if (*seen && task->instances[*seen - 1].label != x->label) {
            b->without = x->length;
            b->apart = (Pair){*seen - 1, e};
        }
        if (!*seen) *seen = e + 1;
    }
    arena_free(scratch);
}

static bool decide_one(Finder *f, Bound *b, RaspError *error) {
    double until = limits_now() + f->seconds;
    bool fine = true;
    f->decider = decider_new(f->arena, f->task, &b->query, f->longest, &f->limits);
    for (uint32_t n = 1; n <= f->longest && !b->one && !b->open; n++) {
        Verdict verdict = {.answer = ANSWER_UNDECIDED};
        double left = until - limits_now();
        fine = left <= 0 || decider_next(f->decider, left, &verdict, error);
        if (!fine) break;
        if (verdict.answer == ANSWER_YES) {
            b->enough = n;
        } else if (verdict.answer == ANSWER_NO) {
            b->one = n;
            if (verdict.witness && !verdict.witness->stuck) b->pairs = &verdict.witness->pairs;
        } else {
            b->open = stop_requested() ? "stopped" : "not decided within the time limit";
            b->open_at = n;
        }
    }
    decider_free(f->decider);
    f->decider = NULL;
    return fine;
}

static bool find_all(Finder *f, const BoundListener *listener, RaspError *error) {
    Bound bounds[CLASSES];
    size_t count = classes_of(f->facts, bounds);
    if (!extend_task(f, error)) return false;
    for (size_t k = 0; k < count; k++) {
        Bound *b = &bounds[k];
        decide_none(f, b);
        if (b->program >= 2 && b->without && !decide_one(f, b, error)) return false;
        bool settled = b->one || (b->without && b->program < 2);
        if (!b->open && !settled && f->longest < f->facts->max_length) {
            b->open = f->open;
            b->open_at = f->longest + 1;
        }
        listener->tell(listener->context, f->task, b);
        if (stop_requested()) return true;
    }
    return true;
}

/* --- all of it -------------------------------------------------------------------------- */

static bool open_task(const Program *p, const RaspSop *sop, Finder *f, RaspError *error) {
    const RaspFacts *facts = f->facts;
    RaspSop where;
    if (facts->alphabet_size > MOST_TOKENS) {
        *error = (RaspError){.status = RASP_WRONG_USE};
        snprintf(error->text, sizeof error->text,
                 "--alphabet: expected at most %d tokens to decide on layers, found %zu",
                 MOST_TOKENS, facts->alphabet_size);
        return false;
    }
    if (facts->where && !rasp_program_expression(p->handle, facts->where, &where, error))
        return false;
    f->task =
        task_of_program(f->arena, p->handle, sop, facts->where ? &where : NULL, facts->alphabet,
                        (uint32_t)facts->alphabet_size, (int32_t)facts->first, false);
    return true;
}

/* What is changed between guard and jump is the caller's. */
static bool find_guarded(Finder *f, const Program *p, const RaspSop *sop, Budget *budget,
                         const BoundListener *listener, RaspError *error) {
    BudgetGuard guard;
    if (BUDGET_ENTER(budget, &guard)) {
        f->arena = arena_new(budget);
        bool done = open_task(p, sop, f, error) && find_all(f, listener, error);
        budget_leave(budget, &guard);
        return done;
    }
    *error = (RaspError){.status = budget->stop == BUDGET_CANCELLED ? RASP_CANCELLED
                                                                    : RASP_OUT_OF_MEMORY};
    budget_message(budget, error->text, sizeof error->text);
    return false;
}

bool bounds_find(const Program *p, const RaspSop *sop, const RaspFacts *facts,
                 const BoundLimits *limits, const BoundListener *listener, RaspError *error) {
    Budget budget;
    Finder f = {.facts = facts, .seconds = limits->seconds, .limits = {.budget = &budget}};
    budget_init(&budget, limits->memory ? limits->memory : BUDGET_DEFAULT_LIMIT);
    budget.cancel = stop_catch();
    bool done = find_guarded(&f, p, sop, &budget, listener, error);
    decider_free(f.decider);
    arena_free(f.arena);
    return done;
}
