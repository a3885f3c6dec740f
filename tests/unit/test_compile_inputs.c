/* The inputs of `rasp check`: each short one once, then longer ones only, of each shape its share,
 * and each first token where a domain fixes it.  (Once the short ones began again, and no long
 * one was ever tried.) */
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
    {2, 0, 10, 40, 4, 15},    /* the first token of all is a first token too */
    {2, -1, 10, 28, 3, 14},   /* just half */
    {2, -1, 10, 27, 2, 6},    /* one more would be more than half */
    {50, -1, 10, 40, 0, 0},   /* not even the single tokens */
    {2, -1, 254, 40, 7, 254}, /* 2^8 - 2: all of them */
    {2, -1, 253, 40, 3, 14},  /* one too many for that */
    {2, 0, 127, 40, 7, 127},  {1, -1, 10, 40, 7, 7},
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

/* The next input, every token of which must have been written, and nothing behind them. */
static uint32_t next(Inputs *inputs, uint32_t *ids) {
    uint32_t written[LONGEST + 1];
    for (uint32_t i = 0; i <= LONGEST; i++) written[i] = UINT32_MAX;
    uint32_t n = inputs_next(inputs, written);
    assert_int_equal(written[LONGEST], UINT32_MAX);
    for (uint32_t i = 0; i < LONGEST; i++) ids[i] = written[i];
    return n;
}

/* In order and without repetition: the numbers grow within a length, and lengths grow. */
static void check_shorts(const Case *c, Inputs *inputs) {
    uint32_t ids[LONGEST], before = 0;
    uint64_t last = 0;
    for (unsigned k = 0; k < c->shorts; k++) {
        uint32_t length = next(inputs, ids);
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
    unsigned greatest = 0, draws = 1000, of_length[LONGEST + 1] = {0};
    for (unsigned k = 0; k < draws; k++) {
        uint32_t length = next(inputs, ids);
        check_ids(c, ids, length);
        assert_true(length > c->complete);
        of_length[length]++;
        greatest += length == LONGEST;
    }
    assert_true(greatest > draws / 5); /* one in four, and some by chance */
    for (uint32_t n = c->complete + 1; n <= LONGEST; n++) assert_true(of_length[n] > draws / 20);
    assert_true(of_length[LONGEST - 1] < draws / 2 || c->complete >= LONGEST - 2);
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
        assert_int_equal(inputs_exhaustive(inputs), c->complete == LONGEST);
        check_shorts(c, inputs);
        uint32_t ids[LONGEST];
        if (c->complete == LONGEST)
            assert_int_equal(inputs_next(inputs, ids), 0);
        else
            check_longs(c, inputs);
        arena_free(arena);
    }
}

/* --- shapes ------------------------------------------------------------------------------- */

enum { TOKENS = 5 };

static unsigned different(const uint32_t *ids, uint32_t n) {
    unsigned seen = 0;
    for (uint32_t i = 0; i < n; i++) seen |= 1u << ids[i];
    return (unsigned)__builtin_popcount(seen);
}

static bool all_equal(const uint32_t *ids) {
    return different(ids, LONGEST) == 1;
}

static bool all_distinct(const uint32_t *ids) {
    return different(ids, TOKENS) == TOKENS && different(ids + TOKENS, LONGEST - TOKENS) == 2;
}

static bool ascending(const uint32_t *ids) {
    for (uint32_t i = 1; i < LONGEST; i++)
        if (ids[i - 1] > ids[i]) return false;
    return different(ids, LONGEST) > 2;
}

static bool descending(const uint32_t *ids) {
    for (uint32_t i = 1; i < LONGEST; i++)
        if (ids[i - 1] < ids[i]) return false;
    return different(ids, LONGEST) > 2;
}

static bool blocks_of_three(const uint32_t *ids) {
    for (uint32_t i = 1; i < LONGEST; i++)
        if (i % 3 && ids[i] != ids[i - 1]) return false;
    return !all_equal(ids);
}

static bool mirrored(const uint32_t *ids) {
    for (uint32_t i = 0; i < LONGEST; i++)
        if (ids[i] != ids[LONGEST - 1 - i]) return false;
    return different(ids, LONGEST) > 2;
}

