#include "lab/report.h"

#include "lab/plot_svg.h"
#include "show/svg.h"

#include <math.h>
#include <string.h>

static const char layout[] =
    ":root{--paper:#fff;--ink:#16191d;--faint:#56606b;--rule:#c3cad2;--band:#f2f4f7;"
    "--good:#00684f;--bad:#a84300}\n"
    "@media screen and (prefers-color-scheme:dark){:root{--paper:#14171c;--ink:#eceff2;"
    "--faint:#a9b3bd;--rule:#46515d;--band:#1b2027;--good:#45cfa9;--bad:#ff9e61}}\n"
    "body{background:var(--paper);color:var(--ink);font:16px/1.5 DejaVu Sans,Verdana,Helvetica,"
    "Arial,sans-serif;max-width:56rem;margin:0 auto;padding:1rem}\n"
    "h1{font-size:1.6rem}h2{font-size:1.3rem;margin-top:3rem;border-bottom:1px solid var(--rule)}"
    "h3{font-size:1.1rem;margin:2.2rem 0 .4rem}\n"
    "a{color:inherit}.faint,dt,caption{color:var(--faint)}\n"
    "dl{display:grid;grid-template-columns:5rem 1fr;gap:.2rem .8rem;margin:.4rem 0}dd{margin:0}\n"
    ".scroll{overflow-x:auto;margin:.8rem 0}table{border-collapse:collapse;font-size:.85rem}"
    "caption{text-align:left;padding-bottom:.3rem}\n"
    "th,td{padding:.2rem .7rem .2rem 0;text-align:left;border-bottom:1px solid var(--rule);"
    "vertical-align:top}th{font-weight:normal;color:var(--faint)}\n"
    ".number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}"
    ".good{color:var(--good)}.bad{color:var(--bad);font-weight:bold}\n"
    "figure{margin:1rem 0}figure svg{width:100%;max-width:40rem;height:auto;display:block}\n"
    ".caveat{border-left:4px solid var(--bad);padding:.2rem .8rem;background:var(--band)}\n"
    "@media(max-width:34rem){td:first-child:not([class]),.number:first-child+td{min-width:9rem}"
    "figure{overflow-x:auto}figure svg{min-width:30rem}"
    "dl{grid-template-columns:1fr}dt{margin-top:.4rem}}\n";

static void text(FILE *out, const char *text) {
    svg_escape(out, text);
}

static void element(FILE *out, const char *name, const char *content) {
    fprintf(out, "<%s>", name);
    text(out, content);
    fprintf(out, "</%s>\n", name);
}

static void cell(FILE *out, const char *content, bool numeric) {
    fputs(numeric ? "<td class=\"number\">" : "<td>", out);
    text(out, content);
    fputs("</td>", out);
}

static void number_cell(FILE *out, const char *before, double value, int digits) {
    char content[48];
    snprintf(content, sizeof content, "%s%.*g", before, digits, value);
    cell(out, content, true);
}

/* --- checks and tables ----------------------------------------------------------------------- */

static void put_check(FILE *out, const Check *c) {
    static const char *const signs[] = {
        [ABOUT] = "", [AT_MOST] = "≤ ", [AT_LEAST] = "≥ ", [ONLY] = ""};
    fputs("<tr>", out);
    cell(out, c->what, false);
    const char *verdict = c->holds ? "holds" : "fails";
    fprintf(out, "<td class=\"%s\">%s</td>", c->holds ? "good" : "bad",
            c->relation == ONLY ? "" : verdict);
    number_cell(out, "", c->measured, 7);
    if (c->relation == ONLY)
        cell(out, "", true);
    else
        number_cell(out, signs[c->relation], c->expected, 7);
    if (c->relation != ABOUT)
        cell(out, "", true);
    else if (c->tolerance == 0)
        cell(out, "exact", true);
    else
        number_cell(out, "", c->tolerance, 2);
    cell(out, check_kind_names[c->kind], false);
    fputs("</tr>\n", out);
}

static void put_checks(FILE *out, const Page *page) {
    if (!page->checks) return;
    fputs("<div class=\"scroll\"><table>\n<tr><th>check</th><th></th>"
          "<th class=\"number\">measured</th><th class=\"number\">expected</th>"
          "<th class=\"number\">within</th><th>kind</th></tr>\n",
          out);
    for (const Check *c = page->checks; c; c = c->next) put_check(out, c);
    fputs("</table></div>\n", out);
}

static void put_table(FILE *out, const PageTable *t) {
    fputs("<div class=\"scroll\"><table>\n", out);
    element(out, "caption", t->title);
    fputs("<tr>", out);
    for (size_t k = 0; k < t->column_count; k++) {
        bool numeric = k < t->cell_count && t->numeric[k];
        fputs(numeric ? "<th class=\"number\">" : "<th>", out);
        text(out, t->columns[k]);
        fputs("</th>", out);
    }
    fputs("</tr>\n", out);
    for (size_t k = 0; k < t->cell_count; k++) {
        if (k % t->column_count == 0) fputs("<tr>", out);
        cell(out, t->cells[k], t->numeric[k]);
        if ((k + 1) % t->column_count == 0) fputs("</tr>\n", out);
    }
    fputs("</table></div>\n", out);
}

/* --- outcomes -------------------------------------------------------------------------------- */

