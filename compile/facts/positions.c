/* How the numbers of positions come into an s-op, read off its text.
 *
 * A node is free of them, or a pointer (the number of some position as it is), or shifted (a
 * pointer plus a whole number that does not hang on them).  Renumbered by any growing function,
 * pointers are renumbered and nothing that compares two of them changes; by adding a constant, the
 * same holds of what is shifted.
 */
#include "compile/facts/facts_private.h"

typedef enum Degree { FREE, POINTER, SHIFTED } Degree;

typedef struct Numbering {
    PositionUse use; /* below it, by all that it is made of */
    Degree degree;
} Numbering;

static Numbering made(PositionUse use, Degree degree) {
    return (Numbering){use, degree};
}

static PositionUse more(PositionUse a, PositionUse b) {
    return a > b ? a : b;
}

/* Floats are rounded, so a sum with one may tell where the numbers begin. */
static bool is_whole(Finder *f, NodeId sop) {
    const NodeValues *v = values_of(f->values, sop);
    for (uint32_t k = 0; v && k < v->count; k++)
        if (v->kinds[k] & ~(unsigned)(IS_INT | IS_BOOL)) return false;
    return v != NULL;
}

static Numbering compare(Numbering a, Numbering b) {
    PositionUse use = more(a.use, b.use);
    if (a.degree == FREE && b.degree == FREE) return made(use, FREE);
    if (a.degree == POINTER && b.degree == POINTER) return made(more(use, POSITIONS_ORDER), FREE);
    if (a.degree != FREE && b.degree != FREE) return made(more(use, POSITIONS_DISTANCE), FREE);
    return made(POSITIONS_NUMBERS, FREE);
}

static Numbering add(Finder *f, const Node *node, Numbering a, Numbering b) {
    PositionUse use = more(a.use, b.use);
    bool minus = node->op == OP_SUB;
    if (a.degree != FREE && b.degree != FREE)
        return minus ? made(more(use, POSITIONS_DISTANCE), FREE) : made(POSITIONS_NUMBERS, FREE);
    if (a.degree == FREE && minus) return made(POSITIONS_NUMBERS, FREE);
    if (!is_whole(f, node->arg[a.degree == FREE ? 0 : 1])) return made(POSITIONS_NUMBERS, FREE);
    return made(use, SHIFTED);
}

static Numbering choose(Numbering condition, Numbering a, Numbering b) {
    PositionUse use = more(condition.use, more(a.use, b.use));
    if (condition.degree != FREE || (a.degree == FREE) != (b.degree == FREE))
        return made(POSITIONS_NUMBERS, FREE);
    return made(use, a.degree > b.degree ? a.degree : b.degree);
}

static Numbering elementwise(Finder *f, const Node *node, const Numbering *place) {
    PositionUse use = POSITIONS_UNUSED;
    bool is_free = true;
    for (int k = 0; k < node->arity; k++) {
        use = more(use, place[node->arg[k]].use);
        is_free &= place[node->arg[k]].degree == FREE;
    }
    if (is_free) return made(use, FREE);
    if (node->kind == NODE_LOOKUP) return made(POSITIONS_NUMBERS, FREE);
    Numbering a = place[node->arg[0]];
    if (node->op == OP_POS) return a;
    if (node->op == OP_ADD || node->op == OP_SUB) return add(f, node, a, place[node->arg[1]]);
    if (ops[node->op].flags & OP_COMPARES) return compare(a, place[node->arg[1]]);
    /* $2 if $1 else $3 */
    if (node->op == OP_IF) return choose(a, place[node->arg[1]], place[node->arg[2]]);
    return made(POSITIONS_NUMBERS, FREE);
}

/* A mean of numbers of positions is one of them if they are all the same. */
static Numbering aggregate(Finder *f, NodeId id, Numbering selector, Numbering values) {
    PositionUse use = more(selector.use, values.use);
    if (values.degree == FREE) return made(use, FREE);
    const SelectorFacts *rows = values_selector(f->values, graph_node(f->graph, id)->arg[0]);
    if (rows && rows->never_empty && values_moves(f->values, id)) return made(use, values.degree);
    return made(POSITIONS_NUMBERS, FREE);
}

static Numbering node_place(Finder *f, NodeId id, const Numbering *place) {
    Node node = *graph_node(f->graph, id);
    PositionUse use = POSITIONS_UNUSED;
    for (int k = 0; k < node.arity; k++) use = more(use, place[node.arg[k]].use);
    switch (node.kind) {
    case NODE_INDICES:
        return made(use, POINTER);
    case NODE_MAP:
    case NODE_LOOKUP:
        return elementwise(f, &node, place);
    case NODE_SELECT:
        if (is_mask(f, &node)) return made(POSITIONS_MASKS, FREE);
        return compare(place[node.arg[0]], place[node.arg[1]]);
    case NODE_AGGREGATE:
        return aggregate(f, id, place[node.arg[0]], place[node.arg[1]]);
    default:
        return made(use, FREE);
    }
}

PositionUse find_positions(Finder *f) {
    Numbering *place = ARENA_ARRAY(f->arena, (size_t)f->count + 1, Numbering);
    for (NodeId id = 0; id < f->count; id++)
        if (f->needed[id]) place[id] = node_place(f, id, place);
    return place[f->root].degree == FREE ? place[f->root].use : POSITIONS_NUMBERS;
}
