/* The lab's tools for compiled programs: spans, contraction, rounding of weights, and that no
 * strange model breaks a question. Judged by brute force, singular values, and counts by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/contraction.h"
#include "lab/lab.h"
#include "lab/simplex.h"
#include "lab/span.h"
#include "runtime/safetensors.h"
#include "tests/unit/lab_fixture.h"
#include "tests/unit/runtime_models.h"

/* --- spans -------------------------------------------------------------------------------------
 */

static Matrix matrix_of(size_t rows, size_t cols, const double *x) {
    Matrix m = matrix_new(arena, rows, cols);
    memcpy(m.x, x, rows * cols * sizeof *x);
    return m;
}

static void test_ranks(void **state) {
    (void)state;
    static const struct {
        size_t rows, cols, rank;
        double x[12];
    } cases[] = {
        {2, 2, 0, {0, 0, 0, 0}},
        {2, 3, 1, {1, 2, -3, 2, 4, -6}},
        {3, 3, 2, {1, 2, 3, 4, 5, 6, 7, 8, 9}},
        {3, 3, 3, {1, 1, 1, 1, 2, 4, 1, 3, 9}}, /* Vandermonde */
        {3, 2, 2, {1, 1e-9, 0, 1e-9, 0, 0}},    /* a small column counts like a large one */
        {3, 2, 1, {1, 1, 1, 1, 1, 1}},          /* twice the same */
        {2, 2, 1, {1, 1e-14, 0, 1e-14}},        /* rounding */
        {4, 3, 2, {1, 0, 1, 0, 1, 1, 1, 1, 2, 1, -1, 0}}, /* the third is the sum */
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Matrix basis = span_of(arena, matrix_of(cases[k].rows, cases[k].cols, cases[k].x), 1e-9);
        if (basis.cols != cases[k].rank)
            fail_msg("case %zu: expected rank %zu, found %zu", k, cases[k].rank, basis.cols);
    }
}

/* Products of random factors: the rank of singular values, orthonormal, and nothing lost. */
static void test_spans(void **state) {
    (void)state;
    Rng rng = rng_new(3, 0);
    for (size_t k = 0; k < 60; k++) {
        size_t rows = 1 + rng_below(&rng, 9), cols = 1 + rng_below(&rng, 9);
        size_t inner = 1 + rng_below(&rng, 5);
        Matrix m = matrix_product(arena, matrix_normal(arena, &rng, rows, inner, 1),
                                  matrix_normal(arena, &rng, inner, cols, 1));
        Matrix b = span_of(arena, m, 1e-9), t = matrix_transpose(arena, b);
        assert_int_equal(b.cols, matrix_rank(arena, m, 1e-9));
        assert_true(matrix_difference(matrix_product(arena, t, b), matrix_identity(arena, b.cols)) <
                    1e-13);
        Matrix back = matrix_product(arena, b, matrix_product(arena, t, m));
        assert_true(matrix_difference(back, m) < 1e-12 * (1 + matrix_norm(m)));
        Matrix twice = span_join(arena, m, m);
        assert_int_equal(span_of(arena, twice, 1e-9).cols, b.cols);
    }
}

/* --- contraction -------------------------------------------------------------------------------
 */

/* 1 − the least overlap of two rows, Σ min: what total variation is, said otherwise. */
static double by_overlap(Matrix p) {
    double least = 1;
    for (size_t i = 0; i < p.rows; i++)
        for (size_t k = 0; k < p.rows; k++) {
            double overlap = 0;
            for (size_t j = 0; j < p.cols; j++)
                overlap += fmin(*matrix_at(p, i, j), *matrix_at(p, k, j));
            least = fmin(least, overlap);
        }
    return 1 - least;
}

static void test_dobrushin(void **state) {
    (void)state;
    Rng rng = rng_new(4, 0);
    for (size_t k = 0; k < 100; k++) {
        size_t n = 2 + rng_below(&rng, 6);
        Matrix p = matrix_new(arena, n, n);
        bool differ = false;
        size_t first = 0;
        for (size_t i = 0; i < n; i++) {
            if (k % 2) { /* hard: one key a row */
                size_t key = rng_below(&rng, n);
                if (i == 0) first = key;
                differ |= key != first;
                *matrix_at(p, i, key) = 1;
                continue;
            }
            rng_normals(&rng, matrix_row(p, i), n, 1);
            softmax(matrix_row(p, i), n, 1, matrix_row(p, i));
        }
        assert_true(fabs(dobrushin(p, 0) - by_overlap(p)) < 1e-14);
        if (k % 2) assert_true(dobrushin(p, 0) == (differ ? 1 : 0));
    }
}

