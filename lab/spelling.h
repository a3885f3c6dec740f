/* spelling.h: words over an alphabet of characters: all of them by number, or random ones. */
#ifndef RASP_LAB_SPELLING_H
#define RASP_LAB_SPELLING_H

#include "lab/rng.h"

/* How many words of n letters there are. */
size_t spell_count(const char *alphabet, size_t n);
/* Number `code` of them into word[n + 1]. */
void spell(const char *alphabet, size_t code, size_t n, char *word);
void spell_random(const char *alphabet, Rng *rng, size_t n, char *word);

#endif
