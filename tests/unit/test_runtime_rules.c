/* The weight rules, masks, sink and scale on one head whose weights can be read off, against
 * weights worked out by hand from docs/weights.md. */
#include "runtime/forward.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

enum { LENGTH = 4, ROWS = LENGTH + 1, SCORE = 0, ONE = 1, HERE = 2, READ = HERE + ROWS };

typedef struct {
    const char *what;
    RtRule rule;
    double temperature;
    RtMask mask;
    bool sink;
    RtScale scale;
    double gap;
    double scores[ROWS]; /* of the sink, then of the four positions, for every query */
    size_t query;        /* index */
    double weights[ROWS];
} Case;

#define LN5 1.6094379124341003 /* ln(n + 1) for n = 4 */
#define E1  2.718281828459045
#define E2  7.38905609893065

/* entmax15 of (0, 1): half scores −½ and 0 below the maximum, (½ + t)² + t² = 1, t = −(1+√7)/4. */
#define ENTMAX_HIGH 0.83071891388307382
#define ENTMAX_LOW  0.16928108611692618

static const Case cases[] = {
    {"softmax, equal scores",
     RT_SOFTMAX,
     1,
     RT_MASK_NONE,
     false,
     RT_SCALE_ONE,
     4,
     {9, 3, 3, 3, 3},
     0,
     {0, .25, .25, .25, .25}},
    {"softmax, the sink counts",
     RT_SOFTMAX,
     1,
     RT_MASK_NONE,
     true,
     RT_SCALE_ONE,
     4,
     {3, 3, 3, 3, 3},
     3,
     {.2, .2, .2, .2, .2}},
    {"softmax, e to one",
     RT_SOFTMAX,
     1,
     RT_MASK_CAUSAL,
     false,
     RT_SCALE_ONE,
     4,
     {9, 0, 1, 5, 5},
     1,
     {0, 1 / (1 + E1), E1 / (1 + E1), 0, 0}},
    {"softmax, temperature ½",
     RT_SOFTMAX,
     .5,
     RT_MASK_CAUSAL,
     false,
     RT_SCALE_ONE,
     4,
     {9, 0, 1, 5, 5},
     1,
     {0, 1 / (1 + E2), E2 / (1 + E2), 0, 0}},
    {"softmax, ln(n+1): 5 to one",
     RT_SOFTMAX,
     1,
     RT_MASK_CAUSAL,
     false,
     RT_SCALE_LOG_LENGTH,
     4,
     {9, 0, 1, 7, 7},
     1,
     {0, 1. / 6, 5. / 6, 0, 0}},
    {"softmax, scale and temperature",
     RT_SOFTMAX,
     .5,
     RT_MASK_CAUSAL,
     false,
     RT_SCALE_LOG_LENGTH,
     4,
     {9, 0, 1, 7, 7},
     1,
     {0, 1. / 26, 25. / 26, 0, 0}},
    {"softmax, far apart",
     RT_SOFTMAX,
     1,
     RT_MASK_NONE,
     true,
     RT_SCALE_ONE,
     4,
     {0, 1e5, -1e5, 0, 0},
     2,
     {0, 1, 0, 0, 0}},
    {"softmax, small weights stay",
     RT_SOFTMAX,
     1,
     RT_MASK_CAUSAL,
     false,
     RT_SCALE_ONE,
     4,
     {9, 0, -50, 7, 7},
     1,
     {0, 1, 1.9287498479639178e-22, 0, 0}},
    {"causal sees itself",
     RT_SOFTMAX,
     1,
     RT_MASK_CAUSAL,
     false,
     RT_SCALE_ONE,
     4,
     {2, 2, 2, 2, 2},
     2,
     {0, 1. / 3, 1. / 3, 1. / 3, 0}},
    {"strict causal does not",
     RT_SOFTMAX,
     1,
     RT_MASK_STRICT_CAUSAL,
     true,
     RT_SCALE_ONE,
     4,
     {2, 2, 2, 2, 2},
     2,
     {1. / 3, 1. / 3, 1. / 3, 0, 0}},
    {"strict causal at the start: the sink alone",
     RT_SOFTMAX,
     1,
     RT_MASK_STRICT_CAUSAL,
     true,
     RT_SCALE_ONE,
     4,
     {-50, 2, 2, 2, 2},
     0,
     {1, 0, 0, 0, 0}},
    {"anticausal",
     RT_SOFTMAX,
     1,
     RT_MASK_ANTICAUSAL,
     false,
     RT_SCALE_ONE,
     4,
     {2, 2, 2, 2, 2},
     2,
     {0, 0, 0, .5, .5}},
    {"strict anticausal with the sink",
     RT_SOFTMAX,
     1,
     RT_MASK_STRICT_ANTICAUSAL,
     true,
     RT_SCALE_ONE,
     4,
     {2, 2, 2, 2, 2},
     1,
     {1. / 3, 0, 0, 1. / 3, 1. / 3}},
    {"strict anticausal at the end: the sink alone",
     RT_SOFTMAX,
     1,
     RT_MASK_STRICT_ANTICAUSAL,
     true,
     RT_SCALE_ONE,
     4,
     {-50, 2, 2, 2, 2},
     3,
     {1, 0, 0, 0, 0}},
    {"hard-left takes the first of the selected",
     RT_HARD_LEFT,
     1,
     RT_MASK_NONE,
     false,
     RT_SCALE_ONE,
     4,
     {9, 0, 3, 1, 3},
     0,
     {0, 0, 1, 0, 0}},
    {"hard-left within a quarter of the gap",
     RT_HARD_LEFT,
     1,
     RT_MASK_NONE,
     false,
     RT_SCALE_ONE,
     4,
     {9, 2, 3, 1, 3},
     0,
     {0, 1, 0, 0, 0}},
    {"hard-left, the sink comes first",
     RT_HARD_LEFT,
     1,
     RT_MASK_NONE,
     true,
     RT_SCALE_ONE,
     4,
     {3, 0, 3, 1, 3},
     0,
     {1, 0, 0, 0, 0}},
    {"hard-right takes the last",
     RT_HARD_RIGHT,
     1,
     RT_MASK_NONE,
     true,
     RT_SCALE_ONE,
     4,
     {3, 0, 3, 3, 1},
     0,
     {0, 0, 0, 1, 0}},
    {"hard-right within a quarter of the gap",
     RT_HARD_RIGHT,
     1,
     RT_MASK_NONE,
     false,
     RT_SCALE_ONE,
     4,
     {9, 3, 2.5, 1, 0},
     0,
     {0, 0, 1, 0, 0}},
    {"hard-right under a mask",
     RT_HARD_RIGHT,
     1,
     RT_MASK_CAUSAL,
     true,
     RT_SCALE_ONE,
     4,
     {3, 3, 3, 3, 3},
     1,
     {0, 0, 1, 0, 0}},
    {"hard-right, the sink alone",
     RT_HARD_RIGHT,
     1,
     RT_MASK_NONE,
     true,
     RT_SCALE_ONE,
     4,
     {3, 0, 0, 1, 1},
     1,
     {1, 0, 0, 0, 0}},
    {"average over the maxima",
     RT_AVERAGE,
     1,
     RT_MASK_NONE,
     false,
     RT_SCALE_ONE,
     4,
     {9, 0, 3, 3, 1},
     0,
     {0, 0, .5, .5, 0}},
    {"average includes what is within the window",
     RT_AVERAGE,
     1,
     RT_MASK_NONE,
     true,
     RT_SCALE_ONE,
     4,
     {2, 1.875, 3, 2.5, 2},
     0,
     {.25, 0, .25, .25, .25}},
    {"average, the window is scaled",
     RT_AVERAGE,
     1,
     RT_MASK_NONE,
     false,
     RT_SCALE_LOG_LENGTH,
     4,
     {9, 2.1, 3, 1.9, 1},
     0,
     {0, .5, .5, 0, 0}},
    {"average has no temperature",
     RT_AVERAGE,
     100,
     RT_MASK_NONE,
     false,
     RT_SCALE_ONE,
     4,
     {9, 0, 3, 3, 1},
     0,
     {0, 0, .5, .5, 0}},
    {"average, anticausal with a hole before the sink",
     RT_AVERAGE,
     1,
     RT_MASK_ANTICAUSAL,
     true,
     RT_SCALE_ONE,
     4,
     {3, 9, 9, 3, 3},
     2,
     {1. / 3, 0, 0, 1. / 3, 1. / 3}},
    {"sparsemax, two keys share",
     RT_SPARSEMAX,
     1,
     RT_MASK_CAUSAL,
     false,
     RT_SCALE_ONE,
     4,
     {9, .25, .75, 5, 5},
     1,
     {0, .25, .75, 0, 0}},
    {"sparsemax, a whole unit below gets nothing",
     RT_SPARSEMAX,
     1,
     RT_MASK_NONE,
     false,
     RT_SCALE_ONE,
     4,
     {9, 2, 3, 2, 3},
     0,
     {0, 0, .5, 0, .5}},
    {"sparsemax, temperature 2",
     RT_SPARSEMAX,
     2,
     RT_MASK_CAUSAL,
     true,
     RT_SCALE_ONE,
     4,
     {0, 2, 1, 9, 9},
     1,
     {0, .75, .25, 0, 0}},
    {"sparsemax, far apart",
     RT_SPARSEMAX,
     1,
     RT_MASK_NONE,
     true,
     RT_SCALE_ONE,
     4,
     {0, 1e5, -1e5, 0, 0},
     2,
     {0, 1, 0, 0, 0}},
    {"entmax15, two keys share",
     RT_ENTMAX15,
     1,
     RT_MASK_CAUSAL,
     false,
     RT_SCALE_ONE,
     4,
     {9, 0, 1, 5, 5},
     1,
     {0, ENTMAX_LOW, ENTMAX_HIGH, 0, 0}},
    {"entmax15, temperature ½",
     RT_ENTMAX15,
     .5,
     RT_MASK_CAUSAL,
     false,
     RT_SCALE_ONE,
     4,
     {9, 0, .5, 5, 5},
     1,
     {0, ENTMAX_LOW, ENTMAX_HIGH, 0, 0}},
    {"entmax15, two units below get nothing",
     RT_ENTMAX15,
     1,
     RT_MASK_NONE,
     true,
     RT_SCALE_ONE,
     4,
     {3, 1, 3, 1, 3},
     0,
     {1. / 3, 0, 1. / 3, 0, 1. / 3}},
};

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

