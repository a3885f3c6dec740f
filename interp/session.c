#include "interp/eval.h"

#include "grammar/parse.h"

#include <stdlib.h>
#include <string.h>

/* --- the start-up environment ----------------------------------------------------------- */

static const char *const reserved[RESERVED_COUNT] = {
    "tokens_asis", "tokens_str", "tokens_int", "tokens_float", "tokens_bool", "indices", "True",
    "False",       "out",        "range",      "zip",          "len",         "get"};

static void define(Session *s, Scope *scope, const char *name, Value value) {
    scope_set(s->heap, scope, intern_text(s->intern, name), value);
}

static Value named_object(Session *s, const char *name, NodeId node) {
    const Str *text = intern_text(s->intern, name);
    return value_object(s->heap, VALUE_SOP, node, text);
}

static void define_builtins(Session *s) {
    static const char *const token_names[] = {[TOKENS_ASIS] = "tokens_asis",
                                              [TOKENS_STR] = "tokens_str",
                                              [TOKENS_INT] = "tokens_int",
                                              [TOKENS_FLOAT] = "tokens_float",
                                              [TOKENS_BOOL] = "tokens_bool"};
    for (TokenType type = TOKENS_ASIS; type <= TOKENS_BOOL; type++) {
        NodeId node = graph_tokens(s->graph, type, SPAN_NONE);
        define(s, s->builtins, token_names[type], named_object(s, token_names[type], node));
    }
    NodeId indices = graph_indices(s->graph, SPAN_NONE);
    define(s, s->builtins, "indices", named_object(s, "indices", indices));
    define(s, s->builtins, "True", value_atom(atom_bool(true)));
    define(s, s->builtins, "False", value_atom(atom_bool(false)));
    /* `tokens` is a variable of the library that holds the object tokens_str. */
    Value tokens = *scope_lookup(s->builtins, intern_text(s->intern, "tokens_str"));
    tokens.object->name = intern_text(s->intern, "tokens");
    define(s, s->start, "tokens", tokens);
}

/* Loads a library file into the start-up scope.  Private names stay in the file's own. */
static bool load_library(Session *s, const char *path, const char *label) {
    Fault fault;
    const Source *source = load_source(s, path, &fault);
    if (!source) {
        session_emit_fault(s, &fault);
        return false;
    }
    const Str *width = intern_text(s->intern, "_width");
    Scope *scope = scope_new(s->heap, s->start, intern_text(s->intern, label), 0);
    scope->exports = s->start;
    s->scope = scope;
    Function *native = function_native(s->heap, NATIVE_WIDTH, width, 1, scope);
    scope_set(s->heap, scope, width, value_function(native));
    bool fine = load_whole(s, scope, source);
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
    bool fine = load_library(s, s->options.library, "RASP_support/rasplib");
    protect_names(s);
    if (fine && s->options.extras) fine = load_library(s, s->options.extras, "RASP_support/extras");
    s->library_end = end_of_sources(s);
    return fine;
}

static void set_up(Session *s) {
    s->intern = intern_new(s->arena);
    s->graph = graph_new(s->arena, s->intern);
    s->heap = heap_new(s->arena, value_classes);
    s->sources = source_map_new(s->arena);
    s->out = intern_text(s->intern, "out");
    for (int k = 0; k < RESERVED_COUNT; k++) s->reserved[k] = intern_text(s->intern, reserved[k]);
    const Str *label = intern_text(s->intern, "console");
    s->builtins = scope_new(s->heap, NULL, label, 0);
    s->start = scope_new(s->heap, s->builtins, label, 0);
    s->console = scope_new(s->heap, s->start, label, 0);
    s->console->is_console = true;
    Value hello = value_atom(atom_string(intern_text(s->intern, "hello")));
    s->sop_example.value = s->selector_example.value = hello;
    s->show_sops = s->show_selectors = true;
    define_builtins(s);
}

/* NULL if memory ran out. */
static Session *make_session(const SessionOptions *options) {
    BudgetGuard guard;
    Session *volatile made = NULL;
    Arena *volatile arena = NULL;
    if (BUDGET_ENTER(options->budget, &guard)) {
        arena = arena_new(options->budget);
        Session *s = ARENA_NEW(arena, Session);
        s->options = *options;
        s->budget = options->budget;
        s->arena = arena;
        set_up(s);
        budget_leave(options->budget, &guard);
        made = s;
    } else {
        char message[256];
        budget_message(options->budget, message, sizeof message);
        arena_free(arena);
        if (options->sink.stopped) options->sink.stopped(options->sink.context, NULL, message);
    }
    return made;
}

/* Runs a function for a caller outside. */
static bool enter(Session *s, bool (*run)(Session *s, void *context), void *context) {
    return session_begin(s) && session_guard(s, run, context);
}

