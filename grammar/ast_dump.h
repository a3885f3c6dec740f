/* ast_dump.h: the syntax tree as S-expressions, for `--dump=ast` and golden files.
 *
 *     (block
 *       (assign (names x) (expressions (+ 1 (* y 2))))
 *       (def f (names a)
 *         (block)
 *         (expressions (call f a))))
 *
 * A child that is or holds a block, and the statements of a block, begin a line; everything
 * else stays on its line.  Trees of any depth: the walk keeps its own stack.
 */
#ifndef RASP_GRAMMAR_AST_DUMP_H
#define RASP_GRAMMAR_AST_DUMP_H

#include "grammar/ast.h"

#include <stdio.h>

void ast_dump(FILE *out, const Ast *ast, Arena *arena);

#endif
