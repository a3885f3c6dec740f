/* complete.h: what may stand where somebody presses Tab in the REPL. */
#ifndef RASP_CLI_COMPLETE_H
#define RASP_CLI_COMPLETE_H

#include "api/rasp_repl.h"

/* A LineCompleter (line.h) whose context is a RaspRepl **: names of the session, built-in
 * forms, keywords; at the beginning of a line also the REPL's commands. */
void complete_line(void *context, const char *line, size_t at, const char *prefix,
                   void (*offer)(void *to, const char *word), void *to);

#endif
