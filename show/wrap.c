#include "show/wrap.h"

#include "base/safe.h"
#include "base/utf8.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { GAP = 2 }; /* behind a label that is longer than its column */

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

/* Words from column `used` on, behind so many blanks.  Further lines begin with `indent` blanks;
 * those between words go where a line ends. */
static void put_words(FILE *out, const char *text, size_t used, size_t blanks, size_t indent,
                      size_t width) {
    for (const char *word = text; *word;) {
        size_t length = strcspn(word, " "), columns = columns_of(word, length);
        if (blanks && used + blanks + columns > width) {
            fputc('\n', out);
            put_blanks(out, used = indent);
        } else {
            put_blanks(out, blanks);
            used += blanks;
        }
        put(out, word, length);
        used += columns;
        word += length;
        word += blanks = strspn(word, " ");
    }
    fputc('\n', out);
}

void wrap_paragraph(FILE *out, const char *text, size_t indent, size_t width) {
    if (*text) put_blanks(out, indent);
    put_words(out, text, indent, 0, indent, width);
}

void wrap_item(FILE *out, const char *label, const char *text, size_t indent, size_t column,
               size_t width) {
    size_t end = indent + wrap_columns(label);
    bool beside = end < column;
    put_blanks(out, indent);
    put(out, label, strlen(label));
    if (beside) put_blanks(out, column - end);
    put_words(out, text, beside ? column : end, beside ? 0 : GAP, column, width ? width : SIZE_MAX);
}

void wrap_hanging(FILE *out, const char *text, size_t indent, size_t further, size_t width) {
    put_blanks(out, indent);
    put_words(out, text, indent, 0, further, width);
}

static size_t longest_word(const char *text) {
    size_t longest = 0;
    while (*text) {
        size_t length = strcspn(text, " "), columns = columns_of(text, length);
        if (columns > longest) longest = columns;
        text += length;
        text += strspn(text, " ");
    }
    return longest;
}

/* Behind "  LABEL   ", if a label it is, else a little further than the line itself; not so far
 * that a word does not fit. */
static size_t hang_of(const char *line, size_t width) {
    enum { FURTHER = 4 };
    size_t lead = strspn(line, " "), at = lead, word = longest_word(line);
    while (line[at] && !(line[at] == ' ' && line[at + 1] == ' ')) at++;
    size_t label = columns_of(line, at) + strspn(line + at, " ");
    if (line[at] && label <= width / 2 && label + word <= width) return label;
    if (lead + FURTHER + word <= width) return lead + FURTHER;
    return word < width ? (width - word < FURTHER ? width - word : FURTHER) : 0;
}

void wrap_line(FILE *out, const char *line, size_t width) {
    size_t lead = strspn(line, " ");
    if (wrap_columns(line) <= width)
        fprintf(out, "%s\n", line);
    else
        wrap_hanging(out, line + lead, lead, hang_of(line, width), width);
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
