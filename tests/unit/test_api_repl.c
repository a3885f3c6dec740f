/* The session of statements of rasp.h: lines in, events out. */
#include "tests/unit/api_fixture.h"

typedef struct Log {
    char text[4096];
    size_t length;
    bool names_seen;
} Log;

__attribute__((format(printf, 2, 3))) static void note(Log *log, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int length = vsnprintf(log->text + log->length, sizeof log->text - log->length, format, args);
    va_end(args);
    assert_true(length >= 0 && log->length + (size_t)length < sizeof log->text);
    log->length += (size_t)length;
}

/* Since the last call. */
static const char *said(Log *log) {
    log->length = 0;
    return log->text;
}

static void note_value(Log *log, RaspRepl *repl, RaspValue value) {
    const char *failure = NULL;
    if (value.kind == RASP_VALUE_SOP) {
        const RaspSequence *values = rasp_value_sequence(repl, value, &failure);
        note(log, "<%s>", values ? text_of(values) : failure);
    } else if (value.kind == RASP_VALUE_SELECTOR) {
        const bool *cells = rasp_value_selection(repl, value, &failure);
        note(log, "<%s>", cells ? cells[0] ? "on" : "off" : failure);
    } else {
        note(log, "%s", rasp_value_text(repl, value, RASP_QUOTED));
    }
}

static void named(void *context, RaspRepl *repl, const char *name, RaspValue value) {
    note(context, "%s=", name);
    note_value(context, repl, value);
    assert_false(rasp_repl_stopped(repl));
}

static void applied(void *context, RaspRepl *repl, RaspValue value, RaspValue input) {
    note(context, "%s(%s)=", rasp_value_name(value), rasp_value_text(repl, input, RASP_PLAIN));
    note_value(context, repl, value);
}

static void drawn(void *context, RaspRepl *repl, RaspValue value, RaspValue input, bool show) {
    RaspError error;
    char *dot = rasp_value_dot(repl, value, input, &error);
    note(context, "draw %s %d", dot && strncmp(dot, "digraph", 7) == 0 ? "digraph" : error.text,
         show);
    rasp_free(dot);
}

static void example(void *context, RaspRepl *repl, RaspExample which) {
    note(context, "example %d %s", (int)which,
         rasp_value_text(repl, rasp_repl_example(repl, RASP_EXAMPLE_SOP), RASP_QUOTED));
}

static void failed(void *context, RaspRepl *repl, RaspFailure failure, const char *reference,
                   const RaspMessage *message) {
    (void)repl;
    assert_true(*reference && failure <= RASP_FAILURE_PLAIN);
    char *shown = rasp_message_show(message, false);
    assert_non_null(strstr(shown, message->text));
    rasp_free(shown);
    note(context, "failed:%u:%s", message->place.column, message->text);
}

static void syntax(void *context, RaspRepl *repl, const RaspMessage *message) {
    (void)repl;
    note(context, "syntax:%u", message->place.column);
}

static void stopped(void *context, RaspRepl *repl, const char *text) {
    note(context, "stopped:%s:%.13s", repl ? "repl" : "start", text);
}

static void warned(void *context, RaspRepl *repl, const RaspMessage *message) {
    (void)repl;
    assert_int_equal(message->severity, RASP_WARNING);
    note(context, "warned:%u;", message->place.column);
}

static RaspEvents events_to(Log *log) {
    return (RaspEvents){log, named, applied, drawn, example, failed, syntax, stopped, warned};
}

static bool line(RaspRepl *repl, const char *text) {
    return rasp_repl_line(repl, text, strlen(text));
}

/* --- statements ------------------------------------------------------------------------- */

