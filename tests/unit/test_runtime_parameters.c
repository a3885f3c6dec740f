/* Weight rules that take a number, against weights worked out by hand, and what they take. */
#include "tests/unit/runtime_head.h"

#include <string.h>

#define E1 2.718281828459045
#define E2 7.38905609893065
/* entmax15 of (0, 1): half scores −½ and 0 below the maximum, (½ + t)² + t² = 1, t = −(1+√7)/4. */
#define ENTMAX_HIGH 0.83071891388307382
#define ENTMAX_LOW  0.16928108611692618

/* Rules that take a number. */
static const struct {
    double parameter;
    Case c;
} numbered[] = {
    {1.5,
     {"entmax at 1.5 is entmax15",
      RT_ENTMAX,
      1,
      RT_MASK_CAUSAL,
      false,
      RT_SCALE_ONE,
      4,
      {9, 0, 1, 5, 5},
      1,
      {0, ENTMAX_LOW, ENTMAX_HIGH, 0, 0}}},
    {2,
     {"entmax at 2 is sparsemax, temperature 2",
      RT_ENTMAX,
      2,
      RT_MASK_CAUSAL,
      true,
      RT_SCALE_ONE,
      4,
      {0, 2, 1, 9, 9},
      1,
      {0, .75, .25, 0, 0}}},
    {3,
     {"entmax at 3: squares differ by twice the scores",
      RT_ENTMAX,
      1,
      RT_MASK_CAUSAL,
      false,
      RT_SCALE_ONE,
      4,
      {9, .25, .5, 5, 5},
      1,
      {0, .25, .75, 0, 0}}},
    {1.25,
     {"entmax at 1.25, four below get nothing",
      RT_ENTMAX,
      1,
      RT_MASK_NONE,
      true,
      RT_SCALE_ONE,
      4,
      {3, -1, 3, -1, 3},
      0,
      {1. / 3, 0, 1. / 3, 0, 1. / 3}}},
    {1000,
     {"entmax far from 1 is averaging over the maxima",
      RT_ENTMAX,
      1,
      RT_MASK_NONE,
      false,
      RT_SCALE_ONE,
      4,
      {9, 2, 3, 2, 3},
      0,
      {0, 0, .5, 0, .5}}},
    {1 + 0x1p-52,
     {"entmax next to 1 is softmax",
      RT_ENTMAX,
      1,
      RT_MASK_CAUSAL,
      false,
      RT_SCALE_ONE,
      4,
      {9, 0, 1, 5, 5},
      1,
      {0, 1 / (1 + E1), E1 / (1 + E1), 0, 0}}},
    {2,
     {"top 2, of equal ones the first",
      RT_TOP_K,
      1,
      RT_MASK_NONE,
      false,
      RT_SCALE_ONE,
      4,
      {9, 0, 1, 1, 1},
      2,
      {0, 0, .5, .5, 0}}},
    {3,
     {"top 3, the sink is one of the keys",
      RT_TOP_K,
      1,
      RT_MASK_NONE,
      true,
      RT_SCALE_ONE,
      4,
      {1, 2, 3, 2, 0},
      0,
      {0, 1 / (2 + E1), E1 / (2 + E1), 1 / (2 + E1), 0}}},
    {1,
     {"top 1, the sink is before its equals",
      RT_TOP_K,
      1,
      RT_MASK_NONE,
      true,
      RT_SCALE_ONE,
      4,
      {3, 0, 3, 1, 3},
      0,
      {1, 0, 0, 0, 0}}},
    {1,
     {"top 1, 0 and -0 are equal",
      RT_TOP_K,
      1,
      RT_MASK_NONE,
      false,
      RT_SCALE_ONE,
      4,
      {9, -0.0, 0, -1, -1},
      0,
      {0, 1, 0, 0, 0}}},
    {2,
     {"top 2, negative scores, temperature ½",
      RT_TOP_K,
      .5,
      RT_MASK_NONE,
      false,
      RT_SCALE_ONE,
      4,
      {9, -3, -1, -2, -4},
      0,
      {0, 0, E2 / (1 + E2), 1 / (1 + E2), 0}}},
    {3,
     {"top 3 of two that are seen",
      RT_TOP_K,
      1,
      RT_MASK_CAUSAL,
      false,
      RT_SCALE_ONE,
      4,
      {9, 0, 1, 5, 5},
      1,
      {0, 1 / (1 + E1), E1 / (1 + E1), 0, 0}}},
    {100,
     {"top 100 is softmax",
      RT_TOP_K,
      1,
      RT_MASK_NONE,
      true,
      RT_SCALE_ONE,
      4,
      {3, 3, 3, 3, 3},
      3,
      {.2, .2, .2, .2, .2}}},
};

static void test_cases(void **state) {
    (void)state;
    for (int dtype = 0; dtype < RT_DTYPE_COUNT; dtype++)
        for (int path = 0; path < RT_PATH_COUNT; path++)
            for (size_t i = 0; i < sizeof numbered / sizeof *numbered; i++)
                check_case(&numbered[i].c, numbered[i].parameter, (RtDtype)dtype, (RtPath)path);
}

/* What each rule takes: numbers on both sides of every bound. */
static void test_parameters(void **state) {
    (void)state;
    static const struct {
        RtRule rule;
        double parameter;
        const char *refused; /* NULL: it is accepted */
    } taken[] = {{RT_SOFTMAX, 0, NULL},
                 {RT_SOFTMAX, 1, "softmax takes no parameter, found 1"},
                 {RT_ENTMAX15, 1.5, "entmax15 takes no parameter, found 1.5"},
                 {RT_ENTMAX, 1, "entmax: expected alpha, a number above 1, found 1"},
                 {RT_ENTMAX, 0, "entmax: expected alpha, a number above 1, found 0"},
                 {RT_ENTMAX, NAN, "entmax: expected alpha, a number above 1, found "},
                 {RT_ENTMAX, INFINITY, "entmax: expected alpha, a number above 1, found inf"},
                 {RT_ENTMAX, 1.0000001, NULL},
                 {RT_ENTMAX, 1e300, NULL},
                 {RT_TOP_K, 0, "top-k: expected k, a whole number of at least 1, found 0"},
                 {RT_TOP_K, 1.5, "top-k: expected k, a whole number of at least 1, found 1.5"},
                 {RT_TOP_K, -1, "top-k: expected k, a whole number of at least 1, found -1"},
                 {RT_TOP_K, NAN, "top-k: expected k, a whole number of at least 1, found "},
                 {RT_TOP_K, INFINITY, "top-k: expected k, a whole number of at least 1, found inf"},
                 {RT_TOP_K, 1, NULL},
                 {RT_TOP_K, 1e300, NULL}};
    Model *model = model_for(&numbered[0].c, RT_F32);
    for (size_t k = 0; k < sizeof taken / sizeof *taken; k++) {
        RtError err = {""};
        RunOptions options = run_options();
        options.rule = taken[k].rule;
        options.parameter = taken[k].parameter;
        Engine *engine = engine_new(model, &options, &err);
        assert_int_equal(engine != NULL, taken[k].refused == NULL);
        if (taken[k].refused)
            assert_memory_equal(err.text, taken[k].refused, strlen(taken[k].refused));
        engine_free(engine);
    }
    model_free(model);
    for (int rule = 0; rule < RT_RULE_COUNT; rule++)
        assert_true(rt_rule_accepts((RtRule)rule, rt_rules[rule].parameter.example));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
