#include "compile/claims_names.h"

/* A text of so many pieces may stand twice; one of more than these is taken apart. */
enum { REPEATED_MOST = 4, WHOLE_MOST = 24 };

static const char letters[] = {'x', 's', 'k'}; /* s-ops, selectors, constants */

static const char *new_name(ClaimsNames *n, int kind) {
    const ProgramNames *p = n->program;
    const char *name;
    do name = arena_format(n->arena, "%c%u", letters[kind], ++n->next[kind]);
    while (p->taken && p->taken(p->context, name));
    return name;
}

/* --- constants ----------------------------------------------------------------------------- */

static uint64_t constant_hash(const void *constants, uint32_t k) {
    return atom_hash(((const ClaimsConstant *)constants)[k].atom);
}

static const char *constant_name(void *context, Atom atom, bool sop) {
    ClaimsNames *n = context;
    if (table_full(&n->table, n->constant_count))
        table_grow(&n->table, n->arena, n->constant_count, constant_hash, n->constants);
    size_t at = table_start(&n->table, atom_hash(atom));
    for (uint32_t k; (k = table_entry(&n->table, at)) != TABLE_NONE; at = table_next(&n->table, at))
        if (atom_same(n->constants[k].atom, atom) && n->constants[k].sop == sop)
            return n->constants[k].name;
    n->constants = arena_grow(n->arena, n->constants, &n->constant_room, n->constant_count + 1,
                              sizeof *n->constants);
    n->constants[n->constant_count] = (ClaimsConstant){atom, sop, new_name(n, 2)};
    table_put(&n->table, at, n->constant_count);
    return n->constants[n->constant_count++].name;
}

/* --- definitions --------------------------------------------------------------------------- */

/* How often each node stands in the texts, as an operand or by itself. */
static uint32_t *count_uses(const Graph *graph, const uint32_t *uses, Arena *arena) {
    uint32_t count = graph_count(graph), *all = ARENA_ARRAY(arena, count, uint32_t);
    for (uint32_t id = count; id-- > 0;) {
        const Node *node = graph_node(graph, id);
        all[id] += uses[id];
        for (int k = 0; all[id] && k < node->arity; k++) all[node->arg[k]]++;
    }
    return all;
}

static bool is_leaf(const Node *node) {
    return node->kind == NODE_TOKENS || node->kind == NODE_INDICES || node->kind == NODE_CONSTANT;
}

/* Names what is too long to be said twice, or at once; what the program has a name for is defined
 * by it, so that claims mean the same beside any program. */
static void define(ClaimsNames *n, const uint32_t *uses) {
    uint32_t count = graph_count(n->graph);
    uint32_t *all = count_uses(n->graph, uses, n->arena);
    uint32_t *size = ARENA_ARRAY(n->arena, count, uint32_t); /* pieces, between names */
    for (uint32_t id = 0; id < count; id++) {
        const Node *node = graph_node(n->graph, id);
        size[id] = 1;
        if (is_leaf(node)) n->node[id] = NULL;
        n->defined[id] = all[id] && n->node[id];
        if (!all[id] || n->node[id] || is_leaf(node)) continue;
        for (int k = 0; k < node->arity; k++) size[id] += size[node->arg[k]];
        if (node->lookup) size[id] += node->lookup->count;
        if (size[id] <= (all[id] > 1 ? REPEATED_MOST : WHOLE_MOST)) continue;
        n->node[id] = new_name(n, node_is_selector(node));
        n->defined[id] = true;
        size[id] = 1;
    }
}

void claims_names_make(ClaimsNames *n, const Graph *graph, const uint32_t *uses,
                       const ProgramNames *program, Arena *arena) {
    uint32_t count = graph_count(graph);
    *n = (ClaimsNames){.graph = graph,
                       .program = program,
                       .arena = arena,
                       .node = ARENA_ARRAY(arena, count, const char *),
                       .defined = ARENA_ARRAY(arena, count, bool)};
    for (uint32_t id = 0; program->node && id < program->count; id++)
        n->node[id] = program->node[id];
    n->source = (GraphNames){n->node, constant_name, n};
    define(n, uses);
}

const char *claims_names_definition(ClaimsNames *n, NodeId node) {
    return graph_source(n->graph, node, &n->source, n->arena);
}

const char *claims_names_text(ClaimsNames *n, NodeId node) {
    return n->node[node] ? n->node[node] : claims_names_definition(n, node);
}
