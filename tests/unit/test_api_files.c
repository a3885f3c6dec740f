/* Weights files through rasp.h: bytes and files, what they embed, and whether it is true. */
#include "tests/unit/api_fixture.h"

#include <errno.h>
#include <unistd.h>

typedef struct Bytes {
    unsigned char *data;
    size_t size;
} Bytes;

static Bytes bytes_of(const RaspModel *model) {
    Bytes bytes;
    RaspError error;
    if (!rasp_model_bytes(model, &bytes.data, &bytes.size, &error)) fail_msg("%s", error.text);
    return bytes;
}

static RaspModel *loaded(Bytes bytes, const RaspConfig *config) {
    RaspError error;
    RaspModel *model = rasp_model_from_bytes(bytes.data, bytes.size, NULL, config, &error);
    if (!model) fail_msg("%s", error.text);
    return model;
}

static const RaspTarget small = {.alphabet = "ab", .max_length = 4};

/* --- bytes and files -------------------------------------------------------------------- */

static void files(void **state) {
    (void)state;
    char path[] = "/tmp/rasp-api-XXXXXX", missing[64];
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    RaspModel *model = model_of(histogram, &small);
    Bytes bytes = bytes_of(model), again;
    RaspError error;
    assert_true(rasp_is_weights(bytes.data, bytes.size) && !rasp_is_weights("y = length;", 11));
    assert_false(rasp_is_weights(bytes.data, 7));
    assert_true(rasp_model_save(model, path, &error));
    rasp_model_free(model);
    model = rasp_model_load(path, NULL, &error);
    assert_non_null(model);
    again = bytes_of(model);
    assert_int_equal(again.size, bytes.size);
    assert_memory_equal(again.data, bytes.data, bytes.size);
    assert_false(rasp_model_certificate(model, &(RaspCertificate){0}));
    assert_null(rasp_model_dump(model, "heads", &error));
    assert_int_equal(error.status, RASP_WRONG_USE);
    snprintf(missing, sizeof missing, "%s/none", path);
    assert_false(rasp_model_save(model, missing, &error));
    assert_int_equal(error.status, RASP_FAILED);
    assert_null(rasp_model_load(missing, NULL, &error));
    assert_int_equal(error.status, RASP_WRONG_FILE);
    rasp_model_free(model);
    unlink(path);
    rasp_free(bytes.data);
    rasp_free(again.data);
}

/* No beginning of a file is one, and no changed byte does harm. */
static void broken(void **state) {
    (void)state;
    RaspModel *model = model_of(before, &small);
    Bytes bytes = bytes_of(model);
    RaspError error;
    rasp_model_free(model);
    for (size_t size = 0; size < bytes.size; size += size < 64 ? 1 : 61) {
        assert_null(rasp_model_from_bytes(bytes.data, size, "cut", NULL, &error));
        assert_int_equal(error.status, RASP_WRONG_FILE);
        assert_int_equal(strncmp(error.text, "'cut': ", 7), 0);
    }
    for (size_t at = 0; at < bytes.size; at += at < 256 ? 3 : 37) {
        bytes.data[at] ^= 0x15;
        model = rasp_model_from_bytes(bytes.data, bytes.size, "changed", NULL, NULL);
        if (model) {
            RaspVerifyReport report;
            rasp_verify(model, &report, NULL);
        }
        rasp_model_free(model);
        bytes.data[at] ^= 0x15;
    }
    rasp_free(bytes.data);
}

/* --- what a model embeds ---------------------------------------------------------------- */

static int read_part(void *context, const char *path, char **text, size_t *length) {
    static const char part[] = "def twice(x) { return x + x; }";
    size_t *asked = context;
    if (strcmp(path, "part.rasp") != 0) return ENOENT;
    ++*asked;
    *length = sizeof part - 1;
    *text = malloc(*length);
    memcpy(*text, part, *length);
    return 0;
}