/* Token k scores scores[1 + k]; every row says where it is; the head copies that to READ. */
static Model *model_for(const Case *c, RtDtype dtype) {
    RtAtom alphabet[] = {rt_int(0), rt_int(1), rt_int(2), rt_int(3)}, places[ROWS];
    Model *model = model_new(dtype, RT_INT, alphabet, LENGTH, LENGTH, READ + ROWS);
    ModelHead *head = layer_add_head(model_add_layer(model), 1, ROWS);
    tensor_set(&head->query, ONE, 0, 1);
    tensor_set(&head->key, SCORE, 0, 1);
    for (size_t i = 0; i < ROWS; i++) {
        places[i] = rt_int((int64_t)i);
        tensor_set(&model->tokens, i, SCORE, c->scores[i]);
        tensor_set(&model->tokens, i, ONE, 1);
        tensor_set(&model->positions, i, HERE + i, 1);
        tensor_set(&head->value, HERE + i, i, 1);
        tensor_set(&head->output, i, READ + i, 1);
    }
    head->mask = c->mask;
    head->sink = c->sink;
    head->scale = c->scale;
    head->gap = c->gap;
    model_add_output(model, "weights", RT_DECODE_ARGMAX, READ, places, ROWS);
    return model;
}

static void check(const Case *c, double parameter, RtDtype dtype, RtPath path) {
    RunOptions options = run_options();
    options.rule = c->rule;
    options.parameter = parameter;
    options.temperature = c->temperature;
    options.path = path;
    options.keep_raw = true;
    options.key_tile = path == RT_PATH_SPARSE ? 1 : 0;
    Model *model = model_for(c, dtype);
    RtError err = {""};
    RunResult result;
    const size_t ids[] = {0, 1, 2, 3};
    Engine *engine = engine_new(model, &options, &err);
    if (!engine || !engine_run(engine, ids, LENGTH, &result, &err))
        fail_msg("%s: %s", c->what, err.text);
    for (size_t i = 0; i < ROWS; i++) {
        double found = result.raw[c->query * ROWS + i];
        /* Relative: what is not seen has weight 0, and small weights are not dropped. */
        if (fabs(found - c->weights[i]) > (dtype == RT_F32 ? 1e-5 : 1e-14) * c->weights[i])
            fail_msg("%s: weight of row %zu: expected %.17g, found %.17g", c->what, i,
                     c->weights[i], found);
    }
    run_result_clear(&result);
    engine_free(engine);
    model_free(model);
}

