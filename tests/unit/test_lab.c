/* lab/: random numbers, kernels, matrices, pages and sessions, against values worked out elsewhere.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "lab/axis.h"
#include "lab/kernel.h"
#include "lab/lab.h"
#include "lab/simplex.h"
#include "lab/votes.h"

#include <math.h>
#include <string.h>

static Budget budget;

static void assert_near(double found, double expected, double tolerance) {
    if (!(fabs(found - expected) <= tolerance))
        fail_msg("expected %.17g, found %.17g, within %g", expected, found, tolerance);
}

/* --- random numbers ----------------------------------------------------------------------------
 */

/* The state {1, 2, 3, 4} gives these: the reference implementation's first outputs. */
static void test_xoshiro(void **state) {
    (void)state;
    static const uint64_t expected[] = {11520u, 0u, 1509978240u, 1215971899390074240u,
                                        1216172134540287360u};
    Rng rng = {.s = {1, 2, 3, 4}};
    for (int k = 0; k < 5; k++) assert_true(rng_bits(&rng) == expected[k]);
}

static void test_normals(void **state) {
    (void)state;
    enum { COUNT = 400000 };
    Rng rng = rng_new(7, 3);
    double sum = 0, squares = 0, cubes = 0, fourth = 0;
    for (int k = 0; k < COUNT; k++) {
        double x = rng_normal(&rng);
        sum += x, squares += x * x, cubes += x * x * x, fourth += x * x * x * x;
    }
    /* Standard errors of the moments: √(1, 2, 15, 96)/√n. */
    assert_near(sum / COUNT, 0, 4 / sqrt(COUNT));
    assert_near(squares / COUNT, 1, 4 * sqrt(2.0 / COUNT));
    assert_near(cubes / COUNT, 0, 4 * sqrt(15.0 / COUNT));
    assert_near(fourth / COUNT, 3, 4 * sqrt(96.0 / COUNT));
}

/* Bit for bit, so that another machine's logarithm would show. */
static void test_normals_are_the_same_everywhere(void **state) {
    (void)state;
    static const uint64_t expected[] = {0x3fdc2e7d2fac1a89u, 0xbfdc4a2a3a951946u,
                                        0xbfc02c4fe148d380u, 0xbfd8b69aa11e1f8bu};
    Rng rng = rng_new(1, 0);
    for (int k = 0; k < 4; k++) {
        double x = rng_normal(&rng);
        uint64_t bits;
        memcpy(&bits, &x, sizeof bits);
        if (bits != expected[k]) fail_msg("normal %d: 0x%llx", k, (unsigned long long)bits);
    }
}

static void test_below(void **state) {
    (void)state;
    Rng rng = rng_new(3, 0);
    size_t counts[7] = {0}, order[50], seen[50] = {0};
    for (int k = 0; k < 70000; k++) counts[rng_below(&rng, 7)]++;
    for (int k = 0; k < 7; k++) assert_near((double)counts[k], 10000, 4 * sqrt(10000.0 * 6 / 7));
    rng_permutation(&rng, order, 50);
    for (int k = 0; k < 50; k++) seen[order[k]]++;
    for (int k = 0; k < 50; k++) assert_int_equal(seen[k], 1);
}

/* --- kernels -----------------------------------------------------------------------------------
 */

typedef struct Row {
    Kernel kernel;
    double scores[4], weights[4];
} Row;

/* By hand.  entmax15 of (2, 0): z = (1, 0), both in the support iff (z0−t)²+(z1−t)²=1 with t ≤ 0;
 * 2t²−2t=0 gives t = 0, so it is (1, 0); of (1, 0): 2t²−t−¾=0, t=(1−√7)/4. */
