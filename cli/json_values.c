#include "cli/json_values.h"

static void json_atom(Json *j, Atom atom) {
    char text[64];
    if (atom.kind == ATOM_STRING) {
        json_quoted(j, NULL, atom.s->text, atom.s->length);
        return;
    }
    atom_text(atom, ATOM_JSON, text, sizeof text);
    json_ready(j, NULL, text);
}

void json_atoms(Json *j, const char *key, const Atom *atoms, size_t count) {
    json_begin_array(j, key);
    for (size_t k = 0; k < count; k++) json_atom(j, atoms[k]);
    json_end(j);
}

void json_column(Json *j, const char *key, const Column *column, int precision) {
    json_begin_array(j, key);
    for (size_t k = 0; k < column->length; k++) {
        Atom atom = column_at(column, k);
        if (precision >= 0 && atom.kind == ATOM_FLOAT) atom.f = float_round(atom.f, precision);
        json_atom(j, atom);
    }
    json_end(j);
}