/* A model that loads a file: the program runs from the model alone. */
static void embedded(void **state) {
    (void)state;
    static const char text[] = "load \"part\";\ny = twice(indices);\nz = y + 1;";
    size_t asked = 0;
    RaspConfig config = {.read = read_part, .read_context = &asked};
    RaspError error;
    RaspProgram *program = try_program(text, &config, &error);
    if (!program) fail_msg("%s", error.text);
    assert_int_equal(asked, 1);
    RaspSop sops[] = {sop_of(program, "y"), sop_of(program, "z")}, sop;
    RaspModel *model = rasp_compile(program, sops, 2, &small, &error);
    rasp_program_free(program);
    Bytes bytes = bytes_of(model);
    rasp_model_free(model);
    model = loaded(bytes, NULL);
    rasp_free(bytes.data);
    program = rasp_model_program(model, &error);
    assert_true(program && program == rasp_model_program(model, NULL));
    assert_int_equal(asked, 1);
    assert_true(rasp_program_expression(program, "twice(z)", &sop, &error));
    RaspInput input = input_of("abab");
    RaspRun *run = rasp_run_new(program, &input, &sop, 1, NULL, &error);
    RaspCheckReport *report = rasp_check(model, NULL, &error);
    assert_true(report->agree && report->compared == 2 + 4 + 8 + 16);
    rasp_model_free(model);
    assert_string_equal(text_of(rasp_run_sequence(run, 0, NULL)), "2 6 10 14");
    rasp_run_free(run);
    rasp_check_free(report);
    assert_int_equal(asked, 1);
}

static void described(void **state) {
    (void)state;
    RaspModel *model = model_of(histogram, &small);
    char *json = rasp_model_json(model, NULL);
    assert_true(json && json[0] == '{' && strstr(json, "\"rank\""));
    rasp_free(json);
    for (int k = 0; rasp_dump_name(k); k++) {
        char *text = rasp_model_dump(model, rasp_dump_name(k), NULL);
        assert_true(text && *text);
        rasp_free(text);
    }
    RaspError error;
    assert_null(rasp_model_dump(model, "none", &error));
    assert_int_equal(error.status, RASP_WRONG_USE);
    rasp_model_free(model);
}

/* --- checking --------------------------------------------------------------------------- */

static void count_inputs(void *context, size_t inputs) {
    *(size_t *)context = inputs;
}

static void checks(void **state) {
    (void)state;
    static const double temperatures[] = {1, 0.5};
    size_t inputs = 0;
    RaspModel *model = model_of(histogram, &(RaspTarget){.alphabet = "abcd", .max_length = 9});
    RaspCheckOptions options = rasp_check_options();
    RaspError error;
    options.exhaustive_limit = 10;
    options.count = 500;
    options.temperatures = temperatures;
    options.temperature_count = 2;
    options.progress = count_inputs;
    options.progress_context = &inputs;
    RaspCheckReport *report = rasp_check(model, &options, &error);
    assert_true(report && report->agree && !report->exhaustive);
    assert_true(report->run_count == 2 && report->runs[1].temperature == 0.5);
    assert_true(report->compared >= 500 && inputs == report->compared);
    rasp_check_free(report);
    options.temperature_count = 0; /* and NULL means 1, whatever the count */
    report = rasp_check(model, &options, &error);
    assert_true(report->run_count == 1 && report->runs[0].temperature == 1);
    rasp_check_free(report);
    options.temperatures = NULL;
    options.temperature_count = 3;
    report = rasp_check(model, &options, &error);
    assert_true(report->run_count == 1 && report->runs[0].temperature == 1);
    rasp_check_free(report);
    options.rule = RASP_HARD_LEFT; /* a histogram needs the mean: examples of what differs */
    report = rasp_check(model, &options, &error);
    assert_true(!report->agree && report->runs[0].example_count == 3);
    for (size_t k = 0; k < 3; k++) {
        const RaspCheckExample *example = &report->runs[0].examples[k];
        bool same = true;
        for (size_t i = 0; i < example->length; i++)
            same &= rasp_atom_same(example->expected[i], example->found[i]);
        assert_false(same);
    }
    rasp_check_free(report);
    options.rule = (RaspRule)99;
    assert_null(rasp_check(model, &options, &error));
    assert_int_equal(error.status, RASP_WRONG_USE);
    rasp_model_free(model);
}

