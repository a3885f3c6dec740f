/* The clauses of class `average`: heads that average 0/1 values over what they select.
 *
 *     sel(h,c,l)    head h selects literal l for key c
 *     val(h,m,l)    the m-th value of literal l, for all keys
 *     term          sel and val is 1, or sel and val is 0
 *     T_j           at least j of the terms of the first p literals
 *
 * Two instances differ in a fraction ones / (ones + zeros) unless the counts (ones, zeros) of
 * the one are a multiple of the other's; a variable D for each pair, head and value forbids
 * every such combination.  Everything is made when it is first asked for, and once. */
#include "express/verify/clauses.h"

#include "base/random.h"
#include "base/table.h"

#include <string.h>

typedef enum Kind { VAL, SEL, TERM, COUNT, PREFIX } Kind;

/* What was made: its name, and the (first) variable; of a PREFIX its number. */
typedef struct Made {
    uint32_t kind, head, value, a, b;
    int32_t variable;
} Made;

typedef struct Average {
    Clauses *out;
    const Certificate *certificate;
    Arena *arena;
    Made *made;
    size_t count, room;
    Table table;
    uint32_t prefixes;
} Average;

/* The counter of some terms: "at least j" is variable first + j - 1. */
typedef struct Counter {
    int32_t first;
    uint32_t terms;
} Counter;

/* One head and value, ones or zeros, an instance: what a counter counts. */
typedef struct Counted {
    const Instance *instance;
    uint32_t ones, head, value, key;
} Counted;

static uint64_t made_hash(const void *entries, uint32_t k) {
    const Made *m = &((const Made *)entries)[k];
    uint64_t hash = random_mix(((uint64_t)m->kind << 56) ^ ((uint64_t)m->head << 28) ^ m->value);
    return random_mix(hash ^ ((uint64_t)m->a << 32) ^ m->b);
}

/* The entry of that name; *fresh: it is new, with variable 0. */
static Made *make(Average *s, Made name, bool *fresh) {
    if (table_full(&s->table, s->count))
        table_grow(&s->table, s->arena, s->count, made_hash, s->made);
    size_t at = table_start(&s->table, made_hash(&name, 0));
    *fresh = false;
    for (uint32_t k; (k = table_entry(&s->table, at)) != TABLE_NONE;
         at = table_next(&s->table, at)) {
        Made *m = &s->made[k];
        if (m->kind == name.kind && m->head == name.head && m->value == name.value &&
            m->a == name.a && m->b == name.b)
            return m;
    }
    s->made = BLOCK_GROW(s->arena, s->made, &s->room, s->count + 1);
    s->made[s->count] = name;
    table_put(&s->table, at, s->count);
    *fresh = true;
    return &s->made[s->count++];
}

/* Literal p of an instance as a number: 0 is the sink. */
static uint32_t literal_at(const Average *s, const Instance *x, uint32_t p) {
    return p == 0 ? 0 : (p - 1) * (uint32_t)s->certificate->symbols + x->tokens[p - 1] + 1;
}

static bool selected(Average *s, uint32_t head, uint32_t key, uint32_t literal, int32_t *variable) {
    bool fresh;
    Made *m = make(s, (Made){SEL, head, 0, key, literal, 0}, &fresh);
    if (fresh) m->variable = clauses_variable(s->out);
    *variable = m->variable;
    return true;
}

static bool valued(Average *s, uint32_t head, uint32_t value, uint32_t literal, int32_t *variable) {
    bool fresh;
    Made *m = make(s, (Made){VAL, head, value, literal, 0, 0}, &fresh);
    if (fresh) m->variable = clauses_variable(s->out);
    *variable = m->variable;
    /* Complementing a head's values complements its fractions. */
    return !fresh || literal != 0 || EMIT(s->out, -*variable);
}

/* sel and val, or sel and not val. */
static bool term(Average *s, const Counted *c, uint32_t literal, int32_t *variable) {
    bool fresh;
    int32_t sel, val;
    size_t place;
    Made *m = make(s, (Made){TERM, c->head, 2 * c->value + c->ones, c->key, literal, 0}, &fresh);
    place = (size_t)(m - s->made);
    if (!fresh) {
        *variable = m->variable;
        return true;
    }
    if (!selected(s, c->head, c->key, literal, &sel) ||
        !valued(s, c->head, c->value, literal, &val))
        return false;
    if (!c->ones) val = -val;
    int32_t t = clauses_variable(s->out);
    s->made[place].variable = *variable = t;
    return EMIT(s->out, -t, sel) && EMIT(s->out, -t, val) && EMIT(s->out, t, -sel, -val);
}

