/* A node in source form.
 *
 * Brackets stand where the language needs them (language.md, Precedence), and where a reader who
 * knows the usual conventions would be misled without: 9 % (4 * 2), (a and b) or c, a - (-1). */
#include "graph/label.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { NESTING = 12, BYTES_A_LEVEL = 64 }; /* deeper expressions are cut */
enum { TABLE = 64 };                       /* bytes of a table that a cut text shows */
enum { LABEL = 200, INNER = 100 };         /* bytes: labels without references; what has none */

typedef struct Text {
    const Graph *graph;
    const GraphNames *names; /* NULL: those that the nodes have */
    Arena *arena;
    char *text;
    size_t length, capacity, limit;
    bool elide;             /* long tables have their beginning only */
    bool cut;               /* something is missing, other than of such a table */
    const uint32_t *number; /* of labels; NULL: there are no references */
} Text;

static void put(Text *t, const char *words) {
    size_t size = strlen(words);
    if (t->length > t->limit) return;
    if (t->length + size > t->limit) words = "…", size = strlen("…"), t->limit = 0, t->cut = true;
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

/* What stands for the node wherever it is an operand, or NULL. */
static const char *name_in(const Text *t, NodeId id) {
    if (t->names) return t->names->node[id];
    const Str *name = graph_node(t->graph, id)->name;
    return name ? name->text : NULL;
}

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

/* Where the text must read back, what the language cannot write has a name. */
static void put_atom(Text *t, Atom atom) {
    const char *literal = t->names ? atom_literal(atom, t->arena) : NULL;
    if (t->names && !literal)
        put(t, t->names->atom(t->names->context, atom, false));
    else
        put(t, literal ? literal : atom_show(atom, ATOM_QUOTED, t->arena));
}

static void put_node(Text *t, NodeId id, int level);
static bool fits(const Graph *graph, NodeId id, size_t limit, Arena *arena);

/* What stands for an operand in place of its text, or NULL. */
static const char *stand_in(const Text *t, NodeId id, int level) {
    const char *name = name_in(t, id);
    if (name) return name;
    if (t->number && t->number[id] != LABEL_NONE && !fits(t->graph, id, INNER, t->arena))
        return arena_format(t->arena, "$%u", t->number[id]);
    return level == 0 ? "…" : NULL;
}

/* As an operand: by its name if it has one, in brackets if it does not hold together as `least`. */
static void put_operand(Text *t, NodeId id, int level, Hold least) {
    const Node *node = graph_node(t->graph, id);
    const char *instead = stand_in(t, id, level);
    if (instead) {
        if (level == 0 && !name_in(t, id)) t->cut = true;
        put(t, instead);
        return;
    }
    bool brackets = hold_of(node) < least;
    if (brackets) put(t, "(");
    put_node(t, id, level);
    if (brackets) put(t, ")");
}

static bool is_constant(const Text *t, NodeId id) {
    return graph_node(t->graph, id)->kind == NODE_CONSTANT;
}

/* Would the evaluator compute on the atom, or turn the operands round, where the node has a
 * constant as its argument k? */
static bool needs_sop(const Text *t, const Node *node, int k) {
    if (!t->names || !is_constant(t, node->arg[k])) return false;
    if (node->kind == NODE_LOOKUP) return true;
    if (node->kind != NODE_MAP || k > 0) return false;
    bool others = false;
    for (int j = 1; j < node->arity; j++) others |= !is_constant(t, node->arg[j]);
    OpClass class = ops[node->op].class;
    return class == OP_CLASS_TERNARY || class == OP_CLASS_COMPARISON || !others;
}

static void put_arg(Text *t, const Node *node, int k, int level, Hold least) {
    Atom atom = graph_node(t->graph, node->arg[k])->atom;
    if (needs_sop(t, node, k))
        put(t, t->names->atom(t->names->context, atom, true));
    else
        put_operand(t, node->arg[k], level, least);
}

static void put_call(Text *t, const char *name, const Node *node, int level) {
    put(t, name);
    for (int k = 0; k < node->arity; k++) {
        if (k) put(t, ", ");
        put_arg(t, node, k, level, HOLD_NOTHING);
    }
}

static bool is_hole(const Lookup *l, size_t k) {
    return l->holes && l->holes[k];
}

static void put_entry(Text *t, const Lookup *l, size_t k) {
    if (l->keys) put_atom(t, l->keys[k]);
    if (l->keys && l->values) put(t, ": ");
    if (l->values && is_hole(l, k) && t->names)
        put(t, "[]");
    else if (l->values)
        put_atom(t, l->values[k]);
}

static void put_entries(Text *t, const Lookup *l) {
    put(t, l->kind == LOOKUP_DICT ? "{" : "[");
    size_t enough = t->elide ? t->length + TABLE : SIZE_MAX;
    for (size_t k = 0; k < l->count && t->length <= t->limit; k++) {
        if (k) put(t, ", ");
        if (t->length > enough) {
            put(t, "…");
            break;
        }
        put_entry(t, l, k);
    }
    put(t, l->kind == LOOKUP_DICT ? "}" : "]");
}

static void put_string(Text *t, const Lookup *l) {
    Text whole = {.arena = t->arena, .limit = t->limit};
    for (size_t k = 0; k < l->count; k++)
        put(&whole, atom_show(l->values[k], ATOM_PLAIN, t->arena));
    const char *text = whole.length ? whole.text : "";
    put_atom(t, atom_string(intern_text(graph_intern(t->graph), text)));
}

static void put_lookup(Text *t, const Node *node, int level) {
    const Lookup *l = node->lookup;
    bool set = l->kind == LOOKUP_SET;
    if (set) put_arg(t, node, 0, level, HOLD_SUM), put(t, " in ");
    if (l->kind == LOOKUP_STRING)
        put_string(t, l);
    else
        put_entries(t, l);
    if (!set) put(t, "["), put_arg(t, node, 0, level, HOLD_NOTHING), put(t, "]");
}

/* `a and b and c` is read in one way only, `a and b or c` is not. */
static void put_left(Text *t, const Node *node, int level) {
    OpClass class = class_of(node);
    const Node *left = graph_node(t->graph, node->arg[0]);
    bool chain = class == OP_CLASS_LOGIC && left->kind == node->kind && left->op == node->op;
    put_arg(t, node, 0, level, chain ? HOLD_LOGIC : holds[class].left);
}

static void put_binary(Text *t, const Node *node, const char *spelling, int level) {
    put_left(t, node, level);
    put(t, " "), put(t, spelling), put(t, " ");
    put_operand(t, node->arg[1], level, holds[class_of(node)].right);
}

static void put_prefix(Text *t, const Node *node, const char *spelling, int level) {
    put(t, spelling);
    put_arg(t, node, 0, level, holds[class_of(node)].right);
}

static void put_slice(Text *t, const Node *node, int level) {
    const Node *end = graph_node(t->graph, node->arg[2]);
    bool whole = end->kind == NODE_CONSTANT && atom_same(end->atom, atom_int(SLICE_END));
    put_arg(t, node, 0, level, HOLD_ALL);
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
        put(t, " if "), put_arg(t, node, 0, level, holds[op->class].left);
        put(t, " else "), put_operand(t, node->arg[2], level, holds[op->class].right);
    } else if (op->arity == 2) {
        put_binary(t, node, op->spelling, level);
    } else {
        put_prefix(t, node, op->class == OP_CLASS_NOT ? "not " : op->spelling, level);
    }
}

