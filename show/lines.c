#include "show/lines.h"

#include "show/wrap.h"

#include <string.h>

enum { LABEL_MOST = 32, TITLE_MOST = 18, VALUE_MOST = 12, GAP = 2, INDENT = 4 };

/* --- texts of one length ---------------------------------------------------------------- */

static size_t at_most(size_t a, size_t b) {
    return a < b ? a : b;
}

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

/* The text, or its beginning with "…" in so many columns. */
static const char *cut(const Scene *s, const char *text, size_t columns) {
    if (wrap_columns(text) <= columns) return text;
    size_t length = strlen(text);
    char *copy = arena_text(s->arena, text, length);
    while (length && wrap_columns(copy) + 1 > columns) {
        while (length && ((unsigned char)copy[length - 1] & 0xc0) == 0x80) length--;
        copy[length ? --length : 0] = '\0';
    }
    return arena_format(s->arena, "%s…", copy);
}

static size_t value_columns(const Scene *s, const RaspSequence *values) {
    size_t widest = 1;
    for (size_t k = 0; values && k < s->shown; k++)
        widest = larger(widest, wrap_columns(scene_value(s, values, k)));
    return at_most(widest, VALUE_MOST);
}

static void blanks(FILE *out, size_t count) {
    while (count--) fputc(' ', out);
}

static void put_values(FILE *out, const Scene *s, const RaspSequence *values, size_t columns) {
    for (size_t k = 0; k < s->shown; k++)
        wrap_right(out, cut(s, scene_value(s, values, k), columns), columns + GAP);
    if (s->shown * s->bin < s->length) fputs("  …", out);
    fputc('\n', out);
}

/* --- rows ------------------------------------------------------------------------------- */

static size_t widest_row(const Scene *s, const SceneLayer *layer, size_t *label) {
    size_t columns = 1;
    *label = 0;
    for (size_t r = layer->first_row; r < layer->first_row + layer->row_count; r++) {
        columns = larger(columns, value_columns(s, s->rows[r].values));
        *label = larger(*label, at_most(wrap_columns(s->rows[r].label), LABEL_MOST));
    }
    return columns;
}

void lines_rows(FILE *out, const Scene *s, const SceneLayer *layer, size_t indent) {
    size_t label, columns = widest_row(s, layer, &label);
    for (size_t r = layer->first_row; r < layer->first_row + layer->row_count; r++) {
        blanks(out, indent);
        wrap_left(out, cut(s, s->rows[r].label, LABEL_MOST), label);
        put_values(out, s, s->rows[r].values, columns);
    }
}

/* --- panels ----------------------------------------------------------------------------- */

typedef struct Grid {
    size_t query[SCENE_LEAVES], queries; /* columns of each, and of all */
    size_t left, cell;
} Grid;

static const char *title(const Scene *s, const char *what, uint32_t node) {
    return arena_format(s->arena, "%s %s", what, cut(s, scene_label(s, node), TITLE_MOST));
}

static Grid measure(const Scene *s, const ScenePanel *panel) {
    Grid g = {.cell = 1};
    for (size_t k = 0; k < panel->key_count; k++) {
        g.cell = larger(g.cell, value_columns(s, scene_values(s, panel->keys[k])));
        g.left = larger(g.left, wrap_columns(title(s, "key", panel->keys[k])));
    }
    for (size_t k = 0; k < panel->value_count; k++) {
        g.cell = larger(g.cell, value_columns(s, scene_values(s, panel->values[k])));
        g.left = larger(g.left, wrap_columns(title(s, "value", panel->values[k])));
    }
    for (size_t k = 0; k < panel->query_count; k++) {
        size_t head = wrap_columns(title(s, "query", panel->queries[k]));
        g.query[k] = larger(head, value_columns(s, scene_values(s, panel->queries[k])));
        g.queries += g.query[k] + (k ? GAP : 0);
    }
    g.left = larger(g.left, g.queries);
    return g;
}

static void put_named(FILE *out, const Scene *s, const Grid *g, const char *what, uint32_t node,
                      size_t indent) {
    blanks(out, indent);
    wrap_right(out, title(s, what, node), g->left);
    put_values(out, s, scene_values(s, node), g->cell);
}

static size_t result_columns(const Scene *s, const SceneRow *row) {
    return larger(at_most(wrap_columns(row->label), TITLE_MOST), value_columns(s, row->values));
}

