/* What a file claims of its pieces: each claim altered is refused, whatever stands in the place of
 * claims is an error or a report, and what is read leaves no trace in the program. */
#include "api/rasp_circuit.h"
#include "base/random.h"
#include "tests/unit/claims_fixture.h"

#include <stdio.h>
#include <stdlib.h>

static const Subject subjects[] = {
    {"y = selector_width(select(tokens, tokens, ==));", {.alphabet = "abc", .max_length = 5}},
    {"y = sort(tokens, tokens);", {.alphabet = "abc", .max_length = 5}},
    {"n = selector_width(select(tokens, tokens, ==));"
     "m = selector_width(select(n, n, ==) and select(indices, indices, <));"
     "y = [5, 1, 4, 2, 0, 3][m] if n > 1 else m * n;",
     {.alphabet = "ab", .max_length = 5}},
    {"y = aggregate(select(tokens, \"a\", ==) and select(indices, indices, <), indices, 0.5);",
     {.alphabet = "ab", .max_length = 5}},
    {"y = aggregate(select(tokens, \"a\", ==) and select(indices, indices, <), indices, 0.5);",
     {.alphabet = "ab", .max_length = 5, .layout = RASP_STANDARD}},
    {"y = 1 / (tokens_int - 1);", {.alphabet = "012", .max_length = 3, .partial = true}},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

typedef enum Outcome { SHOWN, REFUSED, UNREADABLE } Outcome;

/* What comes of the model as a file; *error or the report say why not. */
static Outcome judge(const Model *model, char *why, size_t size) {
    RtError reason;
    RaspError error = {0};
    RaspClaimsReport report;
    Bytes b;
    *why = '\0';
    if (!model_save_bytes(model, &b.bytes, &b.size, &reason)) fail_msg("%s", reason.text);
    RaspModel *m = rasp_model_from_bytes(b.bytes, b.size, "w.bin", &config, &error);
    Outcome outcome = UNREADABLE;
    if (m && rasp_verify_claims(m, NULL, &report, &error)) outcome = report.holds ? SHOWN : REFUSED;
    if (outcome == REFUSED)
        snprintf(why, size, "%s%s", report.refused, report.certificate.broken ? "" : "?");
    if (outcome == UNREADABLE) snprintf(why, size, "%s", error.text);
    if (outcome != SHOWN && !*why) fail_msg("no reason is given");
    rasp_model_free(m);
    free(b.bytes);
    return outcome;
}

/* --- every claim --------------------------------------------------------------------------- */

typedef struct Walk {
    Model *model;
    size_t tried;
    char path[400];
} Walk;

/* Fewer claims, or of a shorter time, are true as well. */
static bool is_weaker(const char *path, const char *what) {
    static const char *const less[] = {"dim", "token", "position", "sublayers"};
    for (size_t k = 0; k < sizeof less / sizeof *less; k++)
        if (strcmp(what, less[k]) == 0) return true;
    /* Without a definition the program's name means the same. */
    if (strcmp(path, ".define") == 0 && (what[1] < '1' || what[1] > '9')) return true;
    return strstr(path, ".until") || strcmp(path, ".token") == 0 || strcmp(path, ".position") == 0;
}

static void expect_refused(Walk *w, const char *what) {
    char why[2048];
    if (is_weaker(w->path, what)) return;
    w->tried++;
    if (judge(w->model, why, sizeof why) == SHOWN) fail_msg("%s: %s, and shown", w->path, what);
}

/* Another value of the same type, NULL for those with parts. */
static json_t *another(const json_t *value) {
    char text[4096];
    const char *old = json_string_value(value);
    switch (json_typeof(value)) {
    case JSON_STRING:
        snprintf(text, sizeof text,
                 strstr(old, "select(") == old ? "not (%.4000s)"
                                               : "7 if indices > 0 else (%.4000s)",
                 old);
        return json_string(text);
    case JSON_INTEGER:
        return json_integer(json_integer_value(value) ? json_integer_value(value) - 1 : 1);
    default:
        return NULL;
    }
}

static void walk(Walk *w, json_t *value);

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
        if (object)
            json_object_set(object, key, old);
        else
            json_array_set(array, index, old);
    } else {
        walk(w, old);
    }
    json_decref(old);
    w->path[length] = '\0';
}