static const char *verdict_class(const Outcome *o) {
    const Page *page = o->page;
    const Check *headline = page_headline(page);
    if (outcome_holds(o) && (o->ending != ENDED || page->too_small)) return "faint";
    if (!outcome_holds(o) || (headline && !headline->holds && !page->conclusion)) return "bad";
    return "good";
}

static void put_line(FILE *out, const char *term, const char *said) {
    fprintf(out, "<dt>%s</dt><dd>", term);
    text(out, said);
    fputs("</dd>\n", out);
}

static void put_outcome(FILE *out, const Outcome *o) {
    const Item *item = o->item;
    const Page *page = o->page;
    if (item)
        fprintf(out, "<h3 id=\"item-%u\">%u. ", item->number, item->number);
    else
        fputs("<h3>", out);
    text(out, o->title);
    fprintf(out, ": <span class=\"%s\">", verdict_class(o));
    text(out, outcome_verdict(o));
    fputs("</span></h3>\n", out);
    if (item) {
        fputs("<dl>\n", out);
        put_line(out, "claim", item->claim);
        put_line(out, "done", item->method);
        put_line(out, "from", item->source);
        fputs("</dl>\n", out);
    }
    put_checks(out, page);
    for (const PageTable *t = page->tables; t; t = t->next) put_table(out, t);
    for (const Plot *p = page->plots; p; p = p->next) {
        fputs("<figure>\n", out);
        plot_svg_inline(out, p);
        fputs("</figure>\n", out);
    }
    for (const Note *n = page->notes; n; n = n->next) element(out, "p", n->text);
    if (item && item->caveat) {
        fputs("<p class=\"caveat\">", out);
        text(out, item->caveat);
        fputs("</p>\n", out);
    }
}

/* The scoreboard, each row a link to its page.  Verdicts stand before the numbers: a narrow window
 * shows what is on the left. */
static void put_scores(FILE *out, const Notebook *notebook) {
    fputs("<div class=\"scroll\"><table>\n<tr><th class=\"number\">item</th><th>claim</th>"
          "<th>verdict</th><th class=\"number\">measured</th><th class=\"number\">expected</th>"
          "<th class=\"number\">within</th></tr>\n",
          out);
    for (const Outcome *o = notebook_first(notebook); o; o = o->next) {
        static const char *const signs[] = {
            [ABOUT] = "", [AT_MOST] = "≤ ", [AT_LEAST] = "≥ ", [ONLY] = ""};
        const Check *c = page_headline(o->page);
        if (!o->item) continue;
        fprintf(out, "<tr><td class=\"number\">%u</td><td><a href=\"#item-%u\">", o->item->number,
                o->item->number);
        text(out, o->title);
        fprintf(out, "</a></td><td class=\"%s\">", verdict_class(o));
        text(out, outcome_verdict(o));
        fputs("</td>", out);
        if (c) number_cell(out, "", c->measured, 7);
        if (c && c->relation != ONLY) number_cell(out, signs[c->relation], c->expected, 7);
        if (!c || c->relation == ONLY) fputs(c ? "<td></td>" : "<td></td><td></td>", out);
        if (c && c->relation == ABOUT && c->tolerance > 0)
            number_cell(out, "", c->tolerance, 2);
        else
            cell(out, c && c->relation == ABOUT ? "exact" : "", true);
        fputs("</tr>\n", out);
    }
    fputs("</table></div>\n", out);
}

static void put_head(FILE *out, const Notebook *notebook, const ReportHead *head) {
    size_t count = 0, broken = 0;
    double seconds = 0;
    for (const Outcome *o = notebook_first(notebook); o; o = o->next) {
        count++;
        broken += !outcome_holds(o);
        seconds += o->seconds;
    }
    element(out, "h1", head->title);
    fputs("<p class=\"faint\">Made by <code>", out);
    text(out, head->command);
    fputs("</code>, rasp ", out);
    text(out, head->version);
    fprintf(out, ", in %.0f s. ", seconds);
    if (broken)
        fprintf(out, "<span class=\"bad\">An identity fails on %zu of %zu pages.</span>", broken,
                count);
    else
        fputs("No identity fails.", out);
    fputs("</p>\n<p>An <em>identity</em> must hold to the tolerance beside it. A "
          "<em>statistical</em> check holds up to chance, by a rule stated before the number, four "
          "standard errors if nothing else is said. A <em>measurement</em> is a figure beside what "
          "is expected of it; nothing is proved by it.</p>\n",
          out);
}

void report_write(FILE *out, const Notebook *notebook, const ReportHead *head) {
    const ItemGroup *group = NULL;
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n",
          out);
    element(out, "title", head->title);
    fputs("<style>\n", out);
    fputs(layout, out);
    plot_style(out);
    fputs("</style>\n", out);
    put_head(out, notebook, head);
    if (notebook_first(notebook) && notebook_first(notebook)->item) put_scores(out, notebook);
    for (const Outcome *o = notebook_first(notebook); o; o = o->next) {
        const ItemGroup *next = o->item ? group_of(o->item) : NULL;
        if (next && next != group) {
            char title[128];
            snprintf(title, sizeof title, "%s: %s", next->name, next->summary);
            element(out, "h2", title);
        }
        group = next;
        put_outcome(out, o);
    }
    fputs("</html>\n", out);
}
