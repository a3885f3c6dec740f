/* What a window promises of its colours, codes and what is asked: on matrices that have few ones a
 * row or a column, drawn, the score that is made of them selects what the matrix selects. */
#include "compile/lower/window.h"

#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MOST = 40, ROUNDS = 3000 };

typedef struct Matrix {
    uint32_t keys, queries;
    unsigned char entry[MOST * MOST];
} Matrix;

/* The keys of a query are those from `slope * query + start` on, some of them left out. */
static Matrix some_matrix(Random *random) {
    Matrix m = {.keys = 1 + (uint32_t)random_below(random, MOST),
                .queries = 1 + (uint32_t)random_below(random, MOST)};
    double slope = (double)random_below(random, 5) / 2;
    int start = (int)random_below(random, 7) - 3, size = (int)random_below(random, 5);
    bool turned = random_below(random, 2), holes = random_below(random, 3) == 0;
    bool anywhere = random_below(random, 4) == 0;
    for (int q = 0; q < (int)m.queries; q++)
        for (int d = 0; d < size; d++) {
            int k = (int)(slope * q) + start + d;
            if (anywhere) k = (int)random_below(random, m.keys);
            if (k < 0 || k >= (int)m.keys || (holes && random_below(random, 3) == 0)) continue;
            m.entry[turned ? (m.keys - 1 - (uint32_t)k) * m.queries + (uint32_t)q
                           : (uint32_t)k * m.queries + (uint32_t)q] = 1;
        }
    return m;
}

static double score(const Window *w, uint32_t key, uint32_t query) {
    uint32_t near = w->by_key ? key : query, far = w->by_key ? query : key;
    double code = w->code[near], asked = w->asked[far * w->count + w->colour[near]];
    return 1 - (code * code - 2 * code * asked + window_square(asked));
}

static void test_scores(void **state) {
    (void)state;
    Random random = {3};
    Budget budget;
    size_t found[4] = {0};
    budget_init(&budget, 0);
    for (int round = 0; round < ROUNDS; round++) {
        Arena *arena = arena_new(&budget);
        Matrix m = some_matrix(&random);
        Window w;
        if (window_find(m.entry, m.keys, m.queries, arena, &w)) {
            found[w.count < 3 ? w.count : 3]++;
            for (uint32_t k = 0; k < m.keys; k++)
                for (uint32_t q = 0; q < m.queries; q++) {
                    if (m.entry[k * m.queries + q])
                        assert_true(score(&w, k, q) == 1);
                    else
                        assert_true(score(&w, k, q) <= 0);
                }
        }
        arena_free(arena);
    }
    for (int k = 1; k < 4; k++) assert_true(found[k] > ROUNDS / 100);
}

/* |i - j| <= k takes 2 k + 1 colours, two neighbours one, an order too many. */
static void test_how_many(void **state) {
    (void)state;
    static const struct {
        int from, to;
        uint32_t colours; /* 0: no window */
    } rows[] = {{-1, 1, 3}, {-2, 2, 5},    {-1, 0, 1},  {0, 1, 1},
                {-2, 0, 3}, {-MOST, 0, 0}, {0, MOST, 0}};
    Budget budget;
    budget_init(&budget, 0);
    Arena *arena = arena_new(&budget);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        unsigned char entry[MOST * MOST] = {0};
        Window w = {0};
        for (int k = 0; k < MOST; k++)
            for (int q = 0; q < MOST; q++)
                entry[k * MOST + q] = k - q >= rows[r].from && k - q <= rows[r].to;
        bool found = window_find(entry, MOST, MOST, arena, &w);
        assert_int_equal(found ? w.count : 0, rows[r].colours);
    }
    arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scores),
        cmocka_unit_test(test_how_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
