/* parser.h: what scanner, grammar and driver share; for the files of grammar/ alone.
 *
 *     text ──rasp.l──▶ tokens ──parser.c──▶ tokens ──rasp.y──▶ tree
 *
 * The generated parser is a push parser: parser.c takes tokens from the scanner and hands
 * them on, which lets it do what neither of the other two can:
 *   - tell the '}' of a block from that of a dict, so that recovery stops at the former only;
 *   - end a REPL command, which has no terminator, where its line ends;
 *   - see that a ';' is missing at the end of a line, say so and go on as if it stood there.
 */
#ifndef RASP_GRAMMAR_PARSER_H
#define RASP_GRAMMAR_PARSER_H

#include "grammar/ast_build.h"
#include "grammar/parse.h"

typedef struct Token {
    int kind;
    Span span;
} Token;

/* An open bracket. */
typedef struct Bracket {
    int kind;
    Span span;
    Token before;   /* the token in front of it */
    bool block;     /* a '{' that opens the body of a function or loop */
    bool late;      /* opened while text was being skipped after a mistake */
    bool semicolon; /* late, and a ';' was skipped in it: it seems to be a block */
    bool content;   /* a comment stands in it, or a statement with a mistake */
} Bracket;

typedef struct Parser {
    ParseContext context;
    const char *end_name; /* what the end of the text is called in messages */
    unsigned error_limit; /* stop after so many mistakes */
    bool relaxed;         /* see reader.h: a ';' too many or too few is no mistake */

    Arena *memory; /* of the scanner, which loses pieces when an allocation fails */
    void *scanner; /* yyscan_t */
    void *buffer;  /* YY_BUFFER_STATE, while a text is scanned */
    struct rasp_pstate *state;
    uint32_t at;  /* map offset of the next byte to scan */
    bool newline; /* a line has begun since the last token */
    bool torn;    /* a string was not closed: the rest of its line is lost */

    Token now, last, before; /* the token being parsed and the two in front of it */
    Bracket *bracket;
    size_t depth, bracket_capacity;
    bool block_is_bare; /* the block just closed holds no comment either */

    bool command;    /* the tokens since the last statement began like a REPL command */
    bool recovering; /* text is skipped after a mistake: report nothing */
    bool stopped;    /* take no more tokens */
    unsigned errors;

    Ast *block;   /* the statements so far; NULL: none */
    bool pending; /* tokens of an unfinished statement have been taken */
} Parser;

/* parser.c: the driver. */
void parser_init(Parser *p, const ParseContext *context);
void parser_restart(Parser *p); /* forgets everything taken so far */
void parser_clear(Parser *p);
/* Takes all tokens of a text whose first byte has the map offset `base`. */
void parser_take(Parser *p, const char *text, uint32_t length, uint32_t base);
void parser_line_end(Parser *p);              /* ends a complete REPL command */
void parser_end_expression(Parser *p);        /* as if ';' stood here */
bool parser_lacks_semicolon(const Parser *p); /* and nothing else: a ';' would end a statement */
void parser_end(Parser *p);                   /* the text is all */

/* parser.c: called from the grammar's actions and from the scanner. */
void parser_add(Parser *p, Ast *statement, bool has_lookahead);
void parser_open_block(Parser *p);
Ast *parser_loop_body(Parser *p, Ast *block, Span span);
/* left op right; the spans are those of the three in the text, with parentheses. */
Ast *parser_comparison(Parser *p, OpId op, Ast *left, Ast *right, Span left_span, Span op_span,
                       Span right_span);
void parser_recovered(Parser *p);
void parser_comment(Parser *p);
void parser_error(Parser *p, Span span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* parser.c: the scanner's memory; a failure is the budget's. */
void *parser_alloc(Parser *p, size_t size);
void *parser_realloc(Parser *p, void *memory, size_t size);
void parser_release(Parser *p, void *memory);

/* rasp.y's epilogue. */
enum { PARSER_TOKENS_MAX = 96 };
/* Could a token of this kind come next? */
bool parser_accepts(const Parser *p, int kind);
const char *parser_token_name(int kind);
bool parser_begins_statement(int kind);

/* expect.c: "expected …, found …" for the token p->now. */
void parser_syntax_error(Parser *p, const int *expected, int count);

#endif