static void put_aggregate(Text *t, const Node *node, int level) {
    put_call(t, "aggregate(", node, level);
    if (!atom_same(node->atom, atom_int(0))) put(t, ", "), put_atom(t, node->atom);
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
        put_atom(t, node->atom);
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

/* With the node's text; its own name is not looked at. */
static Text text_of(Text t, NodeId id) {
    size_t nesting = t.limit / BYTES_A_LEVEL; /* a text of many bytes may be deep, too */
    if (!t.limit) t.limit = SIZE_MAX / 2;
    t.text = arena_grow(t.arena, NULL, &t.capacity, 1, 1);
    put_node(&t, id, t.number ? INT_MAX : nesting > NESTING ? (int)nesting : NESTING);
    return t;
}

const char *graph_text(const Graph *graph, NodeId id, size_t limit, Arena *arena) {
    Text t = {.graph = graph, .arena = arena, .limit = limit, .elide = limit > 0};
    return text_of(t, id).text;
}

/* --- labels ------------------------------------------------------------------------------- */

static bool fits(const Graph *graph, NodeId id, size_t limit, Arena *arena) {
    Text t = {.graph = graph, .arena = arena, .limit = limit};
    return !text_of(t, id).cut;
}

const char *graph_label(const Graph *graph, NodeId id, const uint32_t *number, Arena *arena) {
    Text t = {.graph = graph, .arena = arena, .limit = LABEL};
    t = text_of(t, id);
    if (!t.cut) return t.text;
    t = (Text){.graph = graph, .arena = arena, .number = number};
    return text_of(t, id).text;
}

uint32_t *graph_label_numbers(const Graph *graph, const NodeId *roots, size_t count,
                              uint32_t *shared, Arena *arena) {
    uint32_t nodes = graph_count(graph), *number = ARENA_ARRAY(arena, nodes, uint32_t);
    bool *labelled = ARENA_ARRAY(arena, nodes, bool);
    for (size_t k = 0; k < count; k++) labelled[roots[k]] = true;
    for (NodeId id = nodes; id-- > 0;) { /* operands come before what is made of them */
        const Node *node = graph_node(graph, id);
        if (!labelled[id] || fits(graph, id, LABEL, arena)) continue;
        for (int k = 0; k < node->arity; k++) {
            const Node *operand = graph_node(graph, node->arg[k]);
            if (operand->name || operand->kind == NODE_CONSTANT) continue;
            if (!fits(graph, node->arg[k], INNER, arena))
                labelled[node->arg[k]] = true, number[node->arg[k]] = 1;
        }
    }
    *shared = 0;
    for (NodeId id = 0; id < nodes; id++) number[id] = number[id] ? (*shared)++ : LABEL_NONE;
    return number;
}

const char *graph_source(const Graph *graph, NodeId id, const GraphNames *names, Arena *arena) {
    Text t = {.graph = graph, .names = names, .arena = arena, .limit = SIZE_MAX / 2};
    t.text = arena_grow(arena, NULL, &t.capacity, 1, 1);
    put_node(&t, id, INT_MAX);
    return t.text;
}
