#include "compile/total.h"

#include "compile/values/sums.h"

#include "graph/token.h"

#include <math.h>

typedef struct Known {
    unsigned kinds;    /* 0: not yet asked */
    signed char fixed; /* uniform: -1 no, 1 yes, 0 not yet asked */
} Known;

struct Total {
    Values *values;
    Graph *graph;
    const Domain *domain;
    Arena *arena;
    Known *known; /* by node */
    size_t known_count;
};

enum {
    STRING = 1 << ATOM_STRING,
    BOOL = 1 << ATOM_BOOL,
    INT = 1 << ATOM_INT,
    FLOAT = 1 << ATOM_FLOAT,
    ANY = STRING | BOOL | INT | FLOAT
};

Total *total_new(Values *values, Arena *arena) {
    Total *t = ARENA_NEW(arena, Total);
    *t = (Total){.values = values,
                 .graph = values_graph(values),
                 .domain = values_domain(values),
                 .arena = arena};
    return t;
}

Graph *total_graph(const Total *t) {
    return t->graph;
}

Values *total_values(const Total *t) {
    return t->values;
}

static Known *known_of(Total *t, NodeId node) {
    t->known = arena_grow(t->arena, t->known, &t->known_count, (size_t)node + 1, sizeof *t->known);
    return &t->known[node];
}

/* --- kinds ------------------------------------------------------------------------------ */

static bool has_token(const Total *t, uint32_t k) {
    return t->domain->first < 0 || t->domain->max_length > 1 || (int32_t)k == t->domain->first;
}

static unsigned token_kinds(const Total *t, TokenType type) {
    unsigned kinds = 0;
    Atom value;
    for (uint32_t k = 0; k < t->domain->alphabet_size; k++)
        if (has_token(t, k) && token_convert(type, t->domain->alphabet[k], graph_intern(t->graph),
                                             &value) == FAULT_NONE)
            kinds |= 1u << value.kind;
    return kinds ? kinds : ANY;
}

static unsigned lookup_kinds(const Lookup *lookup) {
    if (lookup->kind == LOOKUP_SET) return BOOL;
    unsigned kinds = 0;
    for (uint32_t k = 0; k < lookup->count; k++)
        if (!lookup->holes || !lookup->holes[k]) kinds |= 1u << lookup->values[k].kind;
    return kinds ? kinds : ANY;
}

/* Of + - * %: an int of integral operands, a float if one is. */
static unsigned arithmetic_kinds(unsigned a, unsigned b) {
    unsigned kinds = (a | b) & (STRING | FLOAT);
    return (a & (BOOL | INT)) && (b & (BOOL | INT)) ? kinds | INT : kinds;
}

static unsigned map_kinds(Total *t, const Node *node) {
    unsigned a = total_kinds(t, node->arg[0]);
    unsigned b = node->arity > 1 ? total_kinds(t, node->arg[1]) : 0;
    if (ops[node->op].flags & OP_BOOLEAN) return BOOL;
    switch (node->op) {
    case OP_INDICATOR:
    case OP_ROUND:
    case OP_LEN:
        return INT;
    case OP_SLICE:
        return STRING;
    case OP_NEG:
    case OP_POS:
        return arithmetic_kinds(a, a) & ~(unsigned)STRING;
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
    case OP_MOD:
        return arithmetic_kinds(a, b);
    case OP_DIV:
        return FLOAT;
    case OP_POW:
        return INT | FLOAT;
    case OP_IF:
        return b | total_kinds(t, node->arg[2]);
    default:
        return ANY;
    }
}

static unsigned aggregate_kinds(Total *t, const Node *node) {
    const SelectorFacts *facts = values_selector(t->values, node->arg[0]);
    if (!facts) return ANY;
    unsigned kinds = 0, several = 0;
    for (uint32_t c = 0; c < domain_contexts(t->domain); c++) {
        if (facts->least[c] == 0) kinds |= 1u << node->atom.kind;
        if (facts->most[c] >= 1) kinds |= total_kinds(t, node->arg[1]);
        if (facts->most[c] >= 2) several = FLOAT;
    }
    return kinds | several;
}

static unsigned find_kinds(Total *t, NodeId id) {
    Node node = *graph_node(t->graph, id);
    switch (node.kind) {
    case NODE_TOKENS:
        return token_kinds(t, node.tokens);
    case NODE_INDICES:
    case NODE_WIDTH:
        return INT;
    case NODE_CONSTANT:
        return 1u << node.atom.kind;
    case NODE_MAP:
        return map_kinds(t, &node);
    case NODE_LOOKUP:
        return lookup_kinds(node.lookup);
    case NODE_AGGREGATE:
        return aggregate_kinds(t, &node);
    default:
        return ANY;
    }
}

