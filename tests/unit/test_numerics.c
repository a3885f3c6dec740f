/* The certificate and the forward pass must have the same tiles in mind: built with another width
 * of tiles, the bound is another.  Its arithmetic of grains and roundings is seen here too. */
#define RT_WIDE_KEYS        4
#define certificate_check   narrow_certificate_check
#define certificate_decide  narrow_certificate_decide
#define certificate_slack   narrow_certificate_slack
#define certificate_weights narrow_certificate_weights
#define certificate_reach   narrow_certificate_reach
#include "compile/prove/certificate.c"
#include "compile/prove/certificate_kernel.c"
#undef certificate_check

#include "tests/unit/compile_fixture.h"

bool certificate_check(const Circuit *circuit, const Model *ideal, const Model *model, Arena *arena,
                       Certificate *certificate);

static void test_bound_follows_the_tiles(void **state) {
    (void)state;
    CompileFixture f;
    fixture_open(&f,
                 "y = aggregate(select(indices, indices, <=), indicator(tokens == \"a\")) > 0.5;",
                 "ab", 12);
    f.options.dtype = COMPILE_F64;
    assert_true(fixture_compile(&f));
    const Compiled *c = &f.compiled;
    Certificate wide, narrow;
    assert_true(certificate_check(c->circuit, c->ideal, c->model, f.arena, &wide));
    assert_true(narrow_certificate_check(c->circuit, c->ideal, c->model, f.arena, &narrow));
    assert_true(wide.tightest == c->certificate->tightest);
    assert_true(narrow.tightest > wide.tightest);
    assert_true(narrow.error >= wide.error);
    fixture_close(&f);
}

/* Three tiles more, one exp of 2 ulp each: 4 units of rounding. */
static void test_weight_error(void **state) {
    (void)state;
    assert_true(rt_weight_units(3) == 12);
    assert_true(rt_weight_units(12) - rt_weight_units(3) == 12);
}

/* The largest power of two that divides a number, by trying; below 2^-60 none is worth keeping. */
static void test_grains(void **state) {
    (void)state;
    static const double numbers[] = {1,    3,    -1,    6,       0.5,     -0.75,       0.1,
                                     1e-3, 1e10, 1e300, 0x1p-60, 0x1p-61, 3 * 0x1p-62, 1 + 0x1p-40};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        double grain = 0x1p1000;
        while (grain >= 0x1p-60 && fmod(numbers[k], grain) != 0) grain /= 2;
        assert_true(grain_of(numbers[k]) == (grain >= 0x1p-60 ? grain : 0));
    }
    assert_true(grain_of(0) == INFINITY && grain_of(-0.0) == INFINITY);
}

/* A sum of products rounds unless all of it is whole grains that the significand can count. */
static void test_rounding_of_sums(void **state) {
    (void)state;
    Checker k = {.unit = 0x1p-24, .significand = 0x1p24};
    assert_true(sum_rounding(&k, 0, 0, 9) == 0);
    assert_true(sum_rounding(&k, 1e9, INFINITY, 9) == 0); /* of zeros alone */
    assert_true(sum_rounding(&k, 0x1p24, 1, 9) == 0);
    assert_true(sum_rounding(&k, 0x1p14, 0x1p-10, 9) == 0);
    for (int n = 1; n < 100; n++) {
        double least = 0x1p-24 * n; /* n roundings of the whole; a few more are charged */
        double size[] = {0x1p24 + 2, 5, 0x1p14 + 1}, grain[] = {1, 0, 0x1p-10};
        for (int c = 0; c < 3; c++) {
            double bound = sum_rounding(&k, size[c], grain[c], n);
            assert_true(bound >= size[c] * least && bound <= size[c] * (least + 0x1p-22));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bound_follows_the_tiles), cmocka_unit_test(test_weight_error),
        cmocka_unit_test(test_grains), cmocka_unit_test(test_rounding_of_sums)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
