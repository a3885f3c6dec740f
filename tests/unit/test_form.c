/* Sums of linear forms against exact arithmetic (GMP): what rounding does to a factor or to the
 * constant is in its bound, the bounds of both forms are carried on, and no bound is vacuous. */
#include "compile/lower/form.h"

#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <gmp.h>
#include <math.h>

enum { PARTS = 6, SUMS = 4000 };

/* Mostly what rounds; sometimes what is exact, or nothing. */
static double number(Random *random) {
    static const double plain[] = {0, 1, -1, 2, 0.5, -3, 1e-300, 0x1p60};
    if (random_below(random, 2)) return plain[random_below(random, 8)];
    return ldexp((double)(int64_t)random_bits(random), -(int)random_below(random, 80));
}

static double bound(Random *random) {
    return random_below(random, 2) ? 0 : fabs(number(random));
}

static Form form(Random *random, FormTerm *terms) {
    Form form = {.terms = terms, .constant = number(random), .slack = bound(random)};
    for (uint32_t p = 0; p < PARTS; p++) {
        double factor = number(random);
        if (factor != 0) terms[form.count++] = (FormTerm){p, factor, bound(random)};
    }
    return form;
}

static FormTerm term_of(const Form *form, uint32_t part) {
    for (uint32_t t = 0; t < form->count; t++)
        if (form->terms[t].part == part) return form->terms[t];
    return (FormTerm){.part = part};
}

/* Is |a x + b y - sum| + |a| x_bound + |b| y_bound at most `found`, and not far below it? */
static void check(double a, double x, double x_bound, double b, double y, double y_bound,
                  double sum, double found) {
    mpq_t exact, next, factor;
    mpq_inits(exact, next, factor, NULL);
    const double of[][2] = {{a, x}, {b, y}, {-1, sum}};
    for (int k = 0; k < 3; k++) {
        mpq_set_d(next, of[k][0]);
        mpq_set_d(factor, of[k][1]);
        mpq_mul(next, next, factor);
        mpq_add(exact, exact, next);
    }
    double wrong = fabs(mpq_get_d(exact)), carried = fabs(a) * x_bound + fabs(b) * y_bound;
    double size = fabs(a * x) + fabs(b * y);
    assert_true(found >= (wrong + carried) * (1 - 8 * DBL_EPSILON) - DBL_MIN);
    assert_true(found <= (carried + 4 * DBL_EPSILON * size) * (1 + 8 * DBL_EPSILON) + DBL_MIN);
    if (wrong == 0 && a == 1 && b == 1 && y == 0) assert_true(found == carried);
    mpq_clears(exact, next, factor, NULL);
}

static void test_sums(void **state) {
    (void)state;
    Budget budget;
    budget_init(&budget, SIZE_MAX);
    Arena *arena = arena_new(&budget);
    Random random = {11};
    for (int k = 0; k < SUMS; k++) {
        FormTerm of_x[PARTS], of_y[PARTS];
        Form x = form(&random, of_x), y = form(&random, of_y);
        double a = number(&random), b = random_below(&random, 2) ? 1 : number(&random);
        Form sum = form_sum(x, a, y, b, arena);
        check(a, x.constant, x.slack, b, y.constant, y.slack, sum.constant, sum.slack);
        for (uint32_t p = 0; p < PARTS; p++) {
            FormTerm tx = term_of(&x, p), ty = term_of(&y, p), t = term_of(&sum, p);
            check(a, tx.factor, tx.error, b, ty.factor, ty.error, t.factor, t.error);
        }
        for (uint32_t t = 0; t < sum.count; t++) {
            assert_true(sum.terms[t].part < PARTS);
            assert_true(t == 0 || sum.terms[t - 1].part < sum.terms[t].part);
            assert_true(sum.terms[t].factor != 0 || sum.terms[t].error != 0);
        }
    }
    arena_free(arena);
}

/* What cancels is gone, and equal forms are the same. */
static void test_same(void **state) {
    (void)state;
    Budget budget;
    budget_init(&budget, SIZE_MAX);
    Arena *arena = arena_new(&budget);
    Form p = form_part(1, arena), q = form_part(2, arena);
    Form sum = form_sum(p, 2, q, 1, arena), other = form_sum(q, 1, p, 2, arena);
    assert_true(form_same(sum, other));
    assert_false(form_same(sum, form_sum(p, 2, q, -1, arena)));
    assert_false(form_same(sum, form_affine(sum, 1, 1, arena)));
    assert_false(form_same(p, q));
    assert_false(form_same(p, sum));
    Form back = form_sum(sum, 1, q, -1, arena);
    assert_true(form_same(back, form_affine(p, 2, 0, arena)) && back.count == 1);
    Form none = form_affine(sum, 0, 7, arena);
    assert_true(form_same(none, form_constant(7)) && none.count == 0);
    assert_true(form_loose(form_loose(p, 0.5), 0.25).slack == 0.75);
    arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sums), cmocka_unit_test(test_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
