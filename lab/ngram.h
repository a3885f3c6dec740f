/* ngram.h: an interpolated Witten–Bell model of characters, contexts of 0 to 5 of them (Witten and
 * Bell 1991; Chen and Goodman 1999, §2.5):
 *
 *     p_o(y) = (c_o(y) + u_o p_{o−1}(y)) / (c_o + u_o)
 *
 * c_o: how often the last o characters were seen, and with y behind them; u_o: how many different
 * characters stood behind them. p_{−1} is uniform; the first context never seen ends the chain. */
#ifndef RASP_LAB_NGRAM_H
#define RASP_LAB_NGRAM_H

#include "lab/text.h"

enum { NGRAM_ORDERS = 6 };

typedef struct NgramCount {
    uint32_t code; /* context and character, base 36 */
    uint32_t count;
} NgramCount;

typedef struct Ngrams {
    NgramCount *counts[NGRAM_ORDERS]; /* in the order of codes */
    size_t sizes[NGRAM_ORDERS];
} Ngrams;

/* Texts are counted one by one: nothing is seen across their ends. */
Ngrams ngrams_count(const Text *texts, size_t count, Arena *arena);
/* The law of what follows the first `length` symbols: [TEXT_SYMBOLS]. */
void ngrams_law(const Ngrams *ngrams, const uint8_t *symbols, size_t length, double *law);

#endif
