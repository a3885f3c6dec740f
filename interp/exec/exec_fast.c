/* Elementwise operators on plain columns: one loop a form, instead of an operator call an
 * atom.  A loop that meets what it cannot do (an overflow, a zero divisor, an int that no
 * double holds) gives up, and exec_map.c goes over the column atom by atom, which also finds
 * the first position that fails. */
#include "base/parallel.h"
#include "interp/exec/exec_run.h"

#include <math.h>
#include <stdatomic.h>

typedef struct Operand {
    const void *data;
    size_t step; /* 0: a constant */
} Operand;

typedef const Str *Text;

/* to[i] = x[i] op y[i] for i from begin to end - 1; false: give up. */
typedef bool Kernel(const Operand *x, const Operand *y, void *to, size_t begin, size_t end);

/* In the statement: p and q, the operands; to[i], the result; bad, set to give up. */
#define KERNEL(name, From, To, statement)                                                          \
    static bool name(const Operand *x, const Operand *y, void *result, size_t begin, size_t end) { \
        From const *xs = x->data, *ys = y->data;                                                   \
        To *to = result;                                                                           \
        bool bad = false;                                                                          \
        for (size_t i = begin; i < end; i++) {                                                     \
            From p = xs[i * x->step], q = ys[i * y->step];                                         \
            statement;                                                                             \
        }                                                                                          \
        return !bad;                                                                               \
    }

/* Ints up to 2^53 are doubles, and their quotient is rounded once. */
static bool is_exact(int64_t value) {
    return value >= -(1ll << 53) && value <= 1ll << 53;
}

static int64_t modulo(int64_t p, int64_t q) {
    int64_t rest = q == -1 ? 0 : p % q;
    return rest != 0 && (rest < 0) != (q < 0) ? rest + q : rest;
}

KERNEL(add_ints, int64_t, int64_t, bad |= __builtin_add_overflow(p, q, &to[i]))
KERNEL(sub_ints, int64_t, int64_t, bad |= __builtin_sub_overflow(p, q, &to[i]))
KERNEL(mul_ints, int64_t, int64_t, bad |= __builtin_mul_overflow(p, q, &to[i]))
KERNEL(mod_ints, int64_t, int64_t, bad |= q == 0; to[i] = modulo(p, q == 0 ? 1 : q))
KERNEL(div_ints, int64_t, double, bad |= q == 0 || !is_exact(p) || !is_exact(q);
       to[i] = (double)p / (double)(q == 0 ? 1 : q))
KERNEL(add_floats, double, double, to[i] = p + q)
KERNEL(sub_floats, double, double, to[i] = p - q)
KERNEL(mul_floats, double, double, to[i] = p * q)
KERNEL(div_floats, double, double, bad |= q == 0; to[i] = p / q)