/* --- questions about models ---------------------------------------------------------------------
 */

static RaspModel *rasp_model_of(const Model *model) {
    RtError reason = {""};
    RaspError error = {.text = ""};
    unsigned char *bytes;
    size_t size;
    if (!model_save_bytes(model, &bytes, &size, &reason)) fail_msg("%s", reason.text);
    RaspModel *handle = rasp_model_from_bytes(bytes, size, "strange.bin", NULL, &error);
    if (!handle) fail_msg("%s", error.text);
    free(bytes);
    return handle;
}

/* The number in a row and column of a table on the page; rows by their first cell. */
static double cell(const Page *page, const char *title, const char *row, size_t column) {
    for (const PageTable *t = page->tables; t; t = t->next) {
        if (strcmp(t->title, title) != 0) continue;
        for (size_t k = 0; k < t->cell_count; k += t->column_count)
            if (strcmp(t->cells[k], row) == 0) return strtod(t->cells[k + column], NULL);
    }
    fail_msg("no row '%s' in '%s'", row, title);
    return 0;
}

/* Weights whose roundings are known: which types can hold them? */
static void test_roundings(void **state) {
    (void)state;
    static const double weights[] = {
        1,           1 + 0x1p-10,        /* f16 has 11 digits, */
        1 + 0x1p-11,                     /* not 12; bf16 has 8 */
        1 + 0x1p-7,  1 + 0x1p-8,  65504, /* the largest f16 */
        65536,                           /* too large; bf16 has it */
        0x1p-24,                         /* the least f16 */
        0x1p-25,                         /* half of it: to even, 0 */
        0x1p-130,    -3,
    };
    enum { COUNT = sizeof weights / sizeof *weights, F16_CHANGES = 4, BF16_CHANGES = 4 };
    RtAtom token = rt_string("a", 1), value = rt_int(0);
    Model *model = model_new(RT_F64, RT_STRING, &token, 1, 1, COUNT);
    for (size_t k = 0; k < COUNT; k++) tensor_set(&model->tokens, 1, k, weights[k]);
    model_add_output(model, "nothing", RT_DECODE_NEAREST, 0, &value, 1);
    RaspModel *handle = rasp_model_of(model);
    Notebook *notebook = notebook_new(&budget, &(NotebookOptions){.seed = 1, .quick = true});
    const Outcome *o = notebook_run(notebook, "t", ask_noise, &(ModelQuestion){.model = handle});
    assert_int_equal(o->ending, ENDED);
    const char *title = "weights of fewer bits";
    assert_true(cell(o->page, title, "as they are", 1) == 0);
    assert_true(cell(o->page, title, "f16", 1) == F16_CHANGES);
    assert_true(cell(o->page, title, "bf16", 1) == BF16_CHANGES);
    notebook_free(notebook);
    rasp_model_free(handle);
    model_free(model);
}

/* Models of any shape, which embed no program: every question has an end, and identities hold. */
static void test_strange_models(void **state) {
    (void)state;
    static Measurement *const questions[] = {ask_temperature, ask_noise, ask_collapse, ask_cache,
                                             ask_hulls};
    Random random = {12};
    for (size_t k = 0; k < 12; k++) {
        ModelShape shape = {.dtype = (RtDtype)(k % 2),
                            .alphabet = 1 + random_below(&random, 4),
                            .length = 1 + random_below(&random, 9),
                            .width = 1 + random_below(&random, 12),
                            .layers = random_below(&random, 4),
                            .heads = 3,
                            .mlps = 2,
                            .head_size = 6,
                            .density = k % 3 ? 0.3 : 1,
                            .whole = k % 4 == 3};
        Model *model = random_model(&random, &shape);
        RaspModel *handle = rasp_model_of(model);
        ModelQuestion question = {.model = handle, .drawn = 12};
        for (size_t q = 0; q < sizeof questions / sizeof *questions; q++) {
            Notebook *notebook =
                notebook_new(&budget, &(NotebookOptions){.seed = k, .quick = true, .threads = 1});
            const Outcome *o = notebook_run(notebook, "strange", questions[q], &question);
            assert_int_equal(o->ending, ENDED);
            if (!outcome_holds(o))
                fail_msg("model %zu, question %zu: %s", k, q, page_headline(o->page)->what);
            assert_non_null(o->page->checks);
            notebook_free(notebook);
        }
        rasp_model_free(handle);
        model_free(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranks),          cmocka_unit_test(test_spans),
        cmocka_unit_test(test_dobrushin),      cmocka_unit_test(test_roundings),
        cmocka_unit_test(test_strange_models),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