/* --- verifying -------------------------------------------------------------------------- */

static void verified(void **state) {
    (void)state;
    RaspModel *model = model_of(histogram, &small);
    RaspVerifyReport report;
    assert_true(rasp_verify(model, &report, NULL));
    assert_true(report.holds && report.same_structure && report.changed == 0);
    assert_true(report.certificate.holds && report.claimed == report.certificate.error);
    Bytes bytes = bytes_of(model);
    rasp_model_free(model);
    model = loaded(bytes, NULL);
    assert_true(rasp_verify(model, &report, NULL) && report.holds);
    rasp_model_free(model);
    /* The last weights: many of them are the unembedding's neighbours, any of them may matter. */
    size_t tampered = 0;
    for (size_t at = bytes.size - 4; at > bytes.size / 2; at -= 4) {
        unsigned char saved = bytes.data[at + 3];
        bytes.data[at + 3] = 0x44; /* about 500, or more */
        model = rasp_model_from_bytes(bytes.data, bytes.size, NULL, NULL, NULL);
        if (model && rasp_verify(model, &report, NULL) && !report.holds) {
            tampered++;
            assert_true(report.changed == 1 && *report.where);
        }
        rasp_model_free(model);
        bytes.data[at + 3] = saved;
        if (tampered == 3) break;
    }
    assert_int_equal(tampered, 3);
    rasp_free(bytes.data);
}

/* Whatever the limit, a model from a file is verified or says that memory ran out: what the
 * compiler uses is the embedded program's, and so is the guard. */
static void verified_within_limits(void **state) {
    (void)state;
    RaspModel *model = model_of(histogram, &(RaspTarget){.max_length = 80});
    Bytes bytes = bytes_of(model);
    bool done = false;
    size_t refused = 0;
    rasp_model_free(model);
    for (size_t memory = 1 << 15; !done; memory += memory / 8) {
        RaspVerifyReport report;
        RaspError error;
        RaspConfig config = {.memory = memory};
        model = rasp_model_from_bytes(bytes.data, bytes.size, "w", &config, &error);
        done = model && rasp_verify(model, &report, &error);
        assert_true(done ? report.holds : strstr(error.text, "out of memory: ") != NULL);
        if (!done) assert_int_equal(error.status, RASP_OUT_OF_MEMORY);
        refused += !done;
        rasp_model_free(model);
    }
    assert_true(refused > 10);
    rasp_free(bytes.data);
}

/* Errors quote files, names and inputs; each is one line that a terminal may show, whatever stands
 * in what is quoted. */
static void errors_are_lines(void **state) {
    (void)state;
    static const char bad[] = "a\nb\x1b[31m\xc2\x9b";
    RaspError error;
    RaspSop sop;
    assert_null(rasp_model_from_bytes("0123", 4, bad, NULL, &error));
    static const char shown[] = "'a\\nb\\x1b[31m\\x9b': ";
    assert_int_equal(strncmp(error.text, shown, strlen(shown)), 0);
    RaspProgram *program = program_of(before);
    assert_false(rasp_program_sop(program, bad, &sop, &error));
    assert_null(strpbrk(error.text, "\n\x1b\x9b"));
    sop = sop_of(program, NULL);
    RaspTarget target = {.alphabet = "ab", .first = bad};
    assert_null(rasp_compile(program, &sop, 1, &target, &error));
    assert_null(strpbrk(error.text, "\n\x1b\x9b"));
    rasp_program_free(program);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_lines), cmocka_unit_test(files),
        cmocka_unit_test(broken),           cmocka_unit_test(embedded),
        cmocka_unit_test(described),        cmocka_unit_test(checks),
        cmocka_unit_test(verified),         cmocka_unit_test(verified_within_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
