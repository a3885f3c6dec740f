/* The words of the language as editors want them: from the table behind `help` and the parser. */
#include "packaging/pages.h"

#include "api/rasp_words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 200 };

/* A kind of word, to be shown alike. */
typedef enum Kind { SIGN, OPERATOR, STATEMENT, COMMAND, INPUT, FUNCTION, OTHER, KINDS } Kind;

static Kind kind_of(const RaspWord *w) {
    static const Kind kinds[RASP_CATEGORIES] = {
        [RASP_WORD_INPUT] = INPUT,     [RASP_WORD_ATTENTION] = FUNCTION,
        [RASP_WORD_LIST] = FUNCTION,   [RASP_WORD_STATEMENT] = STATEMENT,
        [RASP_WORD_COMMAND] = COMMAND, [RASP_WORD_OPERATOR] = OPERATOR,
        [RASP_WORD_OTHER] = OTHER};
    Kind kind = kinds[w->category];
    return kind == OPERATOR && !isalpha((unsigned char)*w->name) ? SIGN : kind;
}

/* Longer ones first: a pattern takes the first that fits. */
static int compare_words(const void *a, const void *b) {
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    size_t m = strlen(x), n = strlen(y);
    return m != n ? (m < n ? 1 : -1) : strcmp(x, y);
}

static size_t words_of(Kind kind, const char **words) {
    RaspWord word;
    size_t count = 0, kept = 0;
    for (size_t k = 0; rasp_word(k, &word) && count < MOST; k++)
        if (kind_of(&word) == kind) words[count++] = word.name;
    qsort(words, count, sizeof *words, compare_words);
    for (size_t k = 0; k < count; k++)
        if (k == 0 || strcmp(words[k], words[k - 1]) != 0) words[kept++] = words[k];
    return kept;
}

/* Each with `escape` before the signs that are special. */
static void write_words(FILE *out, Kind kind, const char *between, const char *special,
                        const char *escape) {
    const char *words[MOST];
    size_t count = words_of(kind, words);
    for (size_t k = 0; k < count; k++) {
        if (k) fputs(between, out);
        for (const char *c = words[k]; *c; c++)
            fprintf(out, "%s%c", strchr(special, *c) ? escape : "", *c);
    }
}

/* A pattern of vim's after \V, in which only the backslash is special. */
static void write_vim(FILE *out, Kind kind) {
    write_words(out, kind, "\\|", "\\", "\\");
}

/* A pattern of Oniguruma's, in a JSON string. */
static void write_pattern(FILE *out, Kind kind) {
    write_words(out, kind, "|", "\\^$.|?*+()[]{}/", "\\\\");
}

#define PIECE(name, kind)                                                                          \
    static void vim_##name(FILE *out, const Subject *s) {                                          \
        (void)s, write_vim(out, kind);                                                             \
    }                                                                                              \
    static void pattern_##name(FILE *out, const Subject *s) {                                      \
        (void)s, write_pattern(out, kind);                                                         \
    }
PIECE(signs, SIGN)
PIECE(operators, OPERATOR)
PIECE(statements, STATEMENT)
PIECE(commands, COMMAND)
PIECE(inputs, INPUT)
PIECE(functions, FUNCTION)
PIECE(others, OTHER)

const Piece editor_pieces[] = {{"VIM-SIGNS", vim_signs},
                               {"VIM-OPERATORS", vim_operators},
                               {"VIM-STATEMENTS", vim_statements},
                               {"VIM-COMMANDS", vim_commands},
                               {"VIM-INPUTS", vim_inputs},
                               {"VIM-FUNCTIONS", vim_functions},
                               {"VIM-OTHERS", vim_others},
                               {"SIGNS", pattern_signs},
                               {"OPERATORS", pattern_operators},
                               {"STATEMENTS", pattern_statements},
                               {"COMMANDS", pattern_commands},
                               {"INPUTS", pattern_inputs},
                               {"FUNCTIONS", pattern_functions},
                               {"OTHERS", pattern_others},
                               {NULL, NULL}};
