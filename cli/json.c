#include "cli/json.h"

#include "base/safe.h"
#include "base/utf8.h"
#include "cli/safe.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

/* --- strings ---------------------------------------------------------------------------- */

static void put_code(FILE *out, uint32_t c) {
    if (c < 0x10000)
        fprintf(out, "\\u%04x", c);
    else
        fprintf(out, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10), 0xdc00 + (c & 0x3ff));
}

/* Text of which nothing that a terminal obeys is left; what is no UTF-8 cannot be said. */
static void put_safe(FILE *out, const char *text, size_t length) {
    char escape[SAFE_MOST];
    for (size_t at = 0; at < length;) {
        size_t step = safe_step(text + at, length - at, escape);
        if (!*escape)
            fwrite(text + at, 1, step, out);
        else
            put_code(out, utf8_step(text + at, length - at) ? utf8_decode(text + at) : 0xfffd);
        at += step;
    }
}

static void put_bytes(FILE *out, const char *text, size_t length) {
    static const char from[] = "\"\\\b\f\n\r\t", into[] = "\"\\bfnrt";
    for (size_t k = 0, step; k < length; k += step) {
        const char *found = text[k] ? strchr(from, text[k]) : NULL;
        step = utf8_step(text + k, length - k);
        if (!step) step = 1;
        if (found)
            fputc('\\', out), fputc(into[found - from], out);
        else
            put_safe(out, text + k, step);
    }
}

static void put_quoted(FILE *out, const char *text, size_t length) {
    fputc('"', out);
    put_bytes(out, text, length);
    fputc('"', out);
}

/* --- entries ---------------------------------------------------------------------------- */

static bool begun;

bool json_has_begun(void) {
    return begun;
}

void json_forget(void) {
    begun = false;
}

/* What stands before each value: the comma, the key. */
static void enter(Json *j, const char *key, bool container) {
    assert((key != NULL) == (j->depth > 0 && j->open[j->depth - 1] == '{'));
    bool line = j->lines && (j->depth == 1 || (j->depth == 2 && container));
    if (j->more)
        fputs(line ? ",\n" : ", ", j->out);
    else if (line)
        fputc('\n', j->out);
    j->more = true;
    if (!key) return;
    put_quoted(j->out, key, strlen(key));
    fputs(": ", j->out);
}

static void begin(Json *j, const char *key, char bracket) {
    assert(j->depth < JSON_DEPTH);
    if (j->depth == 0 && j->out == stdout) safe_unfold(), begun = true;
    enter(j, key, true);
    fputc(bracket, j->out);
    j->open[j->depth++] = bracket;
    j->more = false;
}

void json_begin_object(Json *j, const char *key) {
    begin(j, key, '{');
}

void json_begin_array(Json *j, const char *key) {
    begin(j, key, '[');
}

void json_end(Json *j) {
    assert(j->depth > 0);
    fputc(j->open[--j->depth] == '{' ? '}' : ']', j->out);
    j->more = j->depth > 0;
    if (!j->more) fputc('\n', j->out);
}

/* --- values ----------------------------------------------------------------------------- */

void json_quoted(Json *j, const char *key, const char *text, size_t length) {
    enter(j, key, false);
    put_quoted(j->out, text, length);
}

void json_text(Json *j, const char *key, const char *text) {
    json_quoted(j, key, text, strlen(text));
}

void json_bytes(Json *j, const char *key, const char *bytes, size_t length) {
    enter(j, key, false);
    fputc('"', j->out);
    for (size_t at = 0; at < length;) {
        size_t good = utf8_valid_prefix(bytes + at, length - at);
        put_bytes(j->out, bytes + at, good);
        at += good;
        if (at < length) fputs("\\ufffd", j->out), at++;
    }
    fputc('"', j->out);
}

void json_ready(Json *j, const char *key, const char *text) {
    enter(j, key, false);
    put_safe(j->out, text, strlen(text));
}

void json_flag(Json *j, const char *key, bool value) {
    json_ready(j, key, value ? "true" : "false");
}

void json_number(Json *j, const char *key, const char *format, ...) {
    char text[64];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    bool finite = strpbrk(text, "0123456789") != NULL;
    json_ready(j, key, finite ? text : "null");
}

void json_count(Json *j, const char *key, size_t value) {
    json_number(j, key, "%zu", value);
}
