/* `rasp check PROGRAM|WEIGHTS`: the transformer against the interpreter. */
#include "cli/command.h"

#include "cli/check_report.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/stop.h"
#include "cli/target.h"
#include "cli/timer.h"
#include "cli/weights.h"
#include "compile/prove/certificate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TEMPERATURES = 64 };

typedef struct CheckArguments {
    Common common;
    TargetOptions target;
    InputPlan inputs;
    RtRule rule;
    double temperatures[MOST_TEMPERATURES];
    size_t temperature_count; /* 0: not given */
    uint32_t shown;
    /* Freed at the end, whatever a stop has jumped over. */
    Compiled compiled;
    Model *model;
} CheckArguments;

/* --- the command line ---------------------------------------------------------------------- */

enum { KEY_SEED = OPTION_OWN_KEYS, KEY_COUNT, KEY_LIMIT, KEY_SHOW };

static const struct argp_option options[] = {
    OPTIONS_SOP,
    {"seed", KEY_SEED, "N", 0, "of the inputs that are drawn (default: 1)", 2},
    {"count", KEY_COUNT, "N", 0, "inputs if there are too many to try all (default: 20000)", 2},
    {"exhaustive-limit", KEY_LIMIT, "N", 0,
     "try all inputs if they are at most so many (default: 200000)", 2},
    OPTION_WEIGHTS(5),
    OPTION_TEMPERATURE("T[,T...]", "divide scores by T; of several, print a table of agreement", 5),
    {"show", KEY_SHOW, "N", 0, "disagreements to print (default: 3)", 6},
    OPTION_JSON("the report as one JSON object", 6),
    OPTION_THREADS(7),
    OPTION_MEMORY,
    {0},
};

static void read_temperatures(struct argp_state *state, CheckArguments *a, const char *text) {
    a->temperature_count = 0;
    for (const char *at = text;; at++) {
        char *end;
        double value = strtod(at, &end);
        if (end == at || (*end && *end != ',') || !(value > 0) || value - value != 0)
            argp_error(state,
                       "--temperature expects numbers greater than 0, separated by commas, found "
                       "'%s'",
                       text);
        if (a->temperature_count == MOST_TEMPERATURES)
            argp_error(state, "--temperature expects at most %d numbers", MOST_TEMPERATURES);
        a->temperatures[a->temperature_count++] = value;
        at = end;
        if (!*at) return;
    }
}

static uint64_t read_seed(struct argp_state *state, const char *text) {
    char *end;
    errno = 0;
    uint64_t seed = strtoull(text, &end, 10);
    if (end == text || *end || errno || *text == '-')
        argp_error(state, "--seed expects a whole number, found '%s'", text);
    return seed;
}

static const ArgumentKind argument = {
    "PROGRAM", "expected a PROGRAM (a file or a bundled program's name) or a weights file"};

static error_t parse(int key, char *text, struct argp_state *state) {
    CheckArguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->target;
        return 0;
    case KEY_SEED:
        a->inputs.seed = read_seed(state, text);
        return 0;
    case KEY_COUNT:
        a->inputs.count = (uint64_t)option_number(state, "--count", text, 1);
        return 0;
    case KEY_LIMIT:
        a->inputs.exhaustive_limit = (uint64_t)option_number(state, "--exhaustive-limit", text, 0);
        return 0;
    case OPTION_KEY_WEIGHTS:
        a->rule = option_rule(state, text);
        return 0;
    case OPTION_KEY_TEMPERATURE:
        read_temperatures(state, a, text);
        return 0;
    case KEY_SHOW:
        a->shown = (uint32_t)option_number(state, "--show", text, 0);
        return 0;
    case ARGP_KEY_END:
        if (a->temperature_count) option_temperature_fits(state, a->rule);
        return option_common(key, text, state, &a->common);
    default:
        return option_common(key, text, state, &a->common);
    }
}

static const char help[] =
    "Compare a transformer with the interpreter: compiles the program, or takes a weights file "
    "with "
    "the program that it embeds, and runs both on all inputs if they are few, else on all short "
    "ones and on longer ones that are drawn.\v"
    "The exit status is 1 if an answer differs.  Inputs on which the interpreter reports an error "
    "are left out and counted.\n\n"
    "Examples:\n"
    "  rasp check reverse\n"
    "  rasp check w.bin --seed 7 --count 100000\n"
    "  rasp check histogram --temperature 0.1,1,10,100";

/* --- checking ------------------------------------------------------------------------------ */

