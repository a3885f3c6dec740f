#include "show/flow_layout.h"

#include "show/svg.h"

#include <math.h>
#include <stdlib.h>

enum {
    LINE_WIDTH = 1180, /* panels side by side, unless one alone is wider */
    TITLE_MOST = 460,
    NAME_MOST = 300,
    STRIP_MOST = 150,
    FORMULA_MOST = 420,
    VALUE_MOST = 72,
};

/* --- measures --------------------------------------------------------------------------- */

static double widest_value(const Scene *s, const RaspSequence *values, double size) {
    double widest = 0;
    for (size_t k = 0; values && k < s->shown; k++)
        widest = fmax(widest, svg_width(SVG_CODE, size, scene_value(s, values, k)));
    return fmin(widest, VALUE_MOST);
}

static double widest_of(const Scene *s, const uint32_t *nodes, size_t count) {
    double widest = 0;
    for (size_t k = 0; k < count; k++)
        widest = fmax(widest, widest_value(s, scene_values(s, nodes[k]), FLOW_SMALL));
    return widest;
}

static double strip_width(const Scene *s, const char *before, const char *label,
                          const RaspSequence *values) {
    double head = svg_width(SVG_PROSE, FLOW_SMALL, before) + svg_width(SVG_CODE, FLOW_SMALL, label);
    return fmin(STRIP_MOST, fmax(head, widest_value(s, values, FLOW_SMALL))) + 10;
}

/* --- a panel ---------------------------------------------------------------------------- */

static void add_port(const Scene *s, FlowPanel *box, uint32_t node, double y) {
    if (s->row_of[node] == RASP_NO_NODE) return; /* a constant */
    box->input[box->input_count++] = (FlowPort){.y = y, .row = s->row_of[node]};
}

/* From the left: queries, the grid, results. */
static double place_across(const Scene *s, const ScenePanel *panel, FlowPanel *box) {
    double x = FLOW_PAD;
    for (size_t k = 0; k < panel->query_count; k++) {
        const RaspSequence *values = scene_values(s, panel->queries[k]);
        double width = strip_width(s, "query ", scene_label(s, panel->queries[k]), values);
        box->query[k] = (FlowStrip){x, width};
        x += width;
    }
    bool dense = s->shown > 32;
    double values = fmax(widest_of(s, panel->keys, panel->key_count),
                         widest_of(s, panel->values, panel->value_count));
    box->cell_width = fmax(values + 4, dense ? 11 : FLOW_CELLS);
    box->cell_height = dense ? 12 : FLOW_CELLS;
    box->grid_x = x + 2;
    x = box->grid_x + box->cell_width * (double)s->shown + 8;
    for (size_t k = 0; k < panel->result_count; k++) {
        const SceneRow *row = &s->rows[panel->results[k]];
        double width = strip_width(s, "", row->label, row->values) + 4;
        box->result[k] = (FlowStrip){x, width};
        x += width + 4;
    }
    return x;
}

/* From the top: title, keys, grid, values. */
static double place_down(const Scene *s, const ScenePanel *panel, FlowPanel *box) {
    double y = FLOW_PAD + FLOW_LABEL + 6;
    for (size_t k = 0; k < panel->key_count; k++) {
        add_port(s, box, panel->keys[k], y + FLOW_LABEL / 2.0);
        y += FLOW_LABEL + FLOW_CELLS;
    }
    box->grid_y = y;
    double grid = box->cell_height * (double)s->shown, step = grid > 40 ? 8 : 5;
    for (size_t k = 0; k < panel->query_count; k++)
        add_port(s, box, panel->queries[k], y + 5 + step * (double)k);
    y += grid;
    for (size_t k = 0; k < panel->value_count; k++) {
        add_port(s, box, panel->values[k], y + FLOW_CELLS / 2.0 + 2);
        y += FLOW_LABEL + FLOW_CELLS + 2;
    }
    for (size_t k = 0; k < panel->result_count; k++)
        box->output[k] =
            (FlowPort){.y = box->grid_y + 6 + FLOW_TRACK * (double)k, .row = panel->results[k]};
    double outputs = box->grid_y + 6 + FLOW_TRACK * (double)panel->result_count;
    return fmax(y, outputs) + (panel->more ? FLOW_LABEL : 0) + FLOW_PAD;
}

