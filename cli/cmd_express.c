/* `rasp express PROGRAM`: what one attention layer can do of it, decided. */
#include "cli/command.h"

#include "cli/express_atlas.h"
#include "cli/express_session.h"
#include "cli/express_theory.h"
#include "cli/options.h"
#include "cli/report.h"
#include "express/verify/verify.h"

#include <stdlib.h>
#include <string.h>

typedef struct Arguments {
    ExpressArguments express;
    const char *verify, *folder; /* of the atlas */
    Shard shard;
    bool theory, atlas;
} Arguments;

enum {
    KEY_CLASS = OPTION_OWN_KEYS,
    KEY_HEADS,
    KEY_VALUES,
    KEY_VARY,
    KEY_TASK,
    KEY_LAST,
    KEY_SECONDS,
    KEY_CERTIFICATE,
    KEY_VERIFY,
    KEY_THEORY,
    KEY_ATLAS,
    KEY_ALPHABET,
    KEY_LENGTH,
    KEY_FIRST,
    KEY_WHERE
};

static const struct argp_option options[] = {
    {"sop", OPTION_KEY_SOP, "NAME", 0, "the s-op of that name (default: the one assigned last)", 1},
    {"expr", OPTION_KEY_EXPR, "EXPRESSION", 0,
     "what the expression gives, e.g. 'sort(tokens, tokens)'; without PROGRAM: of the library", 1},
    {"task", KEY_TASK, "FILE", 0,
     "instead of a program: lines of input, tab, output; or JSON lines with input and output", 1},
    {"last", KEY_LAST, NULL, 0, "only the label of the last position", 1},
    {"class", KEY_CLASS, "CLASS", 0,
     "average, unique, relative, absolute, no-positions, window=D or bits (default: all of them; "
     "may be given again)",
     2},
    {"heads", KEY_HEADS, "H", 0, "the most heads to try (default: 3)", 2},
    {"values", KEY_VALUES, "K", 0, "0/1 values that each averaging head brings (default: 1)", 2},
    {"vary", KEY_VARY, "WHAT", 0,
     "values: instead of the least number of heads, the least number of values of --heads "
     "(default: 1) averaging heads",
     2},
    {"alphabet", KEY_ALPHABET, "TOKENS", 0, "the tokens of inputs, as for rasp compile", 3},
    {"max-length", KEY_LENGTH, "N", 0,
     "the longest input (default: what gives at most 5,000 instances)", 3},
    {"first", KEY_FIRST, "TOKEN", 0, "inputs start with this token", 3},
    {"where", KEY_WHERE, "SOP", 0, "inputs are those on which this s-op is true everywhere", 3},
    {"output", 'o', "FILE", 0, "write the program that was found (of the first class with one)", 4},
    {"certificate", KEY_CERTIFICATE, "FILE", 0,
     "write what proves the answer (of the first class whose answer has a proof; give one --class)",
     4},
    {"verify", KEY_VERIFY, "FILE", 0,
     "check a certificate, sharing nothing with the search; exit status 1: refused", 4},
    {"theory", KEY_THEORY, NULL, 0, "print what is proved for all lengths, with sources", 4},
    {"atlas", KEY_ATLAS, "FOLDER", OPTION_ARG_OPTIONAL,
     "instead of a program: all bundled ones and standard tasks, as a document (-o FILE) or "
     "--json; "
     "verdicts and verified certificates are kept in FOLDER, from where a run that was stopped "
     "goes "
     "on; --max-length caps the inputs",
     4},
    OPTION_JSON("one object a line, class and length", 5),
    OPTION_SHARD("them; of --atlas; stopped by Ctrl-C, the verdicts until then", 5),
    {"time-limit", KEY_SECONDS, "SECONDS", 0,
     "CPU seconds for each class and length; then it is undecided (default: 20; --atlas: 2)", 7},
    OPTION_MEMORY,
    {0},
};

static const char help[] =
    "Decide what one attention layer can do: for each class of layers and each greatest length of "
    "inputs the least number of heads, with a program that does it, or with inputs that show that "
    "none can.\v"
    "The answer is exact for the inputs up to that length.  In the table, >3: not with 3 heads; "
    "2-: at least 2, undecided; no: not with any number.\n\n"
    "Examples:\n"
    "  rasp express histogram\n"
    "  rasp express dyck --alphabet '()' --max-length 6\n"
    "  rasp express parity --class unique --max-length 6 --json\n"
    "  rasp express --atlas=build/atlas -o docs/atlas.md";

/* --- options ---------------------------------------------------------------------------------- */

static void add_class(struct argp_state *state, ExpressArguments *a, const char *text) {
    static const char *const names[] = {"average",      "unique", "relative", "absolute",
                                        "no-positions", "window", "bits",     NULL};
    char name[32];
    const char *number = strpbrk(text, "=: ");
    snprintf(name, sizeof name, "%.*s", (int)(number ? number - text : (long)strlen(text)), text);
    if (a->query_count == EXPRESS_CLASSES)
        argp_error(state, "--class: expected at most %d classes", EXPRESS_CLASSES);
    Query *q = &a->queries[a->query_count++];
    *q = (Query){.kind = (ClassKind)option_word(state, "--class", name, names), .distance = 1};
    if (!number) return;
    long value = option_number(state, "--class", number + 1, 0);
    if (q->kind == CLASS_WINDOW && value < TASK_LONGEST)
        q->distance = (unsigned)value;
    else if (q->kind == CLASS_AVERAGE && value > 0 && value < 9)
        q->values = (unsigned)value;
    else
        argp_error(state, "--class: expected window=D or average=VALUES, found '%s'", text);
}

