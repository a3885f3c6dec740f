/* Batches and streams against single runs; decoding by hand. */
#include "runtime/forward.h"
#include "tests/unit/runtime_models.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

static void same_readings(const Reading *a, const Reading *b, double allowed) {
    assert_true(fabs(a->number - b->number) <= allowed);
    if (a->margin > 4 * allowed) assert_int_equal(a->index, b->index);
    assert_true(fabs(a->margin - b->margin) <= 4 * allowed || a->margin == b->margin);
}

static void same_results(const RunResult *a, const RunResult *b, double allowed) {
    assert_int_equal(a->length, b->length);
    for (size_t o = 0; o < a->output_count; o++) {
        for (size_t j = 0; j < a->length; j++)
            same_readings(run_reading(a, o, j), run_reading(b, o, j), allowed);
    }
}

static double allowed_for(RtDtype dtype) {
    return dtype == RT_F32 ? 2e-4 : 1e-10;
}

/* Nothing that differs between inputs of one length reaches the lower half of the stream, and first
 * heads see that alone: their weights are the same in all such inputs.  Second heads' queries do.
 */
static void look_at_positions(Model *model) {
    size_t half = model->width / 2;
    for (size_t t = 1; t < model->tokens.rows; t++)
        for (size_t i = 0; i < half; i++) model->tokens.data[t * model->width + i] = 0;
    for (size_t l = 0; l < model->layer_count; l++) {
        const ModelLayer *layer = model->layers[l];
        for (size_t h = 0; h < layer->head_count; h++) {
            ModelHead *head = layer->heads[h];
            for (size_t e = 0; e < tensor_size(&head->output); e++)
                if (e % model->width < half) head->output.data[e] = 0;
            size_t from = half * head->query.cols, size = tensor_size(&head->query);
            for (size_t e = from; h < 2 && e < size; e++) head->query.data[e] = 0;
            for (size_t e = from; h == 0 && e < size; e++) head->key.data[e] = 0;
        }
        for (size_t m = 0; m < layer->mlp_count; m++)
            for (size_t e = 0; e < tensor_size(&layer->mlps[m]->out); e++)
                if (e % model->width < half) layer->mlps[m]->out.data[e] = 0;
    }
}

/* Many inputs of mixed lengths, 1 and N among them: enough for several packs. */
static void check_batch(Random *random, size_t count, size_t length, RtDtype dtype, RtPath path,
                        int threads) {
    ModelShape shape = {dtype, 4,     length,         16, 2, 2, 2, 6, 0.4, false,
                        false, false, length % 2 == 1};
    Model *model = random_model(random, &shape);
    if (random_below(random, 2)) look_at_positions(model);
    RunOptions options = run_options();
    options.path = path;
    options.threads = threads;
    RtError err;
    Engine *engine = engine_new(model, &options, &err);
    RunInput *inputs = calloc(count, sizeof *inputs);
    RunResult *results = calloc(count, sizeof *results);
    for (size_t i = 0; i < count; i++) {
        size_t n = i == 1 ? 1 : i == 2 ? length : 1 + random_below(random, length);
        inputs[i] = (RunInput){random_ids(random, model, n), n};
    }
    if (!engine_run_batch(engine, inputs, count, results, &err)) fail_msg("%s", err.text);
    for (size_t i = 0; i < count; i++) {
        RunResult single;
        assert_true(engine_run(engine, inputs[i].ids, inputs[i].n, &single, &err));
        same_results(&single, &results[i], allowed_for(dtype));
        run_result_clear(&single);
        run_result_clear(&results[i]);
        free((size_t *)inputs[i].ids);
    }
    free(inputs);
    free(results);
    engine_free(engine);
    model_free(model);
}

static void test_batch(void **state) {
    (void)state;
    Random random = {21};
    for (size_t i = 0; i < 12; i++)
        check_batch(&random, 3 + random_below(&random, 60), 40, (RtDtype)(i % 2), (RtPath)(i % 3),
                    1 + (int)(i % 2));
    check_batch(&random, 40, 700, RT_F32, RT_PATH_AUTO, 2);
    check_batch(&random, 2000, 9, RT_F64, RT_PATH_AUTO, 2);
    for (size_t i = 0; i < 24; i++)
        check_batch(&random, 100, 3 + i % 8, (RtDtype)(i % 2), RT_PATH_AUTO, 1);
    check_batch(&random, 400, 13, RT_F32, RT_PATH_AUTO, 1);
    check_batch(&random, 400, 13, RT_F32, RT_PATH_SPARSE, 2);
}

