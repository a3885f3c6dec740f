/* Tokens → syntax tree (language.md sections 4 and 5).
 *
 * Operators and builtins are tokens by class, whose value is the row of op.def or builtin.def, so
 * that a new one needs no rule here.  Actions build a node and nothing else.  The `error`
 * productions say where to go on after a mistake; the message has been given by then (expect.c).
 */
%require "3.8"
%define api.pure full
%define api.push-pull push
%define api.prefix {rasp_}
%define api.token.prefix {TOK_}
%define api.value.type union
%define api.location.type {Span}
%define parse.error custom
%define parse.lac full
%expect 0
%param {Parser *p}

%code requires {
#include "grammar/parser.h"
}

%code {
#define ARENA p->context.arena

#define YYMAXDEPTH 100000

#define YYLLOC_DEFAULT(current, rhs, count)                                                        \
    ((current) = (count) ? span_join(YYRHSLOC(rhs, 1), YYRHSLOC(rhs, count))                       \
                         : (Span){YYRHSLOC(rhs, 0).end, YYRHSLOC(rhs, 0).end})

static void yyerror(const Span *span, Parser *p, const char *message);

/* The word of a fused token such as `select(`. */
static Span word(Span span) {
    return (Span){span.begin, span.end - 1};
}
}

%token <const Str *> NAME "a name" STRING "a string"
%token <int64_t> INT "an int"
%token <double> FLOAT "a float"
%token SET "'set'" SHOW "'show'" EXAMPLE "'example'" EXAMPLES "'examples'" SOP "'s-op'"
%token SELECTOR "'selector'" ON "'on'" OFF "'off'" FULL "'full seq display'" EXIT "'exit'"
%token LOAD "'load'" DRAW "'draw'" DEF "'def'" RETURN "'return'" FOR "'for'" IN "'in'"
%token IF "'if'" ELSE "'else'"
%token <OpId> LOGIC "'and'" NOT "'not'" FUNCTION "a function of numbers"
%token SELECT "'select('" AGGREGATE "'aggregate('"
%token <BuiltinId> BUILTIN_SEVERAL "a function of lists" BUILTIN_ONE "a function of a list"
%token <OpId> SUM "'+'" PRODUCT "'*'" MODULO "'%'" POWER "'^'" COMPARISON "a comparison"
%token ASSIGN "'='"
%token LPAREN "'('" RPAREN "')'" LBRACKET "'['" RBRACKET "']'" LBRACE "'{'" RBRACE "'}'"
%token COMMA "','" COLON "':'" SEMICOLON "';'"
%token END_OF_BLOCK "the '}' of the block" END_OF_COMMAND "the end of the line"
%token YYEOF 0 "the end"

%type <Ast *> statement plain function loop item items body block
%type <Ast *> expression bound names parameters expressions arguments pairs command
%type <AstTarget> target
%type <bool> switch

/* Loosest first.  COMMAND: `set example x` goes on as long as it can. */
%precedence COMMAND
%left IN
%left IF
%left LOGIC
%left COMPARISON
%left SUM
%left MODULO
%left PRODUCT
%left POWER
%precedence PREFIX
%precedence LPAREN LBRACKET

%%

program:
  %empty
| program statement             { parser_add(p, $2, yychar != TOK_RASP_EMPTY); }
;

statement:
  plain
| command END_OF_COMMAND
| command
| error SEMICOLON               { yyerrok; parser_recovered(p); $$ = NULL; }
| error END_OF_BLOCK            { yyerrok; parser_recovered(p); $$ = NULL; }
;

plain:
  expression SEMICOLON
    { $$ = AST(ARENA, AST_EVALUATE, @$, $1->mark, $1); }
| names ASSIGN expressions SEMICOLON
    { $$ = AST(ARENA, AST_ASSIGN, @$, @1, $1, $3); }
| DRAW LPAREN expression RPAREN SEMICOLON
    { $$ = AST(ARENA, AST_DRAW, @$, @1, $3); }
| DRAW LPAREN expression COMMA expression RPAREN SEMICOLON
    { $$ = AST(ARENA, AST_DRAW, @$, @1, $3, $5); }
| LOAD STRING SEMICOLON
    { $$ = ast_text(ARENA, AST_LOAD, $2, @2); $$->span = @$; }
| function
| loop
;

function:
  DEF NAME LPAREN parameters RPAREN body
    { $$ = $6 ? ast_define($6, $2, $4, @$, @2) : NULL; }
| DEF error body                { $$ = NULL; }
| DEF error SEMICOLON           { yyerrok; parser_recovered(p); $$ = NULL; }
;

