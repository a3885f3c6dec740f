/* Weights files: written and read back bit for bit, and every kind of damage refused with a
 * message that says what is wrong. */
#include "tests/unit/runtime_files.h"
#include "tests/unit/runtime_models.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- what is written ---- */

/* The whole file, spelled out from docs/weights.md. */
static void test_bytes(void **state) {
    (void)state;
    static const char header[] =
        "{\"__metadata__\":{\"format\":\"rasp-transformer/1\",\"model\":\""
        "{\\\"token_type\\\":\\\"string\\\",\\\"max_length\\\":2,"
        "\\\"alphabet\\\":[\\\"a\\\",\\\"\\\\\\\"\\\\n\xc3\xa9\\\"],"
        "\\\"layers\\\":[{\\\"heads\\\":[{\\\"mask\\\":\\\"none\\\",\\\"sink\\\":true,"
        "\\\"scale\\\":\\\"one\\\",\\\"gap\\\":64.0,\\\"selector\\\":\\\"x\\\"}],\\\"mlps\\\":1,"
        "\\\"sublayers\\\":[{\\\"reads\\\":[0.1]}]}],"
        "\\\"outputs\\\":[{\\\"name\\\":\\\"out\\\",\\\"decode\\\":\\\"argmax\\\",\\\"start\\\":0,"
        "\\\"values\\\":[1,1.0]}],\\\"program\\\":\\\"p.rasp\\\",\\\"domain\\\":null}\"},"
        "\"embed.tokens\":{\"dtype\":\"F32\",\"shape\":[3,2],\"data_offsets\":[0,24]},"
        "\"embed.positions\":{\"dtype\":\"F32\",\"shape\":[3,2],\"data_offsets\":[24,48]},"
        "\"layers.0.heads.0.query\":{\"dtype\":\"F32\",\"shape\":[2,1],\"data_offsets\":[48,56]},"
        "\"layers.0.heads.0.key\":{\"dtype\":\"F32\",\"shape\":[2,1],\"data_offsets\":[56,64]},"
        "\"layers.0.heads.0.value\":{\"dtype\":\"F32\",\"shape\":[2,1],\"data_offsets\":[64,72]},"
        "\"layers.0.heads.0.output\":{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[72,80]},"
        "\"layers.0.mlps.0.in\":{\"dtype\":\"F32\",\"shape\":[2,1],\"data_offsets\":[80,88]},"
        "\"layers.0.mlps.0.in_bias\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[88,92]},"
        "\"layers.0.mlps.0.out\":{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[92,100]},"
        "\"layers.0.mlps.0.out_bias\":{\"dtype\":\"F32\",\"shape\":[2],"
        "\"data_offsets\":[100,108]}}";
    Model *model = small_model(RT_F32);
    ModelLayer *layer = model->layers[0];
    json_object_set_new(model->extra, "program", json_string("p.rasp"));
    json_object_set_new(model->extra, "domain", json_null());
    json_object_set_new(layer->heads[0]->extra, "selector", json_string("x"));
    json_object_set_new(layer->mlps[0]->extra, "reads", json_pack("[f]", 0.1));
    File file = saved(model);
    size_t length = (sizeof header - 1 + 7) / 8 * 8;
    assert_int_equal(file.size, 8 + length + 108);
    for (size_t i = 0; i < 8; i++) assert_int_equal(file.bytes[i], length >> (8 * i) & 0xFF);
    assert_memory_equal(file.bytes + 8, header, sizeof header - 1);
    for (size_t i = sizeof header - 1; i < length; i++) assert_int_equal(file.bytes[8 + i], ' ');
    /* embed.tokens[1, 1] is the fourth float: 0.5 = 0x3F000000, little-endian. */
    for (size_t i = 0; i < 108; i++)
        assert_int_equal(file.bytes[8 + length + i], i == 15 ? 0x3F : 0);
    free(file.bytes);
    model_free(model);
}

/* ---- round trips ---- */

static void same_atoms(const RtAtom *a, const RtAtom *b, size_t n) {
    for (size_t i = 0; i < n; i++) assert_int_equal(rt_atom_compare(&a[i], &b[i]), 0);
}

typedef struct {
    const Tensor *tensors[200];
    size_t count;
} Gathered;

