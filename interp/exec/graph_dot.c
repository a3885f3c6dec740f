#include "interp/exec/graph_dot.h"

#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_SHOWN = 40, POSITIONS_SHOWN = 32, LEAVES_SHOWN = 4 };

typedef struct Picture {
    const Drawing *drawing;
    const Graph *graph;
    Arena *arena;
    FILE *out;
    bool *needed;
    uint32_t *users;  /* how many nodes use this one, and … */
    bool *elementary; /* … are all of them elementwise? */
    const char **label;
    size_t shown; /* positions */
    Fault *fault;
} Picture;

static const Node *node_at(const Picture *p, NodeId id) {
    return graph_node(p->graph, id);
}

static bool attends(const Node *node) {
    return node->kind == NODE_AGGREGATE || node->kind == NODE_WIDTH;
}

static bool is_elementwise(const Node *node) {
    return node->kind == NODE_MAP || node->kind == NODE_LOOKUP || node->kind == NODE_TOKENS ||
           node->kind == NODE_INDICES;
}

/* --- what is shown ---------------------------------------------------------------------- */

static void count_users(Picture *p) {
    uint32_t count = graph_count(p->graph);
    p->users = ARENA_ARRAY(p->arena, count, uint32_t);
    p->elementary = ARENA_ARRAY(p->arena, count, bool);
    memset(p->elementary, true, count);
    for (NodeId id = 0; id < count; id++) {
        const Node *node = node_at(p, id);
        for (int k = 0; p->needed[id] && k < node->arity; k++) {
            p->users[node->arg[k]]++;
            p->elementary[node->arg[k]] &= is_elementwise(node);
        }
    }
}

static bool is_minor(const Picture *p, NodeId id) {
    const Node *node = node_at(p, id);
    if (id == p->drawing->root) return false;
    if (node->kind == NODE_CONSTANT) return true;
    bool made = node->kind == NODE_MAP || node->kind == NODE_LOOKUP;
    return made && !node->name && p->users[id] == 1 && p->elementary[id];
}

/* Nodes of one name are told apart by _0, _1, … in the order in which they were made. */
static void label_nodes(Picture *p) {
    uint32_t count = graph_count(p->graph);
    p->label = ARENA_ARRAY(p->arena, count, const char *);
    for (NodeId id = 0; id < count; id++) {
        if (!p->needed[id]) continue;
        const Str *name = node_at(p, id)->name;
        p->label[id] = name ? name->text : graph_text(p->graph, id, NAME_SHOWN, p->arena);
    }
    for (NodeId id = 0; id < count; id++) {
        const char *own = p->label[id];
        unsigned same = 0;
        if (!own || node_at(p, id)->kind == NODE_CONSTANT) continue;
        for (NodeId other = id + 1; other < count; other++)
            if (p->label[other] && strcmp(own, p->label[other]) == 0)
                p->label[other] = arena_format(p->arena, "%s_%u", own, ++same);
        if (same) p->label[id] = arena_format(p->arena, "%s_0", own);
    }
}

/* --- cells ------------------------------------------------------------------------------ */

/* Text in an HTML-like label. */
static void put_text(const Picture *p, const char *text) {
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '&')
            fputs("&amp;", p->out);
        else if (c == '<')
            fputs("&lt;", p->out);
        else if (c == '>')
            fputs("&gt;", p->out);
        else if (c == '"')
            fputs("&quot;", p->out);
        else if (c == ' ')
            fputs("&#160;", p->out);
        else
            fputc(c < 0x20 || c == 0x7f ? '?' : c, p->out);
    }
}

static void put_cell(const Picture *p, const char *attributes, const char *text) {
    fprintf(p->out, "<TD%s>", attributes);
    put_text(p, text);
    fputs("</TD>", p->out);
}

static void put_value(const Picture *p, const Column *column, size_t i) {
    Atom atom = column_at(column, i);
    if (atom.kind == ATOM_FLOAT) atom.f = float_round(atom.f, 3);
    put_cell(p, "", atom_show(atom, ATOM_CELL, p->arena));
}

