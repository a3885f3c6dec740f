/* rasp_verify believes nothing: each single value of a file's document that is not what the
 * compilation writes is found out. */
#include "api/rasp_check.h"
#include "runtime/safetensors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* --- files --------------------------------------------------------------------------------- */

typedef struct Bytes {
    unsigned char *bytes;
    size_t size;
} Bytes;

static const RaspConfig config = {.cpu_seconds = 60};

static int read_loaded(void *context, const char *path, char **text, size_t *length) {
    (void)context;
    const char *found = strstr(path, "helper") ? "def twice(s) { return s + s; }" : NULL;
    if (!found) return 2;
    *text = strdup(found);
    *length = strlen(found);
    return 0;
}

static Bytes compile(const char *text, const char *const *names, size_t count,
                     const RaspTarget *target) {
    RaspError error = {0};
    RaspConfig with = config;
    with.read = read_loaded;
    RaspSource source = {.path = "p.rasp", .text = text, .length = strlen(text)};
    RaspProgram *program = rasp_program_load(&source, &with, &error);
    if (!program) fail_msg("%s", error.text);
    RaspSop sops[4];
    for (size_t k = 0; k < count; k++)
        assert_true(rasp_program_sop(program, names[k], &sops[k], &error));
    RaspModel *model = rasp_compile(program, sops, count, target, &error);
    if (!model) fail_msg("%s", error.text);
    Bytes b;
    assert_true(rasp_model_bytes(model, &b.bytes, &b.size, &error));
    rasp_model_free(model);
    rasp_program_free(program);
    return b;
}

static Model *load(Bytes b) {
    RtError error;
    Model *model = model_load_bytes(b.bytes, b.size, &error);
    if (!model) fail_msg("%s", error.text);
    return model;
}

/* Does the model, as a file, pass?  A file that cannot be read or compiled does not. */
static bool passes(const Model *model, RaspVerifyReport *report) {
    RtError reason;
    RaspError error = {0};
    Bytes b;
    *report = (RaspVerifyReport){0};
    if (!model_save_bytes(model, &b.bytes, &b.size, &reason)) return false;
    RaspModel *m = rasp_model_from_bytes(b.bytes, b.size, "w.bin", &config, &error);
    bool holds = m && rasp_verify(m, report, &error) && report->holds;
    memset(report->claims, 0, sizeof report->claims);
    memset(report->unknown, 0, sizeof report->unknown);
    rasp_model_free(m);
    free(b.bytes);
    return holds;
}

/* --- every value --------------------------------------------------------------------------- */

/* What is tried on each place, and where it is. */
typedef struct Walk {
    Model *model;
    size_t tried;
    char path[400];
} Walk;

/* Premises, not claims: with others the same weights may well be what the program compiles to. */
static bool is_premise(const char *path, const char *what) {
    static const char *const premises[] = {".domain",
                                           ".domain.first",
                                           ".domain.where",
                                           ".options.table_limit",
                                           ".options.tolerance",
                                           ".options.dtype",
                                           ".options.partial"};
    if (strcmp(path, ".options") == 0 &&
        (strcmp(what, "tolerance") == 0 || strcmp(what, "partial") == 0))
        return true;
    /* By compiling, a file without claims is one of before there were any. */
    if (!*path && strcmp(what, "claims") == 0) return true;
    for (size_t k = 0; k < sizeof premises / sizeof *premises; k++)
        if (strcmp(path, premises[k]) == 0) return true;
    return false;
}

static void expect_refused(Walk *w, const char *what) {
    RaspVerifyReport report;
    w->tried++;
    if (is_premise(w->path, what)) return;
    if (passes(w->model, &report)) fail_msg("%s: %s, and it is verified", w->path, what);
}

