/* One statement under guard and catch, and where its results go. */
#include "interp/eval/eval.h"

#include <sys/resource.h>

/* --- the sink --------------------------------------------------------------------------- */

static void report_stop(Session *s) {
    char message[256];
    budget_message(s->budget, message, sizeof message);
    bool again = s->cancelled;
    s->cancelled = s->budget->stop == BUDGET_CANCELLED;
    s->failed = true;
    if (s->options.sink.stopped && !again)
        s->options.sink.stopped(s->options.sink.context, s, message);
}

static void call_sink(Session *s, const Pending *result) {
    const SessionSink *sink = &s->options.sink;
    void *context = sink->context;
    switch (result->kind) {
    case PENDING_NAMED:
        if (sink->named) sink->named(context, s, result->name, result->value);
        break;
    case PENDING_APPLIED:
        if (sink->applied) sink->applied(context, s, result->value, result->input, result->exec);
        break;
    case PENDING_DRAWN:
        if (sink->drawn)
            sink->drawn(context, s, result->value, result->input, result->exec, result->show);
        break;
    case PENDING_EXAMPLE:
        if (sink->example) sink->example(context, s, result->which);
        break;
    case PENDING_FAULT:
        if (sink->fault) sink->fault(context, s, &result->fault);
        break;
    }
}

/* A run that was stopped in the middle is of no use. */
static void forget_runs(Session *s) {
    example_clear(&s->sop_example);
    example_clear(&s->selector_example);
}

/* Sink functions allocate text, so they run under a guard. */
static void send(Session *s, const Pending *result) {
    BudgetGuard guard;
    if (BUDGET_ENTER(s->budget, &guard)) {
        call_sink(s, result);
        budget_leave(s->budget, &guard);
    } else {
        report_stop(s);
        forget_runs(s);
    }
}

static bool keeps_results(const Session *s) {
    return s->loads && s->options.mode == SESSION_REPL;
}

/* Sends a result, or keeps it until the load ends. */
static void emit(Session *s, const Pending *result) {
    if (!keeps_results(s)) {
        send(s, result);
        return;
    }
    s->pending = arena_grow(s->scratch, s->pending, &s->pending_room, s->pending_count + 1,
                            sizeof *s->pending);
    s->pending[s->pending_count++] = *result;
}

void session_emit_named(Session *s, const Str *name, Value value) {
    bool is_private = name == s->out || name->text[0] == '_';
    if (s->scope == s->program && name == s->out && value.kind == VALUE_SOP) {
        s->last_sop = value;
        s->has_last_sop = true;
    }
    if (!keeps_results(s) || !is_private)
        emit(s, &(Pending){.kind = PENDING_NAMED, .name = name, .value = value});
}

void session_emit_example(Session *s, AstTarget which) {
    emit(s, &(Pending){.kind = PENDING_EXAMPLE, .which = which});
}

void session_emit_applied(Session *s, Value value, Value input) {
    if (!s->loads)
        send(s, &(Pending){.kind = PENDING_APPLIED,
                           .value = value,
                           .input = input,
                           .exec = s->trial->example.exec});
}

void session_emit_drawn(Session *s, Value value, Value input, bool top) {
    send(s, &(Pending){.kind = PENDING_DRAWN,
                       .value = value,
                       .input = input,
                       .exec = s->trial->example.exec,
                       .show = top && !s->loads});
}

/* --- faults ----------------------------------------------------------------------------- */

/* A fault inside the library is shown at the call that led there. */
static void leave_library(const Session *s, Fault *fault) {
    while (fault->span.begin && fault->span.begin < s->library_end && fault->calls) {
        fault->span = fault->calls->span;
        fault->calls = fault->calls->outer;
    }
}

/* In batch mode: is this name missing only because the statement that sets it failed? */
static bool is_consequence(const Session *s, const Fault *fault) {
    if (s->options.mode != SESSION_BATCH || fault->id != FAULT_UNDEFINED) return false;
    return s->silent_undefined || (s->missing && scope_find(s->missing, s->undefined));
}

enum { MISTAKES_SHOWN = 20 };

bool session_gives_up(const Session *s) {
    return s->options.mode == SESSION_BATCH && s->mistakes > MISTAKES_SHOWN;
}

void session_emit_fault(Session *s, const Fault *fault) {
    s->failed = true;
    if (is_consequence(s, fault) || session_gives_up(s)) return;
    s->mistakes++;
    Fault shown = session_gives_up(s) ? (Fault){.id = FAULT_TOO_MANY} : *fault;
    leave_library(s, &shown);
    emit(s, &(Pending){.kind = PENDING_FAULT, .fault = shown});
}

