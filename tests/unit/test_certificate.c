/* The certificate against brute force: what it says of weights must be true of every input.
 *
 * Weights are left as compiled, made soft (a lower inverse temperature) or tampered with, one
 * at a time, by a little or by much.  Whenever the certificate still holds, every input must
 * come out right and every error stay below the bound; when an input comes out wrong, it must
 * not hold.  And it must not be vacuous: it holds for what the compiler made, and gives up
 * when the temperature is high. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "tests/unit/random_judge.h"

typedef struct Case {
    const char *text; /* the output is `result` */
    const char *tokens;
    uint32_t max_length;
} Case;

static const Case cases[] = {
    {"result = selector_width(select(tokens, tokens, ==));", "abc", 5},
    {"result = aggregate(select(indices, length - 1 - indices, ==), tokens);", "abc", 5},
    {"result = sort(tokens, tokens);", "abc", 4},
    {"result = sort(tokens, -selector_width(select(tokens, tokens, ==)));", "ab", 5},
    {"result = aggregate(select(indices, indices, <=), indicator(tokens == \"a\")) > 0.5;", "ab",
     6},
    {"result = aggregate(select(tokens, \"a\", ==), indices, -1);", "ab", 5},
    {"d = {\"a\": \"b\", \"b\": \"c\", \"c\": \"a\", \"-\": \"-\"};\n"
     "result = d[d[d[d[shift(tokens, 1, \"-\")]]]];",
     "abc", 4},
    {"result = has_focus(select(tokens, tokens, ==) and select(indices, indices, <));", "abc", 4},
    {"key = 4 * tokens_int + indices;\n"
     "result = has_focus(select(key, key + tokens_int, <) and select(tokens, \"1\", ==));",
     "012", 4},
};
enum { CASES = sizeof cases / sizeof *cases };

typedef struct Fixture {
    Judge judge;
    Budget budget;
    BudgetGuard guard;
    Session *session;
    Arena *arena;
    Compiled compiled;
    NodeId node;
} Fixture;

static const RtRule kernels[] = {RT_SOFTMAX, RT_SPARSEMAX, RT_ENTMAX15};
enum { KERNELS = sizeof kernels / sizeof *kernels };

static void setup_case(Fixture *f, const Case *c, CompileDtype dtype, RtRule kernel) {
    memset(f, 0, sizeof *f);
    budget_init(&f->budget, 0);
    f->session = judge_session(&f->judge, &f->budget);
    assert_non_null(f->session);
    assert_true(session_load_text(f->session, "case.rasp", c->text, strlen(c->text)));
    Value value;
    assert_true(session_lookup(f->session, "result", &value));
    f->node = value.object->node;
    if (!BUDGET_ENTER(&f->budget, &f->guard)) fail_msg("out of memory");
    f->arena = arena_child(session_arena(f->session));
    Atom *alphabet = ARENA_ARRAY(f->arena, strlen(c->tokens), Atom);
    for (size_t k = 0; c->tokens[k]; k++)
        alphabet[k] = atom_string(intern(session_intern(f->session), c->tokens + k, 1));
    CompileOptions options = compile_options();
    options.alphabet = alphabet;
    options.alphabet_size = (uint32_t)strlen(c->tokens);
    options.max_length = c->max_length;
    options.dtype = dtype;
    options.kernel = kernel;
    LowerError error = {0};
    CompileOutput output = {"result", f->node};
    if (!compile_graph(session_graph(f->session), &output, 1, &options, f->arena, &f->compiled,
                       &error))
        fail_msg("%s: %s", c->text, error.message);
}

static void clear_case(Fixture *f) {
    model_free(f->compiled.model);
    compiled_clear(&f->compiled);
    budget_leave(&f->budget, &f->guard);
    session_free(f->session);
}

/* Runs every input; true when all are right.  *error is the largest of numeric outputs. */
static bool all_right(Fixture *f, double *error) {
    RunOptions run = run_options();
    run.threads = 1;
    CheckSubject subject = check_subject(session_graph(f->session), &f->compiled.circuit->domain,
                                         f->compiled.model, &f->node, 1, f->arena);
    CheckOptions options = {
        .inputs = {.exhaustive_limit = 5000, .count = 5000}, .runs = &run, .run_count = 1};
    CheckReport report;
    RtError message;
    if (!check_model(&subject, &options, f->arena, &report, &message)) fail_msg("%s", message.text);
    assert_true(report.exhaustive);
    *error = report.runs[0].largest_error;
    return report.runs[0].agreed == report.compared;
}

static bool holds(Fixture *f, double *bound) {
    Certificate certificate;
    bool held = certificate_check(f->compiled.circuit, f->compiled.ideal, f->compiled.model,
                                  f->arena, &certificate);
    *bound = certificate.error;
    return held;
}

static void test_holds_as_compiled(void **state) {
    (void)state;
    static const CompileDtype dtypes[] = {COMPILE_AUTO, COMPILE_F64};
    for (size_t k = 0; k < CASES; k++)
        for (size_t d = 0; d < 2 * (size_t)KERNELS; d++) {
            Fixture f;
            double error, bound;
            setup_case(&f, &cases[k], dtypes[d % 2], kernels[d / 2]);
            assert_true(holds(&f, &bound));
            assert_true(all_right(&f, &error));
            if (error > bound) fail_msg("%s: error %g, bound %g", cases[k].text, error, bound);
            clear_case(&f);
        }
}

