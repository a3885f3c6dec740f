#include "express/formula.h"

#include "base/table.h"

void pairs_add(Arena *arena, Pairs *pairs, Pair pair) {
    pairs->at = arena_grow(arena, pairs->at, &pairs->room, pairs->count + 1, sizeof *pairs->at);
    pairs->at[pairs->count++] = pair;
}

static int fresh(Formula *f) {
    return ++f->variables;
}

static void put(Formula *f, int literal) {
    f->add(f->context, literal);
}

static void end(Formula *f) {
    f->add(f->context, 0);
    f->clauses++;
}

static void clause2(Formula *f, int a, int b) {
    put(f, a), put(f, b), end(f);
}

static void clause3(Formula *f, int a, int b, int c) {
    put(f, a), put(f, b), put(f, c), end(f);
}

/* === averaging heads ====================================================================== */

/* A prefix of the literals of instances of one key: prefixes share their counters. */
typedef struct Node {
    uint32_t depth;      /* literals, the sink among them */
    struct Node **child; /* by the next token */
    int **counts;        /* [h][m][ones, zeros]: variables "at least j + 1", j < depth */
} Node;

struct Average {
    Formula *f;
    unsigned heads, values;
    uint32_t keys, literals;
    int *val;   /* [h][m][l] */
    int *sel;   /* [h][c][l] */
    int *term;  /* [h][m][c][l][ones, zeros] */
    Node *root; /* [c] */
};

Average *average_new(Formula *f, unsigned heads, unsigned values, uint32_t longest) {
    Average *a = ARENA_NEW(f->arena, Average);
    uint32_t keys = key_count(f->task, longest), literals = literal_count(f->task, longest);
    size_t columns = (size_t)heads * values;
    *a = (Average){.f = f, .heads = heads, .values = values, .keys = keys, .literals = literals};
    a->val = ARENA_ARRAY(f->arena, columns * literals, int);
    a->sel = ARENA_ARRAY(f->arena, (size_t)heads * keys * literals, int);
    a->term = ARENA_ARRAY(f->arena, columns * keys * literals * 2, int);
    a->root = ARENA_ARRAY(f->arena, keys, Node);
    return a;
}

static int *val_at(const Average *a, unsigned h, unsigned m, uint32_t l) {
    return &a->val[((size_t)h * a->values + m) * a->literals + l];
}

static int *sel_at(const Average *a, unsigned h, uint32_t c, uint32_t l) {
    return &a->sel[((size_t)h * a->keys + c) * a->literals + l];
}

int average_selects(const Average *a, unsigned h, uint32_t key, uint32_t literal) {
    return *sel_at(a, h, key, literal);
}

int average_value(const Average *a, unsigned h, unsigned m, uint32_t literal) {
    return *val_at(a, h, m, literal);
}

static int value_of(Average *a, unsigned h, unsigned m, uint32_t l) {
    int *v = val_at(a, h, m, l);
    if (*v) return *v;
    *v = fresh(a->f);
    if (l == 0) put(a->f, -*v), end(a->f);
    return *v;
}

static int selected(Average *a, unsigned h, uint32_t c, uint32_t l) {
    int *s = sel_at(a, h, c, l);
    if (!*s) *s = fresh(a->f);
    return *s;
}

/* The literal is selected and its value is 1 (ones) or 0 (not ones). */
static int term(Average *a, unsigned h, unsigned m, uint32_t c, uint32_t l, bool ones) {
    size_t column = (size_t)h * a->values + m;
    int *t = &a->term[((column * a->keys + c) * a->literals + l) * 2 + !ones];
    if (*t) return *t;
    int s = selected(a, h, c, l), v = value_of(a, h, m, l);
    if (!ones) v = -v;
    *t = fresh(a->f);
    clause2(a->f, -*t, s);
    clause2(a->f, -*t, v);
    clause3(a->f, *t, -s, -v);
    return *t;
}

static Node *child(Average *a, Node *node, uint32_t token) {
    Arena *arena = a->f->arena;
    if (!node->child) node->child = ARENA_ARRAY(arena, a->f->task->symbols, Node *);
    Node **next = &node->child[token];
    if (!*next) {
        *next = ARENA_NEW(arena, Node);
        (*next)->depth = node->depth + 1;
    }
    return *next;
}

/* "at least j" of depth - 1 terms p, and one term more: j is 1-based; p[0] would be true, and what
 * is behind the last false. */
static void count_one_more(Formula *f, int *now, const int *p, uint32_t depth, int t) {
    for (uint32_t j = 1; j <= depth; j++) {
        int v = now[j - 1] = fresh(f), same = j < depth ? p[j - 1] : 0, less = j > 1 ? p[j - 2] : 0;
        if (same) clause2(f, v, -same);
        put(f, v);
        if (less) put(f, -less);
        put(f, -t), end(f);
        if (less) {
            put(f, -v);
            if (same) put(f, same);
            put(f, less), end(f);
        }
        put(f, -v);
        if (same) put(f, same);
        put(f, t), end(f);
    }
}

