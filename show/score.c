#include "show/score.h"

#include "show/elide.h"
#include "show/svg.h"

#include <math.h>

enum { MARGIN = 18, HEAD = 118, LINE = 30, NOTE = 5, SMALL = 10, TEXT = 12, LABEL_MOST = 190 };

typedef struct Stem {
    double x, width;
    const char *name, *detail;
} Stem;

typedef struct Score {
    Svg svg;
    const RaspCircuit *c;
    Arena *arena;
    Stem *stems;       /* one a node */
    uint32_t *line_of; /* [width]: of a dimension; RASP_NONE: it has none */
    const char **names;
    size_t lines;
    double left, width, height;
} Score;

/* --- lines ------------------------------------------------------------------------------ */

/* Those of an output are one line. */
static uint32_t output_of(const RaspCircuit *c, uint32_t dim) {
    for (uint32_t k = 0; k < c->output_count; k++)
        if (dim >= c->outputs[k].start && dim - c->outputs[k].start < c->outputs[k].form_count)
            return k;
    return RASP_NONE;
}

static bool *written_dims(const RaspCircuit *c, Arena *arena) {
    bool *written = ARENA_ARRAY(arena, (size_t)c->width + 1, bool);
    for (size_t k = 0; k < c->column_count; k++)
        for (size_t w = 0; w < c->columns[k].write_count; w++)
            written[c->columns[k].writes[w].dim] = true;
    return written;
}

static void list_lines(Score *s) {
    const RaspCircuit *c = s->c;
    const bool *written = written_dims(c, s->arena);
    s->line_of = ARENA_ARRAY(s->arena, (size_t)c->width + 1, uint32_t);
    s->names = ARENA_ARRAY(s->arena, (size_t)c->width + c->output_count + 1, const char *);
    for (uint32_t dim = 0; dim < c->width; dim++) {
        bool own = written[dim] && output_of(c, dim) == RASP_NONE;
        s->line_of[dim] = own ? (uint32_t)s->lines : RASP_NONE;
        if (own) s->names[s->lines++] = arena_format(s->arena, "dim %u", dim);
    }
    for (uint32_t k = 0; k < c->output_count; k++) {
        const RaspCircuitOutput *o = &c->outputs[k];
        for (uint32_t d = 0; d < o->form_count; d++) s->line_of[o->start + d] = (uint32_t)s->lines;
        s->names[s->lines++] = o->form_count == 1
                                   ? arena_format(s->arena, "dim %u (output)", o->start)
                                   : arena_format(s->arena, "dims %u–%u (output)", o->start,
                                                  o->start + (uint32_t)o->form_count - 1);
    }
}

size_t score_lines(const RaspCircuit *c) {
    return (size_t)c->width + c->output_count;
}

static double line_y(const Score *s, uint32_t line) {
    (void)s;
    return MARGIN + HEAD + LINE * ((double)line + 0.5) + 5;
}

/* --- nodes ------------------------------------------------------------------------------ */

static const char *elided(const Score *s, uint32_t sop) {
    return elide(s->c->sops[sop].text, 40, 200, s->arena);
}

static const char *sop_name(const Score *s, uint32_t sop) {
    const RaspCircuitSop *of = &s->c->sops[sop];
    return of->name ? of->name : elided(s, sop);
}

static void name_node(Score *s, const RaspCircuitNode *node, Stem *stem) {
    const RaspCircuit *c = s->c;
    Arena *arena = s->arena;
    stem->name = rasp_circuit_kind_name((int)node->kind);
    stem->detail = "";
    if (node->kind == RASP_CIRCUIT_HEAD) {
        const RaspCircuitHead *h = &c->heads[node->index];
        stem->name = arena_format(arena, "head %u.%u", h->layer + 1, h->head + 1);
        stem->detail = sop_name(s, h->selector);
    } else if (node->kind == RASP_CIRCUIT_TABLE) {
        const RaspCircuitTable *t = &c->tables[node->index];
        stem->name = arena_format(arena, "table %u.%u", t->layer + 1, t->sublayer + 1);
        stem->detail =
            arena_format(arena, "%zu unit%s", t->unit_count, t->unit_count == 1 ? "" : "s");
    } else if (node->kind == RASP_CIRCUIT_CLEAR) {
        const RaspCircuitClear *k = &c->clears[node->index];
        stem->name = arena_format(arena, "clear %u.%u", k->layer + 1, k->sublayer + 1);
    } else if (node->kind == RASP_CIRCUIT_OUTPUT) {
        stem->name = "output";
        stem->detail = c->outputs[node->index].name;
    }
}

/* A stem's label stands to its right; its columns' names do, too. */
static void place_nodes(Score *s) {
    const RaspCircuit *c = s->c;
    double x = s->left;
    s->stems = ARENA_ARRAY(s->arena, c->node_count + 1, Stem);
    for (size_t k = 0; k < c->node_count; k++) {
        const RaspCircuitNode *node = &c->nodes[k];
        Stem *stem = &s->stems[k];
        name_node(s, node, stem);
        double widest =
            fmax(svg_width(SVG_CODE, TEXT, stem->name), svg_width(SVG_CODE, SMALL, stem->detail));
        for (size_t m = 0; m < node->column_count; m++) {
            const char *name = sop_name(s, c->columns[node->columns[m]].sop);
            widest = fmax(widest, svg_width(SVG_CODE, SMALL, name));
        }
        stem->x = x;
        stem->width = fmin(widest, LABEL_MOST) + 26;
        x += stem->width;
    }
    s->width = x + MARGIN;
    s->height = MARGIN + HEAD + LINE * (double)s->lines + MARGIN;
}

