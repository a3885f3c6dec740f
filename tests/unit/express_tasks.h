/* Tasks small enough to try all layers, and certificates about them that are written here: the
 * clauses by a second program, the proof by a small solver. */
#ifndef TESTS_EXPRESS_TASKS_H
#define TESTS_EXPRESS_TASKS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "express/verify/verify.h"

#include "base/random.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNUSED __attribute__((unused))

enum { LONGEST = 4, MOST_INSTANCES = 400, MOST_LITERALS = 1 + 3 * LONGEST };

typedef struct TinyInstance {
    int x[LONGEST], length, position, label;
} TinyInstance;

typedef struct Tiny {
    int longest, symbols;
    bool last;
    int count;
    TinyInstance at[MOST_INSTANCES];
} Tiny;

static const char *const tiny_tokens[] = {"a", "b", "c"};

/* All instances, labels drawn. */
UNUSED static Tiny tiny_random(Random *random, int longest, int symbols, bool last, int labels) {
    Tiny t = {.longest = longest, .symbols = symbols, .last = last};
    for (int n = 1, all = symbols; n <= longest; n++, all *= symbols)
        for (int word = 0; word < all; word++)
            for (int i = last ? n - 1 : 0; i < n; i++) {
                TinyInstance *x = &t.at[t.count++];
                *x = (TinyInstance){.length = n, .position = i};
                for (int k = n - 1, rest = word; k >= 0; k--, rest /= symbols)
                    x->x[k] = rest % symbols;
                x->label = (int)random_below(random, (uint64_t)labels);
            }
    return t;
}

/* Literal p of an instance, 0 the sink. */
static int tiny_literal(const Tiny *t, const TinyInstance *x, int p) {
    return p == 0 ? 0 : 1 + (p - 1) * t->symbols + x->x[p - 1];
}

static int tiny_literals(const Tiny *t) {
    return 1 + t->longest * t->symbols;
}

static int tiny_key(const Tiny *t, const TinyInstance *x) {
    return x->position * t->symbols + x->x[x->position];
}

/* --- all layers ------------------------------------------------------------------------- */

typedef struct TinyLayer {
    unsigned values[4];                       /* of head h * k + m: a bit a literal */
    unsigned select[4][3 * LONGEST];          /* of head and key */
    int order[4][3 * LONGEST][MOST_LITERALS]; /* of head and key: literals, -1 behind the last */
} TinyLayer;

typedef struct TinySearch {
    const Tiny *t;
    int heads, values, key;
    int members[MOST_INSTANCES], count; /* of the key */
    TinyLayer layer;
} TinySearch;

static void tiny_members(TinySearch *s, int key) {
    s->key = key;
    s->count = 0;
    for (int k = 0; k < s->t->count; k++)
        if (tiny_key(s->t, &s->t->at[k]) == key) s->members[s->count++] = k;
}

static unsigned tiny_bits(const Tiny *t, const TinyInstance *x) {
    unsigned bits = 0;
    for (int p = 0; p <= x->length; p++) bits |= 1u << tiny_literal(t, x, p);
    return bits;
}

/* Does an averaging head bring the same of both? */
static bool same_average(const TinySearch *s, int h, unsigned x, unsigned y) {
    unsigned select = s->layer.select[h][s->key];
    int a = __builtin_popcount(x & select), b = __builtin_popcount(y & select);
    if (!a || !b) return a == b;
    for (int m = 0; m < s->values; m++) {
        unsigned ones = select & s->layer.values[h * s->values + m];
        if (__builtin_popcount(x & ones) * b != __builtin_popcount(y & ones) * a) return false;
    }
    return true;
}

static int first_of(const int *order, unsigned x) {
    for (int k = 0; order[k] >= 0; k++)
        if (x >> order[k] & 1) return order[k];
    return -1;
}

static bool tiny_fits(const TinySearch *s, bool unique) {
    for (int a = 0; a < s->count; a++)
        for (int b = 0; b < a; b++) {
            const TinyInstance *x = &s->t->at[s->members[a]], *y = &s->t->at[s->members[b]];
            unsigned xs = tiny_bits(s->t, x), ys = tiny_bits(s->t, y);
            bool same = x->label != y->label;
            for (int h = 0; same && h < s->heads; h++)
                same = unique ? first_of(s->layer.order[h][s->key], xs) ==
                                    first_of(s->layer.order[h][s->key], ys)
                              : same_average(s, h, xs, ys);
            if (same) return false;
        }
    return true;
}

/* Tries all selections of heads h.. for the key. */
static bool try_selections(TinySearch *s, int h) {
    unsigned all = 0, bits = 0;
    if (h == s->heads) return tiny_fits(s, false);
    for (int k = 0; k < s->count; k++) all |= tiny_bits(s->t, &s->t->at[s->members[k]]);
    do { /* the subsets of `all` */
        s->layer.select[h][s->key] = bits;
        if (try_selections(s, h + 1)) return true;
        bits = (bits - all) & all;
    } while (bits);
    return false;
}

/* Is there a layer of class average?  Left in s->layer. */
UNUSED static bool tiny_average(TinySearch *s, const Tiny *t, int heads, int values) {
    int bits = tiny_literals(t) * heads * values;
    *s = (TinySearch){.t = t, .heads = heads, .values = values};
    for (uint64_t word = 0; word < (uint64_t)1 << bits; word++) {
        bool fits = true;
        for (int k = 0; k < heads * values; k++)
            s->layer.values[k] =
                (unsigned)(word >> k * tiny_literals(t)) & ((1u << tiny_literals(t)) - 1);
        for (int key = 0; fits && key < t->longest * t->symbols; key++) {
            tiny_members(s, key);
            fits = try_selections(s, 0);
        }
        if (fits) return true;
    }
    return false;
}

