/* The nodes of a circuit in the order of the pass, and who reads whom. */
#include "api/circuit.h"

#include <stdlib.h>
#include <string.h>

static const char *const node_names[] = {
    [RASP_CIRCUIT_TOKENS] = "tokens", [RASP_CIRCUIT_POSITIONS] = "positions",
    [RASP_CIRCUIT_HEAD] = "head",     [RASP_CIRCUIT_TABLE] = "table",
    [RASP_CIRCUIT_CLEAR] = "clear",   [RASP_CIRCUIT_OUTPUT] = "output"};

static const char *const role_names[] = {
    [RASP_ROLE_QUERY] = "query", [RASP_ROLE_KEY] = "key",     [RASP_ROLE_VALUE] = "value",
    [RASP_ROLE_INPUT] = "input", [RASP_ROLE_CLEAR] = "clear", [RASP_ROLE_OUTPUT] = "output"};

const char *rasp_circuit_kind_name(int kind) {
    return kind >= 0 && kind <= RASP_CIRCUIT_OUTPUT ? node_names[kind] : NULL;
}

const char *rasp_role_name(int role) {
    return role >= 0 && role <= RASP_ROLE_OUTPUT ? role_names[role] : NULL;
}

/* --- nodes ---------------------------------------------------------------------------------- */

/* Columns in the order of the node's outputs; the columns learn who writes them. */
static const uint32_t *take_columns(CircuitView *v, uint32_t node, const uint32_t *from,
                                    size_t count) {
    uint32_t *columns = ARENA_ARRAY(v->arena, count, uint32_t);
    for (size_t k = 0; k < count; k++) {
        columns[k] = from[k];
        v->columns[from[k]].node = node;
        v->columns[from[k]].index = (uint32_t)k;
    }
    return columns;
}

typedef struct NodeList {
    CircuitView *view;
    RaspCircuitNode *nodes;
    uint32_t count;
    uint32_t *scratch; /* a column each */
} NodeList;

static uint32_t add_node(NodeList *list, RaspCircuitKind kind, uint32_t index, uint32_t step,
                         size_t columns) {
    list->nodes[list->count] =
        (RaspCircuitNode){.kind = kind,
                          .index = index,
                          .step = step,
                          .columns = take_columns(list->view, list->count, list->scratch, columns),
                          .column_count = columns};
    return list->count++;
}

static void add_embedding(NodeList *list, RaspCircuitKind kind, Origin origin) {
    const Circuit *c = list->view->from;
    size_t count = 0;
    for (uint32_t p = 0; p < c->part_count; p++)
        if (c->parts[p].origin == origin && list->view->column_of[p] != RASP_NONE)
            list->scratch[count++] = list->view->column_of[p];
    if (count) add_node(list, kind, 0, 0, count);
}

static void add_heads(NodeList *list, uint32_t layer) {
    CircuitView *v = list->view;
    const Circuit *c = v->from;
    for (uint32_t h = 0; h < c->head_count; h++) {
        const RaspCircuitHead *head = &v->heads[h];
        if (c->heads[h].layer != layer) continue;
        for (size_t k = 0; k < head->component_count; k++)
            list->scratch[k] = head->components[k].column;
        v->heads[h].node =
            add_node(list, RASP_CIRCUIT_HEAD, h, view_step(v, layer, -1), head->component_count);
    }
}

static void add_sublayer(NodeList *list, uint32_t layer, uint32_t sublayer) {
    CircuitView *v = list->view;
    const Circuit *c = v->from;
    uint32_t step = view_step(v, layer, (int)sublayer);
    for (uint32_t t = 0; t < c->table_count; t++) {
        const RaspCircuitTable *table = &v->tables[t];
        if (c->tables[t].layer != layer || c->tables[t].sublayer != sublayer) continue;
        for (size_t k = 0; k < table->function_count; k++)
            list->scratch[k] = table->functions[k].column;
        v->tables[t].node = add_node(list, RASP_CIRCUIT_TABLE, t, step, table->function_count);
    }
    for (uint32_t k = 0; k < c->clear_count; k++)
        if (c->clears[k].layer == layer && c->clears[k].sublayer == sublayer)
            v->clears[k].node = add_node(list, RASP_CIRCUIT_CLEAR, k, step, 0);
}

