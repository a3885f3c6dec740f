#include "cli/alphabet.h"

#include "base/utf8.h"
#include "cli/file.h"
#include "cli/input.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Reader {
    Intern *intern;
    Arena *arena;
    char *error;
    size_t error_size;
} Reader;

__attribute__((format(printf, 2, 3))) static const Atom *refuse(const Reader *r, const char *format,
                                                                ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(r->error, r->error_size, format, args);
    va_end(args);
    return NULL;
}

/* --- what an alphabet must be -------------------------------------------------------------- */

static const char *kind_text(AtomKind kind) {
    static const char *const text[] = {
        [ATOM_BOOL] = "bool", [ATOM_INT] = "int", [ATOM_FLOAT] = "float", [ATOM_STRING] = "string"};
    return text[kind];
}

static int by_value(const void *a, const void *b) {
    return atom_compare_total(*(const Atom *const *)a, *(const Atom *const *)b);
}

static const Atom *check(const Reader *r, const Atom *tokens, uint32_t count) {
    const Atom **sorted = ARENA_ARRAY(r->arena, (size_t)count + 1, const Atom *);
    for (uint32_t k = 0; k < count; k++) {
        if (tokens[k].kind != tokens[0].kind)
            return refuse(r, "expected tokens of one kind, found the %s %s beside the %s %s",
                          kind_text(tokens[k].kind), atom_show(tokens[k], ATOM_QUOTED, r->arena),
                          kind_text(tokens[0].kind), atom_show(tokens[0], ATOM_QUOTED, r->arena));
        sorted[k] = &tokens[k];
    }
    qsort(sorted, count, sizeof *sorted, by_value);
    for (uint32_t k = 1; k < count; k++)
        if (atom_equal(*sorted[k - 1], *sorted[k]))
            return refuse(r, "expected different tokens, found %s twice",
                          atom_show(*sorted[k], ATOM_QUOTED, r->arena));
    return tokens;
}

/* --- texts --------------------------------------------------------------------------------- */

static const Atom *read_text(const Reader *r, InputReading reading, const char *text, size_t length,
                             uint32_t *count) {
    Input input;
    if (!input_read(reading, text, length, r->intern, r->arena, &input, r->error, r->error_size))
        return NULL;
    *count = (uint32_t)input.length;
    return check(r, input.tokens, *count);
}

static const Atom *read_lines(const Reader *r, const char *path, const char *text, size_t length,
                              uint32_t *count) {
    size_t room = 0;
    Atom *tokens = NULL;
    *count = 0;
    for (const char *at = text, *end = text + length; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t size = (size_t)((newline ? newline : end) - at);
        if (size && at[size - 1] == '\r') size--;
        if (size == 0)
            return refuse(r, "%s:%u: expected a token, found an empty line", path, *count + 1);
        tokens = arena_grow(r->arena, tokens, &room, (size_t)*count + 1, sizeof *tokens);
        tokens[(*count)++] = atom_string(intern(r->intern, at, size));
        at = newline ? newline + 1 : end;
    }
    if (*count == 0) return refuse(r, "expected a token a line in '%s', which is empty", path);
    return check(r, tokens, *count);
}

static const Atom *read_file(const Reader *r, const char *path, uint32_t *count) {
    size_t length;
    const char *text = file_read(r->arena, path, &length);
    if (!text) return refuse(r, "%s", "");
    size_t good = utf8_valid_prefix(text, length);
    if (good < length)
        return refuse(r, "expected UTF-8 text in '%s', found the byte 0x%02x at offset %zu", path,
                      (unsigned char)text[good], good);
    size_t blank = strspn(text, " \t\r\n");
    if (text[blank] == '[') return read_text(r, INPUT_LIST, text, length, count);
    return read_lines(r, path, text, length, count);
}

const Atom *alphabet_read(AlphabetText a, Intern *table, Arena *arena, uint32_t *count, char *error,
                          size_t error_size) {
    Reader r = {table, arena, error, error_size};
    if (a.files && a.text[0] == '@') return read_file(&r, a.text + 1, count);
    return read_text(&r, INPUT_AUTO, a.text, strlen(a.text), count);
}

/* --- one token ----------------------------------------------------------------------------- */

int32_t alphabet_find(const Atom *tokens, uint32_t count, const char *text, Intern *table,
                      Arena *arena, char *error, size_t error_size) {
    Reader r = {table, arena, error, error_size};
    Input input;
    Atom wanted = {.kind = ATOM_BOOL};
    size_t length = strlen(text);
    const char *list = arena_format(arena, "[%s]", text);
    bool quoted = input_read(INPUT_LIST, list, length + 2, table, arena, &input, error, error_size);
    if (quoted && input.length == 1) wanted = input.tokens[0];
    for (uint32_t k = 0; k < count; k++) {
        const Atom *token = &tokens[k];
        bool same = token->kind == ATOM_STRING && token->s->length == length &&
                    memcmp(token->s->text, text, length) == 0;
        if (same || (quoted && input.length == 1 && atom_same(*token, wanted))) return (int32_t)k;
    }
    refuse(&r, "expected a token of the alphabet %s, found '%s'",
           alphabet_show(tokens, count, 40, arena), text);
    return -1;
}

const char *alphabet_show(const Atom *tokens, uint32_t count, uint32_t limit, Arena *arena) {
    bool plain = true;
    for (uint32_t k = 0; k < count; k++)
        plain &= tokens[k].kind == ATOM_STRING && tokens[k].s->chars == 1;
    const char *text = plain ? "\"" : "[";
    for (uint32_t k = 0; k < count && k < limit; k++)
        text = arena_format(arena, "%s%s%s", text, k && !plain ? ", " : "",
                            atom_show(tokens[k], plain ? ATOM_PLAIN : ATOM_JSON, arena));
    return arena_format(arena, "%s%s%s", text, count > limit ? "..." : "", plain ? "\"" : "]");
}
