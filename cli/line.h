/* line.h: where the REPL's lines come from: a terminal with editing, history and completion,
 * or any other input, read plainly.
 *
 * The prompt is printed in both cases (to standard output), as the reference does.  A plain
 * input is not echoed; standard output is flushed before a read that may wait.
 */
#ifndef RASP_CLI_LINE_H
#define RASP_CLI_LINE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct LineInput LineInput;

typedef enum LineStatus {
    LINE_READ,
    LINE_END,     /* end of input, or Ctrl-D on an empty line */
    LINE_DROPPED, /* Ctrl-C: forget the unfinished statement, prompt again */
} LineStatus;

/* Completion: calls `offer` for every text that may stand instead of the word `prefix`
 * which begins at `line`[at]. */
typedef void LineCompleter(void *context, const char *line, size_t at, const char *prefix,
                           void (*offer)(void *to, const char *word), void *to);

/* Standard input.  Editing if it and standard output are terminals (`line_edits`); the
 * completer may be NULL.  NULL: out of memory. */
LineInput *line_open(LineCompleter *complete, void *context);
void line_close(LineInput *input); /* writes the history; NULL is fine */
bool line_edits(const LineInput *input);

/* Reads one line, without its newline, NUL behind it; valid until the next call.  It may
 * hold NUL bytes and need not be UTF-8. */
LineStatus line_read(LineInput *input, const char *prompt, const char **line, size_t *length);

#endif
