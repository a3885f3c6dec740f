#include "base/near.h"

#include <stdbool.h>
#include <string.h>

size_t near_edits(const char *a, const char *b) {
    size_t m = strlen(a), n = strlen(b);
    if (m >= NEAR_FAR || n >= NEAR_FAR) return NEAR_FAR;
    size_t rows[3][NEAR_FAR + 1]; /* the row before last, the last, this one */
    for (size_t j = 0; j <= n; j++) rows[1][j] = j;
    for (size_t i = 1; i <= m; i++) {
        size_t *before = rows[(i + 2) % 3];
        size_t *last = rows[i % 3], *here = rows[(i + 1) % 3];
        here[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t best = last[j - 1] + (a[i - 1] != b[j - 1]);
            if (last[j] + 1 < best) best = last[j] + 1;
            if (here[j - 1] + 1 < best) best = here[j - 1] + 1;
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && before[j - 2] + 1 < best) best = before[j - 2] + 1;
            here[j] = best;
        }
    }
    return rows[(m + 1) % 3][n];
}

enum { NAMED = 3 };

/* Smaller is nearer; NEAR_FAR: not near at all. */
static size_t rank(const char *word, const char *other) {
    size_t edits = near_edits(word, other), length = strlen(word);
    if (edits <= 1 + length / 4) return edits;
    if (length >= 3 && (strstr(other, word) || (strlen(other) >= 3 && strstr(word, other))))
        return length + edits;
    return NEAR_FAR;
}

const char *near_words(Arena *arena, const char *word, const char *const *words, size_t count) {
    const char *best[NAMED] = {0};
    size_t ranks[NAMED], found = 0;
    for (size_t k = 0; k < count; k++) {
        size_t r = rank(word, words[k]), at = found;
        bool known = r >= NEAR_FAR;
        for (size_t i = 0; i < found; i++) known = known || strcmp(best[i], words[k]) == 0;
        if (known) continue;
        while (at > 0 && ranks[at - 1] > r) at--;
        if (at == NAMED) continue;
        if (found < NAMED) found++;
        for (size_t i = found - 1; i > at; i--) best[i] = best[i - 1], ranks[i] = ranks[i - 1];
        best[at] = words[k];
        ranks[at] = r;
    }
    const char *text = "";
    for (size_t i = 0; i < found; i++)
        text = arena_format(arena, "%s%s'%s'%s", text,
                            i == 0           ? ", did you mean "
                            : i + 1 == found ? " or "
                                             : ", ",
                            best[i], i + 1 == found ? "?" : "");
    return text;
}
