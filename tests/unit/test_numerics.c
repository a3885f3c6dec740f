/* The certificate and the forward pass must have the same tiles in mind: built with another width
 * of tiles, the bound is another. */
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bound_follows_the_tiles),
                                       cmocka_unit_test(test_weight_error)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
