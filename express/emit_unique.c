/* Unique heads as statements: reads of positions, and lists of which the first that is there
 * decides. */
#include "express/emit_heads.h"

#include <stdlib.h>
#include <string.h>

/* What the head picks of an instance's literals; 0: none of them. */
static uint32_t picked(const Task *task, const Order *o, const Instance *x) {
    for (uint32_t k = 0; k < o->count && o->literals[k]; k++) {
        uint32_t l = o->literals[k], position = (l - 1) / task->symbols;
        if (position < x->length && literal_at(task, x, position) == l) return l;
    }
    return 0;
}

/* A group of keys for each text. */
static uint32_t group_of(const char **texts, uint32_t *groups, const char *text) {
    uint32_t group = 0;
    while (group < *groups && strcmp(texts[group], text) != 0) group++;
    if (group == *groups) texts[(*groups)++] = text;
    return group;
}

/* --- picks in groups -------------------------------------------------------------------------- */

/* What the heads pick for one key.  The table need not know the literal: literals of one group may
 * be taken for one another, and small groups make a small table. */
typedef struct Groups {
    const Task *task;
    unsigned heads;
    uint32_t literals;
    const uint32_t *members; /* instances of the key */
    size_t count;
    const uint32_t *picks; /* [member][h] */
    uint16_t *group;       /* [h][literal] from 1; 0: no instance has it picked */
    uint16_t *signatures;  /* [member][h], for the check */
} Groups;

static bool still_apart(Groups *g, Arena *arena) {
    Arena *scratch = arena_child(arena);
    Pairs pairs = {0};
    for (size_t k = 0; k < g->count; k++)
        for (unsigned h = 0; h < g->heads; h++)
            g->signatures[k * g->heads + h] =
                g->group[h * g->literals + g->picks[k * g->heads + h]];
    conflicts_find(scratch, g->task, g->members, g->count, (const uint8_t *)g->signatures,
                   g->heads * sizeof *g->signatures, 1, scratch, &pairs);
    arena_free(scratch);
    return pairs.count == 0;
}

static void replace(uint16_t *group, uint32_t literals, uint16_t from, uint16_t to) {
    for (uint32_t l = 0; l < literals; l++)
        if (group[l] == from) group[l] = to;
}

/* Every group becomes part of an earlier one, if instances stay apart. */
static void merge(Groups *g, Arena *arena) {
    uint16_t *before = ARENA_BLOCK(arena, g->literals + 1, uint16_t);
    for (unsigned h = 0; h < g->heads; h++) {
        uint16_t *group = &g->group[h * g->literals], most = 0, kept = 0;
        for (uint32_t l = 0; l < g->literals; l++)
            if (group[l] > most) most = group[l];
        for (uint16_t b = 1; b <= most; b++) {
            bool merged = false;
            budget_poll(arena_budget(arena));
            for (uint16_t a = 1; a <= kept && !merged; a++) {
                memcpy(before, group, g->literals * sizeof *group);
                replace(group, g->literals, b, a);
                merged = still_apart(g, arena);
                if (!merged) memcpy(group, before, g->literals * sizeof *group);
            }
            if (!merged) replace(group, g->literals, b, ++kept);
        }
    }
}

/* Numbers the literals that are picked, in the order in which the head prefers them. */
static void number_picks(Groups *g, const Order *orders, uint32_t stride) {
    for (unsigned h = 0; h < g->heads; h++) {
        uint16_t *group = &g->group[h * g->literals], number = 0;
        const Order *o = &orders[(size_t)h * stride];
        for (size_t k = 0; k < g->count; k++) group[g->picks[k * g->heads + h]] = 1;
        for (uint32_t k = 0; k < o->count; k++)
            if (o->literals[k] && group[o->literals[k]]) group[o->literals[k]] = ++number;
        if (group[0]) group[0] = (uint16_t)(number + 1);
    }
}

enum { MOST_MERGED = 20000 };

