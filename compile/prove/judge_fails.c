/* What an output relies on must not fail on an input on which the output has an answer.
 *
 * Values are those of inputs on which a node does not fail, so what was shown of a node says
 * nothing of other inputs.  Below the output that is no matter: there it fails, too.  Any other
 * node that stands behind one of its dimensions is shown never to fail if its arguments do not.
 * (Strings beside numbers in one sequence, which are an error too, stay in value sets.) */
#include "compile/prove/judge_private.h"

#include "graph/token.h"

#include <string.h>

/* --- who relies on whom --------------------------------------------------------------- */

void relies_on(Judge *j, NodeId node, NodeId on) {
    j->reliance = arena_grow(j->arena, j->reliance, &j->reliance_capacity, j->reliance_count + 1,
                             sizeof *j->reliance);
    j->reliance[j->reliance_count++] = (Reliance){judge_name(j, node), on};
}

void relies_on_form(Judge *j, NodeId node, const Linear *l) {
    for (uint32_t k = 0; k < l->count; k++) relies_on(j, node, l->term[k].node);
}

/* --- what never fails ----------------------------------------------------------------- */

static unsigned all_kinds(const NodeValues *v) {
    unsigned kinds = 0;
    for (uint32_t k = 0; k < v->count; k++) kinds |= v->kinds[k];
    return kinds;
}

static bool mixes(const NodeValues *v) {
    unsigned kinds = all_kinds(v);
    return (kinds & IS_STRING) && kinds != IS_STRING;
}

static FaultId apply(Judge *j, const Node *n, const Atom *args) {
    Atom result;
    if (n->kind == NODE_LOOKUP) return lookup_eval(n->lookup, args[0], &result);
    if (n->kind == NODE_TOKENS)
        return token_convert(n->tokens, args[0], graph_intern(j->graph), &result);
    return op_eval(n->op, args, graph_intern(j->graph), &result);
}

/* All kinds that the arguments' levels occur as. */
static bool row_fails(Judge *j, const Node *n, const NodeId *args, uint32_t count,
                      const uint32_t *level) {
    unsigned cases = 1;
    for (uint32_t k = 0; k < count; k++) cases *= KIND_COUNT;
    for (unsigned c = 0; c < cases; c++) {
        Atom value[OP_MAX_ARITY];
        bool occurs = true;
        for (uint32_t k = 0, rest = c; k < count; k++, rest /= KIND_COUNT) {
            const NodeValues *v = values_of(j->values, args[k]);
            KindBits kind = (KindBits)(1u << rest % KIND_COUNT);
            occurs &= (v->kinds[level[k]] & kind) != 0;
            if (occurs) value[k] = kind_variant(v->levels[level[k]], kind);
        }
        if (occurs && apply(j, n, value) != FAULT_NONE) return true;
    }
    return false;
}

static bool elementwise_fails(Judge *j, const Node *n) {
    NodeId tokens = graph_tokens(j->graph, TOKENS_ASIS, SPAN_NONE);
    const NodeId *args = n->kind == NODE_TOKENS ? &tokens : n->arg;
    uint32_t count = n->kind == NODE_TOKENS ? 1 : (uint32_t)n->arity;
    Rows rows;
    if (n->kind == NODE_MAP && (ops[n->op].flags & OP_TOTAL)) return false;
    if (!values_rows(j->values, args, count, UINT32_MAX, &rows)) return true;
    for (size_t r = 0; r < rows.row_count; r++)
        if (row_fails(j, n, args, count, rows.level + r * rows.width)) return true;
    return false;
}

static bool select_fails(Judge *j, const Node *n) {
    const NodeValues *a = values_of(j->values, n->arg[0]), *b = values_of(j->values, n->arg[1]);
    if (ops[n->op].flags & OP_TOTAL) return false;
    return !a || !b || mixes(a) || mixes(b) ||
           (a->count && b->count && (all_kinds(a) & IS_STRING) != (all_kinds(b) & IS_STRING));
}

/* A mean of strings or bools is an error, whatever the default. */
static bool aggregate_fails(Judge *j, const Node *n) {
    const NodeValues *v = values_of(j->values, n->arg[1]);
    const SelectorFacts *facts = values_selector(j->values, n->arg[0]);
    if (!v || !facts) return true;
    return !facts->at_most_one && (all_kinds(v) & (IS_STRING | IS_BOOL)) != 0;
}

static bool may_fail(Judge *j, NodeId id) {
    Node n = *graph_node(j->graph, id);
    double least, most;
    if (values_unlisted(j->values, id, &least, &most)) return false; /* a finite number */
    if (values_exact(j->values)) return !values_never_fails(j->values, id);
    switch (n.kind) {
    case NODE_MAP:
    case NODE_LOOKUP:
    case NODE_TOKENS:
        return elementwise_fails(j, &n);
    case NODE_SELECT:
        return select_fails(j, &n);
    case NODE_AGGREGATE:
        return aggregate_fails(j, &n);
    default:
        return false;
    }
}

/* --- an output ------------------------------------------------------------------------ */

/* All that the nodes rely on, themselves included: marked, and listed. */
static NodeId *reach(Judge *j, const NodeId *from, size_t count, size_t *total, Arena *scratch) {
    size_t nodes = graph_count(j->graph), done = 0;
    NodeId *list = ARENA_ARRAY(scratch, nodes, NodeId);
    bool *seen = ARENA_ARRAY(scratch, nodes, bool);
    *total = 0;
    for (size_t k = 0; k < count; k++)
        if (!seen[from[k]]) seen[from[k]] = true, list[(*total)++] = from[k];
    for (; done < *total; done++)
        for (size_t r = 0; r < j->reliance_count; r++) {
            NodeId on = j->reliance[r].on;
            if (j->reliance[r].node != list[done] || seen[on]) continue;
            seen[on] = true;
            list[(*total)++] = on;
        }
    return list;
}

/* Does an aggregate of the same values by the same selector fail where this one does? */
static bool fails_beside(const Judge *j, NodeId node, const bool *mine) {
    const Node *n = graph_node(j->graph, node);
    for (NodeId id = 0; id < j->below_count && n->kind == NODE_AGGREGATE; id++) {
        const Node *a = graph_node(j->graph, id);
        if (mine[id] && a->kind == NODE_AGGREGATE && a->arg[0] == n->arg[0] &&
            a->arg[1] == n->arg[1])
            return true;
    }
    return false;
}

bool judge_reliance(Judge *j, NodeId output, const NodeId *from, size_t count) {
    Arena *scratch = arena_child(j->arena);
    size_t total;
    bool done = true;
    const NodeId *list = reach(j, from, count, &total, scratch);
    const bool *mine = graph_needed(j->graph, &output, 1, scratch);
    const bool *behind = graph_needed(j->graph, list, total, scratch);
    NodeId nodes = graph_count(j->graph);
    for (NodeId id = 0; id < nodes && done; id++)
        if (behind[id] && !mine[id] && !fails_beside(j, id, mine) && may_fail(j, id))
            done = judge_refuse(j, id,
                                "it may fail on inputs on which %s does not, which relies "
                                "on it",
                                judge_text(j, output));
    arena_free(scratch);
    return done;
}
