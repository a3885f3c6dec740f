#include "api/alphabet.h"

#include "api/input.h"
#include "api/value.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

/* --- what an alphabet must be ----------------------------------------------------------- */

static const char *kind_text(AtomKind kind) {
    static const char *const text[] = {
        [ATOM_BOOL] = "bool", [ATOM_INT] = "int", [ATOM_FLOAT] = "float", [ATOM_STRING] = "string"};
    return text[kind];
}

static int by_value(const void *a, const void *b) {
    return atom_compare_total(*(const Atom *const *)a, *(const Atom *const *)b);
}

static const char *show(const Setting *s, Atom token) {
    return atom_show(token, ATOM_QUOTED, s->program->core.arena);
}

static bool check(const Setting *s, const Alphabet *alphabet) {
    const Atom *tokens = alphabet->tokens;
    const Atom **sorted =
        ARENA_ARRAY(s->program->core.arena, (size_t)alphabet->count + 1, const Atom *);
    for (uint32_t k = 0; k < alphabet->count; k++) {
        if (tokens[k].kind != tokens[0].kind)
            return setting_refuse(s,
                                  "expected tokens of one kind, found the %s %s beside the %s %s",
                                  kind_text(tokens[k].kind), show(s, tokens[k]),
                                  kind_text(tokens[0].kind), show(s, tokens[0]));
        sorted[k] = &tokens[k];
    }
    qsort(sorted, alphabet->count, sizeof *sorted, by_value);
    for (uint32_t k = 1; k < alphabet->count; k++)
        if (atom_equal(*sorted[k - 1], *sorted[k]))
            return setting_refuse(s, "expected different tokens, found %s twice",
                                  show(s, *sorted[k]));
    return true;
}

/* --- texts ------------------------------------------------------------------------------ */

static bool read_input(const Setting *s, const RaspInput *input, Alphabet *alphabet) {
    Tokens tokens;
    Core *core = &s->program->core;
    if (!input_read(core, input, core->arena, &tokens)) return setting_blame(s);
    if (tokens.count > MOST_TOKENS)
        return setting_refuse(s, "expected at most %d tokens, found %zu", MOST_TOKENS,
                              tokens.count);
    Atom *atoms = ARENA_ARRAY(core->arena, tokens.count, Atom);
    for (size_t k = 0, at = 0; k < tokens.count; k++)
        atoms[k] = atom_in(tokens_next(&tokens, k, &at), session_intern(s->program->session));
    *alphabet = (Alphabet){atoms, (uint32_t)tokens.count};
    return check(s, alphabet);
}

static bool read_lines(const Setting *s, const char *path, const char *text, size_t length,
                       Alphabet *alphabet) {
    size_t room = 0, count = 0;
    Atom *tokens = NULL;
    for (const char *at = text, *end = text + length; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t size = (size_t)((newline ? newline : end) - at);
        if (size && at[size - 1] == '\r') size--;
        if (size == 0)
            return setting_refuse(s, "%s:%zu: expected a token, found an empty line", path,
                                  count + 1);
        if (count == MOST_TOKENS)
            return setting_refuse(s, "expected at most %d tokens in '%s'", MOST_TOKENS, path);
        tokens = arena_grow(s->program->core.arena, tokens, &room, count + 1, sizeof *tokens);
        tokens[count++] = atom_string(intern(session_intern(s->program->session), at, size));
        at = newline ? newline + 1 : end;
    }
    if (count == 0)
        return setting_refuse(s, "expected a token a line in '%s', which is empty", path);
    *alphabet = (Alphabet){tokens, (uint32_t)count};
    return check(s, alphabet);
}

static bool read_file(const Setting *s, const char *path, Alphabet *alphabet) {
    size_t length;
    const char *text = core_read(&s->program->core, path, &length);
    if (!text) return false;
    size_t good = utf8_valid_prefix(text, length);
    if (good < length)
        return setting_refuse(s, "expected UTF-8 text in '%s', found the byte 0x%02x at offset %zu",
                              path, (unsigned char)text[good], good);
    size_t blank = strspn(text, " \t\r\n");
    RaspInput list = {.text = text, .length = length, .form = RASP_AS_LIST};
    if (text[blank] == '[') return read_input(s, &list, alphabet);
    return read_lines(s, path, text, length, alphabet);
}

