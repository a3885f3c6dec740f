/* `rasp express PROGRAM`: what one attention layer can do of it, decided. */
#include "cli/command.h"

#include "cli/express_print.h"
#include "cli/express_theory.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/stop.h"
#include "express/certificate.h"
#include "express/verify/verify.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_CLASSES = 16, MOST_HEADS = 16 };

typedef struct ExpressArguments {
    Common common;
    RaspTarget target;
    const char *task, *output, *certificate, *verify;
    Query queries[MOST_CLASSES];
    unsigned query_count, heads, values;
    bool last, vary_values, theory;
    double seconds;
} ExpressArguments;

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
    OPTION_JSON("one object a line, class and length", 5),
    {"time-limit", KEY_SECONDS, "SECONDS", 0,
     "CPU seconds for each class and length; then it is undecided (default: 20)", 7},
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
    "  rasp express parity --class unique --max-length 6 --json";

/* --- options ---------------------------------------------------------------------------------- */

static void add_class(struct argp_state *state, ExpressArguments *a, const char *text) {
    static const char *const names[] = {"average",      "unique", "relative", "absolute",
                                        "no-positions", "window", "bits",     NULL};
    char name[32];
    const char *number = strpbrk(text, "=: ");
    snprintf(name, sizeof name, "%.*s", (int)(number ? number - text : (long)strlen(text)), text);
    if (a->query_count == MOST_CLASSES)
        argp_error(state, "--class: expected at most %d classes", MOST_CLASSES);
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
    if (number > MOST_HEADS)
        argp_error(state, "%s expects at most %d, found '%s'", option, MOST_HEADS, text);
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

static error_t parse(int key, char *text, struct argp_state *state) {
    static const char *const varied[] = {"values", NULL};
    ExpressArguments *a = state->input;
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
    case KEY_CERTIFICATE:
        a->certificate = text;
        return 0;
    case KEY_THEORY:
        a->theory = true;
        return 0;
    case KEY_VERIFY:
        a->verify = text;
        return 0;
    case KEY_SECONDS:
        a->seconds = option_positive(state, "--time-limit", text);
        return 0;
    case 'o':
        a->output = text;
        return 0;
    case ARGP_KEY_ARG:
        if (a->common.argument) argp_error(state, "expected one PROGRAM, found '%s' as well", text);
        a->common.argument = text;
        return 0;
    case ARGP_KEY_END:
        if (!a->common.argument && !a->task && !a->common.choice.expression && !a->verify &&
            !a->theory)
            argp_error(state, "which PROGRAM (or --task FILE, or --expr EXPRESSION)?");
        if (a->common.argument && a->task)
            argp_error(state, "expected a PROGRAM or --task, found both");
        return 0;
    default:
        return parse_domain(key, text, state, a);
    }
}

/* --- the task --------------------------------------------------------------------------------- */

static int refuse_use(const char *option, const char *what) {
    report_error("%s: %s", option, what);
    return EXIT_WRONG_USE;
}

static const char *setting(const Program *p, const char *wanted, const char *given) {
    const char *key, *value;
    for (size_t k = 0; !given && rasp_program_setting(p->handle, k, &key, &value); k++)
        if (strcmp(key, wanted) == 0) given = value;
    return given;
}

/* The alphabet is asked of the compiler, so that it is read as everywhere: a model of the identity
 * knows it. */
static const RaspModelInfo *ask_target(const Program *p, const RaspTarget *wanted,
                                       RaspModel **model, RaspError *error) {
    RaspSop tokens;
    RaspTarget target = *wanted;
    target.max_length = 1;
    if (target.first || target.where) target.where = NULL;
    if (!rasp_program_expression(p->handle, "tokens_asis", &tokens, error)) return NULL;
    *model = rasp_compile(p->handle, &tokens, 1, &target, error);
    return *model ? rasp_model_info(*model) : NULL;
}

static uint32_t fitting_length(const Task *task, const char *comment) {
    uint32_t most = comment ? (uint32_t)strtoul(comment, NULL, 10) : 16, n = 1;
    double inputs = 1, all = 0;
    for (; n <= most && n <= 8; n++) {
        inputs *= task->symbols;
        all += inputs * (task->last ? 1 : n);
        if (all > 5000) break;
    }
    return n > 2 ? n - 1 : 2 < most ? 2 : most;
}

