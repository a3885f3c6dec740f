/* words.h: every word and sign of the language that means something by itself, once.
 *
 * Three tables, each an X-macro file in which a row says all that is to be said of one thing:
 *
 *   op.def       elementwise operators     signs, `not`, `round(x)`
 *   builtin.def  values and functions      tokens, indices, `len(l)`
 *   form.def     keywords and forms        select, def, the REPL's commands
 *
 * Rooms above expand the columns they need: scan.c the spellings, to tokens; graph/op.c the
 * functions and traits; interp/eval/builtin.c what evaluates a builtin.  Here they become the
 * ids, and a list of words for help and completion.
 */
#ifndef RASP_BASE_WORDS_H
#define RASP_BASE_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* --- operators -------------------------------------------------------------------------- */

typedef enum OpId {
#define OP(id, ...) OP_##id,
#include "base/op.def"
    OP_COUNT
} OpId;

/* OP_CLASS(class, arity, level): where an operator stands, and how tightly it binds, from 1,
 * loosest, to 10 (language.md, Precedence).  But for TERNARY, SIGN, LENGTH and SLICE, each is a
 * token of rasp.y. */
#define OP_CLASSES(OP_CLASS)                                                                       \
    OP_CLASS(TERNARY, 3, 2)                                                                        \
    OP_CLASS(LOGIC, 2, 3)                                                                          \
    OP_CLASS(COMPARISON, 2, 4)                                                                     \
    OP_CLASS(SUM, 2, 5) /* a SIGN, too */                                                          \
    OP_CLASS(MODULO, 2, 6)                                                                         \
    OP_CLASS(PRODUCT, 2, 7)                                                                        \
    OP_CLASS(POWER, 2, 8)                                                                          \
    OP_CLASS(SIGN, 1, 9) /* before the operand, spelled like a SUM */                              \
    OP_CLASS(NOT, 1, 9)  /* before the operand */                                                  \
    OP_CLASS(FUNCTION, 1, 10)                                                                      \
    OP_CLASS(LENGTH, 1, 10) /* what the builtin `len(` is on s-ops */                              \
    OP_CLASS(SLICE, 3, 10)  /* behind the operand, in brackets */

typedef enum OpClass {
#define OP_CLASS(class, arity, level) OP_CLASS_##class,
    OP_CLASSES(OP_CLASS)
#undef OP_CLASS
} OpClass;

typedef enum OpArity {
#define OP_CLASS(class, arity, level) OP_ARITY_##class = arity,
    OP_CLASSES(OP_CLASS)
#undef OP_CLASS
} OpArity;

typedef enum OpLevel {
#define OP_CLASS(class, arity, level) OP_LEVEL_##class = level,
    OP_CLASSES(OP_CLASS)
#undef OP_CLASS
} OpLevel;

/* Outcomes of comparing two values, one bit each; unordered: a NaN is involved. */
typedef enum Outcome {
    OUTCOME_LESS = 1,
    OUTCOME_EQUAL = 2,
    OUTCOME_GREATER = 4,
    OUTCOME_UNORDERED = 8,
    OUTCOME_ANY = 15
} Outcome;

const char *op_spelling(OpId op);
OpClass op_class(OpId op);
/* The operator of class SIGN that is spelled like the SUM `op`. */
OpId op_sign(OpId op);

/* --- builtins --------------------------------------------------------------------------- */

typedef enum TokenType {
#define TOKENS(id, ...) TOKENS_##id,
#include "base/builtin.def"
    TOKENS_COUNT
} TokenType;

typedef enum BuiltinId {
#define BUILTIN(id, ...) BUILTIN_##id,
#include "base/builtin.def"
    BUILTIN_COUNT
} BuiltinId;

const char *builtin_spelling(BuiltinId builtin);

/* --- for help and completion ------------------------------------------------------------ */

typedef enum WordCategory {
    WORD_INPUT,
    WORD_ATTENTION,
    WORD_LIST,
    WORD_STATEMENT,
    WORD_COMMAND,
    WORD_OPERATOR,
    WORD_OTHER,
    WORD_CATEGORIES
} WordCategory;

typedef struct Word {
    const char *name; /* several words can share one: `-` with one operand and with two */
    WordCategory category;
    bool is_reserved;       /* a name that cannot be assigned to; keywords are no names */
    int level;              /* operators: how tightly it binds, 1 to 10; else 0 */
    const char *usage;      /* how it is written; NULL: another word, or nothing, tells */
    const char *help;       /* what it means, in a line */
    const char *completion; /* what Tab offers, where such a thing may stand; NULL: nothing */
} Word;

size_t word_count(void);
const Word *word_at(size_t k);

/* Examples of what a category has, for an overview; NULL after the last. */
const char *word_example(WordCategory category, size_t k);

/* Commands, word by word: after `line` may follow `text`; NULL after the last. */
typedef struct WordFollow {
    const char *line, *text;
} WordFollow;

const WordFollow *word_follow(size_t k);

#endif
