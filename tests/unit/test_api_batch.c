/* Forward passes on many inputs: each is what it is alone.  And what compiling tells on the way. */
#include "tests/unit/api_fixture.h"

#include "runtime/safetensors.h"

#include <math.h>
#include <stdint.h>

enum { LONGEST = 4, INPUTS = 3 + 9 + 27 + 81, TOKENS = 3 + 18 + 81 + 324, MOST_OUTPUTS = 2 };

/* All inputs over "abc" of at most LONGEST tokens. */
typedef struct Inputs {
    uint32_t ids[TOKENS];
    size_t lengths[INPUTS], count;
} Inputs;

static RaspBatch batch_of(const Inputs *inputs) {
    return (RaspBatch){inputs->ids, inputs->lengths, inputs->count};
}

static Inputs all_inputs(void) {
    Inputs inputs = {0};
    size_t at = 0;
    for (size_t length = 1, count = 3; length <= LONGEST; length++, count *= 3)
        for (size_t number = 0; number < count; number++) {
            for (size_t k = 0, rest = number; k < length; k++, rest /= 3)
                inputs.ids[at++] = (uint32_t)(rest % 3);
            inputs.lengths[inputs.count++] = length;
        }
    return inputs;
}

/* Only those that begin with token `first`. */
static Inputs inputs_from(uint32_t first) {
    Inputs all = all_inputs(), some = {0};
    size_t from = 0, to = 0;
    for (size_t k = 0; k < all.count; from += all.lengths[k++]) {
        if (all.ids[from] != first) continue;
        memcpy(some.ids + to, all.ids + from, all.lengths[k] * sizeof *some.ids);
        to += some.lengths[some.count++] = all.lengths[k];
    }
    return some;
}

typedef struct Found {
    int32_t values[MOST_OUTPUTS * TOKENS];
    double numbers[MOST_OUTPUTS * TOKENS], margins[MOST_OUTPUTS * TOKENS];
} Found;

static size_t tokens_of(const Inputs *inputs) {
    size_t tokens = 0;
    for (size_t k = 0; k < inputs->count; k++) tokens += inputs->lengths[k];
    return tokens;
}

/* One position of one output, against the reading of a run alone. */
static void compare_reading(const RaspModelInfo *info, const RaspForward *alone, size_t output,
                            size_t position, const Found *found, size_t cell) {
    RaspReading reading = rasp_forward_reading(alone, output, position);
    const RaspOutput *o = &info->outputs[output];
    if (found->values[cell] == RASP_BY_NUMBER && strcmp(o->decode, "whole") == 0)
        assert_true(reading.value.kind == RASP_INT && reading.number == found->numbers[cell]);
    else if (found->values[cell] == RASP_BY_NUMBER)
        assert_true(reading.value.kind == RASP_FLOAT &&
                    fabs(reading.value.as.f - found->numbers[cell]) < 1e-9);
    else
        assert_true(rasp_atom_same(o->values[found->values[cell]], reading.value));
    assert_true(fabs(found->numbers[cell] - reading.number) < 1e-4);
    assert_true(found->margins[cell] == reading.margin ||
                fabs(found->margins[cell] - reading.margin) < 1e-4);
}

/* Every input alone, and what the batch says of it; gives how many had no answer. */
static size_t compare_alone(RaspModel *model, RaspEngine *engine, const Inputs *inputs) {
    static Found found;
    RaspError error;
    RaspBatch batch = batch_of(inputs);
    RaspBatchReadings readings = {found.values, found.numbers, found.margins};
    const RaspModelInfo *info = rasp_model_info(model);
    size_t tokens = tokens_of(inputs), at = 0, without = 0;
    if (!rasp_forward_batch(engine, &batch, &readings, &error)) fail_msg("%s", error.text);
    for (size_t k = 0; k < inputs->count; at += inputs->lengths[k++]) {
        RaspAtom atoms[LONGEST];
        for (size_t i = 0; i < inputs->lengths[k]; i++)
            atoms[i] = info->alphabet[inputs->ids[at + i]];
        RaspInput input = {.tokens = atoms, .count = inputs->lengths[k]};
        RaspForward *alone = rasp_forward(engine, &input, &error);
        for (size_t o = 0; o < info->output_count; o++)
            for (size_t i = 0, cell = o * tokens + at; i < inputs->lengths[k]; i++, cell++)
                if (alone && rasp_forward_sequence(alone, o))
                    compare_reading(info, alone, o, i, &found, cell);
                else
                    assert_int_equal(found.values[cell], RASP_NO_ANSWER);
        without += alone == NULL;
        rasp_forward_free(alone);
    }
    return without;
}

