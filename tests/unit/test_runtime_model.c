/* Models as data: building, counting, every check of model_check; atoms and numbers as text;
 * memory running out at every allocation. */
#include "runtime/forward.h"
#include "runtime/memory.h"
#include "runtime/number.h"
#include "runtime/safetensors.h"
#include "tests/unit/runtime_models.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

/* V 2, N 3, W 4; one layer: a head with D 2, C 3 and a sublayer with U 5. */
static Model *small_model(void) {
    const RtAtom alphabet[] = {rt_string("a", 1), rt_string("b", 1)};
    const RtAtom values[] = {rt_int(0), rt_int(1)};
    Model *model = model_new(RT_F32, RT_STRING, alphabet, 2, 3, 4);
    ModelLayer *layer = model_add_layer(model);
    layer_add_head(layer, 2, 3);
    layer_add_mlp(layer, 5);
    model_add_output(model, "out", RT_DECODE_ARGMAX, 2, values, 2);
    return model;
}

static void test_counts(void **state) {
    (void)state;
    Model *model = small_model();
    RtError err;
    if (!model_check(model, &err)) fail_msg("%s", err.text);
    size_t heads = 4 * 2 + 4 * 2 + 4 * 3 + 3 * 4, mlps = 4 * 5 + 5 + 5 * 4 + 4;
    assert_int_equal(model_parameters(model), 3 * 4 + 4 * 4 + heads + mlps);
    assert_int_equal(model_nonzeros(model), 0);
    tensor_set(&model->tokens, 2, 3, 0.5);
    tensor_add(&model->layers[0]->mlps[0]->out_bias, 0, 1, -1);
    assert_int_equal(model_nonzeros(model), 2);
    model_free(model);
    model_free(NULL);
}

/* Sizes whose product does not fit, or leaves no room to round up: no memory, rather than less
 * than asked for.  Nothing at all is an array too. */
static void test_sizes(void **state) {
    (void)state;
    static const struct {
        size_t count, size;
    } beyond[] = {
        {SIZE_MAX / 2 + 2, 2}, {2, SIZE_MAX / 2 + 2},
        {SIZE_MAX / 8 + 2, 8}, {(size_t)1 << 33, 1ul << 31},
        {PTRDIFF_MAX, 1},      {PTRDIFF_MAX, 2},
        {SIZE_MAX, 1},         {SIZE_MAX, SIZE_MAX},
    };
    for (size_t k = 0; k < sizeof beyond / sizeof *beyond; k++) {
        size_t count = beyond[k].count, size = beyond[k].size;
        assert_null(rt_calloc(count, size));
        assert_null(rt_calloc_aligned(count, size));
        void *old = rt_calloc(1, 1);
        assert_null(rt_realloc(old, count, size));
        free(old);
        RtCarve carve = {0};
        rt_carve(&carve, count, size);
        rt_carve(&carve, count, size);
        rt_carve(&carve, 3, 1);
        assert_true(carve.overflow);
    }
    void *of_none[] = {rt_calloc(0, 8), rt_calloc_aligned(8, 0), rt_realloc(NULL, 0, 1)};
    for (size_t k = 0; k < 3; k++) {
        assert_non_null(of_none[k]);
        free(of_none[k]);
    }
}

/* Arrays of all sizes begin at cache lines, one behind the other, and no line is wasted. */
static void test_carve(void **state) {
    (void)state;
    enum { SIZES = 200 };
    for (size_t a = 0; a < SIZES; a++)
        for (size_t b = 0; b < SIZES; b++) {
            RtCarve size = {0}, carve = {0};
            assert_null(rt_carve(&size, a, 1));
            assert_null(rt_carve(&size, 1, b));
            size_t lines = a / 64 + (a % 64 > 0) + b / 64 + (b % 64 > 0);
            assert_int_equal(size.used, lines * 64);
            assert_false(size.overflow);
            char base[8 * 64];
            carve.base = base;
            char *first = rt_carve(&carve, a, 1), *second = rt_carve(&carve, 1, b);
            assert_ptr_equal(first, base);
            assert_int_equal((uintptr_t)second - (uintptr_t)first, (a / 64 + (a % 64 > 0)) * 64);
        }
}

