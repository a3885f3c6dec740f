/* A node in source form.
 *
 * Brackets stand where the language needs them (language.md, Precedence), and where a reader who
 * knows the usual conventions would be misled without: 9 % (4 * 2), (a and b) or c, a - (-1). */
#include "graph/graph.h"

#include <math.h>
#include <string.h>

enum { NESTING = 12, BYTES_A_LEVEL = 64 }; /* deeper expressions are cut */

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

/* How tightly something holds together, and what an operand must be to stand without brackets. */
typedef enum Hold {
    HOLD_NOTHING,
    HOLD_IN,
    HOLD_TERNARY,
    HOLD_LOGIC,
    HOLD_NOT,
    HOLD_COMPARISON,
    HOLD_SUM, /* and a sign: a - (-b), (-a) * b */
    HOLD_MODULO,
    HOLD_PRODUCT,
    HOLD_POWER,
    HOLD_ALL
} Hold;

static const struct {
    Hold own, left, right;
} holds[] = {
    [OP_CLASS_TERNARY] = {HOLD_TERNARY, HOLD_LOGIC, HOLD_LOGIC},
    [OP_CLASS_LOGIC] = {HOLD_LOGIC, HOLD_NOT, HOLD_NOT}, /* left of the same: put_left */
    [OP_CLASS_COMPARISON] = {HOLD_COMPARISON, HOLD_SUM, HOLD_SUM},
    [OP_CLASS_SUM] = {HOLD_SUM, HOLD_SUM, HOLD_MODULO},
    [OP_CLASS_MODULO] = {HOLD_MODULO, HOLD_POWER, HOLD_POWER},
    [OP_CLASS_PRODUCT] = {HOLD_PRODUCT, HOLD_PRODUCT, HOLD_POWER},
    [OP_CLASS_POWER] = {HOLD_POWER, HOLD_ALL, HOLD_ALL},
    [OP_CLASS_SIGN] = {HOLD_SUM, HOLD_NOTHING, HOLD_ALL},
    [OP_CLASS_NOT] = {HOLD_NOT, HOLD_NOTHING, HOLD_ALL},
    [OP_CLASS_FUNCTION] = {HOLD_ALL, HOLD_NOTHING, HOLD_NOTHING},
    [OP_CLASS_LENGTH] = {HOLD_ALL, HOLD_NOTHING, HOLD_NOTHING},
    [OP_CLASS_SLICE] = {HOLD_ALL, HOLD_ALL, HOLD_NOTHING},
};

static bool has_sign(Atom atom) {
    return (atom.kind == ATOM_INT && atom.i < 0) || (atom.kind == ATOM_FLOAT && signbit(atom.f));
}

static OpClass class_of(const Node *node) {
    if (node->kind == NODE_MAP) return ops[node->op].class;
    return node->kind == NODE_NOT ? OP_CLASS_NOT : OP_CLASS_LOGIC;
}

static Hold hold_of(const Node *node) {
    switch (node->kind) {
    case NODE_MAP:
    case NODE_AND:
    case NODE_OR:
    case NODE_NOT:
        return holds[class_of(node)].own;
    case NODE_CONSTANT:
        return has_sign(node->atom) ? HOLD_SUM : HOLD_ALL;
    case NODE_LOOKUP:
        return node->lookup->kind == LOOKUP_SET ? HOLD_IN : HOLD_ALL;
    default:
        return HOLD_ALL;
    }
}

static void put_node(Text *t, NodeId id, int level);

/* As an operand: by its name if it has one, in brackets if it does not hold together as `least`. */
static void put_operand(Text *t, NodeId id, int level, Hold least) {
    const Node *node = graph_node(t->graph, id);
    if (node->name || level == 0) {
        put(t, node->name ? node->name->text : "...");
        return;
    }
    bool brackets = hold_of(node) < least;
    if (brackets) put(t, "(");
    put_node(t, id, level);
    if (brackets) put(t, ")");
}

