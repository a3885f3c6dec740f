/* Items 1 to 20 of the lab: every identity at reduced sizes, their tools against values worked out
 * elsewhere, and that what they check can fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "lab/bias.h"
#include "lab/engine_head.h"
#include "lab/lab.h"
#include "lab/running.h"
#include "lab/simplex.h"
#include "lab/smoother.h"

#include <math.h>
#include <string.h>

static Budget budget;

static void assert_near(double found, double expected, double tolerance) {
    if (!(fabs(found - expected) <= tolerance))
        fail_msg("expected %.17g, found %.17g, within %g", expected, found, tolerance);
}

/* --- all of them --------------------------------------------------------------------------------
 */

/* Times are measured, not asserted. */
static bool is_time(const Check *c) {
    return strncmp(c->what, "time of", strlen("time of")) == 0;
}

static void test_items(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        NotebookOptions options = {.seed = seed, .quick = true};
        Notebook *notebook = notebook_new(&budget, &options);
        for (unsigned number = 1; number <= 20; number++) {
            const Item *item = item_find(number);
            assert_non_null(item);
            const Outcome *o = notebook_measure(notebook, item);
            assert_int_equal(o->ending, ENDED);
            assert_true(page_check_count(o->page) >= 2);
            for (const Check *c = o->page->checks; c; c = c->next)
                if (!c->holds && !is_time(c))
                    fail_msg("item %u: %s: %g beside %g", number, c->what, c->measured,
                             c->expected);
        }
        notebook_free(notebook);
    }
}

/* --- biases -------------------------------------------------------------------------------------
 */

static void test_biases(void **state) {
    (void)state;
    /* The published slopes of 8 heads, and the ends of buckets, read off the paper's formula:
     * 16 · 8^(k/16) is 18.2, 20.7, 23.6, … 112.4. */
    static const struct {
        size_t distance;
        unsigned bucket;
    } buckets[] = {{0, 0},    {15, 15},  {16, 16},  {18, 16},          {19, 17},
                   {20, 17},  {21, 18},  {23, 18},  {24, 19},          {112, 30},
                   {113, 31}, {127, 31}, {128, 31}, {SIZE_MAX / 2, 31}};
    for (size_t k = 0; k < sizeof buckets / sizeof *buckets; k++)
        assert_int_equal(t5_bucket(buckets[k].distance), buckets[k].bucket);
    assert_near(alibi_slope(1, 8), 0.5, 0);
    assert_near(alibi_slope(8, 8), 1 / 256.0, 0);
    assert_near(alibi_slope(1, 16), sqrt(0.5), 1e-15);
    assert_near(alibi_bias(0.25, 3), -0.75, 0);
    assert_true(window_bias(2, 1) == 0 && window_bias(2, 2) == -INFINITY);
}

/* --- tools --------------------------------------------------------------------------------------
 */

/* Keys (0, ln 3), query 1: weights ¼ and ¾. */
static void test_running(void **state) {
    (void)state;
    Arena *arena = arena_new(&budget);
    double scores[] = {0, log(3)}, out[1];
    Matrix values = {2, 1, (double[]){4, 8}};
    Running a = running_new(arena, 1), b = running_new(arena, 1), none = running_new(arena, 1);
    running_add(&a, scores, values, 0, 1);
    running_add(&b, scores, values, 1, 1);
    running_merge(&a, &b);
    running_merge(&a, &none);
    running_merge(&none, &a);
    running_read(&none, out);
    assert_near(out[0], 7, 1e-14);
    running_clear(&a);
    running_add(&a, (double[]){-INFINITY, 1e4}, values, 0, 2);
    running_read(&a, out);
    assert_near(out[0], 8, 0);
    arena_free(arena);
}

/* Two points at distance 1: at x = ½ the mean, at the first one weights 1 and e^(−1/2h²). */
static void test_smoother(void **state) {
    (void)state;
    Arena *arena = arena_new(&budget);
    const double x[] = {0, 1}, y[] = {2, 6};
    double s[2], w[2], far = exp(-0.5 / 0.64);
    Sample sample = {x, y, 2};
    Kernel gauss = {.kind = KERNEL_SOFTMAX, .temperature = 1};
    assert_near(smooth_at(&gauss, sample, 0.8, 0.5, SIZE_MAX, s, w), 4, 1e-15);
    assert_near(smooth_at(&gauss, sample, 0.8, 0, SIZE_MAX, s, w), (2 + 6 * far) / (1 + far),
                1e-14);
    assert_near(leave_one_out(arena, &gauss, sample, 0.8), 16, 1e-14);
    arena_free(arena);
}

