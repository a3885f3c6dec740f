/* What a weights file says of its program, and the hash by which it names the text. */
#include "tests/unit/compile_fixture.h"

#include "compile/check.h"
#include "compile/record.h"
#include "compile/sha256.h"
#include "runtime/safetensors.h"

#include <math.h>
#include <stdlib.h>

/* --- sha256 -------------------------------------------------------------------------------- */

/* FIPS 180-4 examples and the NIST long message. */
static void test_sha256(void **state) {
    (void)state;
    static const struct {
        const char *text, *hex;
    } rows[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqr"
         "lmnopqrsmnopqrstnopqrstu",
         "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
    };
    char hex[65];
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        sha256_hex(rows[k].text, strlen(rows[k].text), hex);
        assert_string_equal(hex, rows[k].hex);
    }
    static char million[1000000];
    memset(million, 'a', sizeof million);
    sha256_hex(million, sizeof million, hex);
    assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* --- records ------------------------------------------------------------------------------- */

static Model *small_model(void) {
    RtAtom tokens[] = {rt_string("a", 1), rt_string("b", 1)};
    RtAtom values[] = {rt_int(0), rt_int(1)};
    Model *model = model_new(RT_F32, RT_STRING, tokens, 2, 3, 2);
    assert_non_null(model);
    assert_non_null(model_add_output(model, "y", RT_DECODE_ARGMAX, 0, values, 2));
    return model;
}

/* `check` takes a file's word on joined floats only as far as the compiler ever joins them. */
static void test_joins_of_strangers(void **state) {
    (void)state;
    Model *model = small_model();
    json_t *certificate = json_pack("{s:{s:f, s:f}}", "joined", "absolute", 5.0, "relative", 5.0);
    assert_int_equal(json_object_set_new(model->extra, "certificate", certificate), 0);
    CheckJoin joined = check_join(model);
    assert_true(joined.relative > 0 && joined.relative <= 0x1p-39);
    assert_false(check_same(atom_float(1), atom_float(1.25), joined));
    model_free(model);
}

/* The certificate states, of the two joined floats that are furthest apart, difference and
 * quotient: with that those two are one, however the quotient was rounded, and what lies between
 * them. */
static void test_joins_of_rounded_quotients(void **state) {
    (void)state;
    for (int k = 0; k < 2000; k++) {
        double least = 1 + k / 1999.0, most = least;
        for (int ulps = 1 + k % 3; ulps > 0; ulps--) most = nextafter(most, 4);
        CheckJoin joined = {most - least, (most - least) / least};
        assert_true(check_same(atom_float(least), atom_float(most), joined));
        assert_true(check_same(atom_float(most), atom_float(least), joined));
        assert_true(check_same(atom_float(-least), atom_float(-most), joined));
        assert_true(check_same(atom_float(least), atom_float(nextafter(least, 4)), joined));
        assert_false(check_same(atom_float(least), atom_float(nextafter(most, 4)), joined));
    }
}

static Record full_record(void) {
    static const FileText loaded[] = {{"sub/x.rasp", "x = 1;", 6}, {"z.rasp", "", 0}};
    static const char *const names[] = {"y", "z"};
    Record r = {.program = {"p.rasp", "y = \"é\";\n", 9},
                .loaded = loaded,
                .loaded_count = 2,
                .names = names,
                .name_count = 2,
                .where = "fine",
                .options = compile_options()};
    r.options.first = 1;
    r.options.dtype = COMPILE_F64;
    r.options.masks = MASKS_CAUSAL;
    r.options.layout = LAYOUT_STANDARD;
    r.options.log_length = true;
    r.options.kernel = RT_ENTMAX15;
    r.options.tolerance = 1e-3;
    r.options.table_limit = 77;
    return r;
}

static void assert_same_file(const FileText *a, const FileText *b) {
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->length, b->length);
    assert_memory_equal(a->text, b->text, a->length);
}

static void assert_same_record(const Record *a, const Record *b) {
    assert_same_file(&a->program, &b->program);
    assert_int_equal(a->loaded_count, b->loaded_count);
    for (size_t k = 0; k < a->loaded_count; k++) assert_same_file(&a->loaded[k], &b->loaded[k]);
    assert_int_equal(a->name_count, b->name_count);
    for (size_t k = 0; k < a->name_count; k++) assert_string_equal(a->names[k], b->names[k]);
    assert_string_equal(a->where, b->where);
    assert_null(b->expression);
    assert_int_equal(a->options.first, b->options.first);
    assert_int_equal(a->options.dtype, b->options.dtype);
    assert_int_equal(a->options.masks, b->options.masks);
    assert_int_equal(a->options.layout, b->options.layout);
    assert_int_equal(a->options.log_length, b->options.log_length);
    assert_int_equal(a->options.kernel, b->options.kernel);
    assert_int_equal(a->options.table_limit, b->options.table_limit);
    assert_true(a->options.tolerance == b->options.tolerance);
}