static bool gather(const char *name, Tensor *tensor, void *context) {
    (void)name;
    Gathered *all = context;
    all->tensors[all->count++] = tensor;
    return true;
}

static void same_tensors(const Model *a, const Model *b) {
    Gathered x = {.count = 0}, y = {.count = 0};
    model_visit(a, gather, &x);
    model_visit(b, gather, &y);
    assert_int_equal(x.count, y.count);
    for (size_t i = 0; i < x.count; i++) {
        assert_int_equal(x.tensors[i]->rows, y.tensors[i]->rows);
        assert_int_equal(x.tensors[i]->cols, y.tensors[i]->cols);
        assert_memory_equal(x.tensors[i]->data, y.tensors[i]->data,
                            tensor_size(x.tensors[i]) * sizeof(double));
    }
}

static void same_biases(const HeadBias *a, const HeadBias *b) {
    assert_true(a->form == b->form && a->from == b->from && a->count == b->count);
    for (size_t k = 0; k < a->count; k++) assert_true(a->values[k] == b->values[k]);
}

static void same_heads(const Model *a, const Model *b) {
    for (size_t l = 0; l < a->layer_count; l++) {
        for (size_t h = 0; h < a->layers[l]->head_count; h++) {
            const ModelHead *x = a->layers[l]->heads[h], *y = b->layers[l]->heads[h];
            assert_true(x->mask == y->mask && x->sink == y->sink && x->scale == y->scale &&
                        x->gap == y->gap);
            same_biases(&x->bias, &y->bias);
            assert_true(json_equal(x->extra, y->extra));
        }
    }
}

static void same_models(const Model *a, const Model *b) {
    assert_true(a->dtype == b->dtype && a->token_type == b->token_type);
    assert_true(a->width == b->width && a->max_length == b->max_length);
    assert_true(a->alphabet_size == b->alphabet_size && a->output_count == b->output_count);
    same_atoms(a->alphabet, b->alphabet, a->alphabet_size);
    same_tensors(a, b);
    same_heads(a, b);
    for (size_t o = 0; o < a->output_count; o++) {
        const ModelOutput *x = a->outputs[o], *y = b->outputs[o];
        assert_string_equal(x->name, y->name);
        assert_true(x->decode == y->decode && x->start == y->start);
        assert_int_equal(x->value_count, y->value_count);
        same_atoms(x->values, y->values, x->value_count);
    }
    assert_true(json_equal(a->extra, b->extra));
    assert_true(json_equal(a->metadata, b->metadata));
}

static void test_round_trip(void **state) {
    (void)state;
    Random random = {41};
    for (size_t i = 0; i < 60; i++) {
        ModelShape shape = {(RtDtype)(i % 2),
                            1 + random_below(&random, 5),
                            1 + random_below(&random, 9),
                            1 + random_below(&random, 9),
                            random_below(&random, 4),
                            3,
                            3,
                            5,
                            0.6,
                            i % 3 == 0,
                            false,
                            false,
                            i % 4 > 1};
        Model *model = random_model(&random, &shape);
        json_object_set_new(model->extra, "certificate",
                            json_pack("{s:f,s:[i,b,n]}", "epsilon", 1e-3, "more", 7, 1));
        json_object_set_new(model->extra, "source", json_stringn("a\0\x01\"\\/\t\xe2\x82\xac", 10));
        json_object_set_new(model->metadata, "note", json_string("kept"));
        File file = saved(model), again;
        Model *back = loaded(file);
        same_models(model, back);
        again = saved(back);
        assert_int_equal(file.size, again.size);
        assert_memory_equal(file.bytes, again.bytes, file.size);
        free(file.bytes), free(again.bytes);
        model_free(model), model_free(back);
    }
}