static void statements(void **state) {
    static const struct {
        const char *line, *said;
    } cases[] = {
        {"x = indices + 1;", "x=<1 2 3 4 5>"},
        {"s = select(indices, 0, ==);", "s=<on>"},
        {"x(\"ab\");", "x(ab)=<1 2>"},
        {"x([7, 8, 9]);", "x([7, 8, 9])=<1 2 3>"},
        {"s([1, 2]);", "s([1, 2])=<on>"},
        {"3 + 4;", "out=7"},
        {"l = [1, \"b\"];", "l=[1, \"b\"]"},
        {"draw(x, \"ab\");", "draw digraph 1"},
        {"show example", "example 0 \"hello\""},
        {"set example \"ab\"", ""},
        {"y = length;", "y=<2 2>"},
        {"z = missing;", "failed:5:"},
        {"y = ;", "syntax:5"},
        {"tokens_int(\"a\");", "failed:"},
        {"\xff", "syntax:"},
        {"", ""},
        {"# words", ""},
        {"len(\"abc\");", "out=3"}, /* beyond the reference */
        {"[c for c in \"ab\"];", "out=[\"a\", \"b\"]"},
        {"\"abc\"[1:];", "out=\"bc\""},
        {"w = tokens == 3;", "w=<False False>warned:5;"},
        {"v = not w;", "v=<True True>"}, /* once a place */
    };
    Log log = {0};
    RaspEvents events = events_to(&log);
    RaspError error;
    RaspRepl *repl = rasp_repl_new(&events, NULL, &error);
    (void)state;
    assert_non_null(repl);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        log.text[0] = '\0';
        assert_true(line(repl, cases[k].line));
        const char *found = said(&log);
        if (strncmp(found, cases[k].said, strlen(cases[k].said)) != 0 ||
            (!*cases[k].said && *found))
            fail_msg("%s: expected %s, found %s", cases[k].line, cases[k].said, found);
        if (*cases[k].said) assert_true(rasp_repl_fresh(repl));
    }
    assert_false(line(repl, "exit()"));
    rasp_repl_free(repl);
}

/* As people type: what each line says, and whether the next one is the first of a statement. */
static void relaxed(void **state) {
    static const struct {
        const char *line, *said;
        bool fresh;
    } cases[] = {
        {"x = 1; y = 2; x + y;", "x=1y=2out=3", true},
        {"a = 1; b = missing; c = 3;", "a=1failed:12:", true},
        {"c;", "c=3", true}, /* it ran all the same */
        {"", "", true},
        {"set example \"ab\"; length;", "length=<2 2>", true},
        {"show example;", "example 0 \"ab\"", true},
        {"x = 1", "", false},
        {"y = 2;", "warned:6;x=1y=2", true},
        {"x = 5", "", false},
        {"", "x=5", true},
        {"x = (1", "", false},
        {"y = 7;", "syntax:1y=7", true},
        {"1 < 2 < 3;", "warned:7;out=True", true},
    };
    Log log = {0};
    RaspEvents events = events_to(&log);
    RaspRepl *repl = rasp_repl_new(&events, NULL, NULL);
    (void)state;
    rasp_repl_relax(repl, true);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        log.text[0] = '\0';
        assert_true(line(repl, cases[k].line));
        const char *found = said(&log);
        if (strncmp(found, cases[k].said, strlen(cases[k].said)) != 0 ||
            (!*cases[k].said && *found))
            fail_msg("%s: expected %s, found %s", cases[k].line, cases[k].said, found);
        assert_int_equal(rasp_repl_fresh(repl), cases[k].fresh);
    }
    log.text[0] = '\0';
    assert_false(line(repl, "x = 1; exit; x = 2;"));
    assert_string_equal(said(&log), "x=1");
    rasp_repl_free(repl);
}

static void unfinished(void **state) {
    Log log = {0};
    RaspEvents events = events_to(&log);
    RaspRepl *repl = rasp_repl_new(&events, NULL, NULL);
    (void)state;
    assert_true(line(repl, "def f(x) {"));
    assert_false(rasp_repl_fresh(repl));
    assert_int_equal(rasp_repl_def_words(repl), 1);
    rasp_repl_drop(repl);
    assert_true(rasp_repl_fresh(repl));
    assert_int_equal(rasp_repl_def_words(repl), 0);
    assert_true(line(repl, "x = 1 +") && line(repl, "2;"));
    assert_string_equal(said(&log), "x=3");
    rasp_repl_free(repl); /* in the middle of nothing */
    repl = rasp_repl_new(NULL, NULL, NULL);
    assert_true(line(repl, "x = indices; y = missing(")); /* nobody listens */
    rasp_repl_free(repl);
}

/* --- values and names ------------------------------------------------------------------- */

