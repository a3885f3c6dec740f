#include "express/cover.h"

#include "base/random.h"
#include "base/table.h"

#include <string.h>

typedef struct Partition {
    uint32_t *class_of; /* [instance], numbered by first occurrence */
    Aggregate aggregate;
    uint64_t hash;
} Partition;

typedef struct Partitions {
    Arena *arena;
    const Task *task;
    size_t count;   /* instances */
    uint32_t *keys; /* the coarsest partition */
    Partition *list;
    size_t partition_count, room;
    Table index;
} Partitions;

/* --- masks ---------------------------------------------------------------------------------- */

typedef struct Masks {
    uint32_t **list; /* [selector][instance] */
    Selector *selectors;
    size_t count, room, selector_room, instances;
    Table index;
    Arena *arena;
} Masks;

static uint64_t words_hash(const uint32_t *words, size_t count) {
    uint64_t hash = 0;
    for (size_t k = 0; k < count; k++)
        hash = (hash ^ words[k]) * 0x9e3779b97f4a7c15u + (hash >> 29);
    return random_mix(hash);
}

/* Hashes of lists of words are kept beside them: [instances], [instances + 1]. */
static uint64_t mask_hash(const void *entries, uint32_t entry) {
    const Masks *masks = entries;
    return words_hash(masks->list[entry], masks->instances);
}

/* Takes the mask if it is new. */
static void masks_add(Masks *m, uint32_t *mask, const Selector *selector) {
    if (table_full(&m->index, m->count)) table_grow(&m->index, m->arena, m->count, mask_hash, m);
    size_t at = table_start(&m->index, words_hash(mask, m->instances));
    for (uint32_t k; (k = table_entry(&m->index, at)) != TABLE_NONE; at = table_next(&m->index, at))
        if (memcmp(m->list[k], mask, m->instances * sizeof *mask) == 0) return;
    m->list = arena_grow(m->arena, m->list, &m->room, m->count + 1, sizeof *m->list);
    m->selectors =
        arena_grow(m->arena, m->selectors, &m->selector_room, m->count + 1, sizeof *m->selectors);
    m->list[m->count] = ARENA_BLOCK(m->arena, m->instances + 1, uint32_t);
    memcpy(m->list[m->count], mask, m->instances * sizeof *mask);
    m->selectors[m->count] = *selector;
    table_put(&m->index, at, m->count++);
}

static void all_masks(Masks *m, const Task *task, uint32_t length, bool absolute) {
    GrammarAtom *atoms;
    size_t atom_count = grammar_list_atoms(m->arena, task, length, absolute, &atoms);
    uint32_t *mask = ARENA_BLOCK(m->arena, m->instances + 1, uint32_t);
    for (size_t k = 0; k < atom_count; k++) {
        for (size_t e = 0; e < m->instances; e++)
            mask[e] = atom_mask(&atoms[k], task, &task->instances[e]);
        masks_add(m, mask, &(Selector){.atoms = {atoms[k]}});
    }
    size_t single = m->count;
    for (size_t a = 0; a < single; a++)
        for (size_t b = a + 1; b < single; b++)
            for (int join = SELECTOR_AND; join <= SELECTOR_OR; join++) {
                budget_poll(arena_budget(m->arena));
                const uint32_t *p = m->list[a], *q = m->list[b];
                for (size_t e = 0; e < m->instances; e++)
                    mask[e] = join == SELECTOR_AND ? p[e] & q[e] : p[e] | q[e];
                Selector s = {.atoms = {m->selectors[a].atoms[0], m->selectors[b].atoms[0]}};
                s.join = (unsigned)join;
                masks_add(m, mask, &s);
            }
}

/* --- partitions ----------------------------------------------------------------------------- */

static uint64_t partition_hash(const void *entries, uint32_t entry) {
    return ((const Partition *)entries)[entry].hash;
}

