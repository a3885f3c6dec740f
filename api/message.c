/* Messages about texts: from the library's diagnostics to RaspMessage, and as text. */
#include "api/handle.h"

#include "base/safe.h"
#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

/* --- places ----------------------------------------------------------------------------- */

RaspPlace place_of(const SourceMap *map, Span span) {
    Place begin, end;
    if (!map || !source_place(map, span, &begin)) return (RaspPlace){0};
    RaspPlace place = {begin.source->name, begin.line, begin.column, begin.line, begin.column};
    /* The end is where the last byte is, and one further. */
    uint32_t last = span.end > span.begin ? span.end - 1 : span.begin;
    if (span.end > span.begin && source_place(map, (Span){last, last + 1}, &end)) {
        while (last > span.begin && ((unsigned char)end.text[end.begin] & 0xc0) == 0x80) {
            last--;
            if (!source_place(map, (Span){last, last + 1}, &end)) break;
        }
        place.end_line = end.line;
        place.end_column = end.column + 1;
    }
    return place;
}

RaspMessage message_of(const SourceMap *map, const Diag *diag, RaspMessage *notes, size_t room) {
    static const RaspSeverity severity[] = {
        [DIAG_ERROR] = RASP_ERROR, [DIAG_WARNING] = RASP_WARNING, [DIAG_NOTE] = RASP_NOTE};
    RaspMessage message = {.severity = severity[diag->severity],
                           .text = diag->message,
                           .place = place_of(map, diag->span)};
    Place place;
    if (map && source_place(map, diag->span, &place)) {
        message.line = place.text;
        message.line_length = place.length;
        message.begin = place.begin;
        message.end = place.end;
    }
    if (room == 0) return message;
    message.notes = notes;
    message.note_count = diag->note_count < room ? diag->note_count : room;
    for (size_t k = 0; k < message.note_count; k++)
        notes[k] = message_of(map, &diag->notes[k], NULL, 0);
    return message;
}

/* --- the sink --------------------------------------------------------------------------- */

enum { MOST_NOTES = 16 };

static void note_error(Core *core, const RaspMessage *message) {
    if (!core->error || message->severity != RASP_ERROR || core->error->status != RASP_OK) return;
    core_fail(core, core->wrong, "%s", message->text);
    core->error->line = message->place.line;
    core->error->column = message->place.column;
    core->error->reported = core->config.report != NULL;
    if (message->place.source)
        snprintf(core->error->source, sizeof core->error->source, "%s", message->place.source);
}

static void report(void *context, const SourceMap *map, const Diag *diag) {
    Core *core = context;
    RaspMessage notes[MOST_NOTES], message = message_of(map, diag, notes, MOST_NOTES);
    note_error(core, &message);
    if (core->config.report) core->config.report(core->config.report_context, &message);
}

DiagSink core_sink(Core *core) {
    return (DiagSink){report, core};
}

/* --- as text ---------------------------------------------------------------------------- */

static const struct {
    const char *word, *colour;
} severities[] = {
    [RASP_ERROR] = {"error", "\33[1;31m"},
    [RASP_WARNING] = {"warning", "\33[1;35m"},
    [RASP_NOTE] = {"note", "\33[1;36m"},
};

/* How messages are written. */
typedef struct Style {
    FILE *out;
    bool colour;
    size_t width; /* of lines; 0: any */
} Style;

enum {
    SHOWN = 160, /* bytes of a very long line, around the span */
    MARGIN = 14, /* columns beside them: the number, "..." on both sides */
    LEAST = 12,
    INDENT = 4 /* of further lines of a message */
};

/* The part [*from, *to) of the line that is shown, cut between code points; no character takes more
 * columns than bytes. */
static void window(const RaspMessage *m, size_t width, uint32_t *from, uint32_t *to) {
    size_t most = !width ? SHOWN : width < MARGIN + LEAST ? LEAST : width - MARGIN;
    uint32_t shown = most < SHOWN ? (uint32_t)most : SHOWN, lead = shown * 3 / 8;
    *from = 0;
    *to = m->line_length;
    if (m->line_length <= shown) return;
    if (m->begin > lead) *from = m->begin - lead;
    while (*from < m->begin && ((unsigned char)m->line[*from] & 0xc0) == 0x80) ++*from;
    if (*to - *from > shown) *to = *from + shown;
    while (*to < m->line_length && ((unsigned char)m->line[*to] & 0xc0) == 0x80) ++*to;
}