/* A buffer grows when it must and stays otherwise, always at a cache line. */
static void test_buffer(void **state) {
    (void)state;
    static const size_t sizes[] = {1, 63, 64, 65, 64, 1000, 999, 1001, 1};
    RtBuffer buffer = {0};
    size_t most = 0;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        void *before = buffer.bytes;
        assert_true(rt_buffer_reserve(&buffer, sizes[k]));
        if (sizes[k] <= most) assert_ptr_equal(buffer.bytes, before);
        if (sizes[k] > most) most = sizes[k];
        assert_int_equal(buffer.size, most);
        assert_int_equal((uintptr_t)buffer.bytes % 64, 0);
        memset(buffer.bytes, 1, buffer.size);
    }
    assert_false(rt_buffer_reserve(&buffer, SIZE_MAX));
    assert_int_equal(buffer.size, most);
    rt_buffer_clear(&buffer);
    assert_null(buffer.bytes);
}

/* Layers and heads stay where they are while others are added. */
static void test_pointers_stay(void **state) {
    (void)state;
    Model *model = small_model();
    ModelLayer *layers[40];
    ModelHead *heads[40];
    for (size_t i = 0; i < 40; i++) {
        layers[i] = model_add_layer(model);
        heads[i] = layer_add_head(layers[0], 1, 1);
    }
    for (size_t i = 0; i < 40; i++) {
        assert_ptr_equal(model->layers[i + 1], layers[i]);
        assert_ptr_equal(layers[0]->heads[i], heads[i]);
    }
    model_free(model);
}

static void test_rounding(void **state) {
    (void)state;
    Model *model = small_model();
    tensor_set(&model->tokens, 0, 0, 0.1);
    model_round(model);
    assert_true(tensor_get(&model->tokens, 0, 0) == (double)0.1f);
    model->dtype = RT_F64;
    tensor_set(&model->tokens, 0, 0, 0.1);
    model_round(model);
    assert_true(tensor_get(&model->tokens, 0, 0) == 0.1);
    model_free(model);
}

/* ---- what model_check refuses ---- */

