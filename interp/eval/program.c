/* Programs in batch mode, and the names of a session. */
#include "interp/eval/eval.h"

#include "grammar/parse.h"

#include <stdlib.h>
#include <string.h>

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
    s->missing = scope_new(s->heap, NULL, label, 0);
    return load_whole(s, s->program, s->program_source) && !s->failed;
}

bool session_load(Session *s, const char *path) {
    return session_enter(s, run_program, &(Program){.path = path});
}

bool session_load_text(Session *s, const char *name, const char *text, size_t length) {
    return session_enter(s, run_program, &(Program){.name = name, .text = text, .length = length});
}

const Source *session_program(const Session *s) {
    return s->program_source;
}

/* --- names ------------------------------------------------------------------------------ */

static Scope *top_scope(const Session *s) {
    return s->program ? s->program : s->console;
}

static bool is_public(const Variable *slot) {
    return slot->name->text[0] != '_';
}

static int by_order(const void *a, const void *b) {
    const Variable *x = *(Variable *const *)a, *y = *(Variable *const *)b;
    return (x->order > y->order) - (x->order < y->order);
}

typedef struct Names {
    const Binding *names;
    size_t count;
} Names;

static bool list_names(Session *s, void *context) {
    const Scope *scope = top_scope(s);
    const Variable **slots = ARENA_ARRAY(s->scratch, scope->count, const Variable *);
    size_t count = 0;
    for (uint32_t k = 0; k < scope->count; k++)
        if (is_public(&scope->slots[k])) slots[count++] = &scope->slots[k];
    qsort(slots, count, sizeof(const Variable *), by_order);
    Binding *names = ARENA_ARRAY(s->arena, count, Binding);
    for (size_t k = 0; k < count; k++) names[k] = (Binding){slots[k]->name, slots[k]->value};
    *(Names *)context = (Names){names, count};
    return true;
}

const Binding *session_names(Session *s, size_t *count) {
    Names names = {0};
    session_enter(s, list_names, &names);
    *count = names.count;
    return names.names;
}

bool session_main(Session *s, Binding *binding) {
    const Scope *scope = top_scope(s);
    const Variable *last = NULL;
    for (uint32_t k = 0; k < scope->count; k++) {
        const Variable *slot = &scope->slots[k];
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
    Scope *scope; /* evaluation: NULL is the program's */
} Lookups;

static bool look_up(Session *s, void *context) {
    Lookups *wanted = context;
    const Value *value = scope_lookup(top_scope(s), intern_text(s->intern, wanted->name));
    if (value) wanted->value = *value;
    return value != NULL;
}

bool session_lookup(Session *s, const char *name, Value *value) {
    Lookups wanted = {.name = name};
    bool found = session_enter(s, look_up, &wanted);
    *value = wanted.value;
    return found;
}

bool session_find(Session *s, const char *name, Value *value) {
    const Value *found = scope_lookup(top_scope(s), intern_text(s->intern, name));
    if (found) *value = *found;
    return found != NULL;
}

static bool evaluate(Session *s, void *context) {
    Lookups *wanted = context;
    const Source *source = source_add(s->sources, wanted->name, wanted->text, strlen(wanted->text));
    if (!source) EVAL_FAIL(s, FILE_TOO_LARGE, &(Ast){0}, wanted->name);
    ParseContext parse = {s->arena, s->intern, s->sources, &s->options.sink.syntax};
    const Ast *ast = parse_expression(&parse, source);
    if (!ast) return false;
    s->scope = wanted->scope ? wanted->scope : top_scope(s);
    eval(s, ast);
    s->pinned =
        arena_grow(s->arena, s->pinned, &s->pinned_room, s->pinned_count + 1, sizeof *s->pinned);
    s->pinned[s->pinned_count++] = wanted->value = eval_top(s, 0);
    s->top--;
    return true;
}

bool session_evaluate(Session *s, const char *name, const char *text, Value *value) {
    Lookups wanted = {.name = name, .text = text};
    bool fine = session_enter(s, evaluate, &wanted);
    *value = wanted.value;
    return fine;
}

/* --- notes ------------------------------------------------------------------------------ */

static bool begin_notes(Session *s, void *context) {
    (void)context;
    const Str *tokens = intern_text(s->intern, "tokens");
    s->notes = scope_new(s->heap, top_scope(s), intern_text(s->intern, "notes"), 0);
    eval_object(s, 0, VALUE_SOP, graph_tokens(s->graph, TOKENS_STR, SPAN_NONE), tokens);
    scope_set(s->heap, s->notes, tokens, eval_top(s, 0));
    s->top--;
    return true;
}

void session_begin_notes(Session *s) {
    s->notes = NULL;
    session_enter(s, begin_notes, NULL);
}

typedef struct Note {
    const char *name;
    Value value;
    Atom atom;
    bool sop;
} Note;

static bool set_note(Session *s, void *context) {
    const Note *note = context;
    scope_set(s->heap, s->notes, intern_text(s->intern, note->name), note->value);
    return true;
}

static bool set_note_sop(Session *s, void *context) {
    Note *note = context;
    NodeId node = graph_constant(s->graph, note->atom, SPAN_NONE);
    eval_object(s, 0, VALUE_SOP, node, intern_text(s->intern, note->name));
    note->value = eval_top(s, 0);
    set_note(s, note);
    s->top--;
    return true;
}

bool session_note(Session *s, const char *name, Value value) {
    return s->notes && session_enter(s, set_note, &(Note){.name = name, .value = value});
}

bool session_note_atom(Session *s, const char *name, Atom atom, bool sop) {
    if (!sop) return session_note(s, name, value_atom(atom));
    return s->notes && session_enter(s, set_note_sop, &(Note){.name = name, .atom = atom});
}

/* The program's places and names stay its own: no text is its that comes now. */
bool session_evaluate_note(Session *s, const char *label, const char *text, Value *value) {
    Lookups wanted = {.name = label, .text = text, .scope = s->notes};
    if (!s->notes) return false;
    graph_notes(s->graph, true);
    bool fine = session_enter(s, evaluate, &wanted);
    graph_notes(s->graph, false);
    *value = wanted.value;
    return fine;
}

SessionMark session_mark(const Session *s) {
    return (SessionMark){graph_count(s->graph), s->pinned_count};
}

void session_rewind(Session *s, SessionMark mark) {
    s->notes = NULL;
    s->pinned_count = mark.values;
    graph_shrink(s->graph, mark.nodes);
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
