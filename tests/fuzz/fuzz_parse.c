/* Any bytes as a file and as lines of a REPL: a tree or messages, no crash,
 * no leak. */
#include "api/handle.h"
#include "grammar/ast_dump.h"
#include "grammar/reader.h"
#include "tests/fuzz/fuzz.h"

enum { LONGEST = 10 }; /* CPU seconds */

static void silent(void *context, const SourceMap *map, const Diag *diag) {
    RaspMessage notes[4], message = message_of(map, diag, notes, 4);
    char *text = rasp_message_show(&message, true);
    fputs(text, context);
    rasp_free(text);
}

static void feed(Reader *reader, const Source *source) {
    for (uint32_t at = 0; at < source->length;) {
        const char *end = memchr(source->text + at, '\n', source->length - at);
        uint32_t length = end ? (uint32_t)(end - source->text) + 1 - at : source->length - at;
        reader_line(reader, source, at, length);
        at += length;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Budget budget;
    BudgetGuard guard;
    Reader *volatile reader = NULL;
    FILE *volatile nowhere = fopen("/dev/null", "w");
    if (!nowhere) abort();
    fuzz_limit(LONGEST);
    budget_init(&budget, (size_t)64 << 20);
    Arena *volatile arena = NULL;
    if (BUDGET_ENTER(&budget, &guard)) {
        arena = arena_new(&budget);
        SourceMap *map = source_map_new(arena);
        DiagSink sink = {silent, nowhere};
        ParseContext context = {arena, intern_new(arena), map, &sink};
        const Source *source = source_add(map, "fuzz", (const char *)data, size);
        const Ast *file = parse_file(&context, source);
        if (file) ast_dump(nowhere, file, arena);
        parse_expression(&context, source);
        reader = reader_new(&context);
        feed(reader, source);
        budget_leave(&budget, &guard);
    }
    reader_free(reader);
    arena_free(arena);
    fclose(nowhere);
    fuzz_limit(0);
    return 0;
}
