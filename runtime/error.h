/* What went wrong, as one line of text.
 *
 * Every function of runtime/ that can fail returns bool (or NULL) and takes an RtError, which the
 * caller owns and which is written on failure only. The text says what was expected, what was
 * found, where, and the way out when there is one: lower case, no full stop, no file name unless
 * the function was given one. A NULL RtError is allowed: the caller does not want to know. */
#ifndef RUNTIME_ERROR_H
#define RUNTIME_ERROR_H

#include <stdbool.h>

typedef struct {
    char text[1024];
} RtError;

/* Formats the message and returns false, so that failing reads `return rt_error(err, ...)`. */
bool rt_error(RtError *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Puts "<prefix>: " before the text that is there; returns false as well. */
bool rt_error_prefix(RtError *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