static void measure_panel(const Scene *s, const ScenePanel *panel, FlowPanel *box) {
    size_t ports = panel->key_count + panel->query_count + panel->value_count;
    box->input = ARENA_ARRAY(s->arena, ports + 1, FlowPort);
    box->result = ARENA_ARRAY(s->arena, panel->result_count + 1, FlowStrip);
    box->output = ARENA_ARRAY(s->arena, panel->result_count + 1, FlowPort);
    double title = fmin(TITLE_MOST, svg_width(SVG_CODE, FLOW_TEXT, panel->title) + 1);
    double across = place_across(s, panel, box), labels = 0;
    for (size_t k = 0; k < panel->key_count; k++)
        labels = fmax(labels, svg_width(SVG_CODE, FLOW_SMALL, scene_label(s, panel->keys[k])));
    for (size_t k = 0; k < panel->value_count; k++)
        labels = fmax(labels, svg_width(SVG_CODE, FLOW_SMALL, scene_label(s, panel->values[k])));
    labels = fmin(labels, STRIP_MOST) + svg_width(SVG_PROSE, FLOW_SMALL, "value  ");
    box->width = fmax(fmax(across, title + FLOW_PAD), box->grid_x + labels) + FLOW_PAD;
    box->height = place_down(s, panel, box);
}

/* --- lines of panels -------------------------------------------------------------------- */

/* Wires of one row share a track. */
static size_t assign_inputs(FlowPanel *box, double x) {
    size_t tracks = 0;
    for (size_t k = 0; k < box->input_count; k++) {
        FlowPort *port = &box->input[k];
        port->x = 0;
        for (size_t m = 0; m < k; m++)
            if (box->input[m].row == port->row) port->x = box->input[m].x;
        if (port->x == 0) port->x = x + FLOW_TRACK * (double)tracks++;
    }
    return tracks;
}

/* Panels from left to right, each behind a gutter with the results of the one before and its own
 * inputs; gives where the last gutter ends. */
static double place_line(FlowLayout *l, FlowLine *line) {
    double x = l->left;
    size_t outputs = 0;
    for (size_t p = line->first; p < line->first + line->count; p++) {
        FlowPanel *box = &l->panels[p];
        x += outputs || p > line->first ? 8 : 4;
        size_t inputs = assign_inputs(box, x);
        x += FLOW_TRACK * (double)inputs + 6;
        box->x = x;
        x += box->width + 8;
        outputs = l->scene->panels[p].result_count;
        for (size_t k = 0; k < outputs; k++) /* the upper ones turn down farther out */
            box->output[k].x = x + FLOW_TRACK * (double)(outputs - 1 - k);
        x += FLOW_TRACK * (double)outputs;
    }
    return x;
}

static void list_above(FlowLayout *l, FlowLine *line) {
    size_t most = 0;
    for (size_t p = line->first; p < line->first + line->count; p++)
        most += l->panels[p].input_count;
    line->above_row = ARENA_ARRAY(l->scene->arena, most + 1, uint32_t);
    for (size_t p = line->first; p < line->first + line->count; p++) {
        line->below_count += l->scene->panels[p].result_count;
        for (size_t k = 0; k < l->panels[p].input_count; k++) {
            uint32_t row = l->panels[p].input[k].row;
            bool known = false;
            for (size_t m = 0; m < line->above_count; m++) known |= line->above_row[m] == row;
            if (!known) line->above_row[line->above_count++] = row;
        }
    }
}

static double gutter(const FlowLayout *l, size_t p) {
    size_t tracks = l->panels[p].input_count + l->scene->panels[p].result_count;
    return FLOW_TRACK * (double)tracks + 22;
}

