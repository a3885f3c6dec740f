#include "grammar/parser.h"

#include "grammar/rasp_parse.h"

#define YYSTYPE RASP_STYPE
#define YYLTYPE RASP_LTYPE
#include "grammar/rasp_lex.h"

#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

enum { ERROR_LIMIT = 20 };

/* --- what tokens are -------------------------------------------------------------------- */

enum {
    ENDS_EXPRESSION = 1,
    BEGINS_STATEMENT = 2, /* and cannot go on with an expression */
    BEGINS_COMMAND = 4,
    OPENS = 8,
};

static const struct {
    int kind;
    unsigned traits;
} token_traits[] = {
    {TOK_NAME, ENDS_EXPRESSION | BEGINS_STATEMENT},
    {TOK_STRING, ENDS_EXPRESSION | BEGINS_STATEMENT},
    {TOK_INT, ENDS_EXPRESSION | BEGINS_STATEMENT},
    {TOK_FLOAT, ENDS_EXPRESSION | BEGINS_STATEMENT},
    {TOK_RPAREN, ENDS_EXPRESSION},
    {TOK_RBRACKET, ENDS_EXPRESSION},
    {TOK_RBRACE, ENDS_EXPRESSION},
    {TOK_LPAREN, OPENS},
    {TOK_LBRACKET, OPENS},
    {TOK_LBRACE, OPENS},
    {TOK_SELECT, OPENS | BEGINS_STATEMENT},
    {TOK_AGGREGATE, OPENS | BEGINS_STATEMENT},
    {TOK_BUILTIN_SEVERAL, OPENS | BEGINS_STATEMENT},
    {TOK_BUILTIN_ONE, OPENS | BEGINS_STATEMENT},
    {TOK_FUNCTION, BEGINS_STATEMENT},
    {TOK_NOT, BEGINS_STATEMENT},
    {TOK_LOAD, BEGINS_STATEMENT},
    {TOK_DRAW, BEGINS_STATEMENT},
    {TOK_DEF, BEGINS_STATEMENT},
    {TOK_FOR, BEGINS_STATEMENT},
    {TOK_RETURN, BEGINS_STATEMENT},
    {TOK_SET, BEGINS_STATEMENT | BEGINS_COMMAND},
    {TOK_SHOW, BEGINS_STATEMENT | BEGINS_COMMAND},
    {TOK_EXAMPLES, BEGINS_STATEMENT | BEGINS_COMMAND},
    {TOK_SOP, BEGINS_STATEMENT | BEGINS_COMMAND},
    {TOK_SELECTOR, BEGINS_STATEMENT | BEGINS_COMMAND},
    {TOK_FULL, BEGINS_STATEMENT | BEGINS_COMMAND},
    {TOK_EXIT, BEGINS_STATEMENT | BEGINS_COMMAND},
};

static bool has_trait(int kind, unsigned trait) {
    for (size_t k = 0; k < sizeof token_traits / sizeof *token_traits; k++)
        if (token_traits[k].kind == kind) return (token_traits[k].traits & trait) != 0;
    return false;
}

/* --- brackets --------------------------------------------------------------------------- */

static void open_bracket(Parser *p, Token token) {
    p->bracket = arena_grow(p->context.arena, p->bracket, &p->bracket_capacity, p->depth + 1,
                            sizeof *p->bracket);
    p->bracket[p->depth++] =
        (Bracket){.kind = token.kind, .span = token.span, .before = p->last, .late = p->recovering};
}

/* The depth at which the innermost brace stands, 0 if none is open. */
static size_t innermost_brace(const Parser *p) {
    size_t depth = p->depth;
    while (depth && p->bracket[depth - 1].kind != TOK_LBRACE) depth--;
    return depth;
}

static size_t innermost_block(const Parser *p) {
    size_t depth = p->depth;
    while (depth && !p->bracket[depth - 1].block) depth--;
    return depth;
}

/* What a token closes: the depth that is left once it is taken. */
static size_t depth_after(const Parser *p, int kind) {
    size_t depth = p->depth;
    int top = depth ? p->bracket[depth - 1].kind : 0;
    switch (kind) {
    case TOK_SEMICOLON: /* stands in a block or at top level, whatever is open */
        return innermost_block(p);
    case TOK_RBRACE:
    case TOK_END_OF_BLOCK:
        depth = innermost_brace(p);
        return depth ? depth - 1 : p->depth;
    case TOK_RBRACKET:
        return top == TOK_LBRACKET ? depth - 1 : depth;
    case TOK_RPAREN:
        return top && top != TOK_LBRACKET && top != TOK_LBRACE ? depth - 1 : depth;
    default:
        return depth;
    }
}

