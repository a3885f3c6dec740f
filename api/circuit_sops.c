/* The s-ops and selectors that a circuit speaks of. */
#include "api/circuit.h"

#include "api/handle.h"
#include "graph/label.h"
#include "interp/exec/column.h"

/* Which nodes of the graph: what the pieces name, and what that is made of, constants aside. */
static const bool *nodes_needed(const CircuitView *v) {
    const Circuit *c = v->from;
    size_t count = 0,
           most = (size_t)c->part_count + c->head_count + c->table_count + c->output_count;
    NodeId *roots = ARENA_ARRAY(v->arena, most, NodeId);
    for (uint32_t p = 0; p < c->part_count; p++)
        if (v->column_of[p] != RASP_NONE) roots[count++] = c->parts[p].node;
    for (uint32_t h = 0; h < c->head_count; h++) roots[count++] = c->heads[h].selector;
    for (uint32_t k = 0; k < c->table_count; k++) roots[count++] = c->tables[k].x;
    for (uint32_t o = 0; o < c->output_count; o++) roots[count++] = c->outputs[o].node;
    bool *needed = graph_needed(c->graph, roots, count, v->arena);
    for (NodeId id = 0; id < graph_count(c->graph); id++)
        if (graph_node(c->graph, id)->kind == NODE_CONSTANT) needed[id] = false;
    for (size_t k = 0; k < count; k++) needed[roots[k]] = true;
    return needed;
}

/* The type of all values together; -1: strings and numbers, or nothing is known. */
static int type_of(const NodeValues *values) {
    static const AtomKind kinds[] = {ATOM_BOOL, ATOM_INT, ATOM_FLOAT, ATOM_STRING};
    static const unsigned bits[] = {IS_BOOL, IS_INT, IS_FLOAT | IS_NEGATIVE_ZERO, IS_STRING};
    static const int types[] = {[SEQUENCE_STRING] = RASP_STRINGS,
                                [SEQUENCE_BOOL] = RASP_BOOLS,
                                [SEQUENCE_INT] = RASP_INTS,
                                [SEQUENCE_FLOAT] = RASP_FLOATS};
    unsigned found = 0;
    SequenceType type;
    for (uint32_t k = 0; k < values->count; k++)
        for (size_t b = 0; b < sizeof bits / sizeof *bits; b++)
            if (values->kinds[k] & bits[b]) found |= 1u << kinds[b];
    return found && sequence_type_of(found, &type) ? types[type] : -1;
}

static RaspCircuitSop sop_of(const CircuitView *v, NodeId id) {
    const Node *node = graph_node(v->from->graph, id);
    RaspCircuitSop sop = {.name = node->name ? node->name->text : NULL,
                          .text = graph_label(v->from->graph, id, v->sop_of, v->arena),
                          .place = place_of(v->sources, node->span),
                          .selector = node_is_selector(node),
                          .type = -1};
    const NodeValues *values = sop.selector ? NULL : values_of(v->values, id);
    if (values) {
        sop.type = type_of(values);
        sop.value_count = values->count;
    }
    return sop;
}

static void list_columns(const CircuitView *v, RaspCircuitSop *sops, size_t count) {
    const Circuit *c = v->from;
    uint32_t *columns = ARENA_ARRAY(v->arena, c->part_count, uint32_t), *next = columns;
    for (uint32_t p = 0; p < c->part_count; p++)
        if (v->column_of[p] != RASP_NONE) sops[v->sop_of[c->parts[p].node]].column_count++;
    for (size_t k = 0; k < count; k++) {
        sops[k].columns = next;
        next += sops[k].column_count;
        sops[k].column_count = 0;
    }
    for (uint32_t p = 0; p < c->part_count; p++) {
        if (v->column_of[p] == RASP_NONE) continue;
        RaspCircuitSop *sop = &sops[v->sop_of[c->parts[p].node]];
        columns[(sop->columns - columns) + (ptrdiff_t)sop->column_count++] = v->column_of[p];
    }
}

void view_sops(CircuitView *v) {
    const bool *needed = nodes_needed(v);
    uint32_t nodes = graph_count(v->from->graph), count = 0;
    v->sop_of = ARENA_ARRAY(v->arena, nodes, uint32_t);
    for (NodeId id = 0; id < nodes; id++) v->sop_of[id] = needed[id] ? count++ : RASP_NONE;
    RaspCircuitSop *sops = ARENA_ARRAY(v->arena, count, RaspCircuitSop);
    for (NodeId id = 0; id < nodes; id++)
        if (needed[id]) sops[v->sop_of[id]] = sop_of(v, id);
    list_columns(v, sops, count);
    v->made->sops = sops;
    v->made->sop_count = count;
}
