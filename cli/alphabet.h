/* alphabet.h: the text of an alphabet → its tokens. */
#ifndef RASP_CLI_ALPHABET_H
#define RASP_CLI_ALPHABET_H

#include "graph/atom.h"

typedef struct AlphabetText {
    const char *text; /* "abc": each code point a token; '["hi", "you"]' or '[1, 2]': a list */
    bool files;       /* "@FILE": one token a line, or a list, is allowed */
} AlphabetText;

/* The tokens, in `arena`: at least one, all different, all of one kind (True, 1, 1.0 and "1"
 * are of four).  NULL, and one line in `error`, if the text is no alphabet; an empty line if a
 * file cannot be read, which has been reported. */
const Atom *alphabet_read(AlphabetText text, Intern *intern, Arena *arena, uint32_t *count,
                          char *error, size_t error_size);

/* One token as the user writes it: the text itself for strings, else as in a list.  -1, and
 * `error`, if it is not among them. */
int32_t alphabet_find(const Atom *tokens, uint32_t count, const char *text, Intern *intern,
                      Arena *arena, char *error, size_t error_size);

/* "abc", "[1, 2, 3]", cut to about `limit` tokens. */
const char *alphabet_show(const Atom *tokens, uint32_t count, uint32_t limit, Arena *arena);

#endif
