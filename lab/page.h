/* page.h: a page of the notebook: what one item, or one command, found.
 *
 * It holds checks (a measured number beside the one that is known otherwise), tables, plots, notes
 * and trained models, in the order in which they were added. Whoever measures fills it and prints
 * nothing; the terminal, --json, --tsv and the HTML report are made from it. Texts that are not
 * literals come from the page's arena (arena_format(page->arena, …)). */
#ifndef RASP_LAB_PAGE_H
#define RASP_LAB_PAGE_H

#include "lab/plot.h"

/* What it means when a check fails. */
typedef enum CheckKind {
    IDENTITY,    /* must hold: a failure is a mistake here or in the claim, and fails the run */
    STATISTICAL, /* holds up to chance: a rule such as |z| ≤ 4, stated beforehand */
    MEASUREMENT, /* a figure, beside what is expected of it; nothing is proved by it */
} CheckKind;
extern const char *const check_kind_names[];

typedef enum Relation {
    ABOUT,    /* |measured − expected| ≤ tolerance */
    AT_MOST,  /* measured ≤ expected */
    AT_LEAST, /* measured ≥ expected */
    ONLY,     /* nothing is expected: a figure of its own */
} Relation;

typedef struct Check {
    CheckKind kind;
    Relation relation;
    const char *what;
    double measured, expected, tolerance;
    bool holds; /* NaN never does */
    struct Check *next;
} Check;

typedef struct PageTable {
    Arena *arena;
    const char *title;
    const char **columns;
    size_t column_count;
    const char **cells; /* [rows, column_count] */
    bool *numeric;      /* a cell that is a number */
    size_t cell_count, cell_room, flag_room;
    struct PageTable *next;
} PageTable;

typedef struct Note {
    const char *text;
    struct Note *next;
} Note;

/* A trained model as a weights file (docs/weights.md). */
typedef struct PageWeights {
    const char *name; /* of the file, without folder and extension */
    const unsigned char *bytes;
    size_t size;
    struct PageWeights *next;
} PageWeights;

typedef struct Page {
    Arena *arena;
    Check *checks, *last_check;
    PageTable *tables, *last_table;
    Plot *plots, *last_plot;
    Note *notes, *last_note;
    PageWeights *weights, *last_weights;
    const char *conclusion; /* of a decision rule: "supported", "refuted", "open"; else NULL */
    bool too_small;         /* page_too_small */
} Page;

Page *page_new(Arena *arena);

/* --- checks: the first one is what the scoreboard shows, unless another one fails --------------
 */

void check_near(Page *page, CheckKind kind, const char *what, double measured, double expected,
                double tolerance);
void check_most(Page *page, CheckKind kind, const char *what, double measured, double most);
void check_least(Page *page, CheckKind kind, const char *what, double measured, double least);
/* |measured − expected| ≤ 4 standard errors. */
void check_z(Page *page, const char *what, double measured, double expected, double error);
/* A count of cases that went wrong, of which there must be none. */
void check_none(Page *page, const char *what, size_t violations);
/* A figure without an expectation. */
void check_figure(Page *page, const char *what, double measured);

/* For a run too small for what its measurements so far are held against: they become figures, and
 * the verdict is that. Identities and statistical checks stay what they are. */
void page_too_small(Page *page);

/* The scoreboard's check: the first failed identity, else the first failed one, else the first.
 * NULL when there is none. */
const Check *page_headline(const Page *page);
bool page_identities_hold(const Page *page);
size_t page_check_count(const Page *page);

/* --- tables ----------------------------------------------------------------------------------- */

/* Columns end with NULL. Cells are added from left to right, row by row. */
PageTable *page_table(Page *page, const char *title, const char *const *columns);
void table_text(PageTable *table, const char *text);
/* With so many significant digits. */
void table_number(PageTable *table, double value, int digits);
void table_count(PageTable *table, size_t value);

/* --- the rest --------------------------------------------------------------------------------- */

void page_plot(Page *page, Plot *plot);
/* Copies the bytes, not the name. */
void page_weights(Page *page, const char *name, const unsigned char *bytes, size_t size);
void page_note(Page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