static const RunOptions *make_runs(const CheckArguments *a, Arena *arena, size_t *count) {
    *count = a->temperature_count ? a->temperature_count : 1;
    RunOptions *runs = ARENA_ARRAY(arena, *count, RunOptions);
    for (size_t k = 0; k < *count; k++) {
        runs[k] = run_options();
        runs[k].rule = a->rule;
        runs[k].threads = a->common.threads;
        if (a->temperature_count) runs[k].temperature = a->temperatures[k];
    }
    return runs;
}

static bool disagrees(const CheckReport *report, size_t runs) {
    for (size_t k = 0; k < runs; k++)
        if (report->runs[k].agreed < report->compared) return true;
    return false;
}

static const NodeId *output_nodes(const Target *target, Arena *arena) {
    NodeId *nodes = ARENA_ARRAY(arena, target->output_count, NodeId);
    for (uint32_t k = 0; k < target->output_count; k++) nodes[k] = target->outputs[k].node;
    return nodes;
}

/* Compares and reports; `certified` as in CheckView. */
static int check(const CheckArguments *a, Program *p, const Target *target, const Model *model,
                 double certified) {
    const CompileOptions *o = &target->record.options;
    Domain domain = {o->alphabet, o->alphabet_size, o->max_length, o->first, o->where};
    CheckSubject subject = {session_graph(p->session), &domain, model,
                            output_nodes(target, p->arena)};
    CheckOptions check_options = {
        .inputs = a->inputs, .shown = a->shown, .progress = progress_input};
    CheckReport report;
    RtError error;
    check_options.runs = make_runs(a, p->arena, &check_options.run_count);
    double start = timer_now();
    progress_start();
    bool ran = check_model(&subject, &check_options, p->arena, &report, &error);
    progress_end();
    CheckView view = {p,
                      &domain,
                      model,
                      &report,
                      check_options.runs,
                      check_options.run_count,
                      a->inputs.seed,
                      certified,
                      timer_now() - start};
    if (!ran) {
        report_error("%s", error.text);
        return EXIT_FAILED;
    }
    (a->common.json ? check_print_json : check_print)(&view);
    return disagrees(&report, view.run_count) ? EXIT_DISAGREE : EXIT_FINE;
}

static int check_program(Program *p, void *context) {
    CheckArguments *a = context;
    Target target;
    double seconds;
    int status = target_choose(p, &a->common.choice, &a->target, &target);
    if (status == EXIT_FINE) status = target_compile(p, &target, p->arena, &a->compiled, &seconds);
    if (status == EXIT_FINE && !compiled_lay_out(&a->compiled, &target.record.options)) {
        report_error("out of memory for the layout of the model");
        status = EXIT_FAILED;
    }
    if (status != EXIT_FINE) return status;
    return check(a, p, &target, a->compiled.model, a->compiled.certificate->error);
}

static double stored_certificate(const Model *model) {
    const json_t *certificate = json_object_get(model->extra, "certificate");
    const json_t *error = json_object_get(certificate, "error");
    return json_is_number(error) ? json_number_value(error) : -1;
}

static int check_weights(Program *p, const Record *record, void *context) {
    CheckArguments *a = context;
    Target target;
    int status = target_recall(p, record, &target);
    if (status != EXIT_FINE) return status;
    if (target.output_count == a->model->output_count)
        return check(a, p, &target, a->model, stored_certificate(a->model));
    report_error("'%s' has %zu outputs, its metadata names %u", a->common.argument,
                 a->model->output_count, target.output_count);
    return EXIT_WRONG_PROGRAM;
}

static int check_file(CheckArguments *a) {
    if (!weights_recognised(a->common.argument))
        return program_with(a->common.argument, a->common.memory, check_program, a);
    if (a->target.given || a->common.choice.count || a->common.choice.all ||
        a->common.choice.expression) {
        report_error("'%s' is a weights file, which says itself what it was compiled from and for; "
                     "options of the compiler go with a program",
                     a->common.argument);
        return EXIT_WRONG_USE;
    }
    a->model = weights_load(a->common.argument);
    if (!a->model) return EXIT_WRONG_PROGRAM;
    return weights_with_program(a->model, a->common.argument, a->common.memory, check_weights, a);
}

int cmd_check(int argc, char **argv) {
    static const struct argp_child children[] = {{&target_options, 0, NULL, 0}, {0}};
    static const struct argp argp = {.options = options,
                                     .parser = parse,
                                     .args_doc = "PROGRAM|WEIGHTS",
                                     .doc = help,
                                     .children = children};
    static CheckArguments arguments = {
        .common = {.kind = &argument},
        .inputs = {.exhaustive_limit = 200000, .count = 20000, .seed = 1},
        .shown = 3};
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    int status = check_file(&arguments);
    compiled_clear(&arguments.compiled);
    model_free(arguments.compiled.model);
    model_free(arguments.model);
    free(arguments.common.choice.names);
    return status;
}
