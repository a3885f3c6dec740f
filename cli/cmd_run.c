/* `rasp run PROGRAM|WEIGHTS [INPUT...]` */
#include "cli/command.h"

#include "cli/machines.h"
#include "cli/options.h"
#include "cli/paths.h"
#include "cli/report.h"
#include "cli/run_weights.h"
#include "cli/weights.h"

#include <stdlib.h>
#include <string.h>

typedef enum Dump { DUMP_NOTHING, DUMP_AST, DUMP_GRAPH } Dump;

typedef struct RunArguments {
    Common common;
    char **inputs;
    int input_count;
    RunnerOptions runner;
    RaspPlan plan;
    WeightsOptions weights;
    Dump dump;
    bool show;
    const char *program; /* --program */
} RunArguments;

/* --- the command line ------------------------------------------------------------------- */

enum { KEY_SHOW = OPTION_OWN_KEYS, KEY_STATS, KEY_PLAN, KEY_DUMP, KEY_PROGRAM };

static const struct argp_option options[] = {
    OPTIONS_SOP,
    {"program", KEY_PROGRAM, "PROGRAM", 0,
     "the program; all that stands beside options is then an INPUT", 1},
    OPTIONS_FORM("every INPUT"),
    {"precision", 'p', "N", 0, "round floats to N decimals", 3},
    OPTION_JSON("one object a line: sop, input, output, type (or error)", 3),
    {"show", KEY_SHOW, NULL, 0,
     "also print how it comes about: selection grids and intermediate s-ops, layer by layer", 4},
    {"stats", KEY_STATS, NULL, 0, "also print what each s-op cost, to standard error", 4},
    {"plan", KEY_PLAN, "PLAN", 0, "how selectors are run: auto, or naive (pair by pair)", 4},
    OPTION_THREADS(4),
    {"dump", KEY_DUMP, "WHAT", 0, "print the program's ast or graph, and run nothing", 5},
    OPTION_TIME,
    OPTION_MEMORY,
    {0},
};

/* Options have been read by then: all from the first operand on. */
static void take_operands(struct argp_state *state, RunArguments *a) {
    a->inputs = state->argv + state->next - 1;
    a->input_count = state->argc - (state->next - 1);
    state->next = state->argc;
}

/* The first operand is the program, unless an option says it. */
static void choose_program(struct argp_state *state, RunArguments *a) {
    const char *first = a->input_count ? a->inputs[0] : NULL;
    a->common.argument = a->program;
    if (a->program) return;
    if (first && option_names_program(&a->common, first)) {
        a->common.argument = first;
        a->inputs++, a->input_count--;
    }
    option_need_argument(state, &a->common);
}

static error_t parse(int key, char *text, struct argp_state *state) {
    static const char *const plans[] = {
        [RASP_PLAN_AUTO] = "auto", [RASP_PLAN_NAIVE] = "naive", NULL};
    static const char *const dumps[] = {"ast", "graph", NULL};
    RunArguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->weights;
        return 0;
    case 'p':
        a->runner.precision = (int)option_number(state, "--precision", text, 0);
        return 0;
    case KEY_SHOW:
        a->show = true;
        return 0;
    case KEY_STATS:
        a->runner.stats = true;
        return 0;
    case KEY_PLAN:
        a->plan = (RaspPlan)option_word(state, "--plan", text, plans);
        return 0;
    case KEY_DUMP:
        a->dump = (Dump)(DUMP_AST + option_word(state, "--dump", text, dumps));
        return 0;
    case KEY_PROGRAM:
        a->program = text;
        return 0;
    case ARGP_KEY_ARG:
        take_operands(state, a);
        return 0;
    case ARGP_KEY_NO_ARGS:
        return 0;
    case ARGP_KEY_END:
        choose_program(state, a);
        return option_common(key, text, state, &a->common);
    default:
        return option_common(key, text, state, &a->common);
    }
}

static const char help[] =
    "Run a RASP program, or the weights compiled from one, on inputs.\v"
    "PROGRAM is a file, or the name of a program below a folder of RASP_PATH or among the bundled "
    "ones; '.rasp' may be left out; '-' is standard input.  With --expr it may be left out: the "
    "first operand is then an INPUT, unless there is a program of that name.  A selector is drawn. "
    " "
    "'rasp FILE' is 'rasp run FILE', for files that begin with '#!/usr/bin/env rasp'.\n\n"
    "An INPUT that reads as a non-empty list of atoms, such as '[3, 1, 2]' or '[\"hi\", true]', is "
    "that list; any other is a string, one token a character.  One that only begins like a list, "
    "such as '[1, 2', wants --string.  '-' or no INPUT reads standard input, an input a line.\n\n"
    "Examples:\n"
    "  rasp run histogram \"aabbc\"            prints [2, 2, 2, 2, 1]\n"
    "  rasp run sort '[3, 1, 2]' < /dev/null\n"
    "  rasp run reverse - < words.txt\n"
    "  rasp run sort cab --show               also how that comes about\n"
    "  rasp run --expr 'sort(tokens, tokens)' hello\n"
    "  rasp run --expr 'select(tokens, tokens, ==)' hello\n"
    "  rasp run - hello < mine.rasp\n"
    "  rasp run w.bin --generate 8 ab";

