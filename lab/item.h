/* item.h: the claims, each a function that measures, and the groups they are in.
 *
 * A group is a file group_NAME.c with its table of items and a row of group.def; its measuring
 * functions may be in further files, NAME_*.c. Numbers are those of the claims, 1 to 75. */
#ifndef RASP_LAB_ITEM_H
#define RASP_LAB_ITEM_H

#include "lab/page.h"
#include "lab/rng.h"

/* What a measurement is given. */
typedef struct Lab {
    Arena *arena;  /* scratch: dies with the measurement; results go to the page's arena */
    Rng *rng;      /* made from the seed and the item's number */
    uint64_t seed; /* for further generators: rng_new(lab->seed, stream), streams from 1000 on */
    bool quick;    /* smaller sizes, for tests: the same claims; page_too_small says where a rule
                      is about the full size */
    bool keep;     /* trained models are wanted as weights files */
    int threads;   /* at least 1 */
    const char *corpus; /* a folder of novels (text.h); NULL: the excerpt that is built in */
    struct Notebook *notebook;
} Lab;

/* Long loops call this: Ctrl-C and limits end the measurement. */
void lab_poll(Lab *lab);
/* How far a measurement of more than a few seconds is, between 0 and 1; polls too. */
void lab_progress(Lab *lab, double done);
/* Frees `what`, which is not the arena's (a model, an engine), when the measurement ends, however
 * it ends. */
void lab_defer(Lab *lab, void (*release)(void *), void *what);

typedef struct Item {
    unsigned number;
    const char *title;  /* a few words */
    const char *claim;  /* one sentence */
    const char *source; /* where the claim is made: "essay §1; arXiv:1602.02068" */
    const char *method; /* what is done here, and what judges it: one to three sentences */
    const char *caveat; /* what must be said beside it, or NULL */
    double seconds;     /* about, on one core */
    void (*measure)(Lab *lab, Page *page);
} Item;

typedef struct ItemGroup {
    const char *name, *summary;
    const Item *items;
    size_t count;
} ItemGroup;

/* In the order of the numbers; group_count of them. */
extern const ItemGroup *const item_groups[];
extern const size_t item_group_count;

const ItemGroup *group_find(const char *name); /* NULL: no such group */
const Item *item_find(unsigned number);        /* NULL: no such item */
const ItemGroup *group_of(const Item *item);

#endif
