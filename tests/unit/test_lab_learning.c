/* The tools of the lab's group on learning in context, judged by numbers worked out by hand. */
#include "lab/metric.h"
#include "lab/regression.h"
#include "tests/unit/lab_fixture.h"

#include <math.h>

/* cmocka's own compares floats. */
static void near(double got, double expected, double within) {
    if (!(fabs(got - expected) <= within)) fail_msg("%.17g is not %.17g", got, expected);
}

static Matrix matrix_of(size_t rows, size_t cols, double *x) {
    return (Matrix){rows, cols, x};
}

/* Two examples, (1, 0) -> 2 and (1, 2) -> 4: least squares is exact with w = (2, 1). */
static double xs[] = {1, 0, 1, 2}, ys[] = {2, 4};

static void test_ridge(void **state) {
    (void)state;
    Regression r = {.x = matrix_of(2, 2, xs), .y = matrix_of(2, 1, ys)};
    Matrix w;
    assert_true(regression_ridge(arena, &r, 0, &w));
    near(w.x[0], 2, 1e-12);
    near(w.x[1], 1, 1e-12);
    /* XᵀX + I = [[3, 2], [2, 5]], Xᵀy = (6, 8): (14, 12)/11. */
    assert_true(regression_ridge(arena, &r, 1, &w));
    near(w.x[0], 14.0 / 11, 1e-12);
    near(w.x[1], 12.0 / 11, 1e-12);
    double same[] = {1, 1, 2, 2};
    r.x.x = same;
    assert_false(regression_ridge(arena, &r, 0, &w));
}

/* From 0 with η = ½: w = ¼ (2 (1, 0) + 4 (1, 2)) = (1.5, 2); at x = (1, −1) that is −½. The labels
 * of the examples move too: 2 − 1.5, 4 − 5.5. */
static void test_layer(void **state) {
    (void)state;
    double query[] = {1, -1};
    Regression r = {.x = matrix_of(2, 2, xs), .y = matrix_of(2, 1, ys)};
    Matrix w = regression_step(arena, &r, matrix_new(arena, 2, 1), 0.5);
    near(w.x[0], 1.5, 1e-15);
    near(w.x[1], 2, 1e-15);
    Matrix z = regression_tokens(arena, &r, matrix_of(1, 2, query));
    assert_int_equal(z.rows, 3);
    Matrix next = regression_layer(arena, z, 2, 0.5);
    const double expected[] = {1, 0, 0.5, 1, 2, -1.5, 1, -1, 0.5};
    for (size_t k = 0; k < 9; k++) near(next.x[k], expected[k], 1e-15);
}

/* Three points on a line, x = 0, 1, 3, M = m: without itself each is a mean of two, of weights
 * e^{−m²δ²}. */
static double line_loss(double m) {
    double far = exp(-9 * m * m), close = exp(-m * m), middle = exp(-4 * m * m);
    double at0 = (close * 2 + far * 6) / (close + far);
    double at1 = (close * 1 + middle * 6) / (close + middle);
    double at3 = (far * 1 + middle * 2) / (far + middle);
    return (pow(at0 - 1, 2) + pow(at1 - 2, 2) + pow(at3 - 6, 2)) / 3;
}

static void test_metric(void **state) {
    (void)state;
    double x[] = {0, 1, 3}, y[] = {1, 2, 6}, m[] = {0.7}, slope[1];
    MetricData data = {matrix_of(3, 1, x), matrix_of(3, 1, y)};
    Matrix gradient = matrix_of(1, 1, slope);
    near(metric_loss(arena, &data, matrix_of(1, 1, m), &gradient), line_loss(0.7), 1e-13);
    double h = 1e-5, difference = (line_loss(0.7 + h) - line_loss(0.7 - h)) / (2 * h);
    near(slope[0], difference, 1e-7);
    double at = 1, a = exp(-0.49), c = exp(-0.49 * 4);
    near(metric_estimate(arena, &data, matrix_of(1, 1, m), &at), (a * 1 + 2 + c * 6) / (a + 1 + c),
         1e-13);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_ridge, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(test_layer, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(test_metric, open_arena, close_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