static int task_open(const Program *p, ExpressArguments *a, Arena *arena, Task **task) {
    RaspError error;
    RaspModel *model = NULL;
    const RaspSop *sops;
    RaspSop where;
    size_t count;
    int status = program_sops(p, &a->common.choice, &sops, &count);
    if (status != EXIT_FINE) return status;
    if (count != 1) return refuse_use("--sop", "expected one s-op");
    const RaspModelInfo *info = ask_target(p, &a->target, &model, &error);
    if (!info) return report_failure(&error);
    if (info->alphabet_size > 255) {
        rasp_model_free(model);
        return refuse_use("--alphabet", "expected at most 255 tokens");
    }
    RaspAtom *alphabet = ARENA_ARRAY(arena, info->alphabet_size, RaspAtom);
    for (size_t k = 0; k < info->alphabet_size; k++) {
        alphabet[k] = info->alphabet[k];
        if (alphabet[k].kind == RASP_STRING)
            alphabet[k].as.s.text =
                arena_text(arena, alphabet[k].as.s.text, alphabet[k].as.s.length);
    }
    const char *condition = setting(p, "where", a->target.where);
    bool fine = !condition || rasp_program_expression(p->handle, condition, &where, &error);
    if (fine)
        *task = task_of_program(arena, p->handle, &sops[0], condition ? &where : NULL, alphabet,
                                (uint32_t)info->alphabet_size, (int32_t)info->first, a->last);
    rasp_model_free(model);
    if (!fine) return report_failure(&error);
    a->target.where = condition;
    if (!a->target.max_length)
        a->target.max_length = fitting_length(*task, setting(p, "max-length", NULL));
    return EXIT_FINE;
}

/* --- the classes ------------------------------------------------------------------------------ */

static void choose_classes(ExpressArguments *a) {
    if (a->query_count == 0 && a->vary_values) a->queries[a->query_count++].kind = CLASS_AVERAGE;
    for (int kind = 0; a->query_count == 0 || kind < CLASS_COUNT; kind++) {
        if (a->query_count && kind == 0) break;
        a->queries[a->query_count++] = (Query){.kind = (ClassKind)kind, .distance = 1};
    }
    for (unsigned k = 0; k < a->query_count; k++) {
        Query *q = &a->queries[k];
        if (!q->values) q->values = a->values ? a->values : 1;
        q->vary_values = a->vary_values && q->kind == CLASS_AVERAGE;
        q->heads = a->heads ? a->heads : 1;
        q->most = q->vary_values ? (a->values ? a->values : 4) : a->heads ? a->heads : 3;
        if ((q->kind == CLASS_RELATIVE || q->kind == CLASS_ABSOLUTE) && q->most > 3) q->most = 3;
    }
}

/* What Ctrl-C and the memory's end leave is what is known. */
typedef struct Session {
    Arena *arena;
    Task *task;
    const ExpressArguments *arguments;
    Limits limits;
    Decider *decider;
    Origin origin;
    double shown;
} Session;

static void progress(void *context, unsigned heads, size_t pairs) {
    Session *s = context;
    double now = limits_now();
    if (now < s->shown + 0.5 || !isatty(STDERR_FILENO)) return;
    s->shown = now;
    fprintf(stderr, " (%u head%s, %zu pairs)\33[K\33[%dD", heads, heads == 1 ? "" : "s", pairs,
            snprintf(NULL, 0, " (%u head%s, %zu pairs)", heads, heads == 1 ? "" : "s", pairs));
}

/* The program of the last YES, and the witness in its shortest form. */
static void finish(Session *s, ClassResult *r) {
    Verdict *v = &r->verdicts[r->count - 1];
    double seconds = s->arguments->seconds / 2;
    s->limits.until = limits_now() + seconds;
    if (v->witness) witness_ready(s->arena, s->task, r->query.kind, v->witness, &s->limits);
    s->limits.until = limits_now() + seconds;
    if (v->layer) r->emitted = emit_layer(s->arena, s->task, v, &r->query, &s->limits);
}

