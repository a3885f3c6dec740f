#include "cli/complete.h"

#include "api/rasp_words.h"
#include "cli/command.h"
#include "cli/paths.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

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

/* --- files ------------------------------------------------------------------------------ */

static bool is_folder(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* As `load` has it: programs without ".rasp", and folders. */
static void offer_file(const Offers *o, const char *folder, const char *name) {
    static const char suffix[] = ".rasp";
    char path[PATH_MAX];
    size_t length = strlen(name), end = strlen(suffix);
    const char *slash = strrchr(o->prefix, '/');
    bool hidden = name[0] == '.' && *(slash ? slash + 1 : o->prefix) != '.';
    int size = snprintf(path, sizeof path, "%s%s", folder, name);
    if (hidden || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) return;
    if (size < 0 || (size_t)size + 2 > sizeof path || strpbrk(path, "\"\\")) return;
    if (is_folder(path)) {
        strcat(path, "/");
    } else if (length > end && strcmp(name + length - end, suffix) == 0) {
        path[(size_t)size - end] = '\0';
    } else {
        return;
    }
    consider(o, path);
}

/* Files in the folder that the prefix says. */
static void offer_files(const Offers *o) {
    char folder[PATH_MAX] = "";
    const char *slash = strrchr(o->prefix, '/');
    size_t length = slash ? (size_t)(slash + 1 - o->prefix) : 0;
    if (length >= sizeof folder) return;
    memcpy(folder, o->prefix, length);
    DIR *dir = opendir(length ? folder : ".");
    if (!dir) return;
    for (struct dirent *entry; (entry = readdir(dir));) offer_file(o, folder, entry->d_name);
    closedir(dir);
}

/* Programs that are found by their names alone. */
static void offer_programs(const Offers *o) {
    size_t count;
    Arena *scratch = arena_child(command_arena());
    const char *const *names = paths_loadable(scratch, &count);
    for (size_t k = 0; k < count; k++) consider(o, names[k]);
    arena_free(scratch);
}

/* --- a line ----------------------------------------------------------------------------- */

void complete_line(void *context, const char *line, size_t at, const char *prefix,
                   void (*offer)(void *to, const char *word), void *to) {
    RaspRepl *const *repl = context;
    Offers offers = {prefix, offer, to};
    if (at && line[at - 1] == '"') { /* a string: the name of a file, or nothing that we know */
        static const char load[] = "load \"";
        size_t length = strlen(load);
        if (at >= length && memcmp(line + at - length, load, length) == 0)
            offer_files(&offers), offer_programs(&offers);
        return;
    }
    if (offer_commands(&offers, line, at)) return;
    offer_words(&offers, follows(line, at, ""));
    if (*repl) rasp_repl_names(*repl, visit, &offers);
}
