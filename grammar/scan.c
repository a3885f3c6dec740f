#include "grammar/scan.h"

#include "base/utf8.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void scan_out_of_memory(Parser *p) {
    budget_stop(arena_budget(p->context.arena), BUDGET_OUT_OF_MEMORY);
}

/* --- words and signs -------------------------------------------------------------------- */

typedef struct Lexeme {
    const char *text;
    size_t length;
    int kind;    /* 0: another row with this text is the token */
    int id;      /* operators: OpId; builtins: BuiltinId */
    bool called; /* a token together with the '(' behind it */
} Lexeme;

#define LEXEME(text, kind, id, called) {text, sizeof text - 1, kind, id, called},

static const Lexeme lexemes[] = {
#define KEYWORD(token, spelling, ...) LEXEME(spelling, TOK_##token, 0, false)
#define CALL(token, spelling, ...)    LEXEME(spelling, TOK_##token, 0, true)
#include "base/form.def"
#define BUILTIN(id, spelling, arguments, ...)                                                      \
    LEXEME(spelling, TOK_BUILTIN_##arguments, BUILTIN_##id, true)
#include "base/builtin.def"
#define TOK_SIGN                           0
#define TOK_TERNARY                        0
#define TOK_LENGTH                         0
#define TOK_SLICE                          0
#define OP(id, spelling, host, class, ...) LEXEME(spelling, TOK_##class, OP_##id, false)
#include "base/op.def"
    LEXEME("=", TOK_ASSIGN, 0, false) LEXEME(":", TOK_COLON, 0, false)};

static int find_lexeme(const char *text, size_t length, bool called, RASP_STYPE *value) {
    for (size_t k = 0; k < sizeof lexemes / sizeof *lexemes; k++) {
        const Lexeme *l = &lexemes[k];
        if (l->length != length || l->called != called || !l->kind) continue;
        if (memcmp(text, l->text, length) != 0) continue;
        /* Members of a union: all classes of operators, and both of builtins, are one type. */
        if (called)
            value->TOK_BUILTIN_ONE = (BuiltinId)l->id;
        else
            value->TOK_LOGIC = (OpId)l->id;
        return l->kind;
    }
    return 0;
}

int scan_word(Parser *p, const char *text, size_t *length, RASP_STYPE *value) {
    bool called = text[*length - 1] == '(';
    size_t size = *length - called;
    int kind = called ? find_lexeme(text, size, true, value) : 0;
    if (kind) return kind;
    *length = size;
    kind = find_lexeme(text, size, false, value);
    if (kind) return kind;
    value->TOK_NAME = scan_name(p, text, size);
    return TOK_NAME;
}

const Str *scan_name(Parser *p, const char *text, size_t length) {
    return intern(p->context.intern, text, length);
}

int64_t scan_int(Parser *p, const char *text, Span span) {
    errno = 0;
    long long value = strtoll(text, NULL, 10);
    if (errno != ERANGE) return value;
    parser_error(p, span, "an int fits in 64 bits: at most %lld, found a larger one",
                 (long long)INT64_MAX);
    return 0;
}

double scan_float(Parser *p, const char *text, Span span) {
    double value = strtod(text, NULL);
    if (isfinite(value)) return value;
    parser_error(p, span, "a float is at most 1.8e308, found a larger one");
    return 0;
}

/* --- mistakes --------------------------------------------------------------------------- */

static int mistake(Parser *p) {
    p->recovering = true;
    return TOK_RASP_error;
}

int scan_unclosed(Parser *p, Span span) {
    parser_error(p, span, "expected '\"' at the end of this string before the line ends");
    p->torn = true;
    return mistake(p);
}

int scan_single_quoted(Parser *p, const char *text, size_t length, Span span) {
    parser_error(p, span, "unknown character ''': strings stand in double quotes (\")");
    if (length == 1 || text[length - 1] != '\'') p->torn = true;
    return mistake(p);
}

int scan_bad_number(Parser *p, const char *text, Span span) {
    if (strpbrk(text, "eE"))
        parser_error(p, span, "a number has no exponent: write %.20s with all its digits", text);
    else
        parser_error(p, span, "a float has digits on both sides of one '.', found '%.20s'", text);
    return mistake(p);
}

/* Operators of other languages. */
static const struct {
    const char *text, *hint;
} foreign[] = {
    {"**", "a power is written '^'"},
    {"//", "a comment begins with '#'; for a whole quotient write (a - a % b) / b"},
    {"&&", "write 'and'"},
    {"&", "write 'and'"},
    {"||", "write 'or'"},
    {"|", "write 'or'"},
    {"!", "write 'not'"},
    {"?", "a choice is written 'a if condition else b'"},
    {":=", "write '='"},
    {"<>", "write '!='"},
    {"!==", "write '!='"},
    {"=>", "write '>='"},
    {"=<", "write '<='"},
    {"===", "write '=='"},
    {"->", "there are no annotations"},
};

/* Reports the signs if they are one of those. */
static bool is_foreign(Parser *p, const char *text, size_t length, Span span) {
    span.end = span.begin + (uint32_t)length;
    for (size_t k = 0; k < sizeof foreign / sizeof *foreign; k++) {
        if (strlen(foreign[k].text) != length || memcmp(text, foreign[k].text, length)) continue;
        parser_error(p, span, "unknown operator '%s': %s", foreign[k].text, foreign[k].hint);
        return true;
    }
    if (length != 2 || text[1] != '=' || !strchr("+-*/%^", text[0])) return false;
    parser_error(p, span, "unknown operator '%.2s': write 'x = x %c ...'", text, text[0]);
    return true;
}

/* The longest that there is. */
int scan_signs(Parser *p, const char *text, size_t *length, RASP_STYPE *value, Span span) {
    for (; *length; --*length) {
        int kind = find_lexeme(text, *length, false, value);
        if (kind) return kind;
        if (is_foreign(p, text, *length, span)) return mistake(p);
    }
    *length = 1;
    return scan_unknown(p, text, 1, (Span){span.begin, span.begin + 1});
}

/* Look-alikes that text from elsewhere brings along. */
static const struct {
    uint32_t code_point;
    const char *hint;
} lookalikes[] = {
    {0x00a0, ": a no-break space, write a blank"},
    {0x200b, ": a zero-width space, remove it"},
    {0xfeff, ": a byte order mark, remove it"},
    {0x2018, ": strings stand in double quotes (\")"},
    {0x2019, ": strings stand in double quotes (\")"},
    {0x201c, ": strings stand in plain double quotes (\")"},
    {0x201d, ": strings stand in plain double quotes (\")"},
    {0x2212, ": minus is written '-'"},
    {0x2013, ": minus is written '-'"},
    {0x00d7, ": times is written '*'"},
    {0x2264, ": write '<='"},
    {0x2265, ": write '>='"},
    {0x2260, ": write '!='"},
};

int scan_unknown(Parser *p, const char *text, size_t length, Span span) {
    unsigned char c = (unsigned char)text[0];
    const char *hint = "";
    if (c >= 0x80) {
        uint32_t code_point = utf8_decode(text);
        for (size_t k = 0; k < sizeof lookalikes / sizeof *lookalikes; k++)
            if (lookalikes[k].code_point == code_point) hint = lookalikes[k].hint;
        parser_error(p, span, "unknown character '%.*s' (U+%04X)%s", (int)length, text, code_point,
                     hint);
    } else if (c < 0x20 || c == 0x7f)
        parser_error(p, span, "unknown character 0x%02x", c);
    else
        parser_error(p, span, "unknown character '%c'", c);
    return mistake(p);
}