/* Blanks (tabs stay tabs) or marks under the bytes [from, to). */
static void print_under(FILE *out, const char *text, uint32_t from, uint32_t to, const char *mark) {
    for (uint32_t k = from; k < to;) {
        size_t step = utf8_step(text + k, to - k);
        int columns = step ? utf8_width(utf8_decode(text + k)) : 1;
        if (text[k] == '\t' && !mark)
            fputc('\t', out);
        else
            while (columns-- > 0) fputs(mark ? mark : " ", out);
        k += step ? (uint32_t)step : 1;
    }
}

static void print_excerpt(const Style *style, const RaspMessage *m, const char *on,
                          const char *off) {
    uint32_t from, to;
    FILE *out = style->out;
    window(m, style->width, &from, &to);
    const char *ellipsis = from ? "..." : "";
    fprintf(out, "%5u | %s", m->place.line, ellipsis);
    for (uint32_t k = from; k < to;) { /* no control characters to the terminal */
        char escape[SAFE_MOST];
        size_t step = safe_step(m->line + k, to - k, escape);
        if (*escape && m->line[k] != '\t')
            fputc(' ', out);
        else
            fwrite(m->line + k, 1, step, out);
        k += (uint32_t)step;
    }
    fprintf(out, "%s\n      | %*s", to < m->line_length ? "..." : "", from ? 3 : 0, "");
    print_under(out, m->line, from, m->begin, NULL);
    uint32_t end = m->end < to ? m->end : to;
    size_t first = end > m->begin ? utf8_step(m->line + m->begin, end - m->begin) : 0;
    fprintf(out, "%s^", on);
    if (first && utf8_width(utf8_decode(m->line + m->begin)) == 2) fputc('~', out);
    if (first) print_under(out, m->line, m->begin + (uint32_t)first, end, "~");
    fprintf(out, "%s\n", off);
}

static void print_safe(FILE *out, const char *text, size_t length) {
    char escape[SAFE_MOST];
    for (size_t at = 0; at < length;) {
        size_t step = safe_step(text + at, length - at, escape);
        fwrite(*escape ? escape : text + at, 1, *escape ? strlen(escape) : step, out);
        at += step;
    }
}

static size_t columns_of(const char *text, size_t length) {
    char escape[SAFE_MOST];
    size_t columns = 0;
    for (size_t at = 0, step; at < length; at += step) {
        step = safe_step(text + at, length - at, escape);
        columns += *escape ? strlen(escape) : (size_t)utf8_width(utf8_decode(text + at));
    }
    return columns;
}

/* Word by word, from the column on. */
static void print_text(const Style *style, const char *text, size_t column) {
    for (const char *at = text; *at;) {
        size_t blanks = strspn(at, " "), length = blanks + strcspn(at + blanks, " ");
        size_t columns = columns_of(at, length);
        if (style->width && column > INDENT && column + columns > style->width) {
            fprintf(style->out, "\n%*s", INDENT, "");
            column = INDENT;
            at += blanks, length -= blanks, columns -= blanks;
        }
        print_safe(style->out, at, length);
        column += columns;
        at += length;
    }
    fputc('\n', style->out);
}

static void print_message(const Style *style, const RaspMessage *m) {
    const char *word = severities[m->severity].word;
    const char *on = style->colour ? severities[m->severity].colour : "",
               *off = style->colour ? "\33[0m" : "";
    const char *name = m->place.source ? m->place.source : "rasp";
    char place[32] = ": ";
    if (m->place.source) snprintf(place, sizeof place, ":%u:%u: ", m->place.line, m->place.column);
    print_safe(style->out, name, strlen(name));
    fprintf(style->out, "%s%s%s:%s ", place, on, word, off);
    print_text(style, m->text,
               columns_of(name, strlen(name)) + strlen(place) + strlen(word) + strlen(": "));
    if (m->line) print_excerpt(style, m, on, off);
    for (size_t k = 0; k < m->note_count; k++) print_message(style, &m->notes[k]);
}

char *rasp_message_fit(const RaspMessage *message, bool colour, size_t width) {
    char *text = NULL;
    size_t size;
    Style style = {open_memstream(&text, &size), colour, width};
    if (!style.out) return NULL;
    print_message(&style, message);
    fclose(style.out);
    return text;
}

char *rasp_message_show(const RaspMessage *message, bool colour) {
    return rasp_message_fit(message, colour, 0);
}
