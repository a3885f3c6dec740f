/* Models through rasp.h: compiling, files, forward passes, traces, checks. */
#include "tests/unit/api_fixture.h"

#include <math.h>
#include <unistd.h>

/* --- forward passes against the interpreter --------------------------------------------- */

enum { LONGEST = 5 };

/* All inputs over "abc" of at most LONGEST tokens. */
static size_t compare_all(RaspProgram *program, const RaspSop *sop, RaspEngine *engine) {
    size_t compared = 0;
    for (size_t length = 1, count = 3; length <= LONGEST; length++, count *= 3)
        for (size_t number = 0; number < count; number++, compared++) {
            char text[LONGEST + 1] = "";
            for (size_t k = 0, rest = number; k < length; k++, rest /= 3) text[k] = "abc"[rest % 3];
            RaspInput input = input_of(text);
            assert_string_equal(forward_of(engine, &input), run_of(program, sop, &input));
        }
    return compared;
}

static char *read_whole(const char *path) {
    char *text = calloc(1, 1 << 16);
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("cannot read %s", path);
    assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    return text;
}

static void bundled(void **state) {
    static const char *const paths[] = {"programs/paper/histogram.rasp",
                                        "programs/paper/reverse.rasp", "programs/paper/sort.rasp",
                                        "programs/paper/double-histogram.rasp"};
    RaspTarget target = {.alphabet = "abc", .max_length = LONGEST};
    (void)state;
    for (size_t k = 0; k < sizeof paths / sizeof *paths; k++) {
        RaspError error;
        char *text = read_whole(paths[k]);
        RaspProgram *program = program_of(text);
        RaspSop sop = sop_of(program, NULL);
        RaspModel *model = rasp_compile(program, &sop, 1, &target, &error);
        if (!model) fail_msg("%s: %s", paths[k], error.text);
        RaspEngine *engine = engine_of(model);
        rasp_model_free(model);
        assert_int_equal(compare_all(program, &sop, engine), 3 + 9 + 27 + 81 + 243);
        rasp_program_free(program);
        rasp_engine_free(engine);
        free(text);
    }
}

/* --- options ---------------------------------------------------------------------------- */

static const RaspAtom numbers[] = {{RASP_INT, {.i = 3}}, {RASP_INT, {.i = -1}}};

static void options(void **state) {
    static const RaspTarget targets[] = {
        {.alphabet = "ab", .max_length = 3},
        {.tokens = numbers, .token_count = 2, .max_length = 3},
        {.alphabet = "[\"hi\", \"you\"]", .max_length = 3, .first = "hi"},
        {.alphabet = "ab", .max_length = 3, .where = "indices < 2"},
        {.alphabet = "ab", .max_length = 3, .dtype = RASP_F32},
        {.alphabet = "ab", .max_length = 3, .dtype = RASP_F64},
        {.alphabet = "ab", .max_length = 3, .masks = RASP_MASKS_NONE},
        {.alphabet = "ab", .max_length = 3, .layout = RASP_STANDARD},
        {.alphabet = "ab", .max_length = 3, .log_length = true},
        {.alphabet = "ab", .max_length = 3, .tolerance = 0.1},
        {.alphabet = "ab", .max_length = 3, .table_limit = 1000, .time_limit = 100},
    };
    (void)state;
    for (size_t k = 0; k < sizeof targets / sizeof *targets; k++) {
        RaspModel *model = model_of(histogram, &targets[k]);
        RaspCertificate certificate;
        RaspCompileStats stats;
        const RaspModelInfo *info = rasp_model_info(model);
        assert_true(rasp_model_certificate(model, &certificate) && certificate.holds);
        assert_true(rasp_model_compile_stats(model, &stats) && stats.depth == 1);
        assert_int_equal(info->alphabet_size, 2);
        assert_int_equal(info->max_length, 3);
        assert_int_equal(info->token_kind, targets[k].tokens ? RASP_INT : RASP_STRING);
        assert_int_equal(info->first, targets[k].first ? 0 : -1);
        assert_int_equal(info->where != NULL, targets[k].where != NULL);
        assert_int_equal(info->output_count, 1);
        assert_string_equal(info->outputs[0].name, "histogram");
        assert_true(info->certified == certificate.error);
        if (targets[k].dtype) assert_int_equal(info->dtype, targets[k].dtype);
        RaspCheckReport *report = rasp_check(model, NULL, NULL);
        assert_true(report && report->agree && report->exhaustive && report->compared > 0);
        if (targets[k].where) assert_int_equal(report->outside, 8);
        rasp_model_free(model);
        assert_true(report->runs[0].agreed == report->compared);
        rasp_check_free(report);
    }
}