static void break_width(Model *m) {
    m->width = 5;
}
static void break_length(Model *m) {
    m->max_length = 0;
}
static void break_type(Model *m) {
    m->token_type = RT_INT;
}
static void break_same_tokens(Model *m) {
    ((char *)m->alphabet[1].u.s.bytes)[0] = 'a';
}
static void break_utf8(Model *m) {
    ((char *)m->alphabet[1].u.s.bytes)[0] = '\xff';
}
static void break_query(Model *m) {
    m->layers[0]->heads[0]->query.cols = 1;
}
static void break_out(Model *m) {
    m->layers[0]->mlps[0]->out.rows = 4;
}
static void break_gap(Model *m) {
    m->layers[0]->heads[0]->gap = 0;
}
static void break_gap_nan(Model *m) {
    m->layers[0]->heads[0]->gap = (double)NAN;
}
static void break_mask(Model *m) {
    m->layers[0]->heads[0]->mask = RT_MASK_COUNT;
}
static void break_strict(Model *m) {
    m->layers[0]->heads[0]->mask = RT_MASK_STRICT_ANTICAUSAL;
    m->layers[0]->heads[0]->sink = false;
}
static void break_nan(Model *m) {
    tensor_set(&m->layers[0]->heads[0]->key, 3, 1, (double)NAN);
}
static void break_inf(Model *m) {
    tensor_set(&m->positions, 1, 0, -INFINITY);
}
static void break_float(Model *m) {
    tensor_set(&m->layers[0]->mlps[0]->in, 0, 4, 1e39);
}
static void break_start(Model *m) {
    m->outputs[0]->start = 3;
}
static void break_start_far(Model *m) {
    m->outputs[0]->start = SIZE_MAX;
}
static void break_number(Model *m) {
    m->outputs[0]->decode = RT_DECODE_NUMBER;
}
static void break_nearest(Model *m) {
    m->outputs[0]->decode = RT_DECODE_NEAREST;
    m->outputs[0]->values[1] = rt_bool(true);
}
static void break_large(Model *m) {
    m->outputs[0]->decode = RT_DECODE_NEAREST;
    m->outputs[0]->values[1] = rt_int(INT64_MAX);
}
static void make_whole(Model *m, RtAtom least, RtAtom greatest) {
    m->outputs[0]->decode = RT_DECODE_WHOLE;
    m->outputs[0]->values[0] = least, m->outputs[0]->values[1] = greatest;
}
static void break_ends(Model *m) {
    make_whole(m, rt_int(3), rt_int(2));
}
static void break_end_kind(Model *m) {
    make_whole(m, rt_int(0), rt_float(2));
}
static void break_end_low(Model *m) {
    make_whole(m, rt_int(-(INT64_C(1) << 53) - 1), rt_int(0));
}
static void break_end_high(Model *m) {
    make_whole(m, rt_int(0), rt_int(INT64_MAX));
}
static void break_end_alone(Model *m) {
    make_whole(m, rt_int(0), rt_int(2));
    m->outputs[0]->value_count = 1;
}
static void break_end_places(Model *m) {
    make_whole(m, rt_int(0), rt_int(2));
    output_set_places(m->outputs[0], (double[]){0, 2});
}
static void break_names(Model *m) {
    model_add_output(m, "out", RT_DECODE_ARGMAX, 0, m->outputs[0]->values, 1);
}
static void break_value(Model *m) {
    m->outputs[0]->values[0] = rt_float(INFINITY);
}
static void break_extra(Model *m) {
    json_object_set_new(m->extra, "alphabet", json_null());
}
static void break_head_extra(Model *m) {
    json_object_set_new(m->layers[0]->heads[0]->extra, "gap", json_null());
}
static void break_metadata(Model *m) {
    json_object_set_new(m->metadata, "x", json_integer(1));
}

static const struct {
    void (*damage)(Model *model);
    const char *message;
} refused[] = {
    {break_width, "embed.tokens: expected shape [3, 5], found [3, 4]"},
    {break_length, "expected alphabet, max_length and width of at least 1"},
    {break_type, "alphabet[0]: expected a token of type int, found the string \"a\""},
    {break_same_tokens, "alphabet[1]: expected different tokens, found \"a\", as in [0]"},
    {break_utf8, "alphabet[1]: expected a UTF-8 string"},
    {break_query, "layers.0: heads.0: key: expected shape [4, 1], found [4, 2]"},
    {break_out, "layers.0: mlps.0: out: expected shape [5, 4], found [4, 4]"},
    {break_gap, "layers.0: heads.0: gap: expected a positive number, found 0"},
    {break_gap_nan, "layers.0: heads.0: gap: expected a positive number, found nan"},
    {break_mask, "layers.0: heads.0: mask: no such mask: 5"},
    {break_strict, "layers.0: heads.0: mask strict_anticausal without the sink leaves a row"},
    {break_nan, "layers.0.heads.0.key[3, 1]: expected a finite F32 weight, found nan"},
    {break_inf, "embed.positions[1, 0]: expected a finite F32 weight, found -inf"},
    {break_float, "layers.0.mlps.0.in[0, 4]: expected a finite F32 weight, found 1e+39"},
    {break_start, "outputs[0] ('out'): expected dimensions within the width 4, found 2 at start 3"},
    {break_start_far, "outputs[0] ('out'): expected dimensions within the width 4"},
    {break_number, "outputs[0] ('out'): decode number needs dtype F64, found F32"},
    {break_nearest, "outputs[0] ('out'): values[1]: expected a number, as decode is nearest"},
    {break_large, "outputs[0] ('out'): values[1]: expected a whole number within ±2^53"},
    {break_ends, "outputs[0] ('out'): values: expected the least before the greatest"},
    {break_end_kind, "outputs[0] ('out'): values[1]: expected a whole number within ±2^53, as "
                     "decode is whole, found 2.0"},
    {break_end_low, "outputs[0] ('out'): values[0]: expected a whole number within ±2^53"},
    {break_end_high, "outputs[0] ('out'): values[1]: expected a whole number within ±2^53"},
    {break_end_alone, "outputs[0] ('out'): values: expected the least and the greatest"},
    {break_end_places, "outputs[0] ('out'): places: expected none for decode whole"},
    {break_names, "outputs: expected different names, found 'out' twice"},
    {break_value, "outputs[0] ('out'): values[0]: expected a finite number, found inf"},
    {break_extra, "extra: 'alphabet' is the runtime's own key, set the field"},
    {break_head_extra, "layers.0: heads.0: extra: 'gap' is the runtime's own key"},
    {break_metadata, "__metadata__: expected a string as 'x'"},
};