/* A row `name  v0 v1 …`, the name over `span` columns. */
static bool put_row(const Picture *p, const char *name, NodeId node, size_t span,
                    const char *colour) {
    const Column *column = exec_column(p->drawing->exec, node, p->fault);
    if (!column) return false;
    fprintf(p->out, "<TR><TD ALIGN=\"LEFT\" BGCOLOR=\"%s\" COLSPAN=\"%zu\">", colour, span);
    put_text(p, name);
    fputs("</TD>", p->out);
    for (size_t i = 0; i < p->shown; i++) put_value(p, column, i);
    if (p->shown < p->drawing->length) put_cell(p, "", "...");
    fputs("</TR>\n", p->out);
    return true;
}

static void begin_table(const Picture *p, const char *name, const char *title, size_t width) {
    fprintf(p->out,
            "    %s [label=<<TABLE BORDER=\"0\" CELLBORDER=\"1\" CELLSPACING=\"0\">\n"
            "<TR><TD BGCOLOR=\"#dddddd\" COLSPAN=\"%zu\">",
            name, width);
    put_text(p, title);
    fputs("</TD></TR>\n", p->out);
}

static void end_table(const Picture *p) {
    fputs("</TABLE>>];\n", p->out);
}

/* --- heads ------------------------------------------------------------------------------ */

/* The comparisons that a selector is made of, the first few. */
static size_t find_leaves(const Picture *p, NodeId selector, NodeId *leaves, size_t count) {
    const Node *node = node_at(p, selector);
    if (count == LEAVES_SHOWN) return count;
    if (node->kind == NODE_SELECT) {
        leaves[count] = selector;
        return count + 1;
    }
    for (int k = 0; k < node->arity; k++) count = find_leaves(p, node->arg[k], leaves, count);
    return count;
}

/* Row i: the queries at i, and which keys they select. */
static bool put_selection(const Picture *p, NodeId selector, const NodeId *leaves, size_t count) {
    const bool *cells = exec_matrix(p->drawing->exec, selector, p->fault);
    const Column *query[LEAVES_SHOWN];
    for (size_t k = 0; cells && k < count; k++)
        if (!(query[k] = exec_column(p->drawing->exec, node_at(p, leaves[k])->arg[1], p->fault)))
            return false;
    if (!cells) return false;
    for (size_t i = 0; i < p->shown; i++) {
        fputs("<TR>", p->out);
        for (size_t k = 0; k < count; k++) put_value(p, query[k], i);
        for (size_t j = 0; j < p->shown; j++)
            put_cell(p, cells[i * p->drawing->length + j] ? " BGCOLOR=\"#88bbee\"" : "", "");
        fputs("</TR>\n", p->out);
    }
    return true;
}

static bool put_result(const Picture *p, NodeId id, size_t span) {
    const Node *node = node_at(p, id);
    if (node->kind == NODE_AGGREGATE) {
        const char *fallback = atom_same(node->atom, atom_int(0))
                                   ? ""
                                   : arena_format(p->arena, ", default %s",
                                                  atom_show(node->atom, ATOM_QUOTED, p->arena));
        const char *name = arena_format(p->arena, "%s%s", p->label[node->arg[1]], fallback);
        if (!put_row(p, name, node->arg[1], span, "#ffffff")) return false;
    }
    return put_row(p, p->label[id], id, span, "#ffeeaa");
}

