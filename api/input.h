/* input.h: what a RaspInput says → tokens; for the files of api/ alone.
 *
 * A text that has the form of a non-empty list of atoms is that list:
 *     [3, 1, 2]   ["hi", "there"]   [0.5, -1e-3]   [True, false]
 * Strings are JSON's, in double quotes with its escapes; numbers are JSON's.  Any other text
 * is a string, one token a code point; but what only begins like a list is a mistake.
 */
#ifndef RASP_API_INPUT_H
#define RASP_API_INPUT_H

#include "api/handle.h"

/* Tokens that are not copied yet: characters of a text, or atoms. */
typedef struct Tokens {
    const char *text; /* NULL: atoms */
    size_t length;    /* bytes */
    const RaspAtom *atoms;
    size_t count;
} Tokens;

/* Does it begin like a list: by '[' and a number or a quote, or by '[' with a ',' behind it? */
bool input_means_list(const char *text, size_t length);

/* Is a '[' the first thing there?  If not, it is no list. */
bool input_begins_list(const char *text, size_t length);

/* Lists that are read live in `arena`; everything else is the input's.  False after core_fail:
 * not UTF-8, empty, not a list though one was asked for, or a number that fits nowhere. */
bool input_read(Core *core, const RaspInput *input, Arena *arena, Tokens *tokens);

/* Token k, asked for in order; *at begins as 0. */
RaspAtom tokens_next(const Tokens *tokens, size_t k, size_t *at);

#endif
