/* help.h: what a name means: from the table of words (words.h), the comments above the library's
 * definitions and those of programs.  `help NAME` in the REPL and `rasp help NAME` print it, to
 * standard output, within its width. */
#ifndef RASP_CLI_HELP_H
#define RASP_CLI_HELP_H

#include "api/rasp_repl.h"

/* If the line is `help` or `help NAME`: prints and gives true. */
bool help_command(RaspRepl *repl, const char *line, size_t length);

/* All that the name means: an operator or another word, a name of the session, a program.  False:
 * nothing, and nothing is printed. */
bool help_topic(RaspRepl *repl, const char *topic);
/* "nothing is called 'x', did you mean 'y'?" */
const char *help_unknown(RaspRepl *repl, const char *topic);
/* Every word of the language and the library's names, by kind. */
void help_overview(RaspRepl *repl);

#endif
