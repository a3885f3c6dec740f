/* score_lines.h: lines of a matrix that may be taken for one.
 *
 * Entries are 0, 1 or CELL_FREE (formula.h): two lines agree if they have the same wherever both
 * are bound.  Each line in turn joins the first class that it agrees with, or makes one. */
#ifndef RASP_COMPILE_LOWER_SCORE_LINES_H
#define RASP_COMPILE_LOWER_SCORE_LINES_H

#include "base/arena.h"

#include <stdint.h>

/* entry: [lines, length].  class, by line; leader, by class: its first line, which then holds
 * whatever is bound in any.  Returns the classes. */
uint32_t join_lines(unsigned char *entry, uint32_t lines, uint32_t length, uint32_t *class,
                    uint32_t *leader, Arena *arena);

#endif
