/* Values, inputs, messages and tables of rasp.h. */
#include "api/rasp_words.h"
#include "tests/unit/api_fixture.h"

#include <math.h>

/* --- atoms ------------------------------------------------------------------------------ */

static void atoms(void **state) {
    (void)state;
    RaspAtom all[] = {rasp_bool(true), rasp_int(1), rasp_float(1), rasp_string("1")};
    for (size_t a = 0; a < 4; a++)
        for (size_t b = 0; b < 4; b++) {
            assert_int_equal(rasp_atom_same(all[a], all[b]), a == b);
            assert_int_equal(rasp_atom_equal(all[a], all[b]), (a < 3) == (b < 3));
        }
    assert_false(rasp_atom_same(rasp_float(0.0), rasp_float(-0.0)));
    assert_true(rasp_atom_equal(rasp_float(0.0), rasp_float(-0.0)));
    RaspAtom one = {RASP_STRING, {.s = {"a\0b", 3}}}, other = {RASP_STRING, {.s = {"a\0c", 3}}};
    assert_true(rasp_atom_same(one, one));
    assert_false(rasp_atom_same(one, other));
}

static void texts(void **state) {
    (void)state;
    static const struct {
        RaspAtom atom;
        RaspStyle style;
        const char *text;
    } cases[] = {
        {{RASP_BOOL, {.b = true}}, RASP_PLAIN, "True"},
        {{RASP_BOOL, {.b = true}}, RASP_CELL, "T"},
        {{RASP_BOOL, {.b = false}}, RASP_JSON, "false"},
        {{RASP_INT, {.i = INT64_MIN}}, RASP_JSON, "-9223372036854775808"},
        {{RASP_FLOAT, {.f = 0.5}}, RASP_PLAIN, "0.5"},
        {{RASP_FLOAT, {.f = INFINITY}}, RASP_JSON, "\"inf\""},
        {{RASP_STRING, {.s = {"it's", 4}}}, RASP_PLAIN, "it's"},
        {{RASP_STRING, {.s = {"it's", 4}}}, RASP_QUOTED, "\"it's\""},
        {{RASP_STRING, {.s = {"it's", 4}}}, RASP_LISTED, "\"it's\""},
        {{RASP_STRING, {.s = {"a\"b", 3}}}, RASP_JSON, "\"a\\\"b\""},
    };
    char text[64], cut[4];
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        size_t length = rasp_atom_text(cases[k].atom, cases[k].style, text, sizeof text);
        assert_string_equal(text, cases[k].text);
        assert_int_equal(length, strlen(text));
        assert_int_equal(rasp_atom_text(cases[k].atom, cases[k].style, cut, sizeof cut), length);
        assert_true(strlen(cut) < sizeof cut && strncmp(cut, text, strlen(cut)) == 0);
        assert_int_equal(rasp_atom_text(cases[k].atom, cases[k].style, NULL, 0), length);
    }
    assert_true(rasp_round(2.675, 2) == 2.67 && rasp_round(0.5, 0) == 0);
}

/* --- inputs ----------------------------------------------------------------------------- */

static void inputs(void **state) {
    (void)state;
    static const struct {
        const char *text;
        RaspForm form;
        size_t count;
        RaspKind kind;
        RaspStatus status;
    } cases[] = {
        {"abc", RASP_AUTO, 3, RASP_STRING, RASP_OK},
        {"[1, 2]", RASP_AUTO, 2, RASP_INT, RASP_OK},
        {"[1, 2]", RASP_AS_STRING, 6, RASP_STRING, RASP_OK},
        {"[0.5]", RASP_AS_LIST, 1, RASP_FLOAT, RASP_OK},
        {"[true, False]", RASP_AUTO, 2, RASP_BOOL, RASP_OK},
        {"[\"hi\", \"\\u00e9\"]", RASP_AUTO, 2, RASP_STRING, RASP_OK},
        {"äöü", RASP_AUTO, 3, RASP_STRING, RASP_OK},
        {"[]", RASP_AUTO, 2, RASP_STRING, RASP_OK},
        {"abc", RASP_AS_LIST, 0, RASP_BOOL, RASP_WRONG_USE},
        {"[1, ", RASP_AS_LIST, 0, RASP_BOOL, RASP_WRONG_USE},
        {"[99999999999999999999]", RASP_AUTO, 0, RASP_BOOL, RASP_WRONG_USE},
        {"", RASP_AUTO, 0, RASP_BOOL, RASP_WRONG_USE},
        {"\xff", RASP_AUTO, 0, RASP_BOOL, RASP_WRONG_USE},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        RaspInput input = input_of(cases[k].text);
        RaspError error;
        size_t count = 77;
        input.form = cases[k].form;
        RaspAtom *tokens = rasp_input_read(&input, NULL, &count, &error);
        assert_int_equal(error.status, cases[k].status);
        assert_int_equal(count, cases[k].count);
        assert_int_equal(tokens != NULL, cases[k].status == RASP_OK);
        if (tokens) assert_int_equal(tokens[0].kind, cases[k].kind);
        if (!tokens) assert_true(*error.text && !error.line && !error.reported);
        rasp_free(tokens);
        rasp_free(rasp_input_read(&input, NULL, &count, NULL));
    }
}

