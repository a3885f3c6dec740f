#include "cli/complete.h"

#include <string.h>

static const char *const forms[] = {
    "select(", "aggregate(", "range(", "zip(", "len(", "round(", "indicator(",
    "not ",    "and ",       "or ",    "in ",  "if ",  "else ",  NULL,
};

static const char *const statements[] = {
    "def ", "for ", "return ", "load \"", "draw(", NULL,
};

/* Commands, word by word: what may follow what. */
static const struct {
    const char *before; /* the line up to the word, blanks at both ends removed */
    const char *words[6];
} commands[] = {
    {"", {"set ", "show ", "examples ", "full seq display ", "exit", "quit"}},
    {"set", {"example ", "s-op example ", "selector example "}},
    {"show", {"example", "s-op example", "selector example"}},
    {"set s-op", {"example "}},
    {"set selector", {"example "}},
    {"show s-op", {"example"}},
    {"show selector", {"example"}},
    {"s-op", {"examples "}},
    {"selector", {"examples "}},
    {"examples", {"on", "off"}},
    {"s-op examples", {"on", "off"}},
    {"selector examples", {"on", "off"}},
    {"full seq display", {"on", "off"}},
    {"help", {NULL}},
};

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

static bool offer_commands(const Offers *o, const char *line, size_t at) {
    bool only = false; /* nothing else may stand there */
    for (size_t k = 0; k < sizeof commands / sizeof *commands; k++) {
        if (!follows(line, at, commands[k].before)) continue;
        for (size_t w = 0; w < 6; w++) consider(o, commands[k].words[w]);
        only = k > 0 && commands[k].words[0];
    }
    return only;
}

void complete_line(void *context, const char *line, size_t at, const char *prefix,
                   void (*offer)(void *to, const char *word), void *to) {
    Session *const *session = context;
    Offers offers = {prefix, offer, to};
    if (offer_commands(&offers, line, at)) return;
    for (size_t k = 0; forms[k]; k++) consider(&offers, forms[k]);
    if (follows(line, at, "")) {
        consider(&offers, "help ");
        for (size_t k = 0; statements[k]; k++) consider(&offers, statements[k]);
    }
    if (*session) session_visit_names(*session, visit, &offers);
}