/* A '}' that ends a block is a token of its own. */
static int closing_kind(Parser *p) {
    size_t depth = innermost_brace(p);
    if (depth && !p->bracket[depth - 1].block) return TOK_RBRACE;
    p->block_is_bare = !depth || !p->bracket[depth - 1].content;
    return TOK_END_OF_BLOCK;
}

void parser_open_block(Parser *p) {
    if (!p->depth) return;
    p->bracket[p->depth - 1].block = true;
    p->bracket[p->depth - 1].late = false;
    p->recovering = false;
}

void parser_comment(Parser *p) {
    if (p->depth) p->bracket[p->depth - 1].content = true;
}

/* --- mistakes --------------------------------------------------------------------------- */

void parser_error(Parser *p, Span span, const char *format, ...) {
    if (p->recovering || p->stopped) return;
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    diag_error(p->context.sink, p->context.map, span, "%s", message);
    if (++p->errors >= p->error_limit) p->stopped = true;
}

void parser_recovered(Parser *p) {
    if (p->depth) p->bracket[p->depth - 1].content = true;
    p->recovering = p->torn = p->command = p->pending = false;
}

/* While text is skipped: a ';' within braces that were opened after the mistake does not end
 * the skipping, but their '}' then does, for they seem to hold a body.  False: leave the
 * token out. */
static bool wanted_in_recovery(Parser *p, Token *token) {
    if (token->kind != TOK_SEMICOLON && token->kind != TOK_RBRACE) return true;
    size_t depth = innermost_brace(p);
    if (!depth || !p->bracket[depth - 1].late) return true;
    if (token->kind == TOK_SEMICOLON) {
        p->bracket[depth - 1].semicolon = true;
        return false;
    }
    p->depth = depth - 1;
    token->kind = TOK_SEMICOLON;
    return p->bracket[depth - 1].semicolon;
}

/* --- tokens ----------------------------------------------------------------------------- */

static void push(Parser *p, Token token, const RASP_STYPE *value) {
    p->now = token;
    p->pending = true;
    if (has_trait(token.kind, OPENS)) open_bracket(p, token);
    if (has_trait(token.kind, BEGINS_COMMAND)) p->command = true;
    size_t depth = depth_after(p, token.kind);
    if (rasp_push_parse(p->state, token.kind, value, &token.span, p) != YYPUSH_MORE)
        p->stopped = true;
    if (depth < p->depth) p->depth = depth;
    p->before = p->last;
    p->last = token;
}

/* A token that is not in the text, at the end of the last one. */
static void push_virtual(Parser *p, int kind) {
    RASP_STYPE none = {0};
    push(p, (Token){kind, {p->last.span.end, p->last.span.end}}, &none);
}

void parser_line_end(Parser *p) {
    if (p->stopped) return;
    if (p->recovering && (p->torn || p->command))
        push_virtual(p, TOK_SEMICOLON);
    else if (p->command && parser_accepts(p, TOK_END_OF_COMMAND))
        push_virtual(p, TOK_END_OF_COMMAND);
}

/* A statement ends with its line, or with the block or text it stands in, but for its ';'. */
static bool lacks_semicolon(const Parser *p, int kind, bool begins_line) {
    if (p->recovering || !has_trait(p->last.kind, ENDS_EXPRESSION)) return false;
    bool ends = kind == TOK_END_OF_BLOCK || kind == TOK_YYEOF;
    if (!ends && !(begins_line && has_trait(kind, BEGINS_STATEMENT))) return false;
    return parser_accepts(p, TOK_SEMICOLON);
}

bool parser_lacks_semicolon(const Parser *p) {
    return p->pending && !p->depth && lacks_semicolon(p, TOK_YYEOF, true);
}

bool parser_begins_statement(int kind) {
    return has_trait(kind, BEGINS_STATEMENT);
}

static void add_semicolon(Parser *p) {
    Span behind = {p->last.span.end, p->last.span.end};
    if (p->relaxed)
        diag_report(p->context.sink, p->context.map,
                    &(Diag){.severity = DIAG_WARNING,
                            .span = behind,
                            .message = "expected ';' here: read as if there was one"});
    else
        parser_error(p, behind, "expected ';' after this statement");
    if (!p->stopped) push_virtual(p, TOK_SEMICOLON);
}

/* A ';' behind a command, or behind nothing at all. */
static bool is_spare(Parser *p, int kind) {
    if (!p->relaxed || p->recovering || kind != TOK_SEMICOLON || p->depth) return false;
    parser_line_end(p);
    return !p->pending;
}