static void test_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        Model *model = small_model();
        RtError err = {"nothing"};
        refused[i].damage(model);
        unsigned char *bytes;
        size_t size;
        bool ok = model_check(model, &err);
        if (ok || strncmp(err.text, refused[i].message, strlen(refused[i].message)) != 0)
            fail_msg("expected '%s', found '%s'", refused[i].message, ok ? "no error" : err.text);
        assert_false(model_check(model, NULL));
        assert_false(model_save_bytes(model, &bytes, &size, NULL));
        RunOptions options = run_options();
        assert_null(engine_new(model, &options, NULL));
        model_free(model);
    }
    Model *model = small_model();
    model->output_count = 0;
    assert_false(model_check(model, NULL));
    model->output_count = 1;
    model_free(model);
}

/* Sizes that overflow are refused, not wrapped. */
static void test_overflow(void **state) {
    (void)state;
    const RtAtom a = rt_int(0);
    assert_null(model_new(RT_F32, RT_INT, &a, 1, SIZE_MAX / 2, 8));
    assert_null(model_new(RT_F32, RT_INT, &a, 1, 1, SIZE_MAX / 4));
    Model *model = small_model();
    assert_null(layer_add_head(model->layers[0], SIZE_MAX / 2, 1));
    assert_null(layer_add_mlp(model->layers[0], SIZE_MAX / 16));
    assert_int_equal(model->layers[0]->head_count, 1);
    assert_true(model_check(model, NULL));
    model_free(model);
}

/* ---- whole numbers ---- */

/* Of all integers from one end to the other, by exact distances: x is a multiple of 2^-54 of less
 * than 2^9, or of 1/2 of at most 2^53. */
static int64_t closest(double x, int64_t low, int64_t high) {
    const double unit = fabs(x) < 256 ? 0x1p54 : 2;
    int64_t at = (int64_t)(x * unit), one = (int64_t)unit, least = INT64_MAX, found = low;
    int64_t from = (int64_t)x - 2, to = (int64_t)x + 2;
    from = from < low ? low : from > high ? high : from;
    for (int64_t v = from; v <= high && v <= (from < to ? to : from); v++) {
        int64_t distance = llabs(at - v * one);
        if (distance < least) least = distance, found = v;
    }
    return found;
}