static void remember_missing(Session *s, const Str *name) {
    scope_set(s->heap, s->missing, name, value_atom(atom_bool(true)));
}

/* The names that a failed statement would have set. */
static void remember_targets(Session *s, const Ast *ast) {
    if (!s->missing) return; /* no program */
    if (ast->kind == AST_LOAD) s->silent_undefined = true;
    if (ast->kind == AST_DEF) remember_missing(s, ast->text);
    if (ast->kind == AST_ASSIGN || ast->kind == AST_FOR)
        for (uint32_t k = 0; k < ast->child[0]->count; k++)
            remember_missing(s, ast->child[0]->child[k]->text);
    if (ast->kind == AST_FOR)
        for (uint32_t k = 0; k < ast->child[2]->count; k++)
            remember_targets(s, ast->child[2]->child[k]);
}

/* --- what a load has kept --------------------------------------------------------------- */

/* Of several results for one name only the last is shown: backwards, with a set of names. */
static void supersede(Session *s) {
    size_t slots = 8;
    while (slots < 2 * s->pending_count) slots *= 2;
    const Str **seen = ARENA_ARRAY(s->scratch, slots, const Str *);
    for (size_t k = s->pending_count; k-- > 0;) {
        Pending *result = &s->pending[k];
        if (result->kind != PENDING_NAMED) continue;
        size_t at = result->name->hash & (slots - 1);
        while (seen[at] && seen[at] != result->name) at = (at + 1) & (slots - 1);
        result->superseded = seen[at] != NULL;
        seen[at] = result->name;
    }
}

void session_emit_pending(Session *s) {
    bool wrong = false;
    for (size_t k = 0; k < s->pending_count; k++) wrong |= s->pending[k].kind == PENDING_FAULT;
    if (!wrong) supersede(s);
    for (size_t k = 0; k < s->pending_count; k++)
        if (!s->pending[k].superseded) send(s, &s->pending[k]);
    s->pending_count = 0;
}

/* --- statements ------------------------------------------------------------------------- */

enum { STACK_MOST = 8 << 20 };

static size_t stack_limit(const Session *s) {
    struct rlimit limit;
    if (s->options.stack_limit) return s->options.stack_limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return STACK_MOST;
    return limit.rlim_cur / 2 < STACK_MOST ? limit.rlim_cur / 2 : STACK_MOST;
}

static bool begin(Session *s) {
    BudgetGuard guard;
    uintptr_t here = (uintptr_t)__builtin_frame_address(0), limit = stack_limit(s);
    s->floor = here > limit ? here - limit : 0;
    s->cancelled = false;
    s->mistakes = 0;
    s->pending = NULL;
    s->pending_count = s->pending_room = 0;
    arena_free(s->scratch);
    s->scratch = NULL;
    if (!BUDGET_ENTER(s->budget, &guard)) {
        report_stop(s);
        return false;
    }
    s->scratch = arena_new(s->budget);
    budget_leave(s->budget, &guard);
    return true;
}

/* After a stop: what was half done is forgotten, and its memory is given back. */
static void clean_up(Session *s) {
    forget_runs(s);
    eval_collect(s);
}

/* As session_enter, for what is inside already. */
static bool run_guarded(Session *s, bool (*run)(Session *s, void *context), void *context) {
    EvalCatch catch;
    BudgetGuard guard;
    eval_catch(s, &catch);
    if (!BUDGET_ENTER(s->budget, &guard)) {
        eval_restore(s, &catch);
        report_stop(s);
        clean_up(s);
        return false;
    }
    if (setjmp(catch.jump) == 0) {
        bool fine = run(s, context);
        budget_leave(s->budget, &guard);
        s->catch = catch.outer;
        return fine;
    }
    eval_restore(s, &catch);
    session_emit_fault(s, &s->fault);
    budget_leave(s->budget, &guard);
    return false;
}

bool session_enter(Session *s, bool (*run)(Session *s, void *context), void *context) {
    return begin(s) && run_guarded(s, run, context);
}

typedef struct Statement {
    const Ast *ast;
    SessionOutcome outcome;
} Statement;

static bool run_statement(Session *s, void *context) {
    Statement *statement = context;
    statement->outcome = eval_statement(s, statement->ast, true) ? SESSION_DONE : SESSION_EXIT;
    return true;
}

SessionOutcome session_run(Session *s, const Ast *ast) {
    Statement statement = {ast, SESSION_FAILED};
    if (run_guarded(s, run_statement, &statement)) return statement.outcome;
    remember_targets(s, ast);
    return SESSION_FAILED;
}