static void take(Parser *p, Token token, const RASP_STYPE *value) {
    bool begins_line = p->newline;
    p->newline = false;
    if (begins_line) parser_line_end(p);
    if (token.kind == TOK_RBRACE) token.kind = closing_kind(p);
    if (lacks_semicolon(p, token.kind, begins_line)) add_semicolon(p);
    if (is_spare(p, token.kind)) return;
    if (p->recovering && !wanted_in_recovery(p, &token)) return;
    if (!p->stopped) push(p, token, value);
}

void parser_take(Parser *p, const char *text, uint32_t length, uint32_t base) {
    p->at = base;
    p->newline = true;
    if (length > INT_MAX) {
        parser_error(p, (Span){base, base}, "the text is too long: %u bytes, at most %d", length,
                     INT_MAX);
        return;
    }
    p->buffer = lexer__scan_bytes(text, (int)length, p->scanner);
    while (!p->stopped) {
        RASP_STYPE value = {0};
        Token token = {0, {p->at, p->at}};
        token.kind = lexer_lex(&value, &token.span, p->scanner);
        if (token.kind == TOK_YYEOF) break;
        take(p, token, &value);
    }
    lexer__delete_buffer(p->buffer, p->scanner);
    p->buffer = NULL;
}

void parser_end_expression(Parser *p) {
    if (!p->stopped) push_virtual(p, TOK_SEMICOLON);
}

void parser_end(Parser *p) {
    RASP_STYPE none = {0};
    p->newline = true;
    if (!p->stopped) take(p, (Token){TOK_YYEOF, {p->at, p->at}}, &none);
}

/* --- called from the grammar ------------------------------------------------------------ */

void parser_add(Parser *p, Ast *statement, bool has_lookahead) {
    if (!p->block) p->block = ast_leaf(p->context.arena, AST_BLOCK, SPAN_NONE);
    ast_append(p->context.arena, p->block, statement);
    p->pending = has_lookahead;
    p->command = has_lookahead && has_trait(p->now.kind, BEGINS_COMMAND);
}

Ast *parser_loop_body(Parser *p, Ast *block, Span span) {
    if (block->count == 0 && p->block_is_bare)
        parser_error(p, span, "expected at least one statement in the body of the loop");
    block->span = block->mark = span;
    return block;
}

Ast *parser_comparison(Parser *p, OpId op, Ast *left, Ast *right, Span left_span, Span op_span,
                       Span right_span) {
    bool bare = left->span.begin == left_span.begin;
    if (bare && left->kind == AST_BINARY && op_class(left->op) == OP_CLASS_COMPARISON)
        diag_report(p->context.sink, p->context.map,
                    &(Diag){.severity = DIAG_WARNING,
                            .span = op_span,
                            .message = "comparisons do not chain: a < b < c means (a < b) < c; "
                                       "write a < b and b < c, or the parentheses"});
    return ast_binary(p->context.arena, op, left, right, span_join(left_span, right_span), op_span);
}

/* --- the scanner's memory --------------------------------------------------------------- */

/* In front of each piece; aligned for whatever follows. */
typedef struct Piece {
    _Alignas(max_align_t) size_t size;
} Piece;

void *parser_alloc(Parser *p, size_t size) {
    Piece *piece = arena_block(p->memory, 1, sizeof *piece + size);
    piece->size = size;
    return piece + 1;
}

void parser_release(Parser *p, void *memory) {
    if (memory) arena_release(p->memory, (Piece *)memory - 1);
}

void *parser_realloc(Parser *p, void *memory, size_t size) {
    void *larger = parser_alloc(p, size);
    if (!memory) return larger;
    size_t before = ((Piece *)memory - 1)->size;
    memcpy(larger, memory, before < size ? before : size);
    parser_release(p, memory);
    return larger;
}

/* --- life ------------------------------------------------------------------------------- */

static void need(Parser *p, bool success) {
    if (!success) budget_stop(arena_budget(p->context.arena), BUDGET_OUT_OF_MEMORY);
}

void parser_init(Parser *p, const ParseContext *context) {
    *p = (Parser){
        .context = *context, .end_name = "the end of the file", .error_limit = ERROR_LIMIT};
    p->memory = arena_child(context->arena);
    need(p, lexer_lex_init_extra(p, &p->scanner) == 0);
    parser_restart(p);
}

void parser_restart(Parser *p) {
    if (p->buffer) lexer__delete_buffer(p->buffer, p->scanner);
    p->buffer = NULL;
    rasp_pstate_delete(p->state);
    p->state = rasp_pstate_new();
    need(p, p->state != NULL);
    p->now = p->last = p->before = (Token){0};
    p->depth = p->errors = 0;
    p->stopped = false;
    p->block = NULL;
    parser_recovered(p);
}

void parser_clear(Parser *p) {
    rasp_pstate_delete(p->state);
    p->state = NULL;
    arena_free(p->memory);
    p->memory = NULL;
    p->scanner = p->buffer = NULL;
}
