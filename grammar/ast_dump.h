/* ast_dump.h: the syntax tree as S-expressions, for `--dump=ast` and golden files.
 *
 *     (block
 *       (assign (names x) (expressions (+ 1 (* y 2))))
 *       (def f (names a)
 *         (block)
 *         (expressions (call f a))))
 *
 * Statements begin a line, and so do a block and what follows it in a `def`; everything else
 * stays on its line.  Trees of any depth: the walk keeps its own stack.
 */
#ifndef RASP_GRAMMAR_AST_DUMP_H
#define RASP_GRAMMAR_AST_DUMP_H

#include "grammar/ast.h"

#include <stdio.h>

void ast_dump(FILE *out, const Ast *ast, Arena *arena);

#endif
