#define _GNU_SOURCE /* strcasestr */
/* `rasp list [WORD...]`, `rasp show PROGRAM`: the programs that are there, and their text. */
#include "cli/command.h"

#include "cli/about.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/paths.h"
#include "cli/report.h"
#include "cli/safe.h"
#include "cli/width.h"
#include "show/wrap.h"

#include <stdio.h>
#include <string.h>

/* --- rasp list -------------------------------------------------------------------------- */

typedef struct ListArguments {
    Common common;
    char **words;
    int word_count;
} ListArguments;

typedef struct Listed {
    About about;
    const char *name, *folder;
} Listed;

static const struct argp_option list_options[] = {
    OPTION_JSON("one array of objects: name, folder, summary, source, path", 1), {0}};

static const char list_help[] =
    "List the bundled programs by folder, a line each.  With WORDs those whose name, folder or "
    "comment holds every one of them.\v"
    "Examples:\n"
    "  rasp list\n"
    "  rasp list paper\n"
    "  rasp list bracket --json";

static error_t parse_list(int key, char *text, struct argp_state *state) {
    ListArguments *a = state->input;
    if (key != ARGP_KEY_ARG) return option_common(key, text, state, &a->common);
    a->words = state->argv + state->next - 1;
    a->word_count = state->argc - (state->next - 1);
    state->next = state->argc;
    return 0;
}

/* Its name and the folder it is in. */
static void split_path(const char *path, Listed *listed) {
    Arena *arena = command_arena();
    const char *name = strrchr(path, '/') + 1, *folder = name - 1;
    while (folder > path && folder[-1] != '/') folder--;
    listed->name = arena_text(arena, name, strlen(name) - strlen(".rasp"));
    listed->folder = arena_text(arena, folder, (size_t)(name - 1 - folder));
}

static bool is_wanted(const ListArguments *a, const Listed *listed) {
    for (int k = 0; k < a->word_count; k++)
        if (!strcasestr(listed->name, a->words[k]) && !strcasestr(listed->folder, a->words[k]) &&
            !strcasestr(listed->about.comment, a->words[k]))
            return false;
    return true;
}

/* NULL after a message. */
static const Listed *list_programs(const ListArguments *a, size_t *count, int *status) {
    size_t total;
    Arena *arena = command_arena();
    const char *const *paths = paths_programs(arena, &total);
    *count = 0;
    *status = EXIT_NO_FILE;
    if (!paths) return NULL;
    Listed *list = ARENA_ARRAY(arena, total + 1, Listed);
    for (size_t k = 0; k < total; k++) {
        Listed *one = &list[*count];
        split_path(paths[k], one);
        if ((*status = about_read(arena, paths[k], &one->about)) != EXIT_FINE) return NULL;
        if (is_wanted(a, one)) ++*count;
    }
    *status = EXIT_FINE;
    return list;
}

static void print_list(const Listed *list, size_t count) {
    enum { INDENT = 2, GAP = 2, NARROW = 6, LEAST = 30 };
    size_t width = width_of_output(), names = 0;
    for (size_t k = 0; k < count; k++)
        if (strlen(list[k].name) > names) names = strlen(list[k].name);
    size_t column = INDENT + names + GAP;
    if (width && column + LEAST > width) column = NARROW;
    for (size_t k = 0; k < count; k++) {
        if (k == 0 || strcmp(list[k].folder, list[k - 1].folder) != 0)
            printf("%s%s\n", k ? "\n" : "", list[k].folder);
        wrap_item(stdout, list[k].name, list[k].about.summary, INDENT, column, width);
    }
}

static void print_list_json(const Listed *list, size_t count) {
    Json j = {.out = stdout, .lines = true};
    json_begin_array(&j, NULL);
    for (size_t k = 0; k < count; k++) {
        json_begin_object(&j, NULL);
        json_text(&j, "name", list[k].name);
        json_text(&j, "folder", list[k].folder);
        json_text(&j, "summary", list[k].about.summary);
        json_text(&j, "source", list[k].about.source);
        json_text(&j, "path", list[k].about.path);
        json_end(&j);
    }
    json_end(&j);
}

int cmd_list(int argc, char **argv) {
    static const struct argp argp = {
        .options = list_options, .parser = parse_list, .args_doc = "[WORD...]", .doc = list_help};
    ListArguments a = {0};
    size_t count;
    int status;
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    const Listed *list = list_programs(&a, &count, &status);
    if (list) (a.common.json ? print_list_json : print_list)(list, count);
    if (list && !count) report_note("'rasp list' alone lists all programs");
    return status;
}

/* --- rasp show -------------------------------------------------------------------------- */

static const char show_help[] = "Print the text of a program.\v"
                                "PROGRAM is found as for rasp run.\n\n"
                                "Examples:\n"
                                "  rasp show dyck\n"
                                "  rasp show sort > mine.rasp";

int cmd_show(int argc, char **argv) {
    static const struct argp argp = {
        .parser = option_parse, .args_doc = "PROGRAM", .doc = show_help};
    Common common = {.kind = &program_argument};
    About about;
    argp_parse(&argp, argc, argv, 0, NULL, &common);
    const char *path = paths_find_program(command_arena(), common.argument);
    if (!path) {
        if (program_function(common.argument))
            report_note("'%s' is a function of the library: 'rasp help %s'", common.argument,
                        common.argument);
        return EXIT_NO_FILE;
    }
    int status = about_read(command_arena(), path, &about);
    if (status == EXIT_FINE) fwrite(about.text, 1, about.length, stdout);
    return status;
}
