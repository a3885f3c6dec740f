/* rasp_words.h: the words of the language, from the tables that its scanner reads: for help,
 * completion and editors.  Names of the library are no words: a session knows them (rasp_repl.h).
 */
#ifndef RASP_WORDS_H
#define RASP_WORDS_H

#include "rasp.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum RaspCategory {
    RASP_WORD_INPUT,
    RASP_WORD_ATTENTION,
    RASP_WORD_LIST,
    RASP_WORD_STATEMENT,
    RASP_WORD_COMMAND,
    RASP_WORD_OPERATOR,
    RASP_WORD_OTHER,
    RASP_CATEGORIES
} RaspCategory;

typedef struct RaspWord {
    const char *name; /* several words can share one: `-` with one operand and with two */
    RaspCategory category;
    bool is_reserved;       /* a name that cannot be assigned to; keywords are no names */
    int level;              /* operators: how tightly it binds, 1 to 10; else 0 */
    const char *usage;      /* how it is written; NULL: another word, or nothing, tells */
    const char *help;       /* what it means, in a line */
    const char *completion; /* what Tab offers, where such a thing may stand; NULL: nothing */
} RaspWord;

/* The k-th word; false behind the last. */
RASP_API bool rasp_word(size_t k, RaspWord *word);
/* Examples of what a category has, for an overview; NULL behind the last. */
RASP_API const char *rasp_word_example(RaspCategory category, size_t k);
/* Commands, word by word: after `line` may follow `text`; false behind the last. */
RASP_API bool rasp_word_follow(size_t k, const char **line, const char **text);

#ifdef __cplusplus
}
#endif

#endif
