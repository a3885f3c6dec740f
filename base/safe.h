/* safe.h: text from files and inputs on its way to a terminal.
 *
 * A terminal obeys control characters: they move the cursor, change titles, answer as if the user
 * had typed.  Bidirectional overrides show text in another order than it has.  So none of them
 * reaches a terminal as it is: C0, DEL, C1 and the overrides become visible escapes, and so does
 * what is no UTF-8 (a terminal that is not in UTF-8 may take such a byte for a C1 character).
 */
#ifndef RASP_BASE_SAFE_H
#define RASP_BASE_SAFE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is the character shown as it is?  Newline and tab are not. */
bool safe_character(uint32_t code_point);

enum { SAFE_MOST = 8 }; /* bytes of an escape: "\u202e" and a NUL */

/* Looks at what text[0..length) begins with, one character or one byte that begins none, and
 * gives its length in bytes (1 at least, for a length of 1 at least).  `escape` is "" if it is
 * safe, else what to show: "\n", "\x1b", "\u202e". */
size_t safe_step(const char *text, size_t length, char escape[SAFE_MOST]);

/* Is all of it safe? */
bool safe_all(const char *text, size_t length);

#endif