/* Numbers equal (old, word) by first occurrence: classes become finer.  `slots` is scratch. */
static uint32_t refine(uint32_t *classes, const uint32_t *words, size_t count, Arena *arena) {
    Arena *scratch = arena_child(arena);
    Table table = table_new(scratch, count + 1);
    uint32_t *first = ARENA_BLOCK(scratch, count + 1, uint32_t), number = 0;
    uint32_t *now = ARENA_BLOCK(scratch, count + 1, uint32_t);
    for (uint32_t e = 0; e < count; e++) {
        size_t at = table_start(&table, random_mix((uint64_t)classes[e] << 32 | words[e]));
        uint32_t k;
        for (; (k = table_entry(&table, at)) != TABLE_NONE; at = table_next(&table, at))
            if (classes[first[k]] == classes[e] && words[first[k]] == words[e]) break;
        if (k == TABLE_NONE) {
            first[k = number] = e;
            table_put(&table, at, number++);
        }
        now[e] = k;
    }
    memcpy(classes, now, count * sizeof *now);
    arena_free(scratch);
    return number;
}

static void keys_of(const Partitions *p, uint32_t *classes) {
    memcpy(classes, p->keys, p->count * sizeof *classes);
}

static void number_keys(Partitions *p) {
    p->keys = ARENA_ARRAY(p->arena, p->count + 1, uint32_t);
    uint32_t *words = ARENA_BLOCK(p->arena, p->count + 1, uint32_t);
    for (size_t e = 0; e < p->count; e++) words[e] = instance_key(p->task, &p->task->instances[e]);
    refine(p->keys, words, p->count, p->arena);
}

static void partitions_add(Partitions *p, uint32_t *classes, const Aggregate *aggregate) {
    uint64_t hash = words_hash(classes, p->count);
    if (table_full(&p->index, p->partition_count))
        table_grow(&p->index, p->arena, p->partition_count, partition_hash, p->list);
    size_t at = table_start(&p->index, hash);
    for (uint32_t k; (k = table_entry(&p->index, at)) != TABLE_NONE; at = table_next(&p->index, at))
        if (p->list[k].hash == hash &&
            memcmp(p->list[k].class_of, classes, p->count * sizeof *classes) == 0)
            return;
    p->list = arena_grow(p->arena, p->list, &p->room, p->partition_count + 1, sizeof *p->list);
    uint32_t *kept = ARENA_BLOCK(p->arena, p->count + 1, uint32_t);
    memcpy(kept, classes, p->count * sizeof *kept);
    p->list[p->partition_count] = (Partition){kept, *aggregate, hash};
    table_put(&p->index, at, p->partition_count++);
}

static bool zero_or_one(const GrammarValue *value) {
    return value->kind == VALUE_IS_TOKEN || value->kind == VALUE_WIDTH ||
           value->kind == VALUE_PARITY;
}

static void all_partitions(Partitions *p, uint32_t length, bool absolute, bool zero_one) {
    Arena *scratch = arena_child(p->arena);
    Masks masks = {.instances = p->count, .arena = scratch, .index = table_new(scratch, 256)};
    GrammarValue *values;
    size_t value_count = grammar_list_values(scratch, p->task, absolute, &values);
    uint32_t *classes = ARENA_BLOCK(scratch, p->count + 1, uint32_t);
    uint32_t *words = ARENA_BLOCK(scratch, p->count + 1, uint32_t);
    all_masks(&masks, p->task, length, absolute);
    for (size_t s = 0; s < masks.count; s++)
        for (size_t v = 0; v < value_count; v++) {
            budget_poll(arena_budget(p->arena));
            if (zero_one && !zero_or_one(&values[v])) continue;
            for (size_t e = 0; e < p->count; e++)
                words[e] =
                    value_over(&values[v], masks.list[s][e], p->task, &p->task->instances[e]);
            keys_of(p, classes);
            refine(classes, words, p->count, scratch);
            partitions_add(p, classes, &(Aggregate){masks.selectors[s], values[v]});
        }
    arena_free(scratch);
}

/* --- covers --------------------------------------------------------------------------------- */

