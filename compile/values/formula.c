#include "compile/values/formula.h"

#include "compile/values/values_private.h"

#include <assert.h>

/* --- making ------------------------------------------------------------------------------ */

typedef struct Maker {
    const Graph *graph;
    Arena *arena;
    TupleMap *seen; /* by node: place_of, or whether it was there */
    NodeId *stack;
    size_t depth, stack_capacity, select_capacity, step_capacity;
    Literals list;
} Maker;

static Maker maker_new(const Graph *graph, Arena *arena) {
    return (Maker){.graph = graph, .arena = arena, .seen = tuple_map_new(arena, 1)};
}

static void push(Maker *m, NodeId id) {
    m->stack = arena_grow(m->arena, m->stack, &m->stack_capacity, m->depth + 1, sizeof *m->stack);
    m->stack[m->depth++] = id;
}

static uint32_t add_select(Maker *m, NodeId id) {
    Literals *list = &m->list;
    list->select = arena_grow(m->arena, list->select, &m->select_capacity, (size_t)list->count + 1,
                              sizeof *list->select);
    list->select[list->count] = id;
    return list->count++;
}

/* One more than the node's step; 0: it has none yet. */
static uint32_t *place_of(Maker *m, NodeId id) {
    bool found;
    uint32_t *place = tuple_map_at(m->seen, &id, &found);
    if (!found) *place = 0;
    return place;
}

/* An argument of the node that has no step yet, or NODE_NONE. */
static NodeId missing(Maker *m, const Node *node) {
    for (int k = 0; k < node->arity && node->kind != NODE_SELECT; k++)
        if (!*place_of(m, node->arg[k])) return node->arg[k];
    return NODE_NONE;
}

static void add_step(Maker *m, NodeId id, const Node *node) {
    Literals *list = &m->list;
    LiteralStep step = {.kind = node->kind};
    if (node->kind == NODE_SELECT)
        step.a = step.b = add_select(m, id);
    else {
        step.a = *place_of(m, node->arg[0]) - 1;
        step.b = *place_of(m, node->arg[node->arity - 1]) - 1;
    }
    list->step = arena_grow(m->arena, list->step, &m->step_capacity, (size_t)list->step_count + 1,
                            sizeof *list->step);
    list->step[list->step_count] = step;
    *place_of(m, id) = ++list->step_count;
}

Literals selector_literals(const Graph *graph, NodeId selector, Arena *arena) {
    Maker m = maker_new(graph, arena);
    push(&m, selector);
    while (m.depth) {
        NodeId id = m.stack[m.depth - 1];
        const Node *node = graph_node(graph, id);
        NodeId next = missing(&m, node);
        if (next != NODE_NONE) {
            push(&m, next);
            continue;
        }
        m.depth--;
        add_step(&m, id, node);
    }
    m.list.value = ARENA_ARRAY(arena, m.list.step_count, Chance);
    return m.list;
}

Literals selector_conjuncts(const Graph *graph, NodeId selector, Arena *arena) {
    Maker m = maker_new(graph, arena);
    push(&m, selector);
    while (m.depth) {
        NodeId id = m.stack[--m.depth];
        const Node *node = graph_node(graph, id);
        bool seen;
        (void)tuple_map_at(m.seen, &id, &seen);
        if (seen) continue;
        if (node->kind == NODE_AND)
            for (int k = 2; k-- > 0;) push(&m, node->arg[k]);
        else
            (void)add_select(&m, id);
    }
    return m.list;
}

/* --- reading ------------------------------------------------------------------------------ */

Chance literals_chance(const Literals *literals, const Chance *chance) {
    Chance *value = literals->value;
    for (uint32_t k = 0; k < literals->step_count; k++) {
        LiteralStep step = literals->step[k];
        if (step.kind == NODE_SELECT) {
            value[k] = chance[step.a];
            continue;
        }
        Chance a = value[step.a], b = value[step.b];
        if (step.kind == NODE_NOT)
            value[k] = (Chance){!a.must, !a.can};
        else if (step.kind == NODE_AND)
            value[k] = (Chance){a.can && b.can, a.must && b.must};
        else
            value[k] = (Chance){a.can || b.can, a.must || b.must};
    }
    return value[literals->step_count - 1];
}

bool literals_hold(const Literals *literals, const bool *holds) {
    Chance chance[MAX_LITERALS];
    assert(literals->count <= MAX_LITERALS);
    for (uint32_t k = 0; k < literals->count; k++) chance[k] = (Chance){holds[k], holds[k]};
    return literals_chance(literals, chance).must;
}

/* --- positions ---------------------------------------------------------------------------- */

static bool has_one_value(Values *values, NodeId node) {
    const NodeValues *v = values_of(values, node);
    for (uint32_t c = 0; v && c < domain_contexts(values->domain); c++) {
        uint32_t count;
        sets_get(values->sets, v->sets[c], &count);
        if (count > 1) return false;
    }
    return v != NULL;
}

bool literals_positional(Values *values, const Literals *literals) {
    if (literals->count > MAX_LITERALS) return false;
    for (uint32_t k = 0; k < literals->count; k++) {
        NodeId key = graph_node(values->graph, literals->select[k])->arg[0];
        NodeId query = graph_node(values->graph, literals->select[k])->arg[1];
        if (!has_one_value(values, key) || !has_one_value(values, query)) return false;
    }
    return true;
}

bool values_single(Values *values, NodeId node, uint32_t context, Atom *value) {
    const NodeValues *v = values_of(values, node);
    uint32_t count;
    const uint32_t *member = sets_get(values->sets, v->sets[context], &count);
    if (count) *value = v->levels[member[0]];
    return count > 0;
}

unsigned positional_cell(Values *values, const Literals *literals, uint32_t n, uint32_t j,
                         uint32_t i) {
    bool holds[MAX_LITERALS];
    for (uint32_t k = 0; k < literals->count; k++) {
        const Node *node = graph_node(values->graph, literals->select[k]);
        Atom key, query;
        if (!values_single(values, node->arg[0], context_of(n, j), &key) ||
            !values_single(values, node->arg[1], context_of(n, i), &query))
            return CELL_FREE;
        if (!(ops[node->op].flags & OP_TOTAL) && !atom_comparable(key, query)) return CELL_FREE;
        holds[k] = op_compare(node->op, key, query);
    }
    return literals_hold(literals, holds);
}