/* T_1 to T_p from those of one literal less and the term of the last. */
static bool count_one_more(Average *s, Counter before, int32_t t, Counter *counter) {
    Clauses *out = s->out;
    uint32_t p = before.terms + 1;
    *counter = (Counter){out->variables + 1, p};
    for (uint32_t j = 1; j <= p; j++) {
        int32_t same = before.first + (int32_t)j - 1; /* P_j, false if j is p */
        int32_t less = same - 1;                      /* P_(j-1), true if j is 1 */
        int32_t now = clauses_variable(out);
        bool lowest = j == 1, highest = j == p;
        bool fine = (highest || EMIT(out, now, -same)) &&
                    (lowest ? EMIT(out, now, -t) : EMIT(out, now, -less, -t)) &&
                    (lowest || (highest ? EMIT(out, -now, less) : EMIT(out, -now, same, less))) &&
                    (highest ? EMIT(out, -now, t) : EMIT(out, -now, same, t));
        if (!fine) return false;
    }
    return true;
}

/* How many terms of the instance hold; prefixes that instances of a key share are counted once. */
static bool counted(Average *s, const Counted *c, Counter *counter) {
    bool fresh;
    uint32_t prefix = c->key, sort = 2 * c->value + c->ones;
    for (uint32_t p = 0; p <= c->instance->length; p++) {
        int32_t t;
        uint32_t literal = literal_at(s, c->instance, p);
        Made *node = make(s, (Made){PREFIX, 0, p == 0, prefix, literal, 0}, &fresh);
        if (fresh) node->variable = (int32_t)s->prefixes++;
        prefix = (uint32_t)node->variable;
        Made *made = make(s, (Made){COUNT, c->head, sort, prefix, 0, 0}, &fresh);
        size_t place = (size_t)(made - s->made);
        if (!fresh) {
            *counter = (Counter){made->variable, p + 1};
            continue;
        }
        if (!term(s, c, literal, &t)) return false;
        if (p == 0)
            *counter = (Counter){t, 1};
        else if (!count_one_more(s, *counter, t, counter))
            return false;
        s->made[place].variable = counter->first;
    }
    return true;
}

/* --- pairs ------------------------------------------------------------------------------ */

/* Literals that say "not exactly j"; j is less than the number of terms. */
static void not_exactly(Clauses *out, Counter counter, uint32_t j) {
    clauses_literal(out, -(counter.first + (int32_t)j - 1));
    clauses_literal(out, counter.first + (int32_t)j);
}

static uint32_t divisor(uint32_t a, uint32_t b) {
    while (b) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* D: not s ones and z zeros there and a multiple of their ratio here.  c: ones and zeros of x,
 * ones and zeros of y. */
static bool forbid_ratios(Clauses *out, int32_t d, const Counter c[4]) {
    for (uint32_t s = 1; s < c[0].terms; s++)
        for (uint32_t z = 1; s + z <= c[0].terms; z++) {
            uint32_t g = divisor(s, z), ones = s / g, zeros = z / g;
            for (uint32_t n = 1; n * (ones + zeros) <= c[2].terms; n++) {
                clauses_literal(out, -d);
                not_exactly(out, c[0], s);
                not_exactly(out, c[1], z);
                not_exactly(out, c[2], n * ones);
                not_exactly(out, c[3], n * zeros);
                if (!clauses_end(out)) return false;
            }
            budget_poll(&out->check->budget);
        }
    return true;
}

/* D implies that head and value tell x and y apart. */
static bool separate(Average *s, Pair pair, uint32_t key, uint32_t head, uint32_t value,
                     int32_t *d) {
    Counter c[4];
    const Instance *x = &s->certificate->instances[pair.x];
    const Instance *y = &s->certificate->instances[pair.y];
    for (uint32_t k = 0; k < 4; k++) {
        Counted what = {k < 2 ? x : y, k % 2 == 0, head, value, key};
        if (!counted(s, &what, &c[k])) return false;
    }
    int32_t x1 = c[0].first, x0 = c[1].first, y1 = c[2].first, y0 = c[3].first;
    *d = clauses_variable(s->out);
    return EMIT(s->out, -*d, x1, x0, y1, y0) && EMIT(s->out, -*d, -x1, x0, -y1, y0) &&
           EMIT(s->out, -*d, x1, -x0, y1, -y0) && forbid_ratios(s->out, *d, c);
}

/* Heads, and values of a head, are named in the order in which pairs use them. */
static bool separate_pair(Average *s, size_t j) {
    const Certificate *c = s->certificate;
    Pair pair = c->pairs[j];
    const Instance *x = &c->instances[pair.x];
    uint32_t key = x->position * (uint32_t)c->symbols + x->tokens[x->position];
    int32_t *all = NULL, d;
    size_t count = 0, room = 0;
    for (uint32_t head = 0; head < c->heads && head <= j; head++)
        for (uint32_t value = 0; value < c->values && head + value <= j; value++) {
            if (!separate(s, pair, key, head, value, &d)) return false;
            all = BLOCK_GROW(s->arena, all, &room, count + 1);
            all[count++] = d;
        }
    bool fine = clauses_emit(s->out, count, all);
    arena_release(s->arena, all);
    return fine;
}

bool clauses_average(Clauses *out, const Certificate *certificate) {
    Average s = {.out = out, .certificate = certificate, .arena = out->check->arena};
    s.table = table_new(s.arena, 1024);
    for (size_t j = 0; j < certificate->pair_count; j++)
        if (!separate_pair(&s, j)) return false;
    return true;
}