static void test_cases(void **state) {
    (void)state;
    for (int dtype = 0; dtype < RT_DTYPE_COUNT; dtype++)
        for (int path = 0; path < RT_PATH_COUNT; path++) {
            for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
                check(&cases[i], 0, (RtDtype)dtype, (RtPath)path);
            for (size_t i = 0; i < sizeof numbered / sizeof *numbered; i++)
                check(&numbered[i].c, numbered[i].parameter, (RtDtype)dtype, (RtPath)path);
        }
}

/* The sink's own row sees itself alone, so what a second layer reads there is known. */
static void test_sink_row(void **state) {
    (void)state;
    Case c = {.rule = RT_SOFTMAX,
              .temperature = 1,
              .mask = RT_MASK_STRICT_CAUSAL,
              .sink = true,
              .gap = 4,
              .scores = {5, 0, 0, 0, 0}};
    Model *model = model_for(&c, RT_F64);
    RtAtom places[] = {rt_int(0), rt_int(1)};
    /* The second head looks at the sink only (score 5 − 0, gap large) and copies READ + 0. */
    ModelHead *head = layer_add_head(model_add_layer(model), 1, 1);
    tensor_set(&head->query, ONE, 0, 1000);
    tensor_set(&head->key, SCORE, 0, 1);
    tensor_set(&head->value, READ, 0, 1);
    tensor_set(&head->output, 0, HERE, 10);
    model_add_output(model, "seen", RT_DECODE_ARGMAX, HERE, places, 2);
    RunOptions options = run_options();
    options.keep_raw = true;
    Engine *engine = engine_new(model, &options, NULL);
    RunResult result;
    const size_t ids[] = {0, 1, 2, 3};
    assert_true(engine_run(engine, ids, LENGTH, &result, NULL));
    /* In the first layer the sink gave itself weight 1, so READ + 0 is 1 in its row. */
    for (size_t j = 0; j < LENGTH; j++) assert_true(result.raw[j * result.raw_size + ROWS] == 10);
    run_result_clear(&result);
    engine_free(engine);
    model_free(model);
}

