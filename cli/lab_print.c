/* Outcomes of the lab: the scoreboard, pages, one JSON object a line, one TSV line a check. */
#include "base/plural.h"
#include "base/utf8.h"
#include "cli/json.h"
#include "cli/lab_output.h"
#include "cli/lab_text.h"

#include <math.h>
#include <string.h>

/* --- numbers --------------------------------------------------------------------------------- */

enum { NUMBER = 32 };

/* Seven digits, and no more than there are. */
static const char *number(char text[NUMBER], double value) {
    snprintf(text, NUMBER, "%.7g", value);
    return text;
}

static const char *expectation(char text[NUMBER], const Check *c) {
    static const char *const signs[] = {
        [ABOUT] = "", [AT_MOST] = "≤ ", [AT_LEAST] = "≥ ", [ONLY] = ""};
    if (c->relation == ONLY) return "";
    snprintf(text, NUMBER, "%s%.7g", signs[c->relation], c->expected);
    return text;
}

static const char *tolerance(char text[NUMBER], const Check *c) {
    if (c->relation != ABOUT) return "";
    snprintf(text, NUMBER, c->tolerance == 0 ? "exact" : "%.2g", c->tolerance);
    return text;
}

/* --- the scoreboard -------------------------------------------------------------------------- */

enum { MEASURED = 14, EXPECTED = 15, TOLERANCE = 8, VERDICT = 12, AROUND = 60, LEAST_CLAIM = 20 };

static int claim_width(void) {
    int width = lab_width() - AROUND;
    return width < LEAST_CLAIM ? LEAST_CLAIM : width;
}

static void print_row(const char *first, const char *claim, const char *measured,
                      const char *expected, const char *within, const char *verdict) {
    printf("%4s  ", first);
    lab_put_left(claim, claim_width());
    putchar(' ');
    lab_put_right(measured, MEASURED);
    putchar(' ');
    lab_put_right(expected, EXPECTED);
    putchar(' ');
    lab_put_right(within, TOLERANCE);
    printf("  %s\n", verdict);
    fflush(stdout);
}

static void print_outcome_row(const Outcome *o) {
    const Check *c = page_headline(o->page);
    char first[NUMBER] = "", a[NUMBER] = "", b[NUMBER] = "", d[NUMBER] = "";
    if (o->item) snprintf(first, sizeof first, "%u", o->item->number);
    print_row(first, o->title, c ? number(a, c->measured) : "", c ? expectation(b, c) : "",
              c ? tolerance(d, c) : "", outcome_verdict(o));
}

/* --- a page ---------------------------------------------------------------------------------- */

static void print_checks(const Page *page) {
    int width = lab_width() - 54;
    if (width < LEAST_CLAIM) width = LEAST_CLAIM;
    for (const Check *c = page->checks; c; c = c->next) {
        char a[NUMBER], b[NUMBER], d[NUMBER];
        bool fits = lab_columns(c->what) <= width;
        if (!fits) lab_put_paragraph("", c->what, lab_width());
        fputs("  ", stdout);
        lab_put_left(fits ? c->what : "", width);
        putchar(' ');
        lab_put_right(number(a, c->measured), MEASURED);
        putchar(' ');
        lab_put_right(expectation(b, c), EXPECTED);
        putchar(' ');
        lab_put_right(tolerance(d, c), TOLERANCE);
        printf("  %s\n", c->relation == ONLY ? "" : c->holds ? "holds" : "FAILS");
    }
}

static void print_page(const Outcome *o) {
    const Item *item = o->item;
    if (item) printf("%u. ", item->number);
    printf("%s: %s\n", o->title, outcome_verdict(o));
    if (item) {
        lab_put_paragraph("claim: ", item->claim, lab_width());
        lab_put_paragraph("done:  ", item->method, lab_width());
        lab_put_paragraph("from:  ", item->source, lab_width());
    }
    if (o->page->checks) putchar('\n');
    print_checks(o->page);
    for (const PageTable *t = o->page->tables; t; t = t->next) lab_put_table(t);
    for (const Plot *p = o->page->plots; p; p = p->next) lab_put_plot(p, lab_width());
    if (o->page->notes || (item && item->caveat)) putchar('\n');
    for (const Note *n = o->page->notes; n; n = n->next)
        lab_put_paragraph("", n->text, lab_width());
    if (item && item->caveat) lab_put_paragraph("caveat: ", item->caveat, lab_width());
}

/* --- JSON ------------------------------------------------------------------------------------ */

static void json_double(Json *j, const char *key, double value) {
    json_number(j, key, "%.17g", value);
}

static void json_check(Json *j, const Check *c) {
    static const char *const relations[] = {
        [ABOUT] = "about", [AT_MOST] = "at most", [AT_LEAST] = "at least", [ONLY] = "none"};
    json_begin_object(j, NULL);
    json_text(j, "what", c->what);
    json_text(j, "kind", check_kind_names[c->kind]);
    json_double(j, "measured", c->measured);
    json_text(j, "relation", relations[c->relation]);
    if (c->relation != ONLY) json_double(j, "expected", c->expected);
    if (c->relation == ABOUT) json_double(j, "tolerance", c->tolerance);
    if (c->relation != ONLY) json_flag(j, "holds", c->holds);
    json_end(j);
}

