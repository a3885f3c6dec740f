#include "lab/spelling.h"

#include <string.h>

size_t spell_count(const char *alphabet, size_t n) {
    size_t count = 1;
    while (n-- > 0) count *= strlen(alphabet);
    return count;
}

void spell(const char *alphabet, size_t code, size_t n, char *word) {
    size_t letters = strlen(alphabet);
    for (size_t i = 0; i < n; i++, code /= letters) word[i] = alphabet[code % letters];
    word[n] = '\0';
}

void spell_random(const char *alphabet, Rng *rng, size_t n, char *word) {
    for (size_t i = 0; i < n; i++) word[i] = alphabet[rng_below(rng, strlen(alphabet))];
    word[n] = '\0';
}