/* The names of queries and results, above their columns. */
static void put_names(FILE *out, const Scene *s, const ScenePanel *panel, const Grid *g,
                      size_t indent) {
    blanks(out, indent + g->left - g->queries);
    for (size_t k = 0; k < panel->query_count; k++)
        wrap_right(out, title(s, "query", panel->queries[k]), g->query[k] + (k ? GAP : 0));
    blanks(out, s->shown * (g->cell + GAP) + 1);
    for (size_t k = 0; k < panel->result_count; k++) {
        const SceneRow *row = &s->rows[panel->results[k]];
        wrap_right(out, cut(s, row->label, TITLE_MOST), result_columns(s, row) + GAP);
    }
    fputc('\n', out);
}

static void put_query(FILE *out, const Scene *s, const ScenePanel *panel, const Grid *g, size_t i,
                      size_t indent) {
    blanks(out, indent + g->left - g->queries);
    for (size_t k = 0; k < panel->query_count; k++) {
        const char *value = scene_value(s, scene_values(s, panel->queries[k]), i);
        wrap_right(out, cut(s, value, g->query[k]), g->query[k] + (k ? GAP : 0));
    }
    for (size_t j = 0; j < s->shown; j++)
        wrap_right(out, panel->cells[i * s->length + j] ? "1" : ".", g->cell + GAP);
    fputc(' ', out);
    for (size_t k = 0; k < panel->result_count; k++) {
        const SceneRow *row = &s->rows[panel->results[k]];
        size_t columns = result_columns(s, row);
        wrap_right(out, cut(s, scene_value(s, row->values, i), columns), columns + GAP);
    }
    fputc('\n', out);
}

void lines_panel(FILE *out, const Scene *s, const ScenePanel *panel, size_t indent) {
    Grid g = measure(s, panel);
    for (size_t k = 0; k < panel->key_count; k++)
        put_named(out, s, &g, "key", panel->keys[k], indent);
    put_names(out, s, panel, &g, indent);
    for (size_t i = 0; i < s->shown; i++) put_query(out, s, panel, &g, i, indent);
    for (size_t k = 0; k < panel->value_count; k++)
        put_named(out, s, &g, "value", panel->values[k], indent);
}

/* --- the whole -------------------------------------------------------------------------- */

static void put_layer(FILE *out, const Scene *s, size_t k) {
    const SceneLayer *layer = &s->layers[k];
    if (!layer->row_count) return;
    if (k)
        fprintf(out, "\nlayer %zu\n", k);
    else
        fputs("\ninput\n", out);
    for (size_t p = layer->first_panel; p < layer->first_panel + layer->panel_count; p++) {
        blanks(out, INDENT / 2);
        wrap_left(out, s->panels[p].title, 0);
        fputc('\n', out);
        lines_panel(out, s, &s->panels[p], INDENT);
        fputc('\n', out);
    }
    lines_rows(out, s, layer, INDENT);
}

void lines_scene(FILE *out, const Scene *s) {
    for (size_t k = 0; k < s->layer_count; k++) put_layer(out, s, k);
    if (s->shown < s->length)
        fprintf(out, "\n(the first %zu of %zu positions)\n", s->shown, s->length);
}

/* --- what fits -------------------------------------------------------------------------- */

static size_t room(size_t width, size_t taken, size_t column) {
    return width > taken + column + GAP ? (width - taken) / (column + GAP) : 1;
}

/* Widths are those of the values on all positions, so that what fits does not depend on itself. */
size_t lines_fit(const Scene *scene, size_t width, bool panels) {
    enum { ELLIPSIS = 3 };
    if (!width) return SCENE_POSITIONS;
    Scene s = *scene;
    scene_crop(&s, SCENE_POSITIONS);
    size_t fits = SCENE_POSITIONS;
    for (size_t k = 0; k < s.layer_count; k++) {
        size_t label, columns = widest_row(&s, &s.layers[k], &label);
        fits = at_most(fits, room(width, INDENT + label + ELLIPSIS, columns));
    }
    for (size_t p = 0; panels && p < s.panel_count; p++) {
        Grid g = measure(&s, &s.panels[p]);
        size_t results = 1;
        for (size_t k = 0; k < s.panels[p].result_count; k++)
            results += result_columns(&s, &s.rows[s.panels[p].results[k]]) + GAP;
        fits = at_most(fits, room(width, INDENT + g.left + results + ELLIPSIS, g.cell));
    }
    return fits;
}
