#include "compile/values/tally.h"

#include <string.h>

enum { LOOKED_AT = 16 }; /* of those kept: so many of the first and of the last */

/* What one query selects, by stretch: at most what it can, at least what it must. */
typedef struct Query {
    uint32_t epoch;       /* the positions that this is about; 0: none */
    uint64_t *bits[2];    /* by bound: the stretches whose keys are selected */
    uint32_t selected[2]; /* so many stretches */
    size_t capacity[2];
    uint32_t *before[2]; /* keys before a stretch, by bound; of `counted` alone */
    uint32_t counted[2]; /* an epoch */
    size_t before_capacity[2];
} Query;

struct Tally {
    Arena *arena;
    TallyChance *chance;
    void *context;
    uint32_t *first, *kind, stretches; /* by stretch */
    uint32_t *of;                      /* by position */
    uint32_t epoch;
    Query *query; /* by number */
    size_t capacity;
    double work;
};

Tally *tally_new(Arena *arena, uint32_t longest, TallyChance *chance, void *context) {
    Tally *t = ARENA_NEW(arena, Tally);
    *t = (Tally){.arena = arena, .chance = chance, .context = context};
    t->first = ARENA_ARRAY(arena, longest, uint32_t);
    t->kind = ARENA_ARRAY(arena, longest, uint32_t);
    t->of = ARENA_ARRAY(arena, longest, uint32_t);
    return t;
}

void tally_positions(Tally *t, const uint32_t *kind, uint32_t count) {
    t->stretches = 0;
    for (uint32_t j = 0; j < count; j++) {
        if (j == 0 || kind[j] != kind[j - 1]) {
            t->first[t->stretches] = j;
            t->kind[t->stretches++] = kind[j];
        }
        t->of[j] = t->stretches - 1;
    }
    t->epoch++;
}

static size_t words(const Tally *t) {
    return t->stretches / 64 + 1;
}

static bool bit_at(const uint64_t *bits, uint32_t k) {
    return bits[k / 64] >> k % 64 & 1;
}

/* --- a query ------------------------------------------------------------------------------ */

static Query *query_at(Tally *t, uint32_t number) {
    t->query = arena_grow(t->arena, t->query, &t->capacity, (size_t)number + 1, sizeof *t->query);
    Query *q = &t->query[number];
    if (q->epoch == t->epoch) return q;
    for (int bound = 0; bound < 2; bound++) {
        q->bits[bound] = arena_grow(t->arena, q->bits[bound], &q->capacity[bound], words(t),
                                    sizeof *q->bits[bound]);
        memset(q->bits[bound], 0, words(t) * sizeof *q->bits[bound]);
        q->selected[bound] = 0;
    }
    for (uint32_t s = 0; s < t->stretches; s++) {
        Chance chance = t->chance(t->context, t->kind[s], number);
        q->bits[AT_MOST][s / 64] |= (uint64_t)chance.can << s % 64;
        q->bits[AT_LEAST][s / 64] |= (uint64_t)chance.must << s % 64;
        q->selected[AT_MOST] += chance.can;
        q->selected[AT_LEAST] += chance.must;
    }
    t->work += t->stretches;
    q->epoch = t->epoch;
    return q;
}

/* Its running totals. */
static const uint32_t *totals(Tally *t, Query *q, Bound bound) {
    if (q->counted[bound] == t->epoch) return q->before[bound];
    uint32_t *before = q->before[bound] =
        arena_grow(t->arena, q->before[bound], &q->before_capacity[bound], t->stretches,
                   sizeof *q->before[bound]);
    for (uint32_t s = 0; s < t->stretches; s++)
        before[s] = s == 0
                        ? 0
                        : before[s - 1] +
                              (bit_at(q->bits[bound], s - 1) ? t->first[s] - t->first[s - 1] : 0);
    q->counted[bound] = t->epoch;
    return before;
}

/* --- a list ------------------------------------------------------------------------------- */

static bool self_at(Own own, Bound bound) {
    return bound == AT_MOST ? own.self.can : own.self.must;
}

/* Does a select all that b does, be it at most or at least? */
static bool selects_all(const Tally *t, Own a, Own b, Bound bound) {
    const Query *x = &t->query[a.query], *y = &t->query[b.query];
    if (self_at(a, bound) < self_at(b, bound) || x->selected[bound] < y->selected[bound])
        return false;
    for (size_t w = 0; w < words(t); w++)
        if (y->bits[bound][w] & ~x->bits[bound][w]) return false;
    return true;
}

static bool beats(const Tally *t, Own a, Own b, Bound bound) {
    return bound == AT_MOST ? selects_all(t, a, b, bound) : selects_all(t, b, a, bound);
}

/* The first stretches that it selects count most: whoever selects many is likely to beat others. */
static uint32_t likeliest(Tally *t, const Own *list, uint32_t count, Bound bound) {
    uint32_t best = 0, most = 0;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t selected = query_at(t, list[k].query)->selected[bound] + self_at(list[k], bound);
        if (k && (bound == AT_MOST ? selected <= most : selected >= most)) continue;
        best = k;
        most = selected;
    }
    return best;
}

static void swap(Own *a, Own *b) {
    Own kept = *a;
    *a = *b;
    *b = kept;
}

uint32_t tally_best(Tally *t, Own *list, uint32_t count, Bound bound) {
    uint32_t kept = 1;
    if (count == 0) return 0;
    swap(&list[0], &list[likeliest(t, list, count, bound)]);
    for (uint32_t k = 1; k < count; k++) {
        bool beaten = false;
        for (uint32_t m = 0; m < kept && !beaten; m++) {
            if (m == LOOKED_AT && kept > 2 * LOOKED_AT) m = kept - LOOKED_AT;
            beaten = beats(t, list[m], list[k], bound);
        }
        if (!beaten) swap(&list[kept++], &list[k]);
    }
    t->work += count;
    return kept;
}

/* --- a row -------------------------------------------------------------------------------- */

static uint32_t keys_before(const Tally *t, const uint32_t *before, const uint64_t *bits,
                            uint32_t j) {
    if (j == 0) return 0;
    uint32_t s = t->of[j - 1];
    return before[s] + (bit_at(bits, s) ? j - t->first[s] : 0);
}

uint32_t tally_count(Tally *t, Own own, uint32_t i, const Stretch *row, uint32_t stretches,
                     Bound bound) {
    Query *q = query_at(t, own.query);
    const uint32_t *before = totals(t, q, bound);
    const uint64_t *bits = q->bits[bound];
    uint32_t count = 0;
    for (uint32_t r = 0; r < stretches; r++) {
        count +=
            keys_before(t, before, bits, row[r].last) - keys_before(t, before, bits, row[r].first);
        if (i < row[r].first || i >= row[r].last) continue;
        count -= bit_at(bits, t->of[i]);
        count += self_at(own, bound);
    }
    return count;
}

double tally_work(const Tally *t) {
    return t->work;
}