/* [key][h][literal] */
static uint16_t *groups_of_keys(Heads *b) {
    const Layer *layer = b->layer;
    Arena *arena = b->arena;
    size_t each = (size_t)layer->heads * layer->literals;
    uint16_t *all = ARENA_ARRAY(arena, layer->keys * each + 1, uint16_t);
    uint32_t *members = ARENA_BLOCK(arena, b->count + 1, uint32_t);
    uint32_t *picks = ARENA_BLOCK(arena, b->count * layer->heads + 1, uint32_t);
    uint16_t *signatures = ARENA_BLOCK(arena, b->count * layer->heads + 1, uint16_t);
    for (uint32_t c = 0; c < layer->keys; c++) {
        Groups g = {b->task, layer->heads, layer->literals, members,
                    0,       picks,        &all[c * each],  signatures};
        for (uint32_t e = 0; e < b->count; e++) {
            const Instance *x = &b->task->instances[e];
            if (instance_key(b->task, x) != c) continue;
            for (unsigned h = 0; h < g.heads; h++)
                picks[g.count * g.heads + h] =
                    picked(b->task, &layer->orders[(size_t)h * layer->keys + c], x);
            members[g.count++] = e;
        }
        number_picks(&g, &layer->orders[c], layer->keys);
        if (g.count && b->count <= MOST_MERGED) merge(&g, arena);
    }
    return all;
}

/* --- heads as columns ------------------------------------------------------------------------- */

/* "the group of the first of these that is there"; literals that it never is are left out.  NULL:
 * no instance has the key. */
static const char *order_text(Heads *b, const Order *o, const uint16_t *group, bool *used) {
    const Task *task = b->task;
    uint16_t rest = group[0]; /* the text so far, if that is one group; else 0 */
    const char *text = rest ? arena_format(b->arena, "%u", rest) : NULL;
    for (uint32_t k = o->count; k-- > 0;) {
        uint32_t l = o->literals[k], position = l ? (l - 1) / task->symbols : 0;
        if (l == 0 || !group[l]) continue;
        if (!text) text = arena_format(b->arena, "%u", rest = group[l]);
        if (rest == group[l]) continue;
        used[position] = true;
        text = arena_format(b->arena, "(%u if at%u == %s else %s)", group[l], position,
                            token_literal(b->arena, task, (l - 1) % task->symbols), text);
        rest = 0;
    }
    return text;
}

static void unique_head(Heads *b, unsigned h, const uint16_t *groups, bool *used) {
    const Layer *layer = b->layer;
    const Order *orders = &layer->orders[(size_t)h * layer->keys];
    Column *column = heads_add(b, arena_format(b->arena, "pick%u", h + 1), NULL);
    uint32_t *keys = ARENA_ARRAY(b->arena, layer->keys + 1, uint32_t), different = 0, count = 0;
    uint32_t *labels = ARENA_ARRAY(b->arena, layer->keys + 1, uint32_t);
    const char **texts = ARENA_ARRAY(b->arena, layer->keys + 1, const char *);
    for (size_t e = 0; e < b->count; e++) {
        const Instance *x = &b->task->instances[e];
        uint32_t key = instance_key(b->task, x);
        column->over[e] = groups[((size_t)key * layer->heads + h) * layer->literals +
                                 picked(b->task, &orders[key], x)];
    }
    for (uint32_t c = 0; c < layer->keys; c++) {
        const uint16_t *group = &groups[((size_t)c * layer->heads + h) * layer->literals];
        const char *text = order_text(b, &orders[c], group, used);
        if (!text) continue;
        labels[count] = group_of(texts, &different, text);
        keys[count++] = c;
    }
    column->definition = heads_place_table(b, keys, labels, count, texts, different);
}

/* --- a decision list ------------------------------------------------------------------------- */

/* "this label if that literal is there, else …" for one key; label_of: of the instances that the
 * head picks each literal for, + 1; 0: for none. */
