/* The forward pass against the reference loops: random models, every type, path, kernel set and
 * tile size; each output's decoding against its definition. */
#include "runtime/forward.h"
#include "runtime/reference.h"
#include "tests/unit/runtime_models.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

/* Of the residual stream, relative to its largest value (at least 1). */
static double tolerance(const Model *model) {
    return model->dtype == RT_F32 ? 1e-4 : 1e-11;
}

static double largest(const double *h, size_t n) {
    double most = 1;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(h[i]));
    return most;
}

/* The margin's definition, from the values read. */
static double margin(const ModelOutput *output, const double *x, ptrdiff_t index) {
    double least = INFINITY;
    if (output->decode == RT_DECODE_WHOLE) return 0.5 - fabs(*x - (double)output_whole(output, *x));
    for (size_t k = 0; index >= 0 && k < output->value_count; k++) {
        const RtAtom *value = &output->values[k], *chosen = &output->values[index];
        if (rt_atom_compare(value, chosen) == 0) continue;
        double v = rt_atom_number(value), c = rt_atom_number(chosen);
        double m =
            output->decode == RT_DECODE_ARGMAX ? x[index] - x[k] : fabs(v - c) / 2 - fabs(*x - c);
        least = fmin(least, m);
    }
    return least;
}

/* Compares one output at one position; `raw` are the values read, `h` the reference's row. */
static void compare_reading(const Model *model, const ModelOutput *output, const Reading *reading,
                            const double *raw, const double *h, double allowed) {
    size_t dims = output->decode == RT_DECODE_ARGMAX ? output->value_count : 1;
    for (size_t k = 0; k < dims; k++) {
        if (!(fabs(raw[k] - h[output->start + k]) <= allowed))
            fail_msg("%s: dimension %zu: expected %.17g, found %.17g, allowed %g", output->name,
                     output->start + k, h[output->start + k], raw[k], allowed);
    }
    (void)model;
    double row[256];
    memcpy(row + output->start, raw, dims * sizeof *raw);
    assert_int_equal(reading->index, reference_decode(output, row));
    assert_true(reading->number == raw[output->decode == RT_DECODE_ARGMAX ? reading->index : 0]);
    double expected = margin(output, raw, reading->index);
    assert_true(reading->margin == expected || fabs(reading->margin - expected) < 1e-12);
}

static void compare(const Model *model, const RunOptions *options, const size_t *ids, size_t n) {
    RtError err = {""};
    ReferenceOptions how = {.rule = options->rule,
                            .parameter = options->parameter,
                            .temperature = options->temperature};
    double *h = reference_run(model, &how, ids, n, &err);
    RunOptions raw_options = *options;
    raw_options.keep_raw = true;
    Engine *engine = engine_new(model, &raw_options, &err);
    RunResult result;
    if (!h || !engine || !engine_run(engine, ids, n, &result, &err)) fail_msg("%s", err.text);
    double allowed = tolerance(model) * largest(h, (n + 1) * model->width);
    for (size_t j = 0; j < n; j++) {
        const double *raw = result.raw + j * result.raw_size;
        for (size_t o = 0; o < model->output_count; o++) {
            const ModelOutput *output = model->outputs[o];
            compare_reading(model, output, run_reading(&result, o, j), raw,
                            h + (j + 1) * model->width, allowed);
            raw += output->decode == RT_DECODE_ARGMAX ? output->value_count : 1;
        }
    }
    run_result_clear(&result);
    engine_free(engine);
    free(h);
}

static void compare_random(Random *random, const ModelShape *shape, const RunOptions *options,
                           size_t n) {
    Model *model = random_model(random, shape);
    RtError err;
    if (!model_check(model, &err)) fail_msg("%s", err.text);
    size_t *ids = random_ids(random, model, n);
    compare(model, options, ids, n);
    free(ids);
    model_free(model);
}