/* --- bars ------------------------------------------------------------------------------- */

/* The last stem that reads the column, or the one that clears it. */
static double reader_x(const Score *s, uint32_t column, bool clears) {
    double x = 0;
    for (size_t k = 0; k < s->c->edge_count; k++) {
        const RaspCircuitEdge *e = &s->c->edges[k];
        if (e->column == column && (e->role == RASP_ROLE_CLEAR) == clears)
            x = fmax(x, s->stems[e->to].x);
    }
    return x;
}

static void put_bar(Score *s, double from, double to, double y, const char *class) {
    SvgPoint points[] = {{from, y}, {to, y}};
    if (to > from) svg_route(&s->svg, class, points, 2, 0);
}

static void put_column(Score *s, uint32_t k) {
    const RaspCircuitColumn *column = &s->c->columns[k];
    double x = s->stems[column->node].x, end = s->width - MARGIN;
    uint32_t drawn = RASP_NONE;
    for (size_t w = 0; w < column->write_count; w++) {
        uint32_t line = s->line_of[column->writes[w].dim];
        if (line == RASP_NONE || line == drawn) continue;
        drawn = line;
        bool own = column->writes[w].dim == column->dim;
        double y = line_y(s, line), read = own ? reader_x(s, k, false) : 0;
        double to = own && column->cleared != RASP_NONE ? reader_x(s, k, true) : end;
        put_bar(s, x, to, y, "stay line-mark");
        put_bar(s, x, own ? read : end, y, "live line-mark");
        svg_text(&s->svg, SVG_CODE, SMALL, SVG_START, "fill-ink", x + NOTE + 5, y - 7,
                 svg_fit(SVG_CODE, SMALL, sop_name(s, column->sop),
                         s->stems[column->node].width - 20, s->arena));
    }
}

/* --- stems ------------------------------------------------------------------------------ */

static void extend(double *top, double *bottom, double y) {
    *top = fmin(*top, y);
    *bottom = fmax(*bottom, y);
}

static double read_y(const Score *s, const RaspCircuitEdge *e) {
    uint32_t dim = s->c->columns[e->column].dim;
    uint32_t line = dim == RASP_NONE ? RASP_NONE : s->line_of[dim];
    if (e->role == RASP_ROLE_OUTPUT)
        line = s->line_of[s->c->outputs[s->c->nodes[e->to].index].start];
    return line == RASP_NONE ? 0 : line_y(s, line);
}

static void put_note(Score *s, double x, double y, const char *letters) {
    double width = svg_width(SVG_CODE, SMALL, letters) + 4;
    svg_rect(&s->svg, "thin fill-card line-ink", x - width / 2, y - 7, width, 14, 6);
    svg_text(&s->svg, SVG_CODE, SMALL, SVG_MIDDLE, "fill-ink", x, y + 3.5, letters);
}

/* All letters of a node on one line are one note. */
static void put_reads(Score *s, uint32_t node) {
    static const char letter[] = "qkvxco";
    const RaspCircuit *c = s->c;
    for (size_t k = 0; k < c->edge_count; k++) {
        const RaspCircuitEdge *e = &c->edges[k];
        double y = read_y(s, e);
        if (e->to != node || y == 0) continue;
        bool known = false, role[6] = {false};
        for (size_t m = 0; m < c->edge_count; m++) {
            if (c->edges[m].to != node || read_y(s, &c->edges[m]) != y) continue;
            known |= m < k;
            role[c->edges[m].role] = true;
        }
        if (known) continue;
        char letters[7];
        size_t count = 0;
        for (int m = 0; m < 6; m++)
            if (role[m]) letters[count++] = letter[m];
        letters[count] = '\0';
        put_note(s, s->stems[node].x, y, letters);
    }
}

static const char *tip_of(const Score *s, const RaspCircuitNode *node) {
    if (node->kind == RASP_CIRCUIT_HEAD) return elided(s, s->c->heads[node->index].selector);
    if (node->kind == RASP_CIRCUIT_TABLE) return elided(s, s->c->tables[node->index].reads);
    return s->stems[node - s->c->nodes].name;
}