/* Another value of the same type, NULL for those with parts. */
static json_t *another(const json_t *value) {
    char text[64];
    switch (json_typeof(value)) {
    case JSON_STRING:
        snprintf(text, sizeof text, "%.40sx", json_string_value(value));
        return json_string(text);
    case JSON_INTEGER:
        return json_integer(json_integer_value(value) + 1);
    case JSON_REAL:
        return json_real(json_real_value(value) / 2 - 1);
    case JSON_TRUE:
    case JSON_FALSE:
        return json_boolean(!json_is_true(value));
    case JSON_NULL:
        return json_integer(0);
    default:
        return NULL;
    }
}

static void walk(Walk *w, json_t *value);

/* A member of an object or (key NULL) of an array: changed, and put back. */
static void walk_entry(Walk *w, json_t *object, const char *key, json_t *array, size_t index) {
    size_t length = strlen(w->path);
    json_t *old = object ? json_object_get(object, key) : json_array_get(array, index);
    json_t *new = another(old);
    json_incref(old);
    if (object)
        snprintf(w->path + length, sizeof w->path - length, ".%s", key);
    else
        snprintf(w->path + length, sizeof w->path - length, "[%zu]", index);
    if (new) {
        if (object)
            json_object_set_new(object, key, new);
        else
            json_array_set_new(array, index, new);
        expect_refused(w, "changed");
    } else {
        walk(w, old);
    }
    if (object)
        json_object_set_new(object, key, old);
    else
        json_array_set_new(array, index, old);
    w->path[length] = '\0';
}

static void walk_array(Walk *w, json_t *array) {
    size_t count = json_array_size(array), shown = count < 3 ? count : 3;
    for (size_t k = 0; k < shown; k++) walk_entry(w, NULL, NULL, array, k);
    json_array_append_new(array, json_integer(7));
    expect_refused(w, "longer");
    json_array_remove(array, count);
}

/* Is the key there in every file?  Those of older versions have no hash of what is loaded. */
static bool is_required(const char *key) {
    return strcmp(key, "sha256") != 0;
}

static void walk_key(Walk *w, json_t *object, const char *key) {
    walk_entry(w, object, key, NULL, 0);
    if (!is_required(key)) return;
    json_t *old = json_incref(json_object_get(object, key));
    json_object_del(object, key);
    expect_refused(w, key);
    json_object_set_new(object, key, old);
}

static void walk_object(Walk *w, json_t *object) {
    char keys[32][64];
    size_t count = 0;
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value) {
        assert_true(count < 32);
        snprintf(keys[count++], sizeof *keys, "%s", key);
    }
    for (size_t k = 0; k < count; k++) walk_key(w, object, keys[k]);
}

static void walk(Walk *w, json_t *value) {
    if (json_is_array(value))
        walk_array(w, value);
    else
        walk_object(w, value);
}

static size_t walk_model(Model *model) {
    RaspVerifyReport report;
    Walk w = {.model = model};
    assert_true(passes(model, &report));
    walk(&w, model->extra);
    for (size_t l = 0; l < model->layer_count; l++) {
        const ModelLayer *layer = model->layers[l];
        for (size_t h = 0; h < layer->head_count; h++) walk(&w, layer->heads[h]->extra);
        for (size_t m = 0; m < layer->mlp_count; m++) walk(&w, layer->mlps[m]->extra);
    }
    assert_true(passes(model, &report));
    return w.tried;
}

static const char several[] =
    "load \"helper\";\n"
    "opens = tokens == \"a\";\n"
    "count = selector_width(select(tokens, tokens, ==));\n"
    "before = twice(aggregate(select(indices, indices - 1, ==), count, 0));\n"
    "ok = tokens[0] == \"a\";\n";
static const char *const names[] = {"opens", "before"};

static void test_every_value(void **state) {
    (void)state;
    static const RaspTarget targets[] = {
        {.alphabet = "ab", .max_length = 3, .first = "a", .where = "ok"},
        {.alphabet = "abc", .max_length = 3, .layout = RASP_STANDARD, .dtype = RASP_F64}};
    for (size_t k = 0; k < sizeof targets / sizeof *targets; k++) {
        Bytes b = compile(several, names, 2, &targets[k]);
        Model *model = load(b);
        assert_true(walk_model(model) > 100);
        model_free(model);
        free(b.bytes);
    }
}

