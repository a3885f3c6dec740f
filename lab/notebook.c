#include "lab/notebook.h"

#include "base/clock.h"

#include <stdlib.h>

typedef struct Deferred {
    void (*release)(void *);
    void *what;
    struct Deferred *next;
} Deferred;

struct Notebook {
    Arena *arena;
    NotebookOptions options;
    Outcome *first, *last;
    const Item *current;
    Deferred *deferred; /* in the arena of the measurement */
};

Notebook *notebook_new(Budget *budget, const NotebookOptions *options) {
    Arena *arena = arena_new(budget);
    Notebook *notebook = ARENA_NEW(arena, Notebook);
    notebook->arena = arena;
    notebook->options = *options;
    if (notebook->options.threads < 1) notebook->options.threads = 1;
    return notebook;
}

void notebook_free(Notebook *notebook) {
    if (notebook) arena_free(notebook->arena);
}

const Outcome *notebook_first(const Notebook *notebook) {
    return notebook->first;
}

/* --- what a measurement calls ---------------------------------------------------------------- */

void lab_poll(Lab *lab) {
    budget_poll(arena_budget(lab->arena));
}

void lab_progress(Lab *lab, double done) {
    const Notebook *s = lab->notebook;
    lab_poll(lab);
    if (s->options.progress) s->options.progress(s->options.context, s->current, done);
}

void lab_defer(Lab *lab, void (*release)(void *), void *what) {
    Deferred *d = ARENA_NEW(lab->arena, Deferred);
    *d = (Deferred){release, what, lab->notebook->deferred};
    lab->notebook->deferred = d;
}

static void release_all(Notebook *s) {
    for (const Deferred *d = s->deferred; d; d = d->next) d->release(d->what);
    s->deferred = NULL;
}

/* --- measuring ------------------------------------------------------------------------------ */

static Outcome *add_outcome(Notebook *s, const Item *item, const char *title) {
    Outcome *outcome = ARENA_NEW(s->arena, Outcome);
    *outcome = (Outcome){.item = item, .title = title, .page = page_new(s->arena)};
    if (s->last)
        s->last->next = outcome;
    else
        s->first = outcome;
    return s->last = outcome;
}

static void measure_item(Lab *lab, Page *page, void *context) {
    (void)context;
    lab->notebook->current->measure(lab, page);
}

static const Outcome *guarded(Notebook *s, Outcome *outcome, Measurement *measure, void *context) {
    Budget *budget = arena_budget(s->arena);
    Arena *arena = arena_child(s->arena);
    BudgetGuard guard;
    Rng rng = rng_new(s->options.seed, outcome->item ? outcome->item->number : 0);
    double start = clock_seconds();
    s->current = outcome->item;
    Lab lab = {.arena = arena,
               .rng = &rng,
               .seed = s->options.seed,
               .quick = s->options.quick,
               .keep = s->options.keep,
               .threads = s->options.threads,
               .corpus = s->options.corpus,
               .notebook = s};
    if (s->options.progress) s->options.progress(s->options.context, s->current, -1);
    if (BUDGET_ENTER(budget, &guard)) {
        measure(&lab, outcome->page, context);
        budget_leave(budget, &guard);
    } else {
        outcome->ending = budget->stop == BUDGET_OUT_OF_MEMORY ? OUT_OF_MEMORY : INTERRUPTED;
    }
    release_all(s);
    arena_free(arena);
    outcome->seconds = clock_seconds() - start;
    return outcome;
}

const Outcome *notebook_measure(Notebook *notebook, const Item *item) {
    return guarded(notebook, add_outcome(notebook, item, item->title), measure_item, NULL);
}

const Outcome *notebook_run(Notebook *notebook, const char *title, Measurement *measure,
                            void *context) {
    return guarded(notebook, add_outcome(notebook, NULL, title), measure, context);
}

/* --- verdicts ------------------------------------------------------------------------------- */

bool outcome_holds(const Outcome *outcome) {
    return page_identities_hold(outcome->page);
}

const char *outcome_verdict(const Outcome *outcome) {
    const Check *headline = page_headline(outcome->page);
    if (!outcome_holds(outcome)) return "fails";
    if (outcome->ending == OUT_OF_MEMORY) return "out of memory";
    if (outcome->ending != ENDED) return "interrupted";
    if (outcome->page->too_small) return "too small to judge";
    if (outcome->page->conclusion) return outcome->page->conclusion;
    if (!headline) return "no check";
    if (!headline->holds) return "out of range";
    for (const Check *c = outcome->page->checks; c; c = c->next)
        if (c->relation != ONLY) return "holds";
    return "measured";
}
