/* Selectors on short inputs: a row is one word, a bit for each key.  Most runs are of this
 * kind (the REPL's examples, batches of test inputs), where building an index would cost more
 * than looking at every pair. */
#include "interp/exec/selection.h"

#include <string.h>

/* Outcomes of every pair: outcome[i * n + j]; columns of the same plain form only. */
#define COMPARE(name, Type, member)                                                                \
    static void name(const Column *keys, const Column *queries, unsigned mask, size_t n,           \
                     uint64_t *words) {                                                            \
        for (size_t i = 0; i < n; i++) {                                                           \
            Type query = queries->member[queries->constant ? 0 : i];                               \
            size_t step = !keys->constant;                                                         \
            uint64_t word = 0;                                                                     \
            for (size_t j = 0; j < n; j++) {                                                       \
                Type key = keys->member[j * step];                                                 \
                unsigned outcome = key < query    ? OUTCOME_LESS                                   \
                                   : key == query ? OUTCOME_EQUAL                                  \
                                   : key > query  ? OUTCOME_GREATER                                \
                                                  : OUTCOME_UNORDERED;                              \
                word |= (uint64_t)((mask & outcome) != 0) << j;                                    \
            }                                                                                      \
            words[i] = word;                                                                       \
        }                                                                                          \
    }

COMPARE(compare_bools, uint8_t, bools)
COMPARE(compare_ints, int64_t, ints)
COMPARE(compare_floats, double, floats)

/* Distinct strings in order, found by halving: a comparison of bytes for each is less than one
 * for each pair. */
typedef struct Ranks {
    const Str *sorted[2 * SHORT_LENGTH];
    size_t count;
} Ranks;

/* Where the string is, or would be: the number of lesser ones. */
static size_t rank_of(const Ranks *ranks, const Str *string) {
    size_t low = 0, high = ranks->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const Str *other = ranks->sorted[middle];
        if (other == string) return middle;
        if (str_compare(other, string) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void rank_strings(Ranks *ranks, const Column *column, size_t n) {
    for (size_t i = 0; i < (column->constant ? 1 : n); i++) {
        const Str *string = column->strings[i];
        size_t at = rank_of(ranks, string), after = ranks->count - at;
        if (after > 0 && ranks->sorted[at] == string) continue;
        memmove(ranks->sorted + at + 1, ranks->sorted + at, after * sizeof *ranks->sorted);
        ranks->sorted[at] = string;
        ranks->count++;
    }
}

static void take_ranks(const Ranks *ranks, const Column *column, size_t n, int64_t *rank) {
    for (size_t i = 0; i < (column->constant ? 1 : n); i++)
        rank[i] = (int64_t)rank_of(ranks, column->strings[i]);
}

static void compare_order(const Column *keys, const Column *queries, unsigned mask, size_t n,
                          uint64_t *words) {
    Ranks ranks = {.count = 0};
    int64_t key[SHORT_LENGTH], query[SHORT_LENGTH];
    rank_strings(&ranks, keys, n);
    if (queries != keys) rank_strings(&ranks, queries, n);
    take_ranks(&ranks, keys, n, key);
    take_ranks(&ranks, queries, n, query);
    compare_ints(&(Column){.ints = key, .constant = keys->constant},
                 &(Column){.ints = query, .constant = queries->constant}, mask, n, words);
}

/* Equality of strings is equality of pointers. */
static void compare_strings(const Column *keys, const Column *queries, unsigned mask, size_t n,
                            uint64_t *words) {
    bool equal = mask & OUTCOME_EQUAL, less = mask & OUTCOME_LESS;
    if (less != ((mask & OUTCOME_GREATER) != 0)) {
        compare_order(keys, queries, mask, n, words);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const Str *query = queries->strings[queries->constant ? 0 : i];
        uint64_t word = 0;
        for (size_t j = 0; j < n; j++) {
            const Str *key = keys->strings[keys->constant ? 0 : j];
            word |= (uint64_t)(key == query ? equal : less) << j;
        }
        words[i] = word;
    }
}

typedef void Compare(const Column *keys, const Column *queries, unsigned mask, size_t n,
                     uint64_t *words);

static Compare *const compares[] = {[COLUMN_BOOL] = compare_bools,
                                    [COLUMN_INT] = compare_ints,
                                    [COLUMN_FLOAT] = compare_floats,
                                    [COLUMN_STRING] = compare_strings,
                                    [COLUMN_ATOM] = NULL};

static void compare_atoms(OpId op, const Column *keys, const Column *queries, size_t n,
                          uint64_t *words) {
    for (size_t i = 0; i < n; i++) {
        Atom query = column_at(queries, i);
        words[i] = 0;
        for (size_t j = 0; j < n; j++)
            words[i] |= (uint64_t)op_compare(op, column_at(keys, j), query) << j;
    }
}

static void select_words(Exec *exec, const Node *node, uint64_t *words) {
    const Column *keys = exec_ready(exec, node->arg[0]), *queries = exec_ready(exec, node->arg[1]);
    size_t n = exec->input.length;
    Compare *compare = keys->form == queries->form ? compares[keys->form] : NULL;
    if (compare)
        compare(keys, queries, ops[node->op].holds, n, words);
    else
        compare_atoms(node->op, keys, queries, n, words);
}

uint64_t *short_words(Exec *exec, const Node *node) {
    size_t n = exec->input.length;
    uint64_t *words = ARENA_ARRAY(exec->arena, n, uint64_t);
    if (node->kind == NODE_SELECT) {
        select_words(exec, node, words);
        return words;
    }
    const uint64_t *a = exec->slots[node->arg[0]].words;
    const uint64_t *b = node->arity > 1 ? exec->slots[node->arg[1]].words : a;
    uint64_t all = n == 64 ? UINT64_MAX : ((uint64_t)1 << n) - 1;
    for (size_t i = 0; i < n; i++)
        words[i] = node->kind == NODE_AND  ? a[i] & b[i]
                   : node->kind == NODE_OR ? a[i] | b[i]
                                           : ~a[i] & all;
    return words;
}
