#include "express/emit_heads.h"

#include <stdlib.h>
#include <string.h>

const char *token_literal(Arena *arena, const Task *task, uint32_t token) {
    const char *text = task_token_text(task, token);
    return strpbrk(text, "\"\n\r") ? NULL : arena_format(arena, "\"%s\"", text);
}

Column *heads_add(Heads *b, const char *name, const char *definition) {
    b->columns =
        arena_grow(b->arena, b->columns, &b->room, b->column_count + 1, sizeof *b->columns);
    Column *c = &b->columns[b->column_count++];
    *c = (Column){.name = name, .definition = definition, .kept = true};
    c->over = ARENA_ARRAY(b->arena, b->count + 1, int32_t);
    c->under = ARENA_ARRAY(b->arena, b->count + 1, int32_t);
    for (size_t e = 0; e < b->count; e++) c->under[e] = 1;
    return c;
}

void heads_say(Heads *b, const char *rule) {
    b->rule = b->rule ? arena_format(b->arena, "%s; %s", b->rule, rule) : rule;
}

/* --- grammars --------------------------------------------------------------------------------- */

/* Tokens as numbers, in the alphabet's order, for < and for means. */
static const char *number_of_tokens(Heads *b) {
    const Task *task = b->task;
    if (b->number_named) return "_number";
    const char *text = arena_format(b->arena, "%u", task->symbols - 1);
    for (uint32_t c = task->symbols - 1; c-- > 0;)
        text = arena_format(b->arena, "(%u if tokens == %s else %s)", c,
                            token_literal(b->arena, task, c), text);
    if (task->symbols == 1) text = "indices * 0";
    fprintf(b->out, "_number = %s;\n", text);
    b->number_named = true;
    return "_number";
}

static const char *atom_text(Heads *b, const GrammarAtom *a) {
    Arena *arena = b->arena;
    const char *op = compare_text(a->compare);
    bool equality = a->compare == COMPARE_EQ || a->compare == COMPARE_NE;
    switch (a->kind) {
    case ATOM_TRUE:
        return "select(1, 1, ==)";
    case ATOM_FALSE:
        return "select(1, 0, ==)";
    case ATOM_TOKEN_QUERY: {
        const char *tokens = equality ? "tokens" : number_of_tokens(b);
        return arena_format(arena, "select(%s, %s, %s)", tokens, tokens, op);
    }
    case ATOM_TOKEN:
        if (equality)
            return arena_format(arena, "select(tokens, %s, %s)",
                                token_literal(arena, b->task, (uint32_t)a->number), op);
        return arena_format(arena, "select(%s, %d, %s)", number_of_tokens(b), a->number, op);
    case ATOM_INDEX_QUERY:
        if (a->number == 0) return arena_format(arena, "select(indices, indices, %s)", op);
        return arena_format(arena, "select(indices, indices %c %d, %s)", a->number < 0 ? '-' : '+',
                            abs(a->number), op);
    case ATOM_INDEX:
        return arena_format(arena, "select(indices, %d, %s)", a->number, op);
    default:
        return arena_format(arena, "select(indices %% 2, %d, ==)", a->number);
    }
}

static const char *selector_text(Heads *b, const Selector *s) {
    const char *first = atom_text(b, &s->atoms[0]);
    if (s->join == SELECTOR_ATOM) return first;
    return arena_format(b->arena, "%s %s %s", first, s->join == SELECTOR_AND ? "and" : "or",
                        atom_text(b, &s->atoms[1]));
}

static const char *value_text(Heads *b, const GrammarValue *v) {
    switch (v->kind) {
    case VALUE_IS_TOKEN:
        return arena_format(b->arena, "indicator(tokens == %s)",
                            token_literal(b->arena, b->task, (uint32_t)v->token));
    case VALUE_TOKENS:
        return number_of_tokens(b);
    case VALUE_INDICES:
        return "indices";
    default:
        return "indices % 2";
    }
}

static void grammar_head(Heads *b, unsigned h) {
    const Aggregate *a = &b->layer->aggregates[h];
    const char *selector = selector_text(b, &a->selector), *text;
    if (a->value.kind == VALUE_WIDTH)
        text = arena_format(b->arena, "selector_width(%s)", selector);
    else
        text = arena_format(b->arena, "aggregate(%s, %s, -1)", selector, value_text(b, &a->value));
    Column *c = heads_add(b, arena_format(b->arena, "head%u", h + 1), text);
    for (size_t e = 0; e < b->count; e++) {
        uint32_t value = aggregate_value(a, b->task, &b->task->instances[e]);
        bool none = value == UINT32_MAX;
        c->over[e] = none ? -1 : (int32_t)(value >> 16);
        c->under[e] = none ? 1 : (int32_t)(value & 0xFFFF);
    }
    heads_say(b, text);
}

/* --- free tables over token and position --------------------------------------------------------
 */

const char *heads_place_table(Heads *b, const uint32_t *keys, const uint32_t *labels, size_t count,
                              const char **leaves, uint32_t label_count) {
    const Task *task = b->task;
    Arena *arena = b->arena;
    Feature f[2] = {{"tokens", NULL, task->symbols, false}, {"indices", NULL, TASK_LONGEST, true}};
    f[0].texts = ARENA_ARRAY(arena, task->symbols, const char *);
    f[1].texts = ARENA_ARRAY(arena, TASK_LONGEST, const char *);
    for (uint32_t c = 0; c < task->symbols; c++) f[0].texts[c] = token_literal(arena, task, c);
    for (uint32_t i = 0; i < TASK_LONGEST; i++) f[1].texts[i] = arena_format(arena, "%u", i);
    uint32_t *cells = ARENA_ARRAY(arena, 2 * count + 1, uint32_t);
    for (size_t k = 0; k < count; k++) {
        cells[2 * k] = keys[k] % task->symbols;
        cells[2 * k + 1] = keys[k] / task->symbols;
    }
    Tree tree = {arena, b->out, &b->names, f, 2, cells, labels, leaves, label_count};
    return tree_text(&tree, count);
}

