/* A task, its classes one after the other; then what is written of them. */
#include "cli/express_session.h"

#include "cli/command.h"
#include "cli/express_print.h"
#include "cli/output.h"
#include "cli/report.h"
#include "cli/sources.h"
#include "cli/stop.h"
#include "express/certificate.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

void express_queries(ExpressArguments *a) {
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
    const ExpressArguments *a = s->arguments;
    FILE *out = a->lines ? a->lines : stdout;
    for (uint32_t k = 0; (a->lines || a->common.json) && k < r->count; k++)
        express_print_json(out, s->task, r, &r->verdicts[k]);
}

static int write_program(const char *path, const ClassResult *results, unsigned count) {
    for (unsigned k = 0; k < count; k++) {
        const Emitted *e = results[k].emitted;
        if (!e || !e->source) continue;
        Output *program = output_open(path);
        if (!program) return EXIT_FAILED;
        fputs(e->source, program->file);
        return output_close(program);
    }
    report_error("no program was found, so '%s' is not written", path);
    return EXIT_DISAGREE;
}

/* Of the first class that a certificate can be written of. */
static int write_certificate(Session *s, const ClassResult *results, bool *certified) {
    RaspError error = {.status = RASP_FAILED, .text = "nothing was decided"};
    Output *certificate = output_open(s->arguments->certificate);
    bool fine = false;
    if (!certificate) return EXIT_FAILED;
    s->limits.until = 0;
    for (unsigned k = 0; !fine && k < s->arguments->query_count; k++) {
        const ClassResult *r = &results[k];
        fine = r->count &&
               certificate_write(certificate->file, s->arena, s->task, &s->origin, &r->query,
                                 &r->verdicts[r->count - 1], r->emitted, &s->limits, &error);
    }
    if (certified) *certified = fine;
    if (fine) return output_close(certificate);
    output_drop(certificate);
    if (certified) return EXIT_FINE;
    report_error("no certificate: %s", error.text);
    return EXIT_FAILED;
}

static int decide_all(Session *s, ClassResult *results, RaspError *error) {
    const ExpressArguments *a = s->arguments;
    bool fine = true;
    for (unsigned k = 0; fine && k < a->query_count && !stop_requested(); k++) {
        results[k].query = a->queries[k];
        results[k].verdicts = ARENA_ARRAY(s->arena, a->target.max_length + 1, Verdict);
        if (!a->common.json && !a->lines) express_print_name(&results[k].query);
        fine = decide_class(s, &results[k], error);
        if (!a->common.json) putchar('\n');
        print_class(s, &results[k]);
    }
    return fine ? EXIT_FINE : report_failure(error);
}

static int express(Session *s, const char *name, bool *certified) {
    const ExpressArguments *a = s->arguments;
    RaspError error;
    ClassResult *results = ARENA_ARRAY(s->arena, a->query_count, ClassResult);
    bool values = a->vary_values;
    Budget *budget = arena_budget(s->arena);
    BudgetGuard guard;
    volatile int status = EXIT_FINE;
    if (!a->common.json && !a->lines)
        express_print_head(s->task, name, a->target.max_length, values);
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
    if (status == EXIT_FINE && a->certificate) status = write_certificate(s, results, certified);
    if (status == EXIT_FINE && a->output)
        status = write_program(a->output, results, a->query_count);
    return status;
}

/* --- the whole ------------------------------------------------------------------------------- */

static const char no_program[] = "_none = indices;\n"; /* the library alone */

static int open_program(const ExpressArguments *a, Sources *sources, Program *program) {
    const Common *c = &a->common;
    RaspError error;
    RaspConfig config = report_config(c->memory);
    config.read = sources_read;
    config.read_context = sources;
    if (c->argument) return program_open_with(c->argument, &config, program);
    *program = (Program){.path = "", .shown = c->choice.expression};
    program->handle = rasp_program_load(
        &(RaspSource){.name = "--expr", .text = no_program, .length = strlen(no_program)}, &config,
        &error);
    return program->handle ? EXIT_FINE : report_failure(&error);
}

/* The folder that the program is in becomes ".", so that a certificate says nothing of where it was
 * made: what is loaded is looked for beside the file that loads. */
static const char *without_folder(Arena *arena, const char *program, const char *path) {
    const char *slash = strrchr(program, '/');
    size_t length = slash ? (size_t)(slash - program) + 1 : 0;
    if (!length || strncmp(path, program, length) != 0) return path;
    return arena_format(arena, "./%s", path + length);
}

static Origin origin_of(const Program *p, const ExpressArguments *a, const Sources *sources) {
    const SopChoice *choice = &a->common.choice;
    Arena *arena = sources->arena;
    bool is_file = sources->count > 0;
    OriginFile *files = ARENA_ARRAY(arena, sources->count + 1, OriginFile);
    for (size_t k = 1; k < sources->count; k++)
        files[k - 1] = (OriginFile){without_folder(arena, p->path, sources->files[k].path),
                                    sources->files[k].text};
    return (Origin){.name = is_file ? without_folder(arena, p->path, p->path) : p->shown,
                    .source = is_file ? sources->files[0].text : no_program,
                    .files = files,
                    .file_count = is_file ? sources->count - 1 : 0,
                    .sop = choice->count ? choice->names[0] : NULL,
                    .expression = choice->expression,
                    .where = a->target.where};
}

static int run(ExpressArguments *a, Budget *budget, Program *program, bool *certified) {
    Arena *arena = arena_new(budget);
    Session s = {.arena = arena, .arguments = a};
    Sources sources = {.arena = arena};
    RaspError error;
    int status = EXIT_FINE;
    s.limits = (Limits){.budget = budget, .progress = progress, .context = &s};
    if (a->task) {
        s.task = task_of_file(arena, a->task, &error);
        if (!s.task) status = report_failure(&error);
        if (s.task && (!a->target.max_length || a->target.max_length > s.task->length))
            a->target.max_length = s.task->length;
    } else {
        status = open_program(a, &sources, program);
        if (status == EXIT_FINE) status = task_open(program, a, arena, &s.task);
        if (status == EXIT_FINE) s.origin = origin_of(program, a, &sources);
    }
    if (a->at_most && a->target.max_length > a->at_most) a->target.max_length = a->at_most;
    if (status == EXIT_FINE) status = express(&s, a->task ? a->task : program->shown, certified);
    arena_free(arena);
    return status;
}

int express_session(ExpressArguments *a, bool *certified) {
    Program program = {0};
    Budget budget;
    BudgetGuard guard;
    volatile int status = EXIT_FAILED;
    express_queries(a);
    budget_init(&budget, a->common.memory);
    budget.cancel = stop_catch();
    if (BUDGET_ENTER(&budget, &guard)) {
        status = run(a, &budget, &program, certified);
        budget_leave(&budget, &guard);
    } else {
        report_error("stopped before there was an answer");
    }
    rasp_program_free(program.handle);
    return status;
}
