#include "lab/page.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const check_kind_names[] = {"identity", "statistical", "measurement"};

Page *page_new(Arena *arena) {
    Page *page = ARENA_NEW(arena, Page);
    page->arena = arena;
    return page;
}

/* --- checks --------------------------------------------------------------------------------- */

static void add_check(Page *page, Check check) {
    Check *kept = ARENA_NEW(page->arena, Check);
    *kept = check;
    if (page->last_check)
        page->last_check->next = kept;
    else
        page->checks = kept;
    page->last_check = kept;
}

void check_near(Page *page, CheckKind kind, const char *what, double measured, double expected,
                double tolerance) {
    bool holds = measured == expected || fabs(measured - expected) <= tolerance;
    add_check(page, (Check){kind, ABOUT, what, measured, expected, tolerance, holds, NULL});
}

void check_most(Page *page, CheckKind kind, const char *what, double measured, double most) {
    add_check(page, (Check){kind, AT_MOST, what, measured, most, 0, measured <= most, NULL});
}

void check_least(Page *page, CheckKind kind, const char *what, double measured, double least) {
    add_check(page, (Check){kind, AT_LEAST, what, measured, least, 0, measured >= least, NULL});
}

void check_z(Page *page, const char *what, double measured, double expected, double error) {
    check_near(page, STATISTICAL, what, measured, expected, 4 * error);
}

void check_none(Page *page, const char *what, size_t violations) {
    check_near(page, IDENTITY, what, (double)violations, 0, 0);
}

void check_figure(Page *page, const char *what, double measured) {
    add_check(page, (Check){MEASUREMENT, ONLY, what, measured, NAN, NAN, isfinite(measured), NULL});
}

void page_too_small(Page *page) {
    for (Check *c = page->checks; c; c = c->next) {
        if (c->kind != MEASUREMENT) continue;
        c->relation = ONLY;
        c->expected = c->tolerance = NAN;
        c->holds = isfinite(c->measured);
    }
    page->too_small = true;
}

const Check *page_headline(const Page *page) {
    const Check *failed = NULL;
    for (const Check *c = page->checks; c; c = c->next) {
        if (c->holds) continue;
        if (c->kind == IDENTITY) return c;
        if (!failed) failed = c;
    }
    return failed ? failed : page->checks;
}

bool page_identities_hold(const Page *page) {
    for (const Check *c = page->checks; c; c = c->next)
        if (c->kind == IDENTITY && !c->holds) return false;
    return true;
}

size_t page_check_count(const Page *page) {
    size_t count = 0;
    for (const Check *c = page->checks; c; c = c->next) count++;
    return count;
}

/* --- tables --------------------------------------------------------------------------------- */

PageTable *page_table(Page *page, const char *title, const char *const *columns) {
    PageTable *table = ARENA_NEW(page->arena, PageTable);
    *table = (PageTable){.arena = page->arena, .title = title};
    while (columns[table->column_count]) table->column_count++;
    table->columns = ARENA_ARRAY(page->arena, table->column_count, const char *);
    memcpy(table->columns, columns, table->column_count * sizeof *columns);
    if (page->last_table)
        page->last_table->next = table;
    else
        page->tables = table;
    return page->last_table = table;
}

static void add_cell(PageTable *table, const char *text, bool numeric) {
    size_t need = table->cell_count + 1;
    table->cells =
        arena_grow(table->arena, table->cells, &table->cell_room, need, sizeof *table->cells);
    table->numeric =
        arena_grow(table->arena, table->numeric, &table->flag_room, need, sizeof *table->numeric);
    table->cells[table->cell_count] = text;
    table->numeric[table->cell_count++] = numeric;
}

void table_text(PageTable *table, const char *text) {
    add_cell(table, arena_text(table->arena, text, strlen(text)), false);
}

void table_number(PageTable *table, double value, int digits) {
    add_cell(table, arena_format(table->arena, "%.*g", digits, value), true);
}

void table_count(PageTable *table, size_t value) {
    add_cell(table, arena_format(table->arena, "%zu", value), true);
}

/* --- the rest ------------------------------------------------------------------------------- */

void page_plot(Page *page, Plot *plot) {
    if (page->last_plot)
        page->last_plot->next = plot;
    else
        page->plots = plot;
    page->last_plot = plot;
}

void page_weights(Page *page, const char *name, const unsigned char *bytes, size_t size) {
    PageWeights *weights = ARENA_NEW(page->arena, PageWeights);
    unsigned char *kept = ARENA_ARRAY(page->arena, size, unsigned char);
    memcpy(kept, bytes, size);
    *weights = (PageWeights){name, kept, size, NULL};
    if (page->last_weights)
        page->last_weights->next = weights;
    else
        page->weights = weights;
    page->last_weights = weights;
}

void page_note(Page *page, const char *format, ...) {
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    Note *note = ARENA_NEW(page->arena, Note);
    note->text = arena_text(page->arena, text, strlen(text));
    if (page->last_note)
        page->last_note->next = note;
    else
        page->notes = note;
    page->last_note = note;
}
