#include "interp/eval/eval.h"

#include "base/near.h"

#include <string.h>

/* --- the stack of values ---------------------------------------------------------------- */

static void enlarge_stack(Session *s) {
    size_t room = s->room ? 2 * s->room : 256;
    Value *stack = ARENA_BLOCK(s->arena, room, Value);
    if (s->top) memcpy(stack, s->stack, s->top * sizeof *stack);
    arena_release(s->arena, s->stack);
    s->stack = stack;
    s->room = room;
}

void eval_push(Session *s, Value value) {
    if (s->top == s->room) enlarge_stack(s);
    s->stack[s->top++] = value;
}

void eval_reduce(Session *s, size_t count, Value value) {
    s->top -= count;
    eval_push(s, value);
}

void eval_object(Session *s, size_t count, ValueKind kind, NodeId node, const Str *name) {
    eval_reduce(s, count, value_object(s->heap, kind, node, name));
}

/* --- faults ----------------------------------------------------------------------------- */

static const FaultCall *copy_calls(Session *s, const Frame *frames) {
    FaultCall *first = NULL, **to = &first;
    for (; frames; frames = frames->outer) {
        FaultCall *copy = ARENA_NEW(s->scratch, FaultCall);
        *copy = (FaultCall){.function = frames->call.function, .span = frames->call.span};
        *to = copy;
        to = (FaultCall **)(void *)&copy->outer;
    }
    return first;
}

_Noreturn void eval_raise(Session *s, const Fault *fault) {
    Fault copy = *fault;
    for (int k = 0; k < FAULT_ARGS; k++)
        if (copy.arg[k]) copy.arg[k] = arena_text(s->scratch, copy.arg[k], strlen(copy.arg[k]));
    copy.calls = copy_calls(s, s->frames);
    s->fault = copy;
    longjmp(s->catch->jump, 1);
}

_Noreturn void eval_fail(Session *s, FaultId id, const Ast *at, const char *const arg[FAULT_ARGS]) {
    Fault fault = {.id = id, .span = at->mark};
    memcpy(fault.arg, arg, sizeof fault.arg);
    eval_raise(s, &fault);
}

void eval_catch(Session *s, EvalCatch *catch) {
    *catch = (EvalCatch){.outer = s->catch,
                         .top = s->top,
                         .spine_top = s->spine_top,
                         .scope = s->scope,
                         .frames = s->frames,
                         .trials = s->trials,
                         .trial = s->trial,
                         .loads = s->loads,
                         .show_sops = s->show_sops,
                         .show_selectors = s->show_selectors};
    s->catch = catch;
}

void eval_restore(Session *s, EvalCatch *catch) {
    s->catch = catch->outer;
    s->top = catch->top;
    s->spine_top = catch->spine_top;
    s->scope = catch->scope;
    s->frames = catch->frames;
    while (s->trials != catch->trials) trial_pop(s);
    s->trial = catch->trial;
    s->loads = catch->loads;
    s->show_sops = catch->show_sops;
    s->show_selectors = catch->show_selectors;
}

Span eval_span(const Session *s, const Ast *at) {
    Span span = at->span;
    for (const Frame *frame = s->frames; frame && span.begin < s->library_end; frame = frame->outer)
        span = frame->call.span;
    return span;
}

static const char *show(Session *s, Value value, TextStyle style) {
    enum { SHOWN = 44 };
    if (s->options.mode == SESSION_REPL) return value_show(value, style, s->scratch);
    char buffer[4 * SHOWN + 8];
    Text text = text_cut(buffer, sizeof buffer, SHOWN);
    text_put_value(&text, value, style);
    return arena_format(s->scratch, "%s%s", buffer, text_is_cut(&text) ? "..." : "");
}

const char *eval_plain(Session *s, Value value) {
    return show(s, value, TEXT_PLAIN);
}
const char *eval_quoted(Session *s, Value value) {
    return show(s, value, TEXT_QUOTED);
}
const char *eval_number(Session *s, size_t number) {
    return arena_format(s->scratch, "%zu", number);
}

/* Where in the innermost call the stack ends is of no account. */
void eval_check_stack(Session *s, const Ast *at) {
    if ((uintptr_t)__builtin_frame_address(0) >= s->floor) return;
    if (!s->frames) EVAL_FAIL(s, RECURSION, at, "");
    const char *function = s->frames->call.function;
    const char *hint =
        arena_format(s->scratch,
                     ": does the recursion of '%s' end? it ends by a choice on an atom, such as "
                     "'0 if n == 0 else %s(n - 1)'; on an s-op both branches are evaluated",
                     function, function);
    eval_raise(s, &(Fault){.id = FAULT_RECURSION, .arg = {hint}, .span = s->frames->call.span});
}

/* --- scopes ----------------------------------------------------------------------------- */

Scope *eval_open_scope(Session *s, Scope *outer, const Str *label, uint32_t primes) {
    Scope *scope = s->pool;
    if (!scope) return scope_new(s->heap, outer, label, primes);
    s->pool = scope->outer;
    scope_reset(scope, outer);
    scope->label = label;
    scope->primes = primes;
    return scope;
}

void eval_close_scope(Session *s, Scope *scope) {
    if (scope->is_captured) return;
    scope->outer = s->pool;
    s->pool = scope;
}

static bool is_reserved(const Session *s, const Scope *scope, const Str *name) {
    for (size_t k = 0; k < s->reserved_count; k++)
        if (s->reserved[k] == name) return true;
    if (!scope->is_console) return false;
    const Variable *slot = scope_find(s->start, name);
    return slot && slot->is_protected;
}

