/* intern.h: one pointer for each distinct string, so that strings compare by pointer.
 * Strings are UTF-8, may hold NUL bytes, and live as long as the table's arena. */
#ifndef RASP_BASE_INTERN_H
#define RASP_BASE_INTERN_H

#include "base/arena.h"

#include <stdint.h>

typedef struct Str {
    uint32_t length; /* bytes, without the NUL that follows */
    uint32_t chars;  /* code points */
    uint32_t hash;
    char text[];
} Str;

typedef struct Intern Intern;

Intern *intern_new(Arena *arena);
Arena *intern_arena(const Intern *table);

/* `text` must be well-formed UTF-8 (utf8.h). */
const Str *intern(Intern *table, const char *text, size_t length);
const Str *intern_text(Intern *table, const char *text);
/* Each byte of ASCII text as a string of its own. */
void intern_ascii(Intern *table, const char *text, size_t length, const Str **to);

/* By code point, which is UTF-8's byte order: negative, 0, positive. */
int str_compare(const Str *a, const Str *b);

#endif
