#include "graph/graph.h"

#include "base/table.h"

#include <string.h>

struct Graph {
    Arena *arena;
    Intern *intern;
    Node *node;
    size_t count, capacity;
    Table table;  /* over node, by node_hash */
    uint32_t own; /* see graph_begin_program */
    bool notes;   /* see graph_notes */
};

Graph *graph_new(Arena *arena, Intern *intern) {
    Graph *graph = ARENA_NEW(arena, Graph);
    graph->arena = arena;
    graph->intern = intern;
    graph->table = table_new(arena, 128);
    graph->own = UINT32_MAX;
    return graph;
}

Intern *graph_intern(const Graph *graph) {
    return graph->intern;
}
Arena *graph_arena(const Graph *graph) {
    return graph->arena;
}
uint32_t graph_count(const Graph *graph) {
    return (uint32_t)graph->count;
}
const Node *graph_node(const Graph *graph, NodeId id) {
    return &graph->node[id];
}

static bool has_atom(NodeKind kind) {
    return kind == NODE_CONSTANT || kind == NODE_AGGREGATE;
}

static uint64_t node_hash(const Node *node) {
    uint64_t hash = 0xcbf29ce484222325u;
    uint64_t parts[] = {node->kind,
                        node->op,
                        node->tokens,
                        node->arg[0],
                        node->arg[1],
                        node->arg[2],
                        node->lookup ? node->lookup->hash : 0,
                        has_atom(node->kind) ? atom_hash(node->atom) + node->atom.kind : 0};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        hash = (hash ^ parts[k]) * 0x9e3779b97f4a7c15u, hash ^= hash >> 29;
    return hash;
}

static bool node_same(const Node *a, const Node *b) {
    if (a->kind != b->kind || a->op != b->op || a->tokens != b->tokens) return false;
    if (memcmp(a->arg, b->arg, sizeof a->arg) != 0) return false;
    if (has_atom(a->kind) && !atom_same(a->atom, b->atom)) return false;
    return a->lookup == b->lookup || (a->lookup && b->lookup && lookup_same(a->lookup, b->lookup));
}

static uint64_t entry_hash(const void *nodes, uint32_t id) {
    return node_hash(&((const Node *)nodes)[id]);
}

static uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

static uint32_t node_depth(const Graph *graph, const Node *node) {
    uint32_t depth[OP_MAX_ARITY] = {0}, most = 0;
    for (int k = 0; k < node->arity; k++)
        most = larger(most, depth[k] = graph->node[node->arg[k]].depth);
    if (node->kind == NODE_SELECT) return most + 1;
    if (node->kind == NODE_AGGREGATE) return larger(depth[0], depth[1] + 1);
    return most;
}

static bool is_own(const Graph *graph, Span span) {
    return span.begin >= graph->own;
}

void graph_begin_program(Graph *graph, uint32_t own) {
    graph->own = own;
}

void graph_notes(Graph *graph, bool notes) {
    graph->notes = notes;
}

static NodeId add(Graph *graph, Node node) {
    if (graph->notes) node.span = SPAN_NONE;
    for (int k = node.arity; k < OP_MAX_ARITY; k++) node.arg[k] = NODE_NONE;
    Table *table = &graph->table;
    if (table_full(table, graph->count))
        table_grow(table, graph->arena, graph->count, entry_hash, graph->node);
    size_t at = table_start(table, node_hash(&node));
    for (NodeId id; (id = table_entry(table, at)) != TABLE_NONE; at = table_next(table, at))
        if (node_same(&graph->node[id], &node)) {
            Span *span = &graph->node[id].span;
            if (!is_own(graph, *span) && is_own(graph, node.span)) *span = node.span;
            return id;
        }
    graph->node =
        arena_grow(graph->arena, graph->node, &graph->capacity, graph->count + 1, sizeof node);
    node.depth = node_depth(graph, &node);
    graph->node[graph->count] = node;
    table_put(table, at, graph->count);
    return (NodeId)graph->count++;
}

NodeId graph_tokens(Graph *graph, TokenType type, Span span) {
    return add(graph, (Node){.kind = NODE_TOKENS, .tokens = type, .span = span});
}

NodeId graph_indices(Graph *graph, Span span) {
    return add(graph, (Node){.kind = NODE_INDICES, .span = span});
}

NodeId graph_constant(Graph *graph, Atom atom, Span span) {
    return add(graph, (Node){.kind = NODE_CONSTANT, .atom = atom, .span = span});
}

NodeId graph_map(Graph *graph, OpId op, const NodeId *args, Span span) {
    Node node = {.kind = NODE_MAP, .op = op, .arity = ops[op].arity, .span = span};
    for (int k = 0; k < node.arity; k++) node.arg[k] = args[k];
    return add(graph, node);
}

NodeId graph_lookup(Graph *graph, const Lookup *lookup, NodeId at, Span span) {
    return add(
        graph,
        (Node){.kind = NODE_LOOKUP, .arity = 1, .arg = {at}, .lookup = lookup, .span = span});
}

NodeId graph_select(Graph *graph, OpId comparison, NodeId key, NodeId query, Span span) {
    return add(
        graph,
        (Node){
            .kind = NODE_SELECT, .op = comparison, .arity = 2, .arg = {key, query}, .span = span});
}

static NodeId combine(Graph *graph, NodeKind kind, NodeId a, NodeId b, Span span) {
    return add(graph, (Node){.kind = kind, .arity = 2, .arg = {a, b}, .span = span});
}

NodeId graph_and(Graph *graph, NodeId a, NodeId b, Span span) {
    return combine(graph, NODE_AND, a, b, span);
}

NodeId graph_or(Graph *graph, NodeId a, NodeId b, Span span) {
    return combine(graph, NODE_OR, a, b, span);
}

NodeId graph_not(Graph *graph, NodeId a, Span span) {
    return add(graph, (Node){.kind = NODE_NOT, .arity = 1, .arg = {a}, .span = span});
}

NodeId graph_aggregate(Graph *graph, NodeId selector, NodeId values, Atom fallback, Span span) {
    return add(graph, (Node){.kind = NODE_AGGREGATE,
                             .arity = 2,
                             .arg = {selector, values},
                             .atom = fallback,
                             .span = span});
}

NodeId graph_width(Graph *graph, NodeId selector, Span span) {
    return add(graph, (Node){.kind = NODE_WIDTH, .arity = 1, .arg = {selector}, .span = span});
}

void graph_shrink(Graph *graph, uint32_t count) {
    graph->count = count;
    table_fill(&graph->table, count, entry_hash, graph->node);
}

void graph_name(Graph *graph, NodeId id, const Str *name, Span at) {
    Node *node = &graph->node[id];
    bool own = is_own(graph, at);
    if (node->name && (node->is_own || !own)) return;
    node->name = name;
    node->is_own = own;
}

bool *graph_needed(const Graph *graph, const NodeId *roots, size_t count, Arena *arena) {
    bool *needed = ARENA_ARRAY(arena, graph->count + 1, bool);
    for (size_t k = 0; k < count; k++) needed[roots[k]] = true;
    for (size_t id = graph->count; id-- > 0;)
        for (int k = 0; needed[id] && k < graph->node[id].arity; k++)
            needed[graph->node[id].arg[k]] = true;
    return needed;
}
