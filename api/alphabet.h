/* alphabet.h: the text of an alphabet → its tokens; for the files of api/ alone.
 *
 * "abc": each code point a token; '["hi", "you"]' or '[1, 2]': a list; "@FILE", where the setting
 * is an option: one token a line, or a list.
 */
#ifndef RASP_API_ALPHABET_H
#define RASP_API_ALPHABET_H

#include "api/target.h"

typedef struct Alphabet {
    const Atom *tokens; /* at least one, all different, all of one kind */
    uint32_t count;
} Alphabet;

enum { MOST_TOKENS = COMPILE_MOST_TOKENS };

/* In the program's arena; False after setting_refuse.  True, 1, 1.0 and "1" are of four kinds. */
bool alphabet_read(const Setting *setting, Alphabet *alphabet);
/* The same for atoms that are given. */
bool alphabet_take(const Setting *setting, const RaspAtom *tokens, size_t count,
                   Alphabet *alphabet);

/* The setting's text as one token: the text itself for strings, else as in a list. */
bool alphabet_find(const Setting *setting, const Alphabet *alphabet, int32_t *index);

#endif
