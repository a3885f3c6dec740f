#include "grammar/ast_dump.h"

#include <inttypes.h>
#include <stdlib.h>

enum { STEP = 2, DEEPEST = 60 }; /* indentation: columns a block, at most */

typedef struct Frame {
    const Ast *ast;
    uint32_t next; /* the child to write next */
    int indent;
} Frame;

/* The fewest digits that read back to the same double. */
static void put_float(FILE *out, double value) {
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    fputs(text, out);
    bool plain = true;
    for (const char *c = text; *c; c++) plain = plain && *c >= '0' && *c <= '9';
    if (plain) fputs(".0", out);
}

static void put_string(FILE *out, const Str *s) {
    fputc('"', out);
    for (uint32_t k = 0; k < s->length; k++) {
        unsigned char c = (unsigned char)s->text[k];
        if (c < 0x20 || c == 0x7f)
            fprintf(out, "\\x%02x", c);
        else
            fprintf(out, c == '\\' ? "\\%c" : "%c", c);
    }
    fputc('"', out);
}

/* Writes a leaf whole; false: the node has children to come, or could have. */
static bool put_leaf(FILE *out, const Ast *ast) {
    switch (ast->kind) {
    case AST_NAME:
        fputs(ast->text->text, out);
        return true;
    case AST_STRING:
        put_string(out, ast->text);
        return true;
    case AST_INT:
        fprintf(out, "%" PRId64, ast->integer);
        return true;
    case AST_FLOAT:
        put_float(out, ast->real);
        return true;
    default:
        return false;
    }
}

static const char *head_word(const Ast *ast) {
    if (ast->kind == AST_UNARY || ast->kind == AST_BINARY) return op_spelling(ast->op);
    return ast->kind == AST_BUILTIN ? builtin_spelling(ast->builtin) : ast_kind_name(ast->kind);
}

static void put_head(FILE *out, const Ast *ast) {
    static const char *const target[] = {"both", "s-op", "selector"};
    fprintf(out, "(%s", head_word(ast));
    if (ast->kind == AST_SELECT) fprintf(out, " %s", op_spelling(ast->op));
    if (ast->kind == AST_DEF) fprintf(out, " %s", ast->text->text);
    if (ast->kind == AST_LOAD) fputc(' ', out), put_string(out, ast->text);
    if (ast->kind >= AST_SET_EXAMPLE && ast->kind <= AST_EXAMPLES)
        fprintf(out, " %s", target[ast->target]);
    if (ast->kind == AST_EXAMPLES || ast->kind == AST_FULL_DISPLAY)
        fputs(ast->on ? " on" : " off", out);
}

/* Statements begin a line, and so do a block and what follows it. */
static bool begins_line(const Ast *parent, uint32_t k) {
    if (parent->kind == AST_BLOCK) return true;
    return (parent->kind == AST_DEF && k >= 1) || (parent->kind == AST_FOR && k == 2);
}

static void put_separator(FILE *out, const Frame *frame) {
    if (begins_line(frame->ast, frame->next))
        fprintf(out, "\n%*s", frame->indent < DEEPEST ? frame->indent : DEEPEST, "");
    else
        fputc(' ', out);
}

void ast_dump(FILE *out, const Ast *ast, Arena *arena) {
    Frame *stack = NULL;
    size_t depth = 0, capacity = 0;
    if (!put_leaf(out, ast)) {
        put_head(out, ast);
        stack = arena_grow(arena, stack, &capacity, 1, sizeof *stack);
        stack[depth++] = (Frame){ast, 0, STEP};
    }
    while (depth) {
        Frame *top = &stack[depth - 1];
        if (top->next == top->ast->count) {
            fputc(')', out);
            depth--;
            continue;
        }
        put_separator(out, top);
        int indent = top->indent + (begins_line(top->ast, top->next) ? STEP : 0);
        const Ast *child = top->ast->child[top->next++];
        if (put_leaf(out, child)) continue;
        put_head(out, child);
        stack = arena_grow(arena, stack, &capacity, depth + 1, sizeof *stack);
        stack[depth++] = (Frame){child, 0, indent};
    }
    fputc('\n', out);
}
