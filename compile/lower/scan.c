#include "compile/lower/scan.h"

#include "compile/values/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Values of x this close, relative to the largest, are one: what that makes wrong is an error that
 * the certificate counts. */
static const double SAME_X = 0x1p-44;
/* What slack makes of a gap in x: values closer than so many times the slack cannot be told apart.
 */
static const double SLACK_GAP = 16;
/* Slopes this close, relatively, are one. */
static const double SAME_SLOPE = 1e-9;

/* The distance up to which two of the ascending values from `low` to `high` are one. */
static double same_distance(double low, double high) {
    return SAME_X * fmax(fabs(low), fabs(high));
}

static bool bends(double before, double after) {
    return fabs(after - before) > SAME_SLOPE * (fabs(after) + fabs(before));
}

/* --- estimating ----------------------------------------------------------------------------- */

int scan_order(const void *a, const void *b) {
    double x = ((const ScanPoint *)a)->x, y = ((const ScanPoint *)b)->x;
    return (x > y) - (x < y);
}

int scan_units(ScanPoint *point, size_t count, double slack) {
    qsort(point, count, sizeof *point, scan_order);
    double same = count ? same_distance(point[0].x, point[count - 1].x) : 0;
    same = fmax(same, SLACK_GAP * slack);
    size_t kept = 0;
    for (size_t k = 0; k < count; k++) {
        if (kept && point[k].x - point[kept - 1].x <= same) {
            if (!numbers_near(point[k].f, point[kept - 1].f))
                return point[k].x == point[kept - 1].x ? SCAN_AMBIGUOUS : SCAN_ROUNDING;
        } else
            point[kept++] = point[k];
    }
    int kinks = 0;
    bool flat = kept < 2; /* a flat piece serves as the base line; else that takes a unit */
    double before = 0;
    for (size_t k = 0; k + 1 < kept; k++) {
        double slope = (point[k + 1].f - point[k].f) / (point[k + 1].x - point[k].x);
        kinks += k && bends(before, slope);
        flat |= slope == 0;
        before = slope;
    }
    return kinks + !flat;
}

/* --- making --------------------------------------------------------------------------------- */

typedef struct Grid {
    double *x; /* ascending, distinct */
    uint32_t points;
    double *value; /* [points, outputs] */
} Grid;