static void test_whole(void **state) {
    (void)state;
    static const int64_t ends[][2] = {
        {0, 1}, {-3, 4}, {5, 5}, {-1, 300}, {-(INT64_C(1) << 53), INT64_C(1) << 53}};
    static const double near[] = {0, 0.5,  1,    1.5,  2.5,     3.5,   4.5,
                                  5, 17.5, 63.5, 64.5, 127.499, 255.75};
    static const double far[] = {0x1p49 + 0.5, 0x1p51 - 0.5, 0x1p51 + 0.5, 0x1p52 - 0.5,
                                 0x1p52,       0x1p52 + 1,   0x1p53 - 1,   0x1p53};
    for (size_t e = 0; e < sizeof ends / sizeof *ends; e++) {
        RtAtom values[] = {rt_int(ends[e][0]), rt_int(ends[e][1])};
        ModelOutput output = {.decode = RT_DECODE_WHOLE, .values = values, .value_count = 2};
        for (int sign = -1; sign <= 1; sign += 2) {
            for (size_t k = 0; k < sizeof near / sizeof *near; k++)
                for (int side = -1; side <= 1; side++) {
                    double x = sign * (side ? nextafter(near[k], side > 0 ? 1e9 : -1e9) : near[k]);
                    if (fabs(x) < 0x1p-54) x = 0;
                    assert_int_equal(output_whole(&output, x), closest(x, ends[e][0], ends[e][1]));
                }
            for (size_t k = 0; k < sizeof far / sizeof *far; k++)
                assert_int_equal(output_whole(&output, sign * far[k]),
                                 closest(sign * far[k], ends[e][0], ends[e][1]));
        }
    }
    RtAtom values[] = {rt_int(-2), rt_int(2)};
    ModelOutput output = {.decode = RT_DECODE_WHOLE, .values = values, .value_count = 2};
    assert_int_equal(output_whole(&output, 1e300), 2);
    assert_int_equal(output_whole(&output, -1e300), -2);
    assert_int_equal(output_whole(&output, -0x1p-1074), 0);
}

/* ---- atoms and numbers ---- */

static void test_atoms(void **state) {
    (void)state;
    /* Ascending, all different: kinds are kept apart. */
    const RtAtom order[] = {rt_string("", 0),    rt_string("1", 1), rt_string("a", 1),
                            rt_string("a\0", 2), rt_string("b", 1), rt_int(INT64_MIN),
                            rt_int(1),           rt_float(-0.5),    rt_float(1),
                            rt_bool(false),      rt_bool(true)};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        for (size_t j = 0; j < sizeof order / sizeof *order; j++) {
            int found = rt_atom_compare(&order[i], &order[j]);
            assert_int_equal((found > 0) - (found < 0), (i > j) - (i < j));
        }
    }
    static const struct {
        RtAtom atom;
        const char *text;
    } texts[] = {{{RT_INT, .u.i = -7}, "-7"},
                 {{RT_FLOAT, .u.f = 1}, "1.0"},
                 {{RT_FLOAT, .u.f = .1}, "0.1"},
                 {{RT_BOOL, .u.b = true}, "true"},
                 {{RT_STRING, .u.s = {"é", 2}}, "\"é\""}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char buf[64];
        assert_string_equal(rt_atom_text(&texts[i].atom, buf, sizeof buf), texts[i].text);
    }
}

