#include "cli/json.h"

#include "base/utf8.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

/* --- strings ---------------------------------------------------------------------------- */

static void put_bytes(FILE *out, const char *text, size_t length) {
    static const char from[] = "\"\\\b\f\n\r\t", into[] = "\"\\bfnrt";
    for (size_t k = 0; k < length; k++) {
        unsigned char c = (unsigned char)text[k];
        const char *found = c ? strchr(from, c) : NULL;
        if (found)
            fputc('\\', out), fputc(into[found - from], out);
        else if (c < 0x20 || c == 0x7f)
            fprintf(out, "\\u%04x", c);
        else
            fputc(c, out);
    }
}

static void put_quoted(FILE *out, const char *text, size_t length) {
    fputc('"', out);
    put_bytes(out, text, length);
    fputc('"', out);
}

/* --- entries ---------------------------------------------------------------------------- */

/* What stands before each value: the comma, the key. */
static void enter(Json *j, const char *key) {
    assert((key != NULL) == (j->depth > 0 && j->open[j->depth - 1] == '{'));
    if (j->more) fputs(", ", j->out);
    j->more = true;
    if (!key) return;
    put_quoted(j->out, key, strlen(key));
    fputs(": ", j->out);
}

static void begin(Json *j, const char *key, char bracket) {
    assert(j->depth < JSON_DEPTH);
    enter(j, key);
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
    enter(j, key);
    put_quoted(j->out, text, length);
}

void json_text(Json *j, const char *key, const char *text) {
    json_quoted(j, key, text, strlen(text));
}

void json_bytes(Json *j, const char *key, const char *bytes, size_t length) {
    enter(j, key);
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
    enter(j, key);
    fputs(text, j->out);
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
