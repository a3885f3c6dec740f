/* near.h: what somebody may have meant by a misspelt word. */
#ifndef RASP_CLI_NEAR_H
#define RASP_CLI_NEAR_H

#include "base/arena.h"

/* ", did you mean 'a' or 'b'?" with the few words nearest to `word`, or "". */
const char *near_words(Arena *arena, const char *word, const char *const *words, size_t count);

#endif