/* A prior of ½ for each step back: all scores equal, so weights are those of the prior; of the
 * sink, which has none, that of the query's own position. */
static void check_prior(bool sink, RtDtype dtype, const double *expected) {
    Case c = {.mask = RT_MASK_CAUSAL, .sink = sink, .gap = 4, .scores = {3, 3, 3, 3, 3}};
    Model *model = model_for(&c, dtype);
    RunOptions options = run_options();
    options.temperature = 5; /* of scores alone */
    head_set_bias(model->layers[0]->heads[0], RT_BIAS_ALIBI, 0, (double[]){log(2)}, 1);
    options.keep_raw = true;
    Engine *engine = engine_new(model, &options, NULL);
    const size_t ids[] = {0, 1, 2, 3};
    RunResult result;
    assert_true(engine_run(engine, ids, LENGTH, &result, NULL));
    for (size_t i = 0; i < ROWS; i++)
        assert_true(fabs(result.raw[2 * ROWS + i] - expected[i]) <
                    (dtype == RT_F32 ? 1e-6 : 1e-15));
    run_result_clear(&result);
    engine_free(engine);
    model_free(model);
}

static void test_prior(void **state) {
    (void)state;
    static const double expected[2][ROWS] = {{0, 1. / 7, 2. / 7, 4. / 7, 0},
                                             {4. / 11, 1. / 11, 2. / 11, 4. / 11, 0}};
    for (int sink = 0; sink < 2; sink++)
        for (int dtype = 0; dtype < RT_DTYPE_COUNT; dtype++)
            check_prior(sink, (RtDtype)dtype, expected[sink]);
}

