/* repl.h: the read, execute, print loop (language.md sections 3, 11.7, 13.1).
 *
 * Where lines come from is the caller's business: a pipe (repl_pipe) or a terminal with line
 * editing.
 */
#ifndef RASP_CLI_REPL_H
#define RASP_CLI_REPL_H

#include "cli/print.h"

typedef enum LineStatus { LINE_READ, LINE_END, LINE_INTERRUPTED } LineStatus;

typedef struct Line {
    LineStatus status;
    const char *text; /* without its newline; until the next call */
    size_t length;
} Line;

/* `fresh`: the line begins a statement (for history and completion). */
typedef struct LineSource {
    Line (*next)(void *context, const char *prompt, bool fresh);
    void *context;
} LineSource;

typedef struct ReplOptions {
    SessionOptions session; /* mode and sink are set by the REPL */
    Printer *printer;
    LineSource lines;
    const char *banner; /* NULL: the reference's two lines */
    /* Told of the session once it stands (completion needs it); NULL: nobody. */
    void (*started)(void *context, Session *session);
    /* Sees the first line of a statement before the reader does; true: it was a command of
     * its own (`help`).  NULL: none. */
    bool (*command)(void *context, Session *session, const char *line, size_t length);
    void *context;
    volatile sig_atomic_t *cancel; /* cleared before each statement; NULL: never set */
} ReplOptions;

/* Runs until the end of the lines or `exit`.  False if the session could not be started. */
bool repl_run(const ReplOptions *options);

/* Lines of a file descriptor; prompts go to `out`, which is flushed whenever the next read
 * may have to wait. */
typedef struct Pipe Pipe;
Pipe *repl_pipe_new(int fd, FILE *out);
void repl_pipe_free(Pipe *pipe);
LineSource repl_pipe_lines(Pipe *pipe);

#endif
