#include "api/input.h"

#include "base/utf8.h"
#include "graph/atom.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- lists ------------------------------------------------------------------------------ */

typedef struct ListReader {
    const char *text, *at, *end;
    Arena *arena;
    RaspAtom *atoms; /* a block */
    size_t count, room;
    char *strings;     /* where the next one goes, a block as long as the text */
    bool out_of_range; /* the form is right, a number is too large */
    char *error;
    size_t error_size;
} ListReader;

__attribute__((format(printf, 2, 3))) static bool refuse(ListReader *r, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(r->error, r->error_size, format, args);
    va_end(args);
    return false;
}

static bool expected(ListReader *r, const char *what) {
    size_t offset = (size_t)(r->at - r->text);
    if (r->at == r->end) return refuse(r, "expected %s, found the end of the list", what);
    size_t size = utf8_step(r->at, (size_t)(r->end - r->at));
    return refuse(r, "expected %s, found '%.*s' at offset %zu", what, (int)size, r->at, offset);
}

static void skip_blanks(ListReader *r) {
    while (r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at) r->at++;
}

static bool take(ListReader *r, const char *word) {
    size_t length = strlen(word);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length) != 0) return false;
    r->at += length;
    return true;
}

static bool is_digit(const ListReader *r) {
    return r->at < r->end && *r->at >= '0' && *r->at <= '9';
}

static bool skip_digits(ListReader *r) {
    if (!is_digit(r)) return expected(r, "a digit");
    while (is_digit(r)) r->at++;
    return true;
}

static bool read_number(ListReader *r, RaspAtom *atom) {
    const char *begin = r->at;
    bool real = false;
    int64_t integer;
    if (!take(r, "-")) take(r, "+");
    if (!skip_digits(r)) return false;
    if (take(r, ".")) {
        real = true;
        if (!skip_digits(r)) return false;
    }
    if (take(r, "e") || take(r, "E")) {
        real = true;
        if (!take(r, "-")) take(r, "+");
        if (!skip_digits(r)) return false;
    }
    size_t length = (size_t)(r->at - begin);
    char copy[64]; /* strtod wants a NUL behind it */
    snprintf(copy, sizeof copy, "%.*s", length < sizeof copy ? (int)length : 0, begin);
    const char *text = length < sizeof copy ? copy : arena_text(r->arena, begin, length);
    if (real) {
        *atom = rasp_float(strtod(text, NULL));
        if (isfinite(atom->as.f)) return true;
    } else if (read_int(text, length, &integer)) {
        *atom = rasp_int(integer);
        return true;
    }
    r->out_of_range = true;
    return refuse(r, "the number %.40s is too large for %s", text,
                  real ? "a float" : "a 64-bit int (write a float, with '.0')");
}

static void put_utf8(char **to, uint32_t c) {
    char *p = *to;
    if (c < 0x80) {
        *p++ = (char)c;
    } else {
        int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
        static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
        *p++ = (char)(lead[more] | c >> 6 * more);
        while (more--) *p++ = (char)(0x80 | (c >> 6 * more & 0x3f));
    }
    *to = p;
}

static bool read_hex4(ListReader *r, uint32_t *value) {
    *value = 0;
    for (int k = 0; k < 4; k++, r->at++) {
        static const char digits[] = "0123456789abcdef";
        const char *digit = r->at < r->end && *r->at ? strchr(digits, *r->at | 0x20) : NULL;
        if (!digit || (*r->at >= 'A' && *r->at <= 'Z' && digit - digits < 10))
            return expected(r, "four hexadecimal digits after \\u");
        *value = *value << 4 | (uint32_t)(digit - digits);
    }
    return true;
}

/* Behind `\u`: one code point, or two halves of one. */
static bool read_unicode(ListReader *r, char **to) {
    uint32_t c, low;
    if (!read_hex4(r, &c)) return false;
    if (c >= 0xd800 && c < 0xdc00 && take(r, "\\u")) {
        if (!read_hex4(r, &low)) return false;
        if (low >= 0xdc00 && low < 0xe000) c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    }
    if (c >= 0xd800 && c < 0xe000) return refuse(r, "\\u%04x alone is half a character", c);
    put_utf8(to, c);
    return true;
}