/* Entries changed, and left out. */
static void walk(Walk *w, json_t *value) {
    const char *key;
    json_t *entry;
    if (json_is_array(value)) {
        for (size_t k = 0; k < json_array_size(value); k++) {
            walk_entry(w, NULL, NULL, value, k);
            entry = json_incref(json_array_get(value, k));
            json_array_remove(value, k);
            expect_refused(w, "one left out");
            json_array_insert_new(value, k, entry);
        }
        return;
    }
    json_t *keys = json_object();
    json_object_foreach(value, key, entry) json_object_set_new(keys, key, json_null());
    json_object_foreach(keys, key, entry) {
        walk_entry(w, value, key, NULL, 0);
        json_t *all = json_copy(value);
        json_object_del(value, key);
        expect_refused(w, key);
        json_object_clear(value);
        json_object_update(value, all);
        json_decref(all);
    }
    json_decref(keys);
}

static void test_each_claim(void **state) {
    (void)state;
    for (size_t k = 0; k < SUBJECTS; k++) {
        char why[2048];
        Bytes b = compile(&subjects[k]);
        Walk w = {.model = load(b)};
        if (judge(w.model, why, sizeof why) != SHOWN) fail_msg("%s: %s", subjects[k].text, why);
        walk(&w, json_object_get(w.model->extra, "claims"));
        assert_true(w.tried > 10);
        model_free(w.model);
        free(b.bytes);
    }
}

/* A dimension that is given back does not hold any longer what it held. */
static void test_time(void **state) {
    (void)state;
    static const Subject sorted = {"y = sort(tokens, tokens);",
                                   {.alphabet = "abc", .max_length = 5}};
    char why[2048];
    size_t k, later = 0;
    json_t *part;
    Bytes b = compile(&sorted);
    Model *model = load(b);
    json_array_foreach(json_object_get(json_object_get(model->extra, "claims"), "token"), k, part) {
        json_t *until = json_object_get(part, "until");
        if (json_integer_value(json_array_get(until, 0)) != 0) continue;
        json_array_set_new(until, 0, json_integer(1));
        assert_int_equal(judge(model, why, sizeof why), REFUSED);
        json_array_set_new(until, 0, json_integer(0));
        assert_int_equal(judge(model, why, sizeof why), SHOWN);
        later++;
    }
    assert_int_equal(later, 1);
    model_free(model);
    free(b.bytes);
}

/* --- two ways ------------------------------------------------------------------------------ */

/* Of the same weights, the certificate tells the same scores apart whichever way it is found. */
static void test_both_ways(void **state) {
    (void)state;
    for (size_t k = 0; k < SUBJECTS; k++) {
        RaspError error = {0};
        RaspClaimsReport claims;
        RaspVerifyReport compiled;
        Bytes b = compile(&subjects[k]);
        RaspModel *m = rasp_model_from_bytes(b.bytes, b.size, "w.bin", &config, &error);
        assert_non_null(m);
        assert_true(rasp_verify_claims(m, NULL, &claims, &error) && claims.holds);
        assert_true(rasp_verify(m, &compiled, &error) && compiled.holds);
        assert_true(claims.certificate.beta == compiled.certificate.beta);
        rasp_model_free(m);
        free(b.bytes);
    }
}

/* --- anything ------------------------------------------------------------------------------ */

