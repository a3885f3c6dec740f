#include "lab/plot_svg.h"

#include "lab/axis.h"
#include "show/palette.h"
#include "show/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = 640,
    LEFT = 72,
    RIGHT = 20,
    TOP = 56, /* the title, and below it the name of the y axis */
    PLANE = 280,
    BELOW = 46, /* ticks and the name of the x axis */
    LINE = 20,  /* a row of the legend */
    SIZE = 12,
    TITLE = 14
};

static const char own_style[] =
    ".curve{stroke-width:2}.dashed{stroke-width:1.5;stroke-dasharray:6 4}.thin{stroke-width:1}\n";

typedef struct Canvas {
    Svg svg;
    const Plot *plot;
    Axis x, y;
} Canvas;

static double x_of(const Canvas *c, double value) {
    return LEFT + (WIDTH - LEFT - RIGHT) * axis_place(&c->x, value);
}

static double y_of(const Canvas *c, double value) {
    return TOP + PLANE * (1 - axis_place(&c->y, value));
}

/* --- frame ---------------------------------------------------------------------------------- */

static void line(Svg *svg, const char *class, double x0, double y0, double x1, double y1) {
    svg_route(svg, class, (SvgPoint[]){{x0, y0}, {x1, y1}}, 2, 0);
}

/* `middle`, `bottom`: of the x axis's name. */
static void draw_titles(Svg *svg, const Plot *plot, double middle, double bottom) {
    svg_text(svg, SVG_PROSE, TITLE, SVG_START, "fill-ink bold", LEFT, 22, plot->title);
    svg_text(svg, SVG_PROSE, SIZE, SVG_START, "fill-faint", LEFT, 44, plot->y_label);
    svg_text(svg, SVG_PROSE, SIZE, SVG_MIDDLE, "fill-faint", middle, bottom, plot->x_label);
}

static void draw_axes(Canvas *c) {
    char text[32];
    double right = WIDTH - RIGHT, bottom = TOP + PLANE;
    for (int k = 0; k < c->y.tick_count; k++) {
        double y = y_of(c, c->y.ticks[k]);
        snprintf(text, sizeof text, "%.4g", c->y.ticks[k]);
        line(&c->svg, "line-rule thin", LEFT, y, right, y);
        svg_text(&c->svg, SVG_PROSE, SIZE, SVG_STOP, "fill-faint", LEFT - 8, y + 4, text);
    }
    for (int k = 0; k < c->x.tick_count; k++) {
        double x = x_of(c, c->x.ticks[k]);
        snprintf(text, sizeof text, "%.4g", c->x.ticks[k]);
        line(&c->svg, "line-faint thin", x, bottom, x, bottom + 5);
        svg_text(&c->svg, SVG_PROSE, SIZE, SVG_MIDDLE, "fill-faint", x, bottom + 20, text);
    }
    line(&c->svg, "line-faint thin", LEFT, bottom, right, bottom);
}

/* --- series --------------------------------------------------------------------------------- */

static const char *class_of(char text[48], const char *kind, size_t series, const char *more) {
    snprintf(text, 48, "%s-wire-%zu%s", kind, 1 + series % PALETTE_WIRES, more);
    return text;
}

/* A route for each piece between gaps. */
static void draw_line(Canvas *c, const Series *s, const char *class) {
    SvgPoint *points = ARENA_ARRAY(c->plot->arena, s->count + 1, SvgPoint);
    size_t count = 0;
    for (size_t k = 0; k <= s->count; k++) {
        SvgPoint at = {NAN, NAN};
        if (k < s->count) at = (SvgPoint){x_of(c, s->x[k]), y_of(c, s->y[k])};
        if (isfinite(at.x) && isfinite(at.y)) {
            points[count++] = at;
            continue;
        }
        if (count > 1) svg_route(&c->svg, class, points, count, 0);
        count = 0;
    }
}

static void draw_points(Canvas *c, const Series *s, const char *class) {
    double radius = s->count > 400 ? 1.5 : 3;
    for (size_t k = 0; k < s->count; k++) {
        double x = x_of(c, s->x[k]), y = y_of(c, s->y[k]);
        if (isfinite(x) && isfinite(y)) svg_circle(&c->svg, class, x, y, radius);
    }
}

