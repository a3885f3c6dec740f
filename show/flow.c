#include "show/flow.h"

#include "show/flow_layout.h"
#include "show/palette.h"
#include "show/svg.h"

#include <math.h>

enum { CORNER = 5, BASELINE = 4 };

typedef struct Flow {
    Svg svg;
    const Scene *s;
    FlowLayout l;
} Flow;

/* --- wires ------------------------------------------------------------------------------ */

/* A net is drawn twice: first a wider line in the background's colour, so that it is seen to pass
 * above what it crosses, then itself. */
typedef struct Net {
    Flow *flow;
    char colour[40], fill[32];
    bool under;
} Net;

static Net net_of(Flow *f, uint32_t row, bool under) {
    Net net = {.flow = f, .under = under};
    unsigned colour = row % PALETTE_WIRES + 1;
    snprintf(net.colour, sizeof net.colour, "wire line-wire-%u", colour);
    snprintf(net.fill, sizeof net.fill, "fill-wire-%u", colour);
    return net;
}

static void put_wire(const Net *net, const SvgPoint *points, size_t count) {
    svg_route(&net->flow->svg, net->under ? "under line-paper" : net->colour, points, count,
              CORNER);
}

static void put_arrow(const Net *net, double x, double y) {
    if (!net->under) svg_arrow(&net->flow->svg, net->fill, x, y);
}

static void put_dot(const Net *net, double x, double y) {
    if (!net->under) svg_circle(&net->flow->svg, net->fill, x, y, 2.4);
}

/* Branches begin a little before they turn, on what has been drawn already. */
enum { TURN = 2 * CORNER };

/* From a row down its lane, as far as the last reader. */
static void put_trunk(const Net *net, uint32_t row) {
    const FlowLayout *l = &net->flow->l;
    double x = l->row_lane[row].x, y = flow_row_out(l, row), to = l->row_lane[row].to - TURN;
    SvgPoint points[] = {{l->left, y}, {x, y}, {x, fmax(y, to)}};
    put_wire(net, points, to > y ? 3 : 2);
    put_dot(net, l->left, y);
}

/* From a row's lane into a row. */
static void put_step(const Net *net, uint32_t from, size_t row, size_t k) {
    const FlowLayout *l = &net->flow->l;
    double x = l->row_lane[from].x, y = flow_row_in(l, row, k);
    SvgPoint points[] = {{x, fmax(y - TURN, flow_row_out(l, from))}, {x, y}, {l->left, y}};
    put_wire(net, points, 3);
    put_arrow(net, l->left, y);
}

/* Does the same row enter the panel farther down? */
static bool goes_down(const FlowPanel *box, const FlowPort *port) {
    for (size_t k = 0; k < box->input_count; k++)
        if (box->input[k].row == port->row && box->input[k].y > port->y) return true;
    return false;
}

/* Does it enter a panel farther along the line? */
static bool goes_on(const FlowLayout *l, const FlowLine *line, size_t p, uint32_t row) {
    for (size_t other = p + 1; other < line->first + line->count; other++)
        for (size_t k = 0; k < l->panels[other].input_count; k++)
            if (l->panels[other].input[k].row == row) return true;
    return false;
}

/* From a row's lane into a panel. */
static void put_input(const Net *net, const FlowLine *line, size_t p, const FlowPort *port) {
    const FlowLayout *l = &net->flow->l;
    const FlowPanel *box = &l->panels[p];
    double lane = l->row_lane[port->row].x, track = flow_track(line, port->row);
    double y = box->y + port->y;
    SvgPoint points[] = {
        {lane, track - TURN}, {lane, track}, {port->x, track}, {port->x, y}, {box->x, y}};
    size_t from = 0;
    if (goes_down(box, port))
        points[from = 2].y = y - TURN;
    else if (goes_on(l, line, p, port->row))
        points[from = 1].x = port->x - TURN;
    put_wire(net, points + from, 5 - from);
    put_arrow(net, box->x, y);
}

/* Everything that reads a row. */
static void put_readers(const Net *net, uint32_t row) {
    const FlowLayout *l = &net->flow->l;
    const Scene *s = net->flow->s;
    put_trunk(net, row);
    for (size_t r = 0; r < s->row_count; r++)
        for (size_t k = 0; k < s->rows[r].source_count; k++)
            if (s->rows[r].sources[k] == row) put_step(net, row, r, k);
    for (size_t m = 0; m < l->line_count; m++)
        for (size_t p = l->lines[m].first; p < l->lines[m].first + l->lines[m].count; p++)
            for (size_t k = 0; k < l->panels[p].input_count; k++)
                if (l->panels[p].input[k].row == row)
                    put_input(net, &l->lines[m], p, &l->panels[p].input[k]);
}

