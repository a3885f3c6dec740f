/* Bounds that hold for softmax of any precision, too: what a layer without positions, or with a
 * window, can possibly tell apart, and how many bits a layer must carry. */
#include "express/decide.h"

#include <string.h>

/* --- counts (lab.md L2, L3) ---------------------------------------------------------------- */

/* No positions: the counts of each token up to the query and in the whole input, so that heads with
 * a causal mask and heads without one are both in the class.  Window: the counts before the window
 * and the tokens in it; causal. */
static size_t counts_size(const Task *task, const Query *q) {
    return task->symbols + (q->kind == CLASS_WINDOW ? q->distance + 1 : task->symbols);
}

static void counts_of(const Task *task, const Query *q, const Instance *x, uint8_t *to) {
    uint32_t symbols = task->symbols, i = x->position;
    memset(to, 0, counts_size(task, q));
    if (q->kind == CLASS_WINDOW) {
        for (uint32_t j = 0; j <= i; j++)
            if (j + q->distance < i)
                to[x->tokens[j]]++;
            else
                to[symbols + i - j] = (uint8_t)(x->tokens[j] + 1);
        return;
    }
    for (uint32_t j = 0; j < x->length; j++) {
        to[x->tokens[j]] = (uint8_t)(to[x->tokens[j]] + (j <= i));
        to[symbols + x->tokens[j]]++;
    }
}

void counts_decide(Arena *arena, const Task *task, const Query *q, Verdict *v) {
    Arena *scratch = arena_child(arena);
    size_t size = counts_size(task, q), count = task->until[v->length];
    uint8_t *signatures = arena_block(scratch, count * size + 1, 1);
    Witness *witness = ARENA_NEW(arena, Witness);
    for (size_t e = 0; e < count; e++)
        counts_of(task, q, &task->instances[e], &signatures[e * size]);
    conflicts_find(scratch, task, NULL, count, signatures, size, 1, arena, &witness->pairs);
    v->answer = ANSWER_YES;
    if (witness->pairs.count) {
        v->answer = ANSWER_NO;
        v->impossible = true;
        Pair best = witness->pairs.at[0];
        for (size_t k = 1; k < witness->pairs.count; k++)
            if (witness->pairs.at[k].y < best.y) best = witness->pairs.at[k];
        witness->pairs.at[0] = best;
        witness->pairs.count = 1;
        witness->length = v->length;
        witness->shrunk = witness->least = true;
        v->witness = witness;
        v->pairs = 1;
    }
    arena_free(scratch);
}

/* --- bits (lab.md L5) ---------------------------------------------------------------------- */

/* The instances of one key and length as a matrix: a row a setting of the part's positions,
 * a column a setting of the others; 0: no instance, else its label + 1. */
typedef struct Matrix {
    uint32_t *cells, *instance; /* instance: one of each row, + 1 */
    size_t rows, columns;
} Matrix;

enum { MOST_ROWS = 1024 };

static size_t power(size_t base, uint32_t exponent) {
    size_t result = 1;
    while (exponent--) result *= base;
    return result;
}

static Matrix matrix_of(Arena *arena, const Task *task, const uint32_t *members, size_t count,
                        uint32_t part) {
    const Instance *any = &task->instances[members[0]];
    Matrix m = {.rows = power(task->symbols, part),
                .columns = power(task->symbols, any->length - 1u - part)};
    m.cells = ARENA_ARRAY(arena, m.rows * m.columns, uint32_t);
    m.instance = ARENA_ARRAY(arena, m.rows, uint32_t);
    for (size_t k = 0; k < count; k++) {
        const Instance *x = &task->instances[members[k]];
        size_t row = 0, column = 0;
        for (uint32_t j = 0, seen = 0; j < x->length; j++) {
            if (j == x->position) continue;
            if (seen++ < part)
                row = row * task->symbols + x->tokens[j];
            else
                column = column * task->symbols + x->tokens[j];
        }
        m.cells[row * m.columns + column] = x->label + 1;
        m.instance[row] = members[k] + 1;
    }
    return m;
}

static bool rows_differ(const Matrix *m, size_t a, size_t b) {
    for (size_t c = 0; c < m->columns; c++) {
        uint32_t p = m->cells[a * m->columns + c], q = m->cells[b * m->columns + c];
        if (p && q && p != q) return true;
    }
    return false;
}

/* Rows that differ pairwise, greedily: all distinct rows where no instance is missing. */
static size_t distinct_rows(Arena *arena, const Matrix *m, uint32_t *chosen) {
    size_t count = 0;
    (void)arena;
    for (size_t r = 0; r < m->rows; r++) {
        bool fresh = m->instance[r] != 0;
        for (size_t k = 0; k < count && fresh; k++) fresh = rows_differ(m, chosen[k], r);
        if (fresh) chosen[count++] = (uint32_t)r;
    }
    return count;
}

static unsigned heads_for(size_t rows, double each) {
    unsigned heads = 0;
    for (double reach = 1; reach < (double)rows; reach *= each) heads++;
    return heads;
}

/* Is this split better than what is known? */
static void try_split(Arena *arena, const Task *task, const uint32_t *members, size_t count,
                      uint32_t part, Verdict *v) {
    Arena *scratch = arena_child(arena);
    Matrix m = matrix_of(scratch, task, members, count, part);
    uint32_t *chosen = ARENA_ARRAY(scratch, m.rows, uint32_t);
    size_t rows = distinct_rows(scratch, &m, chosen);
    unsigned average = heads_for(rows, (part + 1) * (part + 2) / 2.0);
    unsigned unique = heads_for(rows, 1.0 + (double)task->symbols * part);
    if (average > v->average_heads) v->average_heads = average;
    if (unique > v->unique_heads) v->unique_heads = unique;
    if (rows > v->row_count) {
        v->row_count = rows;
        v->part = part;
        v->rows = ARENA_ARRAY(arena, rows, uint32_t);
        for (size_t k = 0; k < rows; k++) v->rows[k] = m.instance[chosen[k]] - 1;
    }
    arena_free(scratch);
}

static void try_key(Arena *arena, const Task *task, uint32_t key, Verdict *v) {
    Arena *scratch = arena_child(arena);
    size_t from = task->until[v->length - 1], to = task->until[v->length], count = 0;
    uint32_t *members = ARENA_BLOCK(scratch, to - from + 1, uint32_t);
    for (size_t e = from; e < to; e++)
        if (instance_key(task, &task->instances[e]) == key) members[count++] = (uint32_t)e;
    for (uint32_t part = 1; count && part < v->length; part++)
        if (power(task->symbols, part) <= MOST_ROWS)
            try_split(arena, task, members, count, part, v);
    arena_free(scratch);
}

void bits_decide(Arena *arena, const Task *task, Verdict *v) {
    for (uint32_t key = 0; key < key_count(task, v->length); key++) {
        budget_poll(arena_budget(arena));
        try_key(arena, task, key, v);
    }
    v->answer = ANSWER_YES;
    while (v->row_count > (size_t)1 << v->bits) v->bits++;
}
