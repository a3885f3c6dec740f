/* What a syntax error says: a table of foreseeable mistakes, else "expected …, found …". */
#include "grammar/parser.h"

#include "base/utf8.h"

#include "grammar/rasp_parse.h"

#include <stdio.h>
#include <string.h>

/* --- classes of tokens ------------------------------------------------------------------ */

static const int keywords[] = {
#define KEYWORD(token, ...) TOK_##token,
#define PHRASE(token, ...)  TOK_##token,
#include "base/form.def"
    TOK_LOGIC, TOK_NOT, TOK_FUNCTION, 0};
static const int commands[] = {TOK_SET,      TOK_SHOW, TOK_EXAMPLES, TOK_SOP,
                               TOK_SELECTOR, TOK_FULL, TOK_EXIT,     0};
static const int statements[] = {TOK_LOAD, TOK_DRAW, TOK_DEF, 0};
static const int expressions[] = {
    TOK_NAME,   TOK_STRING,          TOK_INT,         TOK_FLOAT,     TOK_LPAREN,
    TOK_LBRACE, TOK_LBRACKET,        TOK_SELECT,      TOK_AGGREGATE, TOK_NOT,
    TOK_SUM,    TOK_BUILTIN_SEVERAL, TOK_BUILTIN_ONE, TOK_FUNCTION,  0};
static const int comparisons[] = {TOK_COMPARISON, 0};
static const int operators[] = {TOK_SUM,        TOK_PRODUCT,  TOK_MODULO, TOK_POWER,
                                TOK_COMPARISON, TOK_LOGIC,    TOK_IN,     TOK_IF,
                                TOK_LPAREN,     TOK_LBRACKET, 0};
static const int numbers[] = {TOK_INT, TOK_FLOAT, 0};
static const int literals[] = {TOK_INT, TOK_FLOAT, TOK_STRING, TOK_RBRACE, 0};
static const int expression_ends[] = {TOK_NAME,   TOK_INT,      TOK_FLOAT,  TOK_STRING,
                                      TOK_RPAREN, TOK_RBRACKET, TOK_RBRACE, 0};
static const int callers[] = {TOK_SELECT, TOK_AGGREGATE, TOK_BUILTIN_SEVERAL, TOK_BUILTIN_ONE, 0};
static const int closers[] = {TOK_RPAREN, TOK_RBRACKET, TOK_RBRACE, 0};

static bool is_one_of(int kind, const int *set) {
    for (; *set; set++)
        if (*set == kind) return true;
    return false;
}

/* --- words for what was found ----------------------------------------------------------- */

enum { SHOWN = 24 }; /* bytes of a token that a message shows */

static const char *token_text(const Parser *p, Span span, int *length) {
    const Source *source = source_find(p->context.map, span);
    uint32_t size = span.end - span.begin;
    *length = 0;
    if (!source || span.begin - source->base + (uint64_t)size > source->length) return "";
    const char *text = source->text + (span.begin - source->base);
    if (size > SHOWN)
        for (size = SHOWN; size && ((unsigned char)text[size] & 0xc0) == 0x80;) size--;
    *length = (int)size;
    return text;
}

static void describe(const Parser *p, Token token, char *text, size_t size) {
    int length;
    const char *word = token_text(p, token.span, &length);
    const char *more = (uint32_t)length < token.span.end - token.span.begin ? "..." : "";
    if (token.kind == TOK_END_OF_COMMAND)
        snprintf(text, size, "the end of the line");
    else if (length == 0)
        snprintf(text, size, "%s", p->end_name);
    else if (is_one_of(token.kind, numbers))
        snprintf(text, size, "the number %.*s%s", length, word, more);
    else if (token.kind == TOK_STRING)
        snprintf(text, size, "the string %.*s%s", length, word, more);
    else
        snprintf(text, size, "%s'%.*s%s'",
                 token.kind == TOK_NAME            ? "the name "
                 : is_one_of(token.kind, keywords) ? "the keyword "
                                                   : "",
                 length, word, more);
}

/* --- foreseeable mistakes --------------------------------------------------------------- */

static bool in_braces(const Parser *p) {
    return p->depth > 0;
}

/* Does '=' (but not '==') follow the token? */
static bool before_assignment(const Parser *p) {
    const Source *source = source_find(p->context.map, p->now.span);
    if (!source) return false;
    const char *rest = source->text + (p->now.span.end - source->base);
    rest += strspn(rest, " \t");
    return rest[0] == '=' && rest[1] != '=';
}