/* Bars of a series stand beside those of the others. */
static void draw_bars(Canvas *c, const Series *s, size_t number, size_t groups, const char *class) {
    double slot = (WIDTH - LEFT - RIGHT) / (double)(s->count ? s->count : 1);
    double width = fmax(1, fmin(40, slot * 0.8)) / (double)groups;
    double floor = c->y.logarithmic ? TOP + PLANE : y_of(c, 0);
    for (size_t k = 0; k < s->count; k++) {
        double x = x_of(c, s->x[k]) + width * ((double)number - (double)groups / 2);
        double y = y_of(c, s->y[k]);
        if (!isfinite(x) || !isfinite(y)) continue;
        svg_rect(&c->svg, class, x, fmin(y, floor), width, fmax(fabs(y - floor), 0.5), 0);
    }
}

static void draw_series(Canvas *c) {
    size_t groups = 0, group = 0;
    char text[48];
    for (size_t s = 0; s < c->plot->series_count; s++)
        groups += c->plot->series[s].kind == SERIES_BARS;
    for (size_t s = 0; s < c->plot->series_count; s++) {
        const Series *series = &c->plot->series[s];
        switch (series->kind) {
        case SERIES_LINE:
            draw_line(c, series, class_of(text, "line", s, " curve"));
            break;
        case SERIES_RULE:
            draw_line(c, series, class_of(text, "line", s, " dashed"));
            break;
        case SERIES_POINTS:
            draw_points(c, series, class_of(text, "fill", s, ""));
            break;
        case SERIES_BARS:
            draw_bars(c, series, group++, groups, class_of(text, "fill", s, ""));
            break;
        }
    }
}

static void draw_legend(Canvas *c, double top) {
    char text[48];
    for (size_t s = 0; s < c->plot->series_count; s++) {
        const Series *series = &c->plot->series[s];
        double y = top + LINE * (double)s;
        if (series->kind == SERIES_LINE || series->kind == SERIES_RULE)
            line(&c->svg,
                 class_of(text, "line", s, series->kind == SERIES_LINE ? " curve" : " dashed"),
                 LEFT, y - 4, LEFT + 26, y - 4);
        else if (series->kind == SERIES_POINTS)
            svg_circle(&c->svg, class_of(text, "fill", s, ""), LEFT + 13, y - 4, 3);
        else
            svg_rect(&c->svg, class_of(text, "fill", s, ""), LEFT + 6, y - 10, 14, 12, 0);
        svg_text(&c->svg, SVG_PROSE, SIZE, SVG_START, "fill-ink", LEFT + 34, y, series->name);
    }
}

/* Bars need room beside the first and the last, curves none. */
static void widen_for_bars(const Plot *plot, Range *x) {
    for (size_t s = 0; s < plot->series_count; s++) {
        const Series *series = &plot->series[s];
        if (series->kind != SERIES_BARS || plot->log_x) continue;
        double step = series->count > 1 ? (x->high - x->low) / (double)(series->count - 1) : 1;
        x->low -= step / 2;
        x->high += step / 2;
        return;
    }
}

static double plot_height(const Plot *plot) {
    return TOP + PLANE + BELOW + LINE * (double)plot->series_count + 8;
}

static void draw_curves(Canvas *c) {
    Range x, y;
    if (!plot_range_x(c->plot, &x) || !plot_range_y(c->plot, &y)) {
        svg_text(&c->svg, SVG_PROSE, SIZE, SVG_START, "fill-faint", LEFT, TOP + 20,
                 "no finite values");
        return;
    }
    widen_for_bars(c->plot, &x);
    c->x = axis_of(x, c->plot->log_x, 7);
    c->y = axis_of(y, c->plot->log_y, 6);
    draw_axes(c);
    draw_series(c);
    draw_legend(c, TOP + PLANE + BELOW + LINE);
}

/* --- matrices -------------------------------------------------------------------------------- */

enum { LEVELS = 12, LARGEST_CELL = 26, NAMES = 90 };

static double cell_size(const Cells *cells) {
    double across = (WIDTH - LEFT - RIGHT - NAMES) / (double)(cells->cols ? cells->cols : 1);
    return fmin(LARGEST_CELL, across);
}

static double matrix_height(const Cells *cells) {
    return TOP + cell_size(cells) * (double)cells->rows + BELOW + 30;
}

/* Shade of a value, 0 to LEVELS, negative for negative values; LEVELS is the largest there is. */
static int level_of(double value, double most) {
    if (!(most > 0) || !isfinite(value)) return 0;
    int level = (int)lround(fabs(value) / most * LEVELS);
    return value < 0 ? -level : level;
}

