/* Reading a certificate. */
#include "express/verify/certificate.h"

#include "express/verify/field.h"

#include <stdio.h>
#include <string.h>

static const char whole[] = "the certificate";

static const char *const class_names[] = {
    [CLASS_AVERAGE] = "average",
    [CLASS_UNIQUE] = "unique",
    [CLASS_RELATIVE] = "relative",
    [CLASS_ABSOLUTE] = "absolute",
    [CLASS_NO_POSITIONS] = "no-positions",
    [CLASS_WINDOW] = "window",
    [CLASS_BITS] = "bits",
};

enum { MOST_HEADS = 1000000, MOST_SYMBOLS = 100000, MOST_LENGTH = 50000 };

/* --- tokens and literals ---------------------------------------------------------------- */

ptrdiff_t certificate_token(const Certificate *c, const json_t *token) {
    RaspAtom atom;
    if (!json_atom(token, &atom)) return -1;
    for (size_t k = 0; k < c->symbols; k++)
        if (rasp_atom_same(c->alphabet[k], atom)) return (ptrdiff_t)k;
    return -1;
}

bool certificate_tokens(Check *check, const Certificate *c, const json_t *list, uint32_t **tokens,
                        size_t *count) {
    *count = json_array_size(list);
    *tokens = ARENA_ARRAY(check->arena, *count + 1, uint32_t);
    for (size_t k = 0; k < *count; k++) {
        ptrdiff_t token = certificate_token(c, json_array_get(list, k));
        if (token < 0) return false;
        (*tokens)[k] = (uint32_t)token;
    }
    return json_is_array(list);
}

bool certificate_literal(Check *check, const Certificate *c, const json_t *value, bool sink,
                         int32_t *position, uint32_t *token) {
    char shown[80];
    int64_t number = 0;
    ptrdiff_t found =
        json_array_size(value) == 2 ? certificate_token(c, json_array_get(value, 1)) : 0;
    bool is_sink = json_array_size(value) == 1;
    if (!json_number_within(json_array_get(value, 0), is_sink ? -1 : 0,
                            is_sink ? -1 : (int64_t)c->max_length - 1, &number) ||
        found < 0 || json_array_size(value) > 2 || (is_sink && !sink))
        return refuse(check, "expected [position, token]%s, found %s", sink ? " or [-1]" : "",
                      json_show(value, shown));
    *position = (int32_t)number;
    *token = (uint32_t)found;
    return true;
}

/* --- what is stated --------------------------------------------------------------------- */

static bool read_class(Check *check, Certificate *c) {
    const json_t *name = field(check, c->document, whole, "class", FIELD_TEXT);
    if (!name) return false;
    for (int k = 0; k < CLASS_COUNT; k++)
        if (strcmp(class_names[k], json_string_value(name)) == 0) {
            c->class = (Class)k;
            c->class_name = class_names[k];
            return true;
        }
    return refuse(check,
                  "expected the class average, unique, relative, absolute, no-positions, window or "
                  "bits, found '%.60s'",
                  json_string_value(name));
}

static bool read_heads(Check *check, Certificate *c) {
    bool grammar = c->class == CLASS_RELATIVE || c->class == CLASS_ABSOLUTE;
    if (c->class >= CLASS_NO_POSITIONS) return true;
    if (grammar && !c->yes && json_is_null(json_object_get(c->document, "heads"))) return true;
    return field_count(check, c->document, whole, "heads", 1, MOST_HEADS, &c->heads);
}

static bool read_mask(Check *check, Certificate *c) {
    const json_t *mask = field(check, c->document, whole, "mask", FIELD_TEXT);
    if (!mask) return false;
    c->causal = strcmp(json_string_value(mask), "causal") == 0;
    if (c->causal || strcmp(json_string_value(mask), "none") == 0) return true;
    return refuse(check, "expected the mask none or causal, found '%.60s'",
                  json_string_value(mask));
}

static bool read_parameters(Check *check, Certificate *c) {
    const json_t *verdict = field(check, c->document, whole, "verdict", FIELD_TEXT);
    if (!verdict) return false;
    c->yes = strcmp(json_string_value(verdict), "yes") == 0;
    if (!c->yes && strcmp(json_string_value(verdict), "no") != 0)
        return refuse(check, "expected the verdict yes or no, found '%.60s'",
                      json_string_value(verdict));
    if (!read_heads(check, c)) return false;
    switch (c->class) {
    case CLASS_AVERAGE:
        return field_count(check, c->document, whole, "values", 1, MOST_HEADS, &c->values);
    case CLASS_NO_POSITIONS:
        return read_mask(check, c);
    case CLASS_WINDOW:
        return field_count(check, c->document, whole, "distance", 0, MOST_LENGTH, &c->distance);
    case CLASS_BITS:
        return field_count(check, c->document, whole, "bits", 0, MOST_LENGTH, &c->bits);
    default:
        return true;
    }
}

/* --- the domain ------------------------------------------------------------------------- */

static bool read_alphabet(Check *check, Certificate *c) {
    char shown[80];
    const json_t *list = field(check, c->document, whole, "alphabet", FIELD_LIST);
    if (!list) return false;
    size_t count = json_array_size(list);
    if (count == 0 || count > MOST_SYMBOLS)
        return refuse(check, "expected an alphabet of 1 to %d tokens, found %zu", MOST_SYMBOLS,
                      count);
    c->alphabet = ARENA_ARRAY(check->arena, count, RaspAtom);
    for (size_t k = 0; k < count; k++) {
        const json_t *token = json_array_get(list, k);
        if (certificate_token(c, token) >= 0)
            return refuse(check, "the alphabet has %s twice", json_show(token, shown));
        if (!json_atom(token, &c->alphabet[k]))
            return refuse(check, "expected a token in the alphabet, found %s",
                          json_show(token, shown));
        c->symbols = k + 1;
    }
    return true;
}