typedef struct Engine8 {
    double found[8];
    EngineHead head;
} Engine8;

static void attend_once(Lab *lab, Page *page, void *context) {
    Engine8 *e = context;
    Matrix q = {2, 1, (double[]){1, 0}}, k = {2, 1, (double[]){0, log(3)}};
    Matrix out = engine_attend(lab, page, &e->head, q, k, (Matrix){2, 1, (double[]){4, 8}});
    memcpy(e->found, out.x, 2 * sizeof *out.x);
}

static void test_engine(void **state) {
    (void)state;
    Notebook *notebook = notebook_new(&budget, &(NotebookOptions){.seed = 1});
    Engine8 e = {.head = {RT_SOFTMAX, 1, RT_MASK_NONE, RT_F64, 0, NULL, 0}};
    assert_true(outcome_holds(notebook_run(notebook, "one", attend_once, &e)));
    assert_near(e.found[0], 7, 1e-14);
    assert_near(e.found[1], 6, 1e-14);
    e.head.mask = RT_MASK_CAUSAL;
    notebook_run(notebook, "causal", attend_once, &e);
    assert_near(e.found[0], 4, 0);
    e.head = (EngineHead){RT_SPARSEMAX, 1, RT_MASK_NONE, RT_F64, 0, NULL, 0}; /* ln 3 > 1: alone */
    notebook_run(notebook, "sparse", attend_once, &e);
    assert_near(e.found[0], 8, 0);
    e.head.temperature = 0; /* refused, and that shows */
    assert_false(outcome_holds(notebook_run(notebook, "refused", attend_once, &e)));
    notebook_free(notebook);
}

/* A user's scores: entropy and exp H of (½, ¼, ¼) are 1.5 bits and 2^1.5. */
static void test_kernel_question(void **state) {
    (void)state;
    const double scores[] = {log(2), 0, 0};
    KernelQuestion q = {{KERNEL_SOFTMAX, 1, 0, 0}, scores, 3};
    Notebook *notebook = notebook_new(&budget, &(NotebookOptions){.seed = 1});
    const Outcome *o = notebook_run(notebook, "softmax", ask_kernel, &q);
    double bits = NAN, keys = NAN;
    for (const Check *c = o->page->checks; c; c = c->next) {
        if (strstr(c->what, "bits")) bits = c->measured;
        if (strstr(c->what, "exp H")) keys = c->measured;
    }
    assert_near(bits, 1.5, 1e-14);
    assert_near(keys, pow(2, 1.5), 1e-13);
    notebook_free(notebook);
}

/* Points on a line y = 2x + 1: a fit far inside is exact by symmetry, and leaving one out of equal
 * neighbours is too, so the error left out is that of the two ends alone. */
static void test_smooth_question(void **state) {
    (void)state;
    enum { N = 41 };
    double x[N], y[N];
    static const KernelKind kinds[] = {KERNEL_SOFTMAX, KERNEL_SPARSEMAX, KERNEL_ENTMAX15};
    Notebook *notebook = notebook_new(&budget, &(NotebookOptions){.seed = 1});
    for (int k = 0; k < N; k++) x[k] = 1000 + k, y[k] = 2 * x[k] + 1;
    for (int k = 0; k < 3; k++) {
        SmoothQuestion q = {.kernel = {.kind = kinds[k], .temperature = 1},
                            .sample = {x, y, N},
                            .bandwidth = k ? 2 : 0.3, /* one neighbour at each side */
                            .x_name = "x",
                            .y_name = "y",
                            .rule_name = "rule"};
        const Outcome *o = notebook_run(notebook, "line", ask_smooth, &q);
        assert_int_equal(o->ending, ENDED);
        assert_true(outcome_holds(o) && page_check_count(o->page) == 6);
        const Check *error = o->page->checks->next;
        /* The ends miss by the distance to their one neighbour, 2: 2 · 2² / 41. */
        if (k == 0) assert_near(error->measured, 8.0 / N, 1e-3);
        assert_near(o->page->plots->series[1].y[60], 2041, 1e-8);
        q.bandwidth = 0;
        if (k > 0) /* 2 is among the widths that are tried, 0.3 is below them */
            assert_true(
                notebook_run(notebook, "best", ask_smooth, &q)->page->checks->next->measured <=
                error->measured + 1e-12);
    }
    notebook_free(notebook);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_items),           cmocka_unit_test(test_biases),
        cmocka_unit_test(test_running),         cmocka_unit_test(test_smoother),
        cmocka_unit_test(test_engine),          cmocka_unit_test(test_kernel_question),
        cmocka_unit_test(test_smooth_question),
    };
    budget_init(&budget, 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