static void put_row_net(Flow *f, uint32_t row) {
    Net under = net_of(f, row, true), wire = net_of(f, row, false);
    svg_group(&f->svg, "net");
    svg_tip(&f->svg, f->s->rows[row].label);
    put_readers(&under, row);
    put_readers(&wire, row);
    svg_close(&f->svg);
}

/* From a panel to the row of its result. */
static void put_output(const Net *net, const FlowLine *line, size_t p, size_t k) {
    const FlowLayout *l = &net->flow->l;
    const FlowPanel *box = &l->panels[p];
    const FlowPort *port = &box->output[k];
    double lane = l->result_lane[port->row].x, y = flow_row_in(l, port->row, 0);
    double track = flow_result_track(l, line, p, k), from = box->y + port->y;
    SvgPoint points[] = {{box->x + box->width, from},
                         {port->x, from},
                         {port->x, track},
                         {lane, track},
                         {lane, y},
                         {l->left, y}};
    put_wire(net, points, 6);
    put_dot(net, box->x + box->width, from);
    put_arrow(net, l->left, y);
}

static void put_result_net(Flow *f, const FlowLine *line, size_t p, size_t k) {
    uint32_t row = f->s->panels[p].results[k];
    Net under = net_of(f, row, true), wire = net_of(f, row, false);
    svg_group(&f->svg, "net");
    svg_tip(&f->svg, f->s->rows[row].label);
    put_output(&under, line, p, k);
    put_output(&wire, line, p, k);
    svg_close(&f->svg);
}

static void put_wires(Flow *f) {
    const FlowLayout *l = &f->l;
    for (uint32_t r = 0; r < f->s->row_count; r++)
        if (l->row_lane[r].used) put_row_net(f, r);
    for (size_t m = 0; m < l->line_count; m++)
        for (size_t p = l->lines[m].first; p < l->lines[m].first + l->lines[m].count; p++)
            for (size_t k = 0; k < f->s->panels[p].result_count; k++)
                put_result_net(f, &l->lines[m], p, k);
}

/* --- rows ------------------------------------------------------------------------------- */

static void put_value(Flow *f, const RaspSequence *values, size_t k, double size, double x,
                      double y, double room) {
    const char *text = scene_value(f->s, values, k);
    RaspAtom atom = rasp_sequence_at(values, k * f->s->bin);
    bool quiet = atom.kind == RASP_BOOL && !atom.as.b;
    svg_text(&f->svg, SVG_CODE, size, SVG_MIDDLE, quiet ? "fill-faint" : "fill-ink", x, y,
             svg_fit(SVG_CODE, size, text, room, f->s->arena));
}

/* A line of values, each in its column. */
static void put_values(Flow *f, const RaspSequence *values, double size, double x, double y,
                       double width, double height) {
    size_t n = f->s->shown;
    for (size_t k = 0; k < n; k++)
        if (scene_true(f->s, values, k))
            svg_rect(&f->svg, "fill-true", x + width * (double)k + 1, y + 1.5, width - 2,
                     height - 3, 2);
    for (size_t k = 0; k < n; k++)
        put_value(f, values, k, size, x + width * ((double)k + 0.5), y + height / 2 + BASELINE,
                  width);
}

static void put_row(Flow *f, size_t r) {
    const SceneRow *row = &f->s->rows[r];
    const FlowLayout *l = &f->l;
    double x = l->left, y = l->row_y[r], cells = x + l->label;
    double width = l->label + l->column * (double)f->s->shown;
    svg_group(&f->svg, row->answer ? "row answer" : "row");
    if (row->formula) svg_tip(&f->svg, row->formula);
    svg_rect(&f->svg, row->answer ? "fill-answer line-rule" : "fill-card line-rule", x, y, width,
             FLOW_ROW, 4);
    svg_text(&f->svg, SVG_CODE, FLOW_TEXT, SVG_START, "fill-ink bold", x + 10,
             y + FLOW_ROW / 2.0 + BASELINE,
             svg_fit(SVG_CODE, FLOW_TEXT, row->label, l->label - 20, f->s->arena));
    put_values(f, row->values, FLOW_TEXT, cells, y, l->column, FLOW_ROW);
    if (row->formula)
        svg_text(&f->svg, SVG_CODE, FLOW_SMALL, SVG_START, "fill-faint", x + width + 12,
                 y + FLOW_ROW / 2.0 + BASELINE,
                 svg_fit(SVG_CODE, FLOW_SMALL, row->formula, l->formula, f->s->arena));
    svg_close(&f->svg);
}

/* --- panels ----------------------------------------------------------------------------- */