/* 0 and 1 are a pair, 2 and 3; the fifth token has no partner. */
static bool mirrored_pairs(const uint32_t *ids) {
    static const uint32_t partner[TOKENS] = {1, 0, 3, 2, 4};
    for (uint32_t i = 0; i < LONGEST / 2; i++)
        if (ids[LONGEST - 1 - i] != partner[ids[i]]) return false;
    return true;
}

static bool one_different(const uint32_t *ids) {
    unsigned count[TOKENS] = {0}, most = 0;
    for (uint32_t i = 0; i < LONGEST; i++) count[ids[i]]++;
    for (uint32_t token = 0; token < TOKENS; token++)
        if (count[token] > most) most = count[token];
    return most == LONGEST - 1;
}

static bool of_period_three(const uint32_t *ids) {
    for (uint32_t i = 3; i < LONGEST; i++)
        if (ids[i] != ids[i - 3]) return false;
    return !all_equal(ids);
}

static bool two_tokens(const uint32_t *ids) {
    return different(ids, LONGEST) == 2;
}

static bool four_tokens(const uint32_t *ids) {
    return different(ids, LONGEST) >= 4;
}

/* Percent of the inputs of greatest length: a shape is one of twelve in its turn, 8.3, times the
 * chance of the property where the shape alone does not give it; two shapes add up. */
static const struct {
    const char *name;
    bool (*holds)(const uint32_t *ids);
    double percent;
} shapes[] = {
    {"all equal", all_equal, 8.3 + 8.3 / TOKENS}, /* one different, as it happens the same */
    {"all different", all_distinct, 8.3},
    {"ascending", ascending, 8.3 * 0.98}, /* of more than two tokens, and so below */
    {"descending", descending, 8.3 * 0.98},
    {"blocks of three", blocks_of_three, 8.3 / LONGEST * 24 / 25},
    {"mirrored", mirrored, 8.3 * 480 / 625},
    {"mirrored pairs", mirrored_pairs, 8.3},
    {"one different", one_different, 8.3 * 4 / TOKENS},
    {"of period three", of_period_three, 8.3 / LONGEST * 24 / 25},
    {"of two tokens", two_tokens, 8.3 * 4 / TOKENS + 8.3 * 4 / TOKENS},
    {"of four or more", four_tokens, 8.3 + 2 * 8.3 / 2},
};

/* Among inputs of no shape a property is rare, so a quarter less than expected means that its
 * shape is not drawn. */
static void test_shapes(void **state) {
    (void)state;
    enum { SHAPES = sizeof shapes / sizeof *shapes };
    Budget budget;
    budget_init(&budget, SIZE_MAX);
    Arena *arena = arena_new(&budget);
    Domain domain = {
        .alphabet_size = TOKENS, .max_length = LONGEST, .first = -1, .where = NODE_NONE};
    Inputs *inputs = inputs_new(&domain, (InputPlan){.seed = 5}, arena);
    unsigned count[SHAPES] = {0}, at[LONGEST][TOKENS] = {{0}}, total = 0;
    while (total < 3000) {
        uint32_t ids[LONGEST], n = next(inputs, ids);
        for (uint32_t i = 0; i < n; i++) assert_true(ids[i] < TOKENS);
        if (n < LONGEST) continue;
        total++;
        for (size_t k = 0; k < SHAPES; k++) count[k] += shapes[k].holds(ids);
        for (uint32_t i = 0; i < n; i++) at[i][ids[i]]++;
    }
    for (size_t k = 0; k < SHAPES; k++)
        if (count[k] < total * shapes[k].percent / 100 * 0.75)
            fail_msg("%s: %u of %u, expected about %.1f %%", shapes[k].name, count[k], total,
                     shapes[k].percent);
    for (uint32_t i = 0; i < LONGEST; i++) /* every token has its turn at every place */
        for (uint32_t token = 0; token < TOKENS; token++) assert_true(at[i][token] > total / 10);
    arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_inputs),
                                       cmocka_unit_test(test_shapes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
