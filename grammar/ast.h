/* ast.h: the syntax tree.
 *
 * One node type for everything; what the children are depends on the kind (table below).
 * Nodes, and the strings in them, live in the session's arena.  Parentheses leave no node.
 *
 *   kind                   children                                      other fields
 *   NAME STRING            -                                             text
 *   INT                    -                                             integer
 *   FLOAT                  -                                             real
 *   LIST                   elements
 *   DICT                   key, value, key, value, …
 *   LIST_COMPREHENSION     NAMES, source, element
 *   DICT_COMPREHENSION     NAMES, source, key, value
 *   UNARY                  operand                                       op (not - + round ...)
 *   BINARY                 left, right                                   op
 *   IN                     left, right
 *   TERNARY                condition, value if true, value if false
 *   SELECT                 keys, queries                                 op (a comparison)
 *   AGGREGATE              selector, values[, default]
 *   BUILTIN                arguments                                     builtin (range, len ...)
 *   CALL                   function, arguments …
 *   INDEX                  container, index
 *   SLICE                  container, from[, to]
 *   EVALUATE               expression                                    (a statement `e;`)
 *   ASSIGN                 NAMES, EXPRESSIONS
 *   DRAW                   expression[, input]
 *   LOAD                   -                                             text (the path)
 *   DEF                    NAMES (parameters), BLOCK, EXPRESSIONS        text (the name)
 *   FOR                    NAMES, source, BLOCK
 *   NAMES                  NAME …
 *   EXPRESSIONS            expression …
 *   BLOCK                  statements …
 *   SET_EXAMPLE            expression                                    target
 *   SHOW_EXAMPLE           -                                             target
 *   EXAMPLES               -                                             target, on
 *   FULL_DISPLAY           -                                             on
 *   EXIT                   -
 */
#ifndef RASP_GRAMMAR_AST_H
#define RASP_GRAMMAR_AST_H

#include "base/intern.h"
#include "base/source.h"
#include "base/words.h"

typedef enum AstKind {
    AST_NAME,
    AST_STRING,
    AST_INT,
    AST_FLOAT,
    AST_LIST,
    AST_DICT,
    AST_LIST_COMPREHENSION,
    AST_DICT_COMPREHENSION,
    AST_UNARY,
    AST_BINARY,
    AST_IN,
    AST_TERNARY,
    AST_SELECT,
    AST_AGGREGATE,
    AST_BUILTIN,
    AST_CALL,
    AST_INDEX,
    AST_SLICE,
    AST_EVALUATE,
    AST_ASSIGN,
    AST_DRAW,
    AST_LOAD,
    AST_DEF,
    AST_FOR,
    AST_NAMES,
    AST_EXPRESSIONS,
    AST_BLOCK,
    AST_SET_EXAMPLE,
    AST_SHOW_EXAMPLE,
    AST_EXAMPLES,
    AST_FULL_DISPLAY,
    AST_EXIT,
    AST_KIND_COUNT
} AstKind;

/* Which running example a REPL command means. */
typedef enum AstTarget { AST_BOTH, AST_SOP, AST_SELECTOR } AstTarget;

typedef struct Ast {
    AstKind kind;
    union {
        OpId op;
        BuiltinId builtin;
    };
    AstTarget target;
    bool on;
    Span span; /* the whole construct */
    Span mark; /* what a message points at: the operator, the called name …; else = span */
    union {
        const Str *text;
        int64_t integer;
        double real;
    };
    uint32_t count;
    struct Ast **child;
} Ast;

/* How the tree is spelled in dumps: "list-comprehension". */
const char *ast_kind_name(AstKind kind);

#endif
