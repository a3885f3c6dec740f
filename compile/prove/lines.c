#include "compile/prove/lines.h"

#include "compile/values/numbers.h"

#include <float.h>
#include <math.h>

/* Of what is lost, which is added up in doubles itself. */
static const double ROUND_UP = 1 + 0x1p-20;
/* Windows of so many lines are looked at line by line. */
enum { FEW_LINES = 16 };

/* high + low, but for `lost`. */
typedef struct Sum {
    double high, low, lost;
} Sum;

/* Line k: behind k units, from the left. */
struct Lines {
    uint32_t units;
    double base, *at;
    Sum *slope, *offset; /* [units + 1] */
    double **steepest;   /* [level][k]: of the 2^level lines from k on; NULL: not asked for yet */
    Arena *arena;
};

/* --- sums ----------------------------------------------------------------------------------- */

static void add(Sum *s, double x) {
    double high = s->high + x, rest = sum_lost(s->high, x), low = s->low + rest;
    s->lost += fabs(sum_lost(s->low, rest));
    s->high = high + low;
    s->low = sum_lost(high, low);
}

static void add_product(Sum *s, double x, double y) {
    double product = x * y;
    add(s, product);
    add(s, fma(x, y, -product));
}

/* a * b * c. */
static void add_three(Sum *s, double a, double b, double c) {
    double product = a * b;
    add_product(s, product, c);
    add_product(s, fma(a, b, -product), c);
}

/* No less than the sum's absolute value. */
static double at_most(const Sum *s) {
    if (s->low == 0 && s->lost == 0) return fabs(s->high);
    return (fabs(s->high) + fabs(s->low) + s->lost * ROUND_UP) * (1 + DBL_EPSILON);
}

/* --- lines ---------------------------------------------------------------------------------- */

Lines *lines_new(const CircuitTable *table, uint32_t output, Arena *arena) {
    const TableShape *shape = &table->shape;
    uint32_t units = shape->unit_count;
    Lines *l = ARENA_NEW(arena, Lines);
    *l = (Lines){.units = units, .base = shape->base[output], .arena = arena};
    l->at = ARENA_ARRAY(arena, (size_t)units + 1, double);
    l->slope = ARENA_ARRAY(arena, (size_t)units + 1, Sum);
    l->offset = ARENA_ARRAY(arena, (size_t)units + 1, Sum);
    Sum slope = {0}, offset = {0};
    for (uint32_t u = 0; u < units; u++) { /* those that count leftwards, behind none */
        const TableUnit *unit = &shape->units[u];
        double factor = shape->factor[(size_t)u * table->output_count + output];
        l->at[u] = unit->at;
        if (unit->sign > 0 || factor == 0) continue;
        add_product(&slope, unit->sign, factor);
        add_three(&offset, unit->sign, factor, unit->at);
    }
    l->slope[0] = slope, l->offset[0] = offset;
    for (uint32_t u = 0; u < units; u++) {
        const TableUnit *unit = &shape->units[u];
        double factor = shape->factor[(size_t)u * table->output_count + output];
        if (factor != 0) {
            add_product(&slope, fabs(unit->sign), factor);
            add_three(&offset, fabs(unit->sign), factor, unit->at);
        }
        l->slope[u + 1] = slope, l->offset[u + 1] = offset;
    }
    return l;
}

/* How many units bend before x, or there. */
static uint32_t units_up_to(const Lines *l, double x, bool there) {
    uint32_t low = 0, high = l->units;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (l->at[middle] < x || (there && l->at[middle] == x))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* base - value + slope * x - offset. */
static Sum distance(const Lines *l, double x, double value) {
    uint32_t k = units_up_to(l, x, true);
    const Sum *slope = &l->slope[k], *offset = &l->offset[k];
    Sum s = {.lost = slope->lost * fabs(x) + offset->lost};
    add(&s, -offset->high);
    add_product(&s, slope->high, x);
    add(&s, -offset->low);
    add_product(&s, slope->low, x);
    add(&s, l->base);
    add(&s, -value);
    return s;
}

double lines_value(const Lines *l, double x) {
    return distance(l, x, 0).high;
}

double lines_off(const Lines *l, double x, double value) {
    Sum s = distance(l, x, value);
    return at_most(&s);
}

/* --- slopes --------------------------------------------------------------------------------- */

static void make_steepest(Lines *l) {
    uint32_t lines = l->units + 1, levels = 1;
    while (lines >> levels) levels++;
    l->steepest = ARENA_ARRAY(l->arena, levels, double *);
    for (uint32_t level = 0; level < levels; level++) {
        double *most = l->steepest[level] = ARENA_ARRAY(l->arena, lines, double);
        uint32_t half = level ? 1u << (level - 1) : 0;
        for (uint32_t k = 0; k < lines; k++) {
            most[k] = level ? l->steepest[level - 1][k] : at_most(&l->slope[k]);
            if (level && k + half < lines)
                most[k] = fmax(most[k], l->steepest[level - 1][k + half]);
        }
    }
}

double lines_slope(Lines *l, double x, double reach) {
    double low = x - reach, high = x + reach, most = 0;
    if (sum_lost(x, -reach) != 0) low = nextafter(low, -INFINITY);
    if (sum_lost(x, reach) != 0) high = nextafter(high, INFINITY);
    uint32_t first = units_up_to(l, low, false), last = units_up_to(l, high, true), level = 0;
    if (last - first < FEW_LINES) {
        for (uint32_t k = first; k <= last; k++) most = fmax(most, at_most(&l->slope[k]));
        return most;
    }
    if (!l->steepest) make_steepest(l);
    while ((last - first + 1) >> (level + 1)) level++;
    return fmax(l->steepest[level][first], l->steepest[level][last + 1 - (1u << level)]);
}

double lines_along(Lines *l, const double x[2], const double value[2], double x_error) {
    double rise = value[1] - value[0], most = 0;
    double lost = 4 * DBL_EPSILON * (fabs(value[0]) + fabs(value[1]));
    for (uint32_t u = units_up_to(l, x[0], true); u < l->units && l->at[u] < x[1]; u++) {
        double at = l->at[u], here = value[0] + rise * ((at - x[0]) / (x[1] - x[0]));
        double off = lines_off(l, at, here) + lost;
        most = fmax(most, lines_slope(l, at, x_error) * x_error + off);
    }
    return most;
}
