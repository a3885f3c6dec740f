/* elide.h: texts of s-ops for pictures.  Files have them whole, however long a table is. */
#ifndef RASP_SHOW_ELIDE_H
#define RASP_SHOW_ELIDE_H

#include "base/arena.h"

#include <stddef.h>

/* The text, of each list, dict or set in it no more than about the first `table` bytes and of all
 * of it no more than about `most`, with "…" for what is left out. */
const char *elide(const char *text, size_t table, size_t most, Arena *arena);

#endif