static bool try_orders(TinySearch *s, int h);

static bool try_order_from(TinySearch *s, int h, int from, int count) {
    int *order = s->layer.order[h][s->key];
    if (from == count) return try_orders(s, h + 1);
    for (int k = from; k < count; k++) {
        int literal = order[k];
        order[k] = order[from];
        order[from] = literal;
        if (try_order_from(s, h, from + 1, count)) return true;
        order[from] = order[k];
        order[k] = literal;
    }
    return false;
}

static bool try_orders(TinySearch *s, int h) {
    unsigned all = 0;
    int count = 0;
    if (h == s->heads) return tiny_fits(s, true);
    for (int k = 0; k < s->count; k++) all |= tiny_bits(s->t, &s->t->at[s->members[k]]);
    for (int l = 0; l < tiny_literals(s->t); l++)
        if (all >> l & 1) s->layer.order[h][s->key][count++] = l;
    s->layer.order[h][s->key][count] = -1;
    return try_order_from(s, h, 0, count);
}

/* Is there a layer of class unique?  If not, s->key and its members are where it fails. */
UNUSED static bool tiny_unique(TinySearch *s, const Tiny *t, int heads) {
    *s = (TinySearch){.t = t, .heads = heads};
    for (int key = 0; key < t->longest * t->symbols; key++) {
        tiny_members(s, key);
        if (!try_orders(s, 0)) return false;
    }
    return true;
}

/* --- a solver that writes proofs -------------------------------------------------------- */

enum { MOST_VARIABLES = 4000, MOST_CLAUSES = 60000, MOST_WIDTH = 200 };

typedef struct Formula {
    int variables, count;
    int *clause[MOST_CLAUSES]; /* 0 behind the last literal */
    /* The search. */
    int value[MOST_VARIABLES], level[MOST_VARIABLES], reason[MOST_VARIABLES];
    int trail[MOST_VARIABLES], set, depth;
} Formula;

static void formula_add(Formula *f, const int *literals, int count) {
    assert_true(f->count < MOST_CLAUSES && count < MOST_WIDTH);
    f->clause[f->count] = malloc((size_t)(count + 1) * sizeof(int));
    memcpy(f->clause[f->count], literals, (size_t)count * sizeof(int));
    f->clause[f->count++][count] = 0;
}

#define ADD(f, ...)                                                                                \
    formula_add(f, (int[]){__VA_ARGS__}, (int)(sizeof((int[]){__VA_ARGS__}) / sizeof(int)))

UNUSED static void formula_free(Formula *f) {
    for (int k = 0; k < f->count; k++) free(f->clause[k]);
    free(f);
}

static int value_of(const Formula *f, int literal) {
    return literal > 0 ? f->value[literal] : -f->value[-literal];
}

static void set_literal(Formula *f, int literal, int reason) {
    int v = abs(literal);
    f->value[v] = literal > 0 ? 1 : -1;
    f->level[v] = f->depth;
    f->reason[v] = reason;
    f->trail[f->set++] = literal;
}

/* Rounds over all clauses until nothing follows; the clause that fails, or -1. */
static int formula_propagate(Formula *f) {
    for (bool more = true; more;) {
        more = false;
        for (int c = 0; c < f->count; c++) {
            int open = 0, unit = 0;
            const int *l = f->clause[c];
            for (; *l && value_of(f, *l) <= 0; l++)
                if (value_of(f, *l) == 0) open++, unit = *l;
            if (*l || open > 1) continue;
            if (open == 0) return c;
            set_literal(f, unit, c);
            more = true;
        }
    }
    return -1;
}

/* The clause of the first unique implication point, that literal first; the level to go to. */
static int learn(Formula *f, int conflict, int *learned, int *count) {
    static bool seen[MOST_VARIABLES];
    int at = f->set - 1, open = 0, back = 0;
    memset(seen, 0, sizeof seen);
    *count = 1;
    for (const int *clause = f->clause[conflict];;) {
        for (; *clause; clause++) {
            int v = abs(*clause);
            if (seen[v] || f->level[v] == 0) continue;
            seen[v] = true;
            if (f->level[v] == f->depth) {
                open++;
                continue;
            }
            learned[(*count)++] = *clause;
            if (f->level[v] > back) back = f->level[v];
        }
        while (!seen[abs(f->trail[at])]) at--;
        if (--open == 0) break;
        clause = f->clause[f->reason[abs(f->trail[at--])]];
    }
    learned[0] = -f->trail[at];
    return back;
}

static void go_back(Formula *f, int level) {
    while (f->set && f->level[abs(f->trail[f->set - 1])] > level)
        f->value[abs(f->trail[--f->set])] = 0;
    f->depth = level;
}

/* Is it satisfiable?  If not, *proof (to be freed) says why. */
UNUSED static bool formula_solve(Formula *f, char **proof) {
    size_t size;
    FILE *out = open_memstream(proof, &size);
    bool satisfiable = false;
    static int learned[MOST_VARIABLES];
    for (;;) {
        int conflict = formula_propagate(f), count, decision = 1;
        if (conflict >= 0 && f->depth == 0) break;
        if (conflict >= 0) {
            go_back(f, learn(f, conflict, learned, &count));
            for (int k = 0; k < count; k++) fprintf(out, "%d ", learned[k]);
            fputs("0\n", out);
            formula_add(f, learned, count);
            continue;
        }
        while (decision <= f->variables && f->value[decision]) decision++;
        satisfiable = decision > f->variables;
        if (satisfiable) break;
        f->depth++;
        set_literal(f, -decision, -1);
    }
    fputs("0\n", out);
    fclose(out);
    return satisfiable;
}

#endif
