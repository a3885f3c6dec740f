/* history.h: the lines of earlier sessions, a text file in the user's state folder:
 * $XDG_STATE_HOME/rasp/history, or ~/.local/state/rasp/history.
 *
 * Every line is appended as it is typed, so that sessions at the same time do not lose one
 * another's.  Without a home, or if the file cannot be written, there is no history, and
 * nothing is said; so too if the file or its folder is a link, or not the user's alone to change.
 */
#ifndef RASP_CLI_HISTORY_H
#define RASP_CLI_HISTORY_H

#include <stddef.h>

typedef struct HistoryFile {
    char *path; /* malloc'd; NULL: none */
} HistoryFile;

/* Finds the file, making its folder; calls `each` for the lines to remember, oldest first.
 * A file that has grown long is cut. */
void history_open(HistoryFile *file, void (*each)(void *context, const char *line), void *context);
void history_add(const HistoryFile *file, const char *line, size_t length);
void history_close(HistoryFile *file);

#endif
