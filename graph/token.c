#include "graph/token.h"

#include <math.h>

typedef FaultId Convert(Atom token, Intern *table, Atom *value);

static FaultId as_is(Atom token, Intern *table, Atom *value) {
    (void)table;
    *value = token;
    return FAULT_NONE;
}

static FaultId to_string(Atom token, Intern *table, Atom *value) {
    char text[64];
    if (token.kind == ATOM_STRING)
        *value = token;
    else
        *value = atom_string(intern(table, text, atom_text(token, ATOM_PLAIN, text, sizeof text)));
    return FAULT_NONE;
}

/* Is it written as an int, so that only its size can be what is wrong with it? */
static bool looks_like_int(const Str *s) {
    uint32_t at = s->length && (s->text[0] == '-' || s->text[0] == '+');
    if (at == s->length) return false;
    for (; at < s->length; at++)
        if (s->text[at] < '0' || s->text[at] > '9') return false;
    return true;
}

static FaultId to_int(Atom token, Intern *table, Atom *value) {
    (void)table;
    int64_t number = 0;
    if (token.kind == ATOM_STRING) {
        if (!read_int(token.s->text, token.s->length, &number))
            return looks_like_int(token.s) ? FAULT_INT_OVERFLOW : FAULT_NOT_AN_INT;
    } else if (token.kind == ATOM_FLOAT) {
        double whole = trunc(token.f);
        if (!(whole >= -0x1p63 && whole < 0x1p63)) return FAULT_INT_OVERFLOW;
        number = (int64_t)whole;
    } else
        number = atom_integer(token);
    *value = atom_int(number);
    return FAULT_NONE;
}

static FaultId to_float(Atom token, Intern *table, Atom *value) {
    (void)table;
    double number = 0;
    if (token.kind != ATOM_STRING)
        number = atom_double(token);
    else if (!read_float(token.s->text, token.s->length, &number))
        return FAULT_NOT_A_FLOAT;
    *value = atom_float(number);
    return FAULT_NONE;
}

static FaultId to_bool(Atom token, Intern *table, Atom *value) {
    (void)table;
    *value = atom_bool(atom_truth(token));
    return FAULT_NONE;
}

FaultId token_convert(TokenType type, Atom token, Intern *table, Atom *value) {
    static Convert *const converts[TOKENS_COUNT] = {
#define TOKENS(id, spelling, display, function, doc) [TOKENS_##id] = function,
#include "base/builtin.def"
    };
    return converts[type](token, table, value);
}