static void set_here(Session *s, Scope *scope, const Str *name, Value value, const Ast *at,
                     bool assigned) {
    if (is_reserved(s, scope, name))
        EVAL_FAIL(s, RESERVED, at, name->text, scope->is_console ? " here" : "");
    Variable *slot = scope_set(s->heap, scope, name, value);
    slot->order = ++s->order;
    slot->assigned = assigned;
}

void eval_set(Session *s, Scope *scope, const Str *name, Value value, const Ast *at,
              bool assigned) {
    set_here(s, scope, name, value, at, assigned);
    if (name->text[0] == '_') return;
    while ((scope = scope->exports)) set_here(s, scope, name, value, at, assigned);
}

/* --- garbage ---------------------------------------------------------------------------- */

static void mark_scope(Session *s, Scope *scope) {
    if (scope) heap_mark(s->heap, &scope->cell);
}

void eval_collect(Session *s) {
    s->pool = NULL; /* what is in it is reachable from nowhere else */
    for (size_t k = 0; k < s->top; k++) heap_mark_value(s->heap, s->stack[k]);
    Scope *const roots[] = {s->builtins, s->start, s->console, s->program, s->notes, s->scope};
    for (size_t k = 0; k < sizeof roots / sizeof *roots; k++) mark_scope(s, roots[k]);
    for (Frame *frame = s->frames; frame; frame = frame->outer) mark_scope(s, frame->caller);
    for (LoadFrame *load = s->loads; load; load = load->outer) mark_scope(s, load->caller);
    for (size_t k = 0; k < s->pending_count; k++)
        if (s->pending[k].kind == PENDING_NAMED) heap_mark_value(s->heap, s->pending[k].value);
    mark_scope(s, s->missing);
    for (size_t k = 0; k < s->pinned_count; k++) heap_mark_value(s->heap, s->pinned[k]);
    heap_mark_value(s->heap, s->sop_example.value);
    heap_mark_value(s->heap, s->selector_example.value);
    if (s->has_last_sop) heap_mark_value(s->heap, s->last_sop);
    heap_sweep(s->heap);
}

void eval_safe_point(Session *s) {
    budget_poll(s->budget);
    if (heap_is_due(s->heap)) eval_collect(s);
}

/* --- expressions ------------------------------------------------------------------------ */

/* ", did you mean 'x'?", or nothing: names in scope, and words that are no names but are called. */
static const char *suggestion(Session *s, const Str *name) {
    size_t room = word_count(), count = 0;
    for (const Scope *scope = s->scope; scope; scope = scope->outer) room += scope->count;
    const char **names = ARENA_ARRAY(s->scratch, room, const char *);
    for (const Scope *scope = s->scope; scope; scope = scope->outer)
        for (uint32_t k = 0; k < scope->count; k++) names[count++] = scope->slots[k].name->text;
    for (size_t k = 0; k < word_count(); k++) {
        const Word *word = word_at(k);
        bool called = word->usage && word->usage[strlen(word->name)] == '(';
        if (called && strncmp(word->usage, word->name, strlen(word->name)) == 0)
            names[count++] = word->name;
    }
    return near_words(s->scratch, name->text, names, count);
}

static const Value *find_out(const Session *s) {
    for (const Scope *scope = s->scope; scope; scope = scope->outer)
        if (scope->has_out) return &scope->out;
    return NULL;
}

static void eval_name(Session *s, const Ast *ast) {
    const Value *value = ast->text == s->out ? find_out(s) : scope_lookup(s->scope, ast->text);
    if (!value) {
        s->undefined = ast->text;
        EVAL_FAIL(s, UNDEFINED, ast, eval_plain(s, value_atom(atom_string(ast->text))),
                  suggestion(s, ast->text));
    }
    eval_push(s, *value);
}

static void eval_string(Session *s, const Ast *ast) {
    eval_push(s, value_atom(atom_string(ast->text)));
}
static void eval_int(Session *s, const Ast *ast) {
    eval_push(s, value_atom(atom_int(ast->integer)));
}
static void eval_float(Session *s, const Ast *ast) {
    eval_push(s, value_atom(atom_float(ast->real)));
}

static EvalFunction *const evaluators[AST_KIND_COUNT] = {
    [AST_NAME] = eval_name,
    [AST_STRING] = eval_string,
    [AST_INT] = eval_int,
    [AST_FLOAT] = eval_float,
    [AST_LIST] = eval_list,
    [AST_DICT] = eval_dict,
    [AST_LIST_COMPREHENSION] = eval_list_comprehension,
    [AST_DICT_COMPREHENSION] = eval_dict_comprehension,
    [AST_UNARY] = eval_unary,
    [AST_BINARY] = eval_binary,
    [AST_IN] = eval_in,
    [AST_TERNARY] = eval_ternary,
    [AST_SELECT] = eval_select,
    [AST_AGGREGATE] = eval_aggregate,
    [AST_BUILTIN] = eval_builtin,
    [AST_CALL] = eval_call,
    [AST_INDEX] = eval_index,
    [AST_SLICE] = eval_slice,
};

void eval(Session *s, const Ast *ast) {
    eval_check_stack(s, ast);
    evaluators[ast->kind](s, ast);
    if (s->trying && value_is_graph(eval_top(s, 0))) example_try(s, eval_top(s, 0), ast);
}
