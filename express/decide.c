#include "express/decide.h"

#include <string.h>

/* What is known of one key of `unique`. */
typedef struct Key {
    uint32_t *members;
    size_t count, room;
    size_t decided; /* so many of them are told apart by orders */
    unsigned least;
    Order *orders; /* [least] */
    Pairs pairs;
} Key;

struct Decider {
    Arena *arena;
    Task *task;
    Query query;
    uint32_t length, longest;
    Limits *limits;
    unsigned tried;           /* numbers below this are known to be too few */
    AverageSearch **searches; /* [number] */
    Key *keys;
    Witness *witness; /* against tried - 1 */
    bool hopeless;    /* a shorter length was not decided */
    bool impossible;
    Verdict bits; /* the most so far */
};

const char *query_text(const Query *q, Arena *arena) {
    const char *name = class_name((int)q->kind);
    if (q->kind == CLASS_WINDOW) return arena_format(arena, "%s %u", name, q->distance);
    if (q->vary_values)
        return arena_format(arena, "%s, %u head%s", name, q->heads, q->heads == 1 ? "" : "s");
    if (q->kind == CLASS_AVERAGE && q->values > 1)
        return arena_format(arena, "%s, %u values", name, q->values);
    return name;
}

Decider *decider_new(Arena *arena, Task *task, const Query *query, uint32_t longest,
                     Limits *limits) {
    Decider *d = ARENA_NEW(arena, Decider);
    *d = (Decider){.arena = arena,
                   .task = task,
                   .query = *query,
                   .longest = longest,
                   .limits = limits,
                   .tried = 1};
    d->searches = ARENA_ARRAY(arena, query->most + 2, AverageSearch *);
    d->keys = ARENA_ARRAY(arena, key_count(task, longest), Key);
    return d;
}

void decider_free(Decider *d) {
    for (unsigned k = 0; d && d->searches && k <= d->query.most + 1; k++)
        average_search_free(d->searches[k]);
}

static Witness *witness_new(Decider *d, unsigned number, const Pairs *pairs, uint32_t length) {
    Witness *w = ARENA_NEW(d->arena, Witness);
    const Query *q = &d->query;
    *w = (Witness){.heads = q->vary_values ? q->heads : number,
                   .values = q->vary_values ? number : q->values,
                   .length = length};
    for (size_t k = 0; k < pairs->count; k++) pairs_add(d->arena, &w->pairs, pairs->at[k]);
    return w;
}

/* --- average ------------------------------------------------------------------------------- */

static AverageSearch *search_of(Decider *d, unsigned number) {
    const Query *q = &d->query;
    AverageSearch **s = &d->searches[number];
    if (!*s)
        *s = average_search_new(d->arena, d->task, q->vary_values ? q->heads : number,
                                q->vary_values ? number : q->values, d->longest, d->limits);
    return *s;
}

static void decide_average(Decider *d, Verdict *v) {
    for (; d->tried <= d->query.most; d->tried++) {
        AverageSearch *s = search_of(d, d->tried);
        Layer *layer;
        v->answer = average_search(s, v->length, &layer);
        v->layer = v->answer == ANSWER_YES ? layer : NULL;
        v->pairs = average_search_pairs(s)->count;
        v->least = d->tried;
        if (v->answer != ANSWER_NO) return;
        d->witness = witness_new(d, d->tried, average_search_pairs(s), v->length);
        average_search_free(s);
    }
    v->answer = ANSWER_NO;
}

/* Undecided for the least number: one more may well be enough. */
static void try_one_more(Decider *d, Verdict *v, double seconds) {
    if (d->tried >= d->query.most || d->query.kind != CLASS_AVERAGE) return;
    if (d->limits->until > 0) d->limits->until = limits_now() + seconds;
    Layer *layer;
    if (average_search(search_of(d, d->tried + 1), v->length, &layer) != ANSWER_YES) return;
    v->enough = d->tried + 1;
    v->layer = layer;
}

/* --- unique -------------------------------------------------------------------------------- */

static void collect_members(Decider *d, uint32_t length) {
    const Task *task = d->task;
    for (size_t e = task->until[length - 1]; e < task->until[length]; e++) {
        Key *key = &d->keys[instance_key(task, &task->instances[e])];
        key->members =
            arena_grow(d->arena, key->members, &key->room, key->count + 1, sizeof *key->members);
        key->members[key->count++] = (uint32_t)e;
    }
}

static Answer decide_key(Decider *d, Key *key, unsigned heads, Witness *w) {
    Order *orders = ARENA_ARRAY(d->arena, heads, Order);
    Answer answer;
    if (heads == 1) {
        answer = decision_list(d->arena, d->task, key->members, key->count, orders, &w->stuck,
                               &w->stuck_count);
    } else {
        answer = unique_search(d->arena, d->task, key->members, key->count, heads, d->limits,
                               orders, &key->pairs);
    }
    if (answer == ANSWER_YES) {
        key->orders = orders;
        key->least = heads;
        key->decided = key->count;
    }
    return answer;
}

/* One key: raises d->tried until it is told apart.  False: too many heads, or undecided. */
static bool settle_key(Decider *d, Key *key, Verdict *v) {
    if (key->decided == key->count) return true;
    for (unsigned heads = key->least ? key->least : 1; heads <= d->query.most; heads++) {
        Witness *w = witness_new(d, heads, &(Pairs){0}, v->length);
        v->answer = decide_key(d, key, heads, w);
        if (v->answer == ANSWER_YES) return true;
        if (v->answer == ANSWER_UNDECIDED) {
            if (heads > d->tried) d->tried = heads;
            return false;
        }
        for (size_t k = 0; k < key->pairs.count; k++)
            pairs_add(d->arena, &w->pairs, key->pairs.at[k]);
        if (heads >= d->tried) {
            d->tried = heads + 1;
            d->witness = w;
        }
    }
    v->answer = ANSWER_NO;
    return false;
}

