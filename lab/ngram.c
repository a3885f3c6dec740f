#include "lab/ngram.h"

#include <stdlib.h>

static int by_code(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

Ngrams ngrams_count(const Text *texts, size_t count, Arena *arena) {
    Ngrams ngrams = {{0}, {0}};
    size_t total = 0;
    for (size_t t = 0; t < count; t++) total += texts[t].length;
    for (size_t order = 0; order < NGRAM_ORDERS; order++) {
        uint32_t *codes = ARENA_BLOCK(arena, total + 1, uint32_t), modulus = 1;
        size_t seen = 0, kinds = 0;
        for (size_t k = 0; k <= order; k++) modulus *= TEXT_SYMBOLS; /* 36^6 fits 32 bits */
        for (size_t t = 0; t < count; t++) {
            uint64_t code = 0;
            for (size_t i = 0; i < texts[t].length; i++) {
                code = (code * TEXT_SYMBOLS + texts[t].symbols[i]) % modulus;
                if (i >= order) codes[seen++] = (uint32_t)code;
            }
        }
        budget_poll(arena_budget(arena));
        qsort(codes, seen, sizeof *codes, by_code);
        for (size_t i = 0; i < seen; i++) kinds += i == 0 || codes[i] != codes[i - 1];
        NgramCount *counts = ARENA_ARRAY(arena, kinds + 1, NgramCount);
        size_t at = 0;
        for (size_t i = 0; i < seen; i++) {
            if (i == 0 || codes[i] != codes[i - 1]) counts[at++] = (NgramCount){codes[i], 0};
            counts[at - 1].count++;
        }
        ngrams.counts[order] = counts;
        ngrams.sizes[order] = kinds;
        arena_release(arena, codes);
    }
    return ngrams;
}

/* The first entry whose code is at least `code`. */
static size_t find(const NgramCount *counts, size_t size, uint64_t code) {
    size_t low = 0, high = size;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (counts[middle].code < code)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void ngrams_law(const Ngrams *ngrams, const uint8_t *symbols, size_t length, double *law) {
    for (size_t y = 0; y < TEXT_SYMBOLS; y++) law[y] = 1.0 / TEXT_SYMBOLS;
    for (size_t order = 0; order < NGRAM_ORDERS && order <= length; order++) {
        uint64_t context = 0;
        for (size_t k = length - order; k < length; k++)
            context = context * TEXT_SYMBOLS + symbols[k];
        const NgramCount *counts = ngrams->counts[order];
        size_t first = find(counts, ngrams->sizes[order], context * TEXT_SYMBOLS);
        size_t last = find(counts, ngrams->sizes[order], (context + 1) * TEXT_SYMBOLS);
        if (first == last) return;
        double seen = 0, kinds = (double)(last - first);
        for (size_t k = first; k < last; k++) seen += counts[k].count;
        for (size_t y = 0; y < TEXT_SYMBOLS; y++) law[y] *= kinds / (seen + kinds);
        for (size_t k = first; k < last; k++)
            law[counts[k].code - context * TEXT_SYMBOLS] += counts[k].count / (seen + kinds);
    }
}
