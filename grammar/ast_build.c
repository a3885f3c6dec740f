#include "grammar/ast_build.h"

#include <string.h>

static size_t room_for(size_t count) {
    size_t room = 1;
    while (room < count) room *= 2;
    return room;
}

Ast *ast_leaf(Arena *arena, AstKind kind, Span span) {
    Ast *ast = ARENA_NEW(arena, Ast);
    ast->kind = kind;
    ast->span = ast->mark = span;
    return ast;
}

Ast *ast_new(Arena *arena, AstKind kind, Span span, Span mark, Ast *const *child, size_t count) {
    Ast *ast = ast_leaf(arena, kind, span);
    ast->mark = mark;
    ast->count = (uint32_t)count;
    ast->child = ARENA_ARRAY(arena, room_for(count), Ast *);
    memcpy(ast->child, child, count * sizeof *child);
    return ast;
}

Ast *ast_text(Arena *arena, AstKind kind, const Str *text, Span span) {
    Ast *ast = ast_leaf(arena, kind, span);
    ast->text = text;
    return ast;
}

Ast *ast_int(Arena *arena, int64_t integer, Span span) {
    Ast *ast = ast_leaf(arena, AST_INT, span);
    ast->integer = integer;
    return ast;
}

Ast *ast_float(Arena *arena, double real, Span span) {
    Ast *ast = ast_leaf(arena, AST_FLOAT, span);
    ast->real = real;
    return ast;
}

Ast *ast_append(Arena *arena, Ast *list, Ast *child) {
    if (!child) return list;
    if (list->count == 0 || list->count == room_for(list->count)) {
        Ast **larger = ARENA_ARRAY(arena, room_for((size_t)list->count + 1), Ast *);
        if (list->count) memcpy(larger, list->child, list->count * sizeof *larger);
        list->child = larger;
    }
    list->child[list->count++] = child;
    list->span = list->mark = span_join(list->span, child->span);
    return list;
}

Ast *ast_become(Ast *list, AstKind kind, Span span, Span mark) {
    list->kind = kind;
    list->span = span;
    list->mark = mark;
    return list;
}

Ast *ast_unary(Arena *arena, OpId op, Ast *operand, Span span, Span mark) {
    return ast_with_op(AST(arena, AST_UNARY, span, mark, operand), op);
}

Ast *ast_binary(Arena *arena, OpId op, Ast *left, Ast *right, Span span, Span mark) {
    return ast_with_op(AST(arena, AST_BINARY, span, mark, left, right), op);
}

Ast *ast_define(Ast *def, const Str *name, Ast *parameters, Span span, Span mark) {
    def->child[0] = parameters;
    def->text = name;
    def->span = span;
    def->mark = mark;
    return def;
}

Ast *ast_slice(Arena *arena, Ast *container, Ast *from, Ast *to, Span span, Span mark) {
    Ast *slice = AST(arena, AST_SLICE, span, mark, container);
    ast_append(arena, slice, from ? from : ast_int(arena, 0, mark));
    ast_append(arena, slice, to);
    return ast_become(slice, AST_SLICE, span, mark);
}

Ast *ast_call(Arena *arena, Ast *function, const Ast *arguments, Span span) {
    Ast *call = AST(arena, AST_CALL, span, function->span, function);
    call->count = arguments->count + 1;
    call->child = ARENA_ARRAY(arena, room_for(call->count), Ast *);
    call->child[0] = function;
    if (arguments->count)
        memcpy(call->child + 1, arguments->child, arguments->count * sizeof(Ast *));
    return call;
}

Ast *ast_with_op(Ast *ast, OpId op) {
    ast->op = op;
    return ast;
}

Ast *ast_with_builtin(Ast *ast, BuiltinId builtin) {
    ast->builtin = builtin;
    return ast;
}

Ast *ast_with_target(Ast *ast, AstTarget target) {
    ast->target = target;
    return ast;
}

Ast *ast_with_on(Ast *ast, bool on) {
    ast->on = on;
    return ast;
}
