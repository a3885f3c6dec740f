/* What base/builtin.def lists, and the library's intrinsic. */
#include "interp/eval/eval.h"

/* A function of the table evaluates its arguments and pushes the result. */
#define BUILTIN(id, spelling, arguments, function, ...) static EvalFunction function;
#include "base/builtin.def"

void eval_builtin(Session *s, const Ast *ast) {
    static EvalFunction *const functions[BUILTIN_COUNT] = {
#define BUILTIN(id, spelling, arguments, function, ...) [BUILTIN_##id] = function,
#include "base/builtin.def"
    };
    functions[ast->builtin](s, ast);
}

/* --- range ------------------------------------------------------------------------------ */

/* How many of start, start + step, … come before end. */
static uint64_t range_count(int64_t start, int64_t end, int64_t step) {
    if (step > 0 ? start >= end : start <= end) return 0;
    uint64_t span = step > 0 ? (uint64_t)end - (uint64_t)start : (uint64_t)start - (uint64_t)end;
    uint64_t stride = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
    return (span - 1) / stride + 1;
}

/* A range takes no memory, but what it stands for must fit: it may be printed or joined, and
 * a loop over more than that would not end today. */
static size_t fitting_count(Session *s, uint64_t count) {
    size_t bytes;
    if (__builtin_mul_overflow(count, sizeof(Value), &bytes)) bytes = SIZE_MAX;
    if (bytes > s->budget->limit - s->budget->used) {
        s->budget->wanted = bytes;
        budget_stop(s->budget, BUDGET_OUT_OF_MEMORY);
    }
    return (size_t)count;
}

static void eval_range(Session *s, const Ast *ast) {
    size_t base = s->top;
    bool integers = true;
    for (uint32_t k = 0; k < ast->count; k++) {
        eval(s, ast->child[k]);
        integers &= value_is_integral(eval_top(s, 0));
    }
    if (ast->count > 3) EVAL_FAIL(s, RANGE_COUNT, ast, eval_number(s, ast->count));
    if (!integers) {
        eval_push_list(s, base, ast);
        EVAL_FAIL(s, RANGE_INTS, ast, eval_quoted(s, eval_top(s, 0)));
    }
    int64_t number[3] = {0};
    for (uint32_t k = 0; k < ast->count; k++) number[k] = atom_integer(s->stack[base + k].atom);
    int64_t start = ast->count > 1 ? number[0] : 0, step = ast->count > 2 ? number[2] : 1;
    if (step == 0) EVAL_FAIL(s, RANGE_STEP, ast->child[2], NULL);
    uint64_t count = range_count(start, number[ast->count > 1], step);
    List *list = list_range(s->heap, start, step, fitting_count(s, count));
    eval_reduce(s, s->top - base, value_list(list));
}

/* --- zip and len ------------------------------------------------------------------------ */

static void check_lists(Session *s, const Ast *ast, const Value *lists) {
    for (uint32_t k = 0; k < ast->count; k++)
        if (lists[k].kind != VALUE_LIST)
            EVAL_FAIL(s, ZIP_LIST, ast->child[k], eval_number(s, k + 1), eval_quoted(s, lists[k]));
    for (uint32_t k = 1; k < ast->count; k++)
        if (lists[k].list->count != lists[0].list->count)
            EVAL_FAIL(s, ZIP_LENGTH, ast->child[k], eval_number(s, lists[0].list->count),
                      eval_number(s, k + 1), eval_number(s, lists[k].list->count));
}

static void eval_zip(Session *s, const Ast *ast) {
    size_t base = s->top;
    for (uint32_t k = 0; k < ast->count; k++) eval(s, ast->child[k]);
    check_lists(s, ast, s->stack + base);
    size_t count = s->stack[base].list->count, rows = s->top;
    for (size_t row = 0; row < count; row++) {
        size_t first = s->top;
        for (uint32_t k = 0; k < ast->count; k++)
            eval_push(s, list_at(s->stack[base + k].list, row));
        eval_push_list(s, first, ast);
    }
    eval_push_list(s, rows, ast);
    eval_reduce(s, s->top - base, eval_top(s, 0));
}

static void eval_len(Session *s, const Ast *ast) {
    eval(s, ast->child[0]);
    Value of = eval_top(s, 0);
    size_t count;
    bool ours = !s->options.strict && (value_is_string(of) || of.kind == VALUE_SOP);
    if (of.kind != VALUE_LIST && !ours) EVAL_FAIL(s, LEN, ast->child[0], eval_quoted(s, of));
    if (value_count(of, &count))
        eval_reduce(s, 1, value_atom(atom_int((int64_t)count)));
    else
        eval_map(s, OP_LEN, &of, ast);
}

/* --- _width(sel) ------------------------------------------------------------------------ */

Value eval_native(Session *s, const Function *function, const Value *args, const Ast *at) {
    (void)function; /* there is one */
    if (args[0].kind != VALUE_SELECTOR)
        EVAL_FAIL(s, SELECTOR_EXPECTED, at, eval_quoted(s, args[0]));
    NodeId node = graph_width(s->graph, args[0].object->node, eval_span(s, at));
    return value_object(s->heap, VALUE_SOP, node, intern_text(s->intern, "s-op"));
}

/* --- names with a value ----------------------------------------------------------------- */

static Value named_object(Session *s, const char *name, NodeId node) {
    return value_object(s->heap, VALUE_SOP, node, intern_text(s->intern, name));
}

static Value make_indices(Session *s) {
    return named_object(s, "indices", graph_indices(s->graph, SPAN_NONE));
}
static Value make_true(Session *s) {
    (void)s;
    return value_atom(atom_bool(true));
}
static Value make_false(Session *s) {
    (void)s;
    return value_atom(atom_bool(false));
}

static void define(Session *s, Scope *scope, const char *name, Value value) {
    scope_set(s->heap, scope, intern_text(s->intern, name), value);
}

static void define_tokens(Session *s) {
    static const char *const spelling[TOKENS_COUNT] = {
#define TOKENS(id, spelling, ...) [TOKENS_##id] = spelling,
#include "base/builtin.def"
    };
    for (TokenType type = 0; type < TOKENS_COUNT; type++) {
        NodeId node = graph_tokens(s->graph, type, SPAN_NONE);
        Value tokens = named_object(s, spelling[type], node);
        define(s, s->builtins, spelling[type], tokens);
        if (type != TOKENS_STR) continue;
        /* `tokens` is a variable of the library that holds the same object. */
        tokens.object->name = intern_text(s->intern, "tokens");
        define(s, s->start, "tokens", tokens);
    }
}

static void define_values(Session *s) {
    static const struct {
        const char *spelling;
        Value (*make)(Session *s);
    } values[] = {
#define VALUE(spelling, category, function, ...) {spelling, function},
#include "base/builtin.def"
    };
    for (size_t k = 0; k < sizeof values / sizeof *values; k++)
        define(s, s->builtins, values[k].spelling, values[k].make(s));
}

void builtin_define(Session *s) {
    define_tokens(s);
    define_values(s);
    s->reserved = ARENA_ARRAY(s->arena, word_count(), const Str *);
    for (size_t k = 0; k < word_count(); k++)
        if (word_at(k)->is_reserved)
            s->reserved[s->reserved_count++] = intern_text(s->intern, word_at(k)->name);
}