/* Through the bytes of a file. */
static void test_record_survives_the_file(void **state) {
    (void)state;
    CompileFixture f;
    fixture_open(&f, "y = indices;", "ab", 3);
    Record stored = full_record(), found;
    Model *model = small_model(), *loaded;
    unsigned char *bytes;
    size_t size;
    RtError error = {""};
    assert_true(record_store(&stored, model));
    assert_true(model_save_bytes(model, &bytes, &size, &error));
    loaded = model_load_bytes(bytes, size, &error);
    assert_non_null(loaded);
    assert_true(record_load(loaded, session_intern(f.session), f.arena, &found, &error));
    assert_same_record(&stored, &found);
    assert_int_equal(found.options.alphabet_size, 2);
    assert_string_equal(found.options.alphabet[1].s->text, "b");
    assert_int_equal(found.options.max_length, 3);
    free(bytes);
    model_free(loaded);
    model_free(model);
    fixture_close(&f);
}

/* Options of which those before `rest` are fine. */
#define OPTIONS(rest) "{\"dtype\": \"f32\", \"mask\": \"none\", \"layout\": \"compact\", " rest "}"

/* A key spoilt, and what the message names. */
static const struct {
    const char *key, *json, *message;
} spoilt[] = {
    {"program", "3", "'program'"},
    {"source", "null", "'source'"},
    {"source", "\"y = 2;\"", "do not fit"},
    {"source_sha256", "7", "'source_sha256'"},
    {"sources", "[{}]", "sources[].name"},
    {"options", "[]", "'options'"},
    {"options", "{\"sops\": [3]}", "options.sops"},
    {"options", "{\"sops\": [], \"dtype\": \"f8\"}", "no 'f8'"},
    {"options", OPTIONS("\"table_limit\": 0"), "table_limit"},
    {"options", OPTIONS("\"table_limit\": 1, \"tolerance\": 0, \"log_length_scaling\": false"),
     "table_limit"},
    {"options",
     OPTIONS("\"table_limit\": 1000000001, \"tolerance\": 0, \"log_length_scaling\": false"),
     "table_limit"},
    {"options", OPTIONS("\"table_limit\": 9.0, \"tolerance\": 0, \"log_length_scaling\": false"),
     "table_limit"},
    {"options", OPTIONS("\"table_limit\": 9, \"tolerance\": -1, \"log_length_scaling\": false"),
     "tolerance"},
    {"options", OPTIONS("\"table_limit\": 9, \"tolerance\": \"x\", \"log_length_scaling\": false"),
     "tolerance"},
    {"options", OPTIONS("\"table_limit\": 9, \"tolerance\": 0, \"log_length_scaling\": 1"),
     "log_length"},
    {"options", OPTIONS("\"kernel\": \"average\""), "options.kernel: this rasp knows no 'average'"},
    {"options", OPTIONS("\"kernel\": 1"), "options.kernel"},
    {"options", OPTIONS("\"sops\": [\"a\", \"b\"], \"expression\": \"tokens\""), "found both"},
    {"options", OPTIONS("\"sops\": 7"), "options.sops"},
    {"options", OPTIONS("\"expression\": 7"), "options.expression"},
    {"sources", "7", "'sources'"},
    {"sources", "[{\"name\": \"x\", \"source\": \"y\", \"sha256\": \"00\"}]", "do not fit"},
    {"domain", "7", "domain"},
    {"domain", "{\"where\": 1}", "domain.where"},
    {"domain", "{\"first\": \"c\"}", "domain.first"},
    {"domain", "{\"first\": 1}", "domain.first"},
};

static void test_spoilt_records(void **state) {
    (void)state;
    CompileFixture f;
    fixture_open(&f, "y = indices;", "ab", 3);
    for (size_t k = 0; k < sizeof spoilt / sizeof *spoilt; k++) {
        Record stored = full_record(), found;
        Model *model = small_model();
        RtError error = {""};
        assert_true(record_store(&stored, model));
        json_t *value = json_loads(spoilt[k].json, JSON_DECODE_ANY, NULL);
        assert_int_equal(json_object_set_new(model->extra, spoilt[k].key, value), 0);
        assert_false(record_load(model, session_intern(f.session), f.arena, &found, &error));
        if (!strstr(error.text, spoilt[k].message))
            fail_msg("%s = %s: expected %s, found: %s", spoilt[k].key, spoilt[k].json,
                     spoilt[k].message, error.text);
        model_free(model);
    }
    fixture_close(&f);
}

/* Lengths whose contexts do not fit 32 bits, alphabets larger than any option takes. */
static void test_limits(void **state) {
    (void)state;
    static const struct {
        size_t length, tokens;
        const char *message;
    } rows[] = {{50001, 2, "max_length"},    {65536, 2, "max_length"},
                {1 << 17, 2, "max_length"},  {(size_t)1 << 32, 2, "max_length"},
                {SIZE_MAX, 2, "max_length"}, {3, 1000001, "alphabet"}};
    CompileFixture f;
    fixture_open(&f, "y = indices;", "ab", 3);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        Record stored = full_record(), found;
        Model *model = small_model();
        RtError error = {""};
        assert_true(record_store(&stored, model));
        size_t tokens = model->alphabet_size;
        model->max_length = rows[k].length;
        model->alphabet_size = rows[k].tokens;
        assert_false(record_load(model, session_intern(f.session), f.arena, &found, &error));
        assert_non_null(strstr(error.text, rows[k].message));
        model->alphabet_size = tokens;
        model_free(model);
    }
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sha256),
                                       cmocka_unit_test(test_joins_of_strangers),
                                       cmocka_unit_test(test_joins_of_rounded_quotients),
                                       cmocka_unit_test(test_record_survives_the_file),
                                       cmocka_unit_test(test_spoilt_records),
                                       cmocka_unit_test(test_limits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