static void refused(void **state) {
    static const struct {
        RaspTarget target;
        RaspStatus status;
        const char *text;
    } cases[] = {
        {{.alphabet = "aba"}, RASP_WRONG_USE, "--alphabet: "},
        {{.alphabet = "[1, \"a\"]"}, RASP_WRONG_USE, "--alphabet: "},
        {{.tokens = numbers}, RASP_WRONG_USE, "--alphabet: "},
        {{.alphabet = "@/none/such"}, RASP_NO_FILE, "cannot read '/none/such'"},
        {{.alphabet = "ab", .first = "c"}, RASP_WRONG_USE, "--first: "},
        {{.alphabet = "ab", .where = "missing"}, RASP_WRONG_PROGRAM, ""},
        {{.alphabet = "ab", .where = "3"}, RASP_WRONG_USE, "--where: "},
        {{.alphabet = "ab", .max_length = RASP_LONGEST + 1}, RASP_WRONG_USE, "--max-length: "},
        {{.alphabet = "ab", .tolerance = 1e-300}, RASP_FAILED, "cannot compile "},
        {{.alphabet = "ab", .dtype = (RaspDtype)9}, RASP_WRONG_USE, "expected a type"},
        {{.alphabet = "ab", .table_limit = 1}, RASP_WRONG_USE, "--table-limit: "},
        {{.alphabet = "ab", .table_limit = 1000000001}, RASP_WRONG_USE, "--table-limit: "},
        {{.alphabet = "ab", .tolerance = -1}, RASP_WRONG_USE, "--tolerance: "},
    };
    (void)state;
    RaspProgram *program = program_of(histogram);
    RaspSop sop = sop_of(program, NULL), twice[] = {sop, sop};
    RaspError error;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        assert_null(rasp_compile(program, &sop, 1, &cases[k].target, &error));
        if (error.status != cases[k].status ||
            strncmp(error.text, cases[k].text, strlen(cases[k].text)))
            fail_msg("case %zu: %d %s", k, (int)error.status, error.text);
        assert_null(rasp_compile(program, &sop, 1, &cases[k].target, NULL));
    }
    assert_null(rasp_compile(program, twice, 2, NULL, &error));
    assert_int_equal(error.status, RASP_WRONG_USE);
    assert_null(rasp_compile(program, twice, 0, NULL, &error));
    assert_int_equal(error.status, RASP_WRONG_USE);
    RaspModel *model = rasp_compile(program, &sop, 1, NULL, &error); /* the defaults do */
    assert_int_equal(error.status, RASP_OK);
    assert_int_equal(rasp_model_info(model)->alphabet_size, 26);
    rasp_model_free(model);
    rasp_program_free(program);
}

/* --- engines ---------------------------------------------------------------------------- */

static void engines(void **state) {
    RaspTarget target = {.alphabet = "ab", .max_length = 3, .first = "a", .where = "indices < 2"};
    RaspModel *model = model_of(histogram, &target);
    RaspError error;
    const RaspEngineOptions wrong[] = {{.rule = (RaspRule)99}, {.rule = RASP_TOP_K},
                                       {.parameter = 1},       {.path = (RaspPath)-1},
                                       {.temperature = -1},    {.temperature = (double)NAN},
                                       {.threads = -1}};
    (void)state;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        assert_null(rasp_engine_new(model, &wrong[k], NULL, &error));
        assert_int_equal(error.status, RASP_WRONG_USE);
    }
    for (int rule = 0; rasp_rule_name(rule); rule++)
        for (int path = 0; rasp_path_name(path); path++) {
            RaspEngineOptions options = {.rule = (RaspRule)rule,
                                         .parameter = rasp_rule_parameter((RaspRule)rule).example,
                                         .path = (RaspPath)path};
            RaspEngine *engine = rasp_engine_new(model, &options, NULL, &error);
            assert_non_null(engine);
            RaspInput input = input_of("ab");
            const char *values = forward_of(engine, &input);
            if (rule == RASP_SOFTMAX) assert_string_equal(values, "1 1");
            assert_true(strlen(values) == 3); /* the other rules choose one of the ties */
            rasp_engine_free(engine);
        }
    RaspEngine *engine = engine_of(model);
    rasp_model_free(model);
    static const char *const outside[] = {"ba", "aaa", "ac", "", "[1]", "aaaaaaaa"};
    for (size_t k = 0; k < sizeof outside / sizeof *outside; k++) {
        RaspInput input = input_of(outside[k]);
        RaspForward *forward = rasp_forward(engine, &input, &error);
        assert_null(forward);
        assert_true(error.status == RASP_FAILED || error.status == RASP_WRONG_USE);
        assert_null(rasp_forward(engine, &input, NULL));
    }
    assert_null(rasp_stream_new(engine, &error)); /* `where` needs the whole input */
    assert_int_equal(error.status, RASP_WRONG_USE);
    rasp_engine_free(engine);
}