/* Is the innermost open bracket that of `select (`, with a blank? */
static bool in_spaced_select(const Parser *p) {
    if (!p->depth || p->bracket[p->depth - 1].kind != TOK_LPAREN) return false;
    Token before = p->bracket[p->depth - 1].before;
    int length;
    const char *word = token_text(p, before.span, &length);
    return before.kind == TOK_NAME && length == 6 && memcmp(word, "select", 6) == 0;
}

/* Is the innermost open bracket that of a call?  (That of a definition's parameters too.) */
static bool in_call(const Parser *p) {
    if (!p->depth) return false;
    const Bracket *b = &p->bracket[p->depth - 1];
    bool behind_value = b->kind == TOK_LPAREN && is_one_of(b->before.kind, expression_ends);
    return behind_value || is_one_of(b->kind, callers);
}

/* As the paper has it. */
static bool assumes_bos(const Parser *p) {
    int length;
    const char *word = token_text(p, p->last.span, &length);
    return in_call(p) && length == 10 && memcmp(word, "assume_bos", 10) == 0;
}

/* Is the innermost open bracket that of `select(`, and has what stands in it a comparison? */
static bool compares_in_select(const Parser *p) {
    if (!p->depth || p->bracket[p->depth - 1].kind != TOK_SELECT) return false;
    const Source *source = source_find(p->context.map, p->now.span);
    if (!source) return false;
    uint32_t from = p->bracket[p->depth - 1].span.end, to = p->now.span.begin;
    for (const char *at = source->text + (from - source->base);
         from < to && *at != '#' && *at != '"'; at++, from++)
        if (strchr("=<>", *at)) return true;
    return false;
}

typedef enum Subject { NO_SUBJECT, SUBJECT_NOW, SUBJECT_LAST } Subject;

typedef struct Mistake {
    int now, last, before;              /* token kinds; 0: any */
    const int *now_class, *last_class;  /* NULL: any */
    int expected, unexpected;           /* could (not) stand here; 0: whatever */
    bool (*condition)(const Parser *p); /* NULL: none */
    Subject subject;                    /* which token's text begins the message */
    bool found;                         /* ", found …" ends it */
    const char *message;
} Mistake;

/* The first that fits is used. */
static const Mistake mistakes[] = {
    {.now = TOK_ASSIGN,
     .last_class = keywords,
     .subject = SUBJECT_LAST,
     .message = "is a keyword and cannot be a name"},
    {.now_class = keywords,
     .expected = TOK_NAME,
     .unexpected = TOK_INT,
     .subject = SUBJECT_NOW,
     .message = "is a keyword and cannot be a name"},
    {.now_class = keywords,
     .expected = TOK_NAME,
     .condition = before_assignment,
     .subject = SUBJECT_NOW,
     .message = "is a keyword and cannot be a name"},
    {.now = TOK_ASSIGN,
     .last = TOK_RBRACKET,
     .message = "only names can be assigned to: build a new list or dict instead of changing one"},
    {.now = TOK_ASSIGN, .last = TOK_RPAREN, .message = "only names can be assigned to"},
    {.now = TOK_ASSIGN, .last_class = literals, .message = "only names can be assigned to"},
    {.now = TOK_ASSIGN,
     .last = TOK_NAME,
     .expected = TOK_RPAREN,
     .unexpected = TOK_SUM,
     .message = "a parameter has no default value: every call gives every argument"},
    {.now = TOK_ASSIGN,
     .last = TOK_NAME,
     .condition = assumes_bos,
     .message = "arguments have no names; leave this one out: selector_width counts exactly, "
                "whether or not the input begins with a special token"},
    {.now = TOK_ASSIGN,
     .last = TOK_NAME,
     .condition = in_call,
     .message = "arguments have no names: write the values alone, in the order of the definition"},
    {.now = TOK_ASSIGN,
     .message = "'=' assigns, at the beginning of a statement; to compare, write '=='"},
    {.now = TOK_SEMICOLON,
     .expected = TOK_END_OF_COMMAND,
     .message = "a REPL command ends with its line, without ';'"},
    {.now = TOK_SEMICOLON, .last = TOK_SEMICOLON, .message = "nothing stands before this ';'"},
    {.now = TOK_SEMICOLON,
     .last = TOK_END_OF_COMMAND,
     .message = "a REPL command ends with its line, without ';'"},
    {.now = TOK_SEMICOLON,
     .last = TOK_END_OF_BLOCK,
     .message = "no ';' stands after the '}' of a function or loop"},
    {.last = TOK_SEMICOLON,
     .expected = TOK_END_OF_BLOCK,
     .unexpected = TOK_NAME,
     .found = true,
     .message = "expected '}' after the 'return' statement, which ends a function"},
    {.now = TOK_RETURN,
     .expected = TOK_DEF,
     .message = "'return' stands only at the end of a function"},
    {.now = TOK_END_OF_BLOCK,
     .expected = TOK_RETURN,
     .found = true,
     .message = "expected 'return ...;' at the end of the function"},
    {.now = TOK_LBRACE,
     .last = TOK_NAME,
     .before = TOK_DEF,
     .found = true,
     .message = "expected the parameters in parentheses, '()' if there are none"},
    {.now_class = commands,
     .condition = in_braces,
     .expected = TOK_DEF,
     .subject = SUBJECT_NOW,
     .message = "is a REPL command, which cannot stand in a function or loop"},
    {.now = TOK_IF,
     .expected = TOK_DEF,
     .message = "there is no 'if' statement: a choice is written 'a if condition else b'"},
    {.now_class = closers,
     .last = TOK_COMMA,
     .found = true,
     .message = "expected an expression after ','"},
    {.now_class = comparisons,
     .last = TOK_COMMA,
     .condition = in_spaced_select,
     .message = "an operator alone is no argument: write 'select(' without a blank before '('"},
    {.now_class = comparisons,
     .last = TOK_COMMA,
     .condition = compares_in_select,
     .message =
         "the comparison of 'select' stands once, alone, at the end: select(keys, queries, ==)"},
    {.now = TOK_RPAREN,
     .condition = compares_in_select,
     .message = "the comparison of 'select' stands alone, at the end: select(keys, queries, ==)"},
    {.now_class = comparisons,
     .last = TOK_COMMA,
     .condition = in_call,
     .subject = SUBJECT_NOW,
     .message = "alone is no argument, but of select(keys, queries, ==)"},
    {.now = TOK_COLON,
     .last = TOK_RPAREN,
     .expected = TOK_LBRACE,
     .message = "expected '{': a body stands in braces, found ':'"},
    {.expected = TOK_SEMICOLON,
     .unexpected = TOK_ASSIGN,
     .last_class = expression_ends,
     .found = true,
     .message = "expected ';' or an operator"},
};

