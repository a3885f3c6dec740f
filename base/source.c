#include "base/source.h"

#include "base/utf8.h"

#include <string.h>

struct SourceMap {
    Arena *arena;
    const Source **source;
    size_t count, capacity;
    uint64_t end; /* the next free offset */
};

SourceMap *source_map_new(Arena *arena) {
    SourceMap *map = ARENA_NEW(arena, SourceMap);
    map->arena = arena;
    map->end = 1; /* offset 0 is no place */
    return map;
}

const Source *source_add(SourceMap *map, const char *name, const char *text, size_t length) {
    /* One offset behind each text belongs to it, so that "end of input" is a place. */
    if (length >= UINT32_MAX || map->end + length + 1 > UINT32_MAX) return NULL;
    Source *source = ARENA_NEW(map->arena, Source);
    source->name = arena_text(map->arena, name, strlen(name));
    source->text = arena_text(map->arena, text, length);
    source->length = (uint32_t)length;
    source->base = (uint32_t)map->end;
    map->source =
        arena_grow(map->arena, map->source, &map->capacity, map->count + 1, sizeof *map->source);
    map->source[map->count++] = source;
    map->end += length + 1;
    return source;
}

const Source *source_find(const SourceMap *map, Span span) {
    size_t low = 0, high = map->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (map->source[middle]->base <= span.begin)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? map->source[low - 1] : NULL;
}

bool source_place(const SourceMap *map, Span span, Place *place) {
    const Source *source = span.begin ? source_find(map, span) : NULL;
    if (!source) return false;
    uint32_t at = span.begin - source->base;
    if (at > source->length) at = source->length;
    uint32_t start = at;
    while (start > 0 && source->text[start - 1] != '\n') start--;
    const char *newline = memchr(source->text + start, '\n', source->length - start);
    uint32_t stop = newline ? (uint32_t)(newline - source->text) : source->length;
    uint32_t line = 1;
    for (uint32_t k = 0; k < start; k++) line += source->text[k] == '\n';
    uint32_t end = span.end > source->base ? span.end - source->base : at;
    if (end > stop) end = stop;
    if (end < at) end = at;
    *place = (Place){.source = source,
                     .line = line,
                     .column = 1 + (uint32_t)utf8_count(source->text + start, at - start),
                     .text = source->text + start,
                     .length = stop - start,
                     .begin = at - start,
                     .end = end - start};
    return true;
}