static void test_batch_errors(void **state) {
    (void)state;
    Random random = {22};
    ModelShape shape = {RT_F32, 2, 3, 4, 1, 1, 1, 2, 1, false, false, false, false};
    Model *model = random_model(&random, &shape);
    RunOptions options = run_options();
    Engine *engine = engine_new(model, &options, NULL);
    const size_t ids[] = {0, 1, 0, 2};
    RunInput inputs[] = {{ids, 3}, {ids, 0}, {ids, 4}};
    RunResult results[3];
    RtError err;
    assert_true(engine_run_batch(engine, inputs, 0, results, &err));
    assert_false(engine_run_batch(engine, inputs, 3, results, &err));
    assert_string_equal(err.text, "input 1: expected at least one token, found an empty input");
    inputs[1].n = 1;
    assert_false(engine_run_batch(engine, inputs, 3, results, &err));
    assert_string_equal(err.text,
                        "input 2: expected at most 3 tokens, the model's maximum length, found 4");
    inputs[2] = (RunInput){ids + 3, 1};
    assert_false(engine_run_batch(engine, inputs, 3, results, &err));
    assert_string_equal(err.text, "input 2: position 0: expected a token id below 2, found 2");
    engine_free(engine);
    model_free(model);
}

/* An input that overflows float32 fails the batch, by its own number. */
static void test_batch_overflow(void **state) {
    (void)state;
    RtAtom alphabet[] = {rt_int(1), rt_int(2)}, values[] = {rt_int(0), rt_int(1)};
    Model *model = model_new(RT_F32, RT_INT, alphabet, 2, 3000, 2);
    ModelMlp *mlp = layer_add_mlp(model_add_layer(model), 1);
    tensor_set(&model->tokens, 2, 0, 1e30);
    tensor_set(&mlp->in, 0, 0, 1e30);
    tensor_set(&mlp->out, 0, 1, 1);
    model_add_output(model, "big", RT_DECODE_ARGMAX, 0, values, 2);
    RunOptions options = run_options();
    options.threads = 2;
    Engine *engine = engine_new(model, &options, NULL);
    size_t *ids = calloc(3000, sizeof *ids), bad[] = {0, 1};
    RunInput inputs[6];
    RunResult results[6];
    for (size_t i = 0; i < 6; i++) inputs[i] = (RunInput){ids, 3000};
    inputs[3] = inputs[5] = (RunInput){bad, 2};
    RtError err;
    assert_false(engine_run_batch(engine, inputs, 6, results, &err));
    assert_memory_equal(err.text, "input 3: position 1: output 'big':", 34);
    free(ids);
    engine_free(engine);
    model_free(model);
}

static void check_stream(Random *random, RtDtype dtype, RtPath path, RtRule rule, bool biased) {
    ModelShape shape = {dtype, 4, 150, 20, 3, 2, 2, 18, 0.5, false, false, true, biased};
    if (rule != RT_SOFTMAX) shape.whole = true, shape.layers = 1;
    Model *model = random_model(random, &shape);
    RunOptions options = run_options();
    options.path = path;
    options.rule = rule;
    options.parameter = rt_rules[rule].parameter.example;
    RtError err;
    Engine *engine = engine_new(model, &options, &err);
    size_t *ids = random_ids(random, model, 150);
    RunResult whole;
    assert_true(engine_run(engine, ids, 150, &whole, &err));
    RunStream *stream = run_stream_new(engine, &err);
    if (!stream) fail_msg("%s", err.text);
    Reading readings[RANDOM_OUTPUTS];
    for (size_t j = 0; j < 150; j++) {
        assert_int_equal(run_stream_length(stream), j);
        assert_false(run_stream_push(stream, 4, readings, &err)); /* no such token: no change */
        if (!run_stream_push(stream, ids[j], readings, &err)) fail_msg("%s", err.text);
        for (size_t o = 0; o < whole.output_count; o++)
            same_readings(run_reading(&whole, o, j), &readings[o], allowed_for(dtype));
    }
    assert_false(run_stream_push(stream, 0, readings, &err));
    assert_string_equal(err.text,
                        "expected at most 150 tokens, the model's maximum length, found more");
    run_stream_free(stream);
    run_result_clear(&whole);
    free(ids);
    engine_free(engine);
    model_free(model);
}

static void test_stream(void **state) {
    (void)state;
    Random random = {23};
    for (size_t i = 0; i < 32; i++)
        check_stream(&random, (RtDtype)(i % 2), (RtPath)(i / 2 % 3),
                     i < 16 ? RT_SOFTMAX : (RtRule)(i % RT_RULE_COUNT), false);
    for (size_t i = 0; i < 16; i++)
        check_stream(&random, (RtDtype)(i % 2), (RtPath)(i / 2 % 3),
                     i < 6 ? RT_SOFTMAX : (RtRule)(i % RT_RULE_COUNT), true);
}

/* A model that looks ahead, or whose scores depend on the length, is refused, and it is said why.
 */
static void test_stream_refused(void **state) {
    (void)state;
    RtAtom a = rt_int(1);
    for (int which = 0; which < 3; which++) {
        Model *model = model_new(RT_F32, RT_INT, &a, 1, 3, 2);
        model_add_output(model, "x", RT_DECODE_NEAREST, 0, &a, 1);
        ModelLayer *layer = model_add_layer(model);
        ModelHead *fine = layer_add_head(layer, 1, 1), *head = layer_add_head(layer, 1, 1);
        fine->mask = head->mask = RT_MASK_STRICT_CAUSAL;
        if (which == 1) head->mask = RT_MASK_NONE;
        if (which == 2) head->scale = RT_SCALE_LOG_LENGTH;
        RunOptions options = run_options();
        RtError err = {""};
        Engine *engine = engine_new(model, &options, &err);
        RunStream *stream = run_stream_new(engine, &err);
        assert_int_equal(stream != NULL, which == 0);
        if (which == 1) assert_non_null(strstr(err.text, "head 2 of layer 1 sees later"));
        if (which == 2) assert_non_null(strstr(err.text, "head 2 of layer 1 scales its scores"));
        run_stream_free(stream);
        engine_free(engine);
        model_free(model);
    }
}