/* The first instance, in their order, whose class has another label before it. */
static bool collision(const Partitions *p, const uint32_t *classes, Pair *pair) {
    Arena *scratch = arena_child(p->arena);
    uint32_t *first = ARENA_ARRAY(scratch, p->count + 1, uint32_t);
    bool found = false;
    for (uint32_t e = 0; e < p->count && !found; e++) {
        uint32_t *f = &first[classes[e]];
        if (*f == 0)
            *f = e + 1;
        else if (p->task->instances[*f - 1].label != p->task->instances[e].label) {
            *pair = (Pair){e, *f - 1};
            found = true;
        }
    }
    arena_free(scratch);
    return found;
}

typedef struct Branch {
    const Partitions *p;
    const Pairs *pairs;
    Limits *limits;
    uint32_t chosen[8];
    unsigned most;
    bool stopped;
} Branch;

static bool separates(const Partition *partition, const Pair *pair) {
    return partition->class_of[pair->x] != partition->class_of[pair->y];
}

static bool covered(const Branch *b, unsigned depth, const Pair *pair) {
    for (unsigned k = 0; k < depth; k++)
        if (separates(&b->p->list[b->chosen[k]], pair)) return true;
    return false;
}

/* Of the pairs that are left, the one with the fewest partitions; TABLE_NONE: none is left. */
static uint32_t hardest(const Branch *b, unsigned depth, const uint32_t *degree) {
    uint32_t best = TABLE_NONE;
    for (uint32_t k = 0; k < b->pairs->count; k++)
        if ((best == TABLE_NONE || degree[k] < degree[best]) &&
            !covered(b, depth, &b->pairs->at[k]))
            best = k;
    return best;
}

/* Up to `most` partitions that separate all pairs of the pool. */
static bool branch(Branch *b, unsigned depth, unsigned *used, const uint32_t *degree) {
    uint32_t pair = hardest(b, depth, degree);
    *used = depth;
    if (pair == TABLE_NONE) return true;
    if (depth == b->most) return false;
    for (uint32_t k = 0; k < b->p->partition_count && !b->stopped; k++) {
        if (!separates(&b->p->list[k], &b->pairs->at[pair])) continue;
        if (depth + 1 < b->most) b->stopped = limits_reached(b->limits);
        b->chosen[depth] = k;
        if (branch(b, depth + 1, used, degree)) return true;
    }
    return false;
}

static void degrees(const Partitions *p, const Pairs *pairs, uint32_t *degree, size_t from) {
    for (size_t k = from; k < pairs->count; k++) {
        degree[k] = 0;
        for (size_t q = 0; q < p->partition_count; q++)
            degree[k] += separates(&p->list[q], &pairs->at[k]);
    }
}

/* Pairs that the chosen partitions confuse. */
static void confused(const Partitions *p, const Branch *b, unsigned used, Pairs *pairs) {
    Arena *scratch = arena_child(p->arena);
    size_t size = 4 * (size_t)used;
    uint8_t *signatures = arena_block(scratch, p->count * size + 1, 1);
    for (size_t e = 0; e < p->count; e++)
        for (unsigned k = 0; k < used; k++)
            memcpy(&signatures[e * size + 4 * k], &p->list[b->chosen[k]].class_of[e], 4);
    conflicts_find(scratch, p->task, NULL, p->count, signatures, size, 2, p->arena, pairs);
    arena_free(scratch);
}

/* Is there a cover by `most`?  The pool of pairs grows until it is one of all or there is none. */
static Answer cover_by(const Partitions *p, unsigned most, Limits *limits, Pairs *pool,
                       Cover *cover) {
    size_t room = 0, known = 0;
    uint32_t *degree = NULL;
    for (;;) {
        Branch b = {.p = p, .pairs = pool, .limits = limits, .most = most};
        unsigned used;
        degree = arena_grow(p->arena, degree, &room, pool->count + 1, sizeof *degree);
        degrees(p, pool, degree, known);
        known = pool->count;
        if (limits->progress) limits->progress(limits->context, most, known);
        bool found = branch(&b, 0, &used, degree);
        if (b.stopped) return ANSWER_UNDECIDED;
        if (!found) return ANSWER_NO;
        confused(p, &b, used, pool);
        if (pool->count > known) continue;
        for (unsigned k = 0; k < used; k++) cover->aggregates[k] = p->list[b.chosen[k]].aggregate;
        if (used == 0) cover->aggregates[used++] = p->list[0].aggregate; /* as for other classes */
        cover->least = used;
        return ANSWER_YES;
    }
}

