/* No choice of heads of a grammar tells all pairs apart: every aggregate of the grammar is
 * computed on the pairs, and every choice is tried.
 *
 * Only what an aggregate tells apart counts: a set of pairs, bit by bit.  Rows that select the
 * same on all instances are one, sets within another set are left out, and the choice branches on
 * a pair that is not told apart yet, so that this is exhaustive and still short. */
#include "express/verify/grammar.h"

#include "express/verify/field.h"

#include "base/random.h"
#include "base/table.h"

#include <stdio.h>
#include <string.h>

enum { MOST_PAIRS = 512, WORDS = MOST_PAIRS / 64 };

typedef struct Set {
    uint64_t words[WORDS];
} Set;

typedef struct Cover {
    Check *check;
    const Certificate *certificate;
    size_t instances; /* two a pair: number 2 j and 2 j + 1 */
    uint64_t *rows;   /* distinct ones, `instances` words each */
    size_t row_count, row_room;
    Table table;
    Set *sets;
    size_t set_count, set_room;
} Cover;

static const Instance *instance_at(const Cover *s, size_t k) {
    Pair pair = s->certificate->pairs[k / 2];
    return &s->certificate->instances[k % 2 ? pair.y : pair.x];
}

/* --- rows ------------------------------------------------------------------------------- */

static uint64_t words_hash(const uint64_t *words, size_t count) {
    uint64_t hash = count;
    for (size_t k = 0; k < count; k++) hash = random_mix(hash ^ words[k]);
    return hash;
}

/* The table's hash knows no context: rows are hashed again by hand when it grows. */
static void grow_table(Cover *s) {
    size_t size = 2 * s->table.size;
    table_free(&s->table, s->check->arena);
    s->table = table_new(s->check->arena, size / 2);
    for (size_t r = 0; r < s->row_count; r++) {
        size_t at = table_start(&s->table, words_hash(s->rows + r * s->instances, s->instances));
        while (table_entry(&s->table, at) != TABLE_NONE) at = table_next(&s->table, at);
        table_put(&s->table, at, r);
    }
}

/* Adds the row, the last one in s->rows, if it is new. */
static void keep_row(Cover *s) {
    size_t bytes = s->instances * sizeof *s->rows;
    const uint64_t *row = s->rows + s->row_count * s->instances;
    if (table_full(&s->table, s->row_count)) grow_table(s);
    size_t at = table_start(&s->table, words_hash(row, s->instances));
    for (uint32_t k; (k = table_entry(&s->table, at)) != TABLE_NONE; at = table_next(&s->table, at))
        if (memcmp(s->rows + k * s->instances, row, bytes) == 0) return;
    table_put(&s->table, at, s->row_count++);
}

/* Room for one more row; gives it. */
static uint64_t *new_row(Cover *s) {
    size_t need = (s->row_count + 1) * s->instances;
    s->rows = BLOCK_GROW(s->check->arena, s->rows, &s->row_room, need);
    return s->rows + s->row_count * s->instances;
}

static void all_rows(Cover *s) {
    size_t atom_count;
    GrammarAtom *atoms = grammar_atoms(s->check, s->certificate, &atom_count);
    for (size_t a = 0; a < atom_count; a++) {
        uint64_t *row = new_row(s);
        for (size_t k = 0; k < s->instances; k++) {
            const Instance *x = instance_at(s, k);
            row[k] = grammar_row(&atoms[a], x->tokens, x->length, x->position);
        }
        keep_row(s);
    }
    size_t single = s->row_count;
    for (size_t a = 0; a < single; a++)
        for (size_t b = a + 1; b < single; b++)
            for (int join = 0; join < 2; join++) {
                uint64_t *row = new_row(s);
                const uint64_t *one = s->rows + a * s->instances;
                const uint64_t *two = s->rows + b * s->instances;
                budget_poll(&s->check->budget);
                for (size_t k = 0; k < s->instances; k++)
                    row[k] = join ? one[k] & two[k] : one[k] | two[k];
                keep_row(s);
            }
}

/* --- sets of pairs ---------------------------------------------------------------------- */