static void put_node(Score *s, uint32_t k) {
    const RaspCircuit *c = s->c;
    const RaspCircuitNode *node = &c->nodes[k];
    const Stem *stem = &s->stems[k];
    double top = s->height, bottom = 0, label = MARGIN + HEAD - 34;
    for (size_t m = 0; m < node->column_count; m++)
        for (size_t w = 0; w < c->columns[node->columns[m]].write_count; w++) {
            uint32_t line = s->line_of[c->columns[node->columns[m]].writes[w].dim];
            if (line != RASP_NONE) extend(&top, &bottom, line_y(s, line));
        }
    for (size_t m = 0; m < c->edge_count; m++)
        if (c->edges[m].to == k && read_y(s, &c->edges[m]) > 0)
            extend(&top, &bottom, read_y(s, &c->edges[m]));
    svg_group(&s->svg, rasp_circuit_kind_name((int)node->kind));
    svg_tip(&s->svg, tip_of(s, node));
    if (bottom > top)
        svg_route(&s->svg, "stem line-ink", (SvgPoint[]){{stem->x, top}, {stem->x, bottom}}, 2, 0);
    double room = stem->width - 12;
    svg_text(&s->svg, SVG_CODE, TEXT, SVG_START, "fill-ink bold", stem->x - 4, label,
             svg_fit(SVG_CODE, TEXT, stem->name, room, s->arena));
    svg_text(&s->svg, SVG_CODE, SMALL, SVG_START, "fill-faint", stem->x - 4, label + 15,
             svg_fit(SVG_CODE, SMALL, stem->detail, room, s->arena));
    for (size_t m = 0; m < node->column_count; m++) {
        const RaspCircuitColumn *column = &c->columns[node->columns[m]];
        for (size_t w = 0; w < column->write_count; w++) {
            uint32_t line = s->line_of[column->writes[w].dim];
            if (line == RASP_NONE) continue;
            svg_rect(&s->svg, "fill-mark", stem->x - NOTE, line_y(s, line) - NOTE, 2 * NOTE,
                     2 * NOTE, 1);
        }
    }
    put_reads(s, k);
    svg_close(&s->svg);
}

/* --- the sheet -------------------------------------------------------------------------- */

static void put_steps(Score *s) {
    uint32_t last = RASP_NONE;
    for (size_t k = 0; k < s->c->node_count; k++) {
        const RaspCircuitNode *node = &s->c->nodes[k];
        uint32_t step = node->kind == RASP_CIRCUIT_OUTPUT ? RASP_NONE - 1 : node->step;
        if (step == last) continue;
        last = step;
        const RaspCircuitStep *of = &s->c->steps[node->step];
        const char *name =
            step == RASP_NONE - 1 ? "in the end"
            : of->sublayer == -2  ? "embedding"
            : of->sublayer == -1
                ? arena_format(s->arena, "layer %u, heads", of->layer + 1)
                : arena_format(s->arena, "layer %u, sublayer %d", of->layer + 1, of->sublayer + 1);
        double x = s->stems[k].x - 10, y = MARGIN + HEAD - 64, room = 0;
        for (size_t m = k; m < s->c->node_count; m++)
            if ((s->c->nodes[m].kind == RASP_CIRCUIT_OUTPUT ? RASP_NONE - 1
                                                            : s->c->nodes[m].step) == step)
                room += s->stems[m].width;
        svg_rect(&s->svg, "fill-rule", x, y, 1, s->height - MARGIN - y, 0);
        svg_text(&s->svg, SVG_PROSE, SMALL, SVG_START, "fill-faint", x + 5, y + 9,
                 svg_fit(SVG_PROSE, SMALL, name, room - 8, s->arena));
    }
}

static void put_lines(Score *s) {
    for (uint32_t line = 0; line < s->lines; line++) {
        double y = line_y(s, line);
        put_bar(s, s->left - 10, s->width - MARGIN, y, "thin line-rule");
        svg_text(&s->svg, SVG_CODE, SMALL, SVG_START, "fill-faint", MARGIN, y + 3.5,
                 s->names[line]);
    }
}

static void put_title(Score *s, const char *title) {
    double room = s->width - 2 * MARGIN;
    svg_text(&s->svg, SVG_CODE, 16, SVG_START, "fill-ink bold", MARGIN, MARGIN + 14,
             svg_fit(SVG_CODE, 16, title, room, s->arena));
    svg_text(&s->svg, SVG_PROSE, SMALL, SVG_START, "fill-faint", MARGIN, MARGIN + 32,
             "Lines are dimensions of the residual stream. ■ writes; q, k, v: query, key, value of "
             "a head; x: input of a table; c: cleared; o: read as output.");
}

static const char style[] =
    ".thin{stroke-width:.7}.stem{stroke-width:1.2}.live{stroke-width:3}.stay{stroke-width:1}\n";

void score_svg(FILE *out, const RaspCircuit *circuit, const char *title, Arena *arena) {
    Score s = {.c = circuit, .arena = arena};
    list_lines(&s);
    double widest = 0;
    for (size_t k = 0; k < s.lines; k++)
        widest = fmax(widest, svg_width(SVG_CODE, SMALL, s.names[k]));
    s.left = MARGIN + widest + 24;
    place_nodes(&s);
    s.width = fmax(s.width, 860);
    svg_begin(&s.svg, out, s.width, s.height, title, style);
    put_title(&s, title);
    put_steps(&s);
    put_lines(&s);
    for (uint32_t k = 0; k < circuit->column_count; k++) put_column(&s, k);
    for (uint32_t k = 0; k < circuit->node_count; k++) put_node(&s, k);
    svg_end(&s.svg);
}