/* Tokens of each kind come back as what they were. */
static void test_kinds(void **state) {
    (void)state;
    const RtAtom alphabets[RT_KIND_COUNT][2] = {{rt_string("", 0), rt_string("a\0b", 3)},
                                                {rt_int(INT64_MIN), rt_int(INT64_MAX)},
                                                {rt_float(1), rt_float(-0x1.fffffffffffffp-1000)},
                                                {rt_bool(false), rt_bool(true)}};
    const RtAtom values[] = {rt_string("x", 1), rt_bool(true), rt_int(1), rt_float(1)};
    for (int kind = 0; kind < RT_KIND_COUNT; kind++) {
        Model *model = model_new(RT_F64, (RtKind)kind, alphabets[kind], 2, 1, 4);
        model_add_output(model, "all", RT_DECODE_ARGMAX, 0, values, 4);
        File file = saved(model);
        Model *back = loaded(file);
        same_models(model, back);
        free(file.bytes);
        model_free(model), model_free(back);
    }
}

/* ---- damage ---- */

/* Of the small model's file. An empty `from`: nothing is replaced, the file is refused by itself.
 */
static const struct {
    const char *from, *to, *message;
} edits[] = {
    {"{\"__metadata__\":{", "[\"__metadata__\":{", "begins with '{'"},
    {"{\"__metadata__\":{", "{\"__meta__\":{\"dtype\":1,", "expected __metadata__ in the header"},
    {"\"format\"", "format", "header: byte"},
    {"transformer/1", "transformer/2",
     "expected format 'rasp-transformer/1', found 'rasp-transformer/2'"},
    {"\"format\":\"rasp-transformer/1\"", "\"format\":1", "found 'nothing'"},
    {"\"format\"", "\"model\":\"\",\"format\"", "duplicate object key"},
    {"\"format\"", "\"note\":[1],\"format\"", "__metadata__: expected a string as 'note'"},
    {"{\\\"token_type\\\"", "[{\\\"token_type\\\"", "model: byte"},
    {"{\\\"token_type\\\"", "{\\\"token_type\\\":\\\"int\\\",\\\"token_type\\\"", "model: byte"},
    {"\\\"token_type\\\":\\\"string\\\"", "\\\"token_type\\\":7",
     "token_type: expected one of string, int, float, bool, found an int"},
    {"\\\"token_type\\\":\\\"string\\\"", "\\\"token_type\\\":\\\"text\\\"",
     "token_type: expected one of string, int, float, bool, found 'text'"},
    {"\\\"token_type\\\":\\\"string\\\"", "\\\"token_type\\\":\\\"int\\\"",
     "alphabet[0]: expected a token of type int, found the string \"a\""},
    {"\\\"max_length\\\":2", "\\\"max_length\\\":-2", "max_length: expected a count, found -2"},
    {"\\\"max_length\\\":2", "\\\"max_length\\\":2.0",
     "max_length: expected an int, found a float"},
    {"\\\"max_length\\\":2", "\\\"max_length\\\":3",
     "embed.positions: expected shape [4, 2], found [3, 2]"},
    {"\\\"max_length\\\":2", "\\\"max_length\\\":9223372036854775807",
     "expected alphabet, max_length and width"},
    {"\\\"max_length\\\":2", "\\\"max_length\\\":99999999999999999999", "too big"},
    {"[\\\"a\\\",", "[\\\"a\\\",\\\"c\\\",", "embed.tokens: expected shape [4, 2], found [3, 2]"},
    {"[\\\"a\\\",", "[\\\"a\\\",\\\"a\\\",", "expected different tokens"},
    {"[\\\"a\\\",", "[null,", "alphabet[0]: expected a string, a number or a boolean, found null"},
    {"[\\\"a\\\",", "[1e999,", "model: byte"},
    {"\\\"layers\\\":[", "\\\"layers\\\":[3,", "layers[0]: expected an object, found an int"},
    {"\\\"layers\\\"", "\\\"layer\\\"", "layers: expected an array, found nothing"},
    {"\\\"heads\\\":[", "\\\"heads\\\":[[],", "heads[0]: expected an object, found an array"},
    {"\\\"heads\\\":[",
     "\\\"heads\\\":[{\\\"mask\\\":\\\"none\\\",\\\"sink\\\":true,"
     "\\\"scale\\\":\\\"one\\\",\\\"gap\\\":1},",
     "expected a tensor 'layers.0.heads.1.query', found none of that name"},
    {"\\\"none\\\"", "\\\"noon\\\"",
     "mask: expected one of none, causal, strict_causal, anticausal, "
     "strict_anticausal, found 'noon'"},
    {"\\\"sink\\\":true", "\\\"sink\\\":1", "sink: expected true or false, found an int"},
    {"\\\"one\\\"", "null", "scale: expected one of one, log_length, found null"},
    {"\\\"gap\\\":64.0", "\\\"gap\\\":\\\"64\\\"", "gap: expected a number, found a string"},
    {"\\\"gap\\\":64.0", "\\\"gap\\\":-1", "gap: expected a positive number, found -1"},
    {"\\\"none\\\",\\\"sink\\\":true", "\\\"strict_causal\\\",\\\"sink\\\":false",
     "mask strict_causal without the sink"},
    {"\\\"mlps\\\":1", "\\\"mlps\\\":2", "expected a tensor 'layers.0.mlps.1.in'"},
    {"\\\"mlps\\\":1", "\\\"mlps\\\":0", "tensor 'layers.0.mlps.0.in': the model's layers have no"},
    {"\\\"mlps\\\":1", "\\\"mlps\\\":9000000000000", "mlps: expected at most 10"},
    {"\\\"mlps\\\":1", "\\\"mlps\\\":1,\\\"sublayers\\\":[]", "sublayers: expected an array of 1"},
    {"\\\"mlps\\\":1", "\\\"mlps\\\":1,\\\"sublayers\\\":[1]", "sublayers[0]: expected an object"},
    {"\\\"argmax\\\"", "\\\"max\\\"",
     "decode: expected one of argmax, nearest, number, whole, found 'max'"},
    {"\\\"argmax\\\"", "\\\"number\\\"", "decode number needs dtype F64"},
    {"\\\"argmax\\\"", "\\\"whole\\\"", "values[1]: expected a whole number within ±2^53"},
    {"\\\"start\\\":0", "\\\"start\\\":1", "expected dimensions within the width 2"},
    {"\\\"name\\\":\\\"out\\\"", "\\\"name\\\":7", "name: expected a string, found an int"},
    {"\\\"name\\\":\\\"out\\\"", "\\\"name\\\":\\\"a\\\\u0000b\\\"", "without NUL"},
    {"\\\"values\\\":[1,1.0]", "\\\"values\\\":[]", "values: expected at least one"},
    {"\\\"values\\\":[1,1.0]", "\\\"values\\\":[1,1,1]", "expected dimensions within the width 2"},
    {"\\\"values\\\"", "\\\"value\\\"", "values: expected an array, found nothing"},
    {"\\\"outputs\\\":[{", "\\\"outputs\\\":[],\\\"x\\\":[{", "outputs: expected at least one"},
    {"\"embed.tokens\":{", "\"embed.token\":{", "expected a tensor 'embed.tokens', found none"},
    {"\"embed.tokens\":{", "\"embed.tokens\":[],\"x\":{",
     "tensor 'embed.tokens': expected an object"},
    {"\"embed.tokens\":{", "\"embed.tokens\":{\"more\":1,", "found more keys"},
    {"\"embed.positions\"", "\"embed.tokens\"", "duplicate object key"},
    {"\"dtype\":\"F32\",\"shape\":[3,2],\"data_offsets\":[0,24]",
     "\"shape\":[3,2],\"data_offsets\":[0,24]", "dtype: not found"},
    {"\"F32\",\"shape\":[3,2]", "\"BF16\",\"shape\":[3,2]",
     "dtype: expected F32 or F64, found BF16"},
    {"\"F32\",\"shape\":[3,2]", "7,\"shape\":[3,2]", "dtype: expected F32 or F64"},
    {"\"F32\",\"shape\":[3,2]", "\"F64\",\"shape\":[3,1]",
     "tensor 'embed.positions': expected F64, as the others have, found F32"},
    {"\"shape\":[3,2]", "\"shape\":[6]", "shape: expected an array of 2, found 1"},
    {"\"shape\":[3,2]", "\"shape\":[3,2.0]", "shape: expected an int of at least 0"},
    {"\"shape\":[3,2]", "\"shape\":[3,-2]", "shape: expected an int of at least 0"},
    {"\"shape\":[3,2]", "\"shape\":[3,0]", "shape: expected sizes of at least 1, found 0"},
    {"\"shape\":[3,2]", "\"shape\":[3,3]", "expected 3 × 3 elements of F32, found 24 bytes"},
    {"\"shape\":[3,2]", "\"shape\":[2,3]", "embed.tokens: expected shape [3, 3], found [2, 3]"},
    {"\"shape\":[3,2]", "\"shape\":[4611686018427387904,4611686018427387904]",
     "expected 4611686018427387904 × 4611686018427387904 elements"},
    {"\"shape\":[3,2]", "\"shape\":[4611686018427387904,4]", "elements of F32, found 24 bytes"},
    {"\"shape\":[3,2]", "\"shape\":[9223372036854775808,2]", "too big"},
    {"\"shape\":[1]", "\"shape\":[1,1]", "shape: expected an array of 1, found 2"},
    {"[0,24]", "[0,24,24]", "data_offsets: expected an array of 2"},
    {"[0,24]", "[24,0]", "data_offsets: expected a range within the 108 bytes"},
    {"[0,24]", "[0,-24]", "data_offsets: expected an int of at least 0"},
    {"[0,24]", "[0,9223372036854775807]", "data_offsets: expected a range within the 108 bytes"},
    {"[24,48]", "[20,44]",
     "tensor 'embed.positions' begins at byte 20, inside tensor 'embed.tokens'"},
    {"[24,48]", "[0,24]", "begins at byte 0, inside"},
    {"[48,56]", "[56,64]", "expected it to begin at byte 48, found a gap until 56"},
    {"\"shape\":[2],\"data_offsets\":[100,108]", "\"shape\":[1],\"data_offsets\":[100,104]",
     "expected the file to end after 104 bytes of tensors, found 108"},
    {"heads.0.query", "heads.1.query", "expected a tensor 'layers.0.heads.0.query'"},
    {"layers.0.mlps.0.in\"", "layers.0.mlps.00.in\"", "expected a tensor 'layers.0.mlps.0.in'"},
    {"\"shape\":[1],\"data_offsets\":[88,92]},\"layers.0.mlps.0.out\":{\"dtype\":\"F32\","
     "\"shape\":[1,2],\"data_offsets\":[92,100]",
     "\"shape\":[2],\"data_offsets\":[88,96]},\"layers.0.mlps.0.out\":{\"dtype\":\"F32\","
     "\"shape\":[1,1],\"data_offsets\":[96,100]",
     "layers.0: mlps.0: in_bias: expected shape [1, 1], found [1, 2]"},
};