static bool put_head(const Picture *p, NodeId selector, uint32_t layer) {
    NodeId leaves[LEAVES_SHOWN];
    size_t count = find_leaves(p, selector, leaves, 0);
    bool cut = p->shown < p->drawing->length;
    begin_table(p, arena_format(p->arena, "h%u_%u", layer, selector),
                graph_text(p->graph, selector, NAME_SHOWN, p->arena), count + p->shown + cut);
    for (size_t k = 0; k < count; k++) {
        NodeId key = node_at(p, leaves[k])->arg[0], query = node_at(p, leaves[k])->arg[1];
        const char *name =
            arena_format(p->arena, "key %s, query %s", p->label[key], p->label[query]);
        if (!put_row(p, name, key, count, "#ffffff")) return false;
    }
    if (!put_selection(p, selector, leaves, count)) return false;
    for (NodeId id = 0; id < graph_count(p->graph); id++) {
        const Node *node = node_at(p, id);
        bool here = p->needed[id] && attends(node) && node->depth == layer;
        if (here && node->arg[0] == selector && !put_result(p, id, count)) return false;
    }
    end_table(p);
    return true;
}

/* --- layers ----------------------------------------------------------------------------- */

/* Is the node the first of its layer to use its selector? */
static bool opens_head(const Picture *p, NodeId id) {
    const Node *node = node_at(p, id);
    if (!p->needed[id] || !attends(node)) return false;
    for (NodeId other = 0; other < id; other++) {
        const Node *before = node_at(p, other);
        if (p->needed[other] && attends(before) && before->arg[0] == node->arg[0] &&
            before->depth == node->depth)
            return false;
    }
    return true;
}

static bool put_heads(const Picture *p, uint32_t layer) {
    for (NodeId id = 0; id < graph_count(p->graph); id++)
        if (node_at(p, id)->depth == layer && opens_head(p, id))
            if (!put_head(p, node_at(p, id)->arg[0], layer)) return false;
    return true;
}

static bool put_elementwise(const Picture *p, uint32_t layer) {
    bool cut = p->shown < p->drawing->length;
    begin_table(p, arena_format(p->arena, "e%u", layer), "elementwise", 1 + p->shown + cut);
    for (NodeId id = 0; id < graph_count(p->graph); id++) {
        const Node *node = node_at(p, id);
        bool here = p->needed[id] && node->depth == layer && !is_minor(p, id);
        if (!here || !(is_elementwise(node) || node->kind == NODE_CONSTANT)) continue;
        bool root = id == p->drawing->root;
        if (!put_row(p, p->label[id], id, 1, root ? "#ffcc66" : "#ffffff")) return false;
    }
    end_table(p);
    return true;
}

static bool put_layer(const Picture *p, uint32_t layer) {
    fprintf(p->out, "  subgraph cluster_%u {\n    label=\"%s %u\";\n", layer,
            layer ? "layer" : "input, layer", layer);
    if (layer && !put_heads(p, layer)) return false;
    if (!put_elementwise(p, layer)) return false;
    fputs("  }\n", p->out);
    return true;
}

/* From a layer's elementwise table to the heads of the next, and from those to theirs. */
static void put_edges(const Picture *p) {
    for (NodeId id = 0; id < graph_count(p->graph); id++) {
        const Node *node = node_at(p, id);
        if (!opens_head(p, id)) continue;
        fprintf(p->out, "  e%u -> h%u_%u;\n", node->depth - 1, node->depth, node->arg[0]);
        fprintf(p->out, "  h%u_%u -> e%u;\n", node->depth, node->arg[0], node->depth);
    }
}

bool graph_dot(FILE *out, const Drawing *drawing, Arena *arena, Fault *fault) {
    Picture p = {.drawing = drawing,
                 .graph = drawing->graph,
                 .arena = arena,
                 .out = out,
                 .needed = graph_needed(drawing->graph, &drawing->root, 1, arena),
                 .fault = fault};
    p.shown = drawing->length < POSITIONS_SHOWN ? drawing->length : POSITIONS_SHOWN;
    count_users(&p);
    label_nodes(&p);
    fputs("digraph {\n  graph [fontname=\"monospace\", label=<", out);
    put_text(&p, drawing->title);
    fputs(">, labelloc=t];\n  node [shape=plain, fontname=\"monospace\"];\n", out);
    for (uint32_t layer = 0; layer <= node_at(&p, drawing->root)->depth; layer++)
        if (!put_layer(&p, layer)) return false;
    put_edges(&p);
    fputs("}\n", out);
    return true;
}
