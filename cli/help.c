#include "cli/help.h"

#include "cli/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- what is built in ------------------------------------------------------------------- */

/* What the table of words tells about a name. */
static bool show_words(const char *name) {
    bool found = false;
    RaspWord word;
    for (size_t k = 0; rasp_word(k, &word); k++) {
        if (!word.usage || strcmp(word.name, name) != 0) continue;
        printf("  %s\n  %s", word.usage, word.help);
        if (word.level) printf(" (binds at level %d of 10)", word.level);
        putchar('\n');
        found = true;
    }
    return found;
}

/* --- what has a name -------------------------------------------------------------------- */

static bool show_name(RaspRepl *repl, const char *name) {
    char *text = rasp_repl_describe(repl, name);
    for (const char *line = text; line && *line;) {
        size_t length = strcspn(line, "\n");
        printf("  %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
    rasp_free(text);
    return text != NULL;
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
} NameList;

/* Library names: functions and s-ops that have a comment. */
static void collect(void *context, const char *name, bool documented) {
    NameList *list = context;
    Arena *arena = command_arena();
    if (!documented) return;
    list->names = arena_grow(arena, list->names, &list->room, list->count + 1, sizeof name);
    list->names[list->count++] = arena_text(arena, name, strlen(name));
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void show_library(RaspRepl *repl) {
    NameList list = {0};
    int column = MARGIN;
    rasp_repl_names(repl, collect, &list);
    if (list.count) qsort(list.names, list.count, sizeof *list.names, compare_names);
    printf("  library     ");
    for (size_t k = 0; k < list.count; k++)
        if (k == 0 || strcmp(list.names[k], list.names[k - 1]) != 0)
            column = put_wrapped(column, list.names[k]);
    putchar('\n');
}

static bool stands_before(size_t k, const char *name) {
    RaspWord word;
    for (size_t before = 0; before < k && rasp_word(before, &word); before++)
        if (strcmp(word.name, name) == 0) return true;
    return false;
}

/* What the overview shows of a word; NULL: nothing, as where an example stands for it. */
static const char *overview_name(size_t k, const RaspWord *word) {
    switch (word->category) {
    case RASP_WORD_OPERATOR:
        return word->usage && !stands_before(k, word->name) ? word->name : NULL;
    case RASP_WORD_INPUT:
    case RASP_WORD_LIST:
        return word->completion;
    default:
        return NULL;
    }
}

static void show_category(RaspCategory category, const char *label) {
    int column = MARGIN;
    const char *example, *name;
    RaspWord word;
    printf("  %-12s", label);
    for (size_t k = 0; (example = rasp_word_example(category, k)); k++)
        column = put_wrapped(column, example);
    for (size_t k = 0; rasp_word(k, &word); k++)
        if (word.category == category && (name = overview_name(k, &word)))
            column = put_wrapped(column, name);
    putchar('\n');
}

static void show_overview(RaspRepl *repl) {
    static const char *const labels[RASP_CATEGORIES] = {
        [RASP_WORD_INPUT] = "inputs",     [RASP_WORD_ATTENTION] = "attention",
        [RASP_WORD_LIST] = "lists",       [RASP_WORD_STATEMENT] = "statements",
        [RASP_WORD_COMMAND] = "commands", [RASP_WORD_OPERATOR] = "operators"};
    for (RaspCategory category = 0; category < RASP_CATEGORIES; category++)
        if (labels[category]) show_category(category, labels[category]);
    show_library(repl);
    puts("  help NAME tells more, e.g. help sort, help select, help %");
}

/* --- the command ------------------------------------------------------------------------ */

static void show_topic(RaspRepl *repl, const char *topic) {
    if (!show_words(topic) && !show_name(repl, topic))
        printf("  nothing is called '%s'; help alone lists what there is\n", topic);
}

bool help_command(RaspRepl *repl, const char *line, size_t length) {
    static const char word[] = "help";
    char topic[64];
    while (length && (line[length - 1] == ' ' || line[length - 1] == '\t')) length--;
    while (length && (*line == ' ' || *line == '\t')) line++, length--;
    if (length < 4 || memcmp(line, word, 4) != 0) return false;
    const char *rest = line + 4;
    size_t left = length - 4;
    if (left == 0) {
        show_overview(repl);
        return true;
    }
    if (*rest != ' ') return false;
    while (left && *rest == ' ') rest++, left--;
    if (left >= sizeof topic || memchr(rest, ';', left)) return false;
    if (left > 1 && rest[left - 1] == '(') left--; /* help select( */
    memcpy(topic, rest, left);
    topic[left] = '\0';
    show_topic(repl, topic);
    return true;
}
