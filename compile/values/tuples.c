#include "compile/values/tuples.h"

#include "compile/values/values_private.h"

enum { MOST_ROWS = 1 << 18, PART_GAIN = 8 };

typedef struct Pair {
    NodeId key, query;
} Pair;

typedef struct Tuple {
    Values *values;
    NodeId key, query;
    Pair part[TUPLE_PARTS];
    uint32_t count;
    Arena *arena;    /* scratch */
    TupleMap *whole; /* by levels of the keys' parts: the level of the key */
} Tuple;

/* --- what it is made of --------------------------------------------------------------------- */

static bool is_constant(const Values *values, NodeId id) {
    return graph_node(values->graph, id)->kind == NODE_CONSTANT;
}

static bool has_parts(Values *values, NodeId id) {
    const NodeValues *v = values_of(values, id);
    NodeKind kind = graph_node(values->graph, id)->kind;
    return v && v->source_count >= 2 && (kind == NODE_MAP || kind == NODE_LOOKUP);
}

static bool add_pair(Tuple *t, NodeId key, NodeId query) {
    for (uint32_t k = 0; k < t->count; k++)
        if (t->part[k].key == key && t->part[k].query == query) return true;
    if (t->count == TUPLE_PARTS || !values_of(t->values, key) || !values_of(t->values, query))
        return false;
    t->part[t->count++] = (Pair){key, query};
    return true;
}

/* Both sides are taken apart as long as they are made alike. */
static bool take_apart(Tuple *t, NodeId key, NodeId query) {
    Node a = *graph_node(t->values->graph, key), b = *graph_node(t->values->graph, query);
    bool alike = a.kind == b.kind && a.arity == b.arity && a.op == b.op && a.lookup == b.lookup;
    if (!alike || !has_parts(t->values, key) || !has_parts(t->values, query))
        return add_pair(t, key, query);
    for (int k = 0; k < a.arity; k++) {
        bool constant = is_constant(t->values, a.arg[k]) && is_constant(t->values, b.arg[k]);
        if (!constant && !take_apart(t, a.arg[k], b.arg[k])) return false;
    }
    return true;
}

static bool pays(const Tuple *t) {
    uint32_t parts = 0;
    for (uint32_t k = 0; k < t->count; k++)
        parts += values_of(t->values, t->part[k].key)->count + PART_GAIN;
    return t->count > 1 && values_of(t->values, t->key)->count > parts;
}

/* --- do they tell it, and it them? ------------------------------------------------------------ */

/* A NaN is not equal to itself. */
static bool equals_itself(const NodeValues *v) {
    for (uint32_t k = 0; k < v->count; k++)
        if (!atom_equal(v->levels[k], v->levels[k])) return false;
    return true;
}

/* Rows of the side and its parts. */
static bool side_rows(Tuple *t, NodeId whole, bool queries, Rows *rows) {
    NodeId nodes[TUPLE_PARTS + 1] = {whole};
    for (uint32_t k = 0; k < t->count; k++)
        nodes[k + 1] = queries ? t->part[k].query : t->part[k].key;
    for (uint32_t k = 0; k <= t->count; k++)
        if (!equals_itself(values_of(t->values, nodes[k]))) return false;
    return values_rows_up_to(t->values, nodes, t->count + 1, nodes, t->count + 1, MOST_ROWS, rows);
}

/* Each tuple of the key's parts has a level of the key of its own. */
static bool note_keys(Tuple *t) {
    Rows rows;
    if (!side_rows(t, t->key, false, &rows)) return false;
    t->whole = tuple_map_new(t->arena, t->count);
    bool *seen = ARENA_ARRAY(t->arena, values_of(t->values, t->key)->count, bool);
    for (size_t r = 0; r < rows.row_count; r++) {
        const uint32_t *row = rows.level + r * rows.width;
        bool found;
        uint32_t *level = tuple_map_at(t->whole, row + 1, &found);
        if (found ? *level != row[0] : seen[row[0]]) return false;
        *level = row[0];
        seen[row[0]] = true;
    }
    return true;
}

/* The level of `key` that is equal to the query's; UINT32_MAX: none. */
static uint32_t key_level(Tuple *t, NodeId key, NodeId query, uint32_t level) {
    if (key == query) return level;
    return entry_find(t->values, key, values_of(t->values, query)->levels[level]);
}

/* A query is equal to a key exactly where their parts are. */
static bool agree_queries(Tuple *t) {
    Rows rows;
    if (!side_rows(t, t->query, true, &rows)) return false;
    for (size_t r = 0; r < rows.row_count; r++) {
        const uint32_t *row = rows.level + r * rows.width;
        uint32_t part[TUPLE_PARTS], of_parts = UINT32_MAX, k = 0;
        while (k < t->count) {
            part[k] = key_level(t, t->part[k].key, t->part[k].query, row[k + 1]);
            if (part[k++] == UINT32_MAX) break;
        }
        if (part[k - 1] != UINT32_MAX) {
            bool found;
            uint32_t *level = tuple_map_at(t->whole, part, &found);
            if (!found) *level = UINT32_MAX; /* no key is made of these */
            of_parts = *level;
        }
        if (of_parts != key_level(t, t->key, t->query, row[0])) return false;
    }
    return true;
}

/* --- all of it -------------------------------------------------------------------------------- */

uint32_t tuple_parts(Values *values, NodeId select, NodeId part[TUPLE_PARTS]) {
    const Node *node = graph_node(values->graph, select);
    Span span = node->span;
    part[0] = select;
    if (node->kind != NODE_SELECT || node->op != OP_EQ) return 1;
    Tuple t = {.values = values, .key = node->arg[0], .query = node->arg[1]};
    t.arena = arena_child(values->arena);
    bool told = take_apart(&t, t.key, t.query) && pays(&t) && note_keys(&t) && agree_queries(&t);
    arena_free(t.arena);
    for (uint32_t k = 0; told && k < t.count; k++)
        part[k] = graph_select(values->graph, OP_EQ, t.part[k].key, t.part[k].query, span);
    return told ? t.count : 1;
}