static bool expects(const int *expected, int count, int kind) {
    for (int k = 0; k < count; k++)
        if (expected[k] == kind) return true;
    return false;
}

static bool fits(const Mistake *m, const Parser *p, const int *expected, int count) {
    if (m->now && m->now != p->now.kind) return false;
    if (m->last && m->last != p->last.kind) return false;
    if (m->before && m->before != p->before.kind) return false;
    if (m->now_class && !is_one_of(p->now.kind, m->now_class)) return false;
    if (m->last_class && !is_one_of(p->last.kind, m->last_class)) return false;
    if (m->expected && !expects(expected, count, m->expected)) return false;
    if (m->unexpected && expects(expected, count, m->unexpected)) return false;
    return !m->condition || m->condition(p);
}

static void report_mistake(Parser *p, const Mistake *m, const char *found) {
    int length = 0;
    Token subject = m->subject == SUBJECT_LAST ? p->last : p->now;
    const char *word = m->subject ? token_text(p, subject.span, &length) : "";
    parser_error(p, subject.span, "%s%.*s%s%s%s%s", m->subject ? "'" : "", length, word,
                 m->subject ? "' " : "", m->message, m->found ? ", found " : "",
                 m->found ? found : "");
}

/* --- expected … found … ----------------------------------------------------------------- */

/* Tokens that are named together when all of them could come; before the single ones. */
static const struct {
    const int *kind;
    const char *name;
} groups[] = {
    {statements, "a statement"},
    {expressions, "an expression"},
    {operators, NULL}, /* could come nearly anywhere: not worth a word */
    {comparisons, "a comparison"},
};

enum { NAMED = 5 }; /* what a message lists at most */

typedef struct Names {
    const char *name[NAMED + 1];
    int count;
} Names;

static void add_name(Names *names, const char *name) {
    if (name && names->count <= NAMED) names->name[names->count++] = name;
}

/* The operators that a kind of token stands for, one by one; else its own name. */
static void add_token(Names *names, int kind) {
    static const struct {
        int kind;
        const char *name;
    } spelled[] = {
    /* 0: no token of its own */
#define OP(id, spelling, host, class, ...) {TOK_##class, "'" spelling "'"},
#define TOK_SIGN                           0
#define TOK_TERNARY                        0
#define TOK_LENGTH                         0
#define TOK_SLICE                          0
#include "base/op.def"
    };
    int before = names->count;
    for (size_t k = 0; k < sizeof spelled / sizeof *spelled; k++)
        if (spelled[k].kind == kind) add_name(names, spelled[k].name);
    if (names->count == before) add_name(names, parser_token_name(kind));
}