static void test_edits(void **state) {
    (void)state;
    Model *model = small_model(RT_F32);
    File file = saved(model);
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        File bad = edited(file, edits[i].from, edits[i].to);
        RtError err = {"nothing"};
        Model *found = model_load_bytes(bad.bytes, bad.size, &err);
        if (found || !strstr(err.text, edits[i].message))
            fail_msg("%s -> %s: expected '%s', found '%s'", edits[i].from, edits[i].to,
                     edits[i].message, found ? "no error" : err.text);
        assert_null(model_load_bytes(bad.bytes, bad.size, NULL));
        free(bad.bytes);
    }
    free(file.bytes);
    model_free(model);
}

/* Harmless edits: spaces, keys in another order, unknown keys. */
static void test_accepted(void **state) {
    (void)state;
    static const char *const fine[][2] = {
        {"\"embed.tokens\":", " \"embed.tokens\" :\n "},
        {"\"dtype\":\"F32\",\"shape\":[3,2],\"data_offsets\":[0,24]",
         "\"data_offsets\":[0,24],\"shape\":[3,2],\"dtype\":\"F32\""},
        {"\\\"gap\\\":64.0", "\\\"reads\\\":{\\\"q\\\":[1]},\\\"gap\\\":64"},
        {"\\\"mlps\\\":1", "\\\"mlps\\\":1,\\\"sublayers\\\":[{\\\"writes\\\":2}],\\\"z\\\":0"},
    };
    Model *model = small_model(RT_F32);
    File file = saved(model);
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        File other = edited(file, fine[i][0], fine[i][1]);
        model_free(loaded(other));
        free(other.bytes);
    }
    free(file.bytes);
    model_free(model);
}

