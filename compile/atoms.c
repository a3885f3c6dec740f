#include "compile/atoms.h"

RtAtom atom_to_file(Atom a) {
    switch (a.kind) {
    case ATOM_BOOL:
        return rt_bool(a.b);
    case ATOM_INT:
        return rt_int(a.i);
    case ATOM_FLOAT:
        return rt_float(a.f);
    case ATOM_STRING:
        break;
    }
    return rt_string(a.s->text, a.s->length);
}

Atom atom_from_file(const RtAtom *a, Intern *table) {
    switch (a->kind) {
    case RT_INT:
        return atom_int(a->u.i);
    case RT_FLOAT:
        return atom_float(a->u.f);
    case RT_BOOL:
        return atom_bool(a->u.b);
    default:
        return atom_string(intern(table, a->u.s.bytes, a->u.s.length));
    }
}

bool atom_is_in_file(Atom a, const RtAtom *b) {
    RtAtom same = atom_to_file(a);
    return rt_atom_compare(&same, b) == 0;
}
