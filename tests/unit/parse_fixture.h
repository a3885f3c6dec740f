/* parse_fixture.h: a parser's surroundings for a test: memory, sources, collected messages.
 * Without a guard: running out of memory aborts the test. */
#ifndef RASP_TESTS_PARSE_FIXTURE_H
#define RASP_TESTS_PARSE_FIXTURE_H

#include "grammar/ast_dump.h"
#include "grammar/parse.h"
#include "grammar/reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

typedef struct Fixture {
    Budget budget;
    Arena *arena;
    ParseContext context;
    SourceMap *map;
    DiagSink sink;
    char *messages; /* "line:column: severity: message\n" each */
    size_t size;
    FILE *out;
} Fixture;

static inline void note(void *context, const SourceMap *map, const Diag *diag) {
    static const char *const word[] = {"", "warning: ", "note: "};
    Fixture *f = context;
    Place place;
    if (source_place(map, diag->span, &place)) fprintf(f->out, "%u:%u: ", place.line, place.column);
    fprintf(f->out, "%s%s\n", word[diag->severity], diag->message);
}

static inline void open_fixture(Fixture *f) {
    *f = (Fixture){0};
    budget_init(&f->budget, (size_t)1 << 30);
    f->arena = arena_new(&f->budget);
    f->map = source_map_new(f->arena);
    f->sink = (DiagSink){note, f};
    f->context = (ParseContext){f->arena, intern_new(f->arena), f->map, &f->sink};
    f->out = open_memstream(&f->messages, &f->size);
}

static inline void close_fixture(Fixture *f) {
    arena_free(f->arena);
    assert_int_equal(f->budget.used, 0);
    fclose(f->out);
    free(f->messages);
}

static inline const Source *add(Fixture *f, const char *text, size_t length) {
    return source_add(f->map, "test.rasp", text, length);
}

/* The dump without its newlines and indentation; freed by the caller. */
static inline char *dump(const Ast *ast, Arena *arena) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    ast_dump(out, ast, arena);
    fclose(out);
    char *to = text;
    for (const char *from = text; *from; from++) {
        bool blank = *from == '\n' || *from == ' ';
        if (!blank || (to > text && to[-1] != ' ')) *to++ = blank ? ' ' : *from;
    }
    while (to > text && to[-1] == ' ') to--;
    *to = '\0';
    return text;
}

#endif