/* "key tokens": what it is faint, its name not. */
static void put_named(Flow *f, const char *what, const char *name, double x, double y,
                      double room) {
    double before = svg_width(SVG_PROSE, FLOW_SMALL, what);
    if (*what) svg_text(&f->svg, SVG_PROSE, FLOW_SMALL, SVG_START, "fill-faint", x, y, what);
    svg_text(&f->svg, SVG_CODE, FLOW_SMALL, SVG_START, "fill-ink", x + before, y,
             svg_fit(SVG_CODE, FLOW_SMALL, name, room - before, f->s->arena));
}

/* Cells of which at least so many eighths are selected, and fewer than the next step. */
static void put_shade(Flow *f, const ScenePanel *panel, const FlowPanel *box, double from,
                      double below, const char *opacity) {
    size_t n = f->s->shown;
    double w = box->cell_width, h = box->cell_height;
    svg_open(&f->svg, "path");
    svg_attribute(&f->svg, "class", "cells fill-mark");
    if (opacity) svg_attribute(&f->svg, "fill-opacity", opacity);
    svg_path_begin(&f->svg);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double share = scene_cell(f->s, panel, i, j);
            if (share >= from && share < below)
                svg_path_rect(&f->svg, box->x + box->grid_x + w * (double)j + 1,
                              box->y + box->grid_y + h * (double)i + 1, w - 2, h - 2);
        }
    svg_path_end(&f->svg);
    svg_close(&f->svg);
}

static void put_grid(Flow *f, const ScenePanel *panel, const FlowPanel *box) {
    size_t n = f->s->shown;
    double x = box->x + box->grid_x, y = box->y + box->grid_y;
    double width = box->cell_width * (double)n, height = box->cell_height * (double)n;
    svg_open(&f->svg, "path");
    svg_attribute(&f->svg, "class", "thin line-rule");
    svg_attribute(&f->svg, "fill", "none");
    svg_path_begin(&f->svg);
    for (size_t k = 0; k <= n; k++) {
        double across = x + box->cell_width * (double)k, down = y + box->cell_height * (double)k;
        svg_path_line(&f->svg, across, y, across, y + height);
        svg_path_line(&f->svg, x, down, x + width, down);
    }
    svg_path_end(&f->svg);
    svg_close(&f->svg);
    if (f->s->bin == 1) {
        put_shade(f, panel, box, 0.5, 2, NULL);
        return;
    }
    put_shade(f, panel, box, 1e-9, 0.25, "0.25");
    put_shade(f, panel, box, 0.25, 0.5, "0.45");
    put_shade(f, panel, box, 0.5, 1, "0.7");
    put_shade(f, panel, box, 1, 2, NULL);
}

/* A column of values beside the grid, its name above. */
static void put_strip(Flow *f, const FlowPanel *box, const FlowStrip *strip, const char *what,
                      const char *name, const RaspSequence *values, bool result) {
    double x = box->x + strip->at, y = box->y + box->grid_y, h = box->cell_height;
    double name_width =
        svg_width(SVG_PROSE, FLOW_SMALL, what) + svg_width(SVG_CODE, FLOW_SMALL, name);
    double from = fmax(x + 3, x + (strip->width - name_width) / 2);
    put_named(f, what, name, from, y - 6, strip->width - 6);
    if (result) svg_rect(&f->svg, "fill-band", x, y, strip->width, h * (double)f->s->shown, 3);
    for (size_t k = 0; k < f->s->shown; k++)
        put_value(f, values, k, FLOW_SMALL, x + strip->width / 2,
                  y + h * ((double)k + 0.5) + BASELINE - 0.5, strip->width);
}

static const char *value_name(const Flow *f, const ScenePanel *panel, uint32_t node) {
    const char *name = scene_label(f->s, node);
    for (size_t k = 0; k < panel->result_count; k++) {
        const RaspGraphNode *result = &f->s->nodes[f->s->rows[panel->results[k]].node];
        bool here = result->kind == RASP_GRAPH_AGGREGATE && result->operand[1] == node;
        if (!here || rasp_atom_same(result->atom, rasp_int(0))) continue;
        char text[32];
        size_t length = rasp_atom_text(result->atom, RASP_QUOTED, text, sizeof text);
        if (length < sizeof text) return arena_format(f->s->arena, "%s, or %s", name, text);
    }
    return name;
}

