#include "graph/op.h"

#include "base/bits.h"
#include "base/utf8.h"

#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 Wide;

static bool both_strings(const Atom *a) {
    return a[0].kind == ATOM_STRING && a[1].kind == ATOM_STRING;
}
static bool any_string(const Atom *a) {
    return a[0].kind == ATOM_STRING || a[1].kind == ATOM_STRING;
}
static bool both_integral(const Atom *a) {
    return atom_is_integral(a[0]) && atom_is_integral(a[1]);
}

static FaultId set_int(Atom *r, bool overflow, int64_t value) {
    *r = atom_int(value);
    return overflow ? FAULT_INT_OVERFLOW : FAULT_NONE;
}

static FaultId set_float(Atom *r, double value) {
    *r = atom_float(value);
    return FAULT_NONE;
}

static FaultId set_bool(Atom *r, bool value) {
    *r = atom_bool(value);
    return FAULT_NONE;
}

/* --- arithmetic ------------------------------------------------------------------------- */

static FaultId eval_add(const Atom *a, Intern *table, Atom *r) {
    if (both_strings(a)) {
        size_t length = (size_t)a[0].s->length + a[1].s->length;
        char *text = ARENA_BLOCK(intern_arena(table), length + 1, char);
        memcpy(text, a[0].s->text, a[0].s->length);
        memcpy(text + a[0].s->length, a[1].s->text, a[1].s->length);
        *r = atom_string(intern(table, text, length));
        arena_release(intern_arena(table), text);
        return FAULT_NONE;
    }
    if (any_string(a)) return a[0].kind == ATOM_STRING ? FAULT_CONCATENATION : FAULT_OPERANDS;
    if (!both_integral(a)) return set_float(r, atom_double(a[0]) + atom_double(a[1]));
    int64_t sum;
    bool overflow = __builtin_add_overflow(atom_integer(a[0]), atom_integer(a[1]), &sum);
    return set_int(r, overflow, sum);
}

static FaultId eval_sub(const Atom *a, Intern *table, Atom *r) {
    (void)table;
    if (any_string(a)) return FAULT_OPERANDS;
    if (!both_integral(a)) return set_float(r, atom_double(a[0]) - atom_double(a[1]));
    int64_t difference;
    bool overflow = __builtin_sub_overflow(atom_integer(a[0]), atom_integer(a[1]), &difference);
    return set_int(r, overflow, difference);
}

static FaultId repeat(const Str *s, Atom times, Intern *table, Atom *r) {
    if (!atom_is_integral(times)) return FAULT_REPEAT;
    int64_t count = atom_integer(times) > 0 ? atom_integer(times) : 0;
    if (s->length == 0) count = 0;
    char *text = arena_block(intern_arena(table), (size_t)count, s->length);
    size_t length = (size_t)count * s->length, made = count ? s->length : 0;
    memcpy(text, s->text, made);
    for (size_t more; made < length; made += more) { /* twice as much each time */
        more = made <= length - made ? made : length - made;
        memcpy(text + made, text, more);
    }
    *r = atom_string(intern(table, text, length));
    arena_release(intern_arena(table), text);
    return FAULT_NONE;
}

static FaultId eval_mul(const Atom *a, Intern *table, Atom *r) {
    if (a[0].kind == ATOM_STRING) return repeat(a[0].s, a[1], table, r);
    if (a[1].kind == ATOM_STRING) return repeat(a[1].s, a[0], table, r);
    if (!both_integral(a)) return set_float(r, atom_double(a[0]) * atom_double(a[1]));
    int64_t product;
    bool overflow = __builtin_mul_overflow(atom_integer(a[0]), atom_integer(a[1]), &product);
    return set_int(r, overflow, product);
}

static uint64_t magnitude(int64_t x) {
    return x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
}

/* a / b rounded once: enough quotient bits and a sticky one, then one conversion.  0 keeps the
 * sign that dividing doubles gives it. */
static double divide_ints(int64_t a, int64_t b) {
    uint64_t x = magnitude(a), y = magnitude(b);
    if (x == 0) return b < 0 ? -0.0 : 0;
    int shift = 56 + bit_length(y) - bit_length(x);
    if (shift < 0) shift = 0;
    Wide dividend = (Wide)x << shift;
    uint64_t quotient = (uint64_t)(dividend / y) | (dividend % y != 0);
    double value = ldexp((double)quotient, -shift);
    return (a < 0) != (b < 0) ? -value : value;
}

