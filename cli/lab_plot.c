/* Pictures of the lab in characters: bars, curves in a grid, shades of a matrix. */
#include "cli/lab_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_COLUMNS = 96, LABEL = 12, GRID_ROWS = 14, MOST_CELLS = 64 };

static const char marks[] = "*o+x#@%&";

/* --- curves --------------------------------------------------------------------------------- */

typedef struct Grid {
    char cells[GRID_ROWS][MOST_COLUMNS];
    int columns;
    Range x, y;
    bool log_x, log_y;
} Grid;

/* Where a value is between the ends, 0 to 1; negative when it is no place. */
static double place(double value, Range range, bool logarithmic) {
    if (!isfinite(value) || (logarithmic && value <= 0)) return -1;
    if (logarithmic) {
        value = log(value);
        range = (Range){log(range.low), log(range.high)};
    }
    if (range.high == range.low) return 0.5;
    return (value - range.low) / (range.high - range.low);
}

static void put_mark(Grid *grid, double x, double y, char mark) {
    if (!(x >= 0 && x <= 1 && y >= 0 && y <= 1)) return;
    int column = (int)lround(x * (grid->columns - 1));
    int row = (int)lround((1 - y) * (GRID_ROWS - 1));
    grid->cells[row][column] = mark;
}

/* A line is as many marks as there are columns between its points. */
static void put_series(Grid *grid, const Series *series, char mark) {
    double from_x = -1, from_y = -1;
    for (size_t k = 0; k < series->count; k++) {
        double x = place(series->x[k], grid->x, grid->log_x);
        double y = place(series->y[k], grid->y, grid->log_y);
        int steps = (int)(fabs(x - from_x) * grid->columns) + 1;
        bool joined = series->kind != SERIES_POINTS && from_x >= 0 && from_y >= 0;
        for (int i = 1; joined && x >= 0 && y >= 0 && i < steps; i++)
            put_mark(grid, from_x + (x - from_x) * i / steps, from_y + (y - from_y) * i / steps,
                     mark);
        put_mark(grid, x, y, mark);
        from_x = x;
        from_y = y;
    }
}

static void put_grid(const Grid *grid, const Plot *plot) {
    printf("%*s  %s\n", LABEL, "", plot->y_label);
    for (int row = 0; row < GRID_ROWS; row++) {
        if (row == 0)
            printf("%*.4g |", LABEL, grid->y.high);
        else if (row == GRID_ROWS - 1)
            printf("%*.4g |", LABEL, grid->y.low);
        else
            printf("%*s |", LABEL, "");
        int end = grid->columns;
        while (end && grid->cells[row][end - 1] == ' ') end--;
        printf("%.*s\n", end, grid->cells[row]);
    }
    char low[32], high[32];
    snprintf(low, sizeof low, "%.4g", grid->x.low);
    snprintf(high, sizeof high, "%.4g", grid->x.high);
    printf("%*s +", LABEL, "");
    for (int k = 0; k < grid->columns; k++) putchar('-');
    int room = grid->columns - (int)strlen(low) - (int)strlen(high);
    int left = (room - lab_columns(plot->x_label)) / 2;
    printf("\n%*s  %s%*s%s%*s%s\n", LABEL, "", low, left > 0 ? left : 1, "", plot->x_label,
           room - left - lab_columns(plot->x_label) > 0 ? room - left - lab_columns(plot->x_label)
                                                        : 1,
           "", high);
}

static void put_curves(const Plot *plot, int width) {
    Grid grid = {.log_x = plot->log_x, .log_y = plot->log_y, .columns = width - LABEL - 4};
    if (grid.columns > MOST_COLUMNS) grid.columns = MOST_COLUMNS;
    if (!plot_range_x(plot, &grid.x) || !plot_range_y(plot, &grid.y)) return;
    memset(grid.cells, ' ', sizeof grid.cells);
    for (size_t s = plot->series_count; s-- > 0;)
        put_series(&grid, &plot->series[s], marks[s % (sizeof marks - 1)]);
    put_grid(&grid, plot);
    for (size_t s = 0; s < plot->series_count; s++)
        printf("%*s  %c %s\n", LABEL, "", marks[s % (sizeof marks - 1)], plot->series[s].name);
}

/* --- bars ----------------------------------------------------------------------------------- */

static bool only_bars(const Plot *plot) {
    return plot->series_count == 1 && plot->series[0].kind == SERIES_BARS;
}

static void put_bars(const Plot *plot, int width) {
    const Series *bars = &plot->series[0];
    double most = 0;
    int room = width - 2 * LABEL - 4;
    if (room > MOST_COLUMNS) room = MOST_COLUMNS;
    for (size_t k = 0; k < bars->count; k++) most = fmax(most, fabs(bars->y[k]));
    for (size_t k = 0; k < bars->count; k++) {
        printf("%*.4g  %*.6g  ", LABEL, bars->x[k], LABEL - 2, bars->y[k]);
        long length = most > 0 ? lround(fabs(bars->y[k]) / most * room) : 0;
        while (length-- > 0) fputs("█", stdout);
        putchar('\n');
    }
}

/* --- shades --------------------------------------------------------------------------------- */

static void put_shades(const Cells *cells) {
    static const char *const shades[] = {"·", "░", "▒", "▓", "█"};
    double most = 0;
    if (cells->rows > MOST_CELLS || cells->cols > MOST_CELLS) {
        printf("  (%zu by %zu cells: a picture with -o)\n", cells->rows, cells->cols);
        return;
    }
    for (size_t k = 0; k < cells->rows * cells->cols; k++)
        most = fmax(most, fabs(cells->values[k]));
    for (size_t i = 0; i < cells->rows; i++) {
        if (cells->row_names)
            printf("%*s  ", LABEL, cells->row_names[i]);
        else
            printf("%*zu  ", LABEL, i);
        for (size_t j = 0; j < cells->cols; j++) {
            double share = most > 0 ? fabs(cells->values[i * cells->cols + j]) / most : 0;
            const char *shade = shades[share >= 1 ? 4 : (int)ceil(share * 4)];
            printf("%s%s", shade, shade);
        }
        putchar('\n');
    }
}

void lab_put_plot(const Plot *plot, int width) {
    printf("\n%s\n", plot->title);
    if (plot->cells)
        put_shades(plot->cells);
    else if (only_bars(plot))
        put_bars(plot, width);
    else
        put_curves(plot, width);
}
