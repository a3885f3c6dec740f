/* The certificate against brute force: no part of the residual stream ever strays further than it
 * says.  (test_certificate.c: what it refuses.) */
#include "tests/unit/compile_fixture.h"

#include "compile/emit/emit.h"
#include "runtime/forward.h"
#include "runtime/reference.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

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

/* One input, the interpreter on it, and the parts of the stream that a tap compares. */
typedef struct Probe {
    CompileFixture *f;
    Exec *exec;
    size_t compared; /* values */
    double worst;    /* largest error / bound */
    uint32_t worst_part;
} Probe;

/* What the part should hold where its s-op has this value. */
static double nominal(const Probe *p, const CircuitPart *part, uint32_t number, size_t i) {
    Fault fault;
    if (part->origin != FROM_TABLE)
        return feature_number(column_at(exec_column(p->exec, part->node, &fault), i));
    const CircuitTable *scan = &p->f->compiled.circuit->tables[part->owner];
    double x = feature_number(column_at(exec_column(p->exec, scan->x, &fault), i));
    for (uint32_t k = 0; k < scan->output_count; k++) {
        const TableOutput *output = &scan->outputs[k];
        for (uint32_t q = 0; output->part == number && q < output->points; q++)
            if (fabs(output->x[q] - x) <= 1e-9 * (1 + fabs(x))) return output->value[q];
    }
    fail_msg("no point of the table at %g", x);
    return 0;
}

static void compare_part(Probe *p, uint32_t number, const double *h, size_t n, size_t width) {
    const Compiled *c = &p->f->compiled;
    const CircuitPart *part = &c->circuit->parts[number];
    uint32_t dim = part->dim;
    for (size_t i = 0; dim != DIM_NONE && i < n; i++) {
        double value = nominal(p, part, number, i);
        double error = fabs(h[(1 + i) * width + dim] - value);
        double bound = c->certificate->part_error[number] + 1e-15 * fabs(value);
        p->compared++;
        if (error <= p->worst * bound || error == 0) continue;
        p->worst = error / bound;
        p->worst_part = number;
    }
}

/* The parts that this sublayer writes. */
static void tap(void *context, size_t layer, int sublayer, size_t n, size_t width,
                const double *h) {
    Probe *p = context;
    const Circuit *c = p->f->compiled.circuit;
    for (uint32_t k = 0; k < c->part_count; k++) {
        const CircuitPart *part = &c->parts[k];
        if (circuit_embedded(part)) continue;
        if (part->born.layer != layer + c->first_layer) continue;
        if ((int)part->born.step - 1 == sublayer) compare_part(p, k, h, n, width);
    }
}

static void probe_input(Probe *p, const uint32_t *ids, uint32_t n) {
    CompileFixture *f = p->f;
    Arena *arena = arena_child(f->arena);
    Atom *tokens = ARENA_ARRAY(arena, n, Atom);
    size_t *wide = ARENA_ARRAY(arena, n, size_t);
    for (uint32_t i = 0; i < n; i++) tokens[i] = f->options.alphabet[wide[i] = ids[i]];
    Input input = {.tokens = tokens, .length = n};
    p->exec = exec_new(session_graph(f->session), &input, (ExecOptions){.keep = true, .threads = 1},
                       arena);
    ReferenceOptions options = {
        .rule = RT_SOFTMAX, .temperature = 1, .tap = {.context = p, .residual = tap}};
    RtError error = {""};
    double *h = reference_run(f->compiled.model, &options, wide, n, &error);
    if (!h) fail_msg("%s", error.text);
    free(h);
    exec_free(p->exec);
    arena_free(arena);
}

/* Every intermediate on every input, or on `most` of them; how many values were compared. */
static size_t probe_program(CompileFixture *f, size_t k, uint32_t most) {
    Probe p = {.f = f};
    uint32_t ids[16], n;
    InputPlan plan = {.exhaustive_limit = most, .count = most, .seed = 1};
    Inputs *inputs = inputs_new(&f->compiled.circuit->domain, plan, f->arena);
    for (uint32_t tried = 0; tried < most && (n = inputs_next(inputs, ids)); tried++)
        probe_input(&p, ids, n);
    if (p.worst > 1)
        fail_msg("%s, beta %g: part %u strays %g times its bound", programs[k].name,
                 f->compiled.circuit->options.beta, p.worst_part, p.worst);
    return p.compared;
}

static void test_every_intermediate_is_within_its_bound(void **state) {
    (void)state;
    size_t compared = 0;
    for (size_t t = 0; t < (size_t)PROGRAM_COUNT * KERNELS; t++) {
        CompileFixture f;
        size_t k = t % PROGRAM_COUNT;
        open_program(&f, k, kernels[t / PROGRAM_COUNT]);
        compared += probe_program(&f, k, 400);
        fixture_close(&f);
    }
    assert_true(compared > 10000);
}

