/* Position biases of heads: what they add, how files hold them, and what is refused. */
#include "tests/unit/runtime_files.h"
#include "tests/unit/runtime_head.h"

/* --- what they add --- */

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

/* --- in files --- */

/* The small model's file with that bias: the document is a string of the header. */
static File with_bias(const char *bias, bool sink) {
    char to[1024] = "\\\"gap\\\":64.0,\\\"bias\\\":", *at = to + strlen(to);
    for (; *bias; bias++) {
        if (*bias == '"') *at++ = '\\';
        *at++ = *bias;
    }
    *at = '\0';
    Model *model = small_model(RT_F32);
    model->layers[0]->heads[0]->sink = sink;
    File plain = saved(model), file = edited(plain, "\\\"gap\\\":64.0", to);
    free(plain.bytes);
    model_free(model);
    return file;
}

static void same_bias(const Model *a, const Model *b) {
    const HeadBias *x = &a->layers[0]->heads[0]->bias, *y = &b->layers[0]->heads[0]->bias;
    assert_true(x->form == y->form && x->from == y->from && x->count == y->count);
    for (size_t k = 0; k < x->count; k++) assert_true(x->values[k] == y->values[k]);
}

/* The four forms as a file has them; beyond an end of a prior its last number goes on. */
static void test_forms(void **state) {
    (void)state;
    static const struct {
        const char *bias;
        double at[5]; /* distances -2 to 2 */
    } forms[] = {
        {"{\"form\":\"alibi\",\"values\":[0.5]}", {-1, -.5, 0, -.5, -1}},
        {"{\"form\":\"window\",\"values\":[2]}", {-INFINITY, 0, 0, 0, -INFINITY}},
        {"{\"form\":\"window\",\"values\":[1e30]}", {0, 0, 0, 0, 0}},
        {"{\"form\":\"t5\",\"values\":[7,8,9,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,"
         "0,0]}",
         {7, 7, 7, 8, 9}},
        {"{\"form\":\"prior\",\"values\":[3,null]}", {3, 3, 3, -INFINITY, -INFINITY}},
        {"{\"form\":\"prior\",\"from\":-1,\"values\":[null,2,-1]}",
         {-INFINITY, -INFINITY, 2, -1, -1}},
    };
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        File file = with_bias(forms[k].bias, true);
        Model *model = loaded(file);
        for (ptrdiff_t d = -2; d <= 2; d++)
            assert_true(rt_bias_at(&model->layers[0]->heads[0]->bias, d) == forms[k].at[d + 2]);
        File again = saved(model);
        Model *back = loaded(again);
        same_bias(model, back);
        free(file.bytes), free(again.bytes);
        model_free(model), model_free(back);
    }
}

static const struct {
    const char *bias, *message;
} refused[] = {
    {"3", "heads[0]: bias: expected an object, found an int"},
    {"{}", "bias: form: expected one of alibi, window, t5, prior, found nothing"},
    {"{\"form\":\"none\",\"values\":[]}",
     "form: expected one of alibi, window, t5, prior, found 'none'"},
    {"{\"form\":\"alibi\"}", "bias: values: expected an array, found nothing"},
    {"{\"form\":\"alibi\",\"values\":[1],\"slope\":2}", "bias: expected no key 'slope'"},
    {"{\"form\":\"alibi\",\"values\":[]}", "bias: expected 1 number for alibi, found 0"},
    {"{\"form\":\"alibi\",\"values\":[1,2]}", "bias: expected 1 number for alibi, found 2"},
    {"{\"form\":\"alibi\",\"values\":[true]}", "values[0]: expected a number or null, found true"},
    {"{\"form\":\"alibi\",\"values\":[null]}",
     "values[0]: expected a number of at most 3.40282e+38 in size, found -inf"},
    {"{\"form\":\"alibi\",\"values\":[1e39]}",
     "values[0]: expected a number of at most 3.40282e+38 in size, found 1e+39"},
    {"{\"form\":\"alibi\",\"values\":[NaN]}", "model: byte"},
    {"{\"form\":\"alibi\",\"values\":[1e999]}", "model: byte"},
    {"{\"form\":\"alibi\",\"values\":[3e38]}",
     "expected a slope that stays below 3.40282e+38 over 2 tokens, found 3e+38"},
    {"{\"form\":\"alibi\",\"from\":-1,\"values\":[1]}", "from: expected none for alibi, found -1"},
    {"{\"form\":\"window\",\"values\":[0]}",
     "expected a window of at least 1 key, a whole number, found 0"},
    {"{\"form\":\"window\",\"values\":[1.5]}",
     "expected a window of at least 1 key, a whole number, found 1.5"},
    {"{\"form\":\"window\",\"values\":[-3]}",
     "expected a window of at least 1 key, a whole number, found -3"},
    {"{\"form\":\"t5\",\"values\":[1,2]}", "expected 32 numbers for t5, found 2"},
    {"{\"form\":\"prior\",\"values\":[]}",
     "expected 1 to 3 numbers, one for each distance, found 0"},
    {"{\"form\":\"prior\",\"values\":[1,2,3,4]}",
     "expected 1 to 3 numbers, one for each distance, found 4"},
    {"{\"form\":\"prior\",\"values\":[0,-1e300]}",
     "values[1]: expected a number of at most 3.40282e+38 in size, found -1e+300"},
    {"{\"form\":\"prior\",\"from\":1,\"values\":[0,1]}",
     "from: expected the distance 0 among the 2 values, found 1"},
    {"{\"form\":\"prior\",\"from\":-2,\"values\":[0,1]}",
     "from: expected the distance 0 among the 2 values, found -2"},
    {"{\"form\":\"prior\",\"from\":-9223372036854775807,\"values\":[0,1]}",
     "from: expected the distance 0 among the 2 values"},
    {"{\"form\":\"prior\",\"from\":-1.0,\"values\":[0,1]}", "from: expected an int, found a float"},
};

static void expect_refused(const char *bias, bool sink, const char *message) {
    RtError err = {"nothing"};
    File file = with_bias(bias, sink);
    Model *model = model_load_bytes(file.bytes, file.size, &err);
    if (model || !strstr(err.text, message))
        fail_msg("%s: expected '%s', found '%s'", bias, message, model ? "no error" : err.text);
    free(file.bytes);
}

static void test_refused(void **state) {
    (void)state;
    static const char closed[] = "{\"form\":\"prior\",\"values\":[null]}";
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++)
        expect_refused(refused[k].bias, true, refused[k].message);
    expect_refused(closed, false, "a query that does not see itself may see no key at all");
    File file = with_bias(closed, true); /* the sink is always seen */
    model_free(loaded(file));
    free(file.bytes);
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
            Model *model = small_model((RtDtype)dtype);
            RtError err = {""};
            assert_true(head_set_bias(model->layers[0]->heads[0], bad[k].form, 0,
                                      numbers + bad[k].first, bad[k].count));
            assert_false(model_check(model, &err));
            if (!strstr(err.text, bad[k].text)) fail_msg("%zu: %s", k, err.text);
            assert_memory_equal(err.text, "layers.0: heads.0: bias: ", 25);
            model_free(model);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prior),      cmocka_unit_test(test_buckets),
        cmocka_unit_test(test_forms),      cmocka_unit_test(test_refused),
        cmocka_unit_test(test_bad_biases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