static void test_rows(void **state) {
    (void)state;
    double high = pow((1 + sqrt(7)) / 4, 2), e = exp(1), none = -INFINITY;
    const Row rows[] = {
        {{KERNEL_SOFTMAX, 1, 0, 0}, {0, 1, none, none}, {1 / (1 + e), e / (1 + e), 0, 0}},
        {{KERNEL_SOFTMAX, .5, 0, 0}, {0, .5, none, none}, {1 / (1 + e), e / (1 + e), 0, 0}},
        {{KERNEL_HARD_LEFT, 1, 0, 0}, {1, 3, 3, 0}, {0, 1, 0, 0}},
        {{KERNEL_HARD_RIGHT, 1, 0, 0}, {1, 3, 3, 0}, {0, 0, 1, 0}},
        {{KERNEL_AVERAGE, 1, 0, 0}, {3, 1, 3, none}, {.5, 0, .5, 0}},
        {{KERNEL_SPARSEMAX, 1, 0, 0}, {2, 1, 0, none}, {1, 0, 0, 0}},
        {{KERNEL_SPARSEMAX, 2, 0, 0}, {2, 1, 0, none}, {.75, .25, 0, 0}},
        {{KERNEL_SPARSEMAX, 1, 0, 0}, {.5, .5, .2, -1}, {13. / 30, 13. / 30, 4. / 30, 0}},
        {{KERNEL_ENTMAX15, 1, 0, 0}, {2, 0, none, none}, {1, 0, 0, 0}},
        {{KERNEL_ENTMAX15, 1, 0, 0}, {0, 1, none, none}, {1 - high, high, 0, 0}},
        {{KERNEL_ENTMAX15, .5, 0, 0}, {0, .5, none, none}, {1 - high, high, 0, 0}},
        {{KERNEL_ENTMAX, 1, 1.5, 0}, {0, 1, none, none}, {1 - high, high, 0, 0}},
        {{KERNEL_TOP, 1, 0, 2}, {1, 0, 1, 1}, {.5, 0, .5, 0}},
        {{KERNEL_TOP, 1, 0, 9}, {0, 1, none, none}, {1 / (1 + e), e / (1 + e), 0, 0}},
        {{KERNEL_UNNORMALISED, 2, 0, 0}, {0, 2, none, none}, {1, e, 0, 0}},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        double a[4];
        kernel_weights(&rows[r].kernel, rows[r].scores, 4, a);
        for (int j = 0; j < 4; j++)
            if (!(fabs(a[j] - rows[r].weights[j]) <= 1e-15))
                fail_msg("row %zu, key %d: expected %.17g, found %.17g", r, j, rows[r].weights[j],
                         a[j]);
    }
}

static void test_names(void **state) {
    (void)state;
    KernelKind kind;
    for (int k = 0; k < KERNEL_COUNT; k++) {
        assert_true(kernel_find(kernel_infos[k].name, &kind));
        assert_int_equal(kind, k);
    }
    assert_false(kernel_find("Softmax", &kind));
    assert_false(kernel_find("", &kind));
}

/* Against central differences, at points where no weight is about to enter or leave. */
static void test_derivatives(void **state) {
    (void)state;
    enum { N = 5 };
    Arena *arena = arena_new(&budget);
    const double s[N] = {0.9, 0.3, -0.2, 0.55, -2.5}, h = 1e-6;
    for (int kind = 0; kind < KERNEL_COUNT; kind++) {
        Kernel kernel = {(KernelKind)kind, 0.8, 1.25, 3};
        double a[N], up[N], down[N];
        kernel_weights(&kernel, s, N, a);
        Matrix d = kernel_derivative(arena, &kernel, a, N);
        for (int j = 0; j < N; j++) {
            double t[N];
            memcpy(t, s, sizeof t);
            t[j] = s[j] + h;
            kernel_weights(&kernel, t, N, up);
            t[j] = s[j] - h;
            kernel_weights(&kernel, t, N, down);
            for (size_t i = 0; i < N; i++)
                assert_near(*matrix_at(d, i, (size_t)j), (up[i] - down[i]) / (2 * h), 1e-8);
        }
    }
    arena_free(arena);
}

/* --- simplex and matrices ----------------------------------------------------------------------
 */

static void test_simplex(void **state) {
    (void)state;
    const double z[3] = {1000, 1000, -INFINITY}, p[2] = {.25, .75}, q[2] = {.5, .5};
    double a[3];
    assert_near(log_sum_exp(z, 3), 1000 + log(2), 1e-12);
    assert_true(log_sum_exp(z, 0) == -INFINITY);
    assert_near(entropy(p, 2), 2 * log(2) - .75 * log(3), 1e-15);
    assert_near(divergence(p, q, 2), .75 * log(3) - log(2), 1e-15);
    assert_near(total_variation(p, q, 2), .25, 0);
    assert_near(cross_entropy(p, (double[]){0, log(3)}, 2), entropy(p, 2), 1e-15);
    simplex_project((double[]){.9, .6, -3}, 3, a);
    assert_near(a[0], .65, 1e-15);
    assert_near(a[1], .35, 1e-15);
    assert_near(a[2], 0, 0);
}