#define COMPARISON(name, op)                                                                       \
    KERNEL(name##_ints, int64_t, uint8_t, to[i] = p op q)                                          \
    KERNEL(name##_floats, double, uint8_t, to[i] = p op q)
COMPARISON(eq, ==)
COMPARISON(ne, !=)
COMPARISON(lt, <)
COMPARISON(le, <=)
COMPARISON(gt, >)
COMPARISON(ge, >=)

KERNEL(eq_strings, Text, uint8_t, to[i] = p == q)
KERNEL(ne_strings, Text, uint8_t, to[i] = p != q)
KERNEL(lt_strings, Text, uint8_t, to[i] = str_compare(p, q) < 0)
KERNEL(le_strings, Text, uint8_t, to[i] = str_compare(p, q) <= 0)
KERNEL(gt_strings, Text, uint8_t, to[i] = str_compare(p, q) > 0)
KERNEL(ge_strings, Text, uint8_t, to[i] = str_compare(p, q) >= 0)

/* Operands of truth are bools by then. */
KERNEL(and_bools, uint8_t, uint8_t, to[i] = p & q)
KERNEL(or_bools, uint8_t, uint8_t, to[i] = p | q)
KERNEL(not_bools, uint8_t, uint8_t, (void)q; to[i] = !p)
KERNEL(indicate_bools, uint8_t, int64_t, (void)q; to[i] = p)
KERNEL(neg_ints, int64_t, int64_t, (void)q; bad |= __builtin_sub_overflow(0, p, &to[i]))
KERNEL(neg_floats, double, double, (void)q; to[i] = -p)

/* By operator and what the operands are taken as; ints become floats beside floats. */
enum { AS_INTS, AS_FLOATS, AS_STRINGS, AS_BOOLS, AS_COUNT };

static const struct {
    Kernel *kernel;
    ColumnForm form; /* of the result */
} kernels[OP_COUNT][AS_COUNT] = {
    [OP_ADD] = {{add_ints, COLUMN_INT}, {add_floats, COLUMN_FLOAT}},
    [OP_SUB] = {{sub_ints, COLUMN_INT}, {sub_floats, COLUMN_FLOAT}},
    [OP_MUL] = {{mul_ints, COLUMN_INT}, {mul_floats, COLUMN_FLOAT}},
    [OP_DIV] = {{div_ints, COLUMN_FLOAT}, {div_floats, COLUMN_FLOAT}},
    [OP_MOD] = {{mod_ints, COLUMN_INT}},
    [OP_EQ] = {{eq_ints, COLUMN_BOOL}, {eq_floats, COLUMN_BOOL}, {eq_strings, COLUMN_BOOL}},
    [OP_NE] = {{ne_ints, COLUMN_BOOL}, {ne_floats, COLUMN_BOOL}, {ne_strings, COLUMN_BOOL}},
    [OP_LT] = {{lt_ints, COLUMN_BOOL}, {lt_floats, COLUMN_BOOL}, {lt_strings, COLUMN_BOOL}},
    [OP_LE] = {{le_ints, COLUMN_BOOL}, {le_floats, COLUMN_BOOL}, {le_strings, COLUMN_BOOL}},
    [OP_GT] = {{gt_ints, COLUMN_BOOL}, {gt_floats, COLUMN_BOOL}, {gt_strings, COLUMN_BOOL}},
    [OP_GE] = {{ge_ints, COLUMN_BOOL}, {ge_floats, COLUMN_BOOL}, {ge_strings, COLUMN_BOOL}},
    [OP_AND] = {[AS_BOOLS] = {and_bools, COLUMN_BOOL}},
    [OP_OR] = {[AS_BOOLS] = {or_bools, COLUMN_BOOL}},
    [OP_NOT] = {[AS_BOOLS] = {not_bools, COLUMN_BOOL}},
    [OP_INDICATOR] = {[AS_BOOLS] = {indicate_bools, COLUMN_INT}},
    [OP_NEG] = {{neg_ints, COLUMN_INT}, {neg_floats, COLUMN_FLOAT}},
};

/* --- operands in one form -------------------------------------------------------------------- */

static size_t stored(const Column *column) {
    return column->constant ? 1 : column->length;
}

static Operand plain(const Column *column) {
    return (Operand){.data = column->data, .step = !column->constant};
}

static Operand bools_as_ints(Exec *exec, const Column *column, void **temporary) {
    int64_t *ints = *temporary = ARENA_BLOCK(exec->arena, stored(column), int64_t);
    for (size_t i = 0; i < stored(column); i++) ints[i] = column->bools[i];
    return (Operand){.data = ints, .step = !column->constant};
}

/* `exact`: false if an int was rounded, which a comparison must not do. */
static Operand as_floats(Exec *exec, const Column *column, void **temporary, bool *exact) {
    if (column->form == COLUMN_FLOAT) return plain(column);
    double *floats = *temporary = ARENA_BLOCK(exec->arena, stored(column), double);
    for (size_t i = 0; i < stored(column); i++) {
        Atom value = column_at(column, i);
        *exact = *exact && (value.kind == ATOM_FLOAT || is_exact(atom_integer(value)));
        floats[i] = atom_double(value);
    }
    return (Operand){.data = floats, .step = !column->constant};
}

static Operand as_truths(Exec *exec, const Column *column, void **temporary) {
    if (column->form == COLUMN_BOOL) return plain(column);
    uint8_t *truths = *temporary = ARENA_BLOCK(exec->arena, stored(column), uint8_t);
    for (size_t i = 0; i < stored(column); i++) truths[i] = atom_truth(column_at(column, i));
    return (Operand){.data = truths, .step = !column->constant};
}

static int form_of_operands(OpId op, const Column *const *args, int arity) {
    if (kernels[op][AS_BOOLS].kernel) return AS_BOOLS;
    int as = AS_INTS;
    bool strings = true, numbers = true;
    for (int k = 0; k < arity; k++) {
        bool mixed =
            args[k]->form == COLUMN_ATOM; /* numbers: what differs is their result's kind */
        if (mixed && !(ops[op].flags & OP_COMPARES)) return AS_COUNT;
        strings = strings && args[k]->form == COLUMN_STRING;
        numbers = numbers && args[k]->form != COLUMN_STRING;
        if (mixed || args[k]->form == COLUMN_FLOAT) as = AS_FLOATS;
    }
    return strings ? AS_STRINGS : numbers ? as : AS_COUNT;
}

static Operand make_operand(Exec *exec, const Column *column, int as, void **temporary,
                            bool *exact) {
    if (as == AS_FLOATS) return as_floats(exec, column, temporary, exact);
    if (as == AS_BOOLS) return as_truths(exec, column, temporary);
    if (as == AS_INTS && column->form == COLUMN_BOOL) return bools_as_ints(exec, column, temporary);
    return plain(column);
}

typedef struct Pieces {
    Kernel *kernel;
    const Operand *operand;
    Column *to;
    atomic_bool bad;
} Pieces;

static void run_range(void *context, size_t begin, size_t end) {
    Pieces *p = context;
    if (!p->kernel(&p->operand[0], &p->operand[1], p->to->data, begin, end))
        atomic_store(&p->bad, true);
}

static bool run_pieces(Exec *exec, Kernel *kernel, const Operand *operand, Column *to) {
    Pieces pieces = {kernel, operand, to, false};
    parallel_ranges(to->length, exec_threads(exec), run_range, &pieces);
    return !pieces.bad;
}

static Column *run_kernel(Exec *exec, OpId op, const Column *const *args) {
    int as = form_of_operands(op, args, ops[op].arity);
    if (as == AS_COUNT || !kernels[op][as].kernel) return NULL;
    void *temporary[2] = {NULL, NULL};
    bool exact = true;
    Operand operand[2];
    for (int k = 0; k < ops[op].arity; k++)
        operand[k] = make_operand(exec, args[k], as, &temporary[k], &exact);
    if (ops[op].arity == 1) operand[1] = operand[0];
    Column *column = NULL;
    if (exact || !(ops[op].flags & OP_COMPARES)) {
        column = column_new(exec->arena, kernels[op][as].form, exec->input.length);
        if (!run_pieces(exec, kernels[op][as].kernel, operand, column)) {
            column_free(exec->arena, column);
            column = NULL;
        }
    }
    for (int k = 0; k < 2; k++) arena_release(exec->arena, temporary[k]);
    return column;
}

/* --- a if c else b -----------------------------------------------------------------------------
 */

#define CHOOSE(name, Type, member)                                                                 \
    static void name(const Operand *c, const Column *a, const Column *b, Column *to) {             \
        const uint8_t *truth = c->data;                                                            \
        size_t a_step = !a->constant, b_step = !b->constant;                                       \
        for (size_t i = 0; i < to->length; i++) {                                                  \
            Type p = a->member[i * a_step], q = b->member[i * b_step];                             \
            to->member[i] = truth[i * c->step] ? p : q;                                            \
        }                                                                                          \
    }
CHOOSE(choose_bools, uint8_t, bools)
CHOOSE(choose_ints, int64_t, ints)
CHOOSE(choose_floats, double, floats)
CHOOSE(choose_strings, Text, strings)

static Column *choose(Exec *exec, const Column *const *args) {
    typedef void Choose(const Operand *c, const Column *a, const Column *b, Column *to);
    static Choose *const by_form[] = {[COLUMN_BOOL] = choose_bools,
                                      [COLUMN_INT] = choose_ints,
                                      [COLUMN_FLOAT] = choose_floats,
                                      [COLUMN_STRING] = choose_strings,
                                      [COLUMN_ATOM] = NULL};
    ColumnForm form = args[1]->form;
    if (form != args[2]->form || !by_form[form]) return NULL;
    void *temporary = NULL;
    Operand condition = as_truths(exec, args[0], &temporary);
    Column *column = column_new(exec->arena, form, exec->input.length);
    by_form[form](&condition, args[1], args[2], column);
    arena_release(exec->arena, temporary);
    return column;
}

Column *exec_fast_map(Exec *exec, OpId op, const Column *const *args) {
    return op == OP_IF ? choose(exec, args) : run_kernel(exec, op, args);
}