static FaultId eval_div(const Atom *a, Intern *table, Atom *r) {
    (void)table;
    if (any_string(a)) return FAULT_OPERANDS;
    if (both_integral(a)) {
        if (atom_integer(a[1]) == 0) return FAULT_DIVISION_BY_ZERO;
        return set_float(r, divide_ints(atom_integer(a[0]), atom_integer(a[1])));
    }
    if (atom_double(a[1]) == 0) return FAULT_FLOAT_DIVISION_BY_ZERO;
    return set_float(r, atom_double(a[0]) / atom_double(a[1]));
}

/* The result has the divisor's sign. */
static FaultId eval_mod(const Atom *a, Intern *table, Atom *r) {
    (void)table;
    if (a[0].kind == ATOM_STRING) return FAULT_FORMAT;
    if (a[1].kind == ATOM_STRING) return FAULT_OPERANDS;
    if (both_integral(a)) {
        int64_t x = atom_integer(a[0]), y = atom_integer(a[1]);
        if (y == 0) return FAULT_INT_MODULO_BY_ZERO;
        int64_t rest = y == -1 ? 0 : x % y;
        return set_int(r, false, rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest);
    }
    double x = atom_double(a[0]), y = atom_double(a[1]);
    if (y == 0) return FAULT_FLOAT_MODULO_BY_ZERO;
    double rest = fmod(x, y);
    if (rest == 0)
        rest = copysign(0, y);
    else if ((rest < 0) != (y < 0))
        rest += y;
    return set_float(r, rest);
}

static FaultId int_power(int64_t base, int64_t exponent, Atom *r) {
    int64_t result = 1;
    bool overflow = false, square_overflow = false;
    for (; exponent; exponent >>= 1) {
        if (exponent & 1)
            overflow |= square_overflow | __builtin_mul_overflow(result, base, &result);
        square_overflow |= __builtin_mul_overflow(base, base, &base);
    }
    return set_int(r, overflow, result);
}

static FaultId eval_pow(const Atom *a, Intern *table, Atom *r) {
    (void)table;
    if (any_string(a)) return FAULT_OPERANDS;
    if (both_integral(a) && atom_integer(a[1]) >= 0)
        return int_power(atom_integer(a[0]), atom_integer(a[1]), r);
    double x = atom_double(a[0]), y = atom_double(a[1]);
    if (x == 0 && y < 0) return FAULT_ZERO_TO_NEGATIVE;
    if (x < 0 && isfinite(x) && isfinite(y) && y != trunc(y)) return FAULT_COMPLEX_POWER;
    double value = pow(x, y);
    if (isinf(value) && isfinite(x) && isfinite(y)) return FAULT_POWER_OVERFLOW;
    return set_float(r, value);
}

static FaultId eval_neg(const Atom *a, Intern *table, Atom *r) {
    (void)table;
    if (a->kind == ATOM_STRING) return FAULT_UNARY;
    if (a->kind == ATOM_FLOAT) return set_float(r, -a->f);
    int64_t value;
    bool overflow = __builtin_sub_overflow(0, atom_integer(*a), &value);
    return set_int(r, overflow, value);
}

static FaultId eval_pos(const Atom *a, Intern *table, Atom *r) {
    (void)table;
    if (a->kind == ATOM_STRING) return FAULT_UNARY;
    if (a->kind == ATOM_FLOAT) return set_float(r, a->f);
    return set_int(r, false, atom_integer(*a));
}

/* Ties to even, under the default rounding mode. */
static FaultId eval_round(const Atom *a, Intern *table, Atom *r) {
    (void)table;
    if (a->kind == ATOM_STRING) return FAULT_FUNCTION;
    if (a->kind != ATOM_FLOAT) return set_int(r, false, atom_integer(*a));
    if (!isfinite(a->f)) return FAULT_ROUND_NOT_FINITE;
    double value = rint(a->f);
    bool overflow = !(value >= -0x1p63 && value < 0x1p63);
    return set_int(r, overflow, overflow ? 0 : (int64_t)value);
}

/* --- strings ---------------------------------------------------------------------------- */

static FaultId eval_len(const Atom *a, Intern *table, Atom *r) {
    (void)table;
    if (a->kind != ATOM_STRING) return FAULT_LENGTH;
    return set_int(r, false, a->s->chars);
}

size_t op_slice_place(int64_t at, size_t length) {
    if (at < 0) return at < -(int64_t)length ? 0 : length - (size_t)-at;
    return (uint64_t)at < length ? (size_t)at : length;
}

/* The byte at which character `place` begins. */
static const char *character(const Str *s, size_t place) {
    if (s->chars == s->length) return s->text + place;
    const char *at = s->text, *end = at + s->length;
    while (place--) at += utf8_step(at, (size_t)(end - at));
    return at;
}

