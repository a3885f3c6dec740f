#include "compile/remarks.h"

#include "compile/compile_trace.h"
#include "graph/kinds.h"
#include "graph/token.h"
#include "graph/traps.h"

#include <string.h>

typedef struct Finder {
    Values *values;
    const Graph *graph;
    const Kinds *kinds;
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

/* Of the alphabet, not of the inputs of the domain, which may lack a token for good reason. */
static bool token_can_be(const Finder *f, TokenType type, Atom atom) {
    const Domain *domain = values_domain(f->values);
    for (uint32_t k = 0; k < domain->alphabet_size; k++) {
        Atom token;
        FaultId fault = token_convert(type, domain->alphabet[k], graph_intern(f->graph), &token);
        if (fault == FAULT_NONE && atom_equal(token, atom)) return true;
    }
    return false;
}

/* --- strings and numbers ---------------------------------------------------------------- */

/* Are all its values strings (1), or numbers (0)?  -1: neither. */
static int values_kind(const NodeValues *v) {
    uint32_t strings = 0;
    for (uint32_t k = 0; v && k < v->count; k++) strings += v->levels[k].kind == ATOM_STRING;
    return !v || v->count == 0 ? -1 : strings == v->count ? 1 : strings == 0 ? 0 : -1;
}

static bool is_open(const Kinds *kinds) {
    return kinds->strings && kinds->numbers;
}

/* What the graph leaves open: one side holds strings on this alphabet, one numbers. */
static bool look_at_kinds(Finder *f, const Node *node) {
    if (!is_open(&f->kinds[node->arg[0]]) && !is_open(&f->kinds[node->arg[1]])) return false;
    int a = values_kind(values_of(f->values, node->arg[0]));
    int b = values_kind(values_of(f->values, node->arg[1]));
    if (a < 0 || b < 0 || a == b) return false;
    add(f, node->span, trap_text(f->graph, node, b, f->arena));
    return true;
}

/* The traps that the graph shows; afterwards true for their nodes. */
static bool *look_at_graph(Finder *f, const NodeId *roots, size_t root_count) {
    size_t count;
    bool *trapped = ARENA_ARRAY(f->arena, (size_t)graph_count(f->graph) + 1, bool);
    f->kinds = graph_kinds(f->graph, f->arena);
    const Trap *traps = traps_find(f->graph, roots, root_count, &count, f->arena);
    for (size_t k = 0; k < count; k++) {
        add(f, graph_node(f->graph, traps[k].node)->span, traps[k].text);
        trapped[traps[k].node] = true;
    }
    return trapped;
}

/* --- literals and constants ------------------------------------------------------------- */

/* A literal that tokens are compared with, and never equal. */
static void look_at_pair(Finder *f, const Node *node, NodeId tokens, NodeId literal) {
    const Node *t = graph_node(f->graph, tokens), *l = graph_node(f->graph, literal);
    if (t->kind != NODE_TOKENS || t->tokens == TOKENS_BOOL || l->kind != NODE_CONSTANT) return;
    if (token_can_be(f, t->tokens, l->atom)) return;
    const char *text = atom_show(l->atom, ATOM_QUOTED, f->arena);
    add(f, node->span,
        arena_format(f->arena, "%s is used, but no token of the alphabet is %s", text, text));
}

static void look_at_set(Finder *f, const Node *node) {
    const Node *t = graph_node(f->graph, node->arg[0]);
    if (t->kind != NODE_TOKENS || node->lookup->count == 0) return;
    for (uint32_t k = 0; k < node->lookup->count; k++)
        if (token_can_be(f, t->tokens, node->lookup->keys[k])) return;
    add(f, node->span, "no token of the alphabet is in this list");
}

static void look_at_node(Finder *f, const Node *node) {
    bool compares = node->kind == NODE_MAP || node->kind == NODE_SELECT;
    if (compares && (node->op == OP_EQ || node->op == OP_NE)) {
        if (look_at_kinds(f, node)) return;
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
    const bool *trapped = look_at_graph(&f, roots, root_count);
    for (NodeId id = 0; id < nodes; id++) {
        Node node = *graph_node(f.graph, id);
        if (needed[id] && !trapped[id]) look_at_node(&f, &node);
    }
    for (size_t k = 0; k < output_count; k++)
        if (!trapped[outputs[k].node]) look_at_output(&f, &outputs[k]);
    *count = f.count;
    return f.list;
}