/* A DEF node still without its name and parameters. */
body:
  LBRACE open items RETURN expressions SEMICOLON END_OF_BLOCK
    { $$ = AST(ARENA, AST_DEF, @$, @4, NULL, $3, $5); }
| LBRACE open items RETURN error SEMICOLON END_OF_BLOCK
    { yyerrok; parser_recovered(p); $$ = NULL; }
| LBRACE open items RETURN expressions SEMICOLON error END_OF_BLOCK
    { yyerrok; parser_recovered(p); $$ = NULL; }
| LBRACE open items error END_OF_BLOCK
    { yyerrok; parser_recovered(p); $$ = NULL; }
;

loop:
  FOR names IN expression block
    { $$ = AST(ARENA, AST_FOR, @$, @1, $2, $4, $5); }
| FOR error block               { $$ = NULL; }
| FOR error SEMICOLON           { yyerrok; parser_recovered(p); $$ = NULL; }
;

block:
  LBRACE open items END_OF_BLOCK
    { $$ = parser_loop_body(p, $3, @$); }
| LBRACE open items error END_OF_BLOCK
    { yyerrok; parser_recovered(p); $$ = $3; }
;

open:
  %empty                        { yyerrok; parser_open_block(p); }
;

items:
  %empty                        { $$ = ast_leaf(ARENA, AST_BLOCK, @$); }
| items item                    { $$ = ast_append(ARENA, $1, $2); }
;

item:
  plain
| error SEMICOLON               { yyerrok; parser_recovered(p); $$ = NULL; }
;

command:
  SET EXAMPLE expression %prec COMMAND
    { $$ = AST(ARENA, AST_SET_EXAMPLE, @$, @1, $3); }
| SET target EXAMPLE expression %prec COMMAND
    { $$ = ast_with_target(AST(ARENA, AST_SET_EXAMPLE, @$, @1, $4), $2); }
| SHOW EXAMPLE
    { $$ = ast_leaf(ARENA, AST_SHOW_EXAMPLE, @$); }
| SHOW target EXAMPLE
    { $$ = ast_with_target(ast_leaf(ARENA, AST_SHOW_EXAMPLE, @$), $2); }
| EXAMPLES switch
    { $$ = ast_with_on(ast_leaf(ARENA, AST_EXAMPLES, @$), $2); }
| target EXAMPLES switch
    { $$ = ast_with_on(ast_leaf(ARENA, AST_EXAMPLES, @$), $3); $$->target = $1; }
| FULL switch
    { $$ = ast_with_on(ast_leaf(ARENA, AST_FULL_DISPLAY, @$), $2); }
| EXIT
    { $$ = ast_leaf(ARENA, AST_EXIT, @$); }
;

target:
  SOP                           { $$ = AST_SOP; }
| SELECTOR                      { $$ = AST_SELECTOR; }
;

switch:
  ON                            { $$ = true; }
| OFF                           { $$ = false; }
;

names:
  NAME
    { $$ = AST(ARENA, AST_NAMES, @$, @$, ast_text(ARENA, AST_NAME, $1, @1)); }
| names COMMA NAME
    { $$ = ast_append(ARENA, $1, ast_text(ARENA, AST_NAME, $3, @3)); }
;

parameters:
  %empty                        { $$ = ast_leaf(ARENA, AST_NAMES, @$); }
| names
;

expressions:
  expression
    { $$ = AST(ARENA, AST_EXPRESSIONS, @$, @$, $1); }
| expressions COMMA expression
    { $$ = ast_append(ARENA, $1, $3); }
;

arguments:
  %empty                        { $$ = ast_leaf(ARENA, AST_EXPRESSIONS, @$); }
| expressions
;

bound:
  %empty                        { $$ = NULL; }
| expression
;

pairs:
  expression COLON expression
    { $$ = AST(ARENA, AST_DICT, @$, @$, $1, $3); }
| pairs COMMA expression COLON expression
    { $$ = ast_append(ARENA, ast_append(ARENA, $1, $3), $5); }
;

expression:
  NAME                          { $$ = ast_text(ARENA, AST_NAME, $1, @$); }
| STRING                        { $$ = ast_text(ARENA, AST_STRING, $1, @$); }
| INT                           { $$ = ast_int(ARENA, $1, @$); }
| FLOAT                         { $$ = ast_float(ARENA, $1, @$); }
| LPAREN expression RPAREN      { $$ = $2; }
| LBRACKET arguments RBRACKET   { $$ = ast_become($2, AST_LIST, @$, @$); }
| LBRACKET expression FOR names IN expression RBRACKET
    { $$ = AST(ARENA, AST_LIST_COMPREHENSION, @$, @3, $4, $6, $2); }
