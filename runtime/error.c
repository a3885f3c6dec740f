#include "runtime/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool rt_error(RtError *err, const char *format, ...) {
    if (!err) return false;
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    return false;
}

bool rt_error_prefix(RtError *err, const char *format, ...) {
    if (!err) return false;
    RtError old = *err;
    va_list args;
    va_start(args, format);
    int n = vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    size_t at = n < 0 ? 0 : (size_t)n;
    if (at >= sizeof err->text - 3) at = sizeof err->text - 3;
    /* The old text is cut, rather than the place, when both together are too long. */
    size_t rest = sizeof err->text - at - 3;
    size_t len = strnlen(old.text, sizeof old.text);
    if (len > rest) len = rest;
    memcpy(err->text + at, ": ", 2);
    memcpy(err->text + at + 2, old.text, len);
    err->text[at + 2 + len] = '\0';
    return false;
}
