/* repl.h: the read, execute, print loop (language.md sections 3, 11.7, 13.1). */
#ifndef RASP_CLI_REPL_H
#define RASP_CLI_REPL_H

#include "cli/line.h"
#include "cli/print.h"

typedef struct ReplOptions {
    const RaspConfig *config;
    Printer *printer;
    LineInput *lines;
    const char *load;   /* a program that the session begins with; NULL: none */
    const char *banner; /* NULL: the reference's two lines */
    bool relaxed;       /* rasp_repl_relax; continued statements are not indented by the prompt */
    /* Told of the session once it stands (for completion); NULL: nobody. */
    void (*started)(void *context, RaspRepl *repl);
    /* Sees the first line of a statement before the session does; true: it was a command of
     * its own (`help`).  NULL: none. */
    bool (*command)(void *context, RaspRepl *repl, const char *line, size_t length);
    void *context;
    /* The flag of Ctrl-C while a statement runs, cleared before each; NULL: none. */
    volatile sig_atomic_t *cancel;
} ReplOptions;

/* Runs until the end of the lines or `exit`.  False if the session could not be started;
 * the printer has said why. */
bool repl_run(const ReplOptions *options);

#endif