/* --- a lower inverse temperature ------------------------------------------------------------ */

/* Divides; says whether there was anything to divide: a mask alone has no temperature. */
static bool soften(const char *name, Tensor *tensor, void *context) {
    if (!strstr(name, ".query")) return true;
    for (size_t k = 0; k < tensor->rows * tensor->cols; k++) {
        *(bool *)context |= tensor->data[k] != 0;
        tensor->data[k] /= 128;
    }
    return true;
}

static void test_soft_attention_breaks_it(void **state) {
    (void)state;
    for (size_t k = 0; k < CASES * (size_t)KERNELS; k++) {
        Fixture f;
        double error, bound;
        bool changed = false;
        setup_case(&f, &cases[k % CASES], COMPILE_F64, kernels[k / CASES]);
        model_visit(f.compiled.model, soften, &changed);
        bool right = all_right(&f, &error), held = holds(&f, &bound);
        if (held && (!right || error > bound))
            fail_msg("holds for wrong weights: %s", cases[k % CASES].text);
        if (held && changed) fail_msg("a 128th of beta is not noticed: %s", cases[k % CASES].text);
        clear_case(&f);
    }
}

/* --- one weight changed --------------------------------------------------------------------- */

typedef struct Tamper {
    char name[64];
    size_t at; /* which nonzero (or, beyond them, which zero) weight */
    double factor, add;
    double *changed, old;
} Tamper;

static bool tamper(const char *name, Tensor *tensor, void *context) {
    Tamper *t = context;
    snprintf(t->name, sizeof t->name, "%s", name);
    for (size_t k = 0; k < tensor->rows * tensor->cols; k++) {
        if ((tensor->data[k] != 0) != (t->factor != 0)) continue;
        if (t->at-- != 0) continue;
        t->changed = &tensor->data[k];
        t->old = tensor->data[k];
        tensor->data[k] = t->old * t->factor + t->add;
        return false;
    }
    return true;
}

/* A big change of a weight that matters must be seen; whatever the certificate lets pass must
 * be harmless. */
static void tamper_with(Fixture *f, const Case *c, Tamper change, size_t *passed, size_t *refused) {
    for (size_t at = 0;; at++) {
        Tamper t = change;
        double error, bound;
        t.at = at;
        if (model_visit(f->compiled.model, tamper, &t)) return; /* no such weight */
        bool held = holds(f, &bound);
        *(held ? passed : refused) += 1;
        bool right = !held || all_right(f, &error);
        if (held && (!right || error > bound))
            fail_msg("%s: holds with a %g of %s times %g plus %g: %s, error %g, bound %g", c->text,
                     t.old, t.name, change.factor, change.add, right ? "right" : "wrong", error,
                     bound);
        *t.changed = t.old;
    }
}

static void test_tampering(void **state) {
    (void)state;
    static const Tamper changes[] = {{.factor = 1 + 1e-12}, {.factor = 1.001}, {.factor = 1.5},
                                     {.factor = -1},        {.factor = 1e-9},  {.add = 1e-12},
                                     {.add = 0.5},          {.add = -64}};
    size_t passed = 0, refused = 0;
    for (size_t k = 0; k < 2 * (size_t)CASES; k++) { /* softmax and sparsemax */
        Fixture f;
        setup_case(&f, &cases[k % CASES], COMPILE_F64, kernels[k / CASES]);
        for (size_t m = 0; m < sizeof changes / sizeof *changes; m++)
            tamper_with(&f, &cases[k % CASES], changes[m], &passed, &refused);
        clear_case(&f);
    }
    assert_true(passed > 100); /* tiny changes do no harm */
    assert_true(refused > 100);
}

/* A file that says another kernel than was compiled for is another model. */
static void test_other_kernel(void **state) {
    (void)state;
    Fixture f;
    double bound;
    setup_case(&f, &cases[0], COMPILE_F64, RT_SPARSEMAX);
    assert_true(holds(&f, &bound));
    f.compiled.model->kernel = RT_SOFTMAX;
    assert_false(holds(&f, &bound));
    clear_case(&f);
}

/* Nothing is known of what a bias does to scores, so nothing is shown of a model that has one. */
static void test_biases(void **state) {
    (void)state;
    Fixture f;
    Certificate certificate;
    double bound;
    setup_case(&f, &cases[0], COMPILE_F64, RT_SOFTMAX);
    assert_true(holds(&f, &bound));
    ModelHead *head = NULL;
    for (size_t l = 0; l < f.compiled.model->layer_count; l++)
        if (f.compiled.model->layers[l]->head_count) head = f.compiled.model->layers[l]->heads[0];
    head_set_bias(head, RT_BIAS_ALIBI, 0, (double[]){0}, 1);
    assert_false(certificate_check(f.compiled.circuit, f.compiled.ideal, f.compiled.model, f.arena,
                                   &certificate));
    assert_string_equal(certificate.broken,
                        "heads have position biases, which no bound is known for");
    clear_case(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_holds_as_compiled),
        cmocka_unit_test(test_soft_attention_breaks_it),
        cmocka_unit_test(test_tampering),
        cmocka_unit_test(test_other_kernel),
        cmocka_unit_test(test_biases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