static bool decide_class(Session *s, ClassResult *r, RaspError *error) {
    const ExpressArguments *a = s->arguments;
    bool fine = true;
    s->decider = decider_new(s->arena, s->task, &r->query, a->target.max_length, &s->limits);
    for (uint32_t n = 1; fine && n <= a->target.max_length; n++) {
        fine = decider_next(s->decider, a->seconds, &r->verdicts[r->count], error);
        if (!fine) break;
        r->count++;
        if (!a->common.json) express_print_cell(&r->query, &r->verdicts[r->count - 1]);
        if (stop_requested()) break;
    }
    if (fine && r->count && !stop_requested()) finish(s, r);
    decider_free(s->decider);
    s->decider = NULL;
    return fine;
}

static void print_class(Session *s, const ClassResult *r) {
    for (uint32_t k = 0; s->arguments->common.json && k < r->count; k++)
        express_print_json(s->task, r, &r->verdicts[k]);
}

static int write_program(const char *path, const ClassResult *results, unsigned count) {
    for (unsigned k = 0; k < count; k++) {
        const Emitted *e = results[k].emitted;
        if (!e || !e->source) continue;
        FILE *out = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
        bool fine = out && fputs(e->source, out) >= 0;
        if (out && out != stdout) fine &= fclose(out) == 0;
        if (fine) return EXIT_FINE;
        report_error("cannot write '%s'", path);
        return EXIT_FAILED;
    }
    report_error("no program was found, so '%s' is not written", path);
    return EXIT_DISAGREE;
}

/* Of the first class that a certificate can be written of. */
static int write_certificate(Session *s, const ClassResult *results) {
    const char *path = s->arguments->certificate;
    RaspError error = {.status = RASP_FAILED, .text = "nothing was decided"};
    FILE *out = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
    bool fine = false;
    s->limits.until = 0;
    for (unsigned k = 0; out && !fine && k < s->arguments->query_count; k++) {
        const ClassResult *r = &results[k];
        fine = r->count &&
               certificate_write(out, s->arena, s->task, &s->origin, &r->query,
                                 &r->verdicts[r->count - 1], r->emitted, &s->limits, &error);
    }
    if (!out || (out != stdout && fclose(out) != 0)) {
        report_error("cannot write '%s'", path);
        return EXIT_FAILED;
    }
    if (fine) return EXIT_FINE;
    if (out != stdout) unlink(path);
    report_error("no certificate: %s", error.text);
    return EXIT_FAILED;
}

static int decide_all(Session *s, ClassResult *results, RaspError *error) {
    const ExpressArguments *a = s->arguments;
    bool fine = true;
    for (unsigned k = 0; fine && k < a->query_count && !stop_requested(); k++) {
        results[k].query = a->queries[k];
        results[k].verdicts = ARENA_ARRAY(s->arena, a->target.max_length + 1, Verdict);
        if (!a->common.json) express_print_name(&results[k].query);
        fine = decide_class(s, &results[k], error);
        if (!a->common.json) putchar('\n');
        print_class(s, &results[k]);
    }
    return fine ? EXIT_FINE : report_failure(error);
}

static int express(Session *s, const char *name) {
    const ExpressArguments *a = s->arguments;
    RaspError error;
    ClassResult *results = ARENA_ARRAY(s->arena, a->query_count, ClassResult);
    bool values = a->vary_values;
    Budget *budget = arena_budget(s->arena);
    BudgetGuard guard;
    volatile int status = EXIT_FINE;
    if (!a->common.json) express_print_head(s->task, name, a->target.max_length, values);
    if (BUDGET_ENTER(budget, &guard)) {
        status = decide_all(s, results, &error);
        budget_leave(budget, &guard);
    } else {
        char text[256];
        decider_free(s->decider);
        if (!a->common.json) putchar('\n');
        if (budget->stop != BUDGET_CANCELLED) {
            budget_message(budget, text, sizeof text);
            report_error("%s", text);
            status = EXIT_FAILED;
        }
    }
    for (unsigned k = 0; !a->common.json && k < a->query_count; k++)
        express_print_result(s->task, &results[k]);
    if (status == EXIT_FINE && stop_requested()) status = EXIT_INTERRUPTED;
    if (status == EXIT_FINE && a->certificate) status = write_certificate(s, results);
    if (status == EXIT_FINE && a->output)
        status = write_program(a->output, results, a->query_count);
    return status;
}

