/* Calls of functions, and applications of s-ops and selectors to an input. */
#include "interp/eval/eval.h"

/* --- functions -------------------------------------------------------------------------- */

static void bind_parameters(Session *s, const Function *function, size_t base) {
    const Ast *parameters = function->def->child[0];
    for (uint32_t k = 0; k < function->arity; k++) {
        const Ast *parameter = parameters->child[k];
        eval_set(s, s->scope, parameter->text, s->stack[base + k], parameter, false);
    }
}

/* Runs the body and pushes the result. */
static void run_body(Session *s, const Function *function) {
    const Ast *body = function->def->child[1], *result = function->def->child[2];
    for (uint32_t k = 0; k < body->count; k++) eval_statement(s, body->child[k], false);
    size_t base = s->top;
    for (uint32_t k = 0; k < result->count; k++) eval(s, result->child[k]);
    if (result->count != 1) eval_push_list(s, base, result);
}

/* The arguments are on the stack from `base` on.  An example that is no input has no part in
 * the body: there, the running one counts. */
static void run_function(Session *s, const Function *function, size_t base, const Ast *at) {
    Frame frame = {.call = {.outer = s->frames ? &s->frames->call : NULL,
                            .function = function->name->text,
                            .span = at->mark},
                   .caller = s->scope,
                   .outer = s->frames};
    Trial *trial = s->trial;
    s->frames = &frame;
    if (trial && !trial->is_input) s->trial = NULL;
    s->scope =
        eval_open_scope(s, function->scope, function->scope->label, function->scope->primes + 1);
    bind_parameters(s, function, base);
    eval_safe_point(s);
    run_body(s, function);
    Scope *scope = s->scope;
    s->scope = frame.caller;
    s->frames = frame.outer;
    s->trial = trial;
    eval_close_scope(s, scope);
}

/* "(a, b)", or nothing. */
static const char *parameters_text(Session *s, const Function *function) {
    const Ast *parameters = function->def ? function->def->child[0] : NULL;
    const char *text = "";
    for (uint32_t k = 0; parameters && k < parameters->count; k++)
        text = arena_format(s->scratch, "%s%s%s", text, k ? ", " : "(",
                            parameters->child[k]->text->text);
    return *text ? arena_format(s->scratch, "%s)", text) : "";
}

/* Calls with `count` arguments on the stack from `base` on and pushes the result. */
static void call(Session *s, const Function *function, size_t base, size_t count, const Ast *at) {
    if (count != function->arity)
        EVAL_FAIL(s, ARGUMENTS, at, function->name->text, eval_number(s, function->arity),
                  eval_number(s, count), parameters_text(s, function));
    if (function->native)
        eval_push(s, eval_native(s, function, s->stack + base, at));
    else
        run_function(s, function, base, at);
    Value result = eval_top(s, 0);
    if (value_is_graph(result))
        result.object->name = name_call(s, function, s->stack + base, result.kind);
}

/* --- applications ----------------------------------------------------------------------- */

/* What it is that stands before the parenthesis; an s-op may have the name of a function. */
static const char *applied_text(Session *s, Value value, const Ast *at) {
    const char *kind = value.kind == VALUE_SOP ? "an s-op" : "a selector";
    const Ast *part = at->child[0];
    if (part->kind != AST_NAME) return arena_format(s->scratch, "this is %s, not a function", kind);
    const Value *hidden = scope_lookup(s->start, part->text);
    bool hides = hidden && hidden->kind == VALUE_FUNCTION;
    return arena_format(s->scratch, "'%s' is %s, not %s", part->text->text, kind,
                        hides ? "the library's function, which it hides" : "a function");
}

static const char *found_text(Session *s, Value value) {
    const char *text = eval_quoted(s, value);
    if (!value_is_graph(value)) return text;
    return arena_format(s->scratch, "the %s '%s'", value.kind == VALUE_SOP ? "s-op" : "selector",
                        text);
}

static void apply(Session *s, Value value, Value input, const Ast *at) {
    FaultId id = example_check(input);
    if (id == FAULT_EMPTY_INPUT)
        EVAL_FAIL(s, APPLY_INPUT, at, eval_plain(s, input), applied_text(s, value, at),
                  found_text(s, input));
    if (id != FAULT_NONE)
        eval_fail(s, id, at, (const char *const[FAULT_ARGS]){eval_plain(s, input)});
    if (!s->trying) return;
    Fault fault;
    if (!example_runs(s, &s->trial->example, value, &fault)) eval_raise(s, &fault);
}

/* --- the expression f(…) ---------------------------------------------------------------- */

static bool names_function(const Session *s, const Ast *part) {
    if (part->kind != AST_NAME) return false;
    const Value *value = scope_lookup(s->scope, part->text);
    return value && value->kind == VALUE_FUNCTION;
}

/* What cannot be called with so many arguments says so before they are evaluated. */
static void check_callable(Session *s, const Ast *ast, Value function) {
    size_t count = ast->count - 1;
    if (value_is_graph(function)) {
        if (count != 1)
            EVAL_FAIL(s, APPLY_ARGUMENTS, ast, eval_number(s, count),
                      applied_text(s, function, ast));
    } else if (function.kind != VALUE_FUNCTION) {
        EVAL_FAIL(s, NOT_CALLABLE, ast, eval_quoted(s, function));
    }
}

/* With one argument, that comes first, and the function part is tried on it (language.md
 * 7.5).  Leaves [function, arguments …] or [argument, function] on the stack; gives the
 * place of the function. */
static size_t push_parts(Session *s, const Ast *ast) {
    size_t base = s->top;
    if (ast->count != 2) {
        eval(s, ast->child[0]);
        check_callable(s, ast, eval_top(s, 0));
        for (uint32_t k = 1; k < ast->count; k++) eval(s, ast->child[k]);
        return base;
    }
    eval(s, ast->child[1]);
    if (s->trying && !names_function(s, ast->child[0])) trial_push(s, eval_top(s, 0));
    eval(s, ast->child[0]);
    check_callable(s, ast, eval_top(s, 0));
    return base + 1;
}

/* The values from `base` on become the result, or of an application (true) [input, applied
 * value]. */
static bool finish(Session *s, const Ast *ast, size_t base, size_t function_at) {
    Value function = s->stack[function_at];
    size_t count = ast->count - 1, first = function_at == base ? base + 1 : base;
    if (value_is_graph(function)) {
        apply(s, function, s->stack[first], ast);
        return true;
    }
    call(s, function.function, first, count, ast);
    eval_reduce(s, s->top - base, eval_top(s, 0));
    return false;
}

bool eval_call_statement(Session *s, const Ast *ast) {
    size_t base = s->top;
    Trial *trials = s->trials;
    size_t function_at = push_parts(s, ast);
    if (!value_is_graph(s->stack[function_at]))
        while (s->trials != trials) trial_pop(s);
    return finish(s, ast, base, function_at);
}

void eval_call(Session *s, const Ast *ast) {
    if (!eval_call_statement(s, ast)) return;
    EVAL_FAIL(s, APPLICATION_RESULT, ast, eval_quoted(s, eval_top(s, 0)));
}
