#include "runtime/text.h"

#include "runtime/memory.h"
#include "runtime/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void rt_text_clear(Text *text) {
    free(text->bytes);
    *text = (Text){0};
}

static bool reserve(Text *text, size_t n) {
    size_t need;
    if (text->failed || __builtin_add_overflow(text->length, n, &need)) return false;
    if (need <= text->capacity) return true;
    size_t capacity = need > SIZE_MAX / 2 ? need : need + need / 2 + 64;
    char *bytes = rt_realloc(text->bytes, capacity, 1);
    if (!bytes) return false;
    text->bytes = bytes;
    text->capacity = capacity;
    return true;
}

void rt_text_bytes(Text *text, const char *bytes, size_t n) {
    if (!n) return;
    if (!reserve(text, n)) {
        text->failed = true;
        return;
    }
    memcpy(text->bytes + text->length, bytes, n);
    text->length += n;
}

void rt_text_put(Text *text, const char *literal) {
    rt_text_bytes(text, literal, strlen(literal));
}

static void put_int(Text *text, int64_t i) {
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRId64, i);
    rt_text_put(text, digits);
}

void rt_text_size(Text *text, size_t n) {
    char digits[24];
    snprintf(digits, sizeof digits, "%zu", n);
    rt_text_put(text, digits);
}

void rt_text_number(Text *text, double x) {
    char digits[RT_NUMBER_MAX];
    rt_text_bytes(text, digits, (size_t)rt_number_text(x, digits));
}

static void put_escaped(Text *text, unsigned char c) {
    static const char *const short_form[256] = {
        ['"'] = "\\\"", ['\\'] = "\\\\", ['\b'] = "\\b", ['\f'] = "\\f",
        ['\n'] = "\\n", ['\r'] = "\\r",  ['\t'] = "\\t"};
    char code[8];
    snprintf(code, sizeof code, "\\u%04x", c);
    rt_text_put(text, short_form[c] ? short_form[c] : code);
}

void rt_text_json_string(Text *text, const char *bytes, size_t n) {
    rt_text_put(text, "\"");
    size_t from = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if (c >= 0x20 && c != '"' && c != '\\') continue;
        rt_text_bytes(text, bytes + from, i - from);
        put_escaped(text, c);
        from = i + 1;
    }
    rt_text_bytes(text, bytes + from, n - from);
    rt_text_put(text, "\"");
}

static void put_array(Text *text, const json_t *array) {
    rt_text_put(text, "[");
    for (size_t i = 0; i < json_array_size(array); i++) {
        if (i) rt_text_put(text, ",");
        rt_text_json(text, json_array_get(array, i));
    }
    rt_text_put(text, "]");
}

static void put_object(Text *text, const json_t *object) {
    const char *key;
    json_t *value;
    const char *separator = "{";
    json_object_foreach((json_t *)object, key, value) {
        rt_text_put(text, separator);
        rt_text_json_string(text, key, strlen(key));
        rt_text_put(text, ":");
        rt_text_json(text, value);
        separator = ",";
    }
    rt_text_put(text, *separator == '{' ? "{}" : "}");
}

void rt_text_json(Text *text, const json_t *value) {
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        put_object(text, value);
        break;
    case JSON_ARRAY:
        put_array(text, value);
        break;
    case JSON_STRING:
        rt_text_json_string(text, json_string_value(value), json_string_length(value));
        break;
    case JSON_INTEGER:
        put_int(text, json_integer_value(value));
        break;
    case JSON_REAL:
        rt_text_number(text, json_real_value(value));
        break;
    case JSON_TRUE:
        rt_text_put(text, "true");
        break;
    case JSON_FALSE:
        rt_text_put(text, "false");
        break;
    default:
        rt_text_put(text, "null");
        break;
    }
}

void rt_text_atom(Text *text, const RtAtom *atom) {
    switch (atom->kind) {
    case RT_STRING:
        rt_text_json_string(text, atom->u.s.bytes, atom->u.s.length);
        break;
    case RT_INT:
        put_int(text, atom->u.i);
        break;
    case RT_FLOAT:
        rt_text_number(text, atom->u.f);
        break;
    default:
        rt_text_put(text, atom->u.b ? "true" : "false");
        break;
    }
}
