/* Typed fields of JSON objects. */
#include "express/verify/field.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_names[] = {
    [FIELD_TEXT] = "a string",
    [FIELD_TEXT_OR_NULL] = "a string or null",
    [FIELD_COUNT] = "an integer from 0 to 1000000000",
    [FIELD_FLAG] = "true or false",
    [FIELD_LIST] = "a list",
    [FIELD_OBJECT] = "an object",
};

bool json_number_within(const json_t *value, int64_t least, int64_t most, int64_t *number) {
    if (!json_is_integer(value)) return false;
    *number = json_integer_value(value);
    return *number >= least && *number <= most;
}

static bool is_kind(const json_t *value, FieldKind kind) {
    int64_t number;
    switch (kind) {
    case FIELD_TEXT:
        return json_is_string(value);
    case FIELD_TEXT_OR_NULL:
        return json_is_string(value) || json_is_null(value);
    case FIELD_COUNT:
        return json_number_within(value, 0, FIELD_MOST, &number);
    case FIELD_FLAG:
        return json_is_boolean(value);
    case FIELD_LIST:
        return json_is_array(value);
    case FIELD_OBJECT:
        return json_is_object(value);
    }
    return false;
}

const json_t *field(Check *check, const json_t *object, const char *what, const char *name,
                    FieldKind kind) {
    char shown[80];
    const json_t *value = json_object_get(object, name);
    if (value && is_kind(value, kind)) return value;
    if (!value)
        refuse(check, "%s has no field '%s', expected %s", what, name, kind_names[kind]);
    else
        refuse(check, "expected %s as '%s' of %s, found %s", kind_names[kind], name, what,
               json_show(value, shown));
    return NULL;
}

bool field_maybe(Check *check, const json_t *object, const char *what, const char *name,
                 FieldKind kind, const json_t **value) {
    *value = json_object_get(object, name);
    if (json_is_null(*value)) *value = NULL;
    if (!*value) return true;
    *value = field(check, object, what, name, kind);
    return *value != NULL;
}

bool field_count(Check *check, const json_t *object, const char *what, const char *name,
                 size_t least, size_t most, size_t *count) {
    const json_t *value = field(check, object, what, name, FIELD_COUNT);
    if (!value) return false;
    *count = (size_t)json_integer_value(value);
    if (*count >= least && *count <= most) return true;
    return refuse(check, "expected '%s' of %s from %zu to %zu, found %zu", name, what, least, most,
                  *count);
}

bool field_numbers(Check *check, const json_t *object, const char *what, const char *name,
                   size_t bound, uint32_t **numbers, size_t *count) {
    char shown[80];
    const json_t *list = field(check, object, what, name, FIELD_LIST);
    if (!list) return false;
    *count = json_array_size(list);
    *numbers = ARENA_ARRAY(check->arena, *count + 1, uint32_t);
    for (size_t k = 0; k < *count; k++) {
        int64_t number;
        const json_t *value = json_array_get(list, k);
        if (!json_number_within(value, 0, (int64_t)bound - 1, &number))
            return refuse(check, "expected numbers below %zu in '%s' of %s, found %s", bound, name,
                          what, json_show(value, shown));
        (*numbers)[k] = (uint32_t)number;
    }
    return true;
}

bool json_atom(const json_t *value, RaspAtom *atom) {
    if (json_is_boolean(value))
        *atom = rasp_bool(json_is_true(value));
    else if (json_is_integer(value))
        *atom = rasp_int(json_integer_value(value));
    else if (json_is_real(value))
        *atom = rasp_float(json_real_value(value));
    else if (json_is_string(value))
        *atom =
            (RaspAtom){RASP_STRING, {.s = {json_string_value(value), json_string_length(value)}}};
    else
        return false;
    return true;
}

bool json_says(const json_t *value, RaspAtom atom) {
    RaspAtom said;
    char text[80];
    if (!json_atom(value, &said)) return false;
    if (atom.kind != RASP_FLOAT || isfinite(atom.as.f)) return rasp_atom_same(said, atom);
    size_t length = rasp_atom_text(atom, RASP_PLAIN, text, sizeof text);
    return said.kind == RASP_STRING && said.as.s.length == length &&
           memcmp(said.as.s.text, text, length) == 0;
}

const char *json_show(const json_t *value, char text[80]) {
    memset(text, '.', 79);
    size_t length = value ? json_dumpb(value, text, 60, JSON_COMPACT | JSON_ENCODE_ANY) : 0;
    text[length <= 60 ? length : 63] = '\0';
    return length ? text : "nothing";
}

const char *atom_show_json(RaspAtom atom, char text[80]) {
    if (rasp_atom_text(atom, RASP_JSON, text, 80) >= 80) strcpy(text + 60, "...");
    return text;
}
