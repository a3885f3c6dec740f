/* Programs and their runs through rasp.h: s-ops, files, dumps, limits, lifetimes. */
#include "tests/unit/api_fixture.h"

#include <errno.h>

/* --- s-ops ------------------------------------------------------------------------------ */

static const char several[] = "# rasp: alphabet=ab max-length=9\n"
                              "a = length;\n_b = a + 1;\nc = 3;\nd = histogram_of(tokens);\n";

static RaspProgram *several_program(void) {
    char text[256];
    snprintf(text, sizeof text,
             "def histogram_of(x) { return selector_width(select(x, x, ==)); }\n%s", several);
    return program_of(text);
}

static void sops(void **state) {
    (void)state;
    RaspProgram *program = several_program();
    RaspError error;
    RaspSop sop;
    size_t count;
    const char *key, *value;
    assert_true(rasp_program_sop(program, NULL, &sop, &error) && sop.chosen == RASP_BY_DEFAULT);
    assert_string_equal(sop.name, "d");
    assert_true(rasp_program_sop(program, "_b", &sop, &error) && sop.chosen == RASP_BY_NAME);
    assert_false(rasp_program_sop(program, "c", &sop, &error)); /* a number */
    assert_int_equal(error.status, RASP_WRONG_PROGRAM);
    assert_false(rasp_program_sop(program, "e", &sop, &error));
    assert_non_null(strstr(error.text, "no s-op 'e'"));
    assert_false(rasp_program_sop(program, "e", &sop, NULL));
    assert_true(rasp_program_expression(program, "a * c + d", &sop, &error));
    assert_int_equal(sop.chosen, RASP_BY_EXPRESSION);
    RaspInput input = input_of("aab");
    assert_string_equal(run_of(program, &sop, &input), "11 11 10");
    assert_false(rasp_program_expression(program, "a *", &sop, &error));
    assert_int_equal(error.status, RASP_WRONG_PROGRAM);
    assert_false(rasp_program_expression(program, "missing", &sop, NULL));
    const RaspSop *all = rasp_program_sops(program, &count, &error);
    assert_int_equal(count, 2);
    assert_string_equal(all[0].name, "a");
    assert_string_equal(all[1].name, "d");
    assert_true(rasp_program_setting(program, 1, &key, &value));
    assert_string_equal(key, "max-length");
    assert_string_equal(value, "9");
    assert_false(rasp_program_setting(program, 2, &key, &value));
    rasp_program_free(program);
    program = program_of("c = 3;");
    assert_null(rasp_program_sops(program, &count, &error));
    assert_int_equal(count, 0);
    assert_false(rasp_program_sop(program, NULL, &sop, &error));
    rasp_program_free(program);
}

/* --- selectors -------------------------------------------------------------------------- */

static void selectors(void **state) {
    (void)state;
    RaspProgram *program = program_of("s = select(indices, indices, <);\nn = selector_width(s);\n"
                                      "bad = select(6 / tokens_int, 1, ==);\n");
    RaspError error;
    RaspSop value[3];
    RaspValueKind kind;
    assert_true(rasp_program_value(program, "s", true, &kind, &value[0], &error));
    assert_int_equal(kind, RASP_VALUE_SELECTOR);
    assert_true(rasp_program_value(program, "n", true, &kind, &value[1], &error));
    assert_int_equal(kind, RASP_VALUE_SOP);
    assert_true(rasp_program_value(program, "not bad", false, &kind, &value[2], &error));
    assert_int_equal(kind, RASP_VALUE_SELECTOR);
    assert_false(rasp_program_value(program, "3", false, &kind, &value[2], &error));
    assert_non_null(strstr(error.text, "expected an s-op or a selector"));
    assert_false(rasp_program_sop(program, "s", &value[2], &error));
    assert_true(rasp_program_value(program, "bad", true, &kind, &value[2], &error));
    RaspInput input = input_of("0a");
    RaspRun *run = rasp_run_new(program, &input, value, 3, NULL, &error);
    assert_non_null(run);
    const bool *cells = rasp_run_selection(run, 0, &error);
    assert_true(cells && !cells[0] && !cells[1] && cells[2] && !cells[3]);
    assert_string_equal(text_of(rasp_run_sequence(run, 1, &error)), "0 1");
    assert_null(rasp_run_selection(run, 1, &error));
    assert_int_equal(error.status, RASP_WRONG_USE);
    assert_null(rasp_run_sequence(run, 0, &error));
    assert_null(rasp_run_selection(run, 2, &error)); /* it fails on the input */
    assert_int_equal(error.status, RASP_FAILED);
    assert_null(rasp_run_selection(run, 3, &error));
    rasp_run_free(run);
    rasp_program_free(program);
}

