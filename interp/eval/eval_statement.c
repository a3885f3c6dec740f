/* Statements and REPL commands. */
#include "interp/eval/eval.h"

/* The object takes the name; in reports so does the node, unless it has a name of old. */
static void name_object(Session *s, Value value, const Str *name, Span at) {
    if (!value_is_graph(value)) return;
    value.object->name = name_assigned(s, name, value.kind);
    if (graph_node(s->graph, value.object->node)->arity > 0)
        graph_name(s->graph, value.object->node, name, at);
}

static void set_out(Session *s, Value value) {
    s->scope->out = value;
    s->scope->has_out = true;
}

/* --- expressions as statements ---------------------------------------------------------- */

static void finish_application(Session *s, bool top) {
    Value value = eval_top(s, 0), input = eval_top(s, 1);
    if (s->trying) {
        if (top) session_emit_applied(s, value, input);
        trial_pop(s);
    }
    s->top -= 2;
    set_out(s, input);
}

static bool run_expression(Session *s, const Ast *ast, bool top) {
    const Ast *expression = ast->child[0];
    if (expression->kind == AST_CALL) {
        if (eval_call_statement(s, expression)) {
            finish_application(s, top);
            return true;
        }
        if (s->trying && value_is_graph(eval_top(s, 0))) example_try(s, eval_top(s, 0), expression);
    } else {
        eval(s, expression);
    }
    Value value = eval_top(s, 0);
    set_out(s, value);
    s->top--;
    if (top) session_emit_named(s, expression->kind == AST_NAME ? expression->text : s->out, value);
    return true;
}

/* --- assignments ------------------------------------------------------------------------ */

static void assign(Session *s, const Ast *target, Value value) {
    eval_set(s, s->scope, target->text, value, target, true);
    name_object(s, value, target->text, target->span);
}

/* The value for the k-th of several names: an element of the one on the right. */
static Value part(Session *s, const Ast *names, uint32_t k) {
    Value value = eval_top(s, 0);
    return names->count == 1 ? value : value_element(value, k, s->intern);
}

static void check_parts(Session *s, const Ast *names) {
    Value value = eval_top(s, 0);
    size_t count;
    if (names->count == 1) return;
    if (!value_count(value, &count)) EVAL_FAIL(s, UNPACK_KIND, names, value_kind_name(value));
    if (count != names->count)
        EVAL_FAIL(s, UNPACK_COUNT, names, eval_number(s, names->count), eval_number(s, count));
}

static bool run_assignment(Session *s, const Ast *ast, bool top) {
    const Ast *names = ast->child[0], *values = ast->child[1];
    size_t base = s->top;
    for (uint32_t k = 0; k < values->count; k++) eval(s, values->child[k]);
    set_out(s, eval_top(s, 0));
    if (values->count != 1) eval_push_list(s, base, values);
    check_parts(s, names);
    for (uint32_t k = 0; k < names->count; k++) assign(s, names->child[k], part(s, names, k));
    for (uint32_t k = 0; top && k < names->count; k++)
        session_emit_named(s, names->child[k]->text, part(s, names, k));
    s->top = base;
    return true;
}

static bool run_def(Session *s, const Ast *ast, bool top) {
    Value value = value_function(function_new(s->heap, ast, s->scope));
    eval_set(s, s->scope, ast->text, value, ast, true);
    if (top) session_emit_named(s, ast->text, value);
    return true;
}

/* --- loops ------------------------------------------------------------------------------ */

static bool run_for(Session *s, const Ast *ast, bool top) {
    (void)top;
    const Ast *names = ast->child[0], *from = ast->child[1], *body = ast->child[2];
    eval(s, from);
    Value source = eval_top(s, 0);
    if (!eval_iterates(s, source)) EVAL_FAIL(s, FOR_SOURCE, from, eval_plain(s, source));
    set_out(s, source);
    size_t count = 0;
    value_count(source, &count);
    for (size_t k = 0; k < count; k++) {
        eval_bind(s, names, value_element(source, k, s->intern), from);
        for (uint32_t j = 0; j < body->count; j++) eval_statement(s, body->child[j], false);
        eval_safe_point(s);
    }
    s->top--;
    return true;
}

/* --- draw, load ------------------------------------------------------------------------- */

/* The input comes first, and the s-op is tried on it. */
static bool run_draw(Session *s, const Ast *ast, bool top) {
    if (ast->count > 1)
        eval(s, ast->child[1]);
    else
        eval_push(s, s->sop_example.value);
    if (s->trying) trial_push(s, eval_top(s, 0));
    eval(s, ast->child[0]);
    Value value = eval_top(s, 0), input = eval_top(s, 1);
    if (value.kind != VALUE_SOP) EVAL_FAIL(s, DRAW, ast->child[0], eval_plain(s, value));
    FaultId id = example_check(input);
    if (id != FAULT_NONE)
        eval_fail(s, id, ast, (const char *const[FAULT_ARGS]){eval_plain(s, input)});
    set_out(s, value);
    if (s->trying) {
        Fault fault;
        if (!example_runs(s, &s->trial->example, value, &fault)) eval_raise(s, &fault);
        session_emit_drawn(s, value, input, top);
        trial_pop(s);
    }
    s->top -= 2;
    return true;
}

static bool run_load(Session *s, const Ast *ast, bool top) {
    (void)top;
    eval_load(s, ast);
    return true;
}

/* --- commands --------------------------------------------------------------------------- */

static bool set_example(Session *s, const Ast *ast, bool top) {
    (void)top;
    eval(s, ast->child[0]);
    Value value = eval_top(s, 0);
    set_out(s, value);
    if (value.kind != VALUE_LIST && !value_is_string(value))
        EVAL_FAIL(s, EXAMPLE, ast->child[0], eval_plain(s, value));
    if (example_check(value) == FAULT_INPUT_ELEMENTS)
        EVAL_FAIL(s, INPUT_ELEMENTS, ast->child[0], eval_plain(s, value));
    if (ast->target != AST_SELECTOR) example_set(&s->sop_example, value);
    if (ast->target != AST_SOP) example_set(&s->selector_example, value);
    s->top--;
    return true;
}

static bool show_example(Session *s, const Ast *ast, bool top) {
    (void)top;
    session_emit_example(s, ast->target);
    return true;
}

static bool switch_examples(Session *s, const Ast *ast, bool top) {
    (void)top;
    if (ast->target != AST_SELECTOR) s->show_sops = ast->on;
    if (ast->target != AST_SOP) s->show_selectors = ast->on;
    return true;
}

static bool switch_display(Session *s, const Ast *ast, bool top) {
    (void)top;
    s->full_display = ast->on;
    return true;
}

static bool leave(Session *s, const Ast *ast, bool top) {
    (void)s, (void)ast, (void)top;
    return false;
}

bool eval_statement(Session *s, const Ast *ast, bool top) {
    static bool (*const run[AST_KIND_COUNT])(Session * s, const Ast *ast, bool top) = {
        [AST_EVALUATE] = run_expression,
        [AST_ASSIGN] = run_assignment,
        [AST_DRAW] = run_draw,
        [AST_LOAD] = run_load,
        [AST_DEF] = run_def,
        [AST_FOR] = run_for,
        [AST_SET_EXAMPLE] = set_example,
        [AST_SHOW_EXAMPLE] = show_example,
        [AST_EXAMPLES] = switch_examples,
        [AST_FULL_DISPLAY] = switch_display,
        [AST_EXIT] = leave,
    };
    eval_check_stack(s, ast);
    return run[ast->kind](s, ast, top);
}