/* Leaves out pairs while `heads` partitions still cannot separate them all.  False: stopped. */
static bool shrink_pool(const Partitions *p, unsigned heads, Limits *limits, Pairs *pool) {
    uint32_t *degree = ARENA_ARRAY(p->arena, pool->count + 1, uint32_t);
    for (size_t k = pool->count; k-- > 0;) {
        Branch b = {.p = p, .pairs = pool, .limits = limits, .most = heads};
        Pair tried = pool->at[k];
        unsigned used;
        pool->at[k] = pool->at[--pool->count];
        degrees(p, pool, degree, 0);
        bool found = branch(&b, 0, &used, degree);
        if (!found && !b.stopped && !limits_reached(limits)) continue;
        pool->at[pool->count++] = pool->at[k]; /* it is needed */
        pool->at[k] = tried;
        if (!found) return false;
    }
    return true;
}

/* Partitions one by one, each the one that leaves the fewest confused, until none is. */
static void cover_greedily(const Partitions *p, Cover *cover, unsigned room) {
    Arena *scratch = arena_child(p->arena);
    uint32_t *classes = ARENA_BLOCK(scratch, p->count + 1, uint32_t);
    uint32_t *trial = ARENA_BLOCK(scratch, p->count + 1, uint32_t);
    Pair pair;
    keys_of(p, classes);
    for (cover->greedy = 0; cover->greedy < room && collision(p, classes, &pair); cover->greedy++) {
        size_t best = 0;
        uint32_t most = 0;
        for (size_t k = 0; k < p->partition_count; k++) {
            if (!separates(&p->list[k], &pair)) continue;
            memcpy(trial, classes, p->count * sizeof *trial);
            uint32_t number = refine(trial, p->list[k].class_of, p->count, scratch);
            if (number > most) most = number, best = k;
        }
        refine(classes, p->list[best].class_of, p->count, scratch);
        cover->aggregates[cover->greedy] = p->list[best].aggregate;
    }
    arena_free(scratch);
}

enum { MOST_GREEDY = 16 };

void cover_decide(Arena *arena, const Task *task, uint32_t length, bool absolute, bool zero_one,
                  unsigned most, Limits *limits, Cover *cover) {
    Arena *scratch = arena_child(arena);
    Partitions p = {.arena = scratch, .task = task, .count = task->until[length]};
    uint32_t *together = ARENA_BLOCK(scratch, p.count + 1, uint32_t);
    Pairs pool = {0};
    *cover = (Cover){.any = ANSWER_YES, .most = most};
    cover->aggregates = ARENA_ARRAY(arena, MOST_GREEDY, Aggregate);
    p.index = table_new(scratch, 256);
    number_keys(&p);
    all_partitions(&p, length, absolute, zero_one);
    cover->partitions = p.partition_count;
    keys_of(&p, together);
    for (size_t k = 0; k < p.partition_count; k++)
        refine(together, p.list[k].class_of, p.count, scratch);
    if (collision(&p, together, &cover->collision)) {
        cover->any = ANSWER_NO;
        cover->decided = true;
        arena_free(scratch);
        return;
    }
    Answer answer = ANSWER_NO;
    unsigned tried = 1;
    size_t needed = 0; /* pairs that are too many for tried - 1 */
    for (; tried <= most && answer == ANSWER_NO; tried++) {
        answer = cover_by(&p, tried, limits, &pool, cover);
        if (answer == ANSWER_NO) needed = pool.count;
    }
    cover->decided = answer != ANSWER_UNDECIDED;
    if (!cover->decided) cover->most = tried - 2;
    if (answer != ANSWER_YES) cover_greedily(&p, cover, MOST_GREEDY);
    pool.count = needed;
    cover->minimal = shrink_pool(&p, cover->least ? cover->least - 1 : cover->most, limits, &pool);
    for (size_t k = 0; k < pool.count; k++) pairs_add(arena, &cover->pairs, pool.at[k]);
    arena_free(scratch);
}