static RunArguments read_arguments(int argc, char **argv) {
    static const struct argp_child children[] = {{&weights_options, 0, NULL, 0}, {0}};
    static const struct argp argp = {.options = options,
                                     .parser = parse,
                                     .args_doc = "[PROGRAM|WEIGHTS] [INPUT...]",
                                     .doc = help,
                                     .children = children};
    RunArguments arguments = {.common = {.kind = &program_argument}, .runner = {.precision = -1}};
    const Common *common = &arguments.common;
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    arguments.runner.form = common->form;
    arguments.runner.json = common->json;
    arguments.runner.named = common->choice.all || common->choice.count > 1;
    return arguments;
}

/* --- dumps ------------------------------------------------------------------------------ */

static int print_dump(char *text, const RaspError *error) {
    if (!text) return report_failure(error);
    fputs(text, stdout);
    rasp_free(text);
    return EXIT_FINE;
}

/* The tree is of the text alone: the program is not loaded. */
static int dump_tree(const RunArguments *a) {
    Program program;
    RaspError error;
    RaspSource source;
    RaspConfig config = report_config(a->common.memory);
    int status = program_source(a->common.argument, &program, &source);
    if (status != EXIT_FINE) return status;
    return print_dump(rasp_syntax_tree(&source, &config, &error), &error);
}

static int dump_graph(const Program *p, const RaspSop *sops, size_t count) {
    RaspError error;
    return print_dump(rasp_program_graph(p->handle, sops, count, &error), &error);
}

/* --- running ---------------------------------------------------------------------------- */

static int run_sops(const Program *p, const RunArguments *a, const RaspSop *sops,
                    const RaspValueKind *kinds, size_t count) {
    int status = program_warn(p, sops, count);
    if (status != EXIT_FINE) return status;
    Interpreter interpreter = {.program = p->handle,
                               .sops = sops,
                               .count = count,
                               .options = {a->plan, a->common.threads, a->runner.stats},
                               .show = a->show};
    Machine machine = interpreter_machine(&interpreter);
    const char **names = ARENA_ARRAY(command_arena(), count, const char *);
    for (size_t k = 0; k < count; k++) names[k] = sops[k].name;
    Runner runner = {.options = &a->runner,
                     .machine = &machine,
                     .names = names,
                     .kinds = kinds,
                     .count = count,
                     .line_limit = runner_line_limit(a->common.memory)};
    return runner_run_all(&runner, a->inputs, a->input_count);
}

static int run_program(const RunArguments *a) {
    Program program;
    const RaspSop *sops;
    const RaspValueKind *kinds;
    size_t count;
    RaspConfig config = report_config(a->common.memory);
    config.cpu_seconds = a->common.time_limit;
    int status = program_open_with(a->common.argument, &config, &program);
    if (status == EXIT_FINE)
        status = program_values(&program, &a->common.choice, &sops, &kinds, &count);
    if (status == EXIT_FINE)
        status = a->dump == DUMP_GRAPH ? dump_graph(&program, sops, count)
                                       : run_sops(&program, a, sops, kinds, count);
    rasp_program_free(program.handle);
    return status;
}

/* What cannot be read from standard input because the program is. */
static bool reads_twice(const RunArguments *a) {
    const char *program = a->common.argument;
    bool reads = a->input_count == 0 && a->dump == DUMP_NOTHING;
    if (!program || strcmp(program, "-") != 0) return false;
    for (int k = 0; k < a->input_count; k++) reads |= strcmp(a->inputs[k], "-") == 0;
    if (reads) report_error("the program is read from standard input: expected an INPUT, or more");
    return reads;
}

static int run_file(RunArguments *a) {
    const char *program = a->common.argument;
    if (reads_twice(a)) return EXIT_WRONG_USE;
    if (a->show && a->runner.json) {
        report_error("--show is for people and --json for programs: expected one of them");
        return EXIT_WRONG_USE;
    }
    if (program && weights_recognised(program)) {
        if (a->dump == DUMP_NOTHING && !a->show)
            return run_weights(&(WeightsRun){program, &a->common.choice, &a->runner, &a->weights,
                                             a->plan, a->common.threads, a->common.memory,
                                             a->common.time_limit, a->inputs, a->input_count});
        report_error(a->show ? "--show goes with a program, and '%s' is a weights file: 'rasp view "
                               "%s INPUT -o view.html' shows it at work"
                             : "--dump goes with a program, and '%s' is a weights file: 'rasp info "
                               "%s' says what is in it",
                     program, program);
        return EXIT_WRONG_USE;
    }
    if (a->weights.given) {
        report_error(
            "--weights, --temperature, --path, --stream and --generate go with a weights file, and "
            "'%s' is a program ('rasp compile' makes one)",
            program ? program : "--expr");
        return EXIT_WRONG_USE;
    }
    if (a->dump == DUMP_AST) return dump_tree(a);
    return run_program(a);
}

int cmd_run(int argc, char **argv) {
    RunArguments arguments = read_arguments(argc, argv);
    int status = run_file(&arguments);
    free(arguments.common.choice.names);
    return status;
}