static void json_table(Json *j, const PageTable *t) {
    json_begin_object(j, NULL);
    json_text(j, "title", t->title);
    json_begin_array(j, "columns");
    for (size_t k = 0; k < t->column_count; k++) json_text(j, NULL, t->columns[k]);
    json_end(j);
    json_begin_array(j, "rows");
    for (size_t k = 0; k < t->cell_count; k++) {
        if (k % t->column_count == 0) json_begin_array(j, NULL);
        if (t->numeric[k] && strcmp(t->cells[k], "nan") != 0 && !strstr(t->cells[k], "inf"))
            json_ready(j, NULL, t->cells[k]);
        else
            json_text(j, NULL, t->cells[k]);
        if ((k + 1) % t->column_count == 0) json_end(j);
    }
    json_end(j);
    json_end(j);
}

static void json_doubles(Json *j, const char *key, const double *x, size_t count) {
    json_begin_array(j, key);
    for (size_t k = 0; k < count; k++) json_double(j, NULL, x[k]);
    json_end(j);
}

static void json_plot(Json *j, const Plot *p) {
    static const char *const kinds[] = {[SERIES_LINE] = "line",
                                        [SERIES_POINTS] = "points",
                                        [SERIES_BARS] = "bars",
                                        [SERIES_RULE] = "rule"};
    json_begin_object(j, NULL);
    json_text(j, "title", p->title);
    json_text(j, "x", p->x_label);
    json_text(j, "y", p->y_label);
    json_begin_array(j, "series");
    for (size_t s = 0; s < p->series_count; s++) {
        json_begin_object(j, NULL);
        json_text(j, "name", p->series[s].name);
        json_text(j, "kind", kinds[p->series[s].kind]);
        json_doubles(j, "x", p->series[s].x, p->series[s].count);
        json_doubles(j, "y", p->series[s].y, p->series[s].count);
        json_end(j);
    }
    json_end(j);
    json_begin_array(j, "cells");
    for (size_t i = 0; p->cells && i < p->cells->rows; i++)
        json_doubles(j, NULL, p->cells->values + i * p->cells->cols, p->cells->cols);
    json_end(j);
    json_end(j);
}

static void print_json(const Outcome *o) {
    Json json = {.out = stdout}, *j = &json;
    json_begin_object(j, NULL);
    if (o->item) json_count(j, "item", o->item->number);
    if (o->item) json_text(j, "group", group_of(o->item)->name);
    json_text(j, "title", o->title);
    if (o->item) json_text(j, "claim", o->item->claim);
    if (o->item && o->item->caveat) json_text(j, "caveat", o->item->caveat);
    json_text(j, "verdict", outcome_verdict(o));
    json_number(j, "seconds", "%.3f", o->seconds);
    json_begin_array(j, "checks");
    for (const Check *c = o->page->checks; c; c = c->next) json_check(j, c);
    json_end(j);
    json_begin_array(j, "tables");
    for (const PageTable *t = o->page->tables; t; t = t->next) json_table(j, t);
    json_end(j);
    json_begin_array(j, "plots");
    for (const Plot *p = o->page->plots; p; p = p->next) json_plot(j, p);
    json_end(j);
    json_begin_array(j, "notes");
    for (const Note *n = o->page->notes; n; n = n->next) json_text(j, NULL, n->text);
    json_end(j);
    json_end(j);
}

/* --- TSV ------------------------------------------------------------------------------------- */

static void print_tsv(const Outcome *o) {
    static const char *const signs[] = {
        [ABOUT] = "=", [AT_MOST] = "<=", [AT_LEAST] = ">=", [ONLY] = ""};
    for (const Check *c = o->page->checks; c; c = c->next) {
        if (o->item) printf("%u", o->item->number);
        printf("\t%s\t%s\t%s\t%.17g\t%s\t", o->title, c->what, check_kind_names[c->kind],
               c->measured, signs[c->relation]);
        if (c->relation != ONLY) printf("%.17g", c->expected);
        putchar('\t');
        if (c->relation == ABOUT) printf("%.17g", c->tolerance);
        printf("\t%s\n", c->relation == ONLY ? "" : c->holds ? "holds" : "fails");
    }
}

/* --- all forms ------------------------------------------------------------------------------- */

void lab_print_head(LabForm form) {
    if (form == LAB_ROWS) print_row("", "claim", "measured", "expected", "within", "verdict");
    if (form == LAB_TSV)
        puts("item\ttitle\tcheck\tkind\tmeasured\trelation\texpected\ttolerance\tverdict");
}

void lab_print_outcome(LabForm form, const Outcome *outcome) {
    static void (*const print[])(const Outcome *) = {[LAB_ROWS] = print_outcome_row,
                                                     [LAB_PAGES] = print_page,
                                                     [LAB_JSON] = print_json,
                                                     [LAB_TSV] = print_tsv};
    if (form == LAB_PAGES && outcome->item && outcome->page && outcome->next) putchar('\n');
    print[form](outcome);
    fflush(stdout);
}

void lab_print_foot(LabForm form, const Notebook *notebook, size_t wanted) {
    size_t count = 0, checks = 0, broken = 0, failed = 0;
    double seconds = 0;
    if (form != LAB_ROWS) return;
    for (const Outcome *o = notebook_first(notebook); o; o = o->next) {
        count++;
        seconds += o->seconds;
        checks += page_check_count(o->page);
        broken += !outcome_holds(o);
        failed += outcome_holds(o) && !strcmp(outcome_verdict(o), "out of range");
    }
    printf("\n%zu of %zu item%s, %zu checks, %.0f s: ", count, wanted, plural(wanted), checks,
           seconds);
    if (broken) printf("an identity fails in %zu item%s", broken, plural(broken));
    if (!broken) fputs("no identity fails", stdout);
    if (failed) printf(", %zu out of %s range", failed, failed == 1 ? "its" : "their");
    putchar('\n');
}