| LBRACE RBRACE                 { $$ = ast_leaf(ARENA, AST_DICT, @$); }
| LBRACE pairs RBRACE           { $$ = ast_become($2, AST_DICT, @$, @$); }
| LBRACE expression COLON expression FOR names IN expression RBRACE
    { $$ = AST(ARENA, AST_DICT_COMPREHENSION, @$, @5, $6, $8, $2, $4); }
| expression LBRACKET expression RBRACKET
    { $$ = AST(ARENA, AST_INDEX, @$, span_join(@2, @4), $1, $3); }
| expression LBRACKET bound COLON bound RBRACKET
    { $$ = ast_slice(ARENA, $1, $3, $5, @$, span_join(@2, @6)); }
| expression LPAREN arguments RPAREN
    { $$ = ast_call(ARENA, $1, $3, @$); }
| SELECT expression COMMA expression COMMA COMPARISON RPAREN
    { $$ = ast_with_op(AST(ARENA, AST_SELECT, @$, word(@1), $2, $4), $6); }
| AGGREGATE expression COMMA expression RPAREN
    { $$ = AST(ARENA, AST_AGGREGATE, @$, word(@1), $2, $4); }
| AGGREGATE expression COMMA expression COMMA expression RPAREN
    { $$ = AST(ARENA, AST_AGGREGATE, @$, word(@1), $2, $4, $6); }
| BUILTIN_SEVERAL expressions RPAREN
    { $$ = ast_with_builtin(ast_become($2, AST_BUILTIN, @$, word(@1)), $1); }
| BUILTIN_ONE expression RPAREN
    { $$ = ast_with_builtin(AST(ARENA, AST_BUILTIN, @$, word(@1), $2), $1); }
| FUNCTION LPAREN expression RPAREN { $$ = ast_unary(ARENA, $1, $3, @$, @1); }
| NOT expression %prec PREFIX   { $$ = ast_unary(ARENA, $1, $2, @$, @1); }
| SUM expression %prec PREFIX   { $$ = ast_unary(ARENA, op_sign($1), $2, @$, @1); }
| expression SUM expression     { $$ = ast_binary(ARENA, $2, $1, $3, @$, @2); }
| expression PRODUCT expression { $$ = ast_binary(ARENA, $2, $1, $3, @$, @2); }
| expression MODULO expression  { $$ = ast_binary(ARENA, $2, $1, $3, @$, @2); }
| expression POWER expression   { $$ = ast_binary(ARENA, $2, $1, $3, @$, @2); }
| expression LOGIC expression   { $$ = ast_binary(ARENA, $2, $1, $3, @$, @2); }
| expression COMPARISON expression
    { $$ = parser_comparison(p, $2, $1, $3, @1, @2, @3); }
| expression IN expression
    { $$ = AST(ARENA, AST_IN, @$, @2, $1, $3); }
| expression IF expression ELSE expression %prec IF
    { $$ = AST(ARENA, AST_TERNARY, @$, @2, $3, $1, $5); }
;

%%

static void yyerror(const Span *span, Parser *p, const char *message) {
    (void)message; /* the only one is that the stack has reached YYMAXDEPTH */
    parser_error(p, *span, "nested too deeply: more than %d constructs are open here",
                 YYMAXDEPTH);
}

/* The tokens among the first `count` symbols. */
static int token_kinds(const yysymbol_kind_t *symbols, int count, int *kinds) {
    int found = 0;
    for (int kind = TOK_NAME; kind <= TOK_END_OF_COMMAND; kind++)
        for (int k = 0; k < count; k++)
            if (symbols[k] == YYTRANSLATE(kind)) kinds[found++] = kind;
    return found;
}

bool parser_accepts(const Parser *p, int kind) {
    yysymbol_kind_t symbols[PARSER_TOKENS_MAX];
    int count = yypstate_expected_tokens(p->state, symbols, PARSER_TOKENS_MAX);
    for (int k = 0; k < count; k++)
        if (symbols[k] == YYTRANSLATE(kind)) return true;
    return false;
}

const char *parser_token_name(int kind) {
    return yysymbol_name(YYTRANSLATE(kind));
}

static int yyreport_syntax_error(const yypcontext_t *context, Parser *p) {
    yysymbol_kind_t symbols[PARSER_TOKENS_MAX];
    int kinds[PARSER_TOKENS_MAX];
    int count = yypcontext_expected_tokens(context, symbols, PARSER_TOKENS_MAX);
    parser_syntax_error(p, kinds, token_kinds(symbols, count, kinds));
    return 0;
}