static ModelShape random_shape(Random *random, RtDtype dtype, size_t length) {
    return (ModelShape){.dtype = dtype,
                        .alphabet = 1 + random_below(random, 6),
                        .length = length,
                        .width = 1 + random_below(random, 40),
                        .layers = random_below(random, 4),
                        .heads = 3,
                        .mlps = 2,
                        .head_size = 1 + random_below(random, 24),
                        .density = random_below(random, 2) ? 0.2 : 1,
                        .classes = random_below(random, 2)};
}

/* Every path and kernel set at random lengths, 1 and N among them. */
static void test_softmax(void **state) {
    (void)state;
    Random random = {1};
    for (size_t round = 0; round < 240; round++) {
        ModelShape shape =
            random_shape(&random, (RtDtype)(round % 2), 1 + random_below(&random, 40));
        RunOptions options = run_options();
        options.path = (RtPath)(round % RT_PATH_COUNT);
        options.threads = 1 + (int)(round % 3);
        if (round % 4 == 3) options.temperature = 0.25 + fabs(random_unit(&random));
        size_t lengths[] = {1, shape.length, 1 + random_below(&random, shape.length)};
        compare_random(&random, &shape, &options, lengths[round % 3]);
    }
}

static void test_kernel_sets(void **state) {
    (void)state;
    for (const char *const *name = rt_kernel_names; *name; name++) {
        Random random = {2};
        for (size_t round = 0; round < 60; round++) {
            ModelShape shape = random_shape(&random, (RtDtype)(round % 2), 90);
            RunOptions options = run_options();
            options.kernels = *name;
            options.path = round % 3 ? RT_PATH_SPARSE : RT_PATH_DENSE;
            Model *model = random_model(&random, &shape);
            RtError err;
            Engine *engine = engine_new(model, &options, &err);
            model_free(model);
            if (!engine) break; /* not on this processor */
            assert_string_equal(engine_info(engine).kernels, *name);
            engine_free(engine);
            compare_random(&random, &shape, &options, 1 + random_below(&random, 90));
        }
    }
}

/* Tiles of any size give the same: running maxima, masks cut anywhere. */
static void test_tile_sizes(void **state) {
    (void)state;
    static const size_t sizes[] = {1, 2, 3, 7, 16, 33, 64, 100, 1000};
    Random random = {3};
    for (size_t i = 0; i < 81; i++) {
        ModelShape shape = random_shape(&random, (RtDtype)(i % 2), 150);
        RunOptions options = run_options();
        options.path =
            i % 4 < 2 ? RT_PATH_DENSE : RT_PATH_AUTO; /* no merging; wide ones in strips */
        options.query_tile = sizes[i % 9];
        options.key_tile = sizes[i / 9];
        compare_random(&random, &shape, &options, 100 + random_below(&random, 51));
    }
}

/* Few different keys at lengths where they are merged, under each rule that allows it. */
static void test_merging(void **state) {
    (void)state;
    Random random = {4};
    for (size_t i = 0; i < 80; i++) {
        ModelShape shape = random_shape(&random, (RtDtype)(i % 2), 200);
        shape.classes = true;
        shape.layers = 1;
        shape.whole = true;
        shape.width = 1 + random_below(&random, 8);
        RunOptions options = run_options();
        options.rule = i % 4 < 2 ? RT_SOFTMAX : RT_AVERAGE;
        compare_random(&random, &shape, &options, 64 + random_below(&random, 137));
    }
}

/* A number for a rule that takes one: small and large, so that it matters and does not. */
static double some_parameter(Random *random, RtRule rule) {
    static const double alphas[] = {1.05, 1.3, 1.5, 2, 2.7, 6};
    if (rule == RT_ENTMAX) return alphas[random_below(random, 6)];
    return rule == RT_TOP_K ? 1 + (double)random_below(random, 90) : 0;
}

/* Whole numbers: scores are exact in both types and ties are frequent. One layer, since averages
 * are no longer whole. */
