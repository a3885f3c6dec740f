/* Lines that may be taken for one: on random matrices, with entries that are free and without,
 * against the definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "compile/lower/score_lines.h"
#include "compile/values/formula.h"

#include <string.h>

enum { MATRICES = 2000, LINES = 24, LENGTH = 90 };

/* Each line in turn joins the first class whose entries, as far as they are bound, are its own. */
static uint32_t join_plainly(unsigned char entry[LINES][LENGTH], uint32_t lines, uint32_t length,
                             uint32_t *class) {
    unsigned char bound[LINES][LENGTH];
    uint32_t classes = 0;
    for (uint32_t x = 0; x < lines; x++) {
        uint32_t c = 0;
        for (bool agree = false; c < classes && !agree; c += !agree) {
            agree = true;
            for (uint32_t y = 0; y < length; y++)
                agree &= bound[c][y] == CELL_FREE || entry[x][y] == CELL_FREE ||
                         bound[c][y] == entry[x][y];
        }
        if (c == classes) memset(bound[classes++], CELL_FREE, length);
        for (uint32_t y = 0; y < length; y++)
            if (bound[c][y] == CELL_FREE) bound[c][y] = entry[x][y];
        class[x] = c;
    }
    return classes;
}

static void test_random(void **state) {
    (void)state;
    Budget budget;
    Random random = {3};
    budget_init(&budget, (size_t)1 << 28);
    Arena *arena = arena_new(&budget);
    for (int trial = 0; trial < MATRICES; trial++) {
        unsigned char plain[LINES][LENGTH], entry[LINES * LENGTH];
        uint32_t lines = (uint32_t)random_below(&random, LINES + 1), class[LINES];
        uint32_t length = 1 + (uint32_t)random_below(&random, LENGTH), leader[LINES];
        uint32_t expected[LINES], kinds = 1 + (uint32_t)random_below(&random, 5);
        bool free = random_below(&random, 2);
        for (uint32_t x = 0; x < lines; x++)
            for (uint32_t y = 0; y < length; y++) {
                plain[x][y] =
                    x >= kinds ? plain[x % kinds][y] : (unsigned char)random_below(&random, 2);
                if (free && random_below(&random, 3) == 0) plain[x][y] = CELL_FREE;
                entry[x * length + y] = plain[x][y];
            }
        uint32_t classes = join_plainly(plain, lines, length, expected);
        assert_int_equal(join_lines(entry, lines, length, class, leader, arena), classes);
        for (uint32_t x = 0; x < lines; x++) {
            assert_int_equal(class[x], expected[x]);
            assert_int_equal(class[leader[class[x]]], class[x]);
            for (uint32_t y = 0; y < length; y++)
                assert_true(plain[x][y] == CELL_FREE ||
                            entry[leader[class[x]] * length + y] == plain[x][y]);
        }
    }
    arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    return cmocka_run_group_tests_name("lines", tests, NULL, NULL);
}
