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

static void say(Heads *b, const char *rule) {
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
    say(b, text);
}

/* --- free tables over token and position --------------------------------------------------------
 */

/* A function of token and position as an expression: key numbers `keys`, each with a label. */
static const char *place_table(Heads *b, const uint32_t *keys, const uint32_t *labels, size_t count,
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
    return place_table(b, keys, labels, count, leaves, 2);
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

/* --- unique heads
 * --------------------------------------------------------------------------------- */

static bool same_order(const Order *a, const Order *b) {
    return a->count == b->count &&
           (a->count == 0 || memcmp(a->literals, b->literals, a->count * sizeof *a->literals) == 0);
}

/* "the first of these that is there", as the number of the literal. */
static const char *order_text(Heads *b, const Order *o, bool *used) {
    const Task *task = b->task;
    Arena *arena = b->arena;
    uint32_t count = o->count;
    while (count && o->literals[count - 1] == 0) count--;
    const char *text = "0";
    for (uint32_t k = count; k-- > 0;) {
        uint32_t l = o->literals[k], position = (l - 1) / task->symbols;
        used[position] = true;
        text = arena_format(arena, "(%u if at%u == %s else %s)", l, position,
                            token_literal(arena, task, (l - 1) % task->symbols), text);
    }
    return text;
}

/* What the head picks of an instance's literals; 0: none of them. */
static uint32_t picked(const Task *task, const Order *o, const Instance *x) {
    for (uint32_t k = 0; k < o->count && o->literals[k]; k++) {
        uint32_t l = o->literals[k], position = (l - 1) / task->symbols;
        if (position < x->length && literal_at(task, x, position) == l) return l;
    }
    return 0;
}

static void unique_head(Heads *b, unsigned h, bool *used) {
    const Layer *layer = b->layer;
    const Order *orders = &layer->orders[(size_t)h * layer->keys];
    uint32_t *keys = ARENA_ARRAY(b->arena, layer->keys + 1, uint32_t), groups = 0;
    uint32_t *labels = ARENA_ARRAY(b->arena, layer->keys + 1, uint32_t);
    const char **leaves = ARENA_ARRAY(b->arena, layer->keys + 1, const char *);
    for (uint32_t c = 0; c < layer->keys; c++) {
        uint32_t d = 0;
        keys[c] = c;
        while (d < c && !same_order(&orders[c], &orders[d])) d++;
        labels[c] = d < c ? labels[d] : groups;
        if (d == c) leaves[groups++] = order_text(b, &orders[c], used);
    }
    const char *text = place_table(b, keys, labels, layer->keys, leaves, groups);
    Column *column = heads_add(b, arena_format(b->arena, "pick%u", h + 1), text);
    for (size_t e = 0; e < b->count; e++) {
        const Instance *x = &b->task->instances[e];
        column->over[e] = (int32_t)picked(b->task, &orders[instance_key(b->task, x)], x);
    }
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
        uint32_t group = 0;
        if (!text) continue; /* no instance has this key */
        while (group < groups && strcmp(lists[group], text) != 0) group++;
        if (group == groups) lists[groups++] = text;
        keys[count] = c;
        labels[count++] = group;
    }
    return place_table(b, keys, labels, count, lists, groups);
}

/* --- reads of positions ----------------------------------------------------------------------- */

/* What `body` writes goes behind the reads of the positions that it says it uses. */
static const char *behind_reads(Heads *b, const char **leaves, const char *comment,
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
    fprintf(out, "%s%s", comment, text);
    free(text);
    return result;
}

static const char *all_picks(Heads *b, const char **leaves, bool *used) {
    (void)leaves;
    for (unsigned h = 0; h < b->layer->heads; h++) unique_head(b, h, used);
    return NULL;
}

const char *heads_list(Heads *b, const char **leaves) {
    if (b->layer->kind != CLASS_UNIQUE || b->layer->heads != 1) return NULL;
    say(b, "for each token and position of the query, a list of (position, token): the first that "
           "is there decides");
    return behind_reads(b, leaves, "", lists_text);
}

static void unique_heads(Heads *b) {
    behind_reads(b, NULL,
                 arena_format(b->arena, "# picks are numbered 1 + position * %u + token; 0: none\n",
                              b->task->symbols),
                 all_picks);
    say(b, "for each token and position of the query, the first of a list of (position, token) "
           "that is there");
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
        say(b,
            "selectors and values that are tables over token and position (-o FILE writes them)");
    if (b->layer->kind == CLASS_UNIQUE) {
        unique_heads(b);
        return;
    }
    for (unsigned h = 0; h < b->layer->heads; h++)
        if (b->layer->kind == CLASS_AVERAGE)
            average_head(b, h);
        else
            grammar_head(b, h);
}