/* Every output on every input, too; the largest error as a share of the bound. */
static double check_outputs(CompileFixture *f, const char *name) {
    CheckReport report = fixture_check(f, f->compiled.model);
    double error = report.runs[0].largest_error, bound = f->compiled.certificate->error;
    assert_int_equal(report.runs[0].agreed, report.compared);
    if (error > bound) fail_msg("%s: error %g, bound %g", name, error, bound);
    return error / bound;
}

/* The weights of the same circuit at another temperature, and their certificate: does it hold? */
static bool set_beta(CompileFixture *f, double beta, bool log_length) {
    Compiled *c = &f->compiled;
    Circuit *circuit = ARENA_NEW(f->arena, Circuit);
    Certificate *certificate = ARENA_NEW(f->arena, Certificate);
    *circuit = *c->circuit;
    circuit->options.beta = beta;
    circuit->options.log_length = log_length;
    model_free(c->model);
    model_free(c->ideal);
    c->circuit = circuit;
    c->certificate = certificate;
    assert_true(emit_model(circuit, RT_F64, f->arena, &c->ideal));
    assert_true(emit_model(circuit, RT_F64, f->arena, &c->model));
    model_round(c->model);
    return certificate_check(circuit, c->ideal, c->model, f->arena, certificate);
}

/* Compiled programs are so cold that what attention leaks is lost in rounding.  Here it is not, and
 * the bound is still one, and still of use. */
static void test_warmer_programs_are_within_theirs(void **state) {
    (void)state;
    static const double betas[] = {1, 4, 8, 16};
    size_t held[KERNELS] = {0}, refused[KERNELS] = {0};
    for (size_t t = 0; t < (size_t)PROGRAM_COUNT * KERNELS; t++) {
        CompileFixture f;
        size_t k = t % PROGRAM_COUNT, kernel = t / PROGRAM_COUNT;
        open_program(&f, k, kernels[kernel]);
        for (size_t b = 0; b < 2 * sizeof betas / sizeof *betas; b++) {
            bool holds = set_beta(&f, betas[b / 2], b % 2);
            if (holds) {
                probe_program(&f, k, 40);
                (void)check_outputs(&f, programs[k].name);
            }
            *(holds ? &held[kernel] : &refused[kernel]) += 1;
        }
        fixture_close(&f);
    }
    for (size_t k = 0; k < KERNELS; k++) assert_true(held[k] > 10 && refused[k] > 10);
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

/* Moves the keys of tokens 0 and 1 by `far` in opposite directions. */
static void pull_apart(CompileFixture *f, double far) {
    Model *model = f->compiled.model;
    const ModelHead *head = model->layers[0]->heads[0];
    for (uint32_t d = 0; d < model->width; d++) {
        bool read = false, token = false;
        for (size_t c = 0; c < head->key.cols; c++) read |= tensor_get(&head->key, d, c) != 0;
        for (size_t t = 1; t < model->tokens.rows; t++)
            token |= tensor_get(&model->tokens, t, d) != tensor_get(&model->tokens, 1, d);
        if (!read || !token) continue;
        tensor_add(&model->tokens, 1, d, far);
        tensor_add(&model->tokens, 2, d, -far);
    }
}

/* Two kinds of selected keys, of which one gains what the other loses: no other error of scores
 * moves weights further, and softmax then reaches the bound. */
static void test_pulled_apart(void **state) {
    (void)state;
    static const double least[KERNELS] = {0.99, 0.75, 0.35};
    for (size_t t = 0; t < 2 * (size_t)KERNELS; t++) {
        CompileFixture f;
        double beta = t / 2 ? 4 : 64;
        fixture_open(
            &f, "y = aggregate(select(tokens, \"c\", !=), 1.0 if tokens == \"a\" else -1.0, 0.0);",
            "abc", 4);
        f.options.kernel = kernels[t / 2];
        if (!fixture_compile(&f)) fail_msg("%s", f.error.message);
        assert_true(set_beta(&f, beta, t % 2));
        pull_apart(&f, 1 / (1024 * beta));
        Certificate *certificate = ARENA_NEW(f.arena, Certificate);
        f.compiled.certificate = certificate;
        if (!certificate_check(f.compiled.circuit, f.compiled.ideal, f.compiled.model, f.arena,
                               certificate))
            fail_msg("%s: %s", rt_rules[kernels[t / 2]].name, certificate->broken);
        double share = check_outputs(&f, rt_rules[kernels[t / 2]].name);
        assert_true(share > least[t / 2]);
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
