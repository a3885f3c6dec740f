/* Widths of `select(key, query, <)` over keys that are alike where tokens are, such as the mean
 * position of one's own token: a sum over the alphabet.
 *
 * To count the keys that are selected with one score, it must be the same number on all of them and
 * lower on others, for each query: keys in order are corners of a simplex then, and take as many
 * dimensions as there are different ones.  Here there are but as many keys as tokens, each of which
 * every position can compute, and how often it occurs:
 *
 *     |select(K, Q, <)|  =  sum over tokens t of  (count(tokens, t) if K_t < Q else 0)
 *
 * where K_t is K as a position with the token t has it. */
#include "compile/lower/rules.h"

#include "compile/lower/scan.h"
#include "graph/token.h"

#include <stdlib.h>

enum { FEW_KEYS = 8 }; /* a token */

/* K_t in the making; `made`: by node of the graph as it was, 1 + what it is, 0: not yet. */
typedef struct OfToken {
    Graph *graph;
    Atom token;
    NodeId *made;
} OfToken;

static NodeId of_token(OfToken *o, NodeId id);

static NodeId convert(OfToken *o, const Node *node) {
    Atom value;
    bool done = token_convert(node->tokens, o->token, graph_intern(o->graph), &value) == FAULT_NONE;
    return done ? graph_constant(o->graph, value, node->span) : NODE_NONE;
}

static NodeId with_arguments(OfToken *o, const Node *node, const NodeId *arg) {
    Graph *graph = o->graph;
    switch (node->kind) {
    case NODE_TOKENS:
        return convert(o, node);
    case NODE_MAP:
        return graph_map(graph, node->op, arg, node->span);
    case NODE_LOOKUP:
        return graph_lookup(graph, node->lookup, arg[0], node->span);
    case NODE_SELECT:
        return graph_select(graph, node->op, arg[0], arg[1], node->span);
    case NODE_AND:
        return graph_and(graph, arg[0], arg[1], node->span);
    case NODE_OR:
        return graph_or(graph, arg[0], arg[1], node->span);
    case NODE_NOT:
        return graph_not(graph, arg[0], node->span);
    case NODE_AGGREGATE:
        return graph_aggregate(graph, arg[0], arg[1], node->atom, node->span);
    case NODE_WIDTH:
        return graph_width(graph, arg[0], node->span);
    case NODE_CONSTANT:
    case NODE_INDICES:
        break;
    }
    return NODE_NONE; /* the position tells apart what the token does not */
}

/* What the node is at a position with the token; NODE_NONE: not the same at all of them.  Keys of
 * selectors and values of aggregates stay as they are: they are those of other positions. */
static NodeId of_token(OfToken *o, NodeId id) {
    if (o->made[id]) return o->made[id] == NODE_NONE ? NODE_NONE : o->made[id] - 1;
    Node node = *graph_node(o->graph, id);
    NodeId arg[OP_MAX_ARITY], made = node.kind == NODE_CONSTANT ? id : NODE_NONE;
    bool told = true;
    for (int k = 0; k < node.arity; k++) {
        bool elsewhere =
            (node.kind == NODE_SELECT && k == 0) || (node.kind == NODE_AGGREGATE && k == 1);
        arg[k] = elsewhere ? node.arg[k] : of_token(o, node.arg[k]);
        told = told && arg[k] != NODE_NONE;
    }
    if (told && made == NODE_NONE) made = with_arguments(o, &node, arg);
    o->made[id] = made == NODE_NONE ? NODE_NONE : made + 1;
    return made;
}