static void test_matrices(void **state) {
    (void)state;
    Arena *arena = arena_new(&budget);
    Rng rng = rng_new(5, 0);
    Matrix a = matrix_normal(arena, &rng, 6, 6, 1), x;
    Matrix b = matrix_normal(arena, &rng, 6, 2, 1);
    assert_true(matrix_solve(arena, a, b, &x));
    assert_true(matrix_difference(matrix_product(arena, a, x), b) < 1e-12);
    /* diag(3, 2, 0) between two rotations: singular values 3, 2, 0. */
    double c = cos(0.7), s = sin(0.7);
    Matrix r = {3, 3, (double[]){c, -s, 0, s, c, 0, 0, 0, 1}};
    Matrix d = {3, 3, (double[]){3, 0, 0, 0, 2, 0, 0, 0, 0}};
    Matrix m = matrix_product(arena, matrix_product(arena, r, d), r);
    const double *values = matrix_singular_values(arena, m);
    assert_near(values[0], 3, 1e-14);
    assert_near(values[1], 2, 1e-14);
    assert_near(values[2], 0, 1e-14);
    assert_int_equal(matrix_rank(arena, m, 1e-12), 2);
    Matrix tall = matrix_product(arena, matrix_normal(arena, &rng, 9, 2, 1),
                                 matrix_normal(arena, &rng, 2, 4, 1));
    assert_int_equal(matrix_rank(arena, tall, 1e-12), 2);
    arena_free(arena);
}

static void test_votes(void **state) {
    (void)state;
    enum { H = 2, N = 3, V = 4 };
    Rng rng = rng_new(11, 0);
    double direct[V], l[H * N * V], a[H * N], p[V], g[H * N], z[V], h = 1e-6;
    rng_normals(&rng, direct, V, 1);
    rng_normals(&rng, l, H * N * V, 1);
    rng_normals(&rng, a, H * N, 1);
    rng_normals(&rng, p, V, 1);
    softmax(p, V, 1, p);
    Votes votes = {H, N, V, direct, l};
    votes_gradient(&votes, p, a, g, z);
    for (size_t k = 0; k < H * N; k++) {
        double ignored[H * N], was = a[k], up, down;
        a[k] = was + h;
        up = votes_gradient(&votes, p, a, ignored, z);
        a[k] = was - h;
        down = votes_gradient(&votes, p, a, ignored, z);
        a[k] = was;
        assert_near(g[k], (up - down) / (2 * h), 1e-8);
    }
}

/* --- axes --------------------------------------------------------------------------------------
 */

typedef struct AxisCase {
    Range values;
    bool logarithmic;
    int count;
    double first, second, last;
} AxisCase;

static void test_axes(void **state) {
    (void)state;
    static const AxisCase cases[] = {
        {{0, 1}, false, 6, 0, 0.2, 1},         {{-3, 12}, false, 3, 0, 5, 10},
        {{1, 1e6}, true, 4, 1, 100, 1e6},      {{1, 100}, true, 7, 1, 2, 100},
        {{1e-12, 1}, true, 5, 1e-12, 1e-9, 1}, {{5, 5}, false, 5, 3, 4, 7},
        {{0, 0}, false, 5, -1, -0.5, 1},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const AxisCase *c = &cases[k];
        Axis axis = axis_of(c->values, c->logarithmic, 6);
        if (axis.tick_count != c->count) fail_msg("axis %zu: %d ticks", k, axis.tick_count);
        assert_near(axis.ticks[0], c->first, 1e-12);
        assert_near(axis.ticks[1], c->second, 1e-12);
        assert_near(axis.ticks[c->count - 1], c->last, 1e-9);
    }
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Axis axis = axis_of(cases[k].values, cases[k].logarithmic, 6);
        for (int t = 0; t < axis.tick_count; t++) {
            double at = axis_place(&axis, axis.ticks[t]);
            assert_true(at > -1e-9 && at < 1 + 1e-9 &&
                        (t == 0 || axis.ticks[t] > axis.ticks[t - 1]));
        }
        assert_true(isnan(axis_place(&axis, NAN)) && isnan(axis_place(&axis, INFINITY)));
    }
    Axis decades = axis_of((Range){1, 100}, true, 6);
    assert_near(axis_place(&decades, 10), 0.5, 1e-15);
    assert_true(isnan(axis_place(&decades, 0)));
}

