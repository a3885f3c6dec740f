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

/* How a word may have been meant, the likeliest first; words of one kind alone are named. */
enum { ABBREVIATED = 0, MISSPELT = NEAR_FAR, RELATED = 2 * NEAR_FAR, UNRELATED = 3 * NEAR_FAR };

/* Smaller is nearer; UNRELATED: not near at all. */
static size_t rank(const char *word, const char *other) {
    enum { TELLING = 3 }; /* as many letters say something */
    size_t edits = near_edits(word, other), length = strlen(word), size = strlen(other);
    if (edits >= NEAR_FAR) return UNRELATED;
    if (length >= TELLING && strncmp(other, word, length) == 0) return ABBREVIATED + edits;
    if (edits <= 1 + length / 4) return MISSPELT + edits;
    if (length >= TELLING && strstr(other, word)) return RELATED + edits;
    if (size >= TELLING && strstr(word, other)) return RELATED + edits;
    return UNRELATED;
}

const char *near_words(Arena *arena, const char *word, const char *const *words, size_t count) {
    const char *best[NAMED] = {0};
    size_t ranks[NAMED], found = 0, shown = 0;
    for (size_t k = 0; k < count; k++) {
        size_t r = rank(word, words[k]), at = found;
        bool known = r >= UNRELATED;
        for (size_t i = 0; i < found; i++) known = known || strcmp(best[i], words[k]) == 0;
        if (known) continue;
        while (at > 0 && ranks[at - 1] > r) at--;
        if (at == NAMED) continue;
        if (found < NAMED) found++;
        for (size_t i = found - 1; i > at; i--) best[i] = best[i - 1], ranks[i] = ranks[i - 1];
        best[at] = words[k];
        ranks[at] = r;
    }
    while (shown < found && ranks[shown] / NEAR_FAR == ranks[0] / NEAR_FAR) shown++;
    const char *text = "";
    for (size_t i = 0; i < shown; i++)
        text = arena_format(arena, "%s%s'%s'%s", text,
                            i == 0           ? ", did you mean "
                            : i + 1 == shown ? " or "
                                             : ", ",
                            best[i], i + 1 == shown ? "?" : "");
    return text;
}
