#include "interp/eval/value_text.h"

#include "base/utf8.h"
#include "interp/eval/env.h"

#include <assert.h>
#include <string.h>

Text text_new(Arena *arena) {
    Text text = {.arena = arena, .limit = SIZE_MAX};
    text.bytes = arena_grow(arena, NULL, &text.capacity, 1, 1);
    return text;
}

Text text_cut(char *buffer, size_t size, size_t limit) {
    assert(size >= 4 * limit + 8 && limit <= 48);
    buffer[0] = '\0';
    return (Text){.bytes = buffer, .capacity = size, .limit = limit};
}

/* The bytes of as many code points as the limit still admits, and one more. */
static size_t admitted(const Text *text, const char *bytes, size_t length) {
    if (text->arena) return length;
    size_t at = 0;
    for (size_t left = text->limit + 1 - text->chars; at < length && left > 0; left--) {
        size_t step = utf8_step(bytes + at, length - at);
        at += step ? step : 1;
    }
    return at;
}

static void put_bytes(Text *text, const char *bytes, size_t length) {
    if (text_is_cut(text) || length == 0) return;
    length = admitted(text, bytes, length);
    if (text->arena)
        text->bytes =
            arena_grow(text->arena, text->bytes, &text->capacity, text->length + length + 1, 1);
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = '\0';
    if (!text->arena) text->chars += utf8_count(bytes, length);
}

void text_put(Text *text, const char *words) {
    put_bytes(text, words, strlen(words));
}

void text_put_str(Text *text, const Str *s) {
    put_bytes(text, s->text, s->length);
}

/* A string with the escapes of a printed list. */
static void put_listed_string(Text *text, Atom atom) {
    char buffer[512]; /* an escape takes at most 10 bytes */
    if (!text->arena && atom.s->chars > text->limit) {
        text_put_str(text, atom.s); /* cut in any case */
    } else if (!text->arena) {
        put_bytes(text, buffer, atom_text(atom, ATOM_LISTED, buffer, sizeof buffer));
    } else {
        size_t length = atom_text(atom, ATOM_LISTED, NULL, 0);
        text->bytes =
            arena_grow(text->arena, text->bytes, &text->capacity, text->length + length + 1, 1);
        atom_text(atom, ATOM_LISTED, text->bytes + text->length, length + 1);
        text->length += length;
    }
}

static void put_atom(Text *text, Atom atom, TextStyle style) {
    if (atom.kind != ATOM_STRING) {
        char buffer[64];
        put_bytes(text, buffer, atom_text(atom, ATOM_PLAIN, buffer, sizeof buffer));
    } else if (style == TEXT_LISTED) {
        put_listed_string(text, atom);
    } else {
        if (style == TEXT_QUOTED) text_put(text, "\"");
        text_put_str(text, atom.s);
        if (style == TEXT_QUOTED) text_put(text, "\"");
    }
}

static void put_list(Text *text, const List *list, TextStyle style) {
    text_put(text, "[");
    for (size_t k = 0; k < list->count && !text_is_cut(text); k++) {
        if (k) text_put(text, ", ");
        text_put_value(text, list_at(list, k), style);
    }
    text_put(text, "]");
}

static void put_dict(Text *text, const Dict *dict, TextStyle style) {
    text_put(text, "{");
    for (size_t k = 0; k < dict->count && !text_is_cut(text); k++) {
        if (k) text_put(text, ", ");
        put_atom(text, dict->keys[k], style);
        text_put(text, ": ");
        text_put_value(text, dict->values[k], style);
    }
    text_put(text, "}");
}

/* "console' function: f(a, b)". */
static void put_function(Text *text, const Function *function) {
    text_put_str(text, function->scope->label);
    for (uint32_t k = 0; k < function->scope->primes && !text_is_cut(text); k++)
        text_put(text, "'");
    text_put(text, " function: ");
    text_put_str(text, function->name);
    text_put(text, "(");
    for (uint32_t k = 0; k < function->arity; k++) {
        if (k) text_put(text, ", ");
        text_put(text, function->def ? function_parameter(function, k)->text : "_");
    }
    text_put(text, ")");
}

void text_put_value(Text *text, Value value, TextStyle style) {
    TextStyle inner = style == TEXT_QUOTED ? TEXT_QUOTED : TEXT_LISTED;
    switch (value.kind) {
    case VALUE_ATOM:
        put_atom(text, value.atom, style);
        break;
    case VALUE_LIST:
        put_list(text, value.list, inner);
        break;
    case VALUE_DICT:
        put_dict(text, value.dict, inner);
        break;
    case VALUE_FUNCTION:
        put_function(text, value.function);
        break;
    case VALUE_SOP:
    case VALUE_SELECTOR:
        text_put_str(text, value.object->name);
        break;
    }
}

const char *value_show(Value value, TextStyle style, Arena *arena) {
    Text text = text_new(arena);
    text_put_value(&text, value, style);
    return text.bytes;
}

void text_put_tuple(Text *text, const Value *values, size_t count) {
    text_put(text, "(");
    for (size_t k = 0; k < count; k++) {
        if (k) text_put(text, ", ");
        text_put_value(text, values[k], TEXT_LISTED);
    }
    text_put(text, count == 1 ? ",)" : ")");
}
