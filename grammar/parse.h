/* parse.h: a whole text → syntax tree.
 *
 * Every mistake of the text is reported to the sink, one message each, up to a score of
 * them; a text with a mistake gives NULL.  Nodes live in the arena.  Like everything that
 * allocates, these jump to the budget's guard when memory is used up (their own memory is
 * freed first).
 */
#ifndef RASP_GRAMMAR_PARSE_H
#define RASP_GRAMMAR_PARSE_H

#include "base/diag.h"
#include "grammar/ast.h"

/* What a parser works with; everything is borrowed. */
typedef struct ParseContext {
    Arena *arena;
    Intern *intern;
    const SourceMap *map;
    const DiagSink *sink;
} ParseContext;

/* An AST_BLOCK of all statements; several may stand on one line.  REPL commands, which have
 * no terminator, end with their line, as in a REPL. */
Ast *parse_file(const ParseContext *context, const Source *source);

/* One expression and nothing else, without a semicolon (`rasp run --expr`). */
Ast *parse_expression(const ParseContext *context, const Source *source);

#endif
