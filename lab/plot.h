/* plot.h: a picture as data: axes and series, or a matrix of numbers as a heat map.
 *
 *     Plot *plot = plot_new(arena, "fit and temperature", "x", "y");
 *     plot_line(plot, "τ = 0.1", xs, ys, n);
 *     plot_points(plot, "data", x, y, count);
 *
 * What is given is copied into the arena. A plot says nothing of colours or sizes: those who draw
 * it do (plot_svg.h; the text of cli/). Points that are not finite, or not positive on a
 * logarithmic axis, are gaps. */
#ifndef RASP_LAB_PLOT_H
#define RASP_LAB_PLOT_H

#include "base/arena.h"

typedef enum SeriesKind {
    SERIES_LINE,
    SERIES_POINTS,
    SERIES_BARS,
    SERIES_RULE, /* a straight dashed line through two points: a law, a bound */
} SeriesKind;

typedef struct Series {
    SeriesKind kind;
    const char *name;
    double *x, *y;
    size_t count;
} Series;

/* Cells of a heat map, row 0 on top. */
typedef struct Cells {
    const char *title;
    size_t rows, cols;
    double *values;                      /* [rows, cols] */
    const char **row_names, **col_names; /* NULL: numbers from 0 */
} Cells;

typedef struct Plot {
    Arena *arena;
    const char *title, *x_label, *y_label;
    bool log_x, log_y;
    Series *series;
    size_t series_count, series_room;
    Cells *cells; /* NULL: axes and series */
    struct Plot *next;
} Plot;

Plot *plot_new(Arena *arena, const char *title, const char *x_label, const char *y_label);
void plot_line(Plot *plot, const char *name, const double *x, const double *y, size_t count);
void plot_points(Plot *plot, const char *name, const double *x, const double *y, size_t count);
/* Bars stand on 0, one at each x. */
void plot_bars(Plot *plot, const char *name, const double *x, const double *y, size_t count);
void plot_rule(Plot *plot, const char *name, double x0, double y0, double x1, double y1);

/* Names may be NULL. */
Plot *plot_matrix(Arena *arena, const char *title, const char *x_label, const char *y_label,
                  size_t rows, size_t cols, const double *values, const char *const *row_names,
                  const char *const *col_names);

/* What an axis spans: the least and largest value shown, false when there is none. */
typedef struct Range {
    double low, high;
} Range;
bool plot_range_x(const Plot *plot, Range *range);
bool plot_range_y(const Plot *plot, Range *range);

#endif