static bool read_escape(ListReader *r, char **to) {
    static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
    if (take(r, "u")) return read_unicode(r, to);
    const char *found = r->at < r->end && *r->at ? strchr(from, *r->at) : NULL;
    if (!found) return expected(r, "an escape of JSON (\\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u)");
    *(*to)++ = into[found - from];
    r->at++;
    return true;
}

/* Behind the opening quote.  No escape is shorter than what it stands for: there is room in
 * `strings`. */
static bool read_string(ListReader *r, RaspAtom *atom) {
    if (!r->strings) r->strings = ARENA_BLOCK(r->arena, (size_t)(r->end - r->at) + 1, char);
    char *text = r->strings, *to = text;
    while (r->at < r->end && *r->at != '"') {
        if (*r->at != '\\') {
            *to++ = *r->at++;
            continue;
        }
        r->at++;
        if (!read_escape(r, &to)) return false;
    }
    if (!take(r, "\"")) return expected(r, "'\"' at the end of a string");
    r->strings = to;
    *atom = (RaspAtom){RASP_STRING, {.s = {text, (size_t)(to - text)}}};
    return true;
}

static bool read_atom(ListReader *r, RaspAtom *atom) {
    static const struct {
        const char *word;
        bool value;
    } words[] = {{"True", true}, {"False", false}, {"true", true}, {"false", false}};
    if (take(r, "\"")) return read_string(r, atom);
    if (is_digit(r) || (r->at < r->end && (*r->at == '-' || *r->at == '+')))
        return read_number(r, atom);
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (take(r, words[k].word)) {
            *atom = rasp_bool(words[k].value);
            return true;
        }
    return expected(r, "a number, a string in double quotes, True or False");
}

static void add(ListReader *r, RaspAtom atom) {
    if (r->count == r->room) {
        size_t room = r->room ? 2 * r->room : 16;
        RaspAtom *atoms = ARENA_BLOCK(r->arena, room, RaspAtom);
        if (r->count) memcpy(atoms, r->atoms, r->count * sizeof *atoms);
        arena_release(r->arena, r->atoms);
        r->atoms = atoms;
        r->room = room;
    }
    r->atoms[r->count++] = atom;
}

static bool read_list(ListReader *r) {
    skip_blanks(r);
    if (!take(r, "[")) return expected(r, "'['");
    do {
        RaspAtom atom;
        skip_blanks(r);
        if (!read_atom(r, &atom)) return false;
        add(r, atom);
        skip_blanks(r);
    } while (take(r, ","));
    if (!take(r, "]")) return expected(r, "',' or ']'");
    skip_blanks(r);
    return r->at == r->end || expected(r, "nothing behind ']'");
}

/* --- inputs ----------------------------------------------------------------------------- */

bool input_means_list(const char *text, size_t length) {
    size_t at = 0;
    while (at < length && strchr(" \t\r\n", text[at]) && text[at]) at++;
    if (at == length || text[at++] != '[') return false;
    if (memchr(text + at, ',', length - at)) return true;
    while (at < length && text[at] == ' ') at++;
    if (at + 1 < length && (text[at] == '-' || text[at] == '+')) at++;
    return at < length && (text[at] == '"' || (text[at] >= '0' && text[at] <= '9'));
}

