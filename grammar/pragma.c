#include "grammar/pragma.h"

#include <string.h>

typedef struct Pragmas {
    const Source *source;
    Arena *arena;
    Pragma *pairs;
    size_t count, room;
} Pragmas;

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static const char *skip_blanks(const char *at, const char *end) {
    while (at < end && is_blank(*at)) at++;
    return at;
}

static void add(Pragmas *p, const char *word, size_t length) {
    const char *equals = memchr(word, '=', length);
    size_t key = equals ? (size_t)(equals - word) : length;
    p->pairs = arena_grow(p->arena, p->pairs, &p->room, p->count + 1, sizeof *p->pairs);
    uint32_t begin = p->source->base + (uint32_t)(word - p->source->text);
    p->pairs[p->count++] =
        (Pragma){.key = arena_text(p->arena, word, key),
                 .value = equals ? arena_text(p->arena, equals + 1, length - key - 1) : NULL,
                 .span = {begin, begin + (uint32_t)length}};
}

/* A line `# rasp: key=value …`. */
static void read_line(Pragmas *p, const char *at, const char *end) {
    static const char mark[] = "rasp:";
    at = skip_blanks(at, end);
    if (at == end || *at != '#') return;
    at = skip_blanks(at + 1, end);
    if ((size_t)(end - at) < strlen(mark) || memcmp(at, mark, strlen(mark)) != 0) return;
    at = skip_blanks(at + strlen(mark), end);
    while (at < end) {
        const char *word = at;
        while (at < end && !is_blank(*at)) at++;
        add(p, word, (size_t)(at - word));
        at = skip_blanks(at, end);
    }
}

const Pragma *pragma_read(const Source *source, Arena *arena, size_t *count) {
    Pragmas p = {.source = source, .arena = arena};
    const char *end = source->text + source->length;
    for (const char *at = source->text; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        read_line(&p, at, stop);
        at = newline ? newline + 1 : end;
    }
    *count = p.count;
    return p.pairs;
}
