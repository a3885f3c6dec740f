/* The certificate against brute force: no part of the residual stream ever strays further than it
 * says.  (test_certificate.c: what it refuses.) */
#include "tests/unit/certificate_probe.h"

#include "runtime/forward.h"

#include <float.h>

static const struct {
    const char *name, *alphabet, *text;
    uint32_t length;
} programs[] = {
    {"histogram", "abc", "y = selector_width(select(tokens, tokens, ==));", 5},
    {"reverse", "abc", "y = aggregate(select(indices, length - indices - 1, ==), tokens);", 5},
    {"sort", "abcd", "y = sort(tokens, tokens);", 4},
    {"shift", "ab", "y = shift(tokens, 2, \"-\") + shift(tokens, 1, \"+\");", 5},
    {"means", "ab", "y = aggregate(select(indices, indices, <=), indicator(tokens == \"a\"));", 6},
    {"nested", "abc",
     "n = selector_width(select(tokens, tokens, ==));"
     "m = selector_width(select(n, n, ==) and select(indices, indices, <));"
     "y = [5, 1, 4, 2, 0, 3][m] if n > 1 else m * n;",
     5},
    {"balance", "()x",
     "b = aggregate(select(indices, indices, <=), (1 if tokens == \"(\" else 0) -"
     " (1 if tokens == \")\" else 0));"
     "y = \"F\" if count(b < 0, True) > 0 else (\"T\" if b == 0 else \"P\");",
     5},
    {"defaults", "ab",
     "y = aggregate(select(tokens, \"a\", ==) and select(indices, indices, <), "
     "indices, 0.5);",
     6},
    /* "abbb": what is not selected is as far away as can be, and all of it leaks alike */
    {"extremes", "ab", "y = aggregate(select(indices, 0, ==), 1 if tokens == \"a\" else -1);", 4},
};
enum { PROGRAM_COUNT = sizeof programs / sizeof *programs };

static const RtRule kernels[] = {RT_SOFTMAX, RT_SPARSEMAX, RT_ENTMAX15};
enum { KERNELS = sizeof kernels / sizeof *kernels };

static void open_program(CompileFixture *f, size_t k, RtRule kernel) {
    fixture_open(f, programs[k].text, programs[k].alphabet, programs[k].length);
    f->options.kernel = kernel;
    if (!fixture_compile(f)) fail_msg("%s: %s", programs[k].name, f->error.message);
}

/* --- every intermediate -------------------------------------------------------------------- */

static void test_every_intermediate_is_within_its_bound(void **state) {
    (void)state;
    size_t compared = 0;
    for (size_t t = 0; t < (size_t)PROGRAM_COUNT * KERNELS; t++) {
        CompileFixture f;
        size_t k = t % PROGRAM_COUNT;
        open_program(&f, k, kernels[t / PROGRAM_COUNT]);
        compared += probe_program(&f, programs[k].name, 400);
        fixture_close(&f);
    }
    assert_true(compared > 10000);
}

/* The same circuit at another temperature: does its certificate hold? */
static bool set_beta(CompileFixture *f, double beta, bool log_length) {
    Circuit *circuit = ARENA_NEW(f->arena, Circuit);
    *circuit = *f->compiled.circuit;
    circuit->options.beta = beta;
    circuit->options.log_length = log_length;
    return remake(f, circuit);
}

/* Compiled programs are so cold that what attention leaks is lost in rounding.  Here it is not, and
 * the bound is still one, and still of use. */
static void test_warmer_programs_are_within_theirs(void **state) {
    (void)state;
    static const double betas[] = {1, 8, 16};
    size_t held[KERNELS] = {0}, refused[KERNELS] = {0};
    for (size_t t = 0; t < (size_t)PROGRAM_COUNT * KERNELS; t++) {
        CompileFixture f;
        size_t k = t % PROGRAM_COUNT, kernel = t / PROGRAM_COUNT;
        open_program(&f, k, kernels[kernel]);
        for (size_t b = 0; b < 2 * sizeof betas / sizeof *betas; b++) {
            bool holds = set_beta(&f, betas[b / 2], b % 2);
            if (holds) {
                probe_program(&f, programs[k].name, 40);
                (void)check_outputs(&f, programs[k].name);
            }
            *(holds ? &held[kernel] : &refused[kernel]) += 1;
        }
        fixture_close(&f);
    }
    for (size_t k = 0; k < KERNELS; k++) assert_true(held[k] > 8 && refused[k] > 8);
}

