/* Many inputs at once (rasp_runs_new) against each by itself: the same values and types, whatever
 * the program, and nothing for an input that fails.  Sequences as text against their atoms. */
#include "tests/unit/api_fixture.h"

#include "api/rasp_generate.h"
#include "base/random.h"

enum { INPUTS = 120, LONGEST = 70 };

typedef struct Inputs {
    RaspInput input[INPUTS];
    char text[INPUTS][LONGEST + 1];
} Inputs;

/* Mostly short ones over the letters; some that are no plain text. */
static void draw_inputs(Inputs *inputs, Random *random, const char *letters) {
    static const char *const others[] = {"[1, 2]", "[\"a\"]", "[", "[ab", " [1]", "",
                                         "äb",     "\xff",    "é", " a",  "[1"};
    for (size_t k = 0; k < INPUTS; k++) {
        char *text = inputs->text[k];
        size_t n = k % 10 == 9 ? 60 + random_below(random, 10) : 1 + random_below(random, 7);
        for (size_t i = 0; i < n; i++) text[i] = letters[random_below(random, strlen(letters))];
        text[n] = '\0';
        if (k % 13 == 5) strcpy(text, others[random_below(random, sizeof others / sizeof *others)]);
        inputs->input[k] = input_of(text);
    }
}

static void same_values(const RaspSequence *a, const RaspSequence *b, const char *program,
                        const char *input) {
    if (rasp_sequence_type(a) != rasp_sequence_type(b))
        fail_msg("%s: on %s: two types", program, input);
    assert_int_equal(rasp_sequence_length(a), rasp_sequence_length(b));
    for (size_t i = 0; i < rasp_sequence_length(a); i++)
        if (!rasp_atom_same(rasp_sequence_at(a, i), rasp_sequence_at(b, i)))
            fail_msg("%s: on %s: position %zu", program, input, i);
}

/* As the command line prints them, in pieces of any size. */
static void same_text(const RaspSequence *values) {
    char expected[80 * LONGEST], found[80 * LONGEST];
    size_t length = 0, used = 0, at = 0;
    for (size_t i = 0; i < rasp_sequence_length(values); i++) {
        if (i) expected[length++] = ',', expected[length++] = ' ';
        length += rasp_atom_text(rasp_sequence_at(values, i), RASP_CELL, expected + length, 70);
    }
    for (size_t size = 80; at < rasp_sequence_length(values); size += 37)
        used += rasp_sequence_text(values, &at, found + used, size);
    assert_int_equal(used, length);
    assert_memory_equal(found, expected, length);
}

/* How many inputs were run with others. */
static size_t compare(RaspProgram *program, const char *label, const RaspSop *sop,
                      const Inputs *inputs) {
    RaspError error;
    size_t together = 0;
    RaspRuns *runs = rasp_runs_new(program, inputs->input, INPUTS, sop, 1, &error);
    assert_non_null(runs);
    for (size_t k = 0; k < INPUTS; k++) {
        const RaspSequence *values = rasp_runs_sequence(runs, k, 0);
        assert_int_equal(rasp_runs_has(runs, k), values != NULL);
        if (!values) continue;
        RaspRun *run = rasp_run_new(program, &inputs->input[k], sop, 1, NULL, &error);
        const RaspSequence *expected = run ? rasp_run_sequence(run, 0, &error) : NULL;
        if (!expected) fail_msg("%s fails on %s: %s", label, inputs->text[k], error.text);
        same_values(values, expected, label, inputs->text[k]);
        same_values(rasp_runs_input(runs, k), rasp_run_input(run, NULL), label, inputs->text[k]);
        same_text(values);
        same_text(expected);
        rasp_run_free(run);
        together++;
    }
    rasp_runs_free(runs);
    return together;
}

/* Values of every kind, of several kinds, and faults on some inputs or all. */
static void expressions(void **state) {
    static const struct {
        const char *text;
        bool together; /* some are */
    } cases[] = {
        {"tokens", true},
        {"indices", true},
        {"length", true},
        {"3 if tokens == tokens else 4", true},
        {"0.5 + 0 * length", true},
        {"indices / 3", true},
        {"indices * 1000003", true},
        {"tokens == \"a\"", true},
        {"tokens + \"x\"", true},
        {"indices if tokens == \"a\" else 0.5", true},
        {"aggregate(select(tokens, tokens, ==), indices)", true},
        {"aggregate(select(tokens, tokens, ==), indices) < 1.5", true},
        {"aggregate(select(tokens, tokens, <), indices, 7)", true},
        {"aggregate(select(indices, indices, <), indices - 200)", true},
        {"selector_width(select(indices * 100, 300, <))", true},
        {"selector_width(select(indices / 2, 1.5, <=) and not select(tokens, \"b\", >))", true},
        {"selector_width(select(tokens, tokens, !=) or select(indices, 3, >))", true},
        {"aggregate(select(indices, length - 1 - indices, ==), tokens)", true},
        {"sort(tokens, tokens)", true},
        {"sort(tokens, 0 - indices)", true},
        {"aggregate(select(tokens, tokens, ==), tokens == \"a\")", false},
        {"indices if tokens == \"a\" else tokens == \"b\"", false},
        {"aggregate(select(tokens, tokens, ==), tokens)", false},
        {"tokens_int", false},
        {"9223372036854775807 + indices", false},
    };
    Random random = {3};
    Inputs inputs;
    RaspError error;
    (void)state;
    RaspProgram *program = program_of(histogram);
    for (size_t k = 0; k < 3 * sizeof cases / sizeof *cases; k++) {
        RaspSop sop;
        const char *text = cases[k / 3].text;
        draw_inputs(&inputs, &random, k % 3 ? "abc" : "hello wrd()");
        if (!rasp_program_expression(program, text, &sop, &error))
            fail_msg("%s: %s", text, error.text);
        size_t together = compare(program, text, &sop, &inputs);
        if (cases[k / 3].together && together < INPUTS / 2) fail_msg("%s: %zu", text, together);
    }
    rasp_program_free(program);
}

static void random_programs(void **state) {
    Random random = {4};
    Inputs inputs;
    RaspError error;
    size_t together = 0;
    enum { PROGRAMS = 60 };
    (void)state;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        RaspRandomOptions options = {.seed = seed, .layers = 1 + (uint32_t)seed % 3};
        char *text = rasp_random_program(&options, NULL, NULL, &error);
        if (!text) fail_msg("%s", error.text);
        RaspProgram *program = program_of(text);
        RaspSop sop = sop_of(program, "result");
        draw_inputs(&inputs, &random, "abcd");
        together += compare(program, text, &sop, &inputs);
        rasp_program_free(program);
        rasp_free(text);
    }
    assert_true(together > PROGRAMS * INPUTS / 3);
}

/* Selectors have no values; no memory, no runs. */
static void refused(void **state) {
    RaspError error;
    RaspSop sop;
    RaspValueKind kind;
    (void)state;
    RaspProgram *program = program_of(histogram);
    RaspInput inputs[] = {input_of("ab"), input_of("ba")};
    assert_true(
        rasp_program_value(program, "select(tokens, tokens, ==)", false, &kind, &sop, &error));
    assert_null(rasp_runs_new(program, inputs, 2, &sop, 1, &error));
    assert_int_equal(error.status, RASP_WRONG_USE);
    rasp_program_free(program);
    rasp_runs_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(expressions),
                                       cmocka_unit_test(random_programs),
                                       cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