/* Atoms of every kind go in and come out as they are. */
static void tokens(void **state) {
    (void)state;
    const RaspAtom atoms[] = {rasp_int(3),     rasp_float(0.25),  rasp_bool(true),
                              rasp_string(""), rasp_string("hi"), rasp_int(INT64_MAX)};
    const RaspAtom strings[] = {rasp_string("to"), {RASP_STRING, {.s = {"b\0e", 3}}}};
    const RaspAtom wrong[] = {rasp_float(NAN)};
    RaspInput lists[] = {{.tokens = atoms, .count = 3}, {.tokens = strings, .count = 2}};
    RaspInput none = {.tokens = atoms}, nan = {.tokens = wrong, .count = 1};
    RaspProgram *program = program_of(
        "def reverse() { return aggregate(select(indices, length - 1 - indices, ==), tokens); }"
        "r = reverse();");
    RaspSop sop = sop_of(program, NULL);
    RaspError error;
    for (size_t k = 0; k < 2; k++) {
        bool is_string = true;
        RaspRun *run = rasp_run_new(program, &lists[k], &sop, 1, NULL, &error);
        assert_non_null(run);
        const RaspSequence *in = rasp_run_input(run, &is_string);
        assert_false(is_string);
        assert_ptr_equal(in, rasp_run_input(run, NULL));
        assert_int_equal(rasp_sequence_length(in), lists[k].count);
        for (size_t i = 0; i < lists[k].count; i++)
            assert_true(rasp_atom_same(rasp_sequence_at(in, i), lists[k].tokens[i]));
        rasp_run_free(run);
    }
    assert_string_equal(run_of(program, &sop, &lists[0]), "True 0.25 3");
    assert_null(rasp_run_new(program, &none, &sop, 1, NULL, &error));
    assert_int_equal(error.status, RASP_WRONG_USE);
    assert_null(rasp_run_new(program, &nan, &sop, 1, NULL, &error));
    assert_int_equal(error.status, RASP_WRONG_USE);
    rasp_program_free(program);
}

/* --- messages --------------------------------------------------------------------------- */

typedef struct Heard {
    size_t errors, warnings;
    uint32_t line[8], column[8];
    char *shown[8];
} Heard;

static void hear(void *context, const RaspMessage *message) {
    Heard *heard = context;
    if (message->severity == RASP_WARNING) heard->warnings++;
    if (message->severity != RASP_ERROR || heard->errors == 8) return;
    heard->line[heard->errors] = message->place.line;
    heard->column[heard->errors] = message->place.column;
    heard->shown[heard->errors++] = rasp_message_show(message, false);
}

