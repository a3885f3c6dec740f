#include "compile/labels.h"

#include "graph/label.h"

typedef struct Roots {
    const Graph *graph;
    NodeId *nodes;
    size_t count;
} Roots;

/* What has a name is called by it. */
static void add_unnamed(Roots *roots, NodeId node) {
    if (!graph_node(roots->graph, node)->name) roots->nodes[roots->count++] = node;
}

static size_t most_roots(const Circuit *c) {
    size_t most = (size_t)c->part_count + c->head_count + c->table_count;
    for (uint32_t h = 0; h < c->head_count; h++) most += c->heads[h].component_count;
    for (uint32_t t = 0; t < c->table_count; t++) most += c->tables[t].output_count;
    return most;
}

Labels labels_new(const Circuit *c, Arena *arena) {
    Roots roots = {c->graph, ARENA_ARRAY(arena, most_roots(c), NodeId), 0};
    for (uint32_t p = 0; p < c->part_count; p++) add_unnamed(&roots, c->parts[p].node);
    for (uint32_t h = 0; h < c->head_count; h++) {
        const CircuitHead *head = &c->heads[h];
        roots.nodes[roots.count++] = head->selector;
        for (uint32_t k = 0; k < head->component_count; k++)
            add_unnamed(&roots, head->components[k].node);
    }
    for (uint32_t t = 0; t < c->table_count; t++) {
        const CircuitTable *table = &c->tables[t];
        add_unnamed(&roots, table->x);
        for (uint32_t k = 0; k < table->output_count; k++)
            add_unnamed(&roots, table->outputs[k].node);
    }
    Labels labels = {.graph = c->graph, .arena = arena};
    labels.number = graph_label_numbers(c->graph, roots.nodes, roots.count, &labels.shared, arena);
    return labels;
}

const char *labels_text(const Labels *labels, NodeId node) {
    return graph_label(labels->graph, node, labels->number, labels->arena);
}

const char *labels_name(const Labels *labels, NodeId node) {
    const Str *name = graph_node(labels->graph, node)->name;
    return name ? name->text : labels_text(labels, node);
}

const char **labels_shared(const Labels *labels) {
    const char **texts = ARENA_ARRAY(labels->arena, labels->shared, const char *);
    for (NodeId id = 0; id < graph_count(labels->graph); id++)
        if (labels->number[id] != LABEL_NONE) texts[labels->number[id]] = labels_text(labels, id);
    return texts;
}