static void readings(void **state) {
    RaspTarget target = {.alphabet = "ab", .max_length = 4};
    RaspModel *model = model_of(histogram, &target);
    RaspEngine *engine = engine_of(model);
    RaspInput input = input_of("abb");
    RaspForward *forward = rasp_forward(engine, &input, NULL);
    bool is_string = false;
    (void)state;
    rasp_engine_free(engine);
    rasp_model_free(model);
    assert_string_equal(text_of(rasp_forward_input(forward, &is_string)), "a b b");
    assert_true(is_string);
    for (size_t i = 0; i < 3; i++) {
        RaspReading reading = rasp_forward_reading(forward, 0, i);
        assert_true(rasp_atom_same(reading.value, rasp_int(i ? 2 : 1)) && reading.margin > 0);
    }
    rasp_forward_free(forward);
}

static void streams(void **state) {
    RaspTarget target = {.alphabet = "ab", .max_length = 3, .masks = RASP_MASKS_CAUSAL};
    RaspModel *model = model_of(before, &target), *other;
    RaspEngine *engine = engine_of(model);
    RaspStream *stream = rasp_stream_new(engine, NULL);
    RaspReading reading;
    RaspError error;
    static const char *const tokens[] = {"b", "a", "b"};
    (void)state;
    assert_non_null(stream);
    rasp_engine_free(engine);
    rasp_model_free(model);
    for (size_t i = 0; i < 3; i++) {
        assert_false(rasp_stream_push(stream, rasp_string("c"), &reading, &error));
        assert_true(rasp_stream_push(stream, rasp_string(tokens[i]), &reading, &error));
        RaspAtom expected = i ? rasp_string(tokens[i - 1]) : rasp_string("-");
        assert_true(rasp_atom_same(reading.value, expected));
    }
    assert_false(rasp_stream_push(stream, rasp_string("a"), &reading, NULL)); /* too long */
    rasp_stream_free(stream);
    other = model_of(histogram, &(RaspTarget){.alphabet = "ab", .max_length = 3});
    engine = engine_of(other);
    assert_null(rasp_stream_new(engine, &error)); /* it looks ahead */
    assert_int_equal(error.status, RASP_FAILED);
    rasp_engine_free(engine);
    rasp_model_free(other);
}

/* --- traces ----------------------------------------------------------------------------- */

typedef struct Trace {
    size_t n, width, heads, sublayers, residuals;
    double *stream; /* as the last residual was, and what heads have added since */
} Trace;

static void on_head(void *context, size_t layer, size_t head, size_t n, const double *scores,
                    const double *weights, size_t width, const double *result) {
    Trace *t = context;
    (void)layer, (void)head;
    assert_int_equal(n, t->n);
    for (size_t i = 0; i <= n; i++) {
        double sum = 0;
        for (size_t j = 0; j <= n; j++) {
            double weight = weights[i * (n + 1) + j];
            if (isinf(scores[i * (n + 1) + j])) assert_true(weight == 0);
            assert_true(weight >= 0);
            sum += weight;
        }
        assert_true(fabs(sum - 1) < 1e-12);
    }
    assert_true(t->stream && width == t->width);
    for (size_t k = 0; k < (n + 1) * width; k++) t->stream[k] += result[k];
    t->heads++;
}

static void on_sublayer(void *context, size_t layer, size_t sublayer, size_t n, size_t units,
                        const double *hidden) {
    Trace *t = context;
    (void)layer, (void)sublayer;
    for (size_t k = 0; k < (n + 1) * units; k++) assert_true(hidden[k] >= 0);
    t->sublayers++;
}

static void on_residual(void *context, size_t layer, int sublayer, size_t n, size_t width,
                        const double *stream) {
    Trace *t = context;
    (void)layer;
    if (sublayer == -1) /* before, and the heads: that is all */
        for (size_t k = 0; k < (n + 1) * width; k++)
            assert_true(fabs(t->stream[k] - stream[k]) <= 1e-9 * (1 + fabs(stream[k])));
    t->width = width;
    t->stream = realloc(t->stream, (n + 1) * width * sizeof *stream);
    memcpy(t->stream, stream, (n + 1) * width * sizeof *stream);
    t->residuals++;
}

