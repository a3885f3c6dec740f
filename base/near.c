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
