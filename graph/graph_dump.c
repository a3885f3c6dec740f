#include "graph/graph_dump.h"

#include <string.h>

static const char *const kind_name[] = {
    [NODE_TOKENS] = "tokens",     [NODE_INDICES] = "indices",
    [NODE_CONSTANT] = "constant", [NODE_MAP] = "map",
    [NODE_LOOKUP] = "lookup",     [NODE_SELECT] = "select",
    [NODE_AND] = "and",           [NODE_OR] = "or",
    [NODE_NOT] = "not",           [NODE_AGGREGATE] = "aggregate",
    [NODE_WIDTH] = "width",
};

static const char *const token_name[TOKENS_COUNT] = {
#define TOKENS(id, spelling, ...) [TOKENS_##id] = spelling,
#include "base/builtin.def"
};

static void put_atom(FILE *out, Atom atom, Arena *arena) {
    fputs(atom_show(atom, ATOM_QUOTED, arena), out);
}

/* {1: "a", 2: "b"}, the whole of it. */
static void put_lookup(FILE *out, const Lookup *lookup, Arena *arena) {
    bool braces = lookup->kind == LOOKUP_DICT || lookup->kind == LOOKUP_SET;
    fputs(braces ? " {" : " [", out);
    for (uint32_t k = 0; k < lookup->count; k++) {
        if (k) fputs(", ", out);
        if (lookup->keys) put_atom(out, lookup->keys[k], arena);
        if (lookup->keys && lookup->values) fputs(": ", out);
        if (lookup->holes && lookup->holes[k])
            fputc('?', out);
        else if (lookup->values)
            put_atom(out, lookup->values[k], arena);
    }
    fputc(braces ? '}' : ']', out);
}

static void put_node(FILE *out, const Node *node, uint32_t number, const uint32_t *numbers,
                     Arena *arena) {
    fprintf(out, "%u  %s", number, kind_name[node->kind]);
    if (node->kind == NODE_TOKENS) /* tokens_int is "tokens int" here */
        fprintf(out, " %s", token_name[node->tokens] + strlen("tokens_"));
    if (node->kind == NODE_MAP || node->kind == NODE_SELECT)
        fprintf(out, " %s", ops[node->op].spelling);
    if (node->kind == NODE_CONSTANT) fputc(' ', out), put_atom(out, node->atom, arena);
    if (node->kind == NODE_LOOKUP) put_lookup(out, node->lookup, arena);
    for (int k = 0; k < node->arity; k++) fprintf(out, " %u", numbers[node->arg[k]]);
    if (node->kind == NODE_AGGREGATE) fputs(" else ", out), put_atom(out, node->atom, arena);
    if (node->depth) fprintf(out, " (depth %u)", node->depth);
    if (node->name) fprintf(out, " %s", node->name->text);
    fputc('\n', out);
}

void graph_dump(FILE *out, const Graph *graph, const NodeId *roots, const char *const *names,
                size_t count, Arena *arena) {
    const bool *needed = graph_needed(graph, roots, count, arena);
    uint32_t *numbers = ARENA_ARRAY(arena, graph_count(graph), uint32_t), next = 0;
    for (NodeId id = 0; id < graph_count(graph); id++)
        if (needed[id]) {
            numbers[id] = next++;
            put_node(out, graph_node(graph, id), numbers[id], numbers, arena);
        }
    for (size_t k = 0; k < count; k++) fprintf(out, "%s: %u\n", names[k], numbers[roots[k]]);
}
