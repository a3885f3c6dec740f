/* The tools of the lab's group on what a transformer is made of, judged by numbers worked out by
 * hand: words by number, orthonormal rows, the KV cache, random models. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "lab/cache.h"
#include "lab/spelling.h"
#include "tests/unit/lab_fixture.h"

static void near(double got, double expected, double within) {
    if (!(fabs(got - expected) <= within)) fail_msg("%.17g is not %.17g", got, expected);
}

/* --- words ------------------------------------------------------------------------------------ */

static void test_spelling(void **state) {
    (void)state;
    char word[8], seen[27] = {0};
    assert_int_equal(spell_count("abc", 0), 1);
    assert_int_equal(spell_count("abc", 3), 27);
    spell("abc", 0, 3, word);
    assert_string_equal(word, "aaa");
    spell("abc", 5, 3, word); /* 5 = 2 + 1·3 */
    assert_string_equal(word, "cba");
    for (size_t code = 0; code < 27; code++) { /* each word once */
        spell("abc", code, 3, word);
        seen[(word[0] - 'a') * 9 + (word[1] - 'a') * 3 + word[2] - 'a']++;
    }
    for (int k = 0; k < 27; k++) assert_int_equal(seen[k], 1);
    Rng rng = rng_new(1, 1);
    spell_random("xy", &rng, 5, word);
    assert_int_equal(strlen(word), 5);
    assert_int_equal(strspn(word, "xy"), 5);
}

/* --- orthonormal rows ------------------------------------------------------------------------- */

static void test_orthonormal_rows(void **state) {
    (void)state;
    Matrix q = matrix_new(arena, 3, 3);
    static const double a[] = {3, 0, 4}, b[] = {6, 0, 8}, c[] = {0, 2, 0}, zero[] = {0, 0, 0};
    size_t rank = matrix_join(q, 0, zero, 1e-9);
    assert_int_equal(rank, 0);
    rank = matrix_join(q, rank, a, 1e-9);
    assert_int_equal(rank, 1);
    near(*matrix_at(q, 0, 0), 0.6, 1e-15);
    near(*matrix_at(q, 0, 2), 0.8, 1e-15);
    rank = matrix_join(q, rank, b, 1e-9); /* twice the first */
    assert_int_equal(rank, 1);
    rank = matrix_join(q, rank, c, 1e-9);
    assert_int_equal(rank, 2);
    near(*matrix_at(q, 1, 1), 1, 1e-15);
    double x[] = {1, 5, 0}; /* less 0.6 (0.6, 0, 0.8), less (0, 5, 0) */
    matrix_project_out(q, rank, x);
    near(x[0], 0.64, 1e-15);
    near(x[1], 0, 1e-15);
    near(x[2], -0.48, 1e-15);
    static const double d[] = {1, 1, 1};
    rank = matrix_join(q, rank, d, 1e-9);
    assert_int_equal(rank, 3);
    assert_int_equal(matrix_join(q, rank, a, 1e-9), 3); /* no room, and nothing new */
}

/* --- the cache -------------------------------------------------------------------------------- */

/* Values 1, 4, −2 of three tokens and 10 of the sink, in dimension 0; a head of equal scores writes
 * their mean to dimension 1. */
static Model *mean_model(RtMask mask, bool sink) {
    RtAtom alphabet[] = {rt_int(0), rt_int(1), rt_int(2)};
    static const double values[] = {10, 1, 4, -2};
    Model *model = model_new(RT_F64, RT_INT, alphabet, 3, 8, 2);
    ModelHead *head = layer_add_head(model_add_layer(model), 1, 1);
    for (size_t k = 0; k < 4; k++) tensor_set(&model->tokens, k, 0, values[k]);
    tensor_set(&head->value, 0, 0, 1);
    tensor_set(&head->output, 0, 1, 1);
    head->mask = mask;
    head->sink = sink;
    return model;
}

/* Tokens 0, 1, 2 in chunks of `chunk`, pages of `page` rows. */
static void assert_means(const Model *model, size_t page, size_t chunk, const double *expected) {
    static const size_t ids[] = {0, 1, 2};
    Rng rng = rng_new(1, page);
    Cache *cache = cache_new(cache_pool_new(arena, model, page, 4, &rng));
    Matrix rows = matrix_new(arena, 3, 2);
    for (size_t done = 0; done < 3; done += chunk) {
        size_t count = chunk < 3 - done ? chunk : 3 - done;
        cache_push(cache, ids + done, count, (Matrix){count, 2, matrix_row(rows, done)});
    }
    for (size_t i = 0; i < 3; i++) near(*matrix_at(rows, i, 1), expected[i], 1e-15);
}

static void test_cache(void **state) {
    (void)state;
    static const struct {
        RtMask mask;
        bool sink;
        double means[3];
    } rows[] = {{RT_MASK_CAUSAL, false, {1, 2.5, 1}},
                {RT_MASK_CAUSAL, true, {5.5, 5, 3.25}},
                {RT_MASK_STRICT_CAUSAL, true, {10, 5.5, 5}}};
    for (size_t r = 0; r < 3; r++) {
        Model *model = mean_model(rows[r].mask, rows[r].sink);
        assert_true(cache_fits(model));
        for (size_t page = 1; page <= 4; page++)
            for (size_t chunk = 1; chunk <= 3; chunk++)
                assert_means(model, page, chunk, rows[r].means);
        model_free(model);
    }
}

/* Heads that look ahead, that scale by the length, or that weigh otherwise. */
static void test_cache_fits(void **state) {
    (void)state;
    Model *model = mean_model(RT_MASK_CAUSAL, true);
    ModelHead *head = model->layers[0]->heads[0];
    head->mask = RT_MASK_NONE;
    assert_false(cache_fits(model));
    head->mask = RT_MASK_ANTICAUSAL;
    assert_false(cache_fits(model));
    head->mask = RT_MASK_CAUSAL;
    head->scale = RT_SCALE_LOG_LENGTH;
    assert_false(cache_fits(model));
    head->scale = RT_SCALE_ONE;
    model->kernel = RT_SPARSEMAX;
    assert_false(cache_fits(model));
    model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spelling),
        cmocka_unit_test_setup_teardown(test_orthonormal_rows, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(test_cache, open_arena, close_arena),
        cmocka_unit_test(test_cache_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