/* --- the inputs of a target ------------------------------------------------------------- */

/* Characters of the inputs, one after the other with a blank between them. */
static const char *inputs_of(RaspInputs *inputs, RaspError *error) {
    static char text[4096];
    size_t used = 0;
    RaspInput input;
    while (rasp_inputs_next(inputs, &input, error)) {
        if (used) text[used++] = ' ';
        for (size_t k = 0; k < input.count; k++) text[used++] = *input.tokens[k].as.s.text;
        assert_true(used + 32 < sizeof text);
    }
    text[used] = '\0';
    return text;
}

static void inputs(void **state) {
    static const struct {
        RaspTarget target;
        const char *inputs;
        size_t outside;
    } cases[] = {
        {{0}, "a b aa ab ba bb", 0}, /* as the magic comment says */
        {{.max_length = 1}, "a b", 0},        {{.alphabet = "xyz", .max_length = 1}, "x y z", 0},
        {{.first = "b"}, "b ba bb", 0},       {{.where = "length == 2"}, "aa ab ba bb", 2},
        {{.where = "6 / tokens_int"}, "", 6},
    };
    (void)state;
    RaspError error;
    RaspProgram *program = program_of("# rasp: alphabet=ab max-length=2\ny = tokens;");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        RaspInputs *all = rasp_inputs_new(program, &cases[k].target, NULL, &error);
        assert_non_null(all);
        assert_string_equal(inputs_of(all, &error), cases[k].inputs);
        assert_int_equal(error.status, RASP_OK);
        assert_true(rasp_inputs_info(all).exhaustive);
        assert_int_equal(rasp_inputs_info(all).outside, cases[k].outside);
        rasp_inputs_free(all);
    }
    assert_null(rasp_inputs_new(program, &(RaspTarget){.where = "missing"}, NULL, &error));
    assert_int_equal(error.status, RASP_WRONG_PROGRAM);
    RaspCheckOptions few = {.seed = 5, .count = 10, .exhaustive_limit = 3};
    RaspInputs *drawn = rasp_inputs_new(program, &(RaspTarget){.max_length = 8}, &few, &error);
    assert_memory_equal(inputs_of(drawn, &error), "a b ", 4);
    assert_false(rasp_inputs_info(drawn).exhaustive);
    assert_int_equal(rasp_inputs_info(drawn).given, 10);
    assert_int_equal(rasp_inputs_info(drawn).complete_length, 1);
    rasp_program_free(program); /* in any order */
    rasp_inputs_free(drawn);
}

/* --- files ------------------------------------------------------------------------------ */

static int read_two(void *context, const char *path, char **text, size_t *length) {
    static const char *const files[][2] = {{"in/main.rasp", "load \"part\";\nz = y + 1;"},
                                           {"in/part.rasp", "y = indices;"}};
    int *asked = context;
    ++*asked;
    for (size_t k = 0; k < 2; k++)
        if (strcmp(path, files[k][0]) == 0) {
            *text = strdup(files[k][1]);
            *length = strlen(*text);
            return 0;
        }
    return strcmp(path, "denied.rasp") == 0 ? EACCES : ENOENT;
}

