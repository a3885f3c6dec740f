#include "compile/remarks.h"

#include "compile/compile_trace.h"

#include <string.h>

typedef struct Finder {
    Values *values;
    const Graph *graph;
    Arena *arena;
    Remark *list;
    size_t count, capacity;
} Finder;

static void add(Finder *f, Span span, const char *text) {
    for (size_t k = 0; k < f->count; k++)
        if (f->list[k].span.begin == span.begin && strcmp(f->list[k].text, text) == 0) return;
    f->list = arena_grow(f->arena, f->list, &f->capacity, f->count + 1, sizeof *f->list);
    f->list[f->count++] = (Remark){span, text};
}

static bool can_be(const NodeValues *v, Atom atom) {
    for (uint32_t k = 0; k < v->count; k++)
        if (atom_equal(v->levels[k], atom)) return true;
    return false;
}

/* A literal that tokens are compared with, and never equal. */
static void look_at_pair(Finder *f, const Node *node, NodeId tokens, NodeId literal) {
    const Node *t = graph_node(f->graph, tokens), *l = graph_node(f->graph, literal);
    if (t->kind != NODE_TOKENS || t->tokens == TOKENS_BOOL || l->kind != NODE_CONSTANT) return;
    const NodeValues *v = values_of(f->values, tokens);
    if (!v || can_be(v, l->atom)) return;
    const char *text = atom_show(l->atom, ATOM_QUOTED, f->arena);
    add(f, node->span,
        arena_format(f->arena, "%s is used, but no token of the alphabet is %s", text, text));
}

static void look_at_set(Finder *f, const Node *node) {
    const NodeValues *v = values_of(f->values, node->arg[0]);
    bool any = !v || node->lookup->count == 0;
    for (uint32_t k = 0; !any && k < node->lookup->count; k++)
        any = can_be(v, node->lookup->keys[k]);
    if (!any && graph_node(f->graph, node->arg[0])->kind == NODE_TOKENS)
        add(f, node->span, "no token of the alphabet is in this list");
}

static void look_at_node(Finder *f, const Node *node) {
    bool compares = node->kind == NODE_MAP || node->kind == NODE_SELECT;
    if (compares && (node->op == OP_EQ || node->op == OP_NE)) {
        look_at_pair(f, node, node->arg[0], node->arg[1]);
        look_at_pair(f, node, node->arg[1], node->arg[0]);
    } else if (node->kind == NODE_LOOKUP && node->lookup->kind == LOOKUP_SET)
        look_at_set(f, node);
}

/* A constant that the program spells out is meant to be one. */
static void look_at_output(Finder *f, const CompileOutput *output) {
    const Node *node = graph_node(f->graph, output->node);
    const NodeValues *v = values_of(f->values, output->node);
    if (!v || v->count != 1 || node->kind == NODE_CONSTANT) return;
    add(f, node->span,
        arena_format(f->arena, "'%s' is %s on every input", output->name,
                     atom_show(v->levels[0], ATOM_QUOTED, f->arena)));
}

const Remark *remarks_find(const Compiled *compiled, const CompileOutput *outputs,
                           size_t output_count, size_t *count, Arena *arena) {
    Values *values = compiled->trace->values;
    Finder f = {.values = values, .graph = values_graph(values), .arena = arena};
    NodeId *roots = ARENA_ARRAY(arena, output_count + 1, NodeId);
    for (size_t k = 0; k < output_count; k++) roots[k] = outputs[k].node;
    size_t root_count = output_count;
    NodeId where = values_domain(values)->where;
    if (where != NODE_NONE) roots[root_count++] = where;
    uint32_t nodes = graph_count(f.graph);
    const bool *needed = graph_needed(f.graph, roots, root_count, arena);
    for (NodeId id = 0; id < nodes; id++) {
        Node node = *graph_node(f.graph, id);
        if (needed[id]) look_at_node(&f, &node);
    }
    for (size_t k = 0; k < output_count; k++) look_at_output(&f, &outputs[k]);
    *count = f.count;
    return f.list;
}
