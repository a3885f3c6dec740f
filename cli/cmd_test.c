/* `rasp test PROGRAM...`: the examples in programs' comments. */
#include "cli/command.h"

#include "cli/about.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/print.h"
#include "cli/program.h"
#include "cli/report.h"
#include "cli/safe.h"
#include "cli/stop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Test {
    Common common;
    char **names;
    int name_count;
    Json json;
    size_t passed, failed; /* of all programs */
    int status;            /* of the programs that could not be loaded */
} Test;

static const struct argp_option options[] = {
    OPTION_JSON("one object: passed, failed, programs with their examples", 1),
    OPTION_TIME,
    OPTION_MEMORY,
    {0},
};

static const char help[] =
    "Run the examples in programs' comments, such as\n\n"
    "  # example: \"abc\" -> [c, b, a]\n"
    "  # example: [3, 1, 2] -> [2, 1, 3]\n"
    "  # example: indices + 1 on \"ab\" -> [1, 2]\n"
    "  # example: 6 / tokens_int on [0] -> error\n\n"
    "and compare what is printed: what the program gives on the input, or what an expression "
    "gives, in the program's scope.  'error' is any error.\v"
    "PROGRAM is found as for rasp run.  The exit status is 1 if an example fails, or if there is "
    "none.\n\n"
    "Examples:\n"
    "  rasp test mine.rasp\n"
    "  rasp test programs/*/*.rasp --json";

static error_t parse(int key, char *text, struct argp_state *state) {
    Test *t = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        t->names = state->argv + state->next - 1;
        t->name_count = state->argc - (state->next - 1);
        state->next = state->argc;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "%s", program_argument.missing);
        return 0;
    default:
        return option_common(key, text, state, &t->common);
    }
}

/* --- one example ------------------------------------------------------------------------ */

/* What `rasp run` would print, or "error: ...". */
static const char *values_text(const RaspSequence *values) {
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (!out) return "error: out of memory";
    print_values(out, values, -1, STRINGS_BARE);
    const char *shown =
        fclose(out) == 0 ? arena_text(command_arena(), text, length) : "error: out of memory";
    free(text);
    return shown;
}

static const char *run(RaspProgram *program, const Example *e) {
    RaspSop sop;
    RaspError error;
    RaspInput input = {.text = e->input,
                       .length = strlen(e->input),
                       .form = e->is_string ? RASP_AS_STRING : RASP_AS_LIST};
    bool found = e->expression ? rasp_program_expression(program, e->expression, &sop, &error)
                               : rasp_program_sop(program, NULL, &sop, &error);
    RaspRun *run = found ? rasp_run_new(program, &input, &sop, 1, NULL, &error) : NULL;
    const RaspSequence *values = run ? rasp_run_sequence(run, 0, &error) : NULL;
    const char *text =
        values ? values_text(values) : arena_format(command_arena(), "error: %s", error.text);
    rasp_run_free(run);
    return text;
}

static bool is_expected(const char *expected, const char *found) {
    static const char error[] = "error: ";
    return strcmp(expected, found) == 0 ||
           (strcmp(expected, "error") == 0 && strncmp(found, error, strlen(error)) == 0);
}

static const char *input_text(const Example *e) {
    const char *quote = e->is_string ? "\"" : "";
    return arena_format(command_arena(), "%s%s%s%s%s", e->expression ? e->expression : "",
                        e->expression ? " on " : "", quote, e->input, quote);
}

static void print_example(Test *t, const Program *p, const Example *e, const char *found,
                          bool passed) {
    if (t->common.json) {
        json_begin_object(&t->json, NULL);
        json_count(&t->json, "line", e->line);
        if (e->expression) json_text(&t->json, "expression", e->expression);
        json_text(&t->json, "input", e->input ? e->input : "");
        json_text(&t->json, "expected", e->expected);
        json_text(&t->json, "found", found);
        json_flag(&t->json, "passed", passed);
        json_end(&t->json);
    } else if (!passed && e->input) {
        printf("%s:%u: %s\n  expected   %s\n  found      %s\n", p->shown, e->line,
               safe_text(input_text(e)), safe_text(e->expected), safe_text(found));
    } else if (!passed) {
        printf("%s:%u: %s\n  expected   %s\n", p->shown, e->line, safe_text(e->expected), found);
    }
}

