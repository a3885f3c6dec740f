#include "cli/complete.h"

#include "base/words.h"

#include <string.h>

typedef struct Offers {
    const char *prefix;
    void (*offer)(void *to, const char *word);
    void *to;
} Offers;

static void consider(const Offers *o, const char *word) {
    if (word && strncmp(word, o->prefix, strlen(o->prefix)) == 0) o->offer(o->to, word);
}

static void visit(void *context, const Binding *binding) {
    consider(context, binding->name->text);
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
    const WordFollow *f;
    for (size_t k = 0; (f = word_follow(k)); k++) {
        if (!follows(line, at, f->line)) continue;
        consider(o, f->text);
        only = *f->line;
    }
    return only;
}

static void offer_words(const Offers *o, bool begins_line) {
    for (size_t k = 0; k < word_count(); k++)
        if (begins_line || word_at(k)->category != WORD_STATEMENT)
            consider(o, word_at(k)->completion);
    if (begins_line) consider(o, "help ");
}

void complete_line(void *context, const char *line, size_t at, const char *prefix,
                   void (*offer)(void *to, const char *word), void *to) {
    Session *const *session = context;
    Offers offers = {prefix, offer, to};
    if (offer_commands(&offers, line, at)) return;
    offer_words(&offers, follows(line, at, ""));
    if (*session) session_visit_names(*session, visit, &offers);
}