/* All cells of one shade are one path, neighbours in a row one rectangle. */
static void draw_level(Svg *svg, const Cells *cells, int level, double most, double left) {
    double size = cell_size(cells);
    svg_open(svg, "path");
    svg_attribute(svg, "class", level < 0 ? "fill-wire-2" : "fill-mark");
    svg_number(svg, "fill-opacity", abs(level) / (double)LEVELS);
    svg_path_begin(svg);
    for (size_t i = 0; i < cells->rows; i++) {
        const double *row = cells->values + i * cells->cols;
        for (size_t j = 0; j < cells->cols; j++) {
            size_t end = j;
            while (end < cells->cols && level_of(row[end], most) == level) end++;
            if (end == j) continue;
            svg_path_rect(svg, left + size * (double)j, TOP + size * (double)i,
                          size * (double)(end - j), size);
            j = end;
        }
    }
    svg_path_end(svg);
    svg_close(svg);
}

static void draw_names(Canvas *c, const Cells *cells, double left) {
    double size = cell_size(cells);
    char text[24];
    for (size_t i = 0; i < cells->rows && size >= 9; i++) {
        snprintf(text, sizeof text, "%zu", i);
        const char *name = cells->row_names ? cells->row_names[i] : text;
        svg_text(&c->svg, SVG_PROSE, fmin(SIZE, size), SVG_STOP, "fill-faint", left - 6,
                 TOP + size * ((double)i + 0.5) + 4,
                 svg_fit(SVG_PROSE, SIZE, name, left - 10, c->plot->arena));
    }
    for (size_t j = 0; j < cells->cols && size >= 14; j++) {
        snprintf(text, sizeof text, "%zu", j);
        const char *name = cells->col_names ? cells->col_names[j] : text;
        svg_text(&c->svg, SVG_PROSE, SIZE, SVG_MIDDLE, "fill-faint",
                 left + size * ((double)j + 0.5), TOP + size * (double)cells->rows + 16,
                 svg_fit(SVG_PROSE, SIZE, name, size + 6, c->plot->arena));
    }
}

static void draw_matrix(Canvas *c) {
    const Cells *cells = c->plot->cells;
    double most = 0, left = LEFT + (cells->row_names ? NAMES : 0), size = cell_size(cells);
    bool present[2 * LEVELS + 1] = {false};
    char text[64];
    for (size_t k = 0; k < cells->rows * cells->cols; k++)
        if (isfinite(cells->values[k])) most = fmax(most, fabs(cells->values[k]));
    for (size_t k = 0; k < cells->rows * cells->cols; k++)
        present[LEVELS + level_of(cells->values[k], most)] = true;
    svg_rect(&c->svg, "fill-band", left, TOP, size * (double)cells->cols,
             size * (double)cells->rows, 0);
    for (int level = -LEVELS; level <= LEVELS; level++)
        if (level && present[LEVELS + level]) draw_level(&c->svg, cells, level, most, left);
    draw_names(c, cells, left);
    snprintf(text, sizeof text, "full colour: %.4g", most);
    svg_text(&c->svg, SVG_PROSE, SIZE, SVG_START, "fill-faint", left, matrix_height(cells) - 8,
             text);
}

/* --- all of it ------------------------------------------------------------------------------- */

static double height_of(const Plot *plot) {
    return plot->cells ? matrix_height(plot->cells) : plot_height(plot);
}

static void draw(Canvas *c) {
    const Cells *cells = c->plot->cells;
    double middle = (LEFT + WIDTH - RIGHT) / 2.0, bottom = TOP + PLANE + 40;
    if (cells) {
        double left = LEFT + (cells->row_names ? NAMES : 0);
        middle = left + cell_size(cells) * (double)cells->cols / 2;
        bottom = TOP + cell_size(cells) * (double)cells->rows + 38;
    }
    draw_titles(&c->svg, c->plot, middle, bottom);
    if (cells)
        draw_matrix(c);
    else
        draw_curves(c);
}

void plot_svg(FILE *out, const Plot *plot) {
    Canvas c = {.plot = plot};
    svg_begin(&c.svg, out, WIDTH, height_of(plot), plot->title, own_style);
    draw(&c);
    svg_end(&c.svg);
}

void plot_style(FILE *out) {
    palette_css(out);
    fputs(own_style, out);
    fputs(".prose{font-family:DejaVu Sans,Verdana,Helvetica,Arial,sans-serif}"
          ".bold{font-weight:bold}\n",
          out);
}

void plot_svg_inline(FILE *out, const Plot *plot) {
    Canvas c = {.svg = {.out = out}, .plot = plot};
    char box[64];
    snprintf(box, sizeof box, "0 0 %d %.0f", WIDTH, height_of(plot));
    svg_open(&c.svg, "svg");
    svg_attribute(&c.svg, "viewBox", box);
    svg_attribute(&c.svg, "role", "img");
    svg_tip(&c.svg, plot->title);
    draw(&c);
    svg_end(&c.svg);
}