static const struct {
    const char *text;
    RaspTarget target;
    bool from_first; /* only inputs that begin with the first token */
    size_t without;  /* inputs without an answer */
} cases[] = {
    {histogram, {.alphabet = "abc", .max_length = LONGEST}, false, 0},
    {before, {.alphabet = "abc", .max_length = LONGEST, .layout = RASP_STANDARD}, false, 0},
    {"y = (indices + 1) / 3;", {.alphabet = "abc", .max_length = LONGEST}, false, 0},
    {histogram, {.alphabet = "abc", .max_length = LONGEST, .first = "a"}, true, 0},
    {histogram, {.alphabet = "abc", .max_length = LONGEST, .where = "indices < 4"}, false, 0},
    {"y = 1 / (selector_width(full_s) - 2);",
     {.alphabet = "abc", .max_length = LONGEST, .partial = true},
     false,
     9},
};

static void alone(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        RaspModel *model = model_of(cases[k].text, &cases[k].target);
        RaspEngine *engine = engine_of(model);
        Inputs inputs = cases[k].from_first ? inputs_from(0) : all_inputs();
        assert_int_equal(compare_alone(model, engine, &inputs), cases[k].without);
        rasp_engine_free(engine);
        rasp_model_free(model);
    }
}

/* A stranger's file: whole numbers, and a flag that is a number, so never false. */
static RaspModel *strange_model(void) {
    static const double reads[][2] = {{-2.75, 0}, {0.5, 1}, {7.25, 0}};
    const RtAtom alphabet[] = {rt_string("a", 1), rt_string("b", 1), rt_string("c", 1)};
    const RtAtom ends[] = {rt_int(-2), rt_int(5)};
    RtError reason = {""};
    RaspError error = {.text = ""};
    unsigned char *bytes;
    size_t size;
    Model *model = model_new(RT_F64, RT_STRING, alphabet, 3, LONGEST, 2);
    for (size_t t = 0; t < 3; t++)
        for (size_t d = 0; d < 2; d++) tensor_set(&model->tokens, 1 + t, d, reads[t][d]);
    model_add_output(model, "w", RT_DECODE_WHOLE, 0, ends, 2);
    model_add_output(model, "y", RT_DECODE_NEAREST, 1, ends, 2);
    model_add_output(model, "y has no answer", RT_DECODE_NUMBER, 1, NULL, 0);
    if (!model_save_bytes(model, &bytes, &size, &reason)) fail_msg("%s", reason.text);
    RaspModel *handle = rasp_model_from_bytes(bytes, size, "strange.bin", NULL, &error);
    if (!handle) fail_msg("%s", error.text);
    free(bytes);
    model_free(model);
    return handle;
}

static void strange(void **state) {
    RaspError error;
    RaspModel *model = strange_model();
    RaspEngine *engine = engine_of(model);
    Inputs inputs = all_inputs();
    RaspInput input = input_of("abca");
    (void)state;
    assert_int_equal(compare_alone(model, engine, &inputs), 0);
    RaspForward *forward = rasp_forward(engine, &input, &error);
    assert_string_equal(text_of(rasp_forward_sequence(forward, 0)), "-2 0 5 -2");
    assert_null(rasp_forward_sequence(forward, 1));
    rasp_forward_free(forward);
    rasp_engine_free(engine);
    rasp_model_free(model);
}