static void test_outputs_are_within_the_bound(void **state) {
    (void)state;
    for (size_t t = 0; t < (size_t)PROGRAM_COUNT * KERNELS; t++) {
        CompileFixture f;
        size_t k = t % PROGRAM_COUNT;
        open_program(&f, k, kernels[t / PROGRAM_COUNT]);
        (void)check_outputs(&f, programs[k].name);
        fixture_close(&f);
    }
}

/* --- scores that stray ----------------------------------------------------------------------- */

/* The first row of an embedding gains what the others lose, where keys are made of it. */
static void pull_apart(const Model *model, Tensor *embedding, double far) {
    const ModelHead *head = model->layers[0]->heads[0];
    for (uint32_t d = 0; d < model->width; d++) {
        bool read = false, varies = false;
        for (size_t c = 0; c < head->key.cols; c++) read |= tensor_get(&head->key, d, c) != 0;
        for (size_t r = 1; r < embedding->rows; r++)
            varies |= tensor_get(embedding, r, d) != tensor_get(embedding, 1, d);
        for (size_t r = 1; read && varies && r < embedding->rows; r++)
            tensor_add(embedding, r, d, r == 1 ? far : -far);
    }
}

/* Scores that are off as far as the certificate thinks, and in the worst way: it holds for some
 * distance and, of softmax, what is then found is nearly the bound. */
static const struct {
    const char *text;
    bool positions;
    double beta[KERNELS], least[KERNELS];
} pulled[] = {
    /* two kinds of selected keys: unequal weights */
    {"y = aggregate(select(tokens, \"c\", !=), 1.0 if tokens == \"a\" else -1.0, 0.0);",
     false,
     {64, 4, 4},
     {0.99, 0.75, 0.35}},
    /* the selected one and the others: a leak, of which a sparse kernel has none */
    {"y = aggregate(select(indices, 0, ==), 1.0 if tokens == \"a\" else -1.0);",
     true,
     {16, 4, 4},
     {0.5, -1, -1}},
};

static void test_pulled_apart(void **state) {
    (void)state;
    for (size_t t = 0; t < 4 * (size_t)KERNELS; t++) {
        size_t p = t / 2 / KERNELS, kernel = t / 2 % KERNELS, held = 0, tried = 0;
        double share = 0;
        CompileFixture f;
        fixture_open(&f, pulled[p].text, "abc", 4);
        f.options.kernel = kernels[kernel];
        if (!fixture_compile(&f)) fail_msg("%s", f.error.message);
        for (double far = 1.0 / 1024; far <= 16; far *= 2) {
            assert_true(set_beta(&f, pulled[p].beta[kernel], t % 2));
            Model *model = f.compiled.model;
            pull_apart(model, pulled[p].positions ? &model->positions : &model->tokens,
                       -far / pulled[p].beta[kernel]);
            Certificate *certificate = ARENA_NEW(f.arena, Certificate);
            f.compiled.certificate = certificate;
            tried++;
            if (!certificate_check(f.compiled.circuit, f.compiled.ideal, model, f.arena,
                                   certificate))
                continue;
            held++;
            share = fmax(share, check_outputs(&f, pulled[p].text));
        }
        assert_true(held > 2 && held < tried);
        if (t % 2 == 0) assert_true(share > pulled[p].least[kernel]);
        fixture_close(&f);
    }
}

/* --- rounding ------------------------------------------------------------------------------- */

/* The mean of `first` and n - 1 times `rest` in floats, added one after another. */
static double float_mean(float first, float rest, uint32_t n) {
    float sum = first;
    for (uint32_t i = 1; i < n; i++) sum += rest;
    return (double)(sum / (float)n);
}

/* Sums may be made in any order.  Here is one in which most roundings go the same way: the bound of
 * the head that averages covers it, and is not far from it. */
