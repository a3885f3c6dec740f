/* Lists, dicts and comprehensions. */
#include "interp/eval/eval.h"

void eval_push_list(Session *s, size_t base, const Ast *at) {
    List *list = list_new(s->heap, s->stack + base, s->top - base);
    if (!list) EVAL_FAIL(s, NESTING, at, eval_number(s, VALUE_NESTING));
    eval_reduce(s, s->top - base, value_list(list));
}

static void push_dict(Session *s, size_t base, const Ast *at) {
    Dict *dict = dict_new(s->heap, s->stack + base, (s->top - base) / 2);
    if (!dict) EVAL_FAIL(s, NESTING, at, eval_number(s, VALUE_NESTING));
    eval_reduce(s, s->top - base, value_dict(dict));
}

static void eval_key(Session *s, const Ast *ast) {
    eval(s, ast);
    Value key = eval_top(s, 0);
    if (key.kind != VALUE_ATOM) EVAL_FAIL(s, DICT_KEY, ast, eval_quoted(s, key));
}

void eval_list(Session *s, const Ast *ast) {
    size_t base = s->top;
    for (uint32_t k = 0; k < ast->count; k++) eval(s, ast->child[k]);
    eval_push_list(s, base, ast);
}

void eval_dict(Session *s, const Ast *ast) {
    size_t base = s->top;
    for (uint32_t k = 0; k < ast->count; k += 2) {
        eval_key(s, ast->child[k]);
        eval(s, ast->child[k + 1]);
    }
    push_dict(s, base, ast);
}

void eval_bind(Session *s, const Ast *names, Value element, const Ast *at) {
    size_t count;
    if (names->count == 1) {
        eval_set(s, s->scope, names->child[0]->text, element, names->child[0], false);
        return;
    }
    if (!value_count(element, &count)) EVAL_FAIL(s, ITERATE_SINGLE, at, eval_plain(s, element));
    if (count != names->count)
        EVAL_FAIL(s, ITERATE_COUNT, names, eval_number(s, names->count), eval_number(s, count),
                  eval_plain(s, element));
    for (uint32_t k = 0; k < names->count; k++)
        eval_set(s, s->scope, names->child[k]->text, value_element(element, k, s->intern),
                 names->child[k], false);
}

/* Strings are ours. */
bool eval_iterates(const Session *s, Value value) {
    return value.kind == VALUE_LIST || value.kind == VALUE_DICT ||
           (value_is_string(value) && !s->options.strict);
}

/* Runs `step` for each element of the source, with the names bound in a scope of their own;
 * what it pushes is collected. */
static void comprehend(Session *s, const Ast *ast, FaultId bad_source,
                       void (*step)(Session *s, const Ast *ast),
                       void (*finish)(Session *s, size_t base, const Ast *at)) {
    const Ast *names = ast->child[0], *from = ast->child[1];
    eval(s, from);
    Value source = eval_top(s, 0);
    if (!eval_iterates(s, source))
        eval_fail(s, bad_source, from, (const char *const[FAULT_ARGS]){eval_plain(s, source)});
    Scope *outer = s->scope;
    s->scope = eval_open_scope(s, outer, outer->label, outer->primes + 1);
    size_t base = s->top, count = 0;
    value_count(source, &count);
    for (size_t k = 0; k < count; k++) {
        eval_bind(s, names, value_element(source, k, s->intern), from);
        step(s, ast);
        eval_safe_point(s);
    }
    Scope *inner = s->scope;
    s->scope = outer;
    eval_close_scope(s, inner);
    finish(s, base, ast);
    eval_reduce(s, 2, eval_top(s, 0));
}

static void step_list(Session *s, const Ast *ast) {
    eval(s, ast->child[2]);
}

static void step_dict(Session *s, const Ast *ast) {
    eval_key(s, ast->child[2]);
    eval(s, ast->child[3]);
}

void eval_list_comprehension(Session *s, const Ast *ast) {
    comprehend(s, ast, FAULT_LIST_SOURCE, step_list, eval_push_list);
}

void eval_dict_comprehension(Session *s, const Ast *ast) {
    comprehend(s, ast, FAULT_DICT_SOURCE, step_dict, push_dict);
}
