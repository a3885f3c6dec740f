/* Sources of tokens with a known law: the law against counts of samples and against its definition.
 */
#include "lab/language.h"
#include "lab/simplex.h"
#include "tests/unit/lab_fixture.h"

#include <math.h>
#include <string.h>

/* Tables of one seed are the same for every κ; laws are laws; pairs are stationary. */
static void test_grammar(void **state) {
    (void)state;
    enum { V = 16 };
    Grammar plain = grammar_new(arena, 5, V, 0), mixed = grammar_new(arena, 5, V, 2);
    assert_true(max_difference(plain.votes, mixed.votes, V * V) == 0);
    double total = 0, entropy_sum = 0;
    for (size_t a = 0; a < V; a++)
        for (size_t b = 0; b < V; b++) {
            double z[V];
            for (size_t y = 0; y < V; y++) z[y] = plain.votes[a * V + y] + plain.direct[b * V + y];
            softmax(z, V, 1, z);
            assert_true(max_difference(z, grammar_law(&plain, a, b), V) < 1e-15);
            assert_true(fabs(sum_of(grammar_law(&mixed, a, b), V) - 1) < 1e-12);
            double into = 0;
            for (size_t x = 0; x < V; x++)
                into += mixed.pairs[x * V + a] * grammar_law(&mixed, x, a)[b];
            assert_true(fabs(into - mixed.pairs[a * V + b]) < 1e-12);
            total += mixed.pairs[a * V + b];
            for (size_t y = 0; y < V; y++) {
                double p = grammar_law(&mixed, a, b)[y];
                entropy_sum -= mixed.pairs[a * V + b] * p * log(p);
            }
        }
    assert_true(fabs(total - 1) < 1e-12 && fabs(entropy_sum - mixed.entropy) < 1e-12);
    assert_true(mixed.entropy < plain.entropy); /* κ makes the next token surer, for these tables */
}

/* A long sample's pairs are as frequent as the stationary law says: their surprise is the entropy.
 */
static void test_grammar_sample(void **state) {
    (void)state;
    enum { LENGTH = 100000 };
    Grammar g = grammar_new(arena, 7, 8, 1);
    size_t *tokens = ARENA_ARRAY(arena, LENGTH, size_t);
    Rng rng = rng_new(1, 1000);
    grammar_sample(&g, &rng, LENGTH, tokens);
    double sum = 0, squares = 0;
    for (size_t i = 2; i < LENGTH; i++) {
        double bits = -log(grammar_law(&g, tokens[i - 2], tokens[i - 1])[tokens[i]]);
        sum += bits;
        squares += bits * bits;
    }
    double mean = sum / LENGTH, error = sqrt((squares / LENGTH - mean * mean) / LENGTH);
    assert_true(fabs(mean - g.entropy) < 5 * error);
}

/* The law of the next token from all lags' sequences at once: the definition of conditional chance.
 */
static void test_lag_copy(void **state) {
    (void)state;
    LagCopy l = {4, 3, 0.2};
    Rng rng = rng_new(2, 1000);
    for (int k = 0; k < 200; k++) {
        size_t tokens[13], length = 3 + rng_below(&rng, 9);
        lag_copy_sample(&l, &rng, length, tokens);
        double law[4], posterior[3], joint[4], total = 0;
        for (size_t y = 0; y < 4; y++) {
            joint[y] = 0;
            tokens[length] = y;
            for (size_t lag = 1; lag <= 3; lag++) {
                double chance = 1 / 3.0;
                for (size_t t = 3; t <= length; t++)
                    chance *= 0.2 / 4 + (tokens[t] == tokens[t - lag]) * 0.8;
                joint[y] += chance;
            }
            total += joint[y];
        }
        lag_copy_law(&l, tokens, length, law, posterior);
        assert_true(fabs(sum_of(posterior, 3) - 1) < 1e-12);
        for (size_t y = 0; y < 4; y++) assert_true(fabs(law[y] - joint[y] / total) < 1e-12);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grammar),
        cmocka_unit_test(test_grammar_sample),
        cmocka_unit_test(test_lag_copy),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