/* --- the command ------------------------------------------------------------------------------ */

static const char no_program[] = "_none = indices;\n"; /* the library alone */

static int open_program(const ExpressArguments *a, Program *program) {
    const Common *c = &a->common;
    if (c->argument) return program_open(c->argument, c->memory, program);
    RaspError error;
    RaspConfig config = report_config(c->memory);
    *program = (Program){.path = "", .shown = c->choice.expression};
    program->handle = rasp_program_load(
        &(RaspSource){.name = "--expr", .text = no_program, .length = strlen(no_program)}, &config,
        &error);
    return program->handle ? EXIT_FINE : report_failure(&error);
}

static const char *file_text(Arena *arena, const char *path) {
    char buffer[1 << 14], *text = NULL;
    size_t size = 0, got;
    FILE *in = fopen(path, "r"), *out = in ? open_memstream(&text, &size) : NULL;
    while (out && (got = fread(buffer, 1, sizeof buffer, in)) > 0) fwrite(buffer, 1, got, out);
    if (in) fclose(in);
    if (out) fclose(out);
    const char *kept = text ? arena_text(arena, text, size) : NULL;
    free(text);
    return kept;
}

static Origin origin_of(const Program *p, const ExpressArguments *a, Arena *arena) {
    const SopChoice *choice = &a->common.choice;
    return (Origin){.name = p->shown,
                    .source = *p->path ? file_text(arena, p->path) : no_program,
                    .sop = choice->count ? choice->names[0] : NULL,
                    .expression = choice->expression,
                    .where = a->target.where};
}

static int run(ExpressArguments *a, Budget *budget, Program *program) {
    Arena *arena = arena_new(budget);
    Session s = {.arena = arena, .arguments = a};
    RaspError error;
    int status = EXIT_FINE;
    s.limits = (Limits){.budget = budget, .progress = progress, .context = &s};
    if (a->task) {
        s.task = task_of_file(arena, a->task, &error);
        if (!s.task) status = report_failure(&error);
        if (s.task && (!a->target.max_length || a->target.max_length > s.task->length))
            a->target.max_length = s.task->length;
    } else {
        status = open_program(a, program);
        if (status == EXIT_FINE) status = task_open(program, a, arena, &s.task);
        if (status == EXIT_FINE) s.origin = origin_of(program, a, arena);
    }
    if (status == EXIT_FINE) status = express(&s, a->task ? a->task : program->shown);
    arena_free(arena);
    return status;
}

static int verify(const ExpressArguments *a) {
    RaspError error;
    ExpressVerdict verdict;
    RaspConfig config = report_config(a->common.memory);
    if (express_verify(a->verify, &config, &verdict, &error)) {
        printf("%s: holds\n  %s\n  %s\n", a->verify, verdict.statement, verdict.evidence);
        return EXIT_FINE;
    }
    if (error.status != RASP_WRONG_FILE) return report_failure(&error);
    printf("%s: refused\n  %s\n", a->verify, error.text);
    return EXIT_DISAGREE;
}

int cmd_express(int argc, char **argv) {
    static const struct argp argp = {
        .options = options, .parser = parse, .args_doc = "PROGRAM", .doc = help};
    ExpressArguments arguments = {.common = {.kind = NULL}, .seconds = 20};
    Program program = {0};
    Budget budget;
    BudgetGuard guard;
    volatile int status = EXIT_FAILED;
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    if (arguments.theory) {
        express_theory();
        return EXIT_FINE;
    }
    if (arguments.verify) return verify(&arguments);
    choose_classes(&arguments);
    budget_init(&budget, arguments.common.memory);
    budget.cancel = stop_catch();
    if (BUDGET_ENTER(&budget, &guard)) {
        status = run(&arguments, &budget, &program);
        budget_leave(&budget, &guard);
    } else {
        report_error("stopped before there was an answer");
    }
    rasp_program_free(program.handle);
    free(arguments.common.choice.names);
    return status;
}