Session *session_new(const SessionOptions *options) {
    Session *s = make_session(options);
    if (!s) return NULL;
    s->options.sink.named = NULL; /* the library's results are nobody's */
    if (!enter(s, start_up, NULL)) {
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
Budget *session_budget(const Session *s) {
    return s->budget;
}

/* --- the console ------------------------------------------------------------------------ */

SessionOutcome session_execute(Session *s, const Ast *unit) {
    s->scope = s->console;
    return session_begin(s) ? session_run(s, unit) : SESSION_FAILED;
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

/* --- programs --------------------------------------------------------------------------- */

typedef struct Program {
    const char *path; /* or else */
    const char *name, *text;
    size_t length;
} Program;

/* NULL if there is a fault, which has been reported. */
static const Source *program_source(Session *s, const Program *program) {
    Fault fault = {.id = FAULT_FILE_TOO_LARGE, .arg = {program->name}};
    const Source *source =
        program->path ? load_source(s, program->path, &fault)
                      : source_add(s->sources, program->name, program->text, program->length);
    if (!source) session_emit_fault(s, &fault);
    return source;
}

/* The name without its suffix, as `load` has it. */
static const Str *program_label(Session *s, const char *name) {
    static const char suffix[] = ".rasp";
    size_t length = strlen(name), tail = sizeof suffix - 1;
    bool has_suffix = length > tail && strcmp(name + length - tail, suffix) == 0;
    return intern(s->intern, name, has_suffix ? length - tail : length);
}

static bool run_program(Session *s, void *context) {
    s->program_source = program_source(s, context);
    if (!s->program_source) return false;
    const Str *label = program_label(s, s->program_source->name);
    s->program = scope_new(s->heap, s->start, label, 0);
    s->has_last_sop = s->failed = s->silent_undefined = false;
    s->missing_count = 0;
    return load_whole(s, s->program, s->program_source) && !s->failed;
}

bool session_load(Session *s, const char *path) {
    return enter(s, run_program, &(Program){.path = path});
}

bool session_load_text(Session *s, const char *name, const char *text, size_t length) {
    return enter(s, run_program, &(Program){.name = name, .text = text, .length = length});
}

const Source *session_program(const Session *s) {
    return s->program_source;
}

/* --- names ------------------------------------------------------------------------------ */

static Scope *top_scope(const Session *s) {
    return s->program ? s->program : s->console;
}

static bool is_public(const Slot *slot) {
    return slot->name->text[0] != '_';
}

static int by_order(const void *a, const void *b) {
    const Slot *x = *(Slot *const *)a, *y = *(Slot *const *)b;
    return (x->order > y->order) - (x->order < y->order);
}

typedef struct Names {
    const Binding *names;
    size_t count;
} Names;

static bool list_names(Session *s, void *context) {
    const Scope *scope = top_scope(s);
    const Slot **slots = ARENA_ARRAY(s->scratch, scope->count, const Slot *);
    size_t count = 0;
    for (uint32_t k = 0; k < scope->count; k++)
        if (is_public(&scope->slots[k])) slots[count++] = &scope->slots[k];
    qsort(slots, count, sizeof(const Slot *), by_order);
    Binding *names = ARENA_ARRAY(s->arena, count, Binding);
    for (size_t k = 0; k < count; k++) names[k] = (Binding){slots[k]->name, slots[k]->value};
    *(Names *)context = (Names){names, count};
    return true;
}

const Binding *session_names(Session *s, size_t *count) {
    Names names = {0};
    enter(s, list_names, &names);
    *count = names.count;
    return names.names;
}

bool session_main(Session *s, Binding *binding) {
    const Scope *scope = top_scope(s);
    const Slot *last = NULL;
    for (uint32_t k = 0; k < scope->count; k++) {
        const Slot *slot = &scope->slots[k];
        bool fits = is_public(slot) && slot->assigned && slot->value.kind == VALUE_SOP;
        if (fits && (!last || slot->order > last->order)) last = slot;
    }
    if (!last && !s->has_last_sop) return false;
    *binding = last ? (Binding){last->name, last->value} : (Binding){s->out, s->last_sop};
    return true;
}

typedef struct Lookups {
    const char *name, *text;
    Value value;
} Lookups;

static bool look_up(Session *s, void *context) {
    Lookups *wanted = context;
    const Value *value = scope_lookup(top_scope(s), intern_text(s->intern, wanted->name));
    if (value) wanted->value = *value;
    return value != NULL;
}

bool session_lookup(Session *s, const char *name, Value *value) {
    Lookups wanted = {.name = name};
    bool found = enter(s, look_up, &wanted);
    *value = wanted.value;
    return found;
}

static bool evaluate(Session *s, void *context) {
    Lookups *wanted = context;
    const Source *source = source_add(s->sources, wanted->name, wanted->text, strlen(wanted->text));
    if (!source) EVAL_FAIL(s, FILE_TOO_LARGE, &(Ast){0}, wanted->name);
    ParseContext parse = {s->arena, s->intern, s->sources, &s->options.sink.syntax};
    const Ast *ast = parse_expression(&parse, source);
    if (!ast) return false;
    s->scope = top_scope(s);
    eval(s, ast);
    s->pinned =
        arena_grow(s->arena, s->pinned, &s->pinned_room, s->pinned_count + 1, sizeof *s->pinned);
    s->pinned[s->pinned_count++] = wanted->value = eval_top(s, 0);
    s->top--;
    return true;
}

bool session_evaluate(Session *s, const char *name, const char *text, Value *value) {
    Lookups wanted = {.name = name, .text = text};
    bool fine = enter(s, evaluate, &wanted);
    *value = wanted.value;
    return fine;
}

void session_visit_names(Session *s, void (*visit)(void *context, const Binding *binding),
                         void *context) {
    for (const Scope *scope = top_scope(s); scope; scope = scope->outer)
        for (uint32_t k = 0; k < scope->count; k++)
            visit(context, &(Binding){scope->slots[k].name, scope->slots[k].value});
}

Span function_span(const Function *function) {
    return function->def ? function->def->span : SPAN_NONE;
}
