/* command.h: the subcommands of `rasp`.
 *
 * A subcommand is a row of the table in commands.c and a function that takes its own argument
 * vector (argv[0] is "rasp NAME", for messages) and returns an exit status.  It is a client of
 * rasp.h like any other: here are options, the terminal and printing.
 */
#ifndef RASP_CLI_COMMAND_H
#define RASP_CLI_COMMAND_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum ExitStatus {
    EXIT_FINE = 0,
    EXIT_DISAGREE = 1,   /* two engines gave different answers */
    EXIT_WRONG_USE = 64, /* the command line */
    EXIT_WRONG_PROGRAM = 65,
    EXIT_NO_FILE = 66,
    EXIT_FAILED = 70, /* while running */
    EXIT_INTERRUPTED = 130,
} ExitStatus;

int cmd_run(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_draw(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_express(int argc, char **argv);
int cmd_compile(int argc, char **argv);
int cmd_generate(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_lab(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_layers(int argc, char **argv);
int cmd_help(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_test(int argc, char **argv);
int cmd_repl(int argc, char **argv);
int cmd_verify(int argc, char **argv);
int cmd_prove(int argc, char **argv);
int cmd_view(int argc, char **argv);

/* What a subcommand has below it, as `rasp lab` has `rasp lab kernel`. */
typedef struct OwnCommand {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} OwnCommand;

typedef struct Command {
    const char *name;
    int (*run)(int argc, char **argv);
    bool reports; /* it prints no values for others to read, so its output is always made safe */
    const char *summary;
    const OwnCommand *own; /* the last has no name; NULL: none */
} Command;

extern const Command commands[];
extern const size_t command_count;

/* What an exit status says, for help; in rising order. */
typedef struct StatusMeaning {
    ExitStatus status;
    const char *meaning;
} StatusMeaning;

extern const StatusMeaning status_meanings[];
extern const size_t status_meaning_count;

/* What `rasp --help` prints; is there a subcommand of that name; its own --help, which ends the
 * process as argp does. */
void command_overview(void);
bool command_exists(const char *name);
int command_help(const char *name);

/* As `rasp --version` has it: rasp_version() with the commit, of anything but a release. */
extern const char build_version[];

/* Memory for the texts of a command; given back when the process ends. */
Arena *command_arena(void);

#endif