static void reads(void **state) {
    (void)state;
    int asked = 0;
    RaspConfig config = {.read = read_two, .read_context = &asked};
    RaspError error;
    RaspProgram *program =
        rasp_program_load(&(RaspSource){.path = "in/main.rasp"}, &config, &error);
    if (!program) fail_msg("%s", error.text);
    assert_int_equal(asked, 3); /* main, part as written, part beside main */
    RaspSop sop = sop_of(program, NULL);
    RaspInput input = input_of("ab");
    assert_string_equal(run_of(program, &sop, &input), "1 2");
    rasp_program_free(program);
    assert_null(rasp_program_load(&(RaspSource){.path = "none.rasp"}, &config, &error));
    assert_int_equal(error.status, RASP_NO_FILE);
    assert_null(rasp_program_load(&(RaspSource){.path = "denied.rasp"}, &config, &error));
    assert_int_equal(error.status, RASP_NO_FILE);
    assert_non_null(strstr(error.text, "ermission"));
    assert_null(try_program("load \"none\";\ny = length;", &config, &error));
    assert_int_equal(error.status, RASP_WRONG_PROGRAM);
    assert_int_equal(error.line, 1);
    assert_null(rasp_program_load(&(RaspSource){.path = "/none/such.rasp"}, NULL, &error));
    assert_int_equal(error.status, RASP_NO_FILE);
}

/* --- dumps ------------------------------------------------------------------------------ */

static void dumps(void **state) {
    (void)state;
    RaspProgram *program = several_program();
    RaspSop all[] = {sop_of(program, "a"), sop_of(program, "d")};
    RaspError error;
    const RaspLayers *layers = rasp_program_layers(program, &all[1], &error);
    assert_int_equal(layers->count, 1);
    assert_int_equal(layers->head_count, 1);
    assert_int_equal(layers->heads[0].layer, 1);
    assert_non_null(strstr(layers->heads[0].selector, "select(tokens, tokens, ==)"));
    assert_int_equal(layers->heads[0].place.line, 1);
    assert_string_equal(layers->path[0].sop, "d");
    char *graph = rasp_program_graph(program, all, 2, &error);
    assert_true(graph && strstr(graph, "select"));
    rasp_free(graph);
    rasp_program_free(program);
    RaspSource source = {.text = several, .length = sizeof several - 1};
    char *tree = rasp_syntax_tree(&source, NULL, &error);
    assert_true(tree && tree[0] == '(');
    rasp_free(tree);
    source.text = "y = (;";
    source.length = 6;
    assert_null(rasp_syntax_tree(&source, NULL, &error));
    assert_int_equal(error.status, RASP_WRONG_PROGRAM);
    assert_int_equal(error.column, 6);
    assert_null(rasp_syntax_tree(&(RaspSource){.path = "/none/such"}, NULL, &error));
    assert_int_equal(error.status, RASP_NO_FILE);
    assert_null(rasp_syntax_tree(&source, NULL, NULL));
}

/* --- runs ------------------------------------------------------------------------------- */

static void runs(void **state) {
    (void)state;
    RaspProgram *program = program_of("a = tokens_int + 1;\nb = indices;\nc = b + b;\n"
                                      "d = c + selector_width(select(c, b, >));");
    RaspSop all[] = {sop_of(program, "a"), sop_of(program, "d"), sop_of(program, "c"),
                     sop_of(program, "b")};
    RaspInput words = input_of("xyz"), digits = input_of("123");
    RaspRunOptions options[] = {{.stats = true}, {.plan = RASP_PLAN_NAIVE}, {.threads = 2}};
    RaspError error;
    for (size_t k = 0; k < 3; k++) {
        size_t count;
        RaspRun *run = rasp_run_new(program, &words, all, 4, &options[k], &error);
        assert_null(rasp_run_sequence(run, 0, &error)); /* others do not fail */
        assert_int_equal(error.status, RASP_FAILED);
        assert_int_equal(error.line, 1);
        assert_null(rasp_run_sequence(run, 0, NULL));
        const RaspSequence *d = rasp_run_sequence(run, 1, &error);
        const RaspSequence *c = rasp_run_sequence(run, 2, &error);
        const RaspSequence *b = rasp_run_sequence(run, 3, &error);
        assert_int_equal(rasp_sequence_type(c), RASP_INTS);
        assert_string_equal(text_of(b), "0 1 2"); /* all stay, whatever was asked for later */
        assert_string_equal(text_of(c), "0 2 4");
        assert_string_equal(text_of(d), "2 4 5");
        assert_ptr_equal(d, rasp_run_sequence(run, 1, NULL));
        assert_false(rasp_sequence_uniform(c));
        assert_null(rasp_run_sequence(run, 4, &error));
        assert_int_equal(error.status, RASP_WRONG_USE);
        const RaspStat *stats = rasp_run_stats(run, &count, &error);
        assert_int_equal(count > 0, options[k].stats);
        for (size_t s = 0; s < count; s++) assert_true(*stats[s].sop && *stats[s].plan);
        rasp_run_free(run);
    }
    assert_string_equal(run_of(program, &all[0], &digits), "2 3 4");
    rasp_program_free(program);
}

