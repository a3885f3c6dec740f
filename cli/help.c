#include "cli/help.h"

#include "api/rasp_words.h"
#include "base/near.h"
#include "cli/about.h"
#include "cli/command.h"
#include "cli/paths.h"
#include "cli/width.h"
#include "show/wrap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INDENT = 2 };

/* Help is prose: no wider than it reads well. */
static size_t text_width(void) {
    size_t width = width_of_output();
    return width && width < WIDTH_OF_TEXT ? width : WIDTH_OF_TEXT;
}

static void put_text(const char *text) {
    wrap_paragraph(stdout, text, INDENT, text_width());
}

/* What is one line of RASP goes on behind more blanks. */
static void put_line(const char *text) {
    wrap_hanging(stdout, text, INDENT, 2 * INDENT, text_width());
}

/* --- what is built in ------------------------------------------------------------------- */

/* What the table of words tells about a name. */
static bool show_words(const char *name) {
    bool found = false;
    RaspWord word;
    for (size_t k = 0; rasp_word(k, &word); k++) {
        if (!word.usage || strcmp(word.name, name) != 0) continue;
        put_text(word.usage);
        put_text(word.level ? arena_format(command_arena(), "%s (binds at level %d of 10)",
                                           word.help, word.level)
                            : word.help);
        found = true;
    }
    return found;
}

/* --- what has a name -------------------------------------------------------------------- */

/* Lines of a comment are one paragraph, but for each example. */
static bool show_name(RaspRepl *repl, const char *name) {
    static const char example[] = "example:";
    Arena *arena = command_arena();
    const char *paragraph = "";
    char *text = rasp_repl_describe(repl, name);
    for (const char *at = text; at && *at;) {
        size_t length = strcspn(at, "\n");
        const char *line = arena_text(arena, at, length);
        bool is_example = strncmp(line, example, strlen(example)) == 0;
        if (!is_example)
            paragraph = arena_format(arena, "%s%s%s", paragraph, *paragraph ? " " : "", line);
        at += length + (at[length] == '\n');
        if (*paragraph && (is_example || !*at)) put_text(paragraph), paragraph = "";
        if (is_example) put_line(line);
    }
    rasp_free(text);
    return text != NULL;
}

/* --- programs --------------------------------------------------------------------------- */

/* Its name and its folder's: "paper/sort". */
static const char *path_end(Arena *arena, const char *path) {
    const char *end = strrchr(path, '.'), *at = strrchr(path, '/');
    if (!end || end < at) end = path + strlen(path);
    while (at && at > path && at[-1] != '/') at--;
    return at ? arena_text(arena, at, (size_t)(end - at)) : path;
}

static bool show_program(const char *name, const char *path) {
    About about;
    Arena *arena = command_arena();
    if (about_read(arena, path, &about) != EXIT_FINE) return false;
    put_text(arena_format(arena, "the program '%s' ('rasp show %s' prints it)",
                          path_end(arena, path), name));
    if (*about.comment) put_text(about.comment);
    if (*about.source) put_text(arena_format(arena, "source: %s", about.source));
    return true;
}

/* --- the overview ----------------------------------------------------------------------- */

/* Words in lines, behind a label; on a narrow terminal below it. */
typedef struct Words {
    size_t margin, column;
} Words;

static Words words_begin(const char *label) {
    enum { MARGIN = 14, NARROW = 60 };
    bool narrow = text_width() < NARROW;
    size_t margin = narrow ? INDENT : MARGIN;
    if (narrow)
        printf("  %s\n%*s", label, (int)margin, "");
    else
        printf("  %-*s", MARGIN - INDENT, label);
    return (Words){margin, margin};
}

static void words_put(Words *w, const char *word) {
    size_t width = strlen(word) + 2;
    if (w->column > w->margin && w->column + width > text_width()) {
        printf("\n%*s", (int)w->margin, "");
        w->column = w->margin;
    }
    printf("  %s", word);
    w->column += width;
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
    rasp_repl_names(repl, collect, &list);
    if (list.count) qsort(list.names, list.count, sizeof *list.names, compare_names);
    Words words = words_begin("library");
    for (size_t k = 0; k < list.count; k++)
        if (k == 0 || strcmp(list.names[k], list.names[k - 1]) != 0)
            words_put(&words, list.names[k]);
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
    const char *example, *name;
    RaspWord word;
    Words words = words_begin(label);
    for (size_t k = 0; (example = rasp_word_example(category, k)); k++) words_put(&words, example);
    for (size_t k = 0; rasp_word(k, &word); k++)
        if (word.category == category && (name = overview_name(k, &word))) words_put(&words, name);
    putchar('\n');
}

void help_overview(RaspRepl *repl) {
    static const char *const labels[RASP_CATEGORIES] = {
        [RASP_WORD_INPUT] = "inputs",     [RASP_WORD_ATTENTION] = "attention",
        [RASP_WORD_LIST] = "lists",       [RASP_WORD_STATEMENT] = "statements",
        [RASP_WORD_COMMAND] = "commands", [RASP_WORD_OPERATOR] = "operators"};
    for (RaspCategory category = 0; category < RASP_CATEGORIES; category++)
        if (labels[category]) show_category(category, labels[category]);
    show_library(repl);
    put_text("help NAME tells more, e.g. help sort, help select, help %");
}

/* --- near misses ------------------------------------------------------------------------ */

/* Everything that help tells about. */
static void collect_any(void *context, const char *name, bool documented) {
    (void)documented;
    collect(context, name, true);
}

static const char *did_you_mean(RaspRepl *repl, const char *name) {
    NameList list = {0};
    RaspWord word;
    size_t count = 0;
    Arena *arena = command_arena();
    const char *const *paths = paths_programs(arena, &count);
    for (size_t k = 0; rasp_word(k, &word); k++)
        if (word.usage) collect(&list, word.name, true);
    rasp_repl_names(repl, collect_any, &list);
    for (size_t k = 0; paths && k < count; k++) {
        const char *base = strrchr(paths[k], '/') + 1;
        collect(&list, arena_text(arena, base, strcspn(base, ".")), true);
    }
    return near_words(arena, name, list.names, list.count);
}

/* --- the command ------------------------------------------------------------------------ */

bool help_topic(RaspRepl *repl, const char *topic) {
    bool language = show_words(topic);
    language |= show_name(repl, topic);
    const char *path = paths_look_for(command_arena(), topic);
    if (path && language) putchar('\n');
    return (path && show_program(topic, path)) || language;
}

const char *help_unknown(RaspRepl *repl, const char *topic) {
    return arena_format(command_arena(), "nothing is called '%s'%s", topic,
                        did_you_mean(repl, topic));
}

static void show_topic(RaspRepl *repl, const char *topic) {
    if (help_topic(repl, topic)) return;
    put_text(arena_format(command_arena(), "%s; help alone lists what there is",
                          help_unknown(repl, topic)));
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
        help_overview(repl);
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
