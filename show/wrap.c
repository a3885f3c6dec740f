#include "show/wrap.h"

#include "base/safe.h"
#include "base/utf8.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static size_t columns_of(const char *text, size_t length) {
    char escape[SAFE_MOST];
    size_t columns = 0;
    for (size_t at = 0, step; at < length; at += step) {
        step = safe_step(text + at, length - at, escape);
        columns += *escape ? strlen(escape) : (size_t)utf8_width(utf8_decode(text + at));
    }
    return columns;
}

size_t wrap_columns(const char *text) {
    return columns_of(text, strlen(text));
}

/* Control characters as escapes: texts may go to a terminal, and lines stay lines. */
static void put(FILE *out, const char *text, size_t length) {
    char escape[SAFE_MOST];
    for (size_t at = 0, step; at < length; at += step) {
        step = safe_step(text + at, length - at, escape);
        if (*escape)
            fputs(escape, out);
        else
            fwrite(text + at, 1, step, out);
    }
}

static void put_blanks(FILE *out, size_t count) {
    while (count--) fputc(' ', out);
}

/* Words from column `used` on; `blank`: behind something.  Further lines begin with `indent`
 * blanks. */
static void put_words(FILE *out, const char *text, size_t used, bool blank, size_t indent,
                      size_t width) {
    for (const char *word = text; *word; blank = true) {
        size_t length = strcspn(word, " "), columns = columns_of(word, length);
        if (blank && used + 1 + columns > width) {
            fputc('\n', out);
            put_blanks(out, indent);
            used = indent;
        } else if (blank) {
            fputc(' ', out), used++;
        }
        put(out, word, length);
        used += columns;
        word += length;
        word += strspn(word, " ");
    }
    fputc('\n', out);
}

void wrap_paragraph(FILE *out, const char *text, size_t indent, size_t width) {
    if (*text) put_blanks(out, indent);
    put_words(out, text, indent, false, indent, width);
}

void wrap_item(FILE *out, const char *label, const char *text, size_t indent, size_t column,
               size_t width) {
    size_t end = indent + wrap_columns(label);
    bool beside = end < column;
    put_blanks(out, indent);
    put(out, label, strlen(label));
    if (beside) put_blanks(out, column - end);
    put_words(out, text, beside ? column : end, !beside, column, width ? width : SIZE_MAX);
}

void wrap_right(FILE *out, const char *text, size_t columns) {
    size_t own = wrap_columns(text);
    put_blanks(out, own < columns ? columns - own : 0);
    put(out, text, strlen(text));
}

void wrap_left(FILE *out, const char *text, size_t columns) {
    size_t own = wrap_columns(text);
    put(out, text, strlen(text));
    put_blanks(out, own < columns ? columns - own : 0);
}
