/* safe.h: what is printed, made safe for a terminal (base/safe.h). */
#ifndef RASP_CLI_SAFE_H
#define RASP_CLI_SAFE_H

#include <stdio.h>

/* From here on everything printed to `stdout` has its control characters escaped, newlines and
 * tabs excepted.  For terminals, and for reports wherever they go; values that a program reads
 * from a pipe are left as they are. */
void safe_output(void);

/* On a terminal, what is printed from here on is folded into lines that fit it, at blanks; lines
 * with a tab are data, and left alone.  After safe_output. */
void safe_fold(void);
/* What is printed from here on is no text for people. */
void safe_unfold(void);

/* Standard output without that, for what writes escapes of its own.  What was printed before is
 * written first. */
FILE *safe_terminal(void);

/* Writes what there is of a character that has not been completed, at the end. */
void safe_finish(void);

/* A text that must stay within its line: newlines and tabs are escaped as well.  Lives as long as
 * the command. */
const char *safe_text(const char *text);

#endif
