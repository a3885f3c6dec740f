#include "compile/values/states.h"

#include <string.h>

enum { PLACES = 3 };

static bool add_column(States *states, NodeId sop) {
    for (uint32_t c = 0; c < states->columns; c++)
        if (states->column[c] == sop) return true;
    if (states->columns == MAX_COLUMNS) return false;
    states->column[states->columns++] = sop;
    return true;
}

static bool add_selector(States *states, NodeId selector, Arena *arena) {
    const Graph *graph = states->values->graph;
    Literals literals = selector_literals(graph, selector, arena);
    bool fits = literals.count <= MAX_LITERALS;
    for (uint32_t k = 0; k < literals.count && fits; k++) {
        const Node *node = graph_node(graph, literals.select[k]);
        fits = add_column(states, node->arg[0]) && add_column(states, node->arg[1]);
    }
    return fits;
}

/* Are positions only compared with each other, and asked for nowhere else? */
static bool order_alone(const States *states, const NodeId *selectors, uint32_t selector_count,
                        const NodeId *sops, uint32_t sop_count, Arena *arena) {
    const Values *values = states->values;
    if (values->domain->max_length < PLACES || nodes_contain(sops, sop_count, values->indices))
        return false;
    for (uint32_t s = 0; s < selector_count; s++) {
        Literals literals = selector_literals(values->graph, selectors[s], arena);
        for (uint32_t k = 0; k < literals.count; k++) {
            const Node *node = graph_node(values->graph, literals.select[k]);
            if ((node->arg[0] == values->indices) != (node->arg[1] == values->indices))
                return false;
        }
    }
    return true;
}

/* Whatever stands at a position somewhere, at each of three places: what holds of any three
 * positions in any order holds of all. */
static bool find_places(States *states, Arena *arena) {
    Rows rest;
    if (states->columns < 2 ||
        !values_rows_up_to(states->values, states->column + 1, states->columns - 1,
                           states->column + 1, states->columns - 1, MAX_STATES / PLACES, &rest))
        return false;
    size_t count = rest.row_count, width = states->columns;
    states->rows = (Rows){ARENA_ARRAY(arena, PLACES * count * width, uint32_t), PLACES * count,
                          states->columns};
    for (size_t s = 0; s < PLACES * count; s++) {
        uint32_t *state = states->rows.level + s * width;
        state[0] = (uint32_t)(s / count); /* levels of `indices` are in their order */
        memcpy(state + 1, rest.level + s % count * rest.width, rest.width * sizeof *state);
    }
    return true;
}

bool states_find(Values *values, const NodeId *selectors, uint32_t selector_count,
                 const NodeId *sops, uint32_t sop_count, States *states, Arena *arena) {
    *states = (States){.values = values, .column = {values->indices}, .columns = 1};
    for (uint32_t k = 0; k < selector_count; k++)
        if (!add_selector(states, selectors[k], arena)) return false;
    for (uint32_t k = 0; k < sop_count; k++)
        if (!add_column(states, sops[k])) return false;
    if (values_rows_up_to(values, states->column, states->columns, states->column, states->columns,
                          values->state_limit, &states->rows))
        return true;
    return order_alone(states, selectors, selector_count, sops, sop_count, arena) &&
           find_places(states, arena);
}

uint32_t states_column(const States *states, NodeId sop) {
    uint32_t c = 0;
    while (states->column[c] != sop) c++;
    return c;
}

static uint32_t level_at(const States *states, uint32_t state, uint32_t column) {
    return states->rows.level[(size_t)state * states->rows.width + column];
}

Atom states_value(const States *states, uint32_t state, uint32_t column) {
    return values_entry(states->values, states->column[column])
        ->levels[level_at(states, state, column)];
}

bool states_same_position(const States *states, uint32_t s, uint32_t t) {
    return level_at(states, s, 0) == level_at(states, t, 0);
}

Relation relation_of(const States *states, NodeId selector, Arena *arena) {
    const Graph *graph = states->values->graph;
    Relation r = {.states = states};
    r.literals = selector_literals(graph, selector, arena);
    for (uint32_t k = 0; k < r.literals.count; k++) {
        const Node *node = graph_node(graph, r.literals.select[k]);
        r.key[k] = states_column(states, node->arg[0]);
        r.query[k] = states_column(states, node->arg[1]);
    }
    return r;
}

bool relation_holds(const Relation *r, uint32_t s, uint32_t t) {
    const Graph *graph = r->states->values->graph;
    bool holds[MAX_LITERALS];
    for (uint32_t k = 0; k < r->literals.count; k++) {
        OpId op = graph_node(graph, r->literals.select[k])->op;
        Atom key = states_value(r->states, s, r->key[k]);
        Atom query = states_value(r->states, t, r->query[k]);
        holds[k] = ((ops[op].flags & OP_TOTAL) || atom_comparable(key, query)) &&
                   op_compare(op, key, query);
    }
    return literals_hold(&r->literals, holds);
}