static void test_numbers(void **state) {
    (void)state;
    static const struct {
        double x;
        const char *text;
    } table[] = {{0, "0.0"},
                 {-0.0, "-0.0"},
                 {1, "1.0"},
                 {64, "64.0"},
                 {100, "100.0"},
                 {0.1, "0.1"},
                 {1.0 / 3, "0.3333333333333333"},
                 {0.00001, "0.00001"},
                 {0.000001, "1e-06"},
                 {9007199254740993.0, "9007199254740992.0"},
                 {1e16, "1e+16"},
                 {-1.5e300, "-1.5e+300"},
                 {-2.5, "-2.5"},
                 {0x1p-1074, "5e-324"},
                 {0x1.fffffffffffffp+1023, "1.7976931348623157e+308"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char buf[RT_NUMBER_MAX];
        int length = rt_number_text(table[i].x, buf);
        assert_int_equal(length, strlen(buf));
        assert_string_equal(buf, table[i].text);
    }
    Random random = {31};
    for (size_t i = 0; i < 30000; i++) {
        uint64_t bits = random_bits(&random);
        double x;
        char buf[RT_NUMBER_MAX];
        memcpy(&x, &bits, sizeof x);
        if (!isfinite(x)) continue;
        rt_number_text(x, buf);
        assert_true(strtod(buf, NULL) == x);
        assert_non_null(strpbrk(buf, ".e"));
    }
}

/* ---- memory running out ---- */

/* Saves, loads, runs and streams a model; whether all of it worked. */
static bool everything(const Model *model, RtError *err) {
    unsigned char *bytes = NULL;
    size_t size, ids[80] = {0};
    bool ok = model_save_bytes(model, &bytes, &size, err);
    Model *again = ok ? model_load_bytes(bytes, size, err) : NULL;
    RunOptions options = run_options();
    options.threads = 1;
    options.keep_raw = true;
    Engine *engine = again ? engine_new(again, &options, err) : NULL;
    RunResult result, results[2];
    RunInput inputs[] = {{ids, 80}, {ids, 3}};
    ok = engine && engine_run(engine, ids, 80, &result, err);
    if (ok) run_result_clear(&result);
    ok = ok && engine_run_batch(engine, inputs, 2, results, err);
    for (size_t i = 0; ok && i < 2; i++) run_result_clear(&results[i]);
    RunStream *stream = ok ? run_stream_new(engine, err) : NULL;
    ok = stream != NULL;
    Reading reading[RANDOM_OUTPUTS];
    for (size_t i = 0; ok && i < 80; i++) ok = run_stream_push(stream, 0, reading, err);
    run_stream_free(stream);
    engine_free(engine);
    model_free(again);
    free(bytes);
    return ok;
}

static void test_no_memory(void **state) {
    (void)state;
    Random random = {32};
    ModelShape shape = {RT_F32, 3, 80, 6, 2, 2, 1, 3, 1, false, true, true, true};
    Model *model = random_model(&random, &shape);
    long after = 0;
    for (bool ok = false; !ok; after++) {
        RtError err = {""};
        rt_memory_fail_after(after);
        ok = everything(model, &err);
        rt_memory_fail_after(-1);
        if (!ok) assert_non_null(strstr(err.text, "memory"));
        assert_true(after < 10000);
    }
    assert_true(after > 50);
    model_free(model);
}

static void test_no_memory_building(void **state) {
    (void)state;
    const RtAtom alphabet[] = {rt_string("a", 1), rt_string("b", 1)};
    for (long after = 0; after < 40; after++) {
        rt_memory_fail_after(after);
        Model *model = model_new(RT_F32, RT_STRING, alphabet, 2, 3, 4);
        ModelLayer *layer = model ? model_add_layer(model) : NULL;
        ModelHead *head = layer ? layer_add_head(layer, 2, 2) : NULL;
        ModelMlp *mlp = head ? layer_add_mlp(layer, 2) : NULL;
        if (mlp) model_add_output(model, "o", RT_DECODE_ARGMAX, 0, alphabet, 2);
        rt_memory_fail_after(-1);
        bool whole = mlp && model->output_count == 1;
        assert_int_equal(whole, model && model_check(model, NULL));
        model_free(model);
    }
}

/* A text of n marks, which a parser turns into many more bytes. */
static void test_cost(void **state) {
    (void)state;
    assert_int_equal(rt_json_cost("", 0), 0);
    assert_true(rt_json_cost("[{},{}]", 7) > 2 * 224);
    /* Marks in strings cost nothing but themselves, escaped quotes do not end them. */
    size_t plain = rt_json_cost("\"aaaaaaaa\"", 10);
    assert_int_equal(rt_json_cost("\"{{[[,,::\"", 10), plain);
    assert_int_equal(rt_json_cost("\"{{[\\\",::\"", 10), plain);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),     cmocka_unit_test(test_carve),
        cmocka_unit_test(test_buffer),    cmocka_unit_test(test_counts),
        cmocka_unit_test(test_cost),      cmocka_unit_test(test_pointers_stay),
        cmocka_unit_test(test_rounding),  cmocka_unit_test(test_refused),
        cmocka_unit_test(test_overflow),  cmocka_unit_test(test_atoms),
        cmocka_unit_test(test_numbers),   cmocka_unit_test(test_whole),
        cmocka_unit_test(test_no_memory), cmocka_unit_test(test_no_memory_building),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