static void break_lines(FlowLayout *l, size_t layer) {
    const SceneLayer *of = &l->scene->layers[layer];
    FlowLayerBox *box = &l->layers[layer];
    double x = 0;
    box->first_line = l->line_count;
    for (size_t p = of->first_panel; p < of->first_panel + of->panel_count; p++) {
        double width = l->panels[p].width + gutter(l, p);
        if (p == of->first_panel || x + width > LINE_WIDTH) {
            l->lines[l->line_count++] = (FlowLine){.first = p};
            x = 0;
        }
        l->lines[l->line_count - 1].count++;
        x += width;
    }
    box->line_count = l->line_count - box->first_line;
    for (size_t k = box->first_line; k < l->line_count; k++) list_above(l, &l->lines[k]);
}

/* --- from top to bottom ----------------------------------------------------------------- */

static double stack_line(FlowLayout *l, FlowLine *line, double y) {
    double tallest = 0;
    line->above = y;
    line->top = y + FLOW_TRACK * (double)line->above_count + 6;
    for (size_t p = line->first; p < line->first + line->count; p++) {
        l->panels[p].y = line->top;
        tallest = fmax(tallest, l->panels[p].height);
    }
    line->below = line->top + tallest + 8;
    return line->below + FLOW_TRACK * (double)line->below_count + 6;
}

static double stack_layers(FlowLayout *l, double y) {
    for (size_t k = 0; k < l->scene->layer_count; k++) {
        const SceneLayer *layer = &l->scene->layers[k];
        FlowLayerBox *box = &l->layers[k];
        if (!layer->row_count) continue;
        box->y = y;
        y += FLOW_HEADING;
        for (size_t m = box->first_line; m < box->first_line + box->line_count; m++)
            y = stack_line(l, &l->lines[m], y);
        for (size_t r = layer->first_row; r < layer->first_row + layer->row_count; r++) {
            l->row_y[r] = y;
            y += FLOW_ROW_STEP;
        }
        y += 6;
        box->height = y - box->y;
        y += 14;
    }
    return y;
}

/* --- wires down the left side ----------------------------------------------------------- */

double flow_row_out(const FlowLayout *l, size_t row) {
    return l->row_y[row] + FLOW_ROW - 4;
}

double flow_row_in(const FlowLayout *l, size_t row, size_t k) {
    size_t count = l->scene->rows[row].source_count;
    double step = count > 1 ? fmin(5, 13.0 / (double)(count - 1)) : 0;
    return l->row_y[row] + 4 + step * (double)k;
}

double flow_track(const FlowLine *line, uint32_t row) {
    size_t k = 0;
    while (line->above_row[k] != row) k++;
    return line->above + FLOW_TRACK * (double)k;
}

/* Later panels' results nearer to them, so that wires do not cross more than they must. */
double flow_result_track(const FlowLayout *l, const FlowLine *line, size_t p, size_t k) {
    size_t before = 0;
    for (size_t other = line->first; other < p; other++)
        before += l->scene->panels[other].result_count;
    return line->below + FLOW_TRACK * (double)(line->below_count - 1 - before - k);
}

static void reach(FlowLane *lane, double y) {
    if (!lane->used) lane->from = lane->to = y;
    lane->used = true;
    lane->from = fmin(lane->from, y);
    lane->to = fmax(lane->to, y);
}

static void find_lanes(FlowLayout *l) {
    const Scene *s = l->scene;
    for (size_t r = 0; r < s->row_count; r++)
        for (size_t k = 0; k < s->rows[r].source_count; k++)
            reach(&l->row_lane[s->rows[r].sources[k]], flow_row_in(l, r, k));
    for (size_t m = 0; m < l->line_count; m++) {
        const FlowLine *line = &l->lines[m];
        for (size_t k = 0; k < line->above_count; k++)
            reach(&l->row_lane[line->above_row[k]], flow_track(line, line->above_row[k]));
        for (size_t p = line->first; p < line->first + line->count; p++)
            for (size_t k = 0; k < s->panels[p].result_count; k++) {
                FlowLane *lane = &l->result_lane[s->panels[p].results[k]];
                reach(lane, flow_result_track(l, line, p, k));
                reach(lane, flow_row_in(l, s->panels[p].results[k], 0));
            }
    }
    for (size_t r = 0; r < s->row_count; r++)
        if (l->row_lane[r].used) reach(&l->row_lane[r], flow_row_out(l, r));
}

