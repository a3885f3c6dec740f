#include "grammar/reader.h"

#include "base/utf8.h"
#include "grammar/parser.h"

#include <string.h>

struct Reader {
    Parser parser;
    DiagSink sink;
    DiagSink warnings;   /* relaxed: whom they are told */
    ReaderResult result; /* the mistake, while a line is taken */
    unsigned defs;
    bool begun;
};

static bool is_blank(char c) {
    return c && strchr(" \t\r\n\f\v", c);
}

/* The first message of the unit is its result; warnings are for files, and for people. */
static void keep_message(void *context, const SourceMap *map, const Diag *diag) {
    Reader *reader = context;
    if (diag->severity == DIAG_WARNING && reader->parser.relaxed)
        diag_report(&reader->warnings, map, diag);
    if (diag->severity != DIAG_ERROR || reader->result.status == READER_ERROR) return;
    Arena *arena = reader->parser.context.arena;
    reader->result =
        (ReaderResult){.status = READER_ERROR,
                       .message = arena_text(arena, diag->message, strlen(diag->message)),
                       .span = diag->span};
}

Reader *reader_new(const ParseContext *context) {
    Reader *reader = ARENA_NEW(context->arena, Reader);
    reader->sink = (DiagSink){keep_message, reader};
    ParseContext own = *context;
    Budget *budget = arena_budget(context->arena);
    BudgetGuard guard;
    own.sink = &reader->sink;
    if (!BUDGET_ENTER(budget, &guard)) {
        parser_clear(&reader->parser);
        budget_stop(budget, budget->stop);
    }
    parser_init(&reader->parser, &own);
    budget_leave(budget, &guard);
    reader->parser.error_limit = 1;
    return reader;
}

void reader_free(Reader *reader) {
    if (reader) parser_clear(&reader->parser);
}

void reader_relax(Reader *reader, const DiagSink *sink) {
    reader->parser.relaxed = sink != NULL;
    if (sink) reader->warnings = *sink;
}

void reader_drop(Reader *reader) {
    reader->defs = 0;
    reader->begun = false;
    parser_restart(&reader->parser); /* which memory may end: the next line does it then */
}

bool reader_is_fresh(const Reader *reader) {
    return !reader->begun;
}

unsigned reader_def_words(const Reader *reader) {
    return reader->defs;
}

static unsigned count_defs(const char *text, size_t length) {
    unsigned count = 0;
    for (size_t at = 0; at < length;) {
        size_t end = at;
        while (end < length && !is_blank(text[end])) end++;
        count += end - at == 3 && memcmp(text + at, "def", 3) == 0;
        at = end + 1;
    }
    return count;
}

static bool is_empty(const char *text, size_t length) {
    size_t at = 0;
    while (at < length && is_blank(text[at])) at++;
    return at == length;
}

static bool is_comment(const char *text, size_t length) {
    size_t at = 0;
    while (at < length && is_blank(text[at])) at++;
    return at < length && text[at] == '#';
}

static void take_line(Reader *reader, const char *text, uint32_t length, uint32_t base) {
    Parser *p = &reader->parser;
    if (is_comment(text, length)) return;
    if (!p->state) parser_restart(p); /* memory ran out when the last unit was dropped */
    reader->defs += count_defs(text, length);
    size_t good = utf8_valid_prefix(text, length);
    if (good < length) {
        parser_error(p, (Span){base + (uint32_t)good, base + (uint32_t)good + 1},
                     "expected UTF-8 text, found the byte 0x%02x at offset %zu of the line",
                     (unsigned char)text[good], good);
        return;
    }
    if (p->relaxed && is_empty(text, length) && parser_lacks_semicolon(p)) parser_end_expression(p);
    parser_take(p, text, length, base);
    parser_line_end(p);
}

/* Is the mistake the line's first word, which could begin a statement? */
static bool begins_anew(const Parser *p, const Source *source, uint32_t at) {
    Span wrong = p->now.span;
    if (!parser_begins_statement(p->now.kind) || wrong.begin < source->base + at) return false;
    return is_empty(source->text + at, wrong.begin - source->base - at);
}

static ReaderResult finish_line(Reader *reader) {
    const Parser *p = &reader->parser;
    ReaderResult result = reader->result;
    if (!p->errors && !p->pending && p->block) {
        bool one = p->block->count == 1;
        result.status = one ? READER_UNIT : READER_SEVERAL;
        result.unit = one ? p->block->child[0] : p->block;
    }
    if (p->relaxed && result.status == READER_MORE && !p->pending && !p->block)
        reader_drop(reader); /* nothing has begun */
    if (result.status != READER_MORE) reader_drop(reader);
    return result;
}

ReaderResult reader_line(Reader *reader, const Source *source, uint32_t at, uint32_t length) {
    Budget *budget = arena_budget(reader->parser.context.arena);
    BudgetGuard guard;
    bool goes_on = reader->begun;
    reader->begun = true;
    reader->result = (ReaderResult){.status = READER_MORE};
    if (BUDGET_ENTER(budget, &guard)) {
        take_line(reader, source->text + at, length, source->base + at);
        bool again = goes_on && reader->parser.relaxed && begins_anew(&reader->parser, source, at);
        ReaderResult result = finish_line(reader);
        result.again = result.status == READER_ERROR && again;
        budget_leave(budget, &guard);
        return result;
    }
    BudgetStop why = budget->stop;
    reader_drop(reader);
    budget_stop(budget, why);
}
