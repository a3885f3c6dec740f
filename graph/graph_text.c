/* A node in source form. */
#include "graph/graph.h"

#include <string.h>

enum { NESTING = 12 }; /* deeper expressions are cut */

typedef struct Text {
    const Graph *graph;
    Arena *arena;
    char *text;
    size_t length, capacity, limit;
} Text;

static void put(Text *t, const char *words) {
    size_t size = strlen(words);
    if (t->length > t->limit) return;
    if (t->length + size > t->limit) words = "...", size = 3, t->limit = 0;
    t->text = arena_grow(t->arena, t->text, &t->capacity, t->length + size + 1, 1);
    memcpy(t->text + t->length, words, size + 1);
    t->length += size;
}

static void put_node(Text *t, NodeId id, int level, bool top);

static void put_call(Text *t, const char *name, const Node *node, int level) {
    put(t, name);
    for (int k = 0; k < node->arity; k++) {
        if (k) put(t, ", ");
        put_node(t, node->arg[k], level, false);
    }
}

static void put_atoms(Text *t, const char *open, const Atom *keys, const Atom *values, size_t count,
                      const char *close) {
    put(t, open);
    for (size_t k = 0; k < count && t->length <= t->limit; k++) {
        if (k) put(t, ", ");
        if (keys) put(t, atom_show(keys[k], ATOM_QUOTED, t->arena));
        if (keys && values) put(t, ": ");
        if (values) put(t, atom_show(values[k], ATOM_QUOTED, t->arena));
    }
    put(t, close);
}

static void put_lookup(Text *t, const Node *node, int level) {
    const Lookup *l = node->lookup;
    bool set = l->kind == LOOKUP_SET;
    if (set) put_node(t, node->arg[0], level, false), put(t, " in ");
    put_atoms(t, l->kind == LOOKUP_DICT ? "{" : "[", l->keys, l->values, l->count,
              l->kind == LOOKUP_DICT ? "}" : "]");
    if (!set) put(t, "["), put_node(t, node->arg[0], level, false), put(t, "]");
}

/* The operator's words between and around its operands. */
static void put_map(Text *t, const Node *node, int level, bool top) {
    const Op *op = &ops[node->op];
    if (op->class == OP_CLASS_FUNCTION) {
        put(t, op->spelling);
        put_call(t, "(", node, level);
        put(t, ")");
        return;
    }
    if (!top) put(t, "(");
    if (op->arity == 1) {
        put(t, op->spelling);
        if (op->class == OP_CLASS_NOT) put(t, " ");
        put_node(t, node->arg[0], level, false);
    } else if (op->arity == 2) {
        put_node(t, node->arg[0], level, false);
        put(t, " "), put(t, op->spelling), put(t, " ");
        put_node(t, node->arg[1], level, false);
    } else {
        put_node(t, node->arg[1], level, false);
        put(t, " if "), put_node(t, node->arg[0], level, false);
        put(t, " else "), put_node(t, node->arg[2], level, false);
    }
    if (!top) put(t, ")");
}

static void put_aggregate(Text *t, const Node *node, int level) {
    put_call(t, "aggregate(", node, level);
    if (!atom_same(node->atom, atom_int(0)))
        put(t, ", "), put(t, atom_show(node->atom, ATOM_QUOTED, t->arena));
    put(t, ")");
}

static void put_combination(Text *t, const Node *node, int level, bool top) {
    if (node->kind == NODE_NOT) {
        put(t, "not "), put_node(t, node->arg[0], level, false);
        return;
    }
    if (!top) put(t, "(");
    put_node(t, node->arg[0], level, false);
    put(t, node->kind == NODE_AND ? " and " : " or ");
    put_node(t, node->arg[1], level, false);
    if (!top) put(t, ")");
}

static void put_node(Text *t, NodeId id, int level, bool top) {
    static const char *const token_name[TOKENS_COUNT] = {
#define TOKENS(id, spelling, display, ...) [TOKENS_##id] = display,
#include "base/builtin.def"
    };
    const Node *node = graph_node(t->graph, id);
    if (level == 0) {
        put(t, node->name ? node->name->text : "...");
        return;
    }
    if (!top && node->name) {
        put(t, node->name->text);
        return;
    }
    switch (node->kind) {
    case NODE_TOKENS:
        put(t, token_name[node->tokens]);
        break;
    case NODE_INDICES:
        put(t, "indices");
        break;
    case NODE_CONSTANT:
        put(t, atom_show(node->atom, ATOM_QUOTED, t->arena));
        break;
    case NODE_MAP:
        put_map(t, node, level - 1, top);
        break;
    case NODE_LOOKUP:
        put_lookup(t, node, level - 1);
        break;
    case NODE_SELECT:
        put_call(t, "select(", node, level - 1);
        put(t, ", "), put(t, ops[node->op].spelling), put(t, ")");
        break;
    case NODE_AND:
    case NODE_OR:
    case NODE_NOT:
        put_combination(t, node, level - 1, top);
        break;
    case NODE_AGGREGATE:
        put_aggregate(t, node, level - 1);
        break;
    case NODE_WIDTH:
        put_call(t, "selector_width(", node, level - 1), put(t, ")");
        break;
    }
}

const char *graph_text(const Graph *graph, NodeId id, size_t limit, Arena *arena) {
    Text t = {.graph = graph, .arena = arena, .limit = limit ? limit : SIZE_MAX / 2};
    t.text = arena_grow(arena, NULL, &t.capacity, 1, 1);
    put_node(&t, id, NESTING, true);
    return t.text;
}
