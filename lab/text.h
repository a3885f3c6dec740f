/* text.h: English text as 36 symbols, for the experiments: a–z, space and . , ; : ' " ! ? -
 *
 * Normalised: lower case, curly quotes straight, underscores dropped, runs of white space one
 * space, everything else dropped. */
#ifndef RASP_LAB_TEXT_H
#define RASP_LAB_TEXT_H

#include "lab/item.h"

#include <stdint.h>

enum { TEXT_SYMBOLS = 36 };
extern const char text_alphabet[TEXT_SYMBOLS + 1]; /* the character of each symbol */

typedef struct Text {
    uint8_t *symbols; /* [length], each < TEXT_SYMBOLS */
    size_t length;
} Text;

/* UTF-8; bytes that are not are dropped. */
Text text_normalise(const char *bytes, size_t length, Arena *arena);

/* The opening chapters that are built in. */
Text text_excerpt(Arena *arena);
extern const char text_excerpt_bytes[];
extern const size_t text_excerpt_length;

/* The novels of `lab/corpus DIR`: the one that is learned from, and the five others, one after the
 * other. False, with the reason, when DIR or a novel is not there. */
typedef struct Corpus {
    Text novel, others;
} Corpus;
bool corpus_read(const char *folder, Corpus *corpus, char *reason, size_t size, Arena *arena);

#endif
