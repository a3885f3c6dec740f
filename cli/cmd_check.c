/* `rasp check PROGRAM|WEIGHTS`: the transformer against the interpreter; `--against OTHER`: two
 * programs. */
#include "cli/command.h"

#include "base/clock.h"
#include "cli/check_piece.h"
#include "cli/compare.h"
#include "cli/model_argument.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/stop.h"
#include "cli/weights.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TEMPERATURES = 64 };

typedef struct CheckArguments {
    Common common;
    TargetOptions target;
    RaspCheckOptions check;
    double temperatures[MOST_TEMPERATURES];
    const char *against;
    bool ruled; /* --weights or --temperature */
    bool shown; /* --show */
} CheckArguments;

/* --- the command line ---------------------------------------------------------------------- */

enum { KEY_SEED = OPTION_OWN_KEYS, KEY_COUNT, KEY_LIMIT, KEY_SHOW, KEY_AGAINST };

static const struct argp_option options[] = {
    OPTIONS_SOP,
    {"against", KEY_AGAINST, "PROGRAM", 0,
     "compare with this program instead, by the interpreter alone", 1},
    {"seed", KEY_SEED, "N", 0, "of the inputs that are drawn (default: 1)", 2},
    {"count", KEY_COUNT, "N", 0, "inputs if there are too many to try all (default: 20000)", 2},
    {"exhaustive-limit", KEY_LIMIT, "N", 0,
     "try all inputs if they are at most so many (default: 200000)", 2},
    OPTION_WEIGHTS(5),
    OPTION_TEMPERATURE("T[,T...]", "divide scores by T; of several, print a table of agreement", 5),
    {"show", KEY_SHOW, "N", 0, "disagreements to print (default: 3; with --against the shortest)",
     6},
    OPTION_JSON("the report as one JSON object", 6),
    OPTION_SHARD("them; stopped by Ctrl-C or --time-limit, what was compared until then", 6),
    OPTION_THREADS(7),
    OPTION_MEMORY,
    {0},
};

