/* source.h: texts and places in them.
 *
 * A SourceMap lays every text of a session (files, console statements, the library) end to
 * end, so that a Span is two offsets and nothing else.  Line and column are computed when a
 * place is printed.  Texts are copied into the map's arena.
 */
#ifndef RASP_BASE_SOURCE_H
#define RASP_BASE_SOURCE_H

#include "base/arena.h"

#include <stdint.h>

/* Bytes [begin, end) of the map; {0, 0} is "no place". */
typedef struct Span {
    uint32_t begin, end;
} Span;

#define SPAN_NONE ((Span){0, 0})

static inline Span span_join(Span a, Span b) {
    if (a.begin == a.end && a.begin == 0) return b;
    if (b.begin == b.end && b.begin == 0) return a;
    return (Span){a.begin < b.begin ? a.begin : b.begin, a.end > b.end ? a.end : b.end};
}

typedef struct Source {
    const char *name; /* as the user wrote it */
    const char *text; /* NUL behind it */
    uint32_t length;
    uint32_t base; /* the map offset of text[0] */
} Source;

typedef struct SourceMap SourceMap;

SourceMap *source_map_new(Arena *arena);

/* Adds a text; NULL when the map is full (4 GiB of text). */
const Source *source_add(SourceMap *map, const char *name, const char *text, size_t length);

/* The text that holds the span's begin, or NULL for SPAN_NONE. */
const Source *source_find(const SourceMap *map, Span span);

typedef struct Place {
    const Source *source;
    uint32_t line, column; /* from 1; column in code points */
    const char *text;      /* the whole line */
    uint32_t length;       /* its bytes, without the newline */
    uint32_t begin, end;   /* the span within the line, in bytes, cut to the line */
} Place;

/* False for SPAN_NONE. */
bool source_place(const SourceMap *map, Span span, Place *place);

#endif