static void test_hard_rules(void **state) {
    (void)state;
    Random random = {5};
    for (size_t i = 0; i < 240; i++) {
        ModelShape shape = random_shape(&random, (RtDtype)(i % 2), 80);
        shape.whole = true;
        shape.layers = 1;
        RunOptions options = run_options();
        options.rule = (RtRule)(i % RT_RULE_COUNT);
        options.parameter = some_parameter(&random, options.rule);
        options.path = (RtPath)(i / RT_RULE_COUNT % RT_PATH_COUNT);
        options.query_tile = 1 + random_below(&random, 40);
        options.temperature = 3; /* softmax alone has one */
        compare_random(&random, &shape, &options, 1 + random_below(&random, 80));
    }
}

/* Heads of every form of bias beside those without, under each rule and mask, in tiles. */
static void test_biases(void **state) {
    (void)state;
    Random random = {9};
    for (size_t i = 0; i < 240; i++) {
        ModelShape shape = random_shape(&random, (RtDtype)(i % 2), 80);
        shape.biased = true;
        RunOptions options = run_options();
        options.rule = (RtRule)(i % RT_RULE_COUNT);
        if (options.rule != RT_SOFTMAX) shape.whole = true, shape.layers = 1;
        options.parameter = some_parameter(&random, options.rule);
        options.path = (RtPath)(i / RT_RULE_COUNT % RT_PATH_COUNT);
        options.query_tile = 1 + random_below(&random, 40);
        options.key_tile = 1 + random_below(&random, 40);
        options.temperature = 3;
        compare_random(&random, &shape, &options, 1 + random_below(&random, 80));
    }
}

/* Longer inputs, several blocks and tiles, threads sharing them. */
static void test_long(void **state) {
    (void)state;
    Random random = {6};
    for (size_t i = 0; i < 8; i++) {
        ModelShape shape = {.dtype = (RtDtype)(i % 2),
                            .alphabet = 5,
                            .length = 1500,
                            .width = 24,
                            .layers = 2,
                            .heads = 2,
                            .mlps = 1,
                            .head_size = 20,
                            .density = i % 4 < 2 ? 0.1 : 1,
                            .classes = i < 4};
        RunOptions options = run_options();
        options.threads = 2;
        compare_random(&random, &shape, &options, 700 + random_below(&random, 800));
    }
}

/* The number of threads changes nothing, not even a bit. */
static void test_threads_agree(void **state) {
    (void)state;
    Random random = {7};
    ModelShape shape = {RT_F32, 5, 600, 40, 3, 3, 2, 20, 0.3, false, false, false, false};
    Model *model = random_model(&random, &shape);
    size_t *ids = random_ids(&random, model, 600);
    RunResult results[2];
    for (int threads = 1; threads <= 2; threads++) {
        RunOptions options = run_options();
        options.threads = threads;
        options.keep_raw = true;
        options.path = RT_PATH_SPARSE;
        Engine *engine = engine_new(model, &options, NULL);
        assert_true(engine_run(engine, ids, 600, &results[threads - 1], NULL));
        engine_free(engine);
    }
    assert_memory_equal(results[0].raw, results[1].raw, 600 * results[0].raw_size * sizeof(double));
    run_result_clear(&results[0]);
    run_result_clear(&results[1]);
    free(ids);
    model_free(model);
}

/* ---- errors ---- */

static Model *small_model(RtDtype dtype) {
    Random random = {8};
    ModelShape shape = {dtype, 3, 5, 4, 1, 1, 1, 2, 1, false, false, false, false};
    return random_model(&random, &shape);
}