/* The bucket of a distance t from 16 on is 15 and the number of k ≥ 0 with 16 · 8^(k/16) ≤ t, at
 * most 31: t^16 against 16^16 · 8^k. */
static void test_buckets(void **state) {
    (void)state;
    double number[32];
    for (size_t k = 0; k < 32; k++) number[k] = (double)k;
    HeadBias t5 = {RT_BIAS_T5, 0, 32, number};
    for (ptrdiff_t t = -100; t < 1000; t++) {
        int expected = t < 0 ? 0 : t < 16 ? (int)t : 15;
        for (int k = 0; t >= 16 && k < 16; k++)
            expected += powl((long double)t, 16) >= ldexpl(1, 64 + 3 * k);
        assert_true(rt_bias_at(&t5, t) == expected);
    }
}

/* Heads that no file could hold. */
static void test_bad_biases(void **state) {
    (void)state;
    static const double numbers[] = {1, NAN, INFINITY, -INFINITY};
    static const struct {
        RtBiasForm form;
        size_t first, count;
        const char *text;
    } bad[] = {{RT_BIAS_COUNT, 0, 1, "no such form"},
               {(RtBiasForm)-1, 0, 1, "no such form"},
               {RT_BIAS_NONE, 0, 1, "expected a form for 1 numbers"},
               {RT_BIAS_ALIBI, 1, 1, "values[0]: expected a number of at most"},
               {RT_BIAS_ALIBI, 2, 1, "values[0]: expected a number of at most"},
               {RT_BIAS_WINDOW, 2, 1, "values[0]: expected a number of at most"},
               {RT_BIAS_PRIOR, 0, 2, "values[1]: expected a number of at most"},
               {RT_BIAS_PRIOR, 2, 1, "values[0]: expected a number of at most"}};
    for (int dtype = 0; dtype < RT_DTYPE_COUNT; dtype++)
        for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
            Model *model = model_for(&cases[0], (RtDtype)dtype);
            RtError err = {""};
            assert_true(head_set_bias(model->layers[0]->heads[0], bad[k].form, 0,
                                      numbers + bad[k].first, bad[k].count));
            assert_false(model_check(model, &err));
            if (!strstr(err.text, bad[k].text)) fail_msg("%zu: %s", k, err.text);
            assert_memory_equal(err.text, "layers.0: heads.0: bias: ", 25);
            model_free(model);
        }
}

static void test_names(void **state) {
    (void)state;
    static const char *const names[] = {"softmax",   "hard-left", "hard-right", "average",
                                        "sparsemax", "entmax15",  "entmax",     "top-k"};
    assert_int_equal(RT_RULE_COUNT, 8);
    for (int i = 0; i < RT_RULE_COUNT; i++) {
        assert_string_equal(rt_rules[i].name, names[i]);
        assert_true(strlen(rt_rules[i].summary) > 10);
    }
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
    Model *model = model_for(&cases[0], RT_F32);
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
        cmocka_unit_test(test_cases),      cmocka_unit_test(test_sink_row),
        cmocka_unit_test(test_prior),      cmocka_unit_test(test_names),
        cmocka_unit_test(test_parameters), cmocka_unit_test(test_buckets),
        cmocka_unit_test(test_bad_biases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