static FaultId eval_slice(const Atom *a, Intern *table, Atom *r) {
    bool bounds = atom_is_integral(a[1]) && atom_is_integral(a[2]);
    if (a[0].kind != ATOM_STRING || !bounds) return FAULT_SLICE;
    size_t from = op_slice_place(atom_integer(a[1]), a[0].s->chars);
    size_t to = op_slice_place(atom_integer(a[2]), a[0].s->chars);
    const char *begin = character(a[0].s, from), *end = character(a[0].s, to);
    *r = atom_string(intern(table, begin, begin < end ? (size_t)(end - begin) : 0));
    return FAULT_NONE;
}

/* --- comparisons ------------------------------------------------------------------------ */

bool op_compare(OpId op, Atom a, Atom b) {
    static const unsigned outcome[] = {[ATOM_LESS] = OUTCOME_LESS,
                                       [ATOM_EQUAL] = OUTCOME_EQUAL,
                                       [ATOM_GREATER] = OUTCOME_GREATER,
                                       [ATOM_UNORDERED] = OUTCOME_UNORDERED};
    if (op == OP_EQ) return atom_equal(a, b); /* strings by pointer */
    if (op == OP_NE) return !atom_equal(a, b);
    AtomOrder order = atom_comparable(a, b) ? atom_order(a, b) : ATOM_UNORDERED;
    return (ops[op].holds & outcome[order]) != 0;
}

static FaultId compare(OpId op, const Atom *a, Atom *r) {
    if (!(ops[op].flags & OP_TOTAL) && !atom_comparable(a[0], a[1])) return FAULT_ORDER;
    return set_bool(r, op_compare(op, a[0], a[1]));
}

#define OP(...)
#define COMPARISON(id, ...)                                                                        \
    static FaultId compare_##id(const Atom *a, Intern *table, Atom *r) {                           \
        (void)table;                                                                               \
        return compare(OP_##id, a, r);                                                             \
    }
#include "base/op.def"

/* --- truth ------------------------------------------------------------------------------ */

static FaultId eval_and(const Atom *a, Intern *table, Atom *r) {
    (void)table;
    return set_bool(r, atom_truth(a[0]) && atom_truth(a[1]));
}

static FaultId eval_or(const Atom *a, Intern *table, Atom *r) {
    (void)table;
    return set_bool(r, atom_truth(a[0]) || atom_truth(a[1]));
}

static FaultId eval_not(const Atom *a, Intern *table, Atom *r) {
    (void)table;
    return set_bool(r, !atom_truth(*a));
}

static FaultId eval_indicator(const Atom *a, Intern *table, Atom *r) {
    (void)table;
    return set_int(r, false, atom_truth(*a));
}

static FaultId eval_if(const Atom *a, Intern *table, Atom *r) {
    (void)table;
    *r = atom_truth(a[0]) ? a[1] : a[2];
    return FAULT_NONE;
}

/* --- the table -------------------------------------------------------------------------- */

const Op ops[OP_COUNT] = {
#define OP(id, spelling, host, class, pattern, traits, function, doc)                              \
    [OP_##id] = {                                                                                  \
        spelling,         host, pattern, OP_ARITY_##class, traits,          OP_CLASS_##class,      \
        OP_LEVEL_##class, 0,    OP_##id, OP_##id,          eval_##function, doc},
#define COMPARISON(id, spelling, holds, traits, mirrored, negated, doc)                            \
    [OP_##id] = {spelling,                                                                         \
                 spelling,                                                                         \
                 "( $1 " spelling " $2 )",                                                         \
                 2,                                                                                \
                 (traits) | OP_COMPARES | OP_BOOLEAN,                                              \
                 OP_CLASS_COMPARISON,                                                              \
                 OP_LEVEL_COMPARISON,                                                              \
                 holds,                                                                            \
                 OP_##mirrored,                                                                    \
                 OP_##negated,                                                                     \
                 compare_##id,                                                                     \
                 doc},
#include "base/op.def"
};

Fault op_fault(OpId op, FaultId id, const Atom *args, Span span) {
    Fault fault = {.id = id, .span = span};
    bool unary = ops[op].arity == 1;
    Atom last = args[unary ? 0 : 1];
    /* A repetition names the operand that should have been the count. */
    if (id == FAULT_REPEAT && args[0].kind != ATOM_STRING) last = args[0];
    fault.arg[0] = ops[op].host_name;
    fault.arg[1] = atom_kind_name(args[0].kind);
    if (id == FAULT_ROUND_NOT_FINITE) fault.arg[1] = isnan(args[0].f) ? "NaN" : "infinity";
    fault.arg[2] = atom_kind_name(last.kind);
    fault.arg[3] = ops[op].spelling;
    return fault;
}