/* Is '[' the first thing there? */
bool input_begins_list(const char *text, size_t length) {
    size_t at = 0;
    while (at < length &&
           (text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\n'))
        at++;
    return at < length && text[at] == '[';
}

#define AS_CHARACTERS                                                                              \
    ": a text that begins like a list is one, [1, 2] or [\"a\", \"b\"] (--string: a token a "      \
    "character)"

static bool read_text(Core *core, const RaspInput *input, Arena *arena, Tokens *tokens) {
    char error[256];
    const char *text = input->text ? input->text : "";
    size_t length = input->text ? input->length : 0, good = utf8_valid_prefix(text, length);
    ListReader r = {.text = text,
                    .at = text,
                    .end = text + length,
                    .arena = arena,
                    .error = error,
                    .error_size = sizeof error};
    if (good < length)
        return core_fail(core, RASP_WRONG_USE,
                         "expected UTF-8 text, found the byte 0x%02x at offset %zu",
                         (unsigned char)text[good], good);
    if (length == 0) return core_fail(core, RASP_WRONG_USE, "expected a non-empty string or list");
    bool may_be_list = input->form == RASP_AS_LIST ||
                       (input->form == RASP_AUTO && input_begins_list(text, length));
    if (may_be_list && read_list(&r)) {
        *tokens = (Tokens){.atoms = r.atoms, .count = r.count};
        return true;
    }
    bool asked = input->form == RASP_AS_LIST || r.out_of_range;
    if (asked || (may_be_list && input_means_list(text, length)))
        return core_fail(core, RASP_WRONG_USE, asked ? "%s" : "%s" AS_CHARACTERS, error);
    *tokens = (Tokens){.text = text, .length = length, .count = utf8_count(text, length)};
    return true;
}

/* Given atoms: floats must be finite, strings UTF-8, as those that are read. */
static bool check_atoms(Core *core, const RaspInput *input) {
    if (input->count == 0)
        return core_fail(core, RASP_WRONG_USE, "expected a non-empty string or list");
    for (size_t k = 0; k < input->count; k++) {
        RaspAtom atom = input->tokens[k];
        if (atom.kind == RASP_FLOAT && !isfinite(atom.as.f))
            return core_fail(core, RASP_WRONG_USE,
                             "expected finite numbers, found another as token %zu", k);
        if (atom.kind == RASP_STRING &&
            utf8_valid_prefix(atom.as.s.text, atom.as.s.length) < atom.as.s.length)
            return core_fail(core, RASP_WRONG_USE, "expected UTF-8 text, token %zu is not", k);
    }
    return true;
}

bool input_read(Core *core, const RaspInput *input, Arena *arena, Tokens *tokens) {
    if (!input->tokens) return read_text(core, input, arena, tokens);
    *tokens = (Tokens){.atoms = input->tokens, .count = input->count};
    return check_atoms(core, input);
}

RaspAtom tokens_next(const Tokens *tokens, size_t k, size_t *at) {
    if (!tokens->text) return tokens->atoms[k];
    const char *text = tokens->text + *at;
    size_t step = utf8_step(text, tokens->length - *at);
    *at += step;
    return (RaspAtom){RASP_STRING, {.s = {text, step}}};
}

/* --- for clients that want the tokens --------------------------------------------------- */

typedef struct Reading {
    const RaspInput *input;
    RaspAtom *copy;
    size_t count;
} Reading;

static size_t bytes_of(RaspAtom atom) {
    return atom.kind == RASP_STRING ? atom.as.s.length + 1 : 0;
}

/* One block: the atoms, then the bytes of their strings. */
static RaspAtom *copy_tokens(const Tokens *tokens) {
    size_t bytes = tokens->count * sizeof(RaspAtom);
    for (size_t k = 0, at = 0; k < tokens->count; k++)
        bytes += bytes_of(tokens_next(tokens, k, &at));
    RaspAtom *copy = malloc(bytes);
    if (!copy) return NULL;
    char *to = (char *)(copy + tokens->count);
    for (size_t k = 0, at = 0; k < tokens->count; k++) {
        copy[k] = tokens_next(tokens, k, &at);
        if (copy[k].kind != RASP_STRING) continue;
        memcpy(to, copy[k].as.s.text, copy[k].as.s.length);
        to[copy[k].as.s.length] = '\0';
        copy[k].as.s.text = to;
        to += bytes_of(copy[k]);
    }
    return copy;
}

static bool read_copy(Core *core, void *context) {
    Reading *r = context;
    Tokens tokens;
    if (!input_read(core, r->input, core->arena, &tokens)) return false;
    r->count = tokens.count;
    r->copy = copy_tokens(&tokens);
    return r->copy || core_fail(core, RASP_OUT_OF_MEMORY, "out of memory for an input");
}

RaspAtom *rasp_input_read(const RaspInput *input, const RaspConfig *config, size_t *count,
                          RaspError *error) {
    Core core;
    Reading reading = {input, NULL, 0};
    if (core_init(&core, config, error))
        core_call(&core, error, RASP_WRONG_USE, read_copy, &reading);
    core_clear(&core);
    *count = reading.count;
    return reading.copy;
}