static void test_bad_inputs(void **state) {
    (void)state;
    Model *model = small_model(RT_F32);
    RtError err;
    RunOptions options = run_options();
    Engine *engine = engine_new(model, &options, &err);
    RunResult result;
    size_t ids[] = {0, 1, 2, 0, 1, 3};
    assert_false(engine_run(engine, ids, 0, &result, &err));
    assert_string_equal(err.text, "expected at least one token, found an empty input");
    assert_false(engine_run(engine, ids, 6, &result, &err));
    assert_string_equal(err.text, "expected at most 5 tokens, the model's maximum length, found 6");
    assert_false(engine_run(engine, ids + 4, 2, &result, &err));
    assert_string_equal(err.text, "position 1: expected a token id below 3, found 3");
    ReferenceOptions how = {.rule = options.rule, .temperature = 1};
    assert_null(reference_run(model, &how, ids + 4, 2, &err));
    assert_string_equal(err.text, "token 1: no such id: 3");
    size_t id;
    RtAtom t1 = rt_string("t1", 2), missing = rt_string("x\0y", 3), number = rt_float(1);
    assert_true(rt_token_id(engine, &t1, &id, &err));
    assert_int_equal(id, 1);
    assert_false(rt_token_id(engine, &missing, &id, &err));
    assert_false(rt_token_id(engine, &number, &id, &err));
    assert_string_equal(err.text, "token 1.0 (float) is not in the model's alphabet of 3 strings: "
                                  "\"t0\", \"t1\", \"t2\"");
    engine_free(engine);
    model_free(model);
}

static void test_bad_options(void **state) {
    (void)state;
    Model *model = small_model(RT_F32);
    RtError err;
    RunOptions options = run_options();
    options.temperature = 0;
    assert_null(engine_new(model, &options, &err));
    assert_string_equal(err.text, "expected a positive temperature, found 0");
    options = run_options();
    options.kernels = "abacus";
    assert_null(engine_new(model, &options, &err));
    assert_string_equal(err.text, "this processor has no kernels 'abacus'");
    options = run_options();
    options.rule = RT_RULE_COUNT;
    assert_null(engine_new(model, &options, &err));
    model_free(model);
}

/* float32 cannot hold 1e30 squared: said, not returned as a wrong answer. */
static void test_overflow(void **state) {
    (void)state;
    for (int dtype = 0; dtype < RT_DTYPE_COUNT; dtype++) {
        RtAtom a = rt_string("a", 1), values[] = {rt_int(0), rt_int(1)};
        Model *model = model_new((RtDtype)dtype, RT_STRING, &a, 1, 3, 2);
        ModelMlp *mlp = layer_add_mlp(model_add_layer(model), 1);
        tensor_set(&model->tokens, 1, 0, 1e30);
        tensor_set(&mlp->in, 0, 0, 1e30);
        tensor_set(&mlp->out, 0, 1, 1);
        model_add_output(model, "big", RT_DECODE_ARGMAX, 0, values, 2);
        RtError err;
        RunOptions options = run_options();
        Engine *engine = engine_new(model, &options, &err);
        RunResult result;
        size_t ids[] = {0, 0};
        bool ok = engine_run(engine, ids, 2, &result, &err);
        assert_int_equal(ok, dtype == RT_F64);
        if (ok)
            run_result_clear(&result);
        else
            assert_non_null(strstr(err.text, "overflow its dtype"));
        engine_free(engine);
        model_free(model);
    }
}

/* A run that is told to stop says so, and nothing is left of it. */
static void test_interrupted(void **state) {
    (void)state;
    static volatile sig_atomic_t stop = 0;
    Model *model = small_model(RT_F64);
    RunOptions options = run_options();
    options.stop = &stop;
    RtError err;
    Engine *engine = engine_new(model, &options, &err);
    RunResult result;
    const size_t ids[] = {0, 1};
    assert_true(engine_run(engine, ids, 2, &result, &err));
    run_result_clear(&result);
    stop = 1;
    assert_false(engine_run(engine, ids, 2, &result, &err));
    assert_string_equal(err.text, "interrupted");
    engine_free(engine);
    model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_softmax),       cmocka_unit_test(test_kernel_sets),
        cmocka_unit_test(test_tile_sizes),    cmocka_unit_test(test_merging),
        cmocka_unit_test(test_hard_rules),    cmocka_unit_test(test_long),
        cmocka_unit_test(test_threads_agree), cmocka_unit_test(test_bad_inputs),
        cmocka_unit_test(test_bad_options),   cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_interrupted),   cmocka_unit_test(test_biases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
