#include "cli/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 1 << 16 };

/* Room for a piece more and a NUL. */
static bool make_room(Lines *lines) {
    if (lines->begin > 0) {
        memmove(lines->buffer, lines->buffer + lines->begin, lines->end - lines->begin);
        lines->end -= lines->begin;
        lines->begin = 0;
    }
    if (lines->end > lines->limit) return false;
    if (lines->room - lines->end > PIECE) return true;
    size_t room = 2 * lines->room + 2 * PIECE;
    char *buffer = realloc(lines->buffer, room);
    if (!buffer) return false;
    lines->buffer = buffer;
    lines->room = room;
    return true;
}

static LinesStatus fill(Lines *lines) {
    if (!make_room(lines)) return LINES_TOO_LONG;
    if (lines->before_waiting) lines->before_waiting();
    ssize_t got = read(lines->fd, lines->buffer + lines->end, PIECE);
    if (got < 0) return errno == EINTR ? LINES_INTERRUPTED : LINES_ERROR;
    lines->end += (size_t)got;
    lines->at_end = got == 0;
    return LINES_READ;
}

/* Hands out `length` bytes and passes over `skip` more. */
static LinesStatus hand_out(Lines *lines, size_t length, size_t skip, const char **line,
                            size_t *result) {
    lines->buffer[lines->begin + length] = '\0';
    *line = lines->buffer + lines->begin;
    *result = length;
    lines->begin += length + skip;
    lines->seen = 0;
    return LINES_READ;
}

LinesStatus lines_next(Lines *lines, const char **line, size_t *length) {
    for (;;) {
        size_t have = lines->end - lines->begin;
        const char *from = lines->buffer + lines->begin;
        const char *newline =
            have > lines->seen ? memchr(from + lines->seen, '\n', have - lines->seen) : NULL;
        if (newline) return hand_out(lines, (size_t)(newline - from), 1, line, length);
        lines->seen = have;
        if (lines->at_end) return have ? hand_out(lines, have, 0, line, length) : LINES_END;
        LinesStatus status = fill(lines);
        if (status != LINES_READ) return status;
    }
}

bool lines_ready(const Lines *lines) {
    size_t have = lines->end - lines->begin;
    return have && (lines->at_end || memchr(lines->buffer + lines->begin, '\n', have));
}

void lines_close(Lines *lines) {
    free(lines->buffer);
    lines->buffer = NULL;
    lines->room = lines->begin = lines->end = lines->seen = 0;
}