static void read_temperatures(struct argp_state *state, CheckArguments *a, const char *text) {
    a->check.temperature_count = 0;
    for (const char *at = text;; at++) {
        char *end;
        double value = strtod(at, &end);
        if (end == at || (*end && *end != ',') || !(value > 0) || value - value != 0)
            argp_error(state,
                       "--temperature expects numbers greater than 0, separated by commas, found "
                       "'%s'",
                       text);
        if (a->check.temperature_count == MOST_TEMPERATURES)
            argp_error(state, "--temperature expects at most %d numbers", MOST_TEMPERATURES);
        a->temperatures[a->check.temperature_count++] = value;
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

static void check_against(struct argp_state *state, const CheckArguments *a) {
    if (!a->against) return;
    if (a->ruled)
        argp_error(state, "--against compares programs: --weights and --temperature are "
                          "for transformers");
    if (a->common.choice.all || a->common.choice.count > 1)
        argp_error(state, "--against compares one s-op of each program");
}

/* What is stopped is still a piece. */
static void take_shard(CheckArguments *a, Shard shard) {
    a->check.shard = shard.number + 1;
    a->check.shards = shard.of;
    a->check.keep = true;
}

static error_t parse(int key, char *text, struct argp_state *state) {
    CheckArguments *a = state->input;
    RuleOption rule;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->target;
        return 0;
    case KEY_SEED:
        a->check.seed = read_seed(state, text);
        return 0;
    case KEY_COUNT:
        a->check.count = (uint64_t)option_number(state, "--count", text, 1);
        return 0;
    case KEY_LIMIT:
        a->check.exhaustive_limit = (uint64_t)option_number(state, "--exhaustive-limit", text, 0);
        return 0;
    case OPTION_KEY_WEIGHTS:
        rule = option_rule(state, text);
        a->check.rule = rule.rule;
        a->check.parameter = rule.parameter;
        a->ruled = true;
        return 0;
    case OPTION_KEY_TEMPERATURE:
        read_temperatures(state, a, text);
        a->ruled = true;
        return 0;
    case KEY_SHOW:
        a->check.shown = (uint32_t)option_number(state, "--show", text, 0);
        a->shown = true;
        return 0;
    case OPTION_KEY_SHARD:
        take_shard(a, option_shard(state, text));
        return 0;
    case KEY_AGAINST:
        a->against = text;
        return 0;
    case ARGP_KEY_END:
        check_against(state, a);
        if (a->check.temperature_count) option_temperature_fits(state, a->check.rule);
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
    "With --against both programs run on the inputs that the options say, else the other one's "
    "magic comment, else this one's; --sop and --expr are of both.  An error is a value: where "
    "both fail they agree.\n\n"
    "Examples:\n"
    "  rasp check reverse\n"
    "  rasp check w.bin --seed 7 --count 100000\n"
    "  rasp check histogram --temperature 0.1,1,10,100\n"
    "  rasp check mine.rasp --against reverse --max-length 6";

/* --- checking ------------------------------------------------------------------------------ */

static void show_progress(void *context, size_t inputs) {
    (void)context;
    progress_input(inputs);
}

static int check(const CheckArguments *a, const ModelArgument *subject) {
    RaspError error;
    RaspCheckOptions wanted = a->check;
    wanted.threads = a->common.threads;
    wanted.temperatures = a->temperatures;
    wanted.progress = show_progress;
    if (wanted.shards) wanted.seconds = a->target.target.time_limit;
    double start = clock_seconds();
    progress_start();
    RaspCheckReport *report = rasp_check(subject->model, &wanted, &error);
    progress_end();
    if (!report) return report_failure(&error);
    CheckView view = {.program = subject->shown,
                      .model = rasp_model_info(subject->model),
                      .report = report,
                      .options = &a->check,
                      .seconds = clock_seconds() - start,
                      .from_file = subject->from_file,
                      .handle = subject->model};
    if (wanted.shards)
        check_print_piece(&view, &wanted);
    else
        (a->common.json ? check_print_json : check_print)(&view);
    int status = wanted.shards   ? check_piece_status(report)
                 : report->agree ? EXIT_FINE
                                 : EXIT_DISAGREE;
    rasp_check_free(report);
    return status;
}

/* --- two programs --------------------------------------------------------------------------- */

static int open_one(const CheckArguments *a, const char *name, Program *program, RaspSop *sop) {
    const RaspSop *sops;
    size_t count;
    *program = (Program){0};
    if (name && weights_recognised(name)) {
        report_error("--against compares two programs, and '%s' is a weights file", name);
        return EXIT_WRONG_USE;
    }
    int status = program_open(name, a->common.memory, program);
    if (status == EXIT_FINE) status = program_sops(program, &a->common.choice, &sops, &count);
    if (status == EXIT_FINE) *sop = sops[0];
    return status;
}

static int check_against_program(CheckArguments *a) {
    Program program[2] = {{0}};
    Comparison comparison = {.program = {&program[0], &program[1]},
                             .target = &a->target.target,
                             .check = &a->check,
                             .json = a->common.json};
    a->check.seconds = a->target.target.time_limit;
    if (!a->shown) a->check.shown = 1;
    int status = open_one(a, a->common.argument, &program[0], &comparison.sop[0]);
    if (status == EXIT_FINE) status = open_one(a, a->against, &program[1], &comparison.sop[1]);
    if (status == EXIT_FINE) status = compare_programs(&comparison);
    for (int k = 0; k < 2; k++) rasp_program_free(program[k].handle);
    return status;
}

/* --- the command ---------------------------------------------------------------------------- */

static int check_model(const CheckArguments *a) {
    ModelArgument subject;
    int status = model_argument_open(&a->common, &a->target, &subject);
    if (status == EXIT_FINE) status = check(a, &subject);
    model_argument_close(&subject);
    return status;
}

int cmd_check(int argc, char **argv) {
    static const struct argp_child children[] = {{&target_options, 0, NULL, 0}, {0}};
    static const struct argp argp = {.options = options,
                                     .parser = parse,
                                     .args_doc = "[PROGRAM|WEIGHTS]",
                                     .doc = help,
                                     .children = children};
    CheckArguments arguments = {.common = {.kind = &model_argument_kind},
                                .check = rasp_check_options()};
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    int status = arguments.against ? check_against_program(&arguments) : check_model(&arguments);
    free(arguments.common.choice.names);
    return status;
}
