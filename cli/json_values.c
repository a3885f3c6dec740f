#include "cli/json_values.h"

static void json_atom(Json *j, RaspAtom atom) {
    char text[64];
    if (atom.kind == RASP_STRING) {
        json_quoted(j, NULL, atom.as.s.text, atom.as.s.length);
        return;
    }
    rasp_atom_text(atom, RASP_JSON, text, sizeof text);
    json_ready(j, NULL, text);
}

void json_atoms(Json *j, const char *key, const RaspAtom *atoms, size_t count) {
    json_begin_array(j, key);
    for (size_t k = 0; k < count; k++) json_atom(j, atoms[k]);
    json_end(j);
}

void json_sequence(Json *j, const char *key, const RaspSequence *sequence, int precision) {
    json_begin_array(j, key);
    for (size_t k = 0; k < rasp_sequence_length(sequence); k++) {
        RaspAtom atom = rasp_sequence_at(sequence, k);
        if (precision >= 0 && atom.kind == RASP_FLOAT) atom.as.f = rasp_round(atom.as.f, precision);
        json_atom(j, atom);
    }
    json_end(j);
}