/* A 0/1 function of literals other than the sink, or of keys: as a condition's number. */
static const char *bit_table(Heads *b, const bool *bits, size_t count) {
    static const char *leaves[] = {"0", "1"};
    uint32_t *keys = ARENA_ARRAY(b->arena, count + 1, uint32_t);
    uint32_t *labels = ARENA_ARRAY(b->arena, count + 1, uint32_t);
    for (uint32_t k = 0; k < count; k++) keys[k] = k, labels[k] = bits[k];
    return heads_place_table(b, keys, labels, count, leaves, 2);
}

static bool constant(const char *text) {
    return strcmp(text, "0") == 0 || strcmp(text, "1") == 0;
}

/* --- averaging heads
 * ------------------------------------------------------------------------------ */

/* Queries with equal rows together: (keys of the row) and (queries with that row), joined by or. */
static const char *free_selector(Heads *b, unsigned h) {
    const Layer *layer = b->layer;
    Arena *arena = b->arena;
    bool *done = ARENA_ARRAY(arena, layer->keys + 1, bool), *same;
    const char *all = NULL;
    for (uint32_t c = 0; c < layer->keys; c++) {
        const bool *row = layer_selects(layer, h, c, 1);
        bool any = false;
        for (uint32_t l = 0; l + 1 < layer->literals; l++) any |= row[l];
        if (done[c] || !any) continue;
        same = ARENA_ARRAY(arena, layer->keys + 1, bool);
        for (uint32_t d = c; d < layer->keys; d++)
            if (memcmp(layer_selects(layer, h, d, 1), row, layer->literals - 1) == 0)
                done[d] = same[d] = true;
        const char *key = bit_table(b, row, layer->literals - 1);
        const char *query = bit_table(b, same, layer->keys);
        const char *part = arena_format(arena, "select(%s, 1, ==)", key);
        if (!constant(query)) part = arena_format(arena, "(%s and select(1, %s, ==))", part, query);
        all = all ? arena_format(arena, "%s or %s", all, part) : part;
        if (strlen(all) > 300) {
            const char *name = arena_format(arena, "_s%u", ++b->names);
            fprintf(b->out, "%s = %s;\n", name, all);
            all = name;
        }
    }
    return all ? all : "select(1, 0, ==)";
}

static void average_columns(Heads *b, unsigned h, Column *width, Column *const *means) {
    const Task *task = b->task;
    const Layer *layer = b->layer;
    for (size_t e = 0; e < b->count; e++) {
        const Instance *x = &task->instances[e];
        uint32_t key = instance_key(task, x);
        int32_t selected = 0;
        for (uint32_t i = 0; i < x->length; i++) {
            uint32_t l = literal_at(task, x, i);
            if (!*layer_selects(layer, h, key, l)) continue;
            selected++;
            for (unsigned m = 0; m < layer->values; m++)
                means[m]->over[e] += *layer_value(layer, h, m, l);
        }
        width->over[e] = selected;
        for (unsigned m = 0; m < layer->values; m++) {
            means[m]->under[e] = selected ? selected : 1;
            if (!selected) means[m]->over[e] = -1;
        }
    }
}

static void average_head(Heads *b, unsigned h) {
    const Layer *layer = b->layer;
    Arena *arena = b->arena;
    const char *selector = arena_format(arena, "head%u", h + 1);
    const char *text = free_selector(b, h);
    fprintf(b->out, "%s = %s;\n", selector, text);
    Column *list[16];
    size_t first = b->column_count;
    for (unsigned m = 0; m < layer->values; m++) {
        const char *value = bit_table(b, layer_value(layer, h, m, 1), layer->literals - 1);
        heads_add(
            b, arena_format(arena, "mean%u%s", h + 1, m ? arena_format(arena, "_%u", m + 1) : ""),
            arena_format(arena, "aggregate(%s, %s, -1)", selector, value));
    }
    heads_add(b, arena_format(arena, "width%u", h + 1),
              arena_format(arena, "selector_width(%s)", selector));
    for (unsigned m = 0; m < layer->values; m++) list[m] = &b->columns[first + m];
    average_columns(b, h, &b->columns[first + layer->values], list);
}

/* --- all
 * -------------------------------------------------------------------------------------------- */

bool heads_writable(const Heads *b) {
    for (uint32_t c = 0; c < b->task->symbols; c++)
        if (!token_literal(b->arena, b->task, c)) return false;
    return true;
}

void heads_columns(Heads *b) {
    if (b->layer->kind == CLASS_AVERAGE)
        heads_say(
            b,
            "selectors and values that are tables over token and position (-o FILE writes them)");
    if (b->layer->kind == CLASS_UNIQUE) {
        heads_unique(b);
        return;
    }
    for (unsigned h = 0; h < b->layer->heads; h++)
        if (b->layer->kind == CLASS_AVERAGE)
            average_head(b, h);
        else
            grammar_head(b, h);
}