static void errors(void **state) {
    (void)state;
    static const char text[] = "x = length + ;\ny = 1;\nä = 3;\nz = (y;\n";
    static const char wrong[] = "a = missing;\nb = length[;";
    Heard heard = {0};
    RaspError error;
    RaspConfig config = {.report = hear, .report_context = &heard};
    RaspSource source = {.path = "dir/p.rasp", .text = text, .length = sizeof text - 1};
    assert_null(rasp_program_load(&source, &config, &error));
    assert_int_equal(error.status, RASP_WRONG_PROGRAM);
    assert_int_equal(heard.errors, 3);
    assert_int_equal(error.line, 1);
    assert_int_equal(error.column, 14);
    assert_string_equal(error.source, "dir/p.rasp");
    assert_true(error.reported && strncmp(error.text, "expected ", 9) == 0);
    assert_int_equal(heard.line[0], 1);
    assert_int_equal(heard.line[1], 3);
    assert_int_equal(heard.line[2], 4);
    assert_int_equal(strncmp(heard.shown[0], "dir/p.rasp:1:14: error: expected ", 33), 0);
    assert_non_null(strstr(heard.shown[0], "    1 | x = length + ;\n"));
    for (size_t k = 0; k < heard.errors; k++) rasp_free(heard.shown[k]);
    assert_null(try_program(text, NULL, &error));
    assert_false(error.reported);
    assert_null(try_program(text, NULL, NULL));
    assert_null(try_program(wrong, NULL, NULL));
}

static void shown(void **state) {
    (void)state;
    static const char line[] = "x\ty\33\xff;";
    RaspMessage note = {.severity = RASP_NOTE, .text = "here"};
    RaspMessage message = {.severity = RASP_WARNING,
                           .text = "so",
                           .place = {"f", 3, 3, 3, 4},
                           .line = line,
                           .line_length = sizeof line - 1,
                           .begin = 2,
                           .end = 3,
                           .notes = &note,
                           .note_count = 1};
    char *plain = rasp_message_show(&message, false), *colour = rasp_message_show(&message, true);
    assert_string_equal(plain, "f:3:3: warning: so\n    3 | x\ty  ;\n      |  \t^\n"
                               "rasp: note: here\n");
    assert_non_null(strstr(colour, "\33[1;35mwarning:\33[0m so"));
    rasp_free(plain);
    rasp_free(colour);
}

/* --- tables ----------------------------------------------------------------------------- */

static void tables(void **state) {
    (void)state;
    RaspWord word;
    size_t count[RASP_CATEGORIES] = {0};
    const char *line, *text;
    for (size_t k = 0; rasp_word(k, &word); k++) {
        assert_true(*word.name && word.category < RASP_CATEGORIES);
        assert_true(word.level == 0 || word.category == RASP_WORD_OPERATOR);
        assert_true(word.level >= 0 && word.level <= 10);
        count[word.category]++;
    }
    for (size_t k = 0; k < RASP_CATEGORIES; k++) assert_true(count[k] > 0);
    assert_string_equal(rasp_word_example(RASP_WORD_STATEMENT, 0), "x = e;");
    assert_true(rasp_word_follow(0, &line, &text) && *text);
    assert_false(rasp_word_follow(10000, &line, &text));
    assert_string_equal(rasp_type_name(RASP_BOOLS), "bools");
    assert_string_equal(rasp_dtype_name(RASP_F64), "f64");
    assert_string_equal(rasp_rule_name(RASP_HARD_LEFT), "hard-left");
    assert_true(rasp_rule_has_temperature(RASP_SOFTMAX) &&
                !rasp_rule_has_temperature(RASP_AVERAGE));
    assert_null(rasp_dtype_name(-1));
    assert_null(rasp_dtype_name(RASP_F64 + 1));
    assert_null(rasp_masks_name(RASP_MASKS_CAUSAL + 1));
    assert_null(rasp_layout_name(RASP_STANDARD + 1));
    assert_null(rasp_rule_name(RASP_TOP_K + 1));
    assert_true(rasp_rule_is_kernel(RASP_ENTMAX15) && !rasp_rule_is_kernel(RASP_ENTMAX));
    assert_false(rasp_rule_is_kernel((RaspRule)99) || rasp_rule_accepts((RaspRule)99, 0));
    assert_string_equal(rasp_rule_parameter(RASP_TOP_K).name, "k");
    assert_null(rasp_rule_parameter(RASP_AVERAGE).name);
    assert_null(rasp_rule_parameter((RaspRule)-1).name);
    assert_true(rasp_rule_accepts(RASP_TOP_K, 2) && !rasp_rule_accepts(RASP_TOP_K, 2.5));
    assert_null(rasp_path_name(RASP_PATH_SPARSE + 1));
    assert_string_equal(rasp_version(), RASP_VERSION);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(atoms),  cmocka_unit_test(texts),  cmocka_unit_test(inputs),
        cmocka_unit_test(tokens), cmocka_unit_test(errors), cmocka_unit_test(shown),
        cmocka_unit_test(tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
