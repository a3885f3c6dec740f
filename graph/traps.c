#include "graph/traps.h"

#include "graph/kinds.h"

#include <math.h>

typedef struct Finder {
    const Graph *graph;
    const Kinds *kinds;
    Arena *arena;
    Trap *list;
    size_t count, capacity;
} Finder;

static void add(Finder *f, NodeId node, const char *text) {
    f->list = arena_grow(f->arena, f->list, &f->capacity, f->count + 1, sizeof *f->list);
    f->list[f->count++] = (Trap){node, text};
}

/* --- a string and a number -------------------------------------------------------------- */

/* What comes of it. */
static const char *effect(const Node *node) {
    bool equal = node->op == OP_EQ;
    if (node->kind == NODE_SELECT)
        return equal ? "this selects nothing" : "this selects everything";
    return equal ? "this is False everywhere" : "this is True everywhere";
}

/* The tokens as what they are compared with. */
static const char *fitting_tokens(const Node *number) {
    if (number->kind != NODE_CONSTANT) return "tokens_int";
    return number->atom.kind == ATOM_BOOL    ? "tokens_bool"
           : number->atom.kind == ATOM_FLOAT ? "tokens_float"
                                             : "tokens_int";
}

static bool reads_as_number(Atom atom) {
    double value;
    return atom.kind == ATOM_STRING && read_float(atom.s->text, atom.s->length, &value);
}

static const char *way_out(const Graph *graph, const Node *node, int strings, Arena *arena) {
    const Node *s = graph_node(graph, node->arg[strings]);
    const Node *n = graph_node(graph, node->arg[!strings]);
    const char *op = ops[node->op].spelling;
    if (n->kind == NODE_MAP && n->op == OP_NOT)
        return arena_format(arena, ": 'not' binds tighter than '%s', write not (... %s ...)", op,
                            op);
    if (s->kind == NODE_TOKENS)
        return arena_format(arena, ": tokens are strings, use %s", fitting_tokens(n));
    if (n->kind == NODE_CONSTANT)
        return arena_format(arena,
                            ": compare with a string, \"%s\", or make the other side of "
                            "tokens_int",
                            atom_show(n->atom, ATOM_PLAIN, arena));
    if (s->kind == NODE_CONSTANT && reads_as_number(s->atom))
        return arena_format(arena, ": write %s without quotes",
                            atom_show(s->atom, ATOM_PLAIN, arena));
    return "";
}

const char *trap_text(const Graph *graph, const Node *node, int strings, Arena *arena) {
    return arena_format(arena, "a string never equals a number, so %s%s", effect(node),
                        way_out(graph, node, strings, arena));
}

static void look_at_comparison(Finder *f, NodeId id, const Node *node) {
    const Kinds *a = &f->kinds[node->arg[0]], *b = &f->kinds[node->arg[1]];
    if ((node->op != OP_EQ && node->op != OP_NE) || kinds_meet(a, b)) return;
    if (a->strings != b->strings) add(f, id, trap_text(f->graph, node, b->strings, f->arena));
}

static void look_at_set(Finder *f, NodeId id, const Node *node) {
    const Kinds *kinds = &f->kinds[node->arg[0]];
    if (node->lookup->count == 0)
        add(f, id,
            "nothing is in an empty list, and no value equals a list: 'in' asks whether it is in "
            "one");
    bool strings = false, numbers = false;
    for (uint32_t k = 0; k < node->lookup->count; k++) {
        bool string = node->lookup->keys[k].kind == ATOM_STRING;
        strings |= string, numbers |= !string;
    }
    if (strings == numbers || kinds->strings == kinds->numbers || kinds->strings == strings) return;
    bool tokens = graph_node(f->graph, node->arg[0])->kind == NODE_TOKENS && kinds->strings;
    add(f, id,
        arena_format(f->arena, "a string never equals a number, so nothing is 'in' this list%s",
                     tokens ? ": tokens are strings, use tokens_int" : ""));
}

/* --- a literal for a condition ---------------------------------------------------------- */

/* `tokens == "a" or "b"`. */
static void look_at_literal(Finder *f, NodeId id, const Node *node, int k) {
    const Node *literal = graph_node(f->graph, node->arg[k]);
    if (literal->kind != NODE_CONSTANT || literal->atom.kind == ATOM_BOOL) return;
    const char *text = atom_show(literal->atom, ATOM_QUOTED, f->arena);
    const char *op = ops[node->op].spelling;
    add(f, id,
        arena_format(f->arena,
                     "%s stands for %s beside '%s': compare on both sides, as in x == 1 %s x == 2",
                     text, atom_truth(literal->atom) ? "True" : "False", op, op));
}

/* --- all of them ------------------------------------------------------------------------ */

static void look_at_node(Finder *f, NodeId id, const Node *node) {
    bool map = node->kind == NODE_MAP;
    if (map || node->kind == NODE_SELECT) look_at_comparison(f, id, node);
    if (node->kind == NODE_LOOKUP && node->lookup->kind == LOOKUP_SET) look_at_set(f, id, node);
    for (int k = 0; map && ops[node->op].class == OP_CLASS_LOGIC && k < 2; k++)
        look_at_literal(f, id, node, k);
}

const Trap *traps_find(const Graph *graph, const NodeId *roots, size_t root_count, size_t *count,
                       Arena *arena) {
    Finder f = {.graph = graph, .kinds = graph_kinds(graph, arena), .arena = arena};
    const bool *needed = graph_needed(graph, roots, root_count, arena);
    for (NodeId id = 0; id < graph_count(graph); id++)
        if (needed[id]) look_at_node(&f, id, graph_node(graph, id));
    *count = f.count;
    return f.list;
}

void trap_report(const Trap *trap, const Graph *graph, const DiagSink *sink, const SourceMap *map) {
    diag_report(sink, map,
                &(Diag){.severity = DIAG_WARNING,
                        .span = graph_node(graph, trap->node)->span,
                        .message = trap->text});
}
