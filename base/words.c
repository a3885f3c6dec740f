#include "base/words.h"

#include <string.h>

/* --- operators and builtins by id ------------------------------------------------------- */

static const struct {
    const char *spelling;
    OpClass class;
} operators[OP_COUNT] = {
#define OP(id, spelling, host, class, ...) [OP_##id] = {spelling, OP_CLASS_##class},
#include "base/op.def"
};

const char *op_spelling(OpId op) {
    return operators[op].spelling;
}

OpClass op_class(OpId op) {
    return operators[op].class;
}

OpId op_sign(OpId op) {
    for (OpId sign = 0; sign < OP_COUNT; sign++)
        if (operators[sign].class == OP_CLASS_SIGN &&
            strcmp(operators[sign].spelling, operators[op].spelling) == 0)
            return sign;
    return op;
}

const char *builtin_spelling(BuiltinId builtin) {
    static const char *const spelling[BUILTIN_COUNT] = {
#define BUILTIN(id, spelling, ...) [BUILTIN_##id] = spelling,
#include "base/builtin.def"
    };
    return spelling[builtin];
}

/* --- the list of words ------------------------------------------------------------------ */

#define USAGE_INFIX(spelling)    "x " spelling " y"
#define USAGE_PREFIX(spelling)   spelling " x"
#define USAGE_LOGIC              USAGE_INFIX
#define USAGE_COMPARISON         USAGE_INFIX
#define USAGE_SUM                USAGE_INFIX
#define USAGE_MODULO             USAGE_INFIX
#define USAGE_PRODUCT            USAGE_INFIX
#define USAGE_POWER              USAGE_INFIX
#define USAGE_SIGN               USAGE_PREFIX
#define USAGE_NOT                USAGE_PREFIX
#define USAGE_FUNCTION(spelling) spelling "(x)"
#define USAGE_LENGTH             USAGE_FUNCTION
#define USAGE_SLICE(spelling)    "x[a:b]   x[a:]   x[:b]"
#define USAGE_TERNARY(spelling)  "x " spelling " c else y"

#define COMPLETION_WORD(spelling)     spelling " "
#define COMPLETION_NONE(spelling)     NULL
#define COMPLETION_LOGIC              COMPLETION_WORD
#define COMPLETION_COMPARISON         COMPLETION_NONE
#define COMPLETION_SUM                COMPLETION_NONE
#define COMPLETION_MODULO             COMPLETION_NONE
#define COMPLETION_PRODUCT            COMPLETION_NONE
#define COMPLETION_POWER              COMPLETION_NONE
#define COMPLETION_SIGN               COMPLETION_NONE
#define COMPLETION_NOT                COMPLETION_WORD
#define COMPLETION_FUNCTION(spelling) spelling "("
#define COMPLETION_LENGTH             COMPLETION_NONE
#define COMPLETION_SLICE              COMPLETION_NONE
#define COMPLETION_TERNARY            COMPLETION_NONE

static const Word words[] = {
#define OP(id, spelling, host, class, pattern, traits, function, doc)                              \
    {spelling,                                                                                     \
     WORD_OPERATOR,                                                                                \
     false,                                                                                        \
     OP_LEVEL_##class,                                                                             \
     USAGE_##class(spelling),                                                                      \
     doc,                                                                                          \
     COMPLETION_##class(spelling)},
#include "base/op.def"
#define TOKENS(id, spelling, display, function, doc)                                               \
    {spelling, WORD_INPUT, true, 0, spelling, doc, spelling},
#define VALUE(spelling, category, function, usage, doc)                                            \
    {spelling, WORD_##category, true, 0, usage, doc, spelling},
#define BUILTIN(id, spelling, arguments, function, usage, doc)                                     \
    {spelling, WORD_LIST, true, 0, usage, doc, spelling "("},
#define NAME(spelling, category, usage, doc, reserved)                                             \
    {spelling, WORD_##category, reserved, 0, usage, doc, usage},
#include "base/builtin.def"
#define CALL(token, spelling, category, usage, doc)                                                \
    {spelling, WORD_##category, false, 0, usage, doc, spelling "("},
#define KEYWORD(token, spelling, category, completion, usage, doc)                                 \
    {spelling, WORD_##category, false, 0, usage, doc, completion},
#define PHRASE(token, name, category, usage, doc)                                                  \
    {name, WORD_##category, false, 0, usage, doc, NULL},
#include "base/form.def"
};

size_t word_count(void) {
    return sizeof words / sizeof *words;
}

const Word *word_at(size_t k) {
    return &words[k];
}

/* --- examples, and what may follow ------------------------------------------------------ */

const char *word_example(WordCategory category, size_t k) {
    static const struct {
        WordCategory category;
        const char *text;
    } examples[] = {
#define OVERVIEW(category, text) {WORD_##category, text},
#include "base/form.def"
    };
    for (size_t at = 0; at < sizeof examples / sizeof *examples; at++)
        if (examples[at].category == category && k-- == 0) return examples[at].text;
    return NULL;
}

const WordFollow *word_follow(size_t k) {
    static const WordFollow follows[] = {
#define FOLLOWS(line, text) {line, text},
#include "base/form.def"
    };
    return k < sizeof follows / sizeof *follows ? &follows[k] : NULL;
}
