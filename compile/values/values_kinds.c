/* What is known of an s-op's values as such: their kinds, and what they depend on. */
#include "compile/values/numbers.h"
#include "compile/values/values_private.h"

KindBits kind_bit(Atom value) {
    switch (value.kind) {
    case ATOM_BOOL:
        return IS_BOOL;
    case ATOM_INT:
        return IS_INT;
    case ATOM_FLOAT:
        return value.f == 0 && signbit(value.f) ? IS_NEGATIVE_ZERO : IS_FLOAT;
    case ATOM_STRING:
        break;
    }
    return IS_STRING;
}

Atom kind_variant(Atom level, KindBits kind) {
    switch (kind) {
    case IS_BOOL:
        return atom_bool(atom_double(level) != 0);
    case IS_INT:
        return level.kind == ATOM_FLOAT ? atom_int((int64_t)level.f)
                                        : atom_int(atom_integer(level));
    case IS_FLOAT:
        return atom_float(atom_double(level) + 0.0);
    case IS_NEGATIVE_ZERO:
        return atom_float(-0.0);
    case IS_STRING:
        break;
    }
    return level;
}

bool values_single_kinds(const NodeValues *v) {
    for (uint32_t k = 0; k < v->count; k++)
        if (!kind_is_single(v->kinds[k])) return false;
    return true;
}

/* --- functions of position or length ---------------------------------------------------- */

bool values_numeric(const NodeValues *v) {
    for (uint32_t k = 0; k < v->count; k++)
        if (!number_is_exact(v->levels[k])) return false;
    return true;
}

bool values_of_input(Values *values, NodeId node) {
    const NodeValues *v = values_of(values, node);
    if (!v || v->source_count != 1) return v && v->source_count == 0;
    return v->sources[0] == values->tokens || v->sources[0] == values->indices;
}

bool values_by_position(Values *values, NodeId node) {
    const NodeValues *v = values_of(values, node);
    if (!v) return false;
    for (uint32_t i = 0; i < values->domain->max_length; i++) {
        uint32_t only = UINT32_MAX;
        for (uint32_t n = i + 1; n <= values->domain->max_length; n++) {
            uint32_t count;
            const uint32_t *member = sets_get(values->sets, v->sets[context_of(n, i)], &count);
            if (count == 0) continue;
            if (count > 1 || (only != UINT32_MAX && only != member[0])) return false;
            only = member[0];
        }
    }
    return true;
}