/* More inputs than are kept at a time. */
static void many(void **state) {
    enum { MANY = 5000 };
    static uint32_t ids[MANY * 2];
    static size_t lengths[MANY];
    static int32_t values[MANY * 2];
    size_t tokens = 0;
    RaspError error;
    (void)state;
    RaspModel *model = model_of(histogram, &(RaspTarget){.alphabet = "abc", .max_length = 2});
    RaspEngine *engine = engine_of(model);
    const RaspModelInfo *info = rasp_model_info(model);
    for (size_t k = 0; k < MANY; k++) {
        lengths[k] = 1 + k % 2;
        for (size_t i = 0; i < lengths[k]; i++) ids[tokens++] = (uint32_t)((k + i * (k % 3)) % 3);
    }
    RaspBatch batch = {ids, lengths, MANY};
    assert_true(rasp_forward_batch(engine, &batch, &(RaspBatchReadings){.values = values}, &error));
    for (size_t k = 0, at = 0; k < MANY; at += lengths[k++])
        for (size_t i = 0; i < lengths[k]; i++) {
            int64_t same = lengths[k] == 2 && ids[at] == ids[at + 1] ? 2 : 1;
            assert_int_equal(info->outputs[0].values[values[at + i]].as.i, same);
        }
    rasp_engine_free(engine);
    rasp_model_free(model);
}

static void mistakes(void **state) {
    static const struct {
        const char *where; /* of the target */
        uint32_t ids[3];
        size_t lengths[2];
        const char *text;
    } wrong[] = {
        {NULL, {0, 1, 3}, {2, 1}, "input 1: expected numbers of tokens below 3, found 3"},
        {NULL, {0, 1, 2}, {1, 0}, "input 1: expected from 1 to 4 tokens, found 0"},
        {NULL, {0, 1, 2}, {5, 1}, "input 0: expected from 1 to 4 tokens, found 5"},
        {"indices < 1", {0, 1, 2}, {1, 2}, "input 1: outside of what the file was compiled for"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        RaspTarget target = {.alphabet = "abc", .max_length = LONGEST, .where = wrong[k].where};
        RaspModel *model = model_of(histogram, &target);
        RaspEngine *engine = engine_of(model);
        RaspBatch batch = {wrong[k].ids, wrong[k].lengths, 2};
        RaspError error;
        assert_false(rasp_forward_batch(engine, &batch, &(RaspBatchReadings){0}, &error));
        if (!strstr(error.text, wrong[k].text)) fail_msg("found %s", error.text);
        assert_int_equal(error.status, RASP_FAILED);
        rasp_engine_free(engine);
        rasp_model_free(model);
    }
}

static void nothing(void **state) {
    RaspError error;
    RaspModel *model = model_of(histogram, &(RaspTarget){.alphabet = "abc", .max_length = 2});
    RaspEngine *engine = engine_of(model);
    (void)state;
    assert_true(rasp_forward_batch(engine, &(RaspBatch){0}, &(RaspBatchReadings){0}, &error));
    rasp_engine_free(engine);
    rasp_model_free(model);
}

/* --- all values of a sequence ------------------------------------------------------------- */

static void sequences(void **state) {
    static const char *const expressions[] = {"tokens",
                                              "indices",
                                              "indices / 3",
                                              "tokens == \"a\"",
                                              "tokens if indices > 9 else \"x\"",
                                              "indices if tokens == \"a\" else 0.5"};
    RaspError error;
    RaspProgram *program = program_of(histogram);
    RaspInput input = input_of("abca");
    (void)state;
    for (size_t k = 0; k < sizeof expressions / sizeof *expressions; k++) {
        RaspSop sop;
        RaspAtom atoms[4];
        assert_true(rasp_program_expression(program, expressions[k], &sop, &error));
        RaspRun *run = rasp_run_new(program, &input, &sop, 1, NULL, &error);
        const RaspSequence *values = rasp_run_sequence(run, 0, &error);
        assert_int_equal(rasp_sequence_length(values), 4);
        rasp_sequence_atoms(values, atoms);
        for (size_t i = 0; i < 4; i++)
            assert_true(rasp_atom_same(atoms[i], rasp_sequence_at(values, i)));
        rasp_run_free(run);
    }
    rasp_program_free(program);
}

/* --- texts ---------------------------------------------------------------------------------- */

/* Of inputs that can be run and others, each is what it is alone; the others are passed over. */
static void texts(void **state) {
    static const char *const given[] = {
        "a",    "abc", "",    "abd", "bca", "[\"a\", \"b\"]", "aaaaa", "cab", "aa",  "bb", "cc",
        "abca", "[1]", "caa", "bbb", "cba", "\xff",           "acb",   "aab", "baa", "ccc"};
    enum { GIVEN = sizeof given / sizeof *given };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        RaspError error;
        RaspInput inputs[GIVEN];
        RaspForward *forwards[GIVEN];
        RaspModel *model = model_of(cases[c].text, &cases[c].target);
        RaspEngine *engine = engine_of(model);
        for (size_t k = 0; k < GIVEN; k++) inputs[k] = input_of(given[k]);
        rasp_forward_many(engine, inputs, GIVEN, forwards);
        for (size_t k = 0; k < GIVEN; k++) {
            RaspForward *alone = rasp_forward(engine, &inputs[k], &error);
            if (forwards[k] && !alone) fail_msg("case %zu: '%s' is refused alone", c, given[k]);
            if (!cases[c].target.where && !forwards[k] != !alone)
                fail_msg("case %zu: '%s' was not run", c, given[k]);
            const RaspSequence *values = forwards[k] ? rasp_forward_sequence(forwards[k], 0) : NULL;
            if (forwards[k]) assert_true(!values == !rasp_forward_sequence(alone, 0));
            for (size_t i = 0; values && i < rasp_sequence_length(values); i++) {
                RaspReading a = rasp_forward_reading(forwards[k], 0, i),
                            b = rasp_forward_reading(alone, 0, i);
                assert_true(rasp_atom_same(a.value, b.value) || a.value.kind == RASP_FLOAT);
                assert_true(fabs(a.number - b.number) < 1e-4);
            }
            rasp_forward_free(alone);
            rasp_forward_free(forwards[k]);
        }
        rasp_engine_free(engine);
        rasp_model_free(model);
    }
}

