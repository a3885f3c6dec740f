/* Exact sums against GMP, means against MPFR: every kind of column, sums of subsets taken as
 * differences of prefixes, in any order, with inclusion and exclusion. */
#include "tests/unit/exec_fixture.h"

#include "interp/exec/sum.h"

/* A column of the fixture's arena that holds these values. */
static Column *make_column(Fixture *f, const Atom *values, size_t count) {
    ColumnWriter writer = column_writer(f->arena, count);
    for (size_t i = 0; i < count; i++) column_put(&writer, values[i]);
    return writer.column;
}

static void check_mean(Fixture *f, const Atom *values, size_t count, double expected) {
    Column *column = make_column(f, values, count);
    SumScale scale = sum_scale(column);
    uint64_t sum[SUM_MAX_WORDS] = {0}, part[SUM_MAX_WORDS];
    assert_true(scale.words <= SUM_MAX_WORDS);
    for (size_t i = 0; i < count; i++) {
        sum_load(&scale, values[i], part);
        sum_add(&scale, sum, part);
    }
    expect_same(atom_float(sum_mean(&scale, sum, count)), atom_float(expected), "mean", count);
}

/* --- chosen cases ---------------------------------------------------------------------------- */

#define F(x)                                                                                       \
    {                                                                                              \
        ATOM_FLOAT, {                                                                              \
            .f = (x)                                                                               \
        }                                                                                          \
    }
#define I(x)                                                                                       \
    {                                                                                              \
        ATOM_INT, {                                                                                \
            .i = (x)                                                                               \
        }                                                                                          \
    }
#define B(x)                                                                                       \
    {                                                                                              \
        ATOM_BOOL, {                                                                               \
            .b = (x)                                                                               \
        }                                                                                          \
    }

static const struct {
    size_t count;
    double mean;
    Atom values[6];
} means[] = {
    {2, 0.5, {I(0), I(1)}},
    {3, 0x1.5555555555555p-2, {I(0), I(1), I(0)}},
    {2, 9223372036854775807.0, {I(INT64_MAX), I(INT64_MAX)}},
    {2, -0.5, {I(INT64_MAX), I(INT64_MIN)}},
    {3, 0x1.8p0, {B(true), B(true), F(2.5)}},
    {2, 0x1.fffffffffffffp1023, {F(0x1.fffffffffffffp1023), F(0x1.fffffffffffffp1023)}},
    {2, 0, {F(0x1p-1074), F(0)}},                       /* half of the least: to even */
    {3, 0x1p-1074, {F(0x1p-1074), F(0x1p-1074), F(0)}}, /* two thirds of it */
    {4, 0, {F(0x1p-1074), F(0), F(0), F(0)}},           /* a quarter */
    {2, 0x1p-1073, {F(0x1p-1074), F(0x1p-1073)}},       /* a tie among subnormals: to even */
    {2, -0x1p-1073, {F(-0x1p-1074), F(-0x1p-1073)}},
    {2, 0x1p-1022, {F(0x1p-1022), F(0x1.ffffffffffffep-1023)}}, /* a tie at their border */
    {4, 0.25, {F(1e300), F(1), F(-1e300), F(0)}},               /* nothing is lost on the way */
    {2, 0x1p53, {F(0x1p53), I((1ll << 53) + 1)}},               /* a tie: to even */
    {2, 0x1.0000000000002p53, {I((1ll << 53) + 3), I((1ll << 53) + 4)}},
    {2, 0, {F(-0.0), F(-0.0)}},
    {2, 0, {F(1.5), F(-1.5)}},
    {6, 0x1.999999999999ap-4, {F(0.1), F(0.1), F(0.1), F(0.1), F(0.1), F(0.1)}},
    {2, INFINITY, {F(INFINITY), F(1)}},
    {2, -INFINITY, {F(1), F(-INFINITY)}},
    {2, NAN, {F(INFINITY), F(-INFINITY)}},
    {3, NAN, {F(NAN), F(1), I(2)}},
    {3, INFINITY, {F(0x1.fffffffffffffp1023), F(0x1.fffffffffffffp1023), F(INFINITY)}},
};

static void chosen_means(void **state) {
    (void)state;
    Fixture f;
    fixture_open(&f, 1);
    for (size_t k = 0; k < sizeof means / sizeof *means; k++)
        check_mean(&f, means[k].values, means[k].count, means[k].mean);
    fixture_close(&f);
}

