/* range, zip, len, and the library's intrinsic. */
#include "interp/eval/eval.h"

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

void eval_range(Session *s, const Ast *ast) {
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

void eval_zip(Session *s, const Ast *ast) {
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

void eval_len(Session *s, const Ast *ast) {
    eval(s, ast->child[0]);
    Value list = eval_top(s, 0);
    if (list.kind != VALUE_LIST) EVAL_FAIL(s, LEN, ast->child[0], eval_quoted(s, list));
    eval_reduce(s, 1, value_atom(atom_int((int64_t)list.list->count)));
}

/* --- _width(sel) ------------------------------------------------------------------------ */

Value eval_native(Session *s, const Function *function, const Value *args, const Ast *at) {
    (void)function; /* there is one */
    if (args[0].kind != VALUE_SELECTOR)
        EVAL_FAIL(s, SELECTOR_EXPECTED, at, eval_quoted(s, args[0]));
    NodeId node = graph_width(s->graph, args[0].object->node, eval_span(s, at));
    return value_object(s->heap, VALUE_SOP, node, intern_text(s->intern, "s-op"));
}