static bool test_example(Test *t, const Program *p, const Example *e) {
    const char *found = e->input ? run(p->handle, e)
                                 : "INPUT -> OUTPUT or EXPRESSION on INPUT -> OUTPUT; an INPUT is "
                                   "a string in double quotes, or a list";
    bool passed = e->input && is_expected(e->expected, found);
    print_example(t, p, e, found, passed);
    return passed;
}

/* --- one program ------------------------------------------------------------------------ */

static void print_counts(const char *name, size_t passed, size_t failed) {
    printf("%s: %zu passed, %zu failed\n", name, passed, failed);
}

static void test_examples(Test *t, const Program *p, const About *about) {
    size_t count, passed = 0;
    const Example *examples = about_examples(command_arena(), about, &count);
    for (size_t k = 0; k < count && !stop_requested(); k++)
        passed += test_example(t, p, &examples[k]);
    t->passed += passed;
    t->failed += count - passed;
    if (t->common.json) return;
    if (count)
        print_counts(p->shown, passed, count - passed);
    else
        printf("%s: no examples; a comment such as '# example: \"abc\" -> [a, b, c]' is one\n",
               p->shown);
}

static int test_program(Test *t, const char *name, Program *p) {
    About about;
    RaspConfig config = report_config(t->common.memory);
    config.cpu_seconds = t->common.time_limit;
    int status = program_open_with(name, &config, p);
    if (status == EXIT_FINE && p->text)
        about = about_text(command_arena(), p->path, p->text, p->length);
    else if (status == EXIT_FINE)
        status = about_read(command_arena(), p->path, &about);
    report_silence(true); /* what an example says is its result */
    if (status == EXIT_FINE) test_examples(t, p, &about);
    report_silence(false);
    return status;
}

static void test_named(Test *t, const char *name) {
    Program program;
    if (t->common.json) {
        json_begin_object(&t->json, NULL);
        json_text(&t->json, "program", name);
        json_begin_array(&t->json, "examples");
    }
    int status = test_program(t, name, &program);
    if (status != EXIT_FINE) t->status = status;
    rasp_program_free(program.handle);
    if (!t->common.json) return;
    json_end(&t->json);
    json_flag(&t->json, "loaded", status == EXIT_FINE);
    json_end(&t->json);
}

/* --- all of it -------------------------------------------------------------------------- */

static void test_all(Test *t) {
    if (t->common.json) {
        json_begin_object(&t->json, NULL);
        json_begin_array(&t->json, "programs");
    }
    for (int k = 0; k < t->name_count && !stop_requested(); k++) test_named(t, t->names[k]);
    if (t->common.json) {
        json_end(&t->json);
        json_count(&t->json, "passed", t->passed);
        json_count(&t->json, "failed", t->failed);
        json_end(&t->json);
    } else if (t->name_count > 1) {
        print_counts("all", t->passed, t->failed);
    }
}

int cmd_test(int argc, char **argv) {
    static const struct argp argp = {
        .options = options, .parser = parse, .args_doc = "PROGRAM...", .doc = help};
    Test t = {.json = {.out = stdout}, .status = EXIT_FINE};
    argp_parse(&argp, argc, argv, 0, NULL, &t);
    test_all(&t);
    if (stop_requested()) return EXIT_INTERRUPTED;
    if (t.status != EXIT_FINE) return t.status;
    return t.failed || !t.passed ? EXIT_DISAGREE : EXIT_FINE;
}
