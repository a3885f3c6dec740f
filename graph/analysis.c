#include "graph/analysis.h"

#include <stdlib.h>

static bool attends(const Node *node) {
    return node->kind == NODE_AGGREGATE || node->kind == NODE_WIDTH;
}

bool selects_everything(const Graph *graph, NodeId selector) {
    const Node *node = graph_node(graph, selector);
    if (node->kind != NODE_SELECT) return false;
    const Node *key = graph_node(graph, node->arg[0]), *query = graph_node(graph, node->arg[1]);
    if (key->kind != NODE_CONSTANT || query->kind != NODE_CONSTANT) return false;
    if (!(ops[node->op].flags & OP_TOTAL) && !atom_comparable(key->atom, query->atom)) return false;
    return op_compare(node->op, key->atom, query->atom);
}

/* alike[id]: are all rows of the selector the same? */
static bool *find_alike(const Graph *graph, const bool *needed, Arena *arena) {
    uint32_t count = graph_count(graph);
    bool *alike = ARENA_ARRAY(arena, (size_t)count + 1, bool);
    for (NodeId id = 0; id < count; id++) {
        const Node *node = graph_node(graph, id);
        if (!needed[id] || !node_is_selector(node)) continue;
        if (node->kind == NODE_SELECT)
            alike[id] = graph_node(graph, node->arg[1])->kind == NODE_CONSTANT;
        else
            alike[id] = alike[node->arg[0]] && (node->arity == 1 || alike[node->arg[1]]);
    }
    return alike;
}

static int compare_heads(const void *a, const void *b) {
    const Head *x = a, *y = b;
    if (x->layer != y->layer) return x->layer < y->layer ? -1 : 1;
    return (x->selector > y->selector) - (x->selector < y->selector);
}

/* Equal (layer, selector) pairs become one. */
static size_t merge(Head *heads, size_t count) {
    size_t kept = 0;
    if (count) qsort(heads, count, sizeof *heads, compare_heads);
    for (size_t k = 0; k < count; k++) {
        if (kept && compare_heads(&heads[kept - 1], &heads[k]) == 0)
            heads[kept - 1].uses += heads[k].uses;
        else
            heads[kept++] = heads[k];
    }
    return kept;
}

static const Head *find_head(const Head *heads, size_t count, uint32_t layer, NodeId selector) {
    Head head = {layer, selector, 0};
    return count ? bsearch(&head, heads, count, sizeof head, compare_heads) : NULL;
}

typedef struct Search {
    const Graph *graph;
    const bool *needed, *alike;
    NodeId everything; /* stands for every selector that selects everything */
    Head *heads;
    size_t count;
} Search;

static NodeId representative(const Search *s, NodeId selector) {
    bool full = selector != NODE_NONE && selects_everything(s->graph, selector);
    return full ? s->everything : selector;
}

static void add_head(Search *s, uint32_t layer, NodeId selector) {
    s->heads[s->count++] = (Head){layer, representative(s, selector), 1};
}

/* The selectors of aggregates, and of widths that need a selection of their own. */
static void add_selecting(Search *s) {
    for (NodeId id = 0; id < graph_count(s->graph); id++) {
        const Node *node = graph_node(s->graph, id);
        if (!s->needed[id] || !attends(node)) continue;
        if (node->kind == NODE_AGGREGATE || !s->alike[node->arg[0]])
            add_head(s, node->depth, node->arg[0]);
    }
    s->count = merge(s->heads, s->count);
}

static void add_counting(Search *s) {
    size_t selecting = s->count;
    for (NodeId id = 0; id < graph_count(s->graph); id++) {
        const Node *node = graph_node(s->graph, id);
        if (!s->needed[id] || node->kind != NODE_WIDTH || !s->alike[node->arg[0]]) continue;
        bool shared = find_head(s->heads, selecting, node->depth, node->arg[0]);
        add_head(s, node->depth, shared ? node->arg[0] : s->everything);
    }
    s->count = merge(s->heads, s->count);
}

/* Once all heads are known: with its own selector, or the one that selects everything. */
static const uint32_t *assign_heads(const Search *s, Arena *arena) {
    uint32_t count = graph_count(s->graph), *head_of = ARENA_ARRAY(arena, count + 1, uint32_t);
    for (NodeId id = 0; id < count; id++) {
        const Node *node = graph_node(s->graph, id);
        head_of[id] = HEAD_NONE;
        if (!s->needed[id] || !attends(node)) continue;
        NodeId own = representative(s, node->arg[0]);
        const Head *head = find_head(s->heads, s->count, node->depth, own);
        if (!head) head = find_head(s->heads, s->count, node->depth, s->everything);
        head_of[id] = (uint32_t)(head - s->heads);
    }
    return head_of;
}

/* The first selector of the graph that selects everything: with the library, full_s. */
static NodeId find_everything(const Graph *graph) {
    for (NodeId id = 0; id < graph_count(graph); id++)
        if (selects_everything(graph, id)) return id;
    return NODE_NONE;
}

/* The argument that a node's depth comes from, where the depth is what is looked for. */
static NodeId deepest_argument(const Graph *graph, const Node *node) {
    NodeId deepest = node->arg[0];
    for (int k = 1; k < node->arity; k++)
        if (graph_node(graph, node->arg[k])->depth > graph_node(graph, deepest)->depth)
            deepest = node->arg[k];
    return deepest;
}

/* From an aggregate, what reaches one layer down: its values, or its selector's keys and
 * queries. */
static NodeId source_of(const Graph *graph, const Node *node) {
    NodeId selector = node->arg[0];
    if (node->kind == NODE_AGGREGATE && graph_node(graph, node->arg[1])->depth + 1 == node->depth)
        return node->arg[1];
    while (graph_node(graph, selector)->kind != NODE_SELECT)
        selector = deepest_argument(graph, graph_node(graph, selector));
    return deepest_argument(graph, graph_node(graph, selector));
}

static const NodeId *find_path(const Graph *graph, NodeId root, Arena *arena) {
    uint32_t depth = graph_node(graph, root)->depth;
    NodeId *path = ARENA_ARRAY(arena, (size_t)depth + 1, NodeId);
    for (NodeId at = root; depth > 0; depth--) {
        while (!attends(graph_node(graph, at))) at = deepest_argument(graph, graph_node(graph, at));
        path[depth - 1] = at;
        at = source_of(graph, graph_node(graph, at));
    }
    return path;
}

Layers analyse_layers(const Graph *graph, const NodeId *roots, size_t count, Arena *arena) {
    Search s = {.graph = graph, .needed = graph_needed(graph, roots, count, arena)};
    s.alike = find_alike(graph, s.needed, arena);
    s.everything = find_everything(graph);
    size_t most = 0;
    for (NodeId id = 0; id < graph_count(graph); id++)
        most += s.needed[id] && attends(graph_node(graph, id));
    s.heads = ARENA_ARRAY(arena, most + 1, Head);
    add_selecting(&s);
    add_counting(&s);
    NodeId deepest = count ? roots[0] : NODE_NONE;
    for (size_t k = 1; k < count; k++)
        if (graph_node(graph, roots[k])->depth > graph_node(graph, deepest)->depth)
            deepest = roots[k];
    return (Layers){.count = count ? graph_node(graph, deepest)->depth : 0,
                    .heads = s.heads,
                    .head_count = s.count,
                    .head_of = assign_heads(&s, arena),
                    .alike = s.alike,
                    .path = count ? find_path(graph, deepest, arena) : NULL};
}