static const int *count(Average *a, bool ones, unsigned h, unsigned m, const Instance *x) {
    const Task *task = a->f->task;
    uint32_t c = instance_key(task, x);
    size_t column = ((size_t)h * a->values + m) * 2 + !ones;
    const int *before = NULL;
    Node *node = &a->root[c];
    node->depth = 1;
    for (uint32_t p = 1;; p++) {
        if (!node->counts)
            node->counts = ARENA_ARRAY(a->f->arena, (size_t)a->heads * a->values * 2, int *);
        int **counts = &node->counts[column];
        if (!*counts) {
            int t = term(a, h, m, c, p == 1 ? 0 : literal_at(task, x, p - 2), ones);
            *counts = ARENA_ARRAY(a->f->arena, p, int);
            if (p == 1)
                (*counts)[0] = t;
            else
                count_one_more(a->f, *counts, before, p, t);
        }
        before = *counts;
        if (p == (uint32_t)x->length + 1) return before;
        node = child(a, node, x->tokens[p - 1]);
    }
}

/* Not exactly `number` of those that `counts` counts, as literals of a clause. */
static void not_exactly(Formula *f, const int *counts, uint32_t number, uint32_t size) {
    put(f, -counts[number - 1]);
    if (number < size) put(f, counts[number]);
}

static void exclude(Formula *f, int d, const int *const counts[4], const uint32_t sizes[2]) {
    const int *s = counts[0], *z = counts[1], *t = counts[2], *w = counts[3];
    uint32_t nx = sizes[0], ny = sizes[1];
    for (uint32_t i = 1; i <= nx; i++)
        for (uint32_t j = 1; i + j <= nx; j++)
            for (uint32_t k = 1; k <= ny; k++)
                for (uint32_t l = 1; k + l <= ny; l++) {
                    if (i * l != k * j) continue;
                    put(f, -d);
                    not_exactly(f, s, i, nx);
                    not_exactly(f, z, j, nx);
                    not_exactly(f, t, k, ny);
                    not_exactly(f, w, l, ny);
                    end(f);
                }
}

/* A variable that is true only if the fractions differ. */
static int differs(Average *a, unsigned h, unsigned m, const Instance *x, const Instance *y) {
    Formula *f = a->f;
    const int *s = count(a, true, h, m, x), *z = count(a, false, h, m, x);
    const int *t = count(a, true, h, m, y), *w = count(a, false, h, m, y);
    int d = fresh(f);
    put(f, -d), put(f, s[0]), put(f, z[0]), put(f, t[0]), put(f, w[0]), end(f);
    put(f, -d), put(f, -s[0]), put(f, z[0]), put(f, -t[0]), put(f, w[0]), end(f);
    put(f, -d), put(f, s[0]), put(f, -z[0]), put(f, t[0]), put(f, -w[0]), end(f);
    const int *const counts[4] = {s, z, t, w};
    exclude(f, d, counts, (const uint32_t[2]){x->length + 1u, y->length + 1u});
    return d;
}

void average_pair(Average *a, size_t number, const Instance *x, const Instance *y, int guard) {
    Formula *f = a->f;
    int *d = ARENA_ARRAY(f->arena, (size_t)a->heads * a->values, int), count = 0;
    for (unsigned h = 0; h < a->heads; h++)
        for (unsigned m = 0; m < a->values && h + m <= number; m++)
            d[count++] = differs(a, h, m, x, y);
    if (guard) put(f, -guard);
    for (int k = 0; k < count; k++) put(f, d[k]);
    end(f);
}

/* === unique heads ========================================================================= */

struct Unique {
    Formula *f;
    unsigned heads;
    uint32_t count;
    const uint32_t *literals;
    int *before; /* [h][a][b], a < b */
    Table index; /* of instances that have picks */
    const Instance **picked;
    int **picks; /* [instance][h][literal of it], one row an instance */
    size_t picked_count, room, picks_room;
};

int unique_before(const Unique *u, unsigned h, uint32_t a, uint32_t b) {
    const int *table = &u->before[(size_t)h * u->count * u->count];
    return a < b ? table[a * u->count + b] : -table[b * u->count + a];
}

static void order_axioms(Unique *u, unsigned h) {
    for (uint32_t a = 0; a < u->count; a++)
        for (uint32_t b = a + 1; b < u->count; b++)
            for (uint32_t d = b + 1; d < u->count; d++) {
                int ab = unique_before(u, h, a, b), bd = unique_before(u, h, b, d);
                int ad = unique_before(u, h, a, d);
                clause3(u->f, -ab, -bd, ad);
                clause3(u->f, ab, bd, -ad);
            }
}

