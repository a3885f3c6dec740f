/* The hidden units of a scan: piecewise linear interpolation of its outputs in x. */
#include "compile/emit/emit.h"
#include "compile/values/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Grid {
    double *x; /* ascending, distinct */
    uint32_t points;
    double *value; /* [points, outputs] */
} Grid;

/* The output at x: its own point there, else between its neighbours, else the nearest end. */
static double output_at(const ScanOutput *o, double x) {
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

static Grid make_grid(const ScanPlan *scan, Arena *arena) {
    size_t total = 0;
    for (size_t k = 0; k < scan->output_count; k++) total += scan->outputs[k].points;
    Grid grid = {.x = ARENA_ARRAY(arena, total, double)};
    total = 0;
    for (size_t k = 0; k < scan->output_count; k++) {
        memcpy(grid.x + total, scan->outputs[k].x, scan->outputs[k].points * sizeof *grid.x);
        total += scan->outputs[k].points;
    }
    qsort(grid.x, total, sizeof *grid.x, number_order);
    double range = total ? fabs(grid.x[total - 1] - grid.x[0]) + fabs(grid.x[0]) : 0;
    for (size_t k = 0; k < total; k++) /* values of one level, up to the order of sums */
        if (grid.points == 0 || grid.x[k] - grid.x[grid.points - 1] > 1e-9 * (range + 1))
            grid.x[grid.points++] = grid.x[k];
    grid.value = ARENA_ARRAY(arena, grid.points * scan->output_count, double);
    for (uint32_t p = 0; p < grid.points; p++)
        for (size_t o = 0; o < scan->output_count; o++)
            grid.value[p * scan->output_count + o] = output_at(&scan->outputs[o], grid.x[p]);
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

/* Two slopes that differ by rounding alone are one. */
static bool bends(double a, double b) {
    return fabs(a - b) > 1e-9 * (fabs(a) + fabs(b));
}

/* The segment from which units count outwards: a flat one, if there is one. */
static uint32_t base_segment(const Grid *g, size_t outputs, bool *flat) {
    for (uint32_t s = 0; s + 1 < g->points; s++) {
        *flat = true;
        for (size_t o = 0; o < outputs && *flat; o++) *flat = slope(g, outputs, s, o) == 0;
        if (*flat) return s;
    }
    *flat = g->points < 2;
    return 0;
}

void scan_shape(const ScanPlan *scan, bool steep, Arena *arena, ScanShape *shape) {
    size_t outputs = scan->output_count;
    Grid g = make_grid(scan, arena);
    if (steep) g = steepen(&g, outputs, arena);
    bool flat;
    uint32_t base = base_segment(&g, outputs, &flat);
    *shape = (ScanShape){.units = ARENA_ARRAY(arena, (size_t)g.points + 1, ScanUnit),
                         .base = ARENA_ARRAY(arena, outputs, double),
                         .factor = ARENA_ARRAY(arena, ((size_t)g.points + 1) * outputs, double)};
    for (size_t o = 0; o < outputs; o++) shape->base[o] = g.value[base * outputs + o];
    if (!flat) { /* the base segment's own slope, from the first point on */
        shape->units[0] = (ScanUnit){g.x[0], 1};
        for (size_t o = 0; o < outputs; o++) {
            shape->factor[o] = slope(&g, outputs, base, o);
            shape->base[o] -= shape->factor[o] * (g.x[base] - g.x[0]);
        }
        shape->unit_count = 1;
    }
    for (uint32_t p = 1; p + 1 < g.points; p++) {
        bool bent = false;
        double *factor = shape->factor + shape->unit_count * outputs;
        for (size_t o = 0; o < outputs; o++) {
            double before = slope(&g, outputs, p - 1, o), after = slope(&g, outputs, p, o);
            factor[o] = bends(before, after) ? after - before : 0;
            bent |= factor[o] != 0;
        }
        if (bent) shape->units[shape->unit_count++] = (ScanUnit){g.x[p], p > base ? 1 : -1};
    }
}
