#include "grammar/ast.h"

static const char *const kind_name[AST_KIND_COUNT] = {
    [AST_NAME] = "name",
    [AST_STRING] = "string",
    [AST_INT] = "int",
    [AST_FLOAT] = "float",
    [AST_LIST] = "list",
    [AST_DICT] = "dict",
    [AST_LIST_COMPREHENSION] = "list-comprehension",
    [AST_DICT_COMPREHENSION] = "dict-comprehension",
    [AST_UNARY] = "unary",
    [AST_BINARY] = "binary",
    [AST_IN] = "in",
    [AST_TERNARY] = "if",
    [AST_SELECT] = "select",
    [AST_AGGREGATE] = "aggregate",
    [AST_BUILTIN] = "builtin",
    [AST_CALL] = "call",
    [AST_INDEX] = "index",
    [AST_SLICE] = "slice",
    [AST_EVALUATE] = "evaluate",
    [AST_ASSIGN] = "assign",
    [AST_DRAW] = "draw",
    [AST_LOAD] = "load",
    [AST_DEF] = "def",
    [AST_FOR] = "for",
    [AST_NAMES] = "names",
    [AST_EXPRESSIONS] = "expressions",
    [AST_BLOCK] = "block",
    [AST_SET_EXAMPLE] = "set-example",
    [AST_SHOW_EXAMPLE] = "show-example",
    [AST_EXAMPLES] = "examples",
    [AST_FULL_DISPLAY] = "full-seq-display",
    [AST_EXIT] = "exit",
};

const char *ast_kind_name(AstKind kind) {
    return kind_name[kind];
}