static Layer *layer_of_keys(Decider *d, uint32_t length) {
    const Task *task = d->task;
    Layer *layer = layer_new(d->arena, CLASS_UNIQUE, d->tried, 1, key_count(task, length),
                             literal_count(task, length));
    for (uint32_t c = 0; c < layer->keys; c++)
        for (unsigned h = 0; h < d->keys[c].least; h++)
            layer->orders[(size_t)h * layer->keys + c] = d->keys[c].orders[h];
    return layer;
}

static void decide_unique(Decider *d, Verdict *v) {
    if (d->tried > d->query.most) {
        v->answer = ANSWER_NO;
        return;
    }
    for (uint32_t c = 0; c < key_count(d->task, v->length); c++)
        if (d->keys[c].count && !settle_key(d, &d->keys[c], v)) break;
    for (uint32_t c = 0; c < key_count(d->task, v->length); c++) v->pairs += d->keys[c].pairs.count;
    for (uint32_t c = 0; c < key_count(d->task, v->length); c++)
        if (d->keys[c].decided < d->keys[c].count) {
            if (v->answer == ANSWER_YES) v->answer = ANSWER_UNDECIDED;
            return;
        }
    v->answer = ANSWER_YES;
    v->least = d->tried;
    v->layer = layer_of_keys(d, v->length);
}

/* --- grammars ------------------------------------------------------------------------------ */

static void decide_grammar(Decider *d, Verdict *v) {
    Cover cover;
    bool absolute = d->query.kind == CLASS_ABSOLUTE;
    cover_decide(d->arena, d->task, v->length, absolute, false, d->query.most, d->limits, &cover);
    v->pairs = cover.pairs.count;
    if (cover.any == ANSWER_NO) {
        Pairs one = {0};
        pairs_add(d->arena, &one, cover.collision);
        d->witness = witness_new(d, 0, &one, v->length);
        d->witness->shrunk = d->witness->least = true;
        d->impossible = true;
        v->answer = ANSWER_NO;
        v->pairs = 1;
        return;
    }
    /* So many are too few, and one more was found. */
    if (!cover.least && cover.greedy == cover.most + 1 && cover.greedy <= d->query.most)
        cover.least = cover.greedy;
    unsigned heads = cover.least ? cover.least : cover.greedy;
    v->answer = cover.least ? ANSWER_YES : cover.decided ? ANSWER_NO : ANSWER_UNDECIDED;
    v->least = cover.least;
    v->enough = heads;
    unsigned above = cover.least ? cover.least - 1 : cover.most;
    if (above + 1 > d->tried && above) {
        d->witness = witness_new(d, above, &cover.pairs, v->length);
        d->witness->shrunk = true;
        d->witness->least = cover.minimal;
        d->tried = above + 1;
    }
    v->layer = layer_new(d->arena, d->query.kind, heads, 1, 0, 0);
    memcpy(v->layer->aggregates, cover.aggregates, heads * sizeof(Aggregate));
}

/* --- any ------------------------------------------------------------------------------------- */

static void decide(Decider *d, Verdict *v) {
    switch (d->query.kind) {
    case CLASS_AVERAGE:
        decide_average(d, v);
        break;
    case CLASS_UNIQUE:
        decide_unique(d, v);
        break;
    case CLASS_RELATIVE:
    case CLASS_ABSOLUTE:
        decide_grammar(d, v);
        break;
    case CLASS_BITS:
        v->bits = d->bits.bits;
        v->row_count = d->bits.row_count;
        v->rows = d->bits.rows;
        v->part = d->bits.part;
        v->average_heads = d->bits.average_heads;
        v->unique_heads = d->bits.unique_heads;
        bits_decide(d->arena, d->task, v);
        d->bits = *v;
        break;
    default:
        counts_decide(d->arena, d->task, &d->query, v);
        if (v->impossible) d->impossible = true, d->witness = v->witness;
    }
}

bool decider_next(Decider *d, double seconds, Verdict *v, RaspError *error) {
    double start = limits_now();
    uint32_t length = d->length + 1;
    if (!task_extend(d->task, length, error)) return false;
    *v = (Verdict){.length = length, .instances = d->task->until[length]};
    d->length = length;
    d->limits->until = seconds > 0 ? start + seconds : 0;
    if (d->query.kind == CLASS_UNIQUE) collect_members(d, length);
    if (d->impossible) { /* fewer instances are never harder, so more are never easier */
        v->answer = ANSWER_NO;
    } else if (!d->hopeless) {
        decide(d, v);
        d->hopeless = v->answer == ANSWER_UNDECIDED;
        if (d->hopeless) try_one_more(d, v, seconds);
    }
    v->impossible = d->impossible;
    v->above = d->tried - 1;
    v->witness = d->witness;
    v->seconds = limits_now() - start;
    return true;
}

void witness_ready(Arena *arena, const Task *task, ClassKind kind, Witness *w, Limits *limits) {
    if (w->shrunk || !w->pairs.count) return;
    if (kind == CLASS_AVERAGE || kind == CLASS_UNIQUE)
        w->least = witness_shrink(arena, task, kind, w->heads, w->values, limits, &w->pairs);
    w->shrunk = true;
}
