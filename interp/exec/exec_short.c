/* Selectors on short inputs: a row is one word, a bit for each key.  Most runs are of this
 * kind (the REPL's examples, batches of test inputs), where building an index would cost more
 * than looking at every pair.  Of several inputs a row's word is about its own input.  What fits
 * bytes is compared sixteen keys at a time (exec_bytes.c); here is the definition, pair by pair. */
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

static void compare_strings(const Column *keys, const Column *queries, unsigned mask, size_t n,
                            uint64_t *words) {
    for (size_t i = 0; i < n; i++) {
        const Str *query = queries->strings[queries->constant ? 0 : i];
        uint64_t word = 0;
        for (size_t j = 0; j < n; j++) {
            int order = str_compare(keys->strings[keys->constant ? 0 : j], query);
            unsigned outcome = order < 0    ? OUTCOME_LESS
                               : order == 0 ? OUTCOME_EQUAL
                                            : OUTCOME_GREATER;
            word |= (uint64_t)((mask & outcome) != 0) << j;
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

/* The inputs one after the other, each as columns of its own. */
static void compare_segments(const Exec *exec, OpId op, const Column *keys, const Column *queries,
                             uint64_t *words) {
    size_t n = exec->input.segment;
    Compare *compare = keys->form == queries->form ? compares[keys->form] : NULL;
    for (size_t first = 0; first < exec->input.length; first += n) {
        Column key = column_from(keys, first), query = column_from(queries, first);
        if (compare)
            compare(&key, &query, ops[op].holds, n, words + first);
        else
            compare_atoms(op, &key, &query, n, words + first);
    }
}

static void select_words(Exec *exec, const Node *node, uint64_t *words) {
    const Column *keys = exec_ready(exec, node->arg[0]), *queries = exec_ready(exec, node->arg[1]);
    if (!bytes_select(exec, ops[node->op].holds, keys, queries, words))
        compare_segments(exec, node->op, keys, queries, words);
}

uint64_t *short_words(Exec *exec, const Node *node) {
    size_t rows = exec->input.length, n = exec->input.segment;
    uint64_t *words = ARENA_ARRAY(exec->arena, rows, uint64_t);
    if (node->kind == NODE_SELECT) {
        select_words(exec, node, words);
        return words;
    }
    const uint64_t *a = exec->slots[node->arg[0]].words;
    const uint64_t *b = node->arity > 1 ? exec->slots[node->arg[1]].words : a;
    uint64_t all = n == 64 ? UINT64_MAX : ((uint64_t)1 << n) - 1;
    for (size_t i = 0; i < rows; i++)
        words[i] = node->kind == NODE_AND  ? a[i] & b[i]
                   : node->kind == NODE_OR ? a[i] | b[i]
                                           : ~a[i] & all;
    return words;
}