static void test_means_in_floats(void **state) {
    (void)state;
    enum { LENGTH = 512, HALF_STEP = 14 }; /* of floats from 256 to 512, less a little */
    CompileFixture f;
    char text[100];
    const double rest = 1 + HALF_STEP * (double)FLT_EPSILON * 8;
    snprintf(text, sizeof text, "y = aggregate(full_s, 1.0 if indices == 0 else %.17g);", rest);
    fixture_open(&f, text, "a", LENGTH);
    f.options.dtype = COMPILE_F64; /* the means are too close for floats */
    if (!fixture_compile(&f)) fail_msg("%s", f.error.message);
    Model *model;
    Certificate floats;
    assert_true(emit_model(f.compiled.circuit, RT_F32, f.arena, &model));
    model_round(model);
    certificate_check(f.compiled.circuit, f.compiled.ideal, model, f.arena, &floats);
    double exact = (1 + (LENGTH - 1) * rest) / LENGTH, bound = floats.error;
    double error = fabs(float_mean(1, (float)rest, LENGTH) - exact);
    assert_true((double)(float)rest == rest && error <= bound && bound < 20 * error);
    model_free(model);
    fixture_close(&f);
}

/* --- bit for bit ------------------------------------------------------------------------------ */

static void run_raw(const Model *model, RtRule rule, double temperature, const size_t *ids,
                    size_t n, RunResult *result) {
    RunOptions options = run_options();
    RtError error = {""};
    options.rule = rule;
    options.temperature = temperature;
    options.threads = 1;
    options.keep_raw = true;
    Engine *engine = engine_new(model, &options, &error);
    if (!engine || !engine_run(engine, ids, n, result, &error)) fail_msg("%s", error.text);
    engine_free(engine);
}

/* What the outputs read is the averaging pass's, to the last bit: with the kernel as compiled, and
 * at the temperature at which the gap is just what it needs. */
static void compare_to_average(const CompileFixture *f, size_t k, const size_t *ids, size_t n) {
    const Model *model = f->compiled.model;
    double least = model->kernel == RT_SPARSEMAX ? 4 : 2; /* beta is 4, they need 1 and 2 */
    RunResult average, sparse;
    run_raw(model, RT_AVERAGE, 1, ids, n, &average);
    for (int t = 0; t < 2; t++) {
        run_raw(model, RT_SOFTMAX, t ? least : 1, ids, n, &sparse);
        if (memcmp(sparse.raw, average.raw, n * average.raw_size * sizeof *average.raw) != 0)
            fail_msg("%s: %s is not averaging", programs[k].name, rt_rules[model->kernel].name);
        run_result_clear(&sparse);
    }
    run_result_clear(&average);
}

static void test_sparse_kernels_average(void **state) {
    (void)state;
    /* Those whose scores are exact: numbers computed by tables are not. */
    static const char *const exact[] = {"histogram", "reverse", "shift", "means", "defaults"};
    size_t compared = 0;
    for (size_t t = 0; t < (size_t)PROGRAM_COUNT * KERNELS; t++) {
        CompileFixture f;
        size_t k = t % PROGRAM_COUNT, wide[16];
        uint32_t ids[16], n;
        bool wanted = false;
        for (size_t e = 0; e < sizeof exact / sizeof *exact; e++)
            wanted |= strcmp(programs[k].name, exact[e]) == 0;
        if (!wanted || kernels[t / PROGRAM_COUNT] == RT_SOFTMAX) continue;
        open_program(&f, k, kernels[t / PROGRAM_COUNT]);
        Inputs *inputs =
            inputs_new(&f.compiled.circuit->domain, (InputPlan){.exhaustive_limit = 400}, f.arena);
        for (int tried = 0; tried < 400 && (n = inputs_next(inputs, ids)); tried++, compared++) {
            for (uint32_t i = 0; i < n; i++) wide[i] = ids[i];
            compare_to_average(&f, k, wide, n);
        }
        fixture_close(&f);
    }
    assert_true(compared > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_intermediate_is_within_its_bound),
        cmocka_unit_test(test_warmer_programs_are_within_theirs),
        cmocka_unit_test(test_outputs_are_within_the_bound),
        cmocka_unit_test(test_pulled_apart),
        cmocka_unit_test(test_means_in_floats),
        cmocka_unit_test(test_sparse_kernels_average)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
