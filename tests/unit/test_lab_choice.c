/* The oracle's weights: gradients against differences, closed forms of lab items 48 and 49, and
 * what any better weights would contradict. */
#include "lab/choice.h"
#include "lab/simplex.h"
#include "tests/unit/lab_fixture.h"

#include <math.h>
#include <string.h>

enum { HEADS = 3, CONTEXT = 12, VOCABULARY = 7, WEIGHTS = HEADS * CONTEXT };

static void fill(Random *random, double *to, size_t n, double scale) {
    for (size_t k = 0; k < n; k++) to[k] = scale * draw(random);
}

/* A point of the product of simplices; sparse ones among them. */
static void draw_weights(Random *random, size_t heads, size_t n, double *to) {
    for (size_t h = 0; h < heads; h++) {
        double sum = 0;
        for (size_t j = 0; j < n; j++) sum += to[h * n + j] = fmax(draw(random), 0) + 1e-9;
        for (size_t j = 0; j < n; j++) to[h * n + j] /= sum;
    }
}

static void draw_law(Random *random, double *law) {
    draw_weights(random, 1, VOCABULARY, law);
}

typedef struct Case {
    double direct[VOCABULARY], votes[WEIGHTS * VOCABULARY], law[VOCABULARY];
    Votes all;
} Case;

static void draw_case(Random *random, Case *c, size_t heads, double scale) {
    fill(random, c->direct, VOCABULARY, 1);
    fill(random, c->votes, WEIGHTS * VOCABULARY, scale);
    draw_law(random, c->law);
    c->all = (Votes){heads, CONTEXT, VOCABULARY, c->direct, c->votes};
}

/* f from its definition, in long double. */
static long double loss(const Case *c, const double *weights) {
    long double z[VOCABULARY], total = 0, along = 0;
    for (size_t y = 0; y < VOCABULARY; y++) {
        z[y] = c->direct[y];
        for (size_t k = 0; k < c->all.heads * CONTEXT; k++)
            z[y] += (long double)weights[k] * c->votes[k * VOCABULARY + y];
        total += expl(z[y]);
        along += c->law[y] * z[y];
    }
    return logl(total) - along;
}

static void test_gradient(void **state) {
    (void)state;
    Random random = {40};
    for (int k = 0; k < 200; k++) {
        Case c;
        double weights[WEIGHTS], gradient[WEIGHTS], logits[VOCABULARY];
        draw_case(&random, &c, 1 + (size_t)k % HEADS, 3);
        draw_weights(&random, c.all.heads, CONTEXT, weights);
        double value = votes_gradient(&c.all, c.law, weights, gradient, logits);
        assert_true(fabsl(value - loss(&c, weights)) < 1e-12L);
        for (size_t i = 0; i < c.all.heads * CONTEXT; i++) {
            const double step = 1e-6, kept = weights[i];
            weights[i] = kept + step;
            long double above = loss(&c, weights);
            weights[i] = kept - step;
            long double slope = (above - loss(&c, weights)) / (2 * step);
            weights[i] = kept;
            assert_true(fabsl(slope - gradient[i]) < 1e-6L);
        }
    }
}

/* The gap's promise: no weights tried are better than value - gap; and the two solvers agree. */
static void test_oracle(void **state) {
    (void)state;
    Random random = {41};
    for (int k = 0; k < 60; k++) {
        Case c;
        double weights[WEIGHTS], others[WEIGHTS];
        draw_case(&random, &c, 1 + (size_t)k % HEADS, 0.5 + k % 5);
        Descent best = choice_best(&c.all, c.law, 1e-8, weights, arena);
        assert_true(best.gap <= 1e-8);
        assert_true(fabsl(best.value - loss(&c, weights)) < 1e-12L);
        for (int t = 0; t < 500; t++) {
            draw_weights(&random, c.all.heads, CONTEXT, others);
            /* far away, and near the optimum, where a mistake would show */
            for (size_t i = 0; i < WEIGHTS && t % 2; i++)
                others[i] = 0.999 * weights[i] + 0.001 * others[i];
            assert_true(loss(&c, others) >= best.value - best.gap - 1e-12);
        }
        Objective objective = choice_objective(&c.all, c.law, arena);
        Descent slow = descend_exponentiated(&objective, 1e-5, 200000, others, arena);
        assert_true(slow.gap <= 1e-5 && fabs(slow.value - best.value) <= 1e-5 + 1e-8);
        /* KL(p, q) >= 0 */
        assert_true(best.value >= entropy(c.law, VOCABULARY) - 1e-12);
    }
}

static void test_sparsify(void **state) {
    (void)state;
    Random random = {74};
    for (int k = 0; k < 100; k++) {
        Case c;
        double weights[WEIGHTS], before[VOCABULARY], after[VOCABULARY];
        size_t rank = 1 + (size_t)k % VOCABULARY;
        draw_case(&random, &c, HEADS, 1);
        /* votes of a known rank: the first `rank` coordinates are free, the others follow the first
         */
        for (size_t i = 0; i < WEIGHTS; i++)
            for (size_t y = rank; y < VOCABULARY; y++)
                c.votes[i * VOCABULARY + y] = (double)y * c.votes[i * VOCABULARY];
        draw_weights(&random, HEADS, CONTEXT, weights);
        votes_logits(&c.all, weights, before);
        assert_in_range(choice_sparsify(&c.all, weights, arena), 1,
                        rank < VOCABULARY ? rank + 1 : VOCABULARY);
        votes_logits(&c.all, weights, after);
        for (size_t y = 0; y < VOCABULARY; y++) /* the same up to a constant */
            assert_true(fabs(before[y] - before[0] - after[y] + after[0]) < 1e-10);
        for (size_t h = 0; h < HEADS; h++) {
            double sum = 0;
            size_t support = 0;
            for (size_t j = 0; j < CONTEXT; j++) {
                sum += weights[h * CONTEXT + j];
                support += weights[h * CONTEXT + j] > 0;
                assert_true(weights[h * CONTEXT + j] >= 0);
            }
            assert_true(fabs(sum - 1) < 1e-12 && support <= rank + 1);
        }
    }
}

/* Copying: votes c e_{x_j}.  One target: log(1 + (V - 1) e^-c); two equally likely ones lie
 * log(2 + (V - 2) e^{-c/2}) above 0 and log 2 of it is their entropy. */
static void test_copying(void **state) {
    (void)state;
    static const struct {
        double scale, tolerance;
    } rows[] = {{2, 1e-8}, {5, 1e-8}, {10, 1e-8}, {20, 1e-7}};
    for (size_t r = 0; r < 4; r++)
        for (size_t targets = 1; targets <= 2; targets++) {
            double c = rows[r].scale, votes[VOCABULARY * VOCABULARY] = {0}, weights[VOCABULARY];
            double direct[VOCABULARY] = {0}, law[VOCABULARY] = {0};
            for (size_t j = 0; j < VOCABULARY; j++) votes[j * VOCABULARY + j] = c;
            for (size_t y = 0; y < targets; y++) law[y] = 1 / (double)targets;
            Votes v = {1, VOCABULARY, VOCABULARY, direct, votes};
            Descent best = choice_best(&v, law, 1e-10, weights, arena);
            double expected = targets == 1 ? log1p((VOCABULARY - 1) * exp(-c))
                                           : log(2 + (VOCABULARY - 2) * exp(-c / 2));
            assert_true(fabs(best.value - expected) < rows[r].tolerance);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradient),
        cmocka_unit_test(test_oracle),
        cmocka_unit_test(test_sparsify),
        cmocka_unit_test(test_copying),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