static void look_inside(void *context, RaspRepl *repl, const char *name, RaspValue value) {
    Log *log = context;
    note(log, "%s %d %d:", name, (int)value.kind, rasp_value_flat(value));
    if (value.kind == RASP_VALUE_ATOM || value.kind == RASP_VALUE_LIST ||
        value.kind == RASP_VALUE_DICT)
        for (size_t k = 0; k < rasp_value_count(value); k++) {
            char key[16] = "";
            if (value.kind == RASP_VALUE_DICT)
                rasp_atom_text(rasp_value_key(value, k), RASP_PLAIN, key, sizeof key);
            note(log, " %s%s", key,
                 rasp_value_text(repl, rasp_value_element(repl, value, k), RASP_LISTED));
        }
    RaspError error;
    assert_null(rasp_value_dot(repl, value, value, &error)); /* only what is drawn */
    assert_int_equal(error.status, RASP_WRONG_USE);
}

static void values(void **state) {
    static const struct {
        const char *line, *said;
    } cases[] = {
        {"l = [1, [2, \"b\"]];", "l 1 0: 1 [2, 'b']"},
        {"d = {\"k\": 1};", "d 2 1: k1"},
        {"t = \"a\xc3\xa4\";", "t 0 1: 'a' '\xc3\xa4'"},
        {"def f(x) { return x; }", "f 3 1:"},
    };
    Log log = {0};
    RaspEvents events = {.context = &log, .named = look_inside};
    RaspRepl *repl = rasp_repl_new(&events, NULL, NULL);
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        log.text[0] = '\0';
        assert_true(line(repl, cases[k].line));
        assert_string_equal(said(&log), cases[k].said);
    }
    rasp_repl_free(repl);
}

static void see_name(void *context, const char *name, bool documented) {
    if (strcmp(name, "selector_width") == 0) ((Log *)context)->names_seen |= documented;
}

static void names(void **state) {
    Log log = {0};
    RaspRepl *repl = rasp_repl_new(NULL, NULL, NULL);
    (void)state;
    assert_true(line(repl, "own = indices;"));
    rasp_repl_names(repl, see_name, &log);
    assert_true(log.names_seen);
    char *text = rasp_repl_describe(repl, "own");
    assert_string_equal(text, "own is an s-op: indices\n");
    rasp_free(text);
    text = rasp_repl_describe(repl, "selector_width");
    assert_true(text && *text);
    rasp_free(text);
    assert_null(rasp_repl_describe(repl, "missing"));
    assert_true(rasp_repl_shows_examples(repl, RASP_EXAMPLE_SOP));
    assert_true(line(repl, "examples off") && !rasp_repl_shows_examples(repl, RASP_EXAMPLE_SOP));
    assert_true(line(repl, "full seq display on") && rasp_repl_full_display(repl));
    rasp_repl_free(repl);
}

/* --- limits ----------------------------------------------------------------------------- */

static void limits(void **state) {
    volatile sig_atomic_t cancel = 0;
    Log log = {0};
    RaspEvents events = events_to(&log);
    RaspConfig config = {.memory = 4 << 20, .cpu_seconds = 0.2, .cancel = &cancel};
    RaspError error;
    RaspRepl *repl = rasp_repl_new(&events, &config, &error);
    (void)state;
    assert_non_null(repl);
    assert_true(line(repl, "l = [0] * 1000000000;"));
    assert_string_equal(said(&log), "stopped:repl:out of memory");
    assert_true(line(repl, "for i in range(10000) { for j in range(10000) { x = 1; } }"));
    assert_string_equal(said(&log), "stopped:repl:not done with");
    cancel = 1;
    assert_true(line(repl, "for i in range(1000) { x = i; }"));
    assert_string_equal(said(&log), "stopped:repl:interrupted");
    cancel = 0;
    log.text[0] = '\0';
    assert_true(line(repl, "y = 5;"));
    assert_string_equal(said(&log), "y=5");
    rasp_repl_free(repl);
    config.memory = 1000;
    assert_null(rasp_repl_new(&events, &config, &error));
    assert_int_equal(error.status, RASP_OUT_OF_MEMORY);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statements), cmocka_unit_test(relaxed), cmocka_unit_test(unfinished),
        cmocka_unit_test(values),     cmocka_unit_test(names),   cmocka_unit_test(limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