unsigned total_kinds(Total *t, NodeId node) {
    unsigned kinds = known_of(t, node)->kinds;
    if (!kinds) {
        kinds = find_kinds(t, node);
        known_of(t, node)->kinds = kinds = kinds ? kinds : ANY;
    }
    return kinds;
}

static unsigned set_classes(Total *t, const NodeValues *v, SetId set) {
    uint32_t count;
    unsigned classes = 0;
    const uint32_t *member = values_set(t->values, set, &count);
    for (uint32_t k = 0; k < count; k++)
        classes |= v->levels[member[k]].kind == ATOM_STRING ? CLASS_STRINGS : CLASS_NUMBERS;
    return classes;
}

/* Of its values, which tell strings from numbers. */
unsigned total_classes(Total *t, NodeId node) {
    const NodeValues *v = values_of(t->values, node);
    unsigned classes = 0;
    for (uint32_t k = 0; v && k < v->count; k++)
        classes |= v->levels[k].kind == ATOM_STRING ? CLASS_STRINGS : CLASS_NUMBERS;
    return v ? classes : CLASS_STRINGS | CLASS_NUMBERS;
}

/* --- the same everywhere ---------------------------------------------------------------- */

/* Of a selector: its rows are, whichever position asks. */
static bool find_uniform(Total *t, NodeId id) {
    Node node = *graph_node(t->graph, id);
    bool uniform = node.kind != NODE_TOKENS && node.kind != NODE_INDICES;
    if (node.kind == NODE_SELECT) return total_uniform(t, node.arg[1]);
    if (node.kind == NODE_AGGREGATE) return total_uniform(t, node.arg[0]);
    for (int k = 0; k < node.arity; k++) uniform = uniform && total_uniform(t, node.arg[k]);
    return uniform;
}

bool total_uniform(Total *t, NodeId node) {
    if (!known_of(t, node)->fixed) {
        bool uniform = find_uniform(t, node);
        known_of(t, node)->fixed = uniform ? 1 : -1;
    }
    return known_of(t, node)->fixed > 0;
}

bool total_one_class(Total *t, NodeId node) {
    if (values_exact(t->values)) return !values_mixes(t->values, node);
    unsigned kinds = total_kinds(t, node);
    if (!(kinds & STRING) || kinds == STRING) return true;
    if (total_classes(t, node) != (CLASS_STRINGS | CLASS_NUMBERS) || total_uniform(t, node))
        return true;
    const NodeValues *v = values_of(t->values, node);
    if (!v) return false;
    for (uint32_t n = 1; n <= t->domain->max_length; n++) {
        unsigned classes = 0;
        for (uint32_t i = 0; i < n; i++) classes |= set_classes(t, v, v->sets[context_of(n, i)]);
        if (classes == (CLASS_STRINGS | CLASS_NUMBERS)) return false;
    }
    return true;
}

/* --- operators -------------------------------------------------------------------------- */

typedef struct Summary {
    unsigned classes;
    bool zero, finite;
    double largest; /* in magnitude */
} Summary;

static Summary summarise(const NodeValues *v) {
    Summary s = {.finite = true};
    for (uint32_t k = 0; k < v->count; k++) {
        if (v->levels[k].kind == ATOM_STRING) {
            s.classes |= CLASS_STRINGS;
            continue;
        }
        double x = atom_double(v->levels[k]);
        s.classes |= CLASS_NUMBERS;
        s.zero |= x == 0;
        s.finite &= isfinite(x) != 0;
        s.largest = fmax(s.largest, fabs(x));
    }
    return s;
}

/* Seen from the ranges of the operands alone. */
static bool fits(OpId op, const Summary *a, const Summary *b) {
    static const double large = 0x1p61;
    bool numbers = a->classes == CLASS_NUMBERS && (!b || b->classes == CLASS_NUMBERS);
    if ((ops[op].flags & OP_COMPARES) || op == OP_ADD)
        if (a->classes == CLASS_STRINGS && b->classes == CLASS_STRINGS) return true;
    if (!numbers) return false;
    switch (op) {
    case OP_ADD:
    case OP_SUB:
        return a->largest <= large && b->largest <= large;
    case OP_MUL:
        return a->largest * b->largest <= large;
    case OP_DIV:
    case OP_MOD:
        return !b->zero;
    case OP_NEG:
        return a->largest <= large;
    case OP_POS:
        return true;
    case OP_ROUND:
        return a->finite && a->largest <= large;
    default:
        return (ops[op].flags & OP_COMPARES) != 0;
    }
}

/* A string is repeated by ints alone, and an int of the sets may stand for a float. */
static bool hides_failure(Total *t, const Node *node) {
    if (node->op != OP_MUL) return false;
    unsigned a = total_kinds(t, node->arg[0]), b = total_kinds(t, node->arg[1]);
    return ((a & STRING) && (b & FLOAT)) || ((b & STRING) && (a & FLOAT));
}