static bool read_first(Check *check, Certificate *c) {
    char shown[80];
    const json_t *first = json_object_get(c->document, "first");
    c->first = -1;
    if (!first || json_is_null(first)) return true;
    c->first = certificate_token(c, first);
    if (c->first >= 0) return true;
    return refuse(check, "expected 'first' in the alphabet, found %s", json_show(first, shown));
}

static bool read_domain(Check *check, Certificate *c) {
    const json_t *last, *where, *total;
    if (!field_count(check, c->document, whole, "max_length", 1, MOST_LENGTH, &c->max_length) ||
        !read_alphabet(check, c) || !read_first(check, c) ||
        !field_maybe(check, c->document, whole, "where", FIELD_TEXT, &where) ||
        !field_maybe(check, c->document, whole, "total", FIELD_COUNT, &total) ||
        !field_maybe(check, c->document, whole, "program", FIELD_OBJECT, &c->program) ||
        !field_maybe(check, c->document, whole, "task", FIELD_LIST, &c->task) ||
        !(last = field(check, c->document, whole, "last", FIELD_FLAG)))
        return false;
    c->last = json_is_true(last);
    c->where = where ? json_string_value(where) : NULL;
    c->counted = total != NULL;
    c->total = total ? (size_t)json_integer_value(total) : 0;
    if (!c->counted && (c->yes || c->class < CLASS_NO_POSITIONS))
        return refuse(check, "the certificate has no field 'total', the number of instances");
    if (!c->program == !c->task)
        return refuse(check, "expected either 'program' or 'task' in the certificate, found %s",
                      c->task ? "both" : "none");
    if (c->task && c->where) return refuse(check, "'where' needs a program, found a task");
    return true;
}

/* --- the evidence ----------------------------------------------------------------------- */

static bool read_instance(Check *check, Certificate *c, size_t k, const json_t *value) {
    char what[40];
    size_t position, length;
    uint32_t *tokens;
    Instance *instance = &c->instances[k];
    snprintf(what, sizeof what, "instance %zu", k);
    const json_t *input = field(check, value, what, "input", FIELD_LIST);
    if (!input) return false;
    if (!certificate_tokens(check, c, input, &tokens, &length))
        return refuse(check, "%s has a token that is not in the alphabet", what);
    if (length == 0 || length > c->max_length)
        return refuse(check, "expected an input of 1 to %zu tokens in %s, found %zu", c->max_length,
                      what, length);
    if (c->first >= 0 && tokens[0] != (uint32_t)c->first)
        return refuse(check, "the input of %s does not start with the token 'first'", what);
    if (!field_count(check, value, what, "position", c->last ? length - 1 : 0, length - 1,
                     &position))
        return false;
    instance->said = json_object_get(value, "label");
    if (!instance->said) return refuse(check, "%s has no field 'label'", what);
    instance->tokens = tokens;
    instance->length = (uint32_t)length;
    instance->position = (uint32_t)position;
    return true;
}

static bool read_instances(Check *check, Certificate *c) {
    const json_t *list;
    if (!field_maybe(check, c->document, whole, "instances", FIELD_LIST, &list)) return false;
    c->instance_count = json_array_size(list);
    c->instances = ARENA_ARRAY(check->arena, c->instance_count + 1, Instance);
    for (size_t k = 0; k < c->instance_count; k++) {
        const json_t *value = json_array_get(list, k);
        if (!json_is_object(value)) return refuse(check, "expected an object as instance %zu", k);
        if (!read_instance(check, c, k, value)) return false;
    }
    return true;
}

static bool read_pairs(Check *check, Certificate *c) {
    const json_t *list;
    char shown[80];
    if (!field_maybe(check, c->document, whole, "pairs", FIELD_LIST, &list)) return false;
    c->pair_count = json_array_size(list);
    c->pairs = ARENA_ARRAY(check->arena, c->pair_count + 1, Pair);
    for (size_t k = 0; k < c->pair_count; k++) {
        int64_t x, y, most = (int64_t)c->instance_count - 1;
        const json_t *value = json_array_get(list, k);
        if (json_array_size(value) != 2 ||
            !json_number_within(json_array_get(value, 0), 0, most, &x) ||
            !json_number_within(json_array_get(value, 1), 0, most, &y))
            return refuse(check, "expected two of the %zu instances as pair %zu, found %s",
                          c->instance_count, k, json_show(value, shown));
        c->pairs[k] = (Pair){(uint32_t)x, (uint32_t)y};
    }
    return true;
}

static bool read_document(Check *check, Certificate *c, const char *text, size_t length) {
    json_error_t error;
    arena_charge(check->arena, 2 * length);
    c->document = check->document =
        json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
    if (!c->document)
        return refuse(check, "expected a certificate in JSON, line %d: %s", error.line, error.text);
    if (!json_is_object(c->document)) return refuse(check, "expected a JSON object");
    const json_t *format = field(check, c->document, whole, "format", FIELD_TEXT);
    if (!format) return false;
    if (strcmp(json_string_value(format), "rasp-express/1") == 0) return true;
    return refuse(check, "expected the format 'rasp-express/1', found '%.60s'",
                  json_string_value(format));
}

bool certificate_read(Check *check, Certificate *c, const char *text, size_t length) {
    return read_document(check, c, text, length) && read_class(check, c) &&
           read_parameters(check, c) && read_domain(check, c) && read_instances(check, c) &&
           read_pairs(check, c) &&
           field_maybe(check, c->document, whole, "layer", FIELD_OBJECT, &c->layer) &&
           field_maybe(check, c->document, whole, "source", FIELD_OBJECT, &c->source);
}