/* What begins like a list is none: the way out is not the one for inputs. */
static bool read_list(const Setting *s, Alphabet *alphabet) {
    RaspInput input = {.text = s->text, .length = strlen(s->text), .form = RASP_AS_LIST};
    Core *core = &s->program->core;
    Tokens tokens;
    if (input_read(core, &input, core->arena, &tokens)) return read_input(s, &input, alphabet);
    const char *found = arena_text(core->arena, core->error->text, strlen(core->error->text));
    if (core->error->status != RASP_WRONG_USE) return false;
    *core->error = (RaspError){0};
    return setting_refuse(s,
                          "%s: a list is written [1, 2] or [\"a\", \"b\"] (characters of which one "
                          "is '[': let another come first)",
                          found);
}

bool alphabet_read(const Setting *s, Alphabet *alphabet) {
    if (s->span.end == 0 && s->text[0] == '@') return read_file(s, s->text + 1, alphabet);
    RaspInput input = {.text = s->text, .length = strlen(s->text)};
    if (input_means_list(input.text, input.length)) return read_list(s, alphabet);
    return read_input(s, &input, alphabet);
}

bool alphabet_take(const Setting *s, const RaspAtom *tokens, size_t count, Alphabet *alphabet) {
    return read_input(s, &(RaspInput){.tokens = tokens, .count = count}, alphabet);
}

/* --- one token -------------------------------------------------------------------------- */

/* "abc", "[1, 2, 3]", cut to about `limit` tokens. */
static const char *alphabet_show(const Alphabet *alphabet, uint32_t limit, Arena *arena) {
    bool plain = true;
    for (uint32_t k = 0; k < alphabet->count; k++)
        plain &= alphabet->tokens[k].kind == ATOM_STRING && alphabet->tokens[k].s->chars == 1;
    const char *text = plain ? "\"" : "[";
    for (uint32_t k = 0; k < alphabet->count && k < limit; k++)
        text = arena_format(arena, "%s%s%s", text, k && !plain ? ", " : "",
                            atom_show(alphabet->tokens[k], plain ? ATOM_PLAIN : ATOM_JSON, arena));
    return arena_format(arena, "%s%s%s", text, alphabet->count > limit ? "..." : "",
                        plain ? "\"" : "]");
}

/* The text as the one element of a list, if it can be. */
static bool as_element(const Setting *s, Atom *atom) {
    Core *core = &s->program->core;
    Core quiet = *core;
    RaspError unwanted = {0};
    Tokens tokens;
    quiet.error = &unwanted;
    const char *list = arena_format(core->arena, "[%s]", s->text);
    RaspInput input = {.text = list, .length = strlen(list), .form = RASP_AS_LIST};
    if (!input_read(&quiet, &input, core->arena, &tokens) || tokens.count != 1) return false;
    *atom = atom_in(tokens.atoms[0], session_intern(s->program->session));
    return true;
}

bool alphabet_find(const Setting *s, const Alphabet *alphabet, int32_t *index) {
    size_t length = strlen(s->text);
    Atom wanted = {.kind = ATOM_BOOL};
    bool quoted = as_element(s, &wanted);
    for (uint32_t k = 0; k < alphabet->count; k++) {
        const Atom *token = &alphabet->tokens[k];
        bool same = token->kind == ATOM_STRING && token->s->length == length &&
                    memcmp(token->s->text, s->text, length) == 0;
        *index = (int32_t)k;
        if (same || (quoted && atom_same(*token, wanted))) return true;
    }
    return setting_refuse(s, "expected a token of the alphabet %s, found '%s'",
                          alphabet_show(alphabet, 40, s->program->core.arena), s->text);
}
