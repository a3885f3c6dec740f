/* Atoms and sequences: those of the library as the public ones, and the way back. */
#include "api/value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

RaspAtom atom_out(Atom atom) {
    switch (atom.kind) {
    case ATOM_BOOL:
        return rasp_bool(atom.b);
    case ATOM_INT:
        return rasp_int(atom.i);
    case ATOM_FLOAT:
        return rasp_float(atom.f);
    case ATOM_STRING:
        break;
    }
    return (RaspAtom){RASP_STRING, {.s = {atom.s->text, atom.s->length}}};
}

Atom atom_in(RaspAtom atom, Intern *table) {
    switch (atom.kind) {
    case RASP_BOOL:
        return atom_bool(atom.as.b);
    case RASP_INT:
        return atom_int(atom.as.i);
    case RASP_FLOAT:
        return atom_float(atom.as.f);
    case RASP_STRING:
        break;
    }
    return atom_string(intern(table, atom.as.s.text, atom.as.s.length));
}

RtAtom atom_to_runtime(RaspAtom atom) {
    switch (atom.kind) {
    case RASP_BOOL:
        return rt_bool(atom.as.b);
    case RASP_INT:
        return rt_int(atom.as.i);
    case RASP_FLOAT:
        return rt_float(atom.as.f);
    case RASP_STRING:
        break;
    }
    return rt_string(atom.as.s.text, atom.as.s.length);
}

RaspAtom atom_from_runtime(const RtAtom *atom) {
    switch (atom->kind) {
    case RT_BOOL:
        return rasp_bool(atom->u.b);
    case RT_INT:
        return rasp_int(atom->u.i);
    case RT_FLOAT:
        return rasp_float(atom->u.f);
    default:
        return (RaspAtom){RASP_STRING, {.s = {atom->u.s.bytes, atom->u.s.length}}};
    }
}

/* --- the public ones -------------------------------------------------------------------- */

RaspAtom rasp_bool(bool b) {
    return (RaspAtom){RASP_BOOL, {.b = b}};
}

RaspAtom rasp_int(int64_t i) {
    return (RaspAtom){RASP_INT, {.i = i}};
}

RaspAtom rasp_float(double f) {
    return (RaspAtom){RASP_FLOAT, {.f = f}};
}

RaspAtom rasp_string(const char *text) {
    return (RaspAtom){RASP_STRING, {.s = {text, strlen(text)}}};
}

static bool same_text(RaspAtom a, RaspAtom b) {
    return a.as.s.length == b.as.s.length && memcmp(a.as.s.text, b.as.s.text, a.as.s.length) == 0;
}

static Atom number(RaspAtom atom) {
    return atom_in(atom, NULL);
}

bool rasp_atom_same(RaspAtom a, RaspAtom b) {
    if (a.kind != b.kind) return false;
    return a.kind == RASP_STRING ? same_text(a, b) : atom_same(number(a), number(b));
}

bool rasp_atom_equal(RaspAtom a, RaspAtom b) {
    if ((a.kind == RASP_STRING) != (b.kind == RASP_STRING)) return false;
    return a.kind == RASP_STRING ? same_text(a, b) : atom_equal(number(a), number(b));
}

size_t rasp_atom_text(RaspAtom atom, RaspStyle style, char *text, size_t size) {
    static const AtomStyle styles[] = {[RASP_PLAIN] = ATOM_PLAIN,
                                       [RASP_QUOTED] = ATOM_QUOTED,
                                       [RASP_LISTED] = ATOM_LISTED,
                                       [RASP_CELL] = ATOM_CELL,
                                       [RASP_JSON] = ATOM_JSON};
    if (atom.kind == RASP_STRING)
        return string_text(atom.as.s.text, atom.as.s.length, styles[style], text, size);
    return atom_text(number(atom), styles[style], text, size);
}

double rasp_round(double value, int decimals) {
    return float_round(value, decimals);
}

/* --- sequences -------------------------------------------------------------------------- */

const char *rasp_type_name(RaspType type) {
    static const SequenceType types[] = {[RASP_STRINGS] = SEQUENCE_STRING,
                                         [RASP_BOOLS] = SEQUENCE_BOOL,
                                         [RASP_INTS] = SEQUENCE_INT,
                                         [RASP_FLOATS] = SEQUENCE_FLOAT};
    return sequence_type_name(types[type]);
}

static RaspType type_out(SequenceType type) {
    static const RaspType types[] = {[SEQUENCE_STRING] = RASP_STRINGS,
                                     [SEQUENCE_BOOL] = RASP_BOOLS,
                                     [SEQUENCE_INT] = RASP_INTS,
                                     [SEQUENCE_FLOAT] = RASP_FLOATS};
    return types[type];
}

RaspSequence sequence_of_column(const Column *column) {
    return sequence_of_part(column, 0, column->length);
}

/* Of ints and floats some parts may be ints. */
static RaspType type_of_part(const RaspSequence *s) {
    unsigned kinds = 0;
    SequenceType type = SEQUENCE_FLOAT;
    for (size_t i = 0; i < s->length; i++) kinds |= 1u << column_at(s->column, s->first + i).kind;
    sequence_type_of(kinds, &type);
    return type_out(type);
}

RaspSequence sequence_of_part(const Column *column, size_t first, size_t length) {
    RaspSequence s = {
        .type = type_out(column->type), .length = length, .column = column, .first = first};
    if (column->form == COLUMN_ATOM && length < column->length) s.type = type_of_part(&s);
    return s;
}

RaspSequence sequence_of_tokens(const Atom *tokens, size_t length) {
    return (RaspSequence){.type = RASP_STRINGS, .length = length, .tokens = tokens};
}

RaspSequence sequence_of_atoms(const RaspAtom *atoms, size_t length) {
    unsigned kinds = 0;
    SequenceType type = SEQUENCE_STRING;
    static const AtomKind kind[] = {[RASP_BOOL] = ATOM_BOOL,
                                    [RASP_INT] = ATOM_INT,
                                    [RASP_FLOAT] = ATOM_FLOAT,
                                    [RASP_STRING] = ATOM_STRING};
    for (size_t k = 0; k < length; k++) kinds |= 1u << kind[atoms[k].kind];
    sequence_type_of(kinds, &type);
    return (RaspSequence){.type = type_out(type), .length = length, .atoms = atoms};
}

size_t rasp_sequence_length(const RaspSequence *s) {
    return s->length;
}

RaspType rasp_sequence_type(const RaspSequence *s) {
    return s->type;
}

RaspAtom rasp_sequence_at(const RaspSequence *s, size_t position) {
    if (s->column) return atom_out(column_at(s->column, s->first + position));
    return s->tokens ? atom_out(s->tokens[position]) : s->atoms[position];
}

void rasp_sequence_atoms(const RaspSequence *s, RaspAtom *atoms) {
    for (size_t k = 0; k < s->length; k++) atoms[k] = rasp_sequence_at(s, k);
}

bool rasp_sequence_uniform(const RaspSequence *s) {
    if (s->length == 0 || (s->column && s->column->constant)) return true;
    RaspAtom first = rasp_sequence_at(s, 0);
    for (size_t i = 1; i < s->length; i++)
        if (!rasp_atom_equal(first, rasp_sequence_at(s, i))) return false;
    return true;
}