typedef FaultId Attempt(const Total *t, const Node *node, const Atom *args);

static FaultId attempt_map(const Total *t, const Node *node, const Atom *args) {
    Atom result;
    return op_eval(node->op, args, graph_intern(t->graph), &result);
}

static FaultId attempt_lookup(const Total *t, const Node *node, const Atom *args) {
    Atom result;
    (void)t;
    return lookup_eval(node->lookup, args[0], &result);
}

/* On every joint value of the arguments; with `where` only those on which that is true. */
static bool all_succeed(Total *t, const Node *node, NodeId where, Attempt *attempt) {
    NodeId nodes[OP_MAX_ARITY + 1];
    const NodeValues *v[OP_MAX_ARITY + 1];
    uint32_t count = 0;
    Rows rows;
    for (int k = 0; k < node->arity; k++) nodes[count++] = node->arg[k];
    if (where != NODE_NONE) nodes[count++] = where;
    if (!values_rows(t->values, nodes, count, UINT32_MAX, &rows)) return false;
    for (uint32_t k = 0; k < count; k++) v[k] = values_of(t->values, nodes[k]);
    for (size_t r = 0; r < rows.row_count; r++) {
        Atom value[OP_MAX_ARITY + 1];
        for (uint32_t k = 0; k < count; k++)
            value[k] = v[k]->levels[rows.level[r * rows.width + k]];
        if (where != NODE_NONE && !atom_truth(value[node->arity])) continue;
        if (attempt(t, node, value) != FAULT_NONE) return false;
    }
    return true;
}

static bool never_fails(Total *t, const Node *node, Attempt *attempt) {
    if (all_succeed(t, node, NODE_NONE, attempt)) return true;
    NodeId where = t->domain->where;
    return where != NODE_NONE && all_succeed(t, node, where, attempt);
}

static bool map_holds(Total *t, const Node *node) {
    if (ops[node->op].flags & OP_TOTAL) return true;
    const NodeValues *a = values_of(t->values, node->arg[0]);
    const NodeValues *b = node->arity > 1 ? values_of(t->values, node->arg[1]) : NULL;
    if (!a || (node->arity > 1 && !b)) return false;
    Summary x = summarise(a), y = b ? summarise(b) : (Summary){0};
    if (fits(node->op, &x, b ? &y : NULL)) return true;
    return !hides_failure(t, node) && never_fails(t, node, attempt_map);
}

static bool lookup_holds(Total *t, const Node *node) {
    const Lookup *lookup = node->lookup;
    if (lookup->kind == LOOKUP_SET) return true;
    bool by_int = lookup->kind == LOOKUP_LIST || lookup->kind == LOOKUP_STRING;
    if (by_int && (total_kinds(t, node->arg[0]) & FLOAT)) return false;
    return values_of(t->values, node->arg[0]) && never_fails(t, node, attempt_lookup);
}

static bool tokens_hold(const Total *t, const Node *node) {
    Atom value;
    for (uint32_t k = 0; k < t->domain->alphabet_size; k++)
        if (has_token(t, k) && token_convert(node->tokens, t->domain->alphabet[k],
                                             graph_intern(t->graph), &value) != FAULT_NONE)
            return false;
    return true;
}

/* --- attention -------------------------------------------------------------------------- */

static bool select_holds(Total *t, const Node *node) {
    if (ops[node->op].flags & OP_TOTAL) return true;
    unsigned key = total_classes(t, node->arg[0]), query = total_classes(t, node->arg[1]);
    return key == query && (key == CLASS_STRINGS || key == CLASS_NUMBERS);
}

bool total_averages(Total *t, NodeId aggregate) {
    Node node = *graph_node(t->graph, aggregate);
    const SelectorFacts *facts = values_selector(t->values, node.arg[0]);
    if (!facts) return false;
    return facts->at_most_one || !(total_kinds(t, node.arg[1]) & (STRING | BOOL));
}

bool total_holds(Total *t, NodeId id) {
    Node node = *graph_node(t->graph, id);
    if (values_exact(t->values))
        return values_never_fails(t->values, id) &&
               (node_is_selector(&node) || !values_mixes(t->values, id));
    switch (node.kind) {
    case NODE_TOKENS:
        return tokens_hold(t, &node);
    case NODE_MAP:
        if (values_whole_sum(t->values, id) || values_sum_product(t->values, id)) return true;
        return map_holds(t, &node) && total_one_class(t, id);
    case NODE_LOOKUP:
        return lookup_holds(t, &node) && total_one_class(t, id);
    case NODE_SELECT:
        return select_holds(t, &node);
    case NODE_AGGREGATE:
        return total_averages(t, id) && total_one_class(t, id);
    default:
        return true;
    }
}