/* Every prefix is refused; the copy has no byte to spare, so that reading on is noticed. */
static void test_truncated(void **state) {
    (void)state;
    Model *model = small_model(RT_F64);
    File file = saved(model);
    for (size_t size = 0; size < file.size; size++) {
        unsigned char *bytes = malloc(size ? size : 1);
        memcpy(bytes, file.bytes, size);
        RtError err = {""};
        assert_null(model_load_bytes(bytes, size, &err));
        assert_true(strlen(err.text) > 10);
        free(bytes);
    }
    File longer = {malloc(file.size + 1), file.size + 1};
    memcpy(longer.bytes, file.bytes, file.size);
    longer.bytes[file.size] = 0;
    assert_null(model_load_bytes(longer.bytes, longer.size, NULL));
    free(longer.bytes), free(file.bytes);
    model_free(model);
}

/* Every byte of the header changed, to a few others: an error, or a model that passes its check. */
static void test_flipped(void **state) {
    (void)state;
    static const unsigned char others[] = {0, '"', '{', ']', ',', '9', '-', 'x', 0xFF};
    Model *model = small_model(RT_F32);
    File file = saved(model);
    for (size_t i = 0; i < file.size - 108; i++) {
        unsigned char old = file.bytes[i];
        for (size_t k = 0; k < sizeof others; k++) {
            file.bytes[i] = others[k];
            Model *found = model_load_bytes(file.bytes, file.size, NULL);
            if (found) assert_true(model_check(found, NULL));
            model_free(found);
        }
        file.bytes[i] = old;
    }
    free(file.bytes);
    model_free(model);
}