/* --- limits ----------------------------------------------------------------------------- */

static void time_ends(void **state) {
    (void)state;
    static const char *const endless[] = {
        "for i in range(1000000) { for j in range(1000000) { x = i + j; } }\ny = length;",
        "def f(x, n) { return f(x, n - 1) if n > 0 else x; }\n"
        "for i in range(1000000) { y = f(length, 100); }"};
    RaspConfig config = {.cpu_seconds = 0.1};
    RaspError error;
    for (size_t k = 0; k < 2; k++) {
        assert_null(try_program(endless[k], &config, &error));
        assert_int_equal(error.status, RASP_OUT_OF_TIME);
    }
    /* Of each call: what comes later has its own. */
    RaspProgram *program = try_program(histogram, &config, &error);
    RaspSop sop = sop_of(program, NULL);
    RaspInput input = input_of("aab");
    RaspTarget slow = {.alphabet = "abcdefghijklmnopqrstuvwxyz",
                       .max_length = 2000,
                       .time_limit = 0.05,
                       .where = "length > 3"};
    assert_null(rasp_compile(program, &sop, 1, &slow, &error));
    assert_int_equal(error.status, RASP_OUT_OF_TIME);
    slow.time_limit = 0;
    for (int k = 0; k < 3; k++) assert_string_equal(run_of(program, &sop, &input), "2 2 1");
    rasp_program_free(program);
}

static void memory_ends(void **state) {
    (void)state;
    RaspConfig config = {.memory = 1 << 21};
    RaspError error;
    RaspProgram *program =
        try_program("s = select(tokens, tokens, ==);\ny = selector_width(s);", &config, &error);
    RaspSop sop = sop_of(program, NULL);
    RaspInput input = input_of("aab"), large = {.length = 1 << 21};
    char *text = malloc(large.length);
    memset(text, 'a', large.length);
    large.text = text;
    for (int k = 0; k < 3; k++) {
        assert_null(rasp_run_new(program, &large, &sop, 1, NULL, &error));
        assert_int_equal(error.status, RASP_OUT_OF_MEMORY);
        assert_string_equal(run_of(program, &sop, &input), "2 2 1");
    }
    RaspTarget target = {.alphabet = "abcdefghijklmnopqrstuvwxyz", .max_length = 5000};
    assert_null(rasp_compile(program, &sop, 1, &target, &error));
    assert_int_equal(error.status, RASP_OUT_OF_MEMORY);
    assert_string_equal(run_of(program, &sop, &input), "2 2 1");
    rasp_program_free(program);
    free(text);
    config.memory = 1000;
    assert_null(try_program(histogram, &config, &error));
    assert_int_equal(error.status, RASP_OUT_OF_MEMORY);
    config.memory = SIZE_MAX;
    rasp_program_free(try_program(histogram, &config, &error));
    assert_int_equal(error.status, RASP_OK);
}

static volatile sig_atomic_t cancel;