static void list_nodes(CircuitView *v) {
    const Circuit *c = v->from;
    size_t most = 2 + (size_t)c->head_count + c->table_count + c->clear_count + c->output_count;
    NodeList list = {.view = v,
                     .nodes = ARENA_ARRAY(v->arena, most, RaspCircuitNode),
                     .scratch = ARENA_ARRAY(v->arena, c->part_count, uint32_t)};
    add_embedding(&list, RASP_CIRCUIT_TOKENS, FROM_TOKEN);
    add_embedding(&list, RASP_CIRCUIT_POSITIONS, FROM_POSITION);
    for (uint32_t l = 0; l < c->layer_count; l++) {
        add_heads(&list, l);
        for (uint32_t k = 0; k < c->layers[l].sublayer_count; k++) add_sublayer(&list, l, k);
    }
    for (uint32_t o = 0; o < c->output_count; o++)
        v->outputs[o].node =
            add_node(&list, RASP_CIRCUIT_OUTPUT, o, (uint32_t)v->made->step_count - 1, 0);
    v->made->nodes = list.nodes;
    v->made->node_count = list.count;
}

/* --- edges ---------------------------------------------------------------------------------- */

typedef struct EdgeList {
    CircuitView *view;
    RaspCircuitEdge *edges;
    size_t count, capacity;
    uint32_t *columns; /* that the reader being looked at reads in one role, as they come */
    size_t column_count, column_capacity;
} EdgeList;

static void read_form(EdgeList *list, RaspCircuitForm form) {
    list->columns = arena_grow(list->view->arena, list->columns, &list->column_capacity,
                               list->column_count + form.count, sizeof *list->columns);
    for (size_t k = 0; k < form.count; k++)
        list->columns[list->column_count++] = form.terms[k].column;
}

