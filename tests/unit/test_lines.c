/* A table's outputs as lines, by running sums, against its units one by one in exact arithmetic: no
 * bound is too small, none is larger by more than what rounding a pair of doubles loses. */
#include "base/random.h"
#include "compile/prove/lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <float.h>
#include <gmp.h>
#include <math.h>

enum { MOST_UNITS = 40, ROUNDS = 6000, POINTS = 4 };

/* A table of one output; whole numbers, or what rounds. */
typedef struct SomeTable {
    uint32_t units;
    TableUnit unit[MOST_UNITS];
    double base, factor[MOST_UNITS];
    CircuitTable table;
} SomeTable;

typedef struct Kind {
    bool whole, any_sign, several_there; /* units that bend at one place */
} Kind;

static double some_number(Random *random, bool whole) {
    double number = (double)random_below(random, 31) - 15;
    return whole ? number : ldexp(number + 0.1, (int)random_below(random, 40) - 20);
}

static void some_table(SomeTable *s, Random *random, Kind kind) {
    s->units = (uint32_t)random_below(random, MOST_UNITS + 1);
    if (random_below(random, 2)) s->units %= 8;
    double at = some_number(random, kind.whole);
    s->base = some_number(random, kind.whole);
    for (uint32_t u = 0; u < s->units; u++) {
        double size = kind.any_sign ? fabs(some_number(random, kind.whole)) + 1 : 1;
        s->unit[u] = (TableUnit){at, random_below(random, 2) ? size : -size};
        s->factor[u] = some_number(random, kind.whole);
        if (kind.several_there && random_below(random, 3) == 0) continue;
        at += kind.whole ? (double)(1 + random_below(random, 4)) : fabs(some_number(random, false));
    }
    TableShape shape = {
        .units = s->unit, .unit_count = s->units, .base = &s->base, .factor = s->factor};
    s->table = (CircuitTable){.shape = shape, .output_count = 1};
}

/* sign * factor of unit u. */
static void exact_slope(const SomeTable *s, uint32_t u, mpq_t slope) {
    mpq_t factor;
    mpq_init(factor);
    mpq_set_d(slope, s->unit[u].sign);
    mpq_set_d(factor, s->factor[u]);
    mpq_mul(slope, slope, factor);
    mpq_clear(factor);
}

/* |what the units give at x - value|. */
static void exact_off(const SomeTable *s, double x, double value, mpq_t off) {
    mpq_t product, number;
    mpq_inits(product, number, NULL);
    mpq_set_d(off, s->base);
    mpq_set_d(number, value);
    mpq_sub(off, off, number);
    for (uint32_t u = 0; u < s->units; u++) {
        if (s->unit[u].sign > 0 ? x <= s->unit[u].at : x >= s->unit[u].at) continue;
        exact_slope(s, u, product);
        mpq_set_d(number, s->unit[u].at);
        mpq_neg(number, number);
        mpq_t distance;
        mpq_init(distance);
        mpq_set_d(distance, x);
        mpq_add(distance, distance, number);
        mpq_mul(product, product, distance);
        mpq_add(off, off, product);
        mpq_clear(distance);
    }
    mpq_abs(off, off);
    mpq_clears(product, number, NULL);
}

/* |slope| just right of x, or just left of it. */
static void exact_slope_at(const SomeTable *s, const mpq_t x, bool right, mpq_t slope) {
    mpq_t at, product;
    mpq_inits(at, product, NULL);
    mpq_set_si(slope, 0, 1);
    for (uint32_t u = 0; u < s->units; u++) {
        mpq_set_d(at, s->unit[u].at);
        int side = mpq_cmp(x, at);
        bool behind = side > 0 || (side == 0 && right);
        if (behind != (s->unit[u].sign > 0)) continue;
        exact_slope(s, u, product);
        mpq_add(slope, slope, product);
    }
    mpq_abs(slope, slope);
    mpq_clears(at, product, NULL);
}

/* The steepest of all pieces that meet the window, ends included. */
static void exact_steepest(const SomeTable *s, double x, double reach, mpq_t most) {
    mpq_t low, high, at, slope;
    mpq_inits(low, high, at, slope, NULL);
    mpq_set_d(low, x);
    mpq_set_d(at, reach);
    mpq_add(high, low, at);
    mpq_sub(low, low, at);
    exact_slope_at(s, low, true, most);
    for (uint32_t u = 0; u < s->units; u++) {
        mpq_set_d(at, s->unit[u].at);
        if (mpq_cmp(at, low) < 0 || mpq_cmp(at, high) > 0) continue;
        for (int right = 0; right < 2; right++) {
            exact_slope_at(s, at, right, slope);
            if (mpq_cmp(slope, most) > 0) mpq_set(most, slope);
        }
    }
    mpq_clears(low, high, at, slope, NULL);
}

