#define _GNU_SOURCE /* fopencookie */

#include "cli/safe.h"

#include "base/safe.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "cli/width.h"
#include "show/wrap.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- a stream ------------------------------------------------------------------------------ */

/* Bytes of a character that was written in two pieces. */
static char begun[4];
static size_t begun_length;

static FILE *terminal; /* the stdout that there was */

/* The line that is being printed, while lines are folded. */
static struct {
    size_t width; /* 0: they are not */
    size_t used, room;
    char *text;
} line;

/* Could these few bytes be the beginning of a character? */
static bool is_beginning(const char *text, size_t length) {
    unsigned char c = (unsigned char)*text;
    size_t whole = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
    if (c < 0xc2 || c > 0xf4 || length >= whole) return false;
    for (size_t k = 1; k < length; k++)
        if (((unsigned char)text[k] & 0xc0) != 0x80) return false;
    return true;
}

/* What there is of the line, as it is. */
static void put_line(void) {
    if (line.used) fwrite(line.text, 1, line.used, terminal);
    line.used = 0;
}

static void end_line(void) {
    line.text[line.used] = '\0';
    if (memchr(line.text, '\t', line.used) || strlen(line.text) != line.used)
        put_line(), fputc('\n', terminal);
    else
        wrap_line(terminal, line.text, line.width);
    line.used = 0;
}

static void put(const char *text, size_t length) {
    enum { PIECE = 4096 };
    if (!line.width) {
        fwrite(text, 1, length, terminal);
        return;
    }
    if (line.room - line.used <= length) {
        char *larger = realloc(line.text, line.room + length + PIECE);
        if (!larger) {
            safe_unfold();
            put(text, length);
            return;
        }
        line.text = larger;
        line.room += length + PIECE;
    }
    if (length == 1 && *text == '\n') {
        end_line();
    } else {
        memcpy(line.text + line.used, text, length);
        line.used += length;
    }
}

static void put_safe(const char *text, size_t length) {
    char escape[SAFE_MOST];
    for (size_t at = 0; at < length;) {
        size_t step = safe_step(text + at, length - at, escape);
        bool plain = !*escape || text[at] == '\n' || text[at] == '\t';
        put(plain ? text + at : escape, plain ? step : strlen(escape));
        at += step;
    }
}

static ssize_t write_safe(void *cookie, const char *text, size_t length) {
    (void)cookie;
    size_t at = 0;
    while (begun_length && at < length) { /* complete what was begun */
        begun[begun_length++] = text[at++];
        if (is_beginning(begun, begun_length)) continue;
        put_safe(begun, begun_length);
        begun_length = 0;
    }
    size_t kept = length - at < 3 ? length - at : 3;
    while (kept && !is_beginning(text + length - kept, kept)) kept--;
    put_safe(text + at, length - at - kept);
    memcpy(begun + begun_length, text + length - kept, kept);
    begun_length += kept;
    return fflush(terminal) == 0 && !ferror(terminal) ? (ssize_t)length : 0;
}

void safe_finish(void) {
    if (!terminal) return;
    put_safe(begun, begun_length);
    begun_length = 0;
    put_line();
    fflush(terminal);
}

void safe_output(void) {
    static const cookie_io_functions_t functions = {.write = write_safe};
    if (terminal) return;
    fflush(stdout);
    FILE *safe = fopencookie(NULL, "w", functions);
    if (!safe) return;
    setvbuf(safe, NULL, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, BUFSIZ);
    terminal = stdout;
    stdout = safe;
}

void safe_fold(void) {
    if (terminal && isatty(STDOUT_FILENO)) line.width = width_of_output();
}

void safe_unfold(void) {
    if (!line.width) return;
    fflush(stdout);
    put_line();
    line.width = 0;
}

FILE *safe_terminal(void) {
    fflush(stdout);
    if (terminal) put_line();
    return terminal ? terminal : stdout;
}

/* --- a text -------------------------------------------------------------------------------- */

const char *safe_text(const char *text) {
    size_t length = strlen(text), used = 0;
    if (safe_all(text, length)) return text;
    char *copy = arena_alloc(command_arena(), length * SAFE_MOST + 1), escape[SAFE_MOST];
    for (size_t at = 0; at < length;) {
        size_t step = safe_step(text + at, length - at, escape);
        size_t size = *escape ? strlen(escape) : step;
        memcpy(copy + used, *escape ? escape : text + at, size);
        used += size;
        at += step;
    }
    copy[used] = '\0';
    return copy;
}
