/* `rasp` alone, or `rasp repl` */
#include "cli/command.h"

#include "cli/complete.h"
#include "cli/draw.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/repl.h"
#include "cli/report.h"
#include "cli/stop.h"

#include <unistd.h>

static const char help[] =
    "Read, execute and show RASP statements.\v"
    "On a terminal: Tab completes, the arrow keys recall, Ctrl-C drops a statement, Ctrl-D leaves, "
    "'help' says more.  Otherwise the output is that of the reference interpreter, byte for byte.\n"
    "\n"
    "Example:\n"
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

static bool run(size_t memory, LineInput *lines, Terminal *terminal) {
    bool edits = line_edits(lines);
    RaspConfig config = report_config(memory);
    Printer printer = {.out = stdout,
                       .friendly = edits,
                       .colour = edits && report_colour(STDOUT_FILENO),
                       .draw = draw_picture};
    ReplOptions how = {.config = &config,
                       .printer = &printer,
                       .lines = lines,
                       .context = terminal,
                       .cancel = stop_catch()};
    if (edits) {
        how.banner = arena_format(command_arena(),
                                  "rasp %s   (help tells what there is, Ctrl-D leaves)\n"
                                  "running example is: hello\n",
                                  rasp_version());
        how.started = on_start;
        how.command = on_line;
    }
    return repl_run(&how);
}

static int repl(size_t memory) {
    Terminal terminal = {NULL};
    LineInput *lines = line_open(complete_line, &terminal.session);
    if (!lines) {
        report_error("out of memory");
        return EXIT_FAILED;
    }
    bool fine = run(memory, lines, &terminal);
    line_close(lines);
    return fine ? EXIT_FINE : EXIT_FAILED;
}

static const struct argp_option options[] = {OPTION_MEMORY, {0}};

static error_t parse(int key, char *text, struct argp_state *state) {
    if (key == ARGP_KEY_ARG)
        argp_error(state, "expected no argument, found '%s' (rasp run %s runs a program)", text,
                   text);
    return option_common(key, text, state, state->input);
}

int cmd_repl(int argc, char **argv) {
    static const struct argp argp = {.options = options, .parser = parse, .doc = help};
    Common arguments = {0};
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    return repl(arguments.memory);
}
