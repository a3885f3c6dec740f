/* notebook.h: measuring: items one after another, or a command's own measurement.
 *
 *     Notebook *s = notebook_new(budget, &(NotebookOptions){.seed = 1});
 *     const Outcome *o = notebook_measure(s, item_find(4));
 *
 * Ctrl-C (the budget's flag) and the memory limit end the measurement that runs; what was found
 * before is kept. */
#ifndef RASP_LAB_NOTEBOOK_H
#define RASP_LAB_NOTEBOOK_H

#include "lab/item.h"

typedef struct NotebookOptions {
    uint64_t seed;
    bool quick;
    bool keep;          /* pages hold the models that were trained, as weights files */
    int threads;        /* 0: one */
    const char *corpus; /* as Lab has it */
    /* Called now and then while a measurement runs; `done` is between 0 and 1, or negative when the
     * measurement does not say. May be NULL. */
    void (*progress)(void *context, const Item *item, double done);
    void *context;
} NotebookOptions;

typedef enum Ending {
    ENDED,       /* the measurement is complete */
    INTERRUPTED, /* by Ctrl-C or a limit; the page holds what was found until then */
    OUT_OF_MEMORY,
} Ending;

typedef struct Outcome {
    const Item *item; /* NULL: a command's */
    const char *title;
    Page *page; /* the notebook's */
    double seconds;
    Ending ending;
    struct Outcome *next;
} Outcome;

/* "holds", "fails", "out of range", "measured", "interrupted", "too small to judge", or the
 * conclusion of a decision rule. */
const char *outcome_verdict(const Outcome *outcome);
/* False when an identity does not hold. */
bool outcome_holds(const Outcome *outcome);

typedef struct Notebook Notebook;

Notebook *notebook_new(Budget *budget, const NotebookOptions *options);
void notebook_free(Notebook *notebook);
const Outcome *
notebook_first(const Notebook *notebook); /* all outcomes, in their order, by `next` */

const Outcome *notebook_measure(Notebook *notebook, const Item *item);

/* The same for what is no item: `measure` gets `context`. */
typedef void Measurement(Lab *lab, Page *page, void *context);
const Outcome *notebook_run(Notebook *notebook, const char *title, Measurement *measure,
                            void *context);

#endif