/* --- what the runtime reads ---------------------------------------------------------------- */

static void swap_names(Model *m) {
    char *name = m->outputs[0]->name;
    m->outputs[0]->name = m->outputs[1]->name;
    m->outputs[1]->name = name;
}

static void rename_output(Model *m) {
    m->outputs[1]->name[0] = 'x';
}

static void swap_outputs(Model *m) {
    ModelOutput *output = m->outputs[0];
    m->outputs[0] = m->outputs[1];
    m->outputs[1] = output;
}

static void swap_values(Model *m) {
    RtAtom *values = m->outputs[0]->values, value = values[0];
    values[0] = values[1];
    values[1] = value;
}

static void swap_tokens(Model *m) {
    RtAtom token = m->alphabet[0];
    m->alphabet[0] = m->alphabet[1];
    m->alphabet[1] = token;
}

static void turn_mask(Model *m) {
    ModelHead *head = m->layers[m->layer_count - 1]->heads[0];
    head->mask = head->mask == RT_MASK_NONE ? RT_MASK_CAUSAL : RT_MASK_NONE;
}

static void turn_scale(Model *m) {
    m->layers[0]->heads[0]->scale = RT_SCALE_LOG_LENGTH;
}

static void widen_gap(Model *m) {
    m->layers[0]->heads[0]->gap *= 2;
}

static void move_start(Model *m) {
    m->outputs[0]->start = m->outputs[1]->start;
}

static void test_every_field(void **state) {
    (void)state;
    static void (*const changes[])(Model *) = {swap_names,  rename_output, swap_outputs,
                                               swap_values, swap_tokens,   turn_mask,
                                               turn_scale,  widen_gap,     move_start};
    static const RaspTarget targets[] = {
        {.alphabet = "ab", .max_length = 3},
        {.alphabet = "ab", .max_length = 3, .layout = RASP_STANDARD}};
    for (size_t t = 0; t < 2; t++) {
        Bytes b = compile(several, names, 2, &targets[t]);
        for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
            RaspVerifyReport report;
            Model *model = load(b);
            changes[k](model);
            if (passes(model, &report)) fail_msg("change %zu of target %zu is verified", k, t);
            model_free(model);
        }
        free(b.bytes);
    }
}

/* A bias of any form, even one that changes no score, on any head, even one that is padding: it is
 * not certified, and that is what is said. */
static void expect_biases(Model *model, size_t l, size_t h) {
    static const double numbers[32] = {0};
    static const double wide[] = {1e6};
    static const struct {
        RtBiasForm form;
        const double *values;
        size_t count;
    } biases[] = {{RT_BIAS_ALIBI, numbers, 1},
                  {RT_BIAS_WINDOW, wide, 1},
                  {RT_BIAS_T5, numbers, 32},
                  {RT_BIAS_PRIOR, numbers, 3}};
    ModelHead *head = model->layers[l]->heads[h];
    for (size_t k = 0; k < sizeof biases / sizeof *biases; k++) {
        RaspVerifyReport report;
        char said[128];
        head_set_bias(head, biases[k].form, 0, biases[k].values, biases[k].count);
        if (passes(model, &report)) fail_msg("head %zu.%zu has a bias, and it is verified", l, h);
        snprintf(said, sizeof said,
                 "not certified: heads have position biases, head %zu of layer %zu %s", h + 1,
                 l + 1, rt_bias_names[biases[k].form]);
        assert_string_equal(report.difference, said);
    }
    head_set_bias(head, RT_BIAS_NONE, 0, NULL, 0);
}

static void test_biases(void **state) {
    (void)state;
    static const RaspTarget targets[] = {
        {.alphabet = "ab", .max_length = 3},
        {.alphabet = "ab", .max_length = 3, .layout = RASP_STANDARD}};
    for (size_t t = 0; t < 2; t++) {
        Bytes b = compile(several, names, 2, &targets[t]);
        RaspVerifyReport report;
        Model *model = load(b);
        for (size_t l = 0; l < model->layer_count; l++)
            for (size_t h = 0; h < model->layers[l]->head_count; h++) expect_biases(model, l, h);
        assert_true(passes(model, &report));
        model_free(model);
        free(b.bytes);
    }
}

