#include "graph/kinds.h"

#include "graph/analysis.h"

static const Kinds nothing = {false, false, false, {0}};
static const Kinds any_string = {true, false, false, {0}};
static const Kinds any_number = {false, true, false, {0}};
static const Kinds anything = {true, true, false, {0}};

static Kinds of_atom(Atom atom) {
    return atom.kind == ATOM_STRING ? any_string : (Kinds){false, true, true, atom};
}

static Kinds join(Kinds a, Kinds b) {
    if (!a.numbers || !b.numbers) {
        Kinds numbers = a.numbers ? a : b;
        return (Kinds){a.strings || b.strings, a.numbers || b.numbers, numbers.single,
                       numbers.number};
    }
    bool same = a.single && b.single && atom_equal(a.number, b.number);
    return (Kinds){a.strings || b.strings, true, same, a.number};
}

static Kinds of_tokens(TokenType type) {
    if (type == TOKENS_ASIS) return anything;
    return type == TOKENS_STR ? any_string : any_number;
}

static Kinds of_map(const Node *node, const Kinds *kinds) {
    if (node->op == OP_IF) return join(kinds[node->arg[1]], kinds[node->arg[2]]);
    if (!(ops[node->op].flags & OP_STRINGS)) return any_number;
    Kinds result = {false, true, false, {0}};
    for (int k = 0; k < node->arity; k++) {
        result.strings |= kinds[node->arg[k]].strings;
        result.numbers &= kinds[node->arg[k]].numbers;
    }
    return result;
}

static Kinds of_lookup(const Lookup *lookup) {
    if (lookup->kind == LOOKUP_SET) return any_number;
    Kinds result = nothing;
    for (uint32_t k = 0; k < lookup->count; k++)
        if (!lookup->holes || !lookup->holes[k]) result = join(result, of_atom(lookup->values[k]));
    return result;
}

/* One selected value is moved, several have a mean; the default comes in where none is. */
static Kinds of_aggregate(const Graph *graph, const Node *node, const Kinds *kinds) {
    const Kinds *values = &kinds[node->arg[1]];
    if (selects_everything(graph, node->arg[0])) return *values;
    return join(*values, of_atom(node->atom));
}

static Kinds of_node(const Graph *graph, const Node *node, const Kinds *kinds) {
    switch (node->kind) {
    case NODE_TOKENS:
        return of_tokens(node->tokens);
    case NODE_CONSTANT:
        return of_atom(node->atom);
    case NODE_MAP:
        return of_map(node, kinds);
    case NODE_LOOKUP:
        return of_lookup(node->lookup);
    case NODE_AGGREGATE:
        return of_aggregate(graph, node, kinds);
    case NODE_INDICES:
    case NODE_WIDTH:
        return any_number;
    case NODE_SELECT:
    case NODE_AND:
    case NODE_OR:
    case NODE_NOT:
        break;
    }
    return nothing;
}

const Kinds *graph_kinds(const Graph *graph, Arena *arena) {
    uint32_t count = graph_count(graph);
    Kinds *kinds = ARENA_ARRAY(arena, (size_t)count + 1, Kinds);
    for (NodeId id = 0; id < count; id++) kinds[id] = of_node(graph, graph_node(graph, id), kinds);
    return kinds;
}

bool kinds_meet(const Kinds *a, const Kinds *b) {
    if (a->strings && b->strings) return true;
    if (!a->numbers || !b->numbers) return false;
    return !a->single || !b->single || atom_equal(a->number, b->number);
}