static unsigned small_number(struct argp_state *state, const char *option, const char *text) {
    long number = option_number(state, option, text, 1);
    if (number > EXPRESS_HEADS)
        argp_error(state, "%s expects at most %d, found '%s'", option, EXPRESS_HEADS, text);
    return (unsigned)number;
}

/* The options of the domain, then those that all commands have. */
static error_t parse_domain(int key, char *text, struct argp_state *state, ExpressArguments *a) {
    switch (key) {
    case KEY_ALPHABET:
        a->target.alphabet = text;
        return 0;
    case KEY_LENGTH:
        a->target.max_length = (uint32_t)option_number(state, "--max-length", text, 1);
        if (a->target.max_length > TASK_LONGEST)
            argp_error(state, "--max-length expects at most %d, found '%s'", TASK_LONGEST, text);
        return 0;
    case KEY_FIRST:
        a->target.first = text;
        return 0;
    case KEY_WHERE:
        a->target.where = text;
        return 0;
    default:
        return option_common(key, text, state, &a->common);
    }
}

/* What is asked: one of these, and a task only for the first. */
static void check_use(struct argp_state *state, const Arguments *arguments) {
    const ExpressArguments *a = &arguments->express;
    bool task = a->common.argument || a->task || a->common.choice.expression;
    if (!task && !arguments->verify && !arguments->theory && !arguments->atlas)
        argp_error(state, "which PROGRAM (or --task FILE, or --expr EXPRESSION)?");
    if (arguments->shard.of && (!arguments->atlas || a->output || a->common.json))
        argp_error(state, "--shard goes with --atlas, and its pieces are JSON: expected no -o and "
                          "no --json (rasp merge has them)");
    if (a->common.argument && a->task)
        argp_error(state, "expected a PROGRAM or --task, found both");
    if (arguments->atlas &&
        (task || a->certificate || a->target.alphabet || a->target.first || a->target.where ||
         a->common.choice.count || a->last || a->vary_values))
        argp_error(state, "--atlas is about all programs: expected no PROGRAM and no option of one "
                          "(FOLDER follows '=')");
}

/* Options that say what to do with a task, or what to do instead. */
static error_t parse_deed(int key, char *text, struct argp_state *state, Arguments *arguments) {
    ExpressArguments *a = &arguments->express;
    switch (key) {
    case KEY_CERTIFICATE:
        a->certificate = text;
        return 0;
    case KEY_THEORY:
        arguments->theory = true;
        return 0;
    case KEY_VERIFY:
        arguments->verify = text;
        return 0;
    case KEY_ATLAS:
        arguments->atlas = true;
        arguments->folder = text;
        return 0;
    case OPTION_KEY_SHARD:
        arguments->shard = option_shard(state, text);
        return 0;
    case 'o':
        a->output = text;
        return 0;
    case ARGP_KEY_ARG:
        if (a->common.argument) argp_error(state, "expected one PROGRAM, found '%s' as well", text);
        a->common.argument = text;
        return 0;
    case ARGP_KEY_END:
        check_use(state, arguments);
        return 0;
    default:
        return parse_domain(key, text, state, a);
    }
}

static error_t parse(int key, char *text, struct argp_state *state) {
    static const char *const varied[] = {"values", NULL};
    ExpressArguments *a = &((Arguments *)state->input)->express;
    switch (key) {
    case KEY_CLASS:
        add_class(state, a, text);
        return 0;
    case KEY_HEADS:
        a->heads = small_number(state, "--heads", text);
        return 0;
    case KEY_VALUES:
        a->values = small_number(state, "--values", text);
        return 0;
    case KEY_VARY:
        a->vary_values = option_word(state, "--vary", text, varied) == 0;
        return 0;
    case KEY_TASK:
        a->task = text;
        return 0;
    case KEY_LAST:
        a->last = true;
        return 0;
    case KEY_SECONDS:
        a->seconds = option_positive(state, "--time-limit", text);
        return 0;
    default:
        return parse_deed(key, text, state, state->input);
    }
}

/* --- the command ------------------------------------------------------------------------------ */

static int verify(const char *path, size_t memory) {
    RaspError error;
    ExpressVerdict verdict;
    RaspConfig config = report_config(memory);
    if (express_verify(path, &config, &verdict, &error)) {
        printf("%s: holds\n  %s\n  %s\n", path, verdict.statement, verdict.evidence);
        return EXIT_FINE;
    }
    if (error.status != RASP_WRONG_FILE) return report_failure(&error);
    printf("%s: refused\n  %s\n", path, error.text);
    return EXIT_DISAGREE;
}

static int do_it(Arguments *arguments) {
    ExpressArguments *a = &arguments->express;
    if (arguments->theory) {
        express_theory();
        return EXIT_FINE;
    }
    if (arguments->verify) return verify(arguments->verify, a->common.memory);
    if (a->seconds == 0) a->seconds = arguments->atlas ? 2 : 20;
    if (!arguments->atlas) return express_session(a, NULL);
    a->at_most = a->target.max_length;
    a->target.max_length = 0;
    return express_atlas(a, arguments->folder, arguments->shard);
}

int cmd_express(int argc, char **argv) {
    static const struct argp argp = {
        .options = options, .parser = parse, .args_doc = "[PROGRAM]", .doc = help};
    Arguments arguments = {.verify = NULL};
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    int status = do_it(&arguments);
    free(arguments.express.common.choice.names);
    return status;
}