/* --- random columns ----------------------------------------------------------------------------
 */

/* Doubles of all exponents, or of a narrow range, or near ties. */
static double random_double(Random *random, int range) {
    if (range == 0) {
        uint64_t bits;
        double value;
        do {
            bits = random_bits(random);
            memcpy(&value, &bits, sizeof value);
        } while (!isfinite(value));
        return value;
    }
    double value = ldexp((double)(int64_t)random_bits(random), -64);
    if (range == 1) return value;
    return range == 2 ? ldexp(value, -1030) : (double)random_below(random, 9) / 8;
}

static Atom random_number(Random *random, int range) {
    if (range < 4) return atom_float(random_double(random, range));
    if (range == 4) return atom_int((int64_t)random_bits(random));
    return range == 5                ? atom_int((int64_t)random_below(random, 7) - 3)
           : random_below(random, 2) ? atom_int((int64_t)random_below(random, 100))
                                     : atom_float(random_double(random, 3));
}

/* Random subsets: the sum as total minus the rest, in shuffled order. */
static void random_subsets(void **state) {
    (void)state;
    Random random = {7};
    for (int round = 0; round < 3000; round++) {
        Fixture f;
        size_t n = 1 + random_below(&random, 40);
        fixture_open(&f, n);
        Atom *values = ARENA_ARRAY(f.arena, n, Atom);
        bool *chosen = ARENA_ARRAY(f.arena, n, bool);
        for (size_t i = 0; i < n; i++) values[i] = random_number(&random, round % 7);
        Column *column = make_column(&f, values, n);
        SumScale scale = sum_scale(column);
        uint64_t *loads = ARENA_ARRAY(f.arena, n * scale.words, uint64_t);
        sum_load_column(&scale, column, loads);
        uint64_t sum[SUM_MAX_WORDS] = {0};
        size_t count = 0;
        for (size_t i = 0; i < n; i++) sum_add(&scale, sum, loads + i * scale.words);
        for (size_t i = n; i-- > 0;) {
            chosen[i] = random_below(&random, 2);
            count += chosen[i];
            if (!chosen[i]) sum_subtract(&scale, sum, loads + i * scale.words);
        }
        if (count)
            expect_same(atom_float(sum_mean(&scale, sum, count)),
                        atom_float(oracle_mean(values, chosen, n)), "subset", (size_t)round);
        fixture_close(&f);
    }
}

/* More is taken off than was there, and added again: sums wrap and come back. */
static void wrapping(void **state) {
    (void)state;
    Fixture f;
    fixture_open(&f, 1);
    const Atom values[] = {atom_int(INT64_MAX), atom_int(INT64_MAX), atom_int(-7)};
    Column *column = make_column(&f, values, 3);
    SumScale scale = sum_scale(column);
    uint64_t sum[SUM_MAX_WORDS] = {0}, part[SUM_MAX_WORDS];
    sum_load(&scale, values[0], part);
    for (int k = 0; k < 1000; k++) sum_subtract(&scale, sum, part);
    for (int k = 0; k < 1002; k++) sum_add(&scale, sum, part);
    expect_same(atom_float(sum_mean(&scale, sum, 2)), atom_float(0x1p63), "wrapped", 0);
    fixture_close(&f);
}

/* How many words columns need: one for small ints, as many as the exponents span. */
static void words_needed(void **state) {
    (void)state;
    static const struct {
        size_t limbs, length;
        Atom values[2];
    } cases[] = {
        {1, 2, {I(1000000), I(-1)}},
        {2, 2, {I(INT64_MAX), I(0)}},
        {1, 2, {F(0.5), F(1024)}},
        {2, 2, {F(0.1), F(1e6)}},
        {33, 2, {F(0x1p-1074), F(0x1p1023)}},
        {1, 2, {F(0), F(-0.0)}},
    };
    Fixture f;
    fixture_open(&f, 1);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Column *column = make_column(&f, cases[k].values, cases[k].length);
        assert_int_equal(sum_scale(column).limbs, cases[k].limbs);
    }
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chosen_means),
        cmocka_unit_test(random_subsets),
        cmocka_unit_test(wrapping),
        cmocka_unit_test(words_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
