#include "interp/eval/eval.h"
#include "interp/eval/library.h"

#include <string.h>

/* --- the start-up environment ----------------------------------------------------------- */

/* Loads a library text into the start-up scope.  Private names stay in the text's own. */
static bool load_library(Session *s, const LibraryText *text) {
    const Source *source = source_add(s->sources, text->name, text->text, text->length);
    const Str *width = intern_text(s->intern, "_width");
    Scope *scope = scope_new(s->heap, s->start, intern_text(s->intern, text->label), 0);
    scope->exports = s->start;
    s->scope = scope;
    Function *native = function_native(s->heap, NATIVE_WIDTH, width, 1, scope);
    scope_set(s->heap, scope, width, value_function(native));
    bool fine = source && load_whole(s, scope, source);
    scope->exports = NULL;
    return fine;
}

static void protect_names(Session *s) {
    const Str *tokens = intern_text(s->intern, "tokens");
    for (uint32_t k = 0; k < s->start->count; k++)
        s->start->slots[k].is_protected = s->start->slots[k].name != tokens;
}

static uint32_t end_of_sources(Session *s) {
    const Source *end = source_add(s->sources, "", "", 0);
    return end ? end->base : 0;
}

static bool start_up(Session *s, void *context) {
    (void)context;
    bool fine = load_library(s, &library_text);
    protect_names(s);
    fine = fine && load_library(s, &library_extras);
    s->library_end = end_of_sources(s);
    graph_begin_program(s->graph, s->library_end);
    return fine;
}

static void set_up(Session *s) {
    s->intern = intern_new(s->arena);
    s->graph = graph_new(s->arena, s->intern);
    s->heap = heap_new(s->budget, value_classes);
    s->sources = source_map_new(s->arena);
    s->out = intern_text(s->intern, "out");
    const Str *label = intern_text(s->intern, "console");
    s->builtins = scope_new(s->heap, NULL, label, 0);
    s->start = scope_new(s->heap, s->builtins, label, 0);
    s->console = scope_new(s->heap, s->start, label, 0);
    s->console->is_console = true;
    Value hello = value_atom(atom_string(intern_text(s->intern, "hello")));
    s->sop_example.value = s->selector_example.value = hello;
    s->show_sops = s->show_selectors = true;
    builtin_define(s);
}

/* NULL if memory ran out. */
static Session *make_session(const SessionOptions *options) {
    BudgetGuard guard;
    Arena *volatile arena = NULL;
    Session *volatile made = NULL;
    if (BUDGET_ENTER(options->budget, &guard)) {
        arena = arena_new(options->budget);
        Session *s = made = ARENA_NEW(arena, Session);
        s->options = *options;
        s->budget = options->budget;
        s->arena = arena;
        set_up(s);
        budget_leave(options->budget, &guard);
        return s;
    }
    char message[256];
    budget_message(options->budget, message, sizeof message);
    if (made)
        session_free(made);
    else
        arena_free(arena);
    if (options->sink.stopped) options->sink.stopped(options->sink.context, NULL, message);
    return NULL;
}

Session *session_new(const SessionOptions *options) {
    Session *s = make_session(options);
    if (!s) return NULL;
    s->options.sink.named = NULL; /* the library's results are nobody's */
    if (!session_enter(s, start_up, NULL)) {
        session_free(s);
        return NULL;
    }
    s->options.sink.named = options->sink.named;
    s->scope = s->console;
    s->trying = options->mode == SESSION_REPL;
    return s;
}

void session_free(Session *s) {
    if (!s) return;
    example_clear(&s->sop_example);
    example_clear(&s->selector_example);
    while (s->trials) trial_pop(s);
    heap_free(s->heap);
    arena_free(s->scratch);
    arena_free(s->arena);
}

Arena *session_arena(const Session *s) {
    return s->arena;
}
Arena *session_scratch(const Session *s) {
    return s->scratch;
}
Intern *session_intern(const Session *s) {
    return s->intern;
}
Graph *session_graph(const Session *s) {
    return s->graph;
}
SourceMap *session_sources(const Session *s) {
    return s->sources;
}

/* --- the console ------------------------------------------------------------------------ */

typedef struct Execution {
    const Ast *unit;
    SessionOutcome outcome;
} Execution;

static bool execute(Session *s, void *context) {
    Execution *execution = context;
    execution->outcome = session_run(s, execution->unit);
    return true;
}

SessionOutcome session_execute(Session *s, const Ast *unit) {
    Execution execution = {unit, SESSION_FAILED};
    s->scope = s->console;
    session_enter(s, execute, &execution);
    return execution.outcome;
}

void session_load_whole(Session *s, bool whole) {
    s->loads_whole = whole;
}

Value session_example(const Session *s, AstTarget which) {
    return which == AST_SELECTOR ? s->selector_example.value : s->sop_example.value;
}

bool session_shows_examples(const Session *s, AstTarget which) {
    return which == AST_SELECTOR ? s->show_selectors : s->show_sops;
}

bool session_full_display(const Session *s) {
    return s->full_display;
}

const Column *session_example_column(Session *s, Value sop, Fault *fault) {
    Exec *exec = example_exec(s, &s->sop_example, fault);
    return exec ? exec_column(exec, sop.object->node, fault) : NULL;
}

const bool *session_example_matrix(Session *s, Value selector, Fault *fault) {
    Exec *exec = example_exec(s, &s->selector_example, fault);
    return exec ? exec_matrix(exec, selector.object->node, fault) : NULL;
}
