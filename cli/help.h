/* help.h: `help` and `help NAME` in the REPL: from the table of words (words.h) and the
 * comments above the library's definitions. */
#ifndef RASP_CLI_HELP_H
#define RASP_CLI_HELP_H

#include "api/rasp.h"

/* If the line is `help` or `help NAME`: prints to standard output and gives true. */
bool help_command(RaspRepl *repl, const char *line, size_t length);

#endif
