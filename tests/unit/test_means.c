/* The compiler's own means, of value sets, against MPFR: every mean that a few values can have,
 * rounded once; and where they are known by their numerators, among the doubles that it can be.
 * Values whose exact sums are too long are refused, subnormal ones among them. */
#include "tests/unit/exec_fixture.h"

#include "compile/values/fractions.h"

enum { ROUNDS = 4000, WIDEST = 7 };

static bool is_among(const Means *means, const Sums *sums, uint32_t width, double mean) {
    for (size_t k = 0; k < sums->count; k++)
        if (means_value(means, sums->sum[k], width) == mean) return true;
    return false;
}

/* `first` times a, then b. */
static void check_mixture(const Means *means, const Sums *sums, uint32_t width, const Atom *pair,
                          uint32_t first) {
    Atom values[WIDEST];
    bool chosen[WIDEST];
    for (uint32_t k = 0; k < width; k++) {
        values[k] = pair[k < first ? 0 : 1];
        chosen[k] = true;
    }
    double mean = oracle_mean(values, chosen, width);
    if (!is_among(means, sums, width, mean))
        fail_msg("no mean is %a: %u times %a and %u times %a", mean, first, pair[0].f,
                 width - first, pair[1].f);
}

/* Doubles of up to 2^exponent: half with nearly all the bits of one, half with few, so that ties
 * come up. */
static double random_near(Random *random, int exponent) {
    uint64_t fewer = random_below(random, 2) ? random_below(random, 4) : random_below(random, 50);
    int64_t mantissa = (int64_t)random_bits(random) >> (11 + fewer);
    return ldexp((double)mantissa, exponent - 53);
}

static void random_means(void **state) {
    (void)state;
    Random random = {11};
    for (int round = 0; round < ROUNDS; round++) {
        Fixture f;
        fixture_open(&f, 1);
        static const int exponents[] = {-60, -40, -20, -1, 0, 5, 40, 60};
        int exponent = exponents[round % 8];
        Atom pair[2] = {atom_float(random_near(&random, exponent)),
                        atom_float(random_near(&random, exponent))};
        Means *means = means_new(f.arena, pair, 2, WIDEST);
        assert_non_null(means);
        for (uint32_t width = 1; width <= WIDEST; width++) {
            Sums sums;
            assert_true(means_sums(means, width, &sums));
            assert_in_range(sums.count, 1, width + 1);
            for (uint32_t first = 0; first <= width; first++)
                check_mixture(means, &sums, width, pair, first);
        }
        fixture_close(&f);
    }
}

static void too_long(void **state) {
    (void)state;
    static const double far[][2] = {{0x1p-1074, 0}, {0x1p-200, 1}, {0x1p100, 0x1p-30}, {1e300, 1}};
    Fixture f;
    fixture_open(&f, 1);
    for (size_t k = 0; k < sizeof far / sizeof *far; k++) {
        Atom pair[2] = {atom_float(far[k][0]), atom_float(far[k][1])};
        assert_null(means_new(f.arena, pair, 2, WIDEST));
    }
    fixture_close(&f);
}

enum { MOST_PARTS = 40 };

static bool is_near_sum(const Fractions *fractions, int64_t sum, uint32_t width, double mean,
                        uint32_t *candidates) {
    double near[FRACTIONS_MOST];
    if (!fractions_near(fractions, sum, width, near, candidates)) return true; /* refused */
    for (uint32_t k = 0; k < *candidates; k++)
        if (near[k] == mean) return true;
    return false;
}

/* Quotients of one denominator, or of several: what a mean of some of them is, is a double that is
 * said to be possible, and not many are. */
static void random_fractions(void **state) {
    (void)state;
    Random random = {13};
    size_t many = 0, refused = 0;
    for (int round = 0; round < ROUNDS; round++) {
        Fixture f;
        fixture_open(&f, 1);
        int64_t parts = 2 + (int64_t)random_below(&random, MOST_PARTS);
        int64_t common = parts * (round % 3 == 0 ? 1 : 7), numerator[WIDEST], sum = 0;
        Atom values[WIDEST];
        bool chosen[WIDEST], mixed = round % 4 == 0;
        uint32_t candidates, width = 2 + (uint32_t)random_below(&random, WIDEST - 1);
        for (uint32_t k = 0; k < width; k++) {
            numerator[k] = (int64_t)random_below(&random, 3 * (uint64_t)common);
            if (mixed) numerator[k] -= common;
            values[k] = atom_float((double)numerator[k] / (double)common);
            chosen[k] = true;
            sum += numerator[k];
        }
        Fractions *fractions = fractions_new(f.arena, values, width, WIDEST);
        if (fractions) { /* its denominator may be a smaller one */
            int64_t own = (int64_t)fractions_denominator(fractions);
            assert_true(common % own == 0 && sum % (common / own) == 0);
            assert_true(is_near_sum(fractions, sum / (common / own), width,
                                    oracle_mean(values, chosen, width), &candidates));
            many += candidates > 1;
            assert_true(mixed || candidates <= 4);
        } else
            refused++; /* all are whole */
        fixture_close(&f);
    }
    assert_true(many > ROUNDS / 4 && refused < ROUNDS / 10);
}

/* What is no fraction of small numbers, or of no common one. */
static void no_fractions(void **state) {
    (void)state;
    static const double rows[][2] = {{0.1234567890123, 0.5},
                                     {1, 2},
                                     {INFINITY, 0.5},
                                     {NAN, 0.5},
                                     {1.0 / 4093, 1.0 / 4091 + 1.0 / 4079},
                                     {1e300, 0.5}};
    Fixture f;
    fixture_open(&f, 1);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        Atom pair[2] = {atom_float(rows[k][0]), atom_float(rows[k][1])};
        assert_null(fractions_new(f.arena, pair, 2, WIDEST));
    }
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_means), cmocka_unit_test(too_long),
                                       cmocka_unit_test(random_fractions),
                                       cmocka_unit_test(no_fractions)};
    return cmocka_run_group_tests_name("means", tests, NULL, NULL);
}
