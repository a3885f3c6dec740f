#include "base/diag.h"

#include "base/utf8.h"

#include <stdarg.h>

void diag_report(const DiagSink *sink, const SourceMap *map, const Diag *diag) {
    if (sink && sink->report) sink->report(sink->context, map, diag);
}

void diag_error(const DiagSink *sink, const SourceMap *map, Span span, const char *format, ...) {
    char message[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    diag_report(sink, map, &(Diag){.severity = DIAG_ERROR, .span = span, .message = message});
}

static const struct {
    const char *word, *colour;
} severities[] = {
    [DIAG_ERROR] = {"error", "\33[1;31m"},
    [DIAG_WARNING] = {"warning", "\33[1;35m"},
    [DIAG_NOTE] = {"note", "\33[1;36m"},
};

enum { SHOWN = 160, LEAD = 60 }; /* a very long line is shown around its span, in bytes */

/* The part [*from, *to) of the line that is shown, cut between code points. */
static void window(const Place *place, uint32_t *from, uint32_t *to) {
    *from = 0;
    *to = place->length;
    if (place->length <= SHOWN) return;
    if (place->begin > LEAD) *from = place->begin - LEAD;
    while (*from < place->begin && ((unsigned char)place->text[*from] & 0xc0) == 0x80) ++*from;
    if (*to - *from > SHOWN) *to = *from + SHOWN;
    while (*to < place->length && ((unsigned char)place->text[*to] & 0xc0) == 0x80) ++*to;
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

static void print_excerpt(FILE *out, const Place *place, const char *on, const char *off) {
    uint32_t from, to;
    window(place, &from, &to);
    const char *ellipsis = from ? "..." : "";
    fprintf(out, "%5u | %s", place->line, ellipsis);
    for (uint32_t k = from; k < to; k++) {
        unsigned char c = (unsigned char)place->text[k];
        fputc(c < 0x20 && c != '\t' ? ' ' : c, out); /* no control characters to the terminal */
    }
    fprintf(out, "%s\n      | %*s", to < place->length ? "..." : "", from ? 3 : 0, "");
    print_under(out, place->text, from, place->begin, NULL);
    uint32_t end = place->end < to ? place->end : to;
    size_t first =
        end > place->begin ? utf8_step(place->text + place->begin, end - place->begin) : 0;
    fprintf(out, "%s^", on);
    if (first && utf8_width(utf8_decode(place->text + place->begin)) == 2) fputc('~', out);
    if (first) print_under(out, place->text, place->begin + (uint32_t)first, end, "~");
    fprintf(out, "%s\n", off);
}

void diag_print(FILE *out, const SourceMap *map, const Diag *diag, bool colour) {
    Place place;
    bool placed = map && source_place(map, diag->span, &place);
    const char *on = colour ? severities[diag->severity].colour : "", *off = colour ? "\33[0m" : "";
    if (placed)
        fprintf(out, "%s:%u:%u: ", place.source->name, place.line, place.column);
    else
        fputs("rasp: ", out);
    fprintf(out, "%s%s:%s %s\n", on, severities[diag->severity].word, off, diag->message);
    if (placed) print_excerpt(out, &place, on, off);
    for (size_t k = 0; k < diag->note_count; k++) diag_print(out, map, &diag->notes[k], colour);
}