static void put_call(Text *t, const char *name, const Node *node, int level) {
    put(t, name);
    for (int k = 0; k < node->arity; k++) {
        if (k) put(t, ", ");
        put_operand(t, node->arg[k], level, HOLD_NOTHING);
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

static void put_string(Text *t, const Lookup *l) {
    put(t, "\"");
    for (size_t k = 0; k < l->count && t->length <= t->limit; k++)
        put(t, atom_show(l->values[k], ATOM_PLAIN, t->arena));
    put(t, "\"");
}

static void put_lookup(Text *t, const Node *node, int level) {
    const Lookup *l = node->lookup;
    bool set = l->kind == LOOKUP_SET;
    if (set) put_operand(t, node->arg[0], level, HOLD_SUM), put(t, " in ");
    if (l->kind == LOOKUP_STRING)
        put_string(t, l);
    else
        put_atoms(t, l->kind == LOOKUP_DICT ? "{" : "[", l->keys, l->values, l->count,
                  l->kind == LOOKUP_DICT ? "}" : "]");
    if (!set) put(t, "["), put_operand(t, node->arg[0], level, HOLD_NOTHING), put(t, "]");
}

/* `a and b and c` is read in one way only, `a and b or c` is not. */
static void put_left(Text *t, const Node *node, int level) {
    OpClass class = class_of(node);
    const Node *left = graph_node(t->graph, node->arg[0]);
    bool chain = class == OP_CLASS_LOGIC && left->kind == node->kind && left->op == node->op;
    put_operand(t, node->arg[0], level, chain ? HOLD_LOGIC : holds[class].left);
}

static void put_binary(Text *t, const Node *node, const char *spelling, int level) {
    put_left(t, node, level);
    put(t, " "), put(t, spelling), put(t, " ");
    put_operand(t, node->arg[1], level, holds[class_of(node)].right);
}

static void put_prefix(Text *t, const Node *node, const char *spelling, int level) {
    put(t, spelling);
    put_operand(t, node->arg[0], level, holds[class_of(node)].right);
}

static void put_slice(Text *t, const Node *node, int level) {
    const Node *end = graph_node(t->graph, node->arg[2]);
    bool whole = end->kind == NODE_CONSTANT && atom_same(end->atom, atom_int(SLICE_END));
    put_operand(t, node->arg[0], level, HOLD_ALL);
    put(t, "["), put_operand(t, node->arg[1], level, HOLD_NOTHING), put(t, ":");
    if (!whole) put_operand(t, node->arg[2], level, HOLD_NOTHING);
    put(t, "]");
}

/* The operator's words between and around its operands. */
static void put_map(Text *t, const Node *node, int level) {
    const Op *op = &ops[node->op];
    if (op->class == OP_CLASS_SLICE) {
        put_slice(t, node, level);
    } else if (op->class == OP_CLASS_FUNCTION || op->class == OP_CLASS_LENGTH) {
        put(t, op->spelling), put_call(t, "(", node, level), put(t, ")");
    } else if (op->class == OP_CLASS_TERNARY) {
        put_operand(t, node->arg[1], level, holds[op->class].left);
        put(t, " if "), put_operand(t, node->arg[0], level, holds[op->class].left);
        put(t, " else "), put_operand(t, node->arg[2], level, holds[op->class].right);
    } else if (op->arity == 2) {
        put_binary(t, node, op->spelling, level);
    } else {
        put_prefix(t, node, op->class == OP_CLASS_NOT ? "not " : op->spelling, level);
    }
}

static void put_aggregate(Text *t, const Node *node, int level) {
    put_call(t, "aggregate(", node, level);
    if (!atom_same(node->atom, atom_int(0)))
        put(t, ", "), put(t, atom_show(node->atom, ATOM_QUOTED, t->arena));
    put(t, ")");
}

static void put_node(Text *t, NodeId id, int level) {
    if (t->length > t->limit) return; /* as a tree, shared nodes may be beyond number */
    static const char *const token_name[TOKENS_COUNT] = {
#define TOKENS(id, spelling, display, ...) [TOKENS_##id] = display,
#include "base/builtin.def"
    };
    const Node *node = graph_node(t->graph, id);
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
        put_map(t, node, level - 1);
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
        put_binary(t, node, node->kind == NODE_AND ? "and" : "or", level - 1);
        break;
    case NODE_NOT:
        put_prefix(t, node, "not ", level - 1);
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
    size_t nesting = limit / BYTES_A_LEVEL; /* a text of many bytes may be deep, too */
    put_node(&t, id, nesting > NESTING ? (int)nesting : NESTING);
    return t.text;
}