static int compare_lanes(const void *a, const void *b) {
    const FlowLane *x = *(FlowLane *const *)a, *y = *(FlowLane *const *)b;
    double one = x->to - x->from, other = y->to - y->from;
    if (one != other) return one < other ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

/* Short ones nearest to the rows, each in the first column that is free all along. */
static size_t assign_lanes(FlowLayout *l) {
    const Scene *s = l->scene;
    size_t count = 0, columns = 0;
    FlowLane **lanes = ARENA_ARRAY(s->arena, 2 * s->row_count + 1, FlowLane *);
    for (size_t r = 0; r < s->row_count; r++) {
        if (l->row_lane[r].used) lanes[count++] = &l->row_lane[r];
        if (l->result_lane[r].used) lanes[count++] = &l->result_lane[r];
    }
    if (count) qsort(lanes, count, sizeof *lanes, compare_lanes);
    for (size_t k = 0; k < count; k++) {
        double column = 0;
        for (size_t m = 0; m < k; m++) {
            bool apart = lanes[m]->to + 4 < lanes[k]->from || lanes[k]->to + 4 < lanes[m]->from;
            if (lanes[m]->x == column && !apart) column++, m = SIZE_MAX;
        }
        lanes[k]->x = column;
        if ((size_t)column + 1 > columns) columns = (size_t)column + 1;
    }
    for (size_t k = 0; k < count; k++)
        lanes[k]->x = FLOW_MARGIN + FLOW_TRACK * ((double)columns - lanes[k]->x);
    return columns;
}

/* --- all of it -------------------------------------------------------------------------- */

static void measure_rows(FlowLayout *l) {
    const Scene *s = l->scene;
    double label = 60, value = 12, formula = 0;
    for (size_t r = 0; r < s->row_count; r++) {
        const SceneRow *row = &s->rows[r];
        label = fmax(label, svg_width(SVG_CODE, FLOW_TEXT, row->label));
        value = fmax(value, widest_value(s, row->values, FLOW_TEXT));
        if (row->formula) formula = fmax(formula, svg_width(SVG_CODE, FLOW_SMALL, row->formula));
    }
    l->label = fmin(label, NAME_MOST) + 24;
    l->column = value + 10;
    l->formula = fmin(formula, FORMULA_MOST);
}

static FlowLayout empty_layout(const Scene *s) {
    return (FlowLayout){.scene = s,
                        .row_y = ARENA_ARRAY(s->arena, s->row_count + 1, double),
                        .panels = ARENA_ARRAY(s->arena, s->panel_count + 1, FlowPanel),
                        .lines = ARENA_ARRAY(s->arena, s->panel_count + 1, FlowLine),
                        .layers = ARENA_ARRAY(s->arena, s->layer_count + 1, FlowLayerBox),
                        .row_lane = ARENA_ARRAY(s->arena, s->row_count + 1, FlowLane),
                        .result_lane = ARENA_ARRAY(s->arena, s->row_count + 1, FlowLane)};
}

FlowLayout flow_layout(const Scene *s) {
    FlowLayout l = empty_layout(s);
    measure_rows(&l);
    for (size_t p = 0; p < s->panel_count; p++) measure_panel(s, &s->panels[p], &l.panels[p]);
    for (size_t k = 0; k < s->layer_count; k++) break_lines(&l, k);
    l.height = stack_layers(&l, FLOW_MARGIN + 48 + (s->bin > 1 ? FLOW_LABEL + 2 : 0));
    find_lanes(&l);
    l.left = FLOW_MARGIN + FLOW_TRACK * (double)(assign_lanes(&l) + 1) + 8;
    double right = l.left + l.label + l.column * (double)s->shown + 12 + l.formula;
    for (size_t m = 0; m < l.line_count; m++) right = fmax(right, place_line(&l, &l.lines[m]));
    l.width = fmax(right + 10 + FLOW_MARGIN, 640);
    return l;
}