/* The output at x: its own point there, else between its neighbours, else the nearest end. */
static double output_at(const TableOutput *o, double x) {
    uint32_t low = 0, high = o->points;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (o->x[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < o->points && o->x[low] == x) return o->value[low];
    if (low == 0) return o->value[0];
    if (low == o->points) return o->value[o->points - 1];
    double span = o->x[low] - o->x[low - 1];
    return o->value[low - 1] + (o->value[low] - o->value[low - 1]) * ((x - o->x[low - 1]) / span);
}

static Grid make_grid(const TableOutput *outputs, size_t count, Arena *arena) {
    size_t total = 0;
    for (size_t k = 0; k < count; k++) total += outputs[k].points;
    Grid grid = {.x = ARENA_ARRAY(arena, total, double)};
    total = 0;
    for (size_t k = 0; k < count; k++) {
        memcpy(grid.x + total, outputs[k].x, outputs[k].points * sizeof *grid.x);
        total += outputs[k].points;
    }
    qsort(grid.x, total, sizeof *grid.x, number_order);
    double same = total ? same_distance(grid.x[0], grid.x[total - 1]) : 0;
    for (size_t k = 0; k < total; k++)
        if (grid.points == 0 || grid.x[k] - grid.x[grid.points - 1] > same)
            grid.x[grid.points++] = grid.x[k];
    grid.value = ARENA_ARRAY(arena, grid.points * count, double);
    for (uint32_t p = 0; p < grid.points; p++)
        for (size_t o = 0; o < count; o++)
            grid.value[p * count + o] = output_at(&outputs[o], grid.x[p]);
    return grid;
}

/* Steps with flat parts: each change happens in the middle half of its gap. */
static Grid steepen(const Grid *grid, size_t outputs, Arena *arena) {
    Grid steep = {.x = ARENA_ARRAY(arena, 3 * (size_t)grid->points, double),
                  .value = ARENA_ARRAY(arena, 3 * (size_t)grid->points * outputs, double)};
    for (uint32_t p = 0; p < grid->points; p++) {
        double gap_before = p ? grid->x[p] - grid->x[p - 1] : 0;
        double gap_after = p + 1 < grid->points ? grid->x[p + 1] - grid->x[p] : 0;
        double at[3] = {grid->x[p] - gap_before / 4, grid->x[p], grid->x[p] + gap_after / 4};
        for (int k = 0; k < 3; k++) {
            if ((k == 0 && p == 0) || (k == 2 && p + 1 == grid->points)) continue;
            steep.x[steep.points] = at[k];
            memcpy(steep.value + steep.points++ * outputs, grid->value + p * outputs,
                   outputs * sizeof *steep.value);
        }
    }
    return steep;
}

static double slope(const Grid *g, size_t outputs, uint32_t segment, size_t o) {
    double rise = g->value[(segment + 1) * outputs + o] - g->value[segment * outputs + o];
    return rise / (g->x[segment + 1] - g->x[segment]);
}

/* What a unit in each place adds up to at most, on one side of all those before it: [points]. */
static double *reaches(const Grid *g, size_t outputs, bool rightwards, Arena *arena) {
    double *reach = ARENA_ARRAY(arena, (size_t)g->points + 1, double);
    double end = g->x[rightwards ? g->points - 1 : 0];
    for (uint32_t p = 1; p + 1 < g->points; p++)
        for (size_t o = 0; o < outputs; o++)
            reach[p] +=
                fabs(slope(g, outputs, p, o) - slope(g, outputs, p - 1, o)) * fabs(end - g->x[p]);
    return reach;
}

static bool is_flat(const Grid *g, size_t outputs, uint32_t segment) {
    bool flat = true;
    for (size_t o = 0; o < outputs && flat; o++) flat = slope(g, outputs, segment, o) == 0;
    return flat;
}

/* What the slope of one segment adds up to over all x. */
static double slope_reach(const Grid *g, size_t outputs, uint32_t segment) {
    double reach = 0;
    for (size_t o = 0; o < outputs; o++) reach += fabs(slope(g, outputs, segment, o));
    return reach * (g->x[g->points - 1] - g->x[0]);
}

/* The segment from which units count outwards: a flat one, if there is one, else the first or the
 * last.  With `steep`, and of the ends, the one from which units add up to the least: what cancels
 * among them is rounded. */
static uint32_t base_segment(const Grid *g, size_t outputs, bool steep, bool *flat, Arena *arena) {
    uint32_t base = 0;
    double *right = reaches(g, outputs, true, arena), *left = reaches(g, outputs, false, arena);
    double sum = 0, best = INFINITY, from_first = 0;
    for (uint32_t p = 1; p + 1 < g->points; p++) sum += right[p];
    from_first = sum;
    *flat = g->points < 2;
    for (uint32_t s = 0; s + 1 < g->points; s++) {
        sum += s ? left[s] - right[s] : 0;
        if (sum >= best || !is_flat(g, outputs, s)) continue;
        *flat = true;
        base = s;
        best = steep ? sum : -INFINITY;
    }
    if (*flat) return base;
    uint32_t last = g->points - 2;
    return sum + slope_reach(g, outputs, last) < from_first + slope_reach(g, outputs, 0) ? last : 0;
}

/* The slope of the first or last segment, where it is no flat one, as a unit from that end on. */
static void add_slope(const Grid *g, size_t outputs, uint32_t segment, TableUnit *unit,
                      double *factor, double *base) {
    bool first = segment == 0;
    double end = g->x[first ? 0 : g->points - 1];
    *unit = (TableUnit){end, first ? 1 : -1};
    for (size_t o = 0; o < outputs; o++) {
        factor[o] = slope(g, outputs, segment, o) * unit->sign;
        base[o] = g->value[(first ? 0 : g->points - 1) * outputs + o];
    }
}

/* The units where the slope changes, behind those that are there. */
static void add_bends(const Grid *g, size_t outputs, uint32_t base, TableUnit *units,
                      double *factors, uint32_t *count) {
    for (uint32_t p = 1; p + 1 < g->points; p++) {
        bool bent = false;
        double *factor = factors + *count * outputs;
        for (size_t o = 0; o < outputs; o++) {
            double before = slope(g, outputs, p - 1, o), after = slope(g, outputs, p, o);
            factor[o] = bends(before, after) ? after - before : 0;
            bent |= factor[o] != 0;
        }
        if (bent) units[(*count)++] = (TableUnit){g->x[p], p > base ? 1 : -1};
    }
}

TableShape scan_shape(const TableOutput *output, uint32_t outputs, bool steep, Arena *arena) {
    Grid g = make_grid(output, outputs, arena);
    for (uint32_t o = 0; o < outputs; o++) steep = steep && output[o].step == 0;
    if (steep) g = steepen(&g, outputs, arena);
    bool flat;
    uint32_t first = base_segment(&g, outputs, steep, &flat, arena), count = 0;
    TableUnit *units = ARENA_ARRAY(arena, (size_t)g.points + 1, TableUnit);
    double *base = ARENA_ARRAY(arena, outputs, double);
    double *factor = ARENA_ARRAY(arena, ((size_t)g.points + 1) * outputs, double);
    for (size_t o = 0; o < outputs; o++) base[o] = g.value[first * outputs + o];
    if (!flat && first == 0) add_slope(&g, outputs, first, &units[count++], factor, base);
    add_bends(&g, outputs, first, units, factor, &count);
    if (!flat && first > 0) {
        add_slope(&g, outputs, first, &units[count], factor + count * outputs, base);
        count++;
    }
    return (TableShape){.units = units, .unit_count = count, .base = base, .factor = factor};
}
