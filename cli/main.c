#include "cli/command.h"

#include "api/rasp.h"
#include "base/near.h"
#include "cli/report.h"
#include "cli/safe.h"
#include "cli/warnings.h"
#include "cli/width.h"
#include "show/wrap.h"

#include <argp.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { INDENT = 2, COLUMN = 18, WIDE_COLUMN = 32, NARROW = 6 };

static size_t text_width(void) {
    size_t width = width_of_output();
    return width && width < WIDTH_OF_TEXT ? width : WIDTH_OF_TEXT;
}

static void put_item(const char *label, size_t column, const char *text) {
    size_t width = text_width();
    wrap_item(stdout, label, text, INDENT, width < 3 * COLUMN ? NARROW : column, width);
}

/* "Exit status: 0 fine, 1 engines disagree, ..." */
static void print_statuses(void) {
    const char *text = "Exit status:";
    for (size_t k = 0; k < status_meaning_count; k++)
        text = arena_format(command_arena(), "%s %d %s%s", text, status_meanings[k].status,
                            status_meanings[k].meaning, k + 1 < status_meaning_count ? "," : ".");
    wrap_paragraph(stdout, text, 0, text_width());
}

void command_overview(void) {
    char label[32];
    puts("Usage: rasp [COMMAND [ARGUMENT...]]\n"
         "   or: rasp FILE [INPUT...]\n");
    wrap_paragraph(stdout, "RASP, the language of \"Thinking Like Transformers\".", 0,
                   text_width());
    putchar('\n');
    for (size_t k = 0; k < command_count; k++) {
        snprintf(label, sizeof label, "rasp %s", commands[k].name);
        put_item(label, COLUMN, commands[k].summary);
    }
    putchar('\n');
    put_item("rasp COMMAND --help", WIDE_COLUMN, "what a command takes");
    put_item("rasp help language", WIDE_COLUMN, "the language's words and functions");
    put_item("rasp --version", WIDE_COLUMN, "the version");
    puts("\nExample:");
    put_item("rasp run histogram \"aabbc\"", WIDE_COLUMN, "prints [2, 2, 2, 2, 1]");
    putchar('\n');
    print_statuses();
}

/* Texts of options fit a narrow terminal, too, unless the user has said how they are set. */
static void fit_help(void) {
    enum { ROOM = 16 };
    char format[64];
    size_t width = text_width();
    if (width >= WIDTH_OF_TEXT) return;
    snprintf(format, sizeof format, "rmargin=%zu,opt-doc-col=%zu", width - 1,
             width < WIDTH_OF_TEXT - ROOM ? width / 4 : width / 3);
    setenv("ARGP_HELP_FMT", format, 0);
}

/* A file that is opened later must not become standard output by accident. */
static void occupy_standard_descriptors(void) {
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0) (void)!open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

/* Programs and inputs are UTF-8 whatever the locale is; line editing asks the locale. */
static void use_utf8(void) {
    setlocale(LC_CTYPE, "");
    if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0) setlocale(LC_CTYPE, "C.UTF-8");
}

static int run_command(size_t k, int argc, char **argv) {
    char name[32];
    snprintf(name, sizeof name, "rasp %s", commands[k].name);
    argv[0] = name;
    if (commands[k].reports || isatty(STDOUT_FILENO)) safe_output();
    if (commands[k].reports) safe_fold();
    return commands[k].run(argc, argv);
}

bool command_exists(const char *name) {
    for (size_t k = 0; k < command_count; k++)
        if (strcmp(name, commands[k].name) == 0) return true;
    return false;
}

int command_help(const char *name) {
    char *words[] = {NULL, (char[]){"--help"}, NULL};
    for (size_t k = 0; k < command_count; k++)
        if (strcmp(name, commands[k].name) == 0) return run_command(k, 2, words);
    return EXIT_WRONG_USE;
}

static bool is_file(const char *name) {
    struct stat info;
    return *name != '-' && stat(name, &info) == 0 && !S_ISDIR(info.st_mode);
}

/* A file that says who runs it. */
static int run_file(int argc, char **argv) {
    for (size_t k = 0; k < command_count; k++)
        if (commands[k].run == cmd_run) return run_command(k, argc, argv);
    return EXIT_WRONG_USE;
}

static int dispatch(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "repl";
    for (size_t k = 0; k < command_count; k++)
        if (strcmp(name, commands[k].name) == 0)
            return argc > 1 ? run_command(k, argc - 1, argv + 1) : run_command(k, argc, argv);
    if (is_file(name)) return run_file(argc, argv);
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        command_overview();
        return EXIT_FINE;
    }
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        printf("rasp %s\n", build_version);
        return EXIT_FINE;
    }
    const char **names = ARENA_ARRAY(command_arena(), command_count, const char *);
    for (size_t k = 0; k < command_count; k++) names[k] = commands[k].name;
    const char *near = near_words(command_arena(), name, names, command_count);
    report_error("no command '%s'%s%s 'rasp --help' lists them (to run a program: rasp run %s)",
                 name, near, *near ? "" : ";", name);
    return EXIT_WRONG_USE;
}

/* Columns of a million positions come and go; giving each back to the system and faulting it
 * in again costs a third of a run. */
static void keep_freed_memory(void) {
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
}

static Budget budget;
static Arena *arena;

Arena *command_arena(void) {
    return arena;
}

/* Texts of a command are small, but what an input or a file puts into them need not be. */
static int dispatch_within_memory(int argc, char **argv) {
    BudgetGuard guard;
    int status;
    budget_init(&budget, 0);
    if (BUDGET_ENTER(&budget, &guard)) {
        arena = arena_new(&budget);
        status = dispatch(argc, argv);
        budget_leave(&budget, &guard);
    } else {
        report_error("out of memory");
        status = EXIT_FAILED;
    }
    arena_free(arena);
    return status;
}

/* As argp reads it: the beginning of an option's name is enough. */
static bool asks_for_json(int argc, char **argv) {
    enum { ENOUGH = 3 };
    for (int k = 1; k < argc && strcmp(argv[k], "--") != 0; k++) {
        size_t length = strlen(argv[k]);
        if (length >= ENOUGH && strncmp(argv[k], "--json", length) == 0) return true;
    }
    return false;
}

int main(int argc, char **argv) {
    keep_freed_memory();
    occupy_standard_descriptors();
    use_utf8();
    argp_err_exit_status = EXIT_WRONG_USE;
    fit_help();
    errors_expect_json(asks_for_json(argc, argv));
    int status = dispatch_within_memory(argc, argv);
    errors_finish(status);
    return report_output(status);
}
