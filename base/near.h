/* near.h: how far apart two words are, for "did you mean". */
#ifndef RASP_BASE_NEAR_H
#define RASP_BASE_NEAR_H

#include <stddef.h>

enum { NEAR_FAR = 64 };

/* Edits that make one word the other: insert, delete or replace a byte, swap two neighbours.
 * NEAR_FAR if one of them has that many bytes. */
size_t near_edits(const char *a, const char *b);

#endif
