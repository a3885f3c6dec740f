#include "cli/program.h"

#include "cli/command.h"
#include "cli/near.h"
#include "cli/paths.h"
#include "cli/report.h"
#include "cli/stop.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* --- loading ---------------------------------------------------------------------------- */

static void on_fault(void *context, Session *session, const Fault *fault) {
    Program *p = context;
    bool of_program = fault->span.end == fault->span.begin; /* not of a file that it loads */
    if (fault->id == FAULT_FILE_ERROR && of_program) p->unreadable = true;
    fault_report(fault, &report_sink, session_sources(session), session_arena(session));
}

static void on_stop(void *context, Session *session, const char *message) {
    (void)context, (void)session;
    report_error("%s", message);
}

static int find(Program *p, const char *name) {
    p->path = paths_find_program(p->arena, name);
    if (!p->path) return EXIT_NO_FILE;
    const char *slash = strrchr(p->path, '/');
    p->shown = strncmp(p->path, name, strlen(name)) != 0 && slash ? slash + 1 : p->path;
    if (access(p->path, R_OK) == 0) return EXIT_FINE;
    report_error("cannot read '%s': %s", p->path, strerror(errno));
    return EXIT_NO_FILE;
}

static int start_session(Program *p) {
    SessionOptions options = {
        .mode = SESSION_BATCH,
        .budget = &p->budget,
        .sink = {.context = p, .fault = on_fault, .stopped = on_stop, .syntax = report_sink}};
    p->session = session_new(&options);
    return p->session ? EXIT_FINE : EXIT_FAILED;
}

static int load(Program *p, const ProgramSource *source) {
    int status = EXIT_FINE;
    p->path = p->shown = source->name;
    if (!source->text) status = find(p, source->name);
    if (status == EXIT_FINE) status = start_session(p);
    if (status != EXIT_FINE) return status;
    bool loaded = source->text
                      ? session_load_text(p->session, source->name, source->text, source->length)
                      : session_load(p->session, p->path);
    if (stop_requested()) return EXIT_INTERRUPTED;
    if (p->unreadable) return EXIT_NO_FILE;
    return loaded ? EXIT_FINE : EXIT_WRONG_PROGRAM;
}

static int stopped(const Program *p) {
    char message[256];
    budget_message(&p->budget, message, sizeof message);
    report_error("%s", message);
    return p->budget.stop == BUDGET_CANCELLED ? EXIT_INTERRUPTED : EXIT_FAILED;
}

int program_with_source(const ProgramSource *source, size_t memory, ProgramBody *body,
                        void *context) {
    static Program program; /* survives the jump to the guard */
    Program *p = &program;
    BudgetGuard guard;
    int status;
    *p = (Program){0};
    budget_init(&p->budget, memory ? memory : BUDGET_DEFAULT_LIMIT);
    p->budget.cancel = stop_catch();
    if (BUDGET_ENTER(&p->budget, &guard)) {
        p->arena = arena_new(&p->budget);
        status = load(p, source);
        if (status == EXIT_FINE) status = body(p, context);
        budget_leave(&p->budget, &guard);
    } else {
        status = stopped(p);
    }
    session_free(p->session);
    arena_free(p->arena);
    return status;
}

int program_with(const char *name, size_t memory, ProgramBody *body, void *context) {
    return program_with_source(&(ProgramSource){.name = name}, memory, body, context);
}

/* --- choosing s-ops --------------------------------------------------------------------- */

static const char *what_it_is(Value value) {
    static const char *const word[] = {[VALUE_LIST] = "a list",
                                       [VALUE_DICT] = "a dict",
                                       [VALUE_FUNCTION] = "a function",
                                       [VALUE_SOP] = "an s-op",
                                       [VALUE_SELECTOR] = "a selector"};
    if (value.kind != VALUE_ATOM) return word[value.kind];
    return value.atom.kind == ATOM_STRING ? "a string" : "a number";
}

/* The names of the program's s-ops, and how many. */
static const char **sop_names(Program *p, size_t *count) {
    size_t total;
    const Binding *names = session_names(p->session, &total);
    const char **list = ARENA_ARRAY(p->arena, total + 1, const char *);
    *count = 0;
    for (size_t k = 0; k < total; k++)
        if (names[k].value.kind == VALUE_SOP) list[(*count)++] = names[k].name->text;
    return list;
}

static bool accept(Sop *sop, const char *name, Value value, const char *label) {
    *sop = (Sop){name, NODE_NONE};
    if (value.kind == VALUE_SOP) {
        sop->node = value.object->node;
        return true;
    }
    report_error("%s is %s, expected an s-op", label, what_it_is(value));
    return false;
}

enum { LISTED = 12 }; /* names in a message */

static const char *list_names(Program *p, const char *const *names, size_t count) {
    const char *text = count ? "; it has" : "; it gives no name to any";
    for (size_t k = 0; k < count && k < LISTED; k++)
        text = arena_format(p->arena, "%s%s '%s'", text, k ? "," : "", names[k]);
    return count > LISTED ? arena_format(p->arena, "%s, ...", text) : text;
}

static bool find_named(Program *p, const char *name, Sop *sop) {
    Value value;
    if (session_lookup(p->session, name, &value))
        return accept(sop, name, value, arena_format(p->arena, "'%s'", name));
    size_t count;
    const char **names = sop_names(p, &count);
    const char *near = near_words(p->arena, name, names, count);
    report_error("no s-op '%s' in '%s'%s", name, p->shown,
                 *near ? near : list_names(p, names, count));
    return false;
}

static const Sop *all_sops(Program *p, size_t *count) {
    size_t total;
    const Binding *names = session_names(p->session, &total);
    Sop *sops = ARENA_ARRAY(p->arena, total + 1, Sop);
    *count = 0;
    for (size_t k = 0; k < total; k++)
        if (names[k].value.kind == VALUE_SOP)
            sops[(*count)++] = (Sop){names[k].name->text, names[k].value.object->node};
    if (*count) return sops;
    report_error("'%s' gives no name to an s-op", p->shown);
    return NULL;
}

const Sop *program_sops(Program *p, const SopChoice *choice, size_t *count) {
    if (choice->all) return all_sops(p, count);
    *count = choice->count ? choice->count : 1;
    Sop *sops = ARENA_ARRAY(p->arena, *count, Sop);
    Value value;
    Binding binding;
    if (choice->expression) {
        bool known = session_evaluate(p->session, "--expr", choice->expression, &value);
        return known && accept(sops, choice->expression, value, "the expression") ? sops : NULL;
    }
    for (size_t k = 0; k < choice->count; k++)
        if (!find_named(p, choice->names[k], &sops[k])) return NULL;
    if (choice->count) return sops;
    if (session_main(p->session, &binding) &&
        accept(sops, binding.name->text, binding.value, "the result"))
        return sops;
    report_error("'%s' assigns no s-op; --expr gives one, e.g. --expr 'sort(tokens, tokens)'",
                 p->shown);
    return NULL;
}

const char *program_place(Program *p, Span span) {
    Place place;
    if (!source_place(session_sources(p->session), span, &place)) return "";
    const char *name = place.source->name, *slash = strrchr(name, '/');
    if (strcmp(name, p->path) == 0)
        name = p->shown;
    else if (slash)
        name = slash + 1;
    return arena_format(p->arena, "%s:%u", name, place.line);
}
