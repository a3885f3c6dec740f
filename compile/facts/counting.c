/* Is an s-op in the logic of counting: conditions on positions, counts of the positions where a
 * condition holds, sums of counts, comparisons of sums (C-RASP; Yang and Chiang, arXiv 2404.04393,
 * and Yang, Cadilhac, Chiang, arXiv 2506.16055, where depth is how deep counts are nested)?
 *
 * A condition here is an s-op with finitely many values, whatever the length.  A selector may
 * compare key and query where one side has finitely many: for each of its values the other side
 * is a condition, and the count a choice between counts.  Masks are what counts have anyway; the
 * number of a position is itself the count of the positions before it.
 */
#include "compile/facts/facts_private.h"

typedef enum Sort {
    FINITE,  /* a condition for each of finitely many values */
    COUNT,   /* a sum of counts, with coefficients that are FINITE */
    SHARE,   /* such a sum over the size of a selection: compared with a constant, a COUNT */
    NEITHER, /* not shown to be one of them */
} Sort;

typedef struct Term {
    Sort sort;
    uint32_t depth;
    NodeId selection; /* shares: of what */
} Term;

static uint32_t deeper(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

/* --- elementwise ------------------------------------------------------------------------ */

static bool is_linear(Sort sort) {
    return sort == FINITE || sort == COUNT;
}

/* Of a sum, a difference, a choice: what both are. */
static Sort both(Term a, Term b) {
    if (a.sort == FINITE && b.sort == FINITE) return FINITE;
    if (is_linear(a.sort) && is_linear(b.sort)) return COUNT;
    return a.sort == SHARE && b.sort == SHARE && a.selection == b.selection ? SHARE : NEITHER;
}

static Sort compared(Term a, Term b) {
    bool share = (a.sort == SHARE && b.sort == FINITE) || (a.sort == FINITE && b.sort == SHARE);
    return share || both(a, b) != NEITHER ? FINITE : NEITHER;
}

static Sort map_sort(const Node *node, const Term *a) {
    switch (node->op) {
    case OP_ADD:
    case OP_SUB:
        return both(a[0], a[1]);
    case OP_NEG:
    case OP_POS:
        return a[0].sort;
    case OP_MUL:
        if (a[0].sort == FINITE) return a[1].sort;
        return a[1].sort == FINITE ? a[0].sort : NEITHER;
    case OP_DIV:
        return a[1].sort == FINITE ? a[0].sort : NEITHER;
    case OP_ROUND: /* a share lies between the least and the greatest value */
        return a[0].sort == SHARE ? FINITE : NEITHER;
    case OP_IF:
        return both(a[1], a[2]);
    case OP_AND:
    case OP_OR:
    case OP_NOT:
    case OP_INDICATOR: /* is it other than 0? */
        return FINITE;
    default:
        return ops[node->op].flags & OP_COMPARES ? compared(a[0], a[1]) : NEITHER;
    }
}

static Term map_term(const Node *node, const Term *term) {
    Term a[OP_MAX_ARITY], result = {FINITE, 0, NODE_NONE};
    for (int k = 0; k < node->arity; k++) {
        a[k] = term[node->arg[k]];
        if (a[k].sort == NEITHER) result.sort = NEITHER;
        if (a[k].sort == COUNT && result.sort == FINITE) result.sort = COUNT;
        if (a[k].sort == SHARE && result.sort != NEITHER) result.sort = SHARE;
        if (a[k].sort == SHARE) result.selection = a[k].selection;
        result.depth = deeper(result.depth, a[k].depth);
    }
    if (result.sort == FINITE || result.sort == NEITHER) return result;
    /* a constant container has finitely many keys */
    result.sort = node->kind == NODE_LOOKUP ? FINITE : map_sort(node, a);
    return result;
}

/* --- attention -------------------------------------------------------------------------- */

/* Depths of what is asked of keys, inside of the count, and of queries, outside. */
typedef struct Condition {
    bool countable;
    uint32_t inside, outside;
} Condition;

static Condition condition_of(Finder *f, NodeId selector, const Term *term) {
    Condition c = {.countable = true};
    Literals literals = selector_literals(f->graph, selector, f->arena);
    for (uint32_t k = 0; k < literals.count; k++) {
        Node node = *graph_node(f->graph, literals.select[k]);
        if (is_mask(f, &node)) continue;
        Term key = term[node.arg[0]], query = term[node.arg[1]];
        if (compared(key, query) == NEITHER || (key.sort != FINITE && query.sort != FINITE))
            c.countable = false;
        c.inside = deeper(c.inside, key.depth);
        c.outside = deeper(c.outside, query.depth);
    }
    return c;
}

static Term attention_term(Finder *f, NodeId id, const Term *term) {
    Node node = *graph_node(f->graph, id);
    Condition c = condition_of(f, node.arg[0], term);
    Term result = {NEITHER, 0, node.arg[0]};
    if (!c.countable) return result;
    if (node.kind == NODE_WIDTH) {
        result.sort = COUNT;
    } else {
        Term values = term[node.arg[1]];
        c.inside = deeper(c.inside, values.depth);
        if (values.sort == FINITE) result.sort = values_moves(f->values, id) ? FINITE : SHARE;
    }
    result.depth = deeper(c.inside + 1, c.outside);
    return result;
}

static Term node_term(Finder *f, NodeId id, const Term *term) {
    Node node = *graph_node(f->graph, id);
    switch (node.kind) {
    case NODE_INDICES:
        return (Term){COUNT, 1, NODE_NONE};
    case NODE_MAP:
    case NODE_LOOKUP:
        return map_term(&node, term);
    case NODE_AGGREGATE:
    case NODE_WIDTH:
        return attention_term(f, id, term);
    default: /* tokens, constants; selectors are seen from their readers */
        return (Term){FINITE, 0, NODE_NONE};
    }
}

bool find_counting(Finder *f, uint32_t *depth) {
    Term *term = ARENA_ARRAY(f->arena, (size_t)f->count + 1, Term);
    for (NodeId id = 0; id < f->count; id++)
        if (f->needed[id]) term[id] = node_term(f, id, term);
    *depth = term[f->root].depth;
    return term[f->root].sort != NEITHER;
}