/* Weights that are no numbers name the tensor and the place. */
static void test_not_finite(void **state) {
    (void)state;
    for (int dtype = 0; dtype < RT_DTYPE_COUNT; dtype++) {
        Model *model = small_model((RtDtype)dtype);
        File file = saved(model);
        size_t size = dtype == RT_F32 ? 4 : 8;
        /* embed.positions[2, 1] is element 6 + 5 of 27. */
        unsigned char *at = file.bytes + file.size - 27 * size + 11 * size;
        memset(at, 0xFF, size);
        RtError err = {""};
        assert_null(model_load_bytes(file.bytes, file.size, &err));
        assert_non_null(strstr(err.text, "embed.positions[2, 1]: expected a finite"));
        memset(at, 0, size);
        at[size - 1] = 0x7F;
        at[size - 2] = dtype == RT_F32 ? 0x80 : 0xF0; /* +inf */
        assert_null(model_load_bytes(file.bytes, file.size, &err));
        assert_non_null(strstr(err.text, "embed.positions[2, 1]: expected a finite"));
        free(file.bytes);
        model_free(model);
    }
}

/* ---- what reading may use ---- */

/* Within every limit it is refused, or it needs no more than that. */
static void test_limits(void **state) {
    (void)state;
    Model *model = small_model(RT_F32);
    json_t *many = json_array();
    for (int k = 0; k < 1000; k++) json_array_append_new(many, json_object());
    json_object_set_new(model->extra, "many", many);
    File file = saved(model);
    RtLimits limits = {.memory = SIZE_MAX};
    Model *found = model_load_bytes_within(file.bytes, file.size, &limits, NULL);
    size_t need = limits.used;
    assert_non_null(found);
    assert_false(limits.exceeded);
    assert_in_range(need, 50 * 1000, 100 * file.size * 10);
    model_free(found);
    for (size_t memory = 0; memory < need; memory += need / 50 + 1) {
        RtError err = {""};
        limits = (RtLimits){.memory = memory};
        found = model_load_bytes_within(file.bytes, file.size, &limits, &err);
        assert_in_range(limits.used, 0, memory);
        if (!found) assert_true(limits.exceeded && strstr(err.text, "out of memory"));
        model_free(found);
    }
    free(file.bytes);
    model_free(model);
}

/* Names are told apart in less than quadratic time. */
static void test_many_outputs(void **state) {
    (void)state;
    Model *model = small_model(RT_F32);
    RtAtom value = rt_int(1);
    for (int k = 0; k < 60000; k++) {
        char name[16];
        snprintf(name, sizeof name, "o%d", k);
        assert_non_null(model_add_output(model, name, RT_DECODE_NEAREST, 0, &value, 1));
    }
    clock_t start = clock();
    File file = saved(model);
    Model *found = loaded(file);
    assert_int_equal(found->output_count, model->output_count);
    assert_in_range(clock() - start, 0, 5 * CLOCKS_PER_SEC);
    model_free(found);
    free(file.bytes);
    model_free(model);
}