Unique *unique_new(Formula *f, unsigned heads, const uint32_t *literals, uint32_t count) {
    Unique *u = ARENA_NEW(f->arena, Unique);
    *u = (Unique){.f = f, .heads = heads, .count = count, .literals = literals};
    u->before = ARENA_ARRAY(f->arena, (size_t)heads * count * count, int);
    u->index = table_new(f->arena, 64);
    for (unsigned h = 0; h < heads; h++)
        for (uint32_t a = 0; a < count; a++)
            for (uint32_t b = a + 1; b < count; b++)
                u->before[((size_t)h * count + a) * count + b] = fresh(f);
    for (unsigned h = 0; h < heads; h++) order_axioms(u, h);
    return u;
}

static uint32_t place_of(const Unique *u, uint32_t literal) {
    uint32_t low = 0, high = u->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (u->literals[middle] < literal)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The places of an instance's literals, in order: at most length many. */
static uint32_t places(const Unique *u, const Instance *x, uint32_t *list) {
    uint32_t count = 0;
    list[count++] = 0;
    for (uint32_t i = 0; i < x->length; i++)
        if (i != x->position) list[count++] = place_of(u, literal_at(u->f->task, x, i));
    return count;
}

static uint64_t instance_hash(const void *entries, uint32_t entry) {
    return ((uintptr_t)((const Instance *const *)entries)[entry] >> 4) * 0x9e3779b97f4a7c15u >> 20;
}

/* The instance's row of picks, its h-th entry empty if it is new. */
static int **picks_of(Unique *u, const Instance *x) {
    Arena *arena = u->f->arena;
    if (table_full(&u->index, u->picked_count))
        table_grow(&u->index, arena, u->picked_count, instance_hash, u->picked);
    u->picked = arena_grow(arena, u->picked, &u->room, u->picked_count + 1, sizeof *u->picked);
    u->picks = arena_grow(arena, u->picks, &u->picks_room, (u->picked_count + 1) * u->heads,
                          sizeof *u->picks);
    u->picked[u->picked_count] = x;
    size_t at = table_start(&u->index, instance_hash(u->picked, (uint32_t)u->picked_count));
    for (uint32_t k; (k = table_entry(&u->index, at)) != TABLE_NONE; at = table_next(&u->index, at))
        if (u->picked[k] == x) return &u->picks[(size_t)k * u->heads];
    table_put(&u->index, at, u->picked_count);
    return &u->picks[u->picked_count++ * u->heads];
}

/* Variables for "head h picks the literal", one a literal of the instance. */
static const int *picks(Unique *u, unsigned h, const Instance *x) {
    Formula *f = u->f;
    int **row = picks_of(u, x) + h;
    if (*row) return *row;
    uint32_t list[TASK_LONGEST + 1], count = places(u, x, list);
    int *v = *row = ARENA_ARRAY(f->arena, count, int);
    for (uint32_t l = 0; l < count; l++) {
        v[l] = fresh(f);
        for (uint32_t o = 0; o < count; o++)
            if (o != l) clause2(f, -v[l], unique_before(u, h, list[l], list[o]));
        put(f, v[l]);
        for (uint32_t o = 0; o < count; o++)
            if (o != l) put(f, -unique_before(u, h, list[l], list[o]));
        end(f);
    }
    for (uint32_t l = 0; l < count; l++) put(f, v[l]);
    end(f);
    return v;
}

static int picks_differ(Unique *u, unsigned h, const Instance *x, const Instance *y) {
    Formula *f = u->f;
    uint32_t lx[TASK_LONGEST + 1], ly[TASK_LONGEST + 1];
    uint32_t nx = places(u, x, lx), ny = places(u, y, ly);
    const int *px = picks(u, h, x), *py = picks(u, h, y);
    int d = fresh(f);
    for (uint32_t i = 0, j = 0; i < nx && j < ny;) {
        if (lx[i] == ly[j]) clause3(f, -d, -px[i], -py[j]);
        if (lx[i] < ly[j])
            i++;
        else if (lx[i] > ly[j])
            j++;
        else
            i++, j++;
    }
    return d;
}

void unique_pair(Unique *u, size_t number, const Instance *x, const Instance *y, int guard) {
    Formula *f = u->f;
    int *d = ARENA_ARRAY(f->arena, u->heads, int), count = 0;
    for (unsigned h = 0; h < u->heads && h <= number; h++) d[count++] = picks_differ(u, h, x, y);
    if (guard) put(f, -guard);
    for (int k = 0; k < count; k++) put(f, d[k]);
    end(f);
}

uint32_t unique_literals(Arena *arena, const Task *task, const uint32_t *members, size_t count,
                         uint32_t **literals) {
    bool *there = ARENA_ARRAY(arena, literal_count(task, TASK_LONGEST), bool);
    uint32_t number = 0, most = literal_count(task, TASK_LONGEST);
    there[0] = true;
    for (size_t k = 0; k < count; k++) {
        const Instance *x = &task->instances[members[k]];
        for (uint32_t i = 0; i < x->length; i++)
            if (i != x->position) there[literal_at(task, x, i)] = true;
    }
    *literals = ARENA_ARRAY(arena, most, uint32_t);
    for (uint32_t l = 0; l < most; l++)
        if (there[l]) (*literals)[number++] = l;
    return number;
}