/* --- progress --------------------------------------------------------------------------- */

typedef struct Heard {
    char steps[256];
    sig_atomic_t cancel;
    const char *until; /* cancels before this step */
} Heard;

static void hear(void *context, const char *step, uint32_t tries) {
    Heard *heard = context;
    size_t used = strlen(heard->steps);
    snprintf(heard->steps + used, sizeof heard->steps - used, "%s %u, ", step, tries);
    if (heard->until && strcmp(step, heard->until) == 0) heard->cancel = 1;
}

static void progress(void **state) {
    Heard heard = {0};
    RaspTarget target = {.alphabet = "ab", .progress = hear, .progress_context = &heard};
    (void)state;
    RaspModel *model = model_of(histogram, &target);
    assert_string_equal(heard.steps,
                        "answers 0, lowering 0, weights 0, certificate 1, description 1, ");
    /* A report later on is not compiling for whoever listened. */
    RaspVerifyReport report;
    RaspError error;
    assert_true(rasp_verify(model, &report, &error));
    assert_true(strstr(heard.steps, "description 1, ") + 15 == strchr(heard.steps, '\0'));
    rasp_model_free(model);
}

static void cancelled(void **state) {
    static const char *const steps[] = {"answers", "lowering", "weights", "certificate",
                                        "description"};
    (void)state;
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
        Heard heard = {.until = steps[k]};
        RaspConfig config = {.cancel = &heard.cancel};
        RaspTarget target = {.alphabet = "ab", .progress = hear, .progress_context = &heard};
        RaspError error;
        RaspProgram *program = try_program(histogram, &config, &error);
        RaspSop sop = sop_of(program, NULL);
        assert_null(rasp_compile(program, &sop, 1, &target, &error));
        assert_int_equal(error.status, RASP_CANCELLED);
        rasp_program_free(program);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alone),    cmocka_unit_test(strange),   cmocka_unit_test(many),
        cmocka_unit_test(mistakes), cmocka_unit_test(nothing),   cmocka_unit_test(sequences),
        cmocka_unit_test(progress), cmocka_unit_test(cancelled), cmocka_unit_test(texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
