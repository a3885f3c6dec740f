/* near.h: what somebody may have meant by a misspelt word. */
#ifndef RASP_BASE_NEAR_H
#define RASP_BASE_NEAR_H

#include "base/arena.h"

enum { NEAR_FAR = 64 };

/* Edits that make one word the other: insert, delete or replace a byte, swap two neighbours.
 * NEAR_FAR if one of them has that many bytes. */
size_t near_edits(const char *a, const char *b);

/* ", did you mean 'a' or 'b'?" with the few words nearest to `word`, or "": those that it
 * abbreviates, else those that it misspells, else those that are part of it or it of them. */
const char *near_words(Arena *arena, const char *word, const char *const *words, size_t count);

#endif
