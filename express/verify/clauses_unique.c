/* The clauses of class `unique`: each head has a total order of the literals and brings the
 * first that is present.
 *
 *     before(h,a,b)   literal a comes before literal b in the order of head h
 *     pick(h,x,l)     l comes before every other literal of instance x
 *
 * All pairs have one key.  The query's own literal is left out: it is always there, as the sink
 * is, and of two literals that are always there an order needs only one. */
#include "express/verify/clauses.h"

#include <string.h>

typedef struct Unique {
    Clauses *out;
    const Certificate *certificate;
    uint32_t *literals; /* literal's number as (position, token) -> its place among those used */
    size_t count;       /* places */
    int32_t *picks;     /* of each head and instance the first variable; 0: none yet */
} Unique;

/* Literals of an instance, without its own: places. */
static size_t places(const Unique *s, const Instance *x, uint32_t *list) {
    size_t count = 0;
    list[count++] = 0; /* the sink */
    for (uint32_t i = 0; i < x->length; i++)
        if (i != x->position)
            list[count++] = s->literals[i * s->certificate->symbols + x->tokens[i]];
    return count;
}

/* Numbers the literals that occur. */
static void find_literals(Unique *s) {
    const Certificate *c = s->certificate;
    size_t all = c->max_length * c->symbols;
    s->literals = ARENA_ARRAY(s->out->check->arena, all, uint32_t);
    for (size_t j = 0; j < 2 * c->pair_count; j++) {
        Pair pair = c->pairs[j / 2];
        const Instance *x = &c->instances[j % 2 ? pair.y : pair.x];
        for (uint32_t i = 0; i < x->length; i++)
            if (i != x->position) s->literals[i * c->symbols + x->tokens[i]] = 1;
    }
    s->count = 1;
    for (size_t l = 0; l < all; l++)
        if (s->literals[l]) s->literals[l] = (uint32_t)s->count++;
}

/* The orders' variables are the first ones: head by head, row by row. */
static int32_t before(const Unique *s, size_t head, size_t a, size_t b) {
    if (a > b) return -before(s, head, b, a);
    size_t row = a * s->count - a * (a + 1) / 2; /* pairs whose first is below a */
    return (int32_t)(head * (s->count * (s->count - 1) / 2) + row + (b - a));
}

static bool make_orders(Unique *s) {
    Clauses *out = s->out;
    size_t n = s->count, heads = s->certificate->heads;
    for (size_t k = heads * (n * (n - 1) / 2); k > 0; k--) clauses_variable(out);
    for (size_t h = 0; h < heads; h++)
        for (size_t a = 0; a < n; a++)
            for (size_t b = a + 1; b < n; b++)
                for (size_t d = b + 1; d < n; d++) {
                    int32_t ab = before(s, h, a, b), bd = before(s, h, b, d);
                    int32_t ad = before(s, h, a, d);
                    if (!EMIT(out, -ab, -bd, ad) || !EMIT(out, ab, bd, -ad)) return false;
                }
    return true;
}

static bool pick(Unique *s, size_t head, const uint32_t *list, size_t count, size_t k) {
    Clauses *out = s->out;
    int32_t v = clauses_variable(out);
    for (size_t o = 0; o < count; o++)
        if (o != k && !EMIT(out, -v, before(s, head, list[k], list[o]))) return false;
    clauses_literal(out, v);
    for (size_t o = 0; o < count; o++)
        if (o != k) clauses_literal(out, -before(s, head, list[k], list[o]));
    return clauses_end(out);
}

/* What the head picks of an instance: *first is the variable of its first literal. */
static bool picks(Unique *s, size_t head, uint32_t x, const uint32_t *list, size_t count,
                  int32_t *first) {
    int32_t *made = &s->picks[head * s->certificate->instance_count + x];
    if ((*first = *made)) return true;
    *first = *made = s->out->variables + 1;
    for (size_t k = 0; k < count; k++)
        if (!pick(s, head, list, count, k)) return false;
    for (size_t k = 0; k < count; k++) clauses_literal(s->out, *first + (int32_t)k);
    return clauses_end(s->out);
}

/* D implies that the head does not pick the same literal of both. */
static bool separate(Unique *s, size_t head, Pair pair, uint32_t *lists[2], int32_t *d) {
    int32_t x, y;
    const Certificate *c = s->certificate;
    size_t counts[] = {places(s, &c->instances[pair.x], lists[0]),
                       places(s, &c->instances[pair.y], lists[1])};
    if (!picks(s, head, pair.x, lists[0], counts[0], &x) ||
        !picks(s, head, pair.y, lists[1], counts[1], &y))
        return false;
    *d = clauses_variable(s->out);
    for (size_t k = 0, o = 0; k < counts[0] && o < counts[1];) {
        if (lists[0][k] == lists[1][o]) {
            if (!EMIT(s->out, -*d, -(x + (int32_t)k), -(y + (int32_t)o))) return false;
            k++, o++;
        } else if (lists[0][k] < lists[1][o]) {
            k++;
        } else {
            o++;
        }
    }
    return true;
}

bool clauses_unique(Clauses *out, const Certificate *c) {
    Arena *arena = out->check->arena;
    Unique s = {.out = out, .certificate = c};
    uint32_t *lists[2];
    for (int k = 0; k < 2; k++) lists[k] = ARENA_ARRAY(arena, c->max_length + 1, uint32_t);
    find_literals(&s);
    /* Room for what the pairs can name, which are fewer than the heads only by a slip. */
    size_t heads = c->heads < c->pair_count ? c->heads : c->pair_count;
    s.picks = ARENA_ARRAY(arena, heads * c->instance_count + 1, int32_t);
    int32_t *all = ARENA_ARRAY(arena, heads + 1, int32_t);
    if (!make_orders(&s)) return false;
    for (size_t j = 0; j < c->pair_count; j++) {
        size_t used = heads < j + 1 ? heads : j + 1;
        for (size_t h = 0; h < used; h++)
            if (!separate(&s, h, c->pairs[j], lists, &all[h])) return false;
        if (!clauses_emit(out, used, all)) return false;
    }
    return true;
}