/* --- changed weights, unknown keys --------------------------------------------------------- */

/* Each place at which a number is read, the first and the last too, moved by less than a gap. */
static void test_every_place(void **state) {
    (void)state;
    static const char mixed[] = "y = indices if tokens == \"a\" else indices + 0.0;\n";
    static const char *const name[] = {"y"};
    static const RaspTarget target = {.alphabet = "ab", .max_length = 3};
    Bytes b = compile(mixed, name, 1, &target);
    Model *model = load(b);
    ModelOutput *output = model->outputs[0];
    RaspVerifyReport report;
    assert_non_null(output->places);
    assert_int_equal(output->value_count, 6);
    for (size_t k = 0; k < output->value_count; k++) {
        double place = output->places[k];
        output->places[k] += 0.125;
        if (passes(model, &report)) fail_msg("place %zu has moved, and it is verified", k);
        output->places[k] = place;
        assert_true(passes(model, &report));
    }
    model_free(model);
    free(b.bytes);
}

static void nudge(Model *model, double factor) {
    Tensor *t = &model->layers[0]->heads[0]->query;
    for (size_t k = 0; k < tensor_size(t); k++) t->data[k] *= factor;
}

/* Honest bounds stay so; smaller ones, or others, are found. */
static void test_changed_weights(void **state) {
    (void)state;
    RaspVerifyReport report;
    Bytes b = compile(several, names, 2, &(RaspTarget){.alphabet = "ab", .max_length = 3});
    Model *model = load(b);
    json_t *certificate = json_object_get(model->extra, "certificate");
    nudge(model, 1.5); /* sharper */
    bool holds = passes(model, &report);
    assert_true(report.changed > 0);
    if (!holds) assert_true(report.false_claims > 0 || !report.certificate.holds);
    json_object_set_new(certificate, "error", json_real(report.certificate.error / 2));
    assert_false(passes(model, &report));
    assert_true(report.false_claims > 0);
    json_object_set_new(certificate, "error", json_real(report.certificate.error));
    json_object_set_new(certificate, "where", json_string("nowhere"));
    assert_false(passes(model, &report));
    model_free(model);
    free(b.bytes);
}

static void test_unknown_keys(void **state) {
    (void)state;
    RaspVerifyReport report;
    Bytes b = compile(several, names, 2, &(RaspTarget){.alphabet = "ab", .max_length = 3});
    Model *model = load(b);
    json_object_set_new(model->extra, "note", json_string("mine"));
    json_object_set_new(model->metadata, "author", json_string("me"));
    json_object_set_new(model->layers[0]->extra, "note", json_integer(1));
    assert_true(passes(model, &report));
    assert_int_equal(report.unknown_keys, 3);
    json_object_set_new(json_object_get(model->extra, "certificate"), "note", json_true());
    assert_false(passes(model, &report));
    model_free(model);
    free(b.bytes);
}

/* Asked twice, it says the same: the first time leaves nodes in the graph. */
static void test_twice(void **state) {
    (void)state;
    RaspError error = {0};
    RaspVerifyReport report;
    Bytes b = compile(several, names, 2, &(RaspTarget){.alphabet = "ab", .max_length = 3});
    RaspModel *m = rasp_model_from_bytes(b.bytes, b.size, "w.bin", &config, &error);
    for (int k = 0; k < 2; k++) {
        assert_true(rasp_verify(m, &report, &error));
        if (report.false_claims) fail_msg("time %d: %s", k, report.claims[0]);
        assert_true(report.holds);
    }
    rasp_model_free(m);
    free(b.bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_value),
                                       cmocka_unit_test(test_biases),
                                       cmocka_unit_test(test_every_field),
                                       cmocka_unit_test(test_every_place),
                                       cmocka_unit_test(test_changed_weights),
                                       cmocka_unit_test(test_unknown_keys),
                                       cmocka_unit_test(test_twice)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