static const char *list_text(Heads *b, const Order *o, const uint32_t *label_of,
                             const char **leaves, bool *used) {
    const Task *task = b->task;
    const char *text = NULL, *rest = NULL; /* rest: the text so far, if that is one label */
    if (label_of[0]) text = rest = leaves[label_of[0] - 1];
    for (uint32_t k = o->count; k-- > 0;) {
        uint32_t l = o->literals[k], position = l ? (l - 1) / task->symbols : 0;
        if (l == 0 || label_of[l] == 0) continue;
        const char *leaf = leaves[label_of[l] - 1];
        if (!text) text = rest = leaf;
        if (rest == leaf) continue;
        used[position] = true;
        text = arena_format(b->arena, "(%s if at%u == %s else %s)", leaf, position,
                            token_literal(b->arena, task, (l - 1) % task->symbols), text);
        rest = NULL;
    }
    return text;
}

/* [key][literal] as list_text wants it. */
static uint32_t *labels_of_picks(Heads *b) {
    const Layer *layer = b->layer;
    uint32_t *label_of = ARENA_ARRAY(b->arena, (size_t)layer->keys * layer->literals + 1, uint32_t);
    for (size_t e = 0; e < b->count; e++) {
        const Instance *x = &b->task->instances[e];
        uint32_t key = instance_key(b->task, x);
        uint32_t l = picked(b->task, &layer->orders[key], x);
        label_of[(size_t)key * layer->literals + l] = x->label + 1;
    }
    return label_of;
}

static const char *lists_text(Heads *b, const char **leaves, bool *used) {
    const Layer *layer = b->layer;
    uint32_t *label_of = labels_of_picks(b), groups = 0, count = 0;
    uint32_t *keys = ARENA_ARRAY(b->arena, layer->keys + 1, uint32_t);
    uint32_t *labels = ARENA_ARRAY(b->arena, layer->keys + 1, uint32_t);
    const char **lists = ARENA_ARRAY(b->arena, layer->keys + 1, const char *);
    for (uint32_t c = 0; c < layer->keys; c++) {
        const char *text =
            list_text(b, &layer->orders[c], &label_of[(size_t)c * layer->literals], leaves, used);
        if (!text) continue; /* no instance has this key */
        labels[count] = group_of(lists, &groups, text);
        keys[count++] = c;
    }
    return heads_place_table(b, keys, labels, count, lists, groups);
}

/* --- reads of positions ----------------------------------------------------------------------- */

/* What `body` writes goes behind the reads of the positions that it says it uses. */
static const char *behind_reads(Heads *b, const char **leaves,
                                const char *(*body)(Heads *b, const char **leaves, bool *used)) {
    bool used[TASK_LONGEST] = {false};
    char *text = NULL;
    size_t size;
    FILE *out = b->out;
    b->out = open_memstream(&text, &size);
    if (!b->out) budget_stop(arena_budget(b->arena), BUDGET_OUT_OF_MEMORY);
    const char *result = body(b, leaves, used);
    fclose(b->out);
    b->out = out;
    for (uint32_t i = 0; i < TASK_LONGEST; i++)
        if (used[i])
            fprintf(out, "at%u = aggregate(select(indices, %u, ==), tokens, \"\");\n", i, i);
    fputs(text, out);
    free(text);
    return result;
}

static const char *all_picks(Heads *b, const char **leaves, bool *used) {
    uint16_t *groups = groups_of_keys(b);
    (void)leaves;
    for (unsigned h = 0; h < b->layer->heads; h++) unique_head(b, h, groups, used);
    return NULL;
}

const char *heads_list(Heads *b, const char **leaves) {
    if (b->layer->kind != CLASS_UNIQUE || b->layer->heads != 1) return NULL;
    heads_say(
        b, "for each token and position of the query, a list of (position, token): the first that "
           "is there decides");
    return behind_reads(b, leaves, lists_text);
}

void heads_unique(Heads *b) {
    behind_reads(b, NULL, all_picks);
    heads_say(b,
              "for each token and position of the query, the first of a list of (position, token) "
              "that is there");
}