/* Leaves out of `expected` what is in `set`; true if all of the set was there. */
static bool take_all(int *expected, int *count, const int *set) {
    for (const int *kind = set; *kind; kind++)
        if (!expects(expected, *count, *kind)) return false;
    int left = 0;
    for (int k = 0; k < *count; k++)
        if (!is_one_of(expected[k], set)) expected[left++] = expected[k];
    *count = left;
    return true;
}

static void collect_names(int *expected, int count, Names *names) {
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
        if (!take_all(expected, &count, groups[g].kind)) continue;
        add_name(names, groups[g].name);
        if (g > 0) continue;
        take_all(expected, &count, expressions);
        take_all(expected, &count, commands);
        int loop[] = {TOK_FOR, 0};
        take_all(expected, &count, loop);
    }
    for (int words = 0; words < 2; words++) /* punctuation first */
        for (int k = 0; k < count; k++)
            if ((expected[k] < TOK_SUM) == words) add_token(names, expected[k]);
    if (names->count == 0) add_name(names, "an operator");
}

static void list_names(const Names *names, char *text, size_t size) {
    size_t length = 0;
    bool cut = names->count > NAMED;
    for (int k = 0; k < names->count && k < NAMED && length < size; k++) {
        const char *joint = k == 0 ? "" : k + 1 == names->count ? " or " : ", ";
        length += (size_t)snprintf(text + length, size - length, "%s%s", joint, names->name[k]);
    }
    if (cut && length < size) snprintf(text + length, size - length, " ...");
}

/* A bracket on an earlier line that the mistake leaves open. */
static void note_open_bracket(Parser *p, const int *expected, int count) {
    if (!p->depth || p->errors >= p->error_limit) return;
    const Bracket *b = &p->bracket[p->depth - 1];
    int closer = b->kind == TOK_LBRACKET ? TOK_RBRACKET
                 : b->kind == TOK_LBRACE ? TOK_RBRACE
                                         : TOK_RPAREN;
    Place open, here;
    if (b->block || !expects(expected, count, closer)) return;
    if (!source_place(p->context.map, b->span, &open)) return;
    if (!source_place(p->context.map, p->now.span, &here) || open.text == here.text) return;
    diag_report(p->context.sink, p->context.map,
                &(Diag){.severity = DIAG_NOTE, .span = b->span, .message = "this is still open"});
}

/* "select(keys, queries, ==)", for `select(`. */
static const char *usage_of(const char *form, size_t length) {
    for (size_t k = 0; k < word_count(); k++)
        if (strlen(word_at(k)->name) == length && memcmp(word_at(k)->name, form, length) == 0)
            return word_at(k)->usage;
    return "";
}

/* How the form is written whose arguments are too few or too many. */
static void note_usage(Parser *p) {
    const Bracket *b = p->depth ? &p->bracket[p->depth - 1] : NULL;
    bool form = b && (b->kind == TOK_SELECT || b->kind == TOK_AGGREGATE);
    bool count = p->now.kind == TOK_RPAREN || p->now.kind == TOK_COMMA;
    if (!form || !count || p->errors >= p->error_limit) return;
    int length;
    Span word = {b->span.begin, b->span.end - 1};
    const char *text = token_text(p, word, &length);
    const char *usage = usage_of(text, (size_t)length);
    diag_report(p->context.sink, p->context.map,
                &(Diag){.severity = DIAG_NOTE,
                        .span = word,
                        .message = arena_format(p->context.arena, "it is written %s", usage)});
}

void parser_syntax_error(Parser *p, const int *expected, int count) {
    char found[64], listed[256];
    describe(p, p->now, found, sizeof found);
    for (size_t k = 0; k < sizeof mistakes / sizeof *mistakes; k++) {
        if (!fits(&mistakes[k], p, expected, count)) continue;
        report_mistake(p, &mistakes[k], found);
        p->recovering = true;
        return;
    }
    int rest[PARSER_TOKENS_MAX];
    memcpy(rest, expected, (size_t)count * sizeof *rest);
    Names names = {0};
    collect_names(rest, count, &names);
    list_names(&names, listed, sizeof listed);
    parser_error(p, p->now.span, "expected %s, found %s", listed, found);
    note_open_bracket(p, expected, count);
    note_usage(p);
    p->recovering = true;
}