/* Adds (count(tokens, t) if K_t < Q else 0) to the form. */
static bool add_token(Lower *lower, const Node *select, NodeId key, Atom token, Form *form) {
    Graph *graph = values_graph(lower->values);
    NodeId tokens = graph_tokens(graph, TOKENS_ASIS, SPAN_NONE);
    NodeId the_token = graph_constant(graph, token, SPAN_NONE);
    NodeId zero = graph_constant(graph, atom_int(0), SPAN_NONE);
    NodeId count =
        graph_width(graph, graph_select(graph, OP_EQ, tokens, the_token, SPAN_NONE), SPAN_NONE);
    NodeId before = graph_map(graph, select->op, (NodeId[]){key, select->arg[1]}, SPAN_NONE);
    NodeId counted = graph_map(graph, OP_IF, (NodeId[]){before, count, zero}, SPAN_NONE);
    Form of_counted;
    if (!lower_feature(lower, counted, &of_counted)) return false;
    *form = form_sum(*form, 1, of_counted, 1, lower->arena);
    return true;
}

/* Is it worth it: an order, and many more keys than tokens? */
static bool has_many_keys(Lower *lower, const Node *select) {
    if (select->kind != NODE_SELECT ||
        !(ops[select->op].holds & OUTCOME_LESS) == !(ops[select->op].holds & OUTCOME_GREATER))
        return false;
    const NodeValues *key = values_of(lower->values, select->arg[0]);
    return key && values_numeric(key) &&
           key->count / FEW_KEYS >= values_domain(lower->values)->alphabet_size;
}

/* The keys by token; false: they are not told by it, or not worth it. */
static bool find_keys(Lower *lower, const Node *select, NodeId *key, Arena *scratch) {
    Graph *graph = values_graph(lower->values);
    const Domain *domain = values_domain(lower->values);
    uint32_t nodes = graph_count(graph);
    if (!has_many_keys(lower, select)) return false;
    for (uint32_t t = 0; t < domain->alphabet_size; t++) {
        OfToken of = {graph, domain->alphabet[t], ARENA_ARRAY(scratch, nodes, NodeId)};
        key[t] = of_token(&of, select->arg[0]);
        if (key[t] == NODE_NONE || !values_of(lower->values, key[t])) return false;
    }
    return true;
}

static bool add_tokens(Lower *lower, const Node *select, const NodeId *key, Form *form) {
    const Domain *domain = values_domain(lower->values);
    *form = form_constant(0);
    for (uint32_t t = 0; t < domain->alphabet_size; t++)
        if (!add_token(lower, select, key[t], domain->alphabet[t], form)) return false;
    return true;
}

/* A function of the width, whose form is known to be such a sum: no head would count the keys. */
static bool scan_width(Lower *lower, NodeId id, NodeId width, const double *vector, Form *form) {
    const NodeValues *w = values_of(lower->values, width);
    ScanPoint *point = ARENA_ARRAY(lower->arena, w->count, ScanPoint);
    double *x = ARENA_ARRAY(lower->arena, w->count, double);
    double *value = ARENA_ARRAY(lower->arena, w->count, double);
    Cover cover = {.x = width};
    if (!lower_feature(lower, width, &cover.form)) return false;
    for (uint32_t k = 0; k < w->count; k++)
        point[k] = (ScanPoint){feature_number(w->levels[k]), vector[k]};
    qsort(point, w->count, sizeof *point, scan_order);
    for (uint32_t k = 0; k < w->count; k++) x[k] = point[k].x, value[k] = point[k].f;
    TableOutput output = {.node = id, .x = x, .value = value, .points = w->count};
    *form = add_scan_output(lower, scan_of(lower, cover), output);
    return true;
}

bool feature_by_token(Lower *lower, NodeId id, NodeId width, const double *vector, Form *form) {
    Graph *graph = values_graph(lower->values);
    Node select = *graph_node(graph, graph_node(graph, width)->arg[0]);
    Arena *scratch = arena_child(lower->arena);
    NodeId *key = ARENA_ARRAY(scratch, values_domain(lower->values)->alphabet_size, NodeId);
    bool told = find_keys(lower, &select, key, scratch);
    bool done = told && (id == width ? add_tokens(lower, &select, key, form)
                                     : scan_width(lower, id, width, vector, form));
    arena_free(scratch);
    return done;
}