static int number_order(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static bool reads(RaspCircuitForm form, uint32_t column) {
    for (size_t k = 0; k < form.count; k++)
        if (form.terms[k].column == column) return true;
    return false;
}

/* The columns of the components whose value reads this one. */
static size_t components_reading(const EdgeList *list, const RaspCircuitHead *head, uint32_t column,
                                 const uint32_t **changes) {
    size_t count = 0;
    uint32_t *found = ARENA_ARRAY(list->view->arena, head->component_count, uint32_t);
    for (size_t k = 0; k < head->component_count; k++)
        if (reads(head->components[k].value, column)) found[count++] = head->components[k].column;
    *changes = found;
    return count;
}

/* The column that is the next to stand in the dimension of this one, which is cleared. */
static size_t column_behind(const EdgeList *list, uint32_t column, const uint32_t **changes) {
    const CircuitView *v = list->view;
    const RaspCircuitColumn *columns = v->columns, *gone = &columns[column];
    uint32_t *next = ARENA_NEW(v->arena, uint32_t);
    *next = RASP_NONE;
    for (uint32_t p = 0; p < v->made->column_count; p++)
        if (columns[p].dim == gone->dim && columns[p].written > gone->cleared &&
            (*next == RASP_NONE || columns[p].written < columns[*next].written))
            *next = p;
    *changes = next;
    return *next != RASP_NONE;
}

static void find_changes(const EdgeList *list, const RaspCircuitNode *to, RaspCircuitEdge *edge) {
    edge->changes = to->columns;
    edge->change_count = to->column_count;
    if (edge->role == RASP_ROLE_VALUE)
        edge->change_count =
            components_reading(list, &list->view->heads[to->index], edge->column, &edge->changes);
    if (edge->role == RASP_ROLE_CLEAR)
        edge->change_count = column_behind(list, edge->column, &edge->changes);
}

/* An edge for each column that was read, once. */
static void flush(EdgeList *list, uint32_t node, RaspRole role) {
    CircuitView *v = list->view;
    const RaspCircuitNode *to = &v->made->nodes[node];
    if (list->column_count == 0) return;
    qsort(list->columns, list->column_count, sizeof *list->columns, number_order);
    list->edges = arena_grow(v->arena, list->edges, &list->capacity,
                             list->count + list->column_count, sizeof *list->edges);
    for (size_t k = 0; k < list->column_count; k++) {
        uint32_t column = list->columns[k];
        if (k && column == list->columns[k - 1]) continue;
        RaspCircuitEdge *edge = &list->edges[list->count++];
        *edge = (RaspCircuitEdge){
            .from = v->columns[column].node, .to = node, .column = column, .role = role};
        find_changes(list, to, edge);
        if (role < RASP_ROLE_CLEAR) v->columns[column].read = to->step;
    }
    list->column_count = 0;
}

static void read_head(EdgeList *list, uint32_t node, uint32_t index) {
    const RaspCircuitHead *head = &list->view->heads[index];
    for (size_t k = 0; k < head->pair_count; k++) read_form(list, head->pairs[k].query);
    read_form(list, head->query);
    flush(list, node, RASP_ROLE_QUERY);
    for (size_t k = 0; k < head->pair_count; k++) read_form(list, head->pairs[k].key);
    read_form(list, head->key);
    flush(list, node, RASP_ROLE_KEY);
    for (size_t k = 0; k < head->component_count; k++) read_form(list, head->components[k].value);
    flush(list, node, RASP_ROLE_VALUE);
}

static void read_table(EdgeList *list, uint32_t node, uint32_t index) {
    read_form(list, list->view->tables[index].x);
    flush(list, node, RASP_ROLE_INPUT);
}

static void read_clear(EdgeList *list, uint32_t node, uint32_t index) {
    RaspCircuitTerm term = {list->view->clears[index].column, 1};
    read_form(list, (RaspCircuitForm){.terms = &term, .count = 1});
    flush(list, node, RASP_ROLE_CLEAR);
}

static void read_output(EdgeList *list, uint32_t node, uint32_t index) {
    const RaspCircuitOutput *output = &list->view->outputs[index];
    for (size_t f = 0; f < output->form_count; f++) read_form(list, output->forms[f]);
    flush(list, node, RASP_ROLE_OUTPUT);
}

static void list_edges(CircuitView *v) {
    static void (*const readers[])(EdgeList * list, uint32_t node,
                                   uint32_t index) = {[RASP_CIRCUIT_HEAD] = read_head,
                                                      [RASP_CIRCUIT_TABLE] = read_table,
                                                      [RASP_CIRCUIT_CLEAR] = read_clear,
                                                      [RASP_CIRCUIT_OUTPUT] = read_output};
    EdgeList list = {.view = v};
    for (uint32_t n = 0; n < v->made->node_count; n++) {
        const RaspCircuitNode *node = &v->made->nodes[n];
        if (readers[node->kind]) readers[node->kind](&list, n, node->index);
    }
    v->made->edges = list.edges;
    v->made->edge_count = list.count;
}

void view_nodes(CircuitView *v) {
    list_nodes(v);
    list_edges(v);
}

/* --- downstream ----------------------------------------------------------------------------- */

/* What an edge changes is written at its reader's step or later, and edges are in the order of
 * their readers: one pass finds all. */
void rasp_circuit_downstream(const RaspCircuit *circuit, bool below, bool *columns, bool *outputs) {
    for (size_t e = 0; e < circuit->edge_count; e++) {
        const RaspCircuitEdge *edge = &circuit->edges[e];
        if (!columns[edge->column] || (edge->role == RASP_ROLE_CLEAR && !below)) continue;
        for (size_t k = 0; k < edge->change_count; k++) columns[edge->changes[k]] = true;
        if (edge->role == RASP_ROLE_OUTPUT) outputs[circuit->nodes[edge->to].index] = true;
    }
}
