/* `rasp help [NAME]` */
#include "cli/command.h"

#include "cli/help.h"
#include "cli/options.h"
#include "cli/report.h"

#include <stdio.h>
#include <string.h>

static const char help[] =
    "Tell what NAME is: a function or s-op of the library, an operator, a statement, a command of "
    "rasp or a program; of all of them if it is several.  'language' lists the language's words "
    "and functions.  Without a NAME: the commands.\v"
    "Examples:\n"
    "  rasp help selector_width\n"
    "  rasp help %\n"
    "  rasp help dyck\n"
    "  rasp help language";

static int tell(RaspRepl *repl, const char *name) {
    bool overview = strcmp(name, "language") == 0;
    if (overview) help_overview(repl);
    bool found = overview || help_topic(repl, name);
    if (command_exists(name)) {
        if (found) putchar('\n');
        return command_help(name);
    }
    if (!found)
        report_error("%s; 'rasp help language' lists words and functions, 'rasp list' "
                     "programs",
                     help_unknown(repl, name));
    return found ? EXIT_FINE : EXIT_WRONG_USE;
}

static const ArgumentKind topic = {"NAME", ""};

static error_t parse(int key, char *text, struct argp_state *state) {
    if (key == ARGP_KEY_NO_ARGS) return 0;
    return option_parse(key, text, state);
}

int cmd_help(int argc, char **argv) {
    static const struct argp argp = {.parser = parse, .args_doc = "[NAME]", .doc = help};
    Common common = {.kind = &topic};
    RaspError error;
    argp_parse(&argp, argc, argv, 0, NULL, &common);
    if (!common.argument) {
        command_overview();
        return EXIT_FINE;
    }
    RaspConfig config = report_config(0);
    RaspRepl *repl = rasp_repl_new(&(RaspEvents){0}, &config, &error);
    if (!repl) return report_failure(&error);
    int status = tell(repl, common.argument);
    rasp_repl_free(repl);
    return status;
}
