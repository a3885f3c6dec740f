/* pragma.h: the magic comments of a program, which other implementations ignore:
 *
 *     # rasp: alphabet=abcde max-length=16
 *
 * Pairs key=value, separated by blanks (so neither holds one); several lines add up.
 */
#ifndef RASP_GRAMMAR_PRAGMA_H
#define RASP_GRAMMAR_PRAGMA_H

#include "base/source.h"

typedef struct Pragma {
    const char *key, *value; /* value: NULL if there is no `=` */
    Span span;
} Pragma;

/* All pairs of a text in order, in `arena`. */
const Pragma *pragma_read(const Source *source, Arena *arena, size_t *count);

#endif