static void put_rows_of_panel(Flow *f, const ScenePanel *panel, const FlowPanel *box) {
    double x = box->x + box->grid_x, y = box->y + FLOW_PAD + FLOW_LABEL + 6;
    double room = box->width - box->grid_x - FLOW_PAD;
    for (size_t k = 0; k < panel->key_count; k++) {
        put_named(f, "key ", scene_label(f->s, panel->keys[k]), x + 3, y + 10, room);
        put_values(f, scene_values(f->s, panel->keys[k]), FLOW_SMALL, x, y + FLOW_LABEL,
                   box->cell_width, FLOW_CELLS);
        y += FLOW_LABEL + FLOW_CELLS;
    }
    y += box->cell_height * (double)f->s->shown + 2;
    for (size_t k = 0; k < panel->value_count; k++) {
        put_values(f, scene_values(f->s, panel->values[k]), FLOW_SMALL, x, y, box->cell_width,
                   FLOW_CELLS);
        put_named(f, "value ", value_name(f, panel, panel->values[k]), x + 3, y + FLOW_CELLS + 10,
                  room);
        y += FLOW_LABEL + FLOW_CELLS + 2;
    }
}

static void put_panel(Flow *f, size_t p) {
    const ScenePanel *panel = &f->s->panels[p];
    const FlowPanel *box = &f->l.panels[p];
    svg_group(&f->svg, "head");
    svg_tip(&f->svg, panel->title);
    svg_rect(&f->svg, "fill-card line-rule", box->x, box->y, box->width, box->height, 6);
    svg_text(&f->svg, SVG_CODE, FLOW_TEXT, SVG_START, "fill-ink bold", box->x + FLOW_PAD,
             box->y + FLOW_PAD + 10,
             svg_fit(SVG_CODE, FLOW_TEXT, panel->title, box->width - 2 * FLOW_PAD, f->s->arena));
    put_rows_of_panel(f, panel, box);
    put_grid(f, panel, box);
    for (size_t k = 0; k < panel->query_count; k++)
        put_strip(f, box, &box->query[k], "query ", scene_label(f->s, panel->queries[k]),
                  scene_values(f->s, panel->queries[k]), false);
    for (size_t k = 0; k < panel->result_count; k++) {
        const SceneRow *row = &f->s->rows[panel->results[k]];
        put_strip(f, box, &box->result[k], "", row->label, row->values, true);
    }
    if (panel->more)
        svg_text(&f->svg, SVG_PROSE, FLOW_SMALL, SVG_START, "fill-faint", box->x + FLOW_PAD,
                 box->y + box->height - 8, "and further keys and queries");
    svg_close(&f->svg);
}

/* --- layers ----------------------------------------------------------------------------- */

static void put_layer(Flow *f, size_t k) {
    const SceneLayer *layer = &f->s->layers[k];
    const FlowLayerBox *box = &f->l.layers[k];
    const char *name = k ? arena_format(f->s->arena, "Layer %zu", k) : "Input";
    if (!layer->row_count) return;
    svg_rect(&f->svg, "fill-rule", f->l.left - 4, box->y, f->l.width - FLOW_MARGIN - f->l.left + 4,
             1, 0);
    svg_text(&f->svg, SVG_PROSE, FLOW_TEXT, SVG_START, "fill-ink bold", f->l.left, box->y + 17,
             name);
}

static void put_title(Flow *f, const char *title) {
    double y = FLOW_MARGIN + 14, room = f->l.width - 2 * FLOW_MARGIN;
    const char *legend = f->s->panel_count ? "Each head: keys along the top, queries down the "
                                             "side, the values it moves below, its result at "
                                             "the right."
                                           : "No head: every step is elementwise.";
    svg_text(&f->svg, SVG_CODE, 16, SVG_START, "fill-ink bold", FLOW_MARGIN, y,
             svg_fit(SVG_CODE, 16, title, room, f->s->arena));
    svg_text(&f->svg, SVG_PROSE, FLOW_SMALL, SVG_START, "fill-faint", FLOW_MARGIN, y + 18, legend);
    if (f->s->bin > 1)
        svg_text(&f->svg, SVG_PROSE, FLOW_SMALL, SVG_START, "fill-faint", FLOW_MARGIN, y + 34,
                 arena_format(f->s->arena,
                              "%zu positions in %zu bins of %zu: a row has the value of each "
                              "bin's first, a cell's shade is the share of pairs selected.",
                              f->s->length, f->s->shown, f->s->bin));
}

static const char style[] = ".wire{stroke-width:1.4}.under{stroke-width:4.5}.thin{stroke-width:.6}"
                            ".net:hover .wire{stroke-width:3}\n";

void flow_svg(FILE *out, const Scene *scene, const char *title) {
    Flow f = {.s = scene, .l = flow_layout(scene)};
    svg_begin(&f.svg, out, f.l.width, f.l.height, title, style);
    put_title(&f, title);
    for (size_t k = 0; k < scene->layer_count; k++) put_layer(&f, k);
    for (size_t p = 0; p < scene->panel_count; p++) put_panel(&f, p);
    for (size_t r = 0; r < scene->row_count; r++) put_row(&f, r);
    put_wires(&f);
    svg_end(&f.svg);
}
