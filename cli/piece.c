/* Writing pieces, and the values in them. */
#include "cli/piece.h"

#include "cli/command.h"
#include "cli/print.h"
#include "cli/warnings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- writing ---------------------------------------------------------------------------- */

static const char *reason(RaspStatus stopped) {
    return stopped == RASP_CANCELLED ? "interrupted" : "out of time";
}

void piece_begin(Json *j, const PieceHead *head) {
    json_begin_object(j, NULL);
    json_text(j, "piece", head->kind);
    json_text(j, "rasp", build_version);
    json_count(j, "shard", head->shard.number + 1);
    json_count(j, "of", head->shard.of);
    if (head->stopped != RASP_OK) json_text(j, "stopped", reason(head->stopped));
    json_count(j, "done", head->done);
    json_number(j, "seconds", "%.6f", head->seconds);
    json_begin_object(j, "run");
}

void piece_result(Json *j) {
    json_end(j);
    json_begin_object(j, "result");
}

void piece_end(Json *j) {
    json_end(j);
    warnings_json(j);
    json_end(j);
}

int piece_status(RaspStatus stopped) {
    return stopped == RASP_OK          ? EXIT_FINE
           : stopped == RASP_CANCELLED ? EXIT_INTERRUPTED
                                       : EXIT_FAILED;
}

/* --- values ----------------------------------------------------------------------------- */

double piece_number(const json_t *object, const char *key, double otherwise) {
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : otherwise;
}

size_t piece_count(const json_t *object, const char *key) {
    json_int_t value = json_integer_value(json_object_get(object, key));
    return value < 0 ? 0 : (size_t)value;
}

const char *piece_text(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

void piece_put_seed(Json *j, uint64_t seed) {
    json_text(j, "seed", arena_format(command_arena(), "%llu", (unsigned long long)seed));
}

uint64_t piece_seed(const json_t *run) {
    return strtoull(piece_text(run, "seed"), NULL, 10);
}

/* Floats that JSON has not are lists of their name, which no atom is: ["inf"]. */
void piece_atoms(Json *j, const char *key, const RaspAtom *atoms, size_t count) {
    json_begin_array(j, key);
    for (size_t k = 0; k < count; k++) {
        bool strange = atoms[k].kind == RASP_FLOAT && !isfinite(atoms[k].as.f);
        const char *text = print_text(atoms[k], RASP_JSON);
        if (atoms[k].kind == RASP_STRING)
            json_quoted(j, NULL, atoms[k].as.s.text, atoms[k].as.s.length);
        else
            json_ready(j, NULL, strange ? arena_format(command_arena(), "[%s]", text) : text);
    }
    json_end(j);
}

static RaspAtom read_atom(const json_t *value) {
    if (json_is_boolean(value)) return rasp_bool(json_is_true(value));
    if (json_is_integer(value)) return rasp_int(json_integer_value(value));
    if (json_is_real(value)) return rasp_float(json_real_value(value));
    if (json_is_array(value)) {
        const char *name = json_string_value(json_array_get(value, 0));
        return rasp_float(name ? strtod(name, NULL) : NAN);
    }
    size_t length = json_string_length(value);
    const char *text = length ? json_string_value(value) : "";
    RaspAtom atom = {.kind = RASP_STRING};
    atom.as.s.text = arena_text(command_arena(), text, length);
    atom.as.s.length = length;
    return atom;
}

const RaspAtom *piece_read_atoms(const json_t *list, size_t *count) {
    *count = json_array_size(list);
    RaspAtom *atoms = ARENA_ARRAY(command_arena(), *count + 1, RaspAtom);
    for (size_t k = 0; k < *count; k++) atoms[k] = read_atom(json_array_get(list, k));
    return atoms;
}