static void traces(void **state) {
    RaspTarget target = {.alphabet = "abc", .max_length = 6};
    char *text = read_whole("programs/paper/sort.rasp");
    RaspModel *model = model_of(text, &target);
    const RaspModelInfo *info = rasp_model_info(model);
    RaspEngine *engine = engine_of(model);
    RaspInput input = input_of("cabba");
    Trace t = {.n = 5};
    RaspTap tap = {&t, on_head, on_sublayer, on_residual}, none = {0};
    RaspForward *traced = rasp_trace(engine, &input, &tap, NULL);
    RaspForward *quiet = rasp_trace(engine, &input, &none, NULL);
    (void)state;
    assert_true(traced && quiet);
    assert_int_equal(t.heads, info->heads);
    assert_int_equal(t.sublayers, info->sublayers);
    assert_true(t.residuals > info->layer_count);
    assert_string_equal(text_of(rasp_forward_sequence(traced, 0)), "a a b b c");
    assert_string_equal(text_of(rasp_forward_sequence(quiet, 0)), "a a b b c");
    assert_string_equal(forward_of(engine, &input), "a a b b c");
    assert_null(rasp_trace(engine, &(RaspInput){.text = "x", .length = 1}, &tap, NULL));
    rasp_model_free(model);
    rasp_engine_free(engine);
    rasp_forward_free(traced);
    rasp_forward_free(quiet);
    free(t.stream);
    free(text);
}

/* One output has an answer on every input, one on some: the model says where it has none. */
static void partial(void **state) {
    static const char text[] = "all = indices; some = 1 / (selector_width(full_s) - 2);";
    RaspTarget target = {.alphabet = "ab", .max_length = 4};
    RaspError error;
    RaspProgram *program = program_of(text);
    RaspSop sops[] = {sop_of(program, "some"), sop_of(program, "all")};
    RaspInput fine = input_of("aba"), fails = input_of("ab");
    (void)state;
    assert_null(rasp_compile(program, sops, 2, &target, &error));
    assert_int_equal(error.status, RASP_FAILED);
    assert_non_null(
        strstr(error.text, "'some' has no answer on the input \"aa\": division by zero"));
    target.partial = true;
    RaspModel *two = rasp_compile(program, sops, 2, &target, &error);
    RaspModel *one = rasp_compile(program, sops, 1, &target, &error);
    assert_true(two && one);
    const RaspModelInfo *info = rasp_model_info(two);
    assert_int_equal(info->answers, RASP_ANSWERS_PARTIAL);
    assert_int_equal(info->output_count, 2);
    assert_int_equal(info->outputs[0].flag, 2);
    assert_int_equal(info->outputs[1].flag, -1);
    assert_string_equal(info->outputs[2].name, "some has no answer");
    RaspEngine *engine = rasp_engine_new(two, NULL, NULL, NULL);
    RaspForward *forward = rasp_forward(engine, &fails, &error);
    assert_null(rasp_forward_sequence(forward, 0));
    assert_string_equal(text_of(rasp_forward_sequence(forward, 1)), "0 1");
    rasp_forward_free(forward);
    assert_null(rasp_stream_new(engine, &error));
    assert_int_equal(error.status, RASP_WRONG_USE);
    rasp_engine_free(engine);
    engine = rasp_engine_new(one, NULL, NULL, NULL);
    assert_string_equal(forward_of(engine, &fine), "1.0 1.0 1.0");
    assert_null(rasp_forward(engine, &fails, &error));
    assert_int_equal(error.status, RASP_FAILED);
    RaspCheckReport *report = rasp_check(two, NULL, &error);
    assert_true(report && report->agree && report->exhaustive);
    assert_int_equal(report->compared, 30);
    assert_int_equal(report->faulted, 4);
    assert_int_equal(report->left_out, 0);
    rasp_check_free(report);
    rasp_engine_free(engine);
    rasp_model_free(one);
    rasp_model_free(two);
    rasp_program_free(program);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bundled), cmocka_unit_test(options),  cmocka_unit_test(refused),
        cmocka_unit_test(engines), cmocka_unit_test(readings), cmocka_unit_test(streams),
        cmocka_unit_test(traces),  cmocka_unit_test(partial),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