/* --- pages and sessions ------------------------------------------------------------------------
 */

static void test_checks(void **state) {
    (void)state;
    Arena *arena = arena_new(&budget);
    Page *page = page_new(arena);
    check_figure(page, "figure", 3);
    check_z(page, "z", 1.3, 1, 0.1);
    assert_true(page_identities_hold(page));
    assert_string_equal(page_headline(page)->what, "figure");
    check_z(page, "far", 1.5, 1, 0.1);
    assert_string_equal(page_headline(page)->what, "far");
    assert_true(page_identities_hold(page));
    check_near(page, IDENTITY, "nan", NAN, 0, 1);
    assert_string_equal(page_headline(page)->what, "nan");
    assert_false(page_identities_hold(page));
    check_most(page, IDENTITY, "most", 1, 1);
    check_least(page, IDENTITY, "least", 1, 1);
    check_near(page, IDENTITY, "infinite", INFINITY, INFINITY, 0);
    size_t failing = 0;
    for (const Check *c = page->checks; c; c = c->next) failing += !c->holds;
    assert_int_equal(failing, 2);
    arena_free(arena);
}

static volatile sig_atomic_t cancel;
static int released;

static void release(void *what) {
    released += *(int *)what;
}

static void stopped_halfway(Lab *lab, Page *page, void *context) {
    lab_defer(lab, release, context);
    check_none(page, "before", 0);
    cancel = 1;
    for (int k = 0; k < 1000000; k++) lab_poll(lab);
    check_none(page, "after", 1);
}

static void test_interruption(void **state) {
    (void)state;
    Budget own;
    budget_init(&own, 0);
    own.cancel = &cancel;
    Notebook *notebook = notebook_new(&own, &(NotebookOptions){.seed = 1});
    const Outcome *o = notebook_run(notebook, "stopped", stopped_halfway, &(int){5});
    assert_int_equal(o->ending, INTERRUPTED);
    assert_int_equal(page_check_count(o->page), 1);
    assert_string_equal(outcome_verdict(o), "interrupted");
    assert_int_equal(released, 5);
    cancel = 0;
    notebook_free(notebook);
}

/* An item draws the same numbers alone and after others. */
static void test_items_are_independent(void **state) {
    (void)state;
    NotebookOptions options = {.seed = 4, .quick = true};
    Notebook *alone = notebook_new(&budget, &options), *among = notebook_new(&budget, &options);
    const Outcome *a = notebook_measure(alone, item_find(5));
    notebook_measure(among, item_find(4));
    const Outcome *b = notebook_measure(among, item_find(5));
    assert_true(a->page->checks->measured == b->page->checks->measured);
    notebook_free(alone);
    notebook_free(among);
}

/* Numbers are ascending and unique, texts are there and end as they should. */
static void test_registry(void **state) {
    (void)state;
    unsigned last = 0;
    for (size_t g = 0; g < item_group_count; g++) {
        assert_ptr_equal(group_find(item_groups[g]->name), item_groups[g]);
        for (size_t k = 0; k < item_groups[g]->count; k++) {
            const Item *item = &item_groups[g]->items[k];
            if (item->number <= last) fail_msg("item %u after item %u", item->number, last);
            last = item->number;
            assert_ptr_equal(item_find(item->number), item);
            assert_ptr_equal(group_of(item), item_groups[g]);
            assert_true(item->measure && item->seconds > 0 && *item->source);
            assert_true(item->claim[strlen(item->claim) - 1] == '.');
            assert_true(item->method[strlen(item->method) - 1] == '.');
        }
    }
    assert_null(item_find(0));
    assert_null(group_find("nobody"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_xoshiro),
        cmocka_unit_test(test_normals),
        cmocka_unit_test(test_normals_are_the_same_everywhere),
        cmocka_unit_test(test_below),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_simplex),
        cmocka_unit_test(test_matrices),
        cmocka_unit_test(test_votes),
        cmocka_unit_test(test_axes),
        cmocka_unit_test(test_checks),
        cmocka_unit_test(test_interruption),
        cmocka_unit_test(test_items_are_independent),
        cmocka_unit_test(test_registry),
    };
    budget_init(&budget, 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
