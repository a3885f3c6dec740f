#include "cli/columns.h"

#include "show/wrap.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { GAP = 1, NOTE_GAP = 2 };

typedef struct Printing {
    FILE *out;
    const Columns *of;
    size_t indent, width;
    size_t label, note;   /* of the widest ones */
    const size_t *widths; /* of the columns */
} Printing;

static size_t widest_label(const Columns *c) {
    size_t widest = 0;
    for (size_t r = 0; r < c->rows; r++) {
        size_t columns = wrap_columns(c->label(c->context, r));
        if (columns > widest) widest = columns;
    }
    return widest;
}

static size_t widest_note(const Columns *c) {
    size_t widest = 0;
    for (size_t r = 0; c->note && r < c->rows; r++) {
        size_t columns = wrap_columns(c->note(c->context, r)) + NOTE_GAP;
        if (columns > widest) widest = columns;
    }
    return widest;
}

static size_t column_width(const Columns *c, size_t column) {
    size_t widest = 1;
    for (size_t r = 0; r < c->rows; r++) {
        size_t columns = wrap_columns(c->cell(c->context, r, column));
        if (columns > widest) widest = columns;
    }
    return widest;
}

/* The end of the block that begins at `first`: one column at least.  Notes stand in the last one.
 */
static size_t block_end(const Printing *p, size_t first) {
    size_t used = p->indent + p->label + GAP, end = first;
    while (end < p->of->count) {
        bool last = end + 1 == p->of->count;
        used += GAP + p->widths[end];
        if (end > first && used + (last ? p->note : 0) > p->width) break;
        end++;
    }
    return end;
}

static bool is_blank(const char *text) {
    return text[strspn(text, " ")] == '\0';
}

static void print_row(const Printing *p, size_t row, size_t first, size_t end) {
    const Columns *c = p->of;
    const char *label = c->label(c->context, row);
    size_t owed = p->indent; /* blanks that only stand if something follows */
    owed += p->label - wrap_columns(label);
    if (*label) wrap_right(p->out, label, owed + wrap_columns(label)), owed = 0;
    owed += GAP;
    for (size_t k = first; k < end; k++) {
        const char *cell = c->cell(c->context, row, k);
        size_t columns = wrap_columns(cell);
        owed += GAP + p->widths[k] - columns;
        if (is_blank(cell))
            owed += columns;
        else
            wrap_right(p->out, cell, owed + columns), owed = 0;
    }
    if (c->note && end == c->count) {
        const char *note = c->note(c->context, row);
        if (*note) wrap_right(p->out, note, owed + NOTE_GAP + wrap_columns(note));
    }
    fputc('\n', p->out);
}

static void print_numbers(const Printing *p, size_t first, size_t end) {
    if (end == first + 1)
        fprintf(p->out, "%*sposition %zu\n", (int)p->indent, "", first);
    else
        fprintf(p->out, "%*spositions %zu to %zu\n", (int)p->indent, "", first, end - 1);
}

void columns_print(FILE *out, const Columns *c, size_t indent, size_t width) {
    size_t *widths = calloc(c->count + 1, sizeof *widths);
    if (!widths) {
        fputs("out of memory\n", out);
        return;
    }
    for (size_t k = 0; k < c->count; k++) widths[k] = column_width(c, k);
    Printing p = {out,   c, indent, width ? width : SIZE_MAX, widest_label(c), widest_note(c),
                  widths};
    for (size_t first = 0, end; first < c->count; first = end) {
        end = block_end(&p, first);
        if (c->numbered && (first || end < c->count)) print_numbers(&p, first, end);
        for (size_t r = 0; r < c->rows; r++) print_row(&p, r, first, end);
    }
    free(widths);
}

/* --- selectors -------------------------------------------------------------------------- */

typedef struct Grid {
    const char *const *token;
    const bool *cells;
    size_t count;
} Grid;

static const char *grid_label(void *context, size_t row) {
    return row ? ((const Grid *)context)->token[row - 1] : "";
}

static const char *grid_cell(void *context, size_t row, size_t column) {
    const Grid *g = context;
    if (row == 0) return g->token[column];
    return g->cells[(row - 1) * g->count + column] ? "1" : ".";
}

void columns_print_grid(FILE *out, const char *const *token, size_t count, const bool *cells,
                        size_t indent, size_t width) {
    Grid grid = {token, cells, count};
    columns_print(out,
                  &(Columns){.rows = count + 1,
                             .count = count,
                             .label = grid_label,
                             .cell = grid_cell,
                             .numbered = true,
                             .context = &grid},
                  indent, width);
}
