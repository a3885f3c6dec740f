#include "cli/complete.h"

#include <string.h>

typedef struct Offers {
    const char *prefix;
    void (*offer)(void *to, const char *word);
    void *to;
} Offers;

static void consider(const Offers *o, const char *word) {
    if (word && strncmp(word, o->prefix, strlen(o->prefix)) == 0) o->offer(o->to, word);
}

static void visit(void *context, const char *name, bool documented) {
    (void)documented;
    consider(context, name);
}

/* Is what stands before the word, but for blanks, `before`? */
static bool follows(const char *line, size_t at, const char *before) {
    while (at && line[at - 1] == ' ') at--;
    while (at && *line == ' ') line++, at--;
    return at == strlen(before) && memcmp(line, before, at) == 0;
}

/* True: nothing else may stand there. */
static bool offer_commands(const Offers *o, const char *line, size_t at) {
    bool only = false;
    const char *before, *text;
    for (size_t k = 0; rasp_word_follow(k, &before, &text); k++) {
        if (!follows(line, at, before)) continue;
        consider(o, text);
        only = *before;
    }
    return only;
}

static void offer_words(const Offers *o, bool begins_line) {
    RaspWord word;
    for (size_t k = 0; rasp_word(k, &word); k++)
        if (begins_line || word.category != RASP_WORD_STATEMENT) consider(o, word.completion);
    if (begins_line) consider(o, "help ");
}

void complete_line(void *context, const char *line, size_t at, const char *prefix,
                   void (*offer)(void *to, const char *word), void *to) {
    RaspRepl *const *repl = context;
    Offers offers = {prefix, offer, to};
    if (offer_commands(&offers, line, at)) return;
    offer_words(&offers, follows(line, at, ""));
    if (*repl) rasp_repl_names(*repl, visit, &offers);
}