/* ---- on disk ---- */

static char folder[] = "/tmp/rasp-test-XXXXXX";

static const char *in_folder(const char *name) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    return rmdir(folder); /* fails, and so does the test, when a temporary file is left */
}

static void test_disk(void **state) {
    (void)state;
    Model *model = small_model(RT_F32);
    RtError err;
    const char *path = in_folder("w.bin");
    if (!model_save(model, path, &err)) fail_msg("%s", err.text);
    assert_int_equal(chmod(path, 0640), 0);
    tensor_set(&model->tokens, 0, 0, 3);
    assert_true(model_save(model, path, &err)); /* replaces, and keeps the permissions */
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
    Model *back = model_load(path, &err);
    same_models(model, back);
    model_free(back);
    /* A model that cannot be saved leaves the file alone. */
    model->width = 77;
    assert_false(model_save(model, path, &err));
    assert_non_null(strstr(err.text, "w.bin: embed.tokens: expected shape"));
    model->width = 2;
    back = model_load(path, &err);
    assert_non_null(back);
    model_free(back);
    assert_int_equal(unlink(path), 0);
    model_free(model);
}

/* Of a large file with a bad header no more is read than the header. */
static void test_large_file(void **state) {
    (void)state;
    static const char start[16] = {8, 0, 0, 0, 0, 0, 0, 0, '{', '"', 'a', '"', ':', '1', '}', ' '};
    RtError err;
    RtLimits limits = {.memory = 1 << 20};
    const char *path = in_folder("large");
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    assert_int_equal(write(fd, start, sizeof start), sizeof start);
    assert_int_equal(ftruncate(fd, (off_t)6 << 30), 0);
    close(fd);
    assert_null(model_load_within(path, &limits, &err));
    assert_non_null(strstr(err.text, "expected __metadata__"));
    assert_int_equal(unlink(path), 0);
}

static void test_links(void **state) {
    (void)state;
    Model *model = small_model(RT_F32);
    char target[256];
    strcpy(target, in_folder("real"));
    assert_true(model_save(model, target, NULL));
    assert_int_equal(symlink("real", in_folder("link")), 0);
    assert_true(model_save(model, in_folder("link"), NULL));
    struct stat st;
    assert_int_equal(lstat(in_folder("link"), &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    Model *back = model_load(target, NULL);
    assert_non_null(back);
    model_free(back);
    assert_int_equal(unlink(in_folder("link")) | unlink(target), 0);
    assert_true(model_save(model, "/dev/null", NULL));
    assert_int_equal(stat("/dev/null", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
    model_free(model);
}

static void test_disk_errors(void **state) {
    (void)state;
    Model *model = small_model(RT_F32);
    RtError err;
    assert_null(model_load(in_folder("none"), &err));
    assert_non_null(strstr(err.text, "/none: cannot open: No such file"));
    assert_null(model_load(folder, &err));
    assert_non_null(strstr(err.text, "expected a file, found a directory"));
    assert_false(model_save(model, folder, &err));
    assert_non_null(strstr(err.text, "expected a file, found a directory"));
    assert_false(model_save(model, in_folder("no/where"), &err));
    assert_non_null(strstr(err.text, "no/where: cannot create a file beside it: No such file"));
    assert_null(model_load("/dev/null", &err));
    assert_string_equal(err.text, "/dev/null: expected a file, found a device");
    assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
    assert_null(model_load(in_folder("pipe"), &err)); /* nobody writes: it does not wait */
    assert_non_null(strstr(err.text, "/pipe: expected a file, found a pipe"));
    assert_int_equal(unlink(in_folder("pipe")), 0);
    model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits),   cmocka_unit_test(test_many_outputs),
        cmocka_unit_test(test_bytes),    cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_kinds),    cmocka_unit_test(test_edits),
        cmocka_unit_test(test_accepted), cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_flipped),  cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_disk),     cmocka_unit_test(test_large_file),
        cmocka_unit_test(test_links),    cmocka_unit_test(test_disk_errors),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
