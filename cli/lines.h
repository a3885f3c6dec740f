/* lines.h: the lines of a file descriptor: any bytes, any length up to a limit. */
#ifndef RASP_CLI_LINES_H
#define RASP_CLI_LINES_H

#include <stdbool.h>
#include <stddef.h>

typedef enum LinesStatus {
    LINES_READ,
    LINES_END,
    LINES_INTERRUPTED, /* by a signal (Ctrl-C); what was read of the line is kept */
    LINES_TOO_LONG,    /* beyond the limit, or no memory; reading is over */
    LINES_ERROR,       /* errno says what; reading is over */
} LinesStatus;

typedef struct Lines {
    int fd;
    size_t limit; /* bytes of a line */
    char *buffer; /* malloc'd */
    size_t room;
    size_t begin, end; /* the part of the buffer that has been read and not handed out */
    size_t seen;       /* of that, what holds no newline */
    bool at_end;
    void (*before_waiting)(void); /* called before the reads that may wait; may be NULL */
} Lines;

/* Gives the next line without its newline, valid until the next call, with a NUL behind it.
 * A last line without a newline is a line; an empty rest is none. */
LinesStatus lines_next(Lines *lines, const char **line, size_t *length);
/* Would lines_next give a line at once, without reading?  Then the last one stays valid, too. */
bool lines_ready(const Lines *lines);
void lines_close(Lines *lines); /* frees the buffer; the descriptor stays open */

#endif