static json_t *anything(Random *random) {
    static const char *const texts[] = {"null",
                                        "true",
                                        "-1",
                                        "4294967295",
                                        "4294967296",
                                        "9223372036854775807",
                                        "1e300",
                                        "0.5",
                                        "\"\"",
                                        "\"indices\"",
                                        "\"tokens +\"",
                                        "\"y y\"",
                                        "\"y; y\"",
                                        "\"range(1000000000)\"",
                                        "\"[1]\"",
                                        "\"full_s\"",
                                        "\"x\\u0000y\"",
                                        "\"(((((((((((((((((((((((((((((((((1\"",
                                        "\"count\"",
                                        "\"default\"",
                                        "[]",
                                        "[0]",
                                        "[0, 0]",
                                        "[0, 4294967295]",
                                        "[[[[[[0]]]]]]",
                                        "{}",
                                        "{\"x1\": \"x2\", \"x2\": \"x1\"}",
                                        "{\"sop\": \"y\"}",
                                        "{\"everywhere\": {\"float\": \"inf\"}}",
                                        "{\"float\": \"nine\"}"};
    size_t count = sizeof texts / sizeof *texts;
    json_t *value =
        json_loads(texts[random_below(random, count)], JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    assert_non_null(value);
    return value;
}

/* Puts it somewhere below the value, or in its place. */
static void put_anything(json_t *value, Random *random) {
    size_t size = json_is_array(value) ? json_array_size(value) : json_object_size(value);
    if (size == 0) return;
    size_t at = random_below(random, size);
    const char *key = NULL;
    if (json_is_object(value)) {
        void *entry = json_object_iter(value);
        for (size_t k = 0; k < at; k++) entry = json_object_iter_next(value, entry);
        key = json_object_iter_key(entry);
    }
    json_t *below = key ? json_object_get(value, key) : json_array_get(value, at);
    bool deeper = (json_is_array(below) || json_is_object(below)) && random_below(random, 4);
    if (deeper)
        put_anything(below, random);
    else if (key)
        json_object_set_new(value, key, anything(random));
    else if (random_below(random, 3))
        json_array_set_new(value, at, anything(random));
    else
        json_array_insert_new(value, at, anything(random));
}

static void test_anything(void **state) {
    (void)state;
    enum { TIMES = 150 };
    size_t outcomes[3] = {0};
    Random random = {5};
    for (size_t k = 0; k < SUBJECTS; k++) {
        Bytes b = compile(&subjects[k]);
        for (int t = 0; t < TIMES; t++) {
            char why[2048];
            Model *model = load(b);
            for (uint64_t n = 1 + random_below(&random, 3); n > 0; n--)
                put_anything(json_object_get(model->extra, "claims"), &random);
            outcomes[judge(model, why, sizeof why)]++;
            model_free(model);
        }
        free(b.bytes);
    }
    assert_true(outcomes[REFUSED] > 0 && outcomes[UNREADABLE] > TIMES);
}

/* --- no trace ------------------------------------------------------------------------------ */

static RaspModel *model_of(Bytes b) {
    RaspError error = {0};
    RaspModel *m = rasp_model_from_bytes(b.bytes, b.size, "w.bin", &config, &error);
    if (!m) fail_msg("%s", error.text);
    return m;
}

/* The s-ops of the model's circuit and what carries them, a line each; for free. */
static char *circuit_text(RaspModel *m) {
    RaspError error = {0};
    const RaspCircuit *c = rasp_model_circuit(m, &error);
    if (!c) fail_msg("%s", error.text);
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    for (size_t k = 0; k < c->sop_count; k++) {
        const RaspCircuitSop *s = &c->sops[k];
        fprintf(out, "%zu %s: %s at %u:%u\n", k, s->name ? s->name : "", s->text, s->place.line,
                s->place.column);
    }
    for (size_t k = 0; k < c->column_count; k++)
        fprintf(out, "column %zu of %u, node %u\n", k, c->columns[k].sop, c->columns[k].node);
    for (size_t k = 0; k < c->edge_count; k++)
        fprintf(out, "%u to %u\n", c->edges[k].from, c->edges[k].to);
    assert_int_equal(fclose(out), 0);
    return text;
}

/* Verifies, or proves if `finding`, by the model's own program or the one given; it may well not
 * hold. */
static void read_claims(RaspModel *m, RaspProgram *program, bool finding) {
    RaspError error = {0};
    RaspClaimsReport report;
    RaspProveReport proof;
    if (finding)
        rasp_prove(m, program, &proof, &error);
    else if (!rasp_verify_claims(m, program, &report, &error))
        fail_msg("%s", error.text);
}

/* A model's circuit, and what a program compiles to, are the same before claims were read and
 * after. */
static void test_no_trace(void **state) {
    (void)state;
    for (size_t k = 0; k < SUBJECTS; k++) {
        Bytes b = compile(&subjects[k]);
        RaspModel *plain = model_of(b);
        char *wanted = circuit_text(plain);
        for (int finding = 0; finding <= 1; finding++) {
            RaspModel *own = model_of(b), *other = model_of(b);
            RaspProgram *program = program_of(&subjects[k]);
            read_claims(own, NULL, finding);
            char *found = circuit_text(own);
            assert_string_equal(found, wanted);
            read_claims(other, program, finding);
            Bytes again = compile_in(program, &subjects[k]);
            assert_int_equal(again.size, b.size);
            assert_memory_equal(again.bytes, b.bytes, b.size);
            free(again.bytes);
            free(found);
            rasp_program_free(program);
            rasp_model_free(own);
            rasp_model_free(other);
        }
        free(wanted);
        rasp_model_free(plain);
        free(b.bytes);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_claim),
                                       cmocka_unit_test(test_no_trace), cmocka_unit_test(test_time),
                                       cmocka_unit_test(test_both_ways),
                                       cmocka_unit_test(test_anything)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