static bool is_no_less(double found, const mpq_t exact) {
    mpq_t number;
    mpq_init(number);
    mpq_set_d(number, found);
    bool no_less = mpq_cmp(number, exact) >= 0;
    mpq_clear(number);
    return no_less;
}

static bool is_hardly_more(double found, const mpq_t exact, double size) {
    return found <= mpq_get_d(exact) * (1 + 4 * DBL_EPSILON) + 0x1p-90 * size;
}

static void check_at(const SomeTable *s, Lines *lines, Random *random, Kind kind, mpq_t exact) {
    double x = some_number(random, kind.whole), value = lines_value(lines, x);
    double reach = fabs(some_number(random, kind.whole)), size = fabs(s->base) + fabs(value);
    double slopes = 0;
    if (s->units && random_below(random, 3) == 0) x = s->unit[random_below(random, s->units)].at;
    if (random_below(random, 3) == 0) value += some_number(random, false);
    if (random_below(random, 4) == 0) reach = 0;
    for (uint32_t u = 0; u < s->units; u++) {
        double slope = fabs(s->unit[u].sign * s->factor[u]);
        size += slope * (fabs(x) + fabs(s->unit[u].at));
        slopes += slope;
    }
    double off = lines_off(lines, x, value), slope = lines_slope(lines, x, reach);
    exact_off(s, x, value, exact);
    assert_true(is_no_less(off, exact) && is_hardly_more(off, exact, size));
    assert_true(fabs(lines_value(lines, x) - table_value(&s->table, 0, x)) <= 1e-12 * size);
    exact_steepest(s, x, reach, exact);
    assert_true(is_no_less(slope, exact));
    if (kind.several_there) return; /* slopes between those that bend at one place count, too */
    if (kind.whole) assert_true(slope == mpq_get_d(exact)); /* nothing is lost */
    double low = nextafter(x - reach, -INFINITY), high = nextafter(x + reach, INFINITY);
    exact_steepest(s, x, fmax(x - low, high - x) * (1 + DBL_EPSILON), exact);
    assert_true(is_hardly_more(slope, exact, slopes));
}

static void test_lines(void **state) {
    (void)state;
    Random random = {5};
    Budget budget;
    mpq_t exact;
    mpq_init(exact);
    budget_init(&budget, 0);
    for (int round = 0; round < ROUNDS; round++) {
        Arena *arena = arena_new(&budget);
        SomeTable s;
        Kind kind = {round % 4 == 0, round % 3 == 0, round % 5 == 0};
        some_table(&s, &random, kind);
        Lines *lines = lines_new(&s.table, 0, arena);
        for (int k = 0; k < POINTS; k++) check_at(&s, lines, &random, kind, exact);
        arena_free(arena);
    }
    mpq_clear(exact);
}

/* --- along a straight line ------------------------------------------------------------- */

enum { PARTS = 64 };

/* Between two points: what the units give within `reach` of places between is no farther from the
 * line than is said; without a reach, some place is as far.  All numbers are whole but for the
 * places, sixty-fourths, so that doubles lose nothing. */
static void check_along(const SomeTable *s, Lines *lines, Random *random) {
    double from = some_number(random, true), reach = (double)random_below(random, 4);
    double x[] = {from, from + (double)(1 + random_below(random, 40))};
    double value[] = {some_number(random, true), some_number(random, true)};
    double said = lines_along(lines, x, value, reach), farthest = 0;
    for (int end = 0; end < 2; end++)
        said = fmax(said, lines_slope(lines, x[end], reach) * reach +
                              lines_off(lines, x[end], value[end]));
    for (int part = 0; part <= PARTS; part++)
        for (int side = -2; side <= 2; side++) {
            double at = x[0] + (x[1] - x[0]) * part / PARTS;
            double meant = value[0] + (value[1] - value[0]) * part / PARTS;
            double found = table_value(&s->table, 0, at + reach * side / 2);
            farthest = fmax(farthest, fabs(found - meant));
        }
    assert_true(farthest <= said);
    for (uint32_t u = 0; u < s->units && reach == 0; u++) {
        double at = s->unit[u].at, part = (at - x[0]) / (x[1] - x[0]);
        double meant = value[0] + (value[1] - value[0]) * part;
        if (part >= 0 && part <= 1)
            farthest = fmax(farthest, fabs(table_value(&s->table, 0, at) - meant));
    }
    if (reach == 0) assert_true(said <= farthest * (1 + 1e-12) + 1e-12);
}

static void test_along(void **state) {
    (void)state;
    Random random = {6};
    Budget budget;
    budget_init(&budget, 0);
    for (int round = 0; round < ROUNDS; round++) {
        Arena *arena = arena_new(&budget);
        SomeTable s;
        some_table(&s, &random, (Kind){true, round % 3 == 0, round % 5 == 0});
        Lines *lines = lines_new(&s.table, 0, arena);
        for (int k = 0; k < POINTS; k++) check_along(&s, lines, &random);
        arena_free(arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines), cmocka_unit_test(test_along)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
