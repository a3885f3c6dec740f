/* The inputs of `rasp check`: each short one once, then longer ones only, and each first token
 * where a domain fixes it.  (Once the short ones began again, and no long one was ever tried.) */
#include "compile/inputs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { LONGEST = 7 };

typedef struct Case {
    uint32_t alphabet;
    int32_t first;
    uint64_t limit, count;
    uint32_t complete; /* lengths of which all inputs are wanted */
    unsigned shorts;   /* how many these are */
} Case;

static const Case cases[] = {
    {2, -1, 10, 40, 3, 14},   /* 2 + 4 + 8 */
    {2, 1, 10, 40, 4, 15},    /* 1 + 2 + 4 + 8 */
    {3, -1, 10, 100, 3, 39},  /* 3 + 9 + 27 */
    {50, -1, 10, 40, 0, 0},   /* not even the single tokens */
    {2, -1, 254, 40, 7, 254}, /* 2^8 - 2: all of them */
    {1, -1, 10, 40, 7, 7},
};

static uint64_t number_of(const uint32_t *ids, uint32_t length, uint32_t alphabet) {
    uint64_t number = 0;
    for (uint32_t i = 0; i < length; i++) number = number * alphabet + ids[i];
    return number;
}

static void check_ids(const Case *c, const uint32_t *ids, uint32_t length) {
    assert_in_range(length, 1, LONGEST);
    for (uint32_t i = 0; i < length; i++) assert_true(ids[i] < c->alphabet);
    if (c->first >= 0) assert_int_equal(ids[0], c->first);
}

/* In order and without repetition: the numbers grow within a length, and lengths grow. */
static void check_shorts(const Case *c, Inputs *inputs) {
    uint32_t ids[LONGEST], before = 0;
    uint64_t last = 0;
    for (unsigned k = 0; k < c->shorts; k++) {
        uint32_t length = inputs_next(inputs, ids);
        check_ids(c, ids, length);
        uint64_t number = number_of(ids, length, c->alphabet);
        assert_true(length <= c->complete);
        assert_true(length > before || (length == before && number > last));
        before = length;
        last = number;
    }
}

static void check_longs(const Case *c, Inputs *inputs) {
    uint32_t ids[LONGEST];
    unsigned greatest = 0, draws = 1000;
    for (unsigned k = 0; k < draws; k++) {
        uint32_t length = inputs_next(inputs, ids);
        check_ids(c, ids, length);
        assert_true(length > c->complete);
        greatest += length == LONGEST;
    }
    assert_true(greatest > draws / 5); /* one in four, and some by chance */
}

static void test_inputs(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const Case *c = &cases[k];
        Budget budget;
        budget_init(&budget, SIZE_MAX);
        Arena *arena = arena_new(&budget);
        Domain domain = {.alphabet_size = c->alphabet,
                         .max_length = LONGEST,
                         .first = c->first,
                         .where = NODE_NONE};
        InputPlan plan = {.exhaustive_limit = c->limit, .count = c->count, .seed = 3};
        Inputs *inputs = inputs_new(&domain, plan, arena);
        assert_int_equal(inputs_complete_length(inputs), c->complete);
        check_shorts(c, inputs);
        uint32_t ids[LONGEST];
        if (c->complete == LONGEST)
            assert_int_equal(inputs_next(inputs, ids), 0);
        else
            check_longs(c, inputs);
        arena_free(arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_inputs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
