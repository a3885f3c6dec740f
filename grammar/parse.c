#include "grammar/parse.h"

#include "base/utf8.h"
#include "grammar/parser.h"

#include "grammar/rasp_parse.h"

#include <string.h>

static bool is_utf8(const ParseContext *context, const Source *source) {
    size_t good = utf8_valid_prefix(source->text, source->length);
    if (good == source->length) return true;
    uint32_t at = source->base + (uint32_t)good;
    diag_error(context->sink, context->map, (Span){at, at + 1},
               "expected UTF-8 text, found the byte 0x%02x at offset %zu",
               (unsigned char)source->text[good], good);
    return false;
}

/* Editors on some systems put a byte order mark in front. */
static uint32_t mark_size(const Source *source) {
    return source->length >= 3 && memcmp(source->text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

static void take_source(Parser *p, const Source *source) {
    uint32_t skip = mark_size(source);
    parser_take(p, source->text + skip, source->length - skip, source->base + skip);
}

static Ast *finish_file(Parser *p, const Source *source) {
    take_source(p, source);
    parser_end(p);
    if (p->errors >= p->error_limit)
        diag_report(p->context.sink, p->context.map,
                    &(Diag){.severity = DIAG_NOTE,
                            .message = "too many mistakes, the rest of the text was not read"});
    if (p->errors) return NULL;
    if (!p->block) p->block = ast_leaf(p->context.arena, AST_BLOCK, SPAN_NONE);
    p->block->span = p->block->mark = (Span){source->base, source->base + source->length};
    return p->block;
}

static Ast *finish_expression(Parser *p, const Source *source) {
    Span all = {source->base, source->base + source->length};
    take_source(p, source);
    if (!p->errors && p->last.kind == 0) parser_error(p, all, "expected an expression");
    if (p->pending) parser_end_expression(p);
    parser_end(p);
    if (p->errors) return NULL;
    bool one = p->block && p->block->count == 1;
    if (one && p->block->child[0]->kind == AST_EVALUATE) return p->block->child[0]->child[0];
    diag_error(p->context.sink, p->context.map, all, "expected one expression, found %s",
               one ? "another kind of statement" : "several statements");
    return NULL;
}

typedef Ast *Finish(Parser *p, const Source *source);

static Ast *parse(const ParseContext *context, const Source *source, const char *end_name,
                  Finish *finish) {
    if (!is_utf8(context, source)) return NULL;
    Budget *budget = arena_budget(context->arena);
    Parser *p = ARENA_NEW(context->arena, Parser);
    BudgetGuard guard;
    if (BUDGET_ENTER(budget, &guard)) {
        parser_init(p, context);
        p->end_name = end_name;
        Ast *result = finish(p, source);
        budget_leave(budget, &guard);
        parser_clear(p);
        return result;
    }
    parser_clear(p);
    budget_stop(budget, budget->stop);
}

Ast *parse_file(const ParseContext *context, const Source *source) {
    return parse(context, source, "the end of the file", finish_file);
}

Ast *parse_expression(const ParseContext *context, const Source *source) {
    return parse(context, source, "the end of the expression", finish_expression);
}