static bool within(const Set *a, const Set *b) {
    for (size_t w = 0; w < WORDS; w++)
        if (a->words[w] & ~b->words[w]) return false;
    return true;
}

/* Keeps the set unless another one has all of it; drops those that it has. */
static void keep_set(Cover *s, const Set *set) {
    size_t kept = 0;
    for (size_t k = 0; k < s->set_count; k++)
        if (within(set, &s->sets[k])) return;
    for (size_t k = 0; k < s->set_count; k++)
        if (!within(&s->sets[k], set)) s->sets[kept++] = s->sets[k];
    s->set_count = kept;
    s->sets = BLOCK_GROW(s->check->arena, s->sets, &s->set_room, kept + 1);
    s->sets[s->set_count++] = *set;
}

static void all_sets(Cover *s) {
    size_t value_count;
    GrammarValue *values = grammar_values(s->check, s->certificate, &value_count);
    for (size_t r = 0; r < s->row_count; r++)
        for (size_t v = 0; v < value_count; v++) {
            Set set = {0};
            budget_poll(&s->check->budget);
            for (size_t j = 0; j < s->instances / 2; j++) {
                const uint64_t *row = s->rows + r * s->instances + 2 * j;
                Fraction x = grammar_bring(values[v], instance_at(s, 2 * j)->tokens, row[0]);
                Fraction y = grammar_bring(values[v], instance_at(s, 2 * j + 1)->tokens, row[1]);
                if (x.above != y.above || x.below != y.below)
                    set.words[j / 64] |= (uint64_t)1 << j % 64;
            }
            keep_set(s, &set);
        }
}

/* The pair in `left` that the fewest sets have. */
static size_t hardest(const Cover *s, const Set *left) {
    size_t best = 0, least = SIZE_MAX;
    for (size_t j = 0; j < s->instances / 2; j++) {
        size_t count = 0;
        if (!(left->words[j / 64] >> j % 64 & 1)) continue;
        for (size_t k = 0; k < s->set_count; k++) count += s->sets[k].words[j / 64] >> j % 64 & 1;
        if (count < least) least = count, best = j;
    }
    return best;
}

/* Can so many sets have all that is left? */
static bool covered(Cover *s, const Set *left, size_t heads) {
    if (within(left, &(Set){0})) return true;
    if (heads == 0) return false;
    size_t pair = hardest(s, left);
    for (size_t k = 0; k < s->set_count; k++) {
        Set rest = *left;
        if (!(s->sets[k].words[pair / 64] >> pair % 64 & 1)) continue;
        budget_poll(&s->check->budget);
        for (size_t w = 0; w < WORDS; w++) rest.words[w] &= ~s->sets[k].words[w];
        if (covered(s, &rest, heads - 1)) return true;
    }
    return false;
}

bool grammar_refutes(Check *check, const Certificate *c) {
    Cover s = {.check = check, .certificate = c, .instances = 2 * c->pair_count};
    Set left = {0};
    if (c->pair_count > MOST_PAIRS)
        return refuse(check, "expected at most %d pairs, found %zu", MOST_PAIRS, c->pair_count);
    for (size_t k = 0; k < c->instance_count; k++)
        if (c->instances[k].length > GRAMMAR_LONGEST)
            return refuse(check, "expected inputs of at most %d tokens, instance %zu has %u",
                          GRAMMAR_LONGEST, k, c->instances[k].length);
    s.table = table_new(check->arena, 1024);
    all_rows(&s);
    all_sets(&s);
    for (size_t j = 0; j < c->pair_count; j++) left.words[j / 64] |= (uint64_t)1 << j % 64;
    size_t heads = c->heads && c->heads < c->pair_count ? c->heads : c->pair_count;
    if (!covered(&s, &left, heads)) return true;
    return c->heads ? refuse(check,
                             "%zu aggregates of the grammar '%s' tell the %zu pairs apart, so they "
                             "show nothing",
                             c->heads, c->class_name, c->pair_count)
                    : refuse(check,
                             "each of the %zu pairs is told apart by an aggregate of the grammar "
                             "'%s', so they show nothing for any number of heads",
                             c->pair_count, c->class_name);
}