static void cancelled(void **state) {
    (void)state;
    RaspConfig config = {.cancel = &cancel};
    RaspError error;
    RaspProgram *program = try_program(histogram, &config, &error);
    RaspSop sop = sop_of(program, NULL), other;
    RaspTarget target = {.alphabet = "ab", .max_length = 12, .where = "length > 0"};
    RaspModel *model = rasp_compile(program, &sop, 1, &target, &error);
    RaspEngine *engine = rasp_engine_new(model, NULL, &config, &error);
    RaspVerifyReport report;
    RaspInput input = input_of("aab");
    assert_non_null(engine);
    cancel = 1;
    assert_null(try_program("for i in range(1000000) { x = i; } y = length;", &config, &error));
    assert_int_equal(error.status, RASP_CANCELLED);
    assert_null(rasp_compile(program, &sop, 1, &target, &error));
    assert_int_equal(error.status, RASP_CANCELLED);
    assert_null(rasp_check(model, NULL, &error));
    assert_int_equal(error.status, RASP_CANCELLED);
    assert_false(rasp_verify(model, &report, &error));
    assert_int_equal(error.status, RASP_CANCELLED);
    assert_null(rasp_forward(engine, &input, &error));
    assert_int_equal(error.status, RASP_CANCELLED);
    assert_null(rasp_trace(engine, &input, &(RaspTap){0}, &error));
    assert_int_equal(error.status, RASP_CANCELLED);
    cancel = 0;
    assert_string_equal(forward_of(engine, &input), "2 2 1");
    assert_true(rasp_verify(model, &report, &error) && report.holds);
    assert_true(rasp_program_expression(program, "histogram + 1", &other, &error));
    assert_string_equal(run_of(program, &other, &input), "3 3 2");
    rasp_engine_free(engine);
    rasp_model_free(model);
    rasp_program_free(program);
}

/* --- lifetimes -------------------------------------------------------------------------- */

enum { HANDLES = 5 };

typedef struct Handles {
    RaspProgram *program;
    RaspRun *run;
    RaspModel *model;
    RaspEngine *engine;
    RaspForward *forward;
} Handles;

static void free_one(Handles *h, int which) {
    switch (which) {
    case 0:
        rasp_program_free(h->program);
        break;
    case 1:
        rasp_run_free(h->run);
        break;
    case 2:
        rasp_model_free(h->model);
        break;
    case 3:
        rasp_engine_free(h->engine);
        break;
    default:
        rasp_forward_free(h->forward);
    }
}

/* Every order of freeing; what is left still works. */
static void lifetimes(void **state) {
    (void)state;
    RaspTarget target = {.alphabet = "ab", .max_length = 3, .where = "length > 0"};
    RaspInput input = input_of("aab");
    for (int order = 0; order < 120; order++) {
        int left[HANDLES] = {0, 1, 2, 3, 4}, count = HANDLES;
        RaspError error;
        Handles h = {.program = program_of(histogram)};
        RaspSop sop = sop_of(h.program, NULL);
        h.run = rasp_run_new(h.program, &input, &sop, 1, NULL, &error);
        h.model = rasp_compile(h.program, &sop, 1, &target, &error);
        h.engine = engine_of(h.model);
        h.forward = rasp_forward(h.engine, &input, &error);
        for (int rest = order; count > 0; count--) {
            int pick = rest % count;
            rest /= count;
            free_one(&h, left[pick]);
            memmove(&left[pick], &left[pick + 1], (size_t)(count - 1 - pick) * sizeof *left);
            for (int k = 0; k < count - 1; k++) {
                if (left[k] == 1)
                    assert_string_equal(text_of(rasp_run_sequence(h.run, 0, &error)), "2 2 1");
                if (left[k] == 3) assert_string_equal(forward_of(h.engine, &input), "2 2 1");
                if (left[k] == 4)
                    assert_string_equal(text_of(rasp_forward_sequence(h.forward, 0)), "2 2 1");
            }
        }
    }
    rasp_program_free(NULL);
    rasp_run_free(NULL);
    rasp_model_free(NULL);
    rasp_engine_free(NULL);
    rasp_forward_free(NULL);
    rasp_stream_free(NULL);
    rasp_check_free(NULL);
    rasp_repl_free(NULL);
    rasp_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sops),      cmocka_unit_test(selectors),   cmocka_unit_test(inputs),
        cmocka_unit_test(reads),     cmocka_unit_test(dumps),       cmocka_unit_test(runs),
        cmocka_unit_test(time_ends), cmocka_unit_test(memory_ends), cmocka_unit_test(cancelled),
        cmocka_unit_test(lifetimes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
