/* `rasp` alone, or `rasp repl` */
#include "cli/command.h"

#include "cli/complete.h"
#include "cli/draw.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/paths.h"
#include "cli/repl.h"
#include "cli/report.h"
#include "cli/stop.h"
#include "cli/width.h"

#include <string.h>
#include <unistd.h>

static const char help[] =
    "Read, execute and show RASP statements; with a PROGRAM, after it has been loaded.\v"
    "On a terminal: Tab completes, the arrow keys recall, Ctrl-C drops a statement, Ctrl-D leaves, "
    "'help' says more.  Otherwise the output is that of the reference interpreter, byte for byte.\n"
    "\n"
    "Examples:\n"
    "  rasp repl dyck\n"
    "  echo 'sort(tokens, tokens);' | rasp repl";

typedef struct Terminal {
    RaspRepl *session; /* once it has started */
} Terminal;

static void on_start(void *context, RaspRepl *session) {
    ((Terminal *)context)->session = session;
}

static bool on_line(void *context, RaspRepl *session, const char *line, size_t length) {
    (void)context;
    return help_command(session, line, length);
}

static bool run(size_t memory, const char *load, LineInput *lines, Terminal *terminal) {
    bool edits = line_edits(lines);
    RaspConfig config = report_config(memory);
    config.strict = !edits;
    Printer printer = {.out = stdout,
                       .friendly = edits,
                       .colour = edits && report_colour(STDOUT_FILENO),
                       .draw = draw_picture};
    ReplOptions how = {.config = &config,
                       .printer = &printer,
                       .lines = lines,
                       .load = load,
                       .context = terminal,
                       .cancel = stop_catch()};
    if (edits) {
        enum { NARROW = 60 };
        bool narrow = width_of_output() < NARROW;
        how.banner = arena_format(command_arena(),
                                  "rasp %s %s\n"
                                  "running example is: hello\n",
                                  rasp_version(),
                                  narrow ? "(help tells, Ctrl-D leaves)"
                                         : "  (help tells what there is, Ctrl-D leaves)");
        how.relaxed = true;
        how.started = on_start;
        how.command = on_line;
    }
    return repl_run(&how);
}

static int repl(size_t memory, const char *load) {
    Terminal terminal = {NULL};
    LineInput *lines = line_open(complete_line, &terminal.session);
    if (!lines) {
        report_error("out of memory");
        return EXIT_FAILED;
    }
    bool fine = run(memory, load, lines, &terminal);
    line_close(lines);
    return fine ? EXIT_FINE : EXIT_FAILED;
}

static const struct argp_option options[] = {OPTION_MEMORY, {0}};

static const ArgumentKind optional = {"PROGRAM", ""};

static error_t parse(int key, char *text, struct argp_state *state) {
    return key == ARGP_KEY_NO_ARGS ? 0 : option_parse(key, text, state);
}

/* As `load` has it, which adds ".rasp" and knows no escapes; NULL after a message. */
static const char *path_to_load(const char *name) {
    static const char suffix[] = ".rasp";
    const char *path = paths_find_program(command_arena(), name);
    size_t length = path ? strlen(path) : 0;
    if (!path) return NULL;
    if (length > strlen(suffix) && strcmp(path + length - strlen(suffix), suffix) == 0 &&
        !strpbrk(path, "\"\n"))
        return arena_text(command_arena(), path, length - strlen(suffix));
    report_error("'%s': expected a file that ends in '.rasp', without '\"' in its name", path);
    return NULL;
}

int cmd_repl(int argc, char **argv) {
    static const struct argp argp = {
        .options = options, .parser = parse, .args_doc = "[PROGRAM]", .doc = help};
    Common arguments = {.kind = &optional};
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    const char *load = NULL;
    if (arguments.argument && !(load = path_to_load(arguments.argument))) return EXIT_NO_FILE;
    return repl(arguments.memory, load);
}
