/* Shortest floats against trying: one digit more until the text reads back. */
#include "base/shortest.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The decimals of `x` that read back, as few as do; at least one. */
static void try_decimals(double x, char text[512]) {
    int places = 1;
    do snprintf(text, 512, "%.*f", places, x);
    while (strtod(text, NULL) != x && ++places < 60);
}

/* Whole numbers too large for all of their digits to be needed. */
static void try_digits(double x, char text[512]) {
    char digits[64];
    int count = 0;
    do snprintf(digits, sizeof digits, "%.*e", count, x);
    while (strtod(digits, NULL) != x && ++count < 17);
    snprintf(text, 512, "%.1f", strtod(digits, NULL));
}

static void expect_one(double x) {
    char text[SHORTEST_MAX], tried[512];
    assert_int_equal(shortest_text(x, text) > 0 ? strlen(text) : 0, shortest_text(x, text));
    if (!(x == 0 || (1e-5 <= fabs(x) && fabs(x) < 0x1p53))) {
        assert_int_equal(shortest_text(x, text), 0);
        return;
    }
    if (x == rint(x))
        try_digits(x, tried);
    else
        try_decimals(x, tried);
    assert_string_equal(text, tried);
}

static void expect(double x) {
    expect_one(x), expect_one(-x);
}

static void expect_about(double x) {
    expect(nextafter(x, -INFINITY)), expect(x), expect(nextafter(x, INFINITY));
}

/* --- of every kind --------------------------------------------------------------------------- */

static void test_known(void **state) {
    static const struct {
        double x;
        const char *text;
    } table[] = {{0, "0.0"},
                 {-0.0, "-0.0"},
                 {1, "1.0"},
                 {-100, "-100.0"},
                 {0.1, "0.1"},
                 {1.0 / 3, "0.3333333333333333"},
                 {2.0 / 3, "0.6666666666666666"},
                 {0.00001, "0.00001"},
                 {0.1 + 0.2, "0.30000000000000004"},
                 {123456.789, "123456.789"},
                 {9007199254740991.0, "9007199254740991.0"}};
    static const double outside[] = {9e-6, 0x1p53, -0x1p60, 0x1p-1074, INFINITY, -INFINITY, NAN};
    char text[SHORTEST_MAX];
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        assert_int_equal(shortest_text(table[i].x, text), strlen(table[i].text));
        assert_string_equal(text, table[i].text);
    }
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
        assert_int_equal(shortest_text(outside[i], text), 0);
}

static void test_means(void **state) {
    (void)state;
    for (int n = 1; n <= 200; n++)
        for (int k = 0; k <= 2 * n; k++) expect((double)k / n);
}

static void test_powers(void **state) {
    (void)state;
    for (int e = -20; e <= 55; e++) expect_about(ldexp(1, e));
    for (int e = -6; e <= 17; e++) expect_about(pow(10, e)), expect_about(5 * pow(10, e));
    for (int i = -300; i <= 300; i++) expect(0x1p53 + i), expect(0x1p53 / 10 + i);
}

static void test_random(void **state) {
    Random random = {37};
    (void)state;
    for (size_t i = 0; i < 50000; i++) {
        double fraction = 1 + ldexp((double)(random_bits(&random) >> 12), -52);
        expect(ldexp(fraction, (int)random_below(&random, 74) - 19));
        expect((double)random_below(&random, 1000000) / pow(10, (int)random_below(&random, 10)));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known),
        cmocka_unit_test(test_means),
        cmocka_unit_test(test_powers),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