/* ---- decoding, by hand ---- */

typedef struct {
    const char *what;
    RtDecode decode;
    RtAtom values[4];
    size_t count;
    double x[4];
    ptrdiff_t index;
    double number, margin;
} Decoding;

static RtAtom text(const char *s) {
    return rt_string(s, strlen(s));
}

static void check_decoding(const Decoding *d) {
    RtAtom token = rt_bool(true);
    Model *model = model_new(RT_F64, RT_BOOL, &token, 1, 1, 5);
    for (size_t k = 0; k < 4; k++) tensor_set(&model->tokens, 1, 1 + k, d->x[k]);
    model_add_output(model, "out", d->decode, 1, d->values, d->count);
    RunOptions options = run_options();
    RtError err = {""};
    Engine *engine = engine_new(model, &options, &err);
    RunResult result;
    size_t id = 0;
    if (!engine || !engine_run(engine, &id, 1, &result, &err))
        fail_msg("%s: %s", d->what, err.text);
    const Reading *reading = run_reading(&result, 0, 0);
    if (reading->index != d->index || reading->number != d->number || reading->margin != d->margin)
        fail_msg("%s: index %td, number %g, margin %g", d->what, reading->index, reading->number,
                 reading->margin);
    run_result_clear(&result);
    engine_free(engine);
    model_free(model);
}

static void test_decoding(void **state) {
    (void)state;
    const Decoding table[] = {
        {"the largest",
         RT_DECODE_ARGMAX,
         {rt_int(1), rt_int(2), rt_int(3)},
         3,
         {0.25, 1, 0.5},
         1,
         1,
         0.5},
        {"lowest index of equal maxima",
         RT_DECODE_ARGMAX,
         {rt_int(1), rt_int(2), rt_int(3)},
         3,
         {1, 0, 1},
         0,
         1,
         0},
        {"equal values do not compete",
         RT_DECODE_ARGMAX,
         {text("a"), text("b"), text("a"), text("c")},
         4,
         {1, 0.25, 0.75, -1},
         0,
         1,
         0.75},
        {"1 and 1.0 do", RT_DECODE_ARGMAX, {rt_int(1), rt_float(1)}, 2, {1, 0.75}, 0, 1, 0.25},
        {"one value only", RT_DECODE_ARGMAX, {text("a"), text("a")}, 2, {3, 4}, 1, 4, INFINITY},
        {"closest", RT_DECODE_NEAREST, {rt_int(0), rt_int(1), rt_int(4)}, 3, {1.25}, 1, 1.25, 0.25},
        {"the lower on a tie", RT_DECODE_NEAREST, {rt_int(4), rt_int(2)}, 2, {3}, 1, 3, 0},
        {"above all", RT_DECODE_NEAREST, {rt_int(4), rt_int(2)}, 2, {4.5}, 0, 4.5, 0.5},
        {"below all", RT_DECODE_NEAREST, {rt_int(4), rt_int(2)}, 2, {-1}, 1, -1, -2},
        {"lowest index of equal numbers",
         RT_DECODE_NEAREST,
         {rt_float(2), rt_int(1), rt_int(2)},
         3,
         {1.75},
         0,
         1.75,
         0.25},
        {"a single level", RT_DECODE_NEAREST, {rt_int(7)}, 1, {-3}, 0, -3, INFINITY},
        {"a whole number", RT_DECODE_WHOLE, {rt_int(-4), rt_int(9)}, 2, {7.75}, -1, 7.75, 0.25},
        {"between two", RT_DECODE_WHOLE, {rt_int(-4), rt_int(9)}, 2, {-2.5}, -1, -2.5, 0},
        {"below the least", RT_DECODE_WHOLE, {rt_int(-4), rt_int(9)}, 2, {-6}, -1, -6, -1.5},
        {"above the greatest", RT_DECODE_WHOLE, {rt_int(-4), rt_int(9)}, 2, {9.25}, -1, 9.25, 0.25},
        {"one alone", RT_DECODE_WHOLE, {rt_int(3), rt_int(3)}, 2, {-6}, -1, -6, INFINITY},
        {"the number itself", RT_DECODE_NUMBER, {rt_int(0)}, 0, {0.1}, -1, 0.1, INFINITY},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) check_decoding(&table[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_batch),          cmocka_unit_test(test_batch_errors),
        cmocka_unit_test(test_batch_overflow), cmocka_unit_test(test_stream),
        cmocka_unit_test(test_stream_refused), cmocka_unit_test(test_decoding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
