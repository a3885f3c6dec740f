#include "cli/help.h"

#include "base/words.h"
#include "interp/eval/env.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- what is built in ------------------------------------------------------------------- */

/* What the table of words (words.h) tells about a name. */
static bool show_words(const char *name) {
    bool found = false;
    for (size_t k = 0; k < word_count(); k++) {
        const Word *word = word_at(k);
        if (!word->usage || strcmp(word->name, name) != 0) continue;
        printf("  %s\n  %s", word->usage, word->help);
        if (word->level) printf(" (binds at level %d of 10)", word->level);
        putchar('\n');
        found = true;
    }
    return found;
}

/* --- what has a name -------------------------------------------------------------------- */

static Span value_span(Session *session, Value value) {
    if (value.kind == VALUE_FUNCTION) return function_span(value.function);
    if (value_is_graph(value)) return graph_node(session_graph(session), value.object->node)->span;
    return SPAN_NONE;
}

static const char *previous_line(const char *text, const char *line) {
    if (line == text) return NULL;
    line--;
    while (line > text && line[-1] != '\n') line--;
    return line;
}

/* The line of a text that defines the name: `def NAME(` or `NAME = `. */
static const char *find_definition(const char *text, const char *name) {
    size_t length = strlen(name);
    const char *found = NULL;
    for (const char *line = text; line; line = strchr(line, '\n'), line += line != NULL) {
        const char *at = strncmp(line, "def ", 4) == 0 ? line + 4 : line;
        if (strncmp(at, name, length) != 0) continue;
        at += length;
        at += strspn(at, " ");
        if (*at == '(' || *at == '=') found = line;
    }
    return found;
}

/* Prints the comment lines directly above. */
static bool show_comment(const char *text, const char *definition) {
    const char *first = definition;
    for (const char *line = definition; (line = previous_line(text, line)) && *line == '#';)
        first = line;
    for (const char *line = first; line < definition; line = strchr(line, '\n') + 1) {
        const char *words = line + 1 + (line[1] == ' ');
        printf("  %.*s\n", (int)strcspn(words, "\n"), words);
    }
    return first < definition;
}

static bool show_documented(Session *session, const char *name, Value value) {
    Span span = value_span(session, value);
    const Source *source =
        span.end > span.begin ? source_find(session_sources(session), span) : NULL;
    const char *definition = source ? find_definition(source->text, name) : NULL;
    return definition && show_comment(source->text, definition);
}

static void show_undocumented(Session *session, const char *name, Value value) {
    static const char *const kind[] = {
        [VALUE_ATOM] = "a value",        [VALUE_LIST] = "a list", [VALUE_DICT] = "a dict",
        [VALUE_FUNCTION] = "a function", [VALUE_SOP] = "an s-op", [VALUE_SELECTOR] = "a selector"};
    printf("  %s is %s", name, kind[value.kind]);
    if (value_is_graph(value))
        printf(": %s",
               graph_text(session_graph(session), value.object->node, 200, session_arena(session)));
    putchar('\n');
}

static bool show_name(Session *session, const char *name) {
    Value value;
    if (!session_lookup(session, name, &value)) return false;
    if (!show_documented(session, name, value)) show_undocumented(session, name, value);
    return true;
}

/* --- the overview ----------------------------------------------------------------------- */

enum { MARGIN = 14, LINE_WIDTH = 78 };

/* Gives the column behind the word. */
static int put_wrapped(int column, const char *word) {
    int width = (int)strlen(word) + 2;
    if (column + width > LINE_WIDTH) {
        printf("\n%*s", MARGIN, "");
        column = MARGIN;
    }
    printf("  %s", word);
    return column + width;
}

typedef struct NameList {
    const char **names;
    size_t count, room;
    Session *session;
} NameList;

/* Library names: functions and s-ops that have a comment. */
static void collect(void *context, const Binding *binding) {
    NameList *list = context;
    const char *name = binding->name->text;
    Span span = value_span(list->session, binding->value);
    const Source *source =
        span.end > span.begin ? source_find(session_sources(list->session), span) : NULL;
    if (!source || name[0] == '_' || !find_definition(source->text, name)) return;
    if (strcmp(source->name, "console") == 0) return;
    list->names = arena_grow(session_arena(list->session), list->names, &list->room,
                             list->count + 1, sizeof *list->names);
    list->names[list->count++] = name;
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void show_library(Session *session) {
    NameList list = {.session = session};
    int column = MARGIN;
    session_visit_names(session, collect, &list);
    if (list.count) qsort(list.names, list.count, sizeof *list.names, compare_names);
    printf("  library     ");
    for (size_t k = 0; k < list.count; k++)
        if (k == 0 || strcmp(list.names[k], list.names[k - 1]) != 0)
            column = put_wrapped(column, list.names[k]);
    putchar('\n');
}

/* What the overview shows of a word; NULL: nothing, as where an example stands for it. */
static const char *overview_name(size_t k) {
    const Word *word = word_at(k);
    switch (word->category) {
    case WORD_OPERATOR:
        if (!word->usage) return NULL;
        for (size_t before = 0; before < k; before++)
            if (strcmp(word_at(before)->name, word->name) == 0) return NULL;
        return word->name;
    case WORD_INPUT:
    case WORD_LIST:
        return word->completion;
    default:
        return NULL;
    }
}

static void show_category(WordCategory category, const char *label) {
    int column = MARGIN;
    const char *example;
    printf("  %-12s", label);
    for (size_t k = 0; (example = word_example(category, k)); k++)
        column = put_wrapped(column, example);
    for (size_t k = 0; k < word_count(); k++)
        if (word_at(k)->category == category && overview_name(k))
            column = put_wrapped(column, overview_name(k));
    putchar('\n');
}

static void show_overview(Session *session) {
    static const char *const labels[WORD_CATEGORIES] = {
        [WORD_INPUT] = "inputs",     [WORD_ATTENTION] = "attention",
        [WORD_LIST] = "lists",       [WORD_STATEMENT] = "statements",
        [WORD_COMMAND] = "commands", [WORD_OPERATOR] = "operators"};
    for (WordCategory category = 0; category < WORD_CATEGORIES; category++)
        if (labels[category]) show_category(category, labels[category]);
    show_library(session);
    puts("  help NAME tells more, e.g. help sort, help select, help %");
}

/* --- the command ------------------------------------------------------------------------ */

static void show_topic(Session *session, const char *topic) {
    if (!show_words(topic) && !show_name(session, topic))
        printf("  nothing is called '%s'; help alone lists what there is\n", topic);
}

bool help_command(Session *session, const char *line, size_t length) {
    static const char word[] = "help";
    char topic[64];
    while (length && (line[length - 1] == ' ' || line[length - 1] == '\t')) length--;
    while (length && (*line == ' ' || *line == '\t')) line++, length--;
    if (length < 4 || memcmp(line, word, 4) != 0) return false;
    const char *rest = line + 4;
    size_t left = length - 4;
    if (left == 0) {
        show_overview(session);
        return true;
    }
    if (*rest != ' ') return false;
    while (left && *rest == ' ') rest++, left--;
    if (left >= sizeof topic || memchr(rest, ';', left)) return false;
    if (left > 1 && rest[left - 1] == '(') left--; /* help select( */
    memcpy(topic, rest, left);
    topic[left] = '\0';
    show_topic(session, topic);
    return true;
}
