/* ast_build.h: the constructors that the grammar's actions call, one a node.
 *
 * A list of children grows in place: its array holds the next power of two of its count.
 * Children that are NULL (what an error production leaves) are not added.
 */
#ifndef RASP_GRAMMAR_AST_BUILD_H
#define RASP_GRAMMAR_AST_BUILD_H

#include "grammar/ast.h"

/* A node with the given children. */
#define AST(arena, kind, span, mark, ...)                                                          \
    ast_new(arena, kind, span, mark, (Ast *[]){__VA_ARGS__},                                       \
            sizeof((Ast *[]){__VA_ARGS__}) / sizeof(Ast *))

Ast *ast_new(Arena *arena, AstKind kind, Span span, Span mark, Ast *const *child, size_t count);
Ast *ast_leaf(Arena *arena, AstKind kind, Span span);
Ast *ast_text(Arena *arena, AstKind kind, const Str *text, Span span);
Ast *ast_int(Arena *arena, int64_t integer, Span span);
Ast *ast_float(Arena *arena, double real, Span span);

/* Adds a child and lets the list's span reach to the child's end. */
Ast *ast_append(Arena *arena, Ast *list, Ast *child);
Ast *ast_unary(Arena *arena, OpId op, Ast *operand, Span span, Span mark);
Ast *ast_binary(Arena *arena, OpId op, Ast *left, Ast *right, Span span, Span mark);
/* container[from:to]; NULL: from the beginning, to the end. */
Ast *ast_slice(Arena *arena, Ast *container, Ast *from, Ast *to, Span span, Span mark);
Ast *ast_call(Arena *arena, Ast *function, const Ast *arguments, Span span);

/* A list of expressions becomes the node that holds them. */
Ast *ast_become(Ast *list, AstKind kind, Span span, Span mark);
/* A DEF that has its body already gets the rest. */
Ast *ast_define(Ast *def, const Str *name, Ast *parameters, Span span, Span mark);

/* Set one field and give the node back. */
Ast *ast_with_op(Ast *ast, OpId op);
Ast *ast_with_builtin(Ast *ast, BuiltinId builtin);
Ast *ast_with_target(Ast *ast, AstTarget target);
Ast *ast_with_on(Ast *ast, bool on);

#endif
