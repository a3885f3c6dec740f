#include "lab/plot.h"

#include <math.h>
#include <string.h>

Plot *plot_new(Arena *arena, const char *title, const char *x_label, const char *y_label) {
    Plot *plot = ARENA_NEW(arena, Plot);
    *plot = (Plot){.arena = arena, .title = title, .x_label = x_label, .y_label = y_label};
    return plot;
}

static double *copy_of(Arena *arena, const double *x, size_t count) {
    double *copy = ARENA_ARRAY(arena, count ? count : 1, double);
    if (count) memcpy(copy, x, count * sizeof *x);
    return copy;
}

static void add(Plot *plot, SeriesKind kind, const char *name, const double *x, const double *y,
                size_t count) {
    plot->series = arena_grow(plot->arena, plot->series, &plot->series_room, plot->series_count + 1,
                              sizeof *plot->series);
    plot->series[plot->series_count++] = (Series){.kind = kind,
                                                  .name = name,
                                                  .x = copy_of(plot->arena, x, count),
                                                  .y = copy_of(plot->arena, y, count),
                                                  .count = count};
}

void plot_line(Plot *plot, const char *name, const double *x, const double *y, size_t count) {
    add(plot, SERIES_LINE, name, x, y, count);
}

void plot_points(Plot *plot, const char *name, const double *x, const double *y, size_t count) {
    add(plot, SERIES_POINTS, name, x, y, count);
}

void plot_bars(Plot *plot, const char *name, const double *x, const double *y, size_t count) {
    add(plot, SERIES_BARS, name, x, y, count);
}

void plot_rule(Plot *plot, const char *name, double x0, double y0, double x1, double y1) {
    add(plot, SERIES_RULE, name, (double[]){x0, x1}, (double[]){y0, y1}, 2);
}

static const char **names_of(Arena *arena, const char *const *names, size_t count) {
    if (!names) return NULL;
    const char **copy = ARENA_ARRAY(arena, count ? count : 1, const char *);
    for (size_t k = 0; k < count; k++) copy[k] = arena_text(arena, names[k], strlen(names[k]));
    return copy;
}

Plot *plot_matrix(Arena *arena, const char *title, const char *x_label, const char *y_label,
                  size_t rows, size_t cols, const double *values, const char *const *row_names,
                  const char *const *col_names) {
    Plot *plot = plot_new(arena, title, x_label, y_label);
    plot->cells = ARENA_NEW(arena, Cells);
    *plot->cells = (Cells){.title = title,
                           .rows = rows,
                           .cols = cols,
                           .values = copy_of(arena, values, rows * cols),
                           .row_names = names_of(arena, row_names, rows),
                           .col_names = names_of(arena, col_names, cols)};
    return plot;
}

/* --- ranges --------------------------------------------------------------------------------- */

static void widen(Range *range, double value, bool logarithmic) {
    if (!isfinite(value) || (logarithmic && value <= 0)) return;
    range->low = fmin(range->low, value);
    range->high = fmax(range->high, value);
}

bool plot_range_x(const Plot *plot, Range *range) {
    *range = (Range){INFINITY, -INFINITY};
    for (size_t s = 0; s < plot->series_count; s++)
        for (size_t k = 0; k < plot->series[s].count; k++)
            widen(range, plot->series[s].x[k], plot->log_x);
    return range->low <= range->high;
}

bool plot_range_y(const Plot *plot, Range *range) {
    *range = (Range){INFINITY, -INFINITY};
    for (size_t s = 0; s < plot->series_count; s++) {
        const Series *series = &plot->series[s];
        if (series->kind == SERIES_BARS) widen(range, 0, plot->log_y);
        for (size_t k = 0; k < series->count; k++) widen(range, series->y[k], plot->log_y);
    }
    return range->low <= range->high;
}
