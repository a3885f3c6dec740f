/* Functions of selector widths that need no table: whether anything is selected, the length,
 * unions and complements by inclusion and exclusion. */
#include "compile/lower/rules.h"

#include "compile/values/formula.h"
#include "compile/values/numbers.h"

#include <math.h>

/* Taking one apart brings up to three widths, which may be unions again: with `s and (s or t)`,
 * said 60 times, that would never end.  So a conjunction of more unions than the first is left to
 * a table of combinations, and so is what comes after the second. */
enum { MOST_TOGETHER = 6, MOST_UNIONS = 500 };

/* Does the formula compare more than one pair of key and query?  As one selector it would
 * need a table of their combinations. */
static bool is_joint(const Graph *graph, NodeId selector, Arena *arena) {
    Literals literals = selector_literals(graph, selector, arena);
    Node first = *graph_node(graph, literals.select[0]);
    for (uint32_t k = 1; k < literals.count; k++) {
        const Node *node = graph_node(graph, literals.select[k]);
        if (node->arg[0] != first.arg[0] || node->arg[1] != first.arg[1]) return true;
    }
    return false;
}

static bool is_joint_union(const Graph *graph, NodeId selector, Arena *arena) {
    return graph_node(graph, selector)->kind == NODE_OR && is_joint(graph, selector, arena);
}

/* The first conjunct that is a joint `or` or `not`, and the rest of the conjunction
 * (NODE_NONE: nothing else).  NODE_NONE also where there are too many. */
static NodeId joint_conjunct(Lower *lower, NodeId selector, NodeId *rest) {
    Graph *graph = values_graph(lower->values);
    Literals conjuncts = selector_conjuncts(graph, selector, lower->arena);
    NodeId found = NODE_NONE;
    uint32_t together = 0;
    for (uint32_t k = 0; k < conjuncts.count; k++) {
        NodeId c = conjuncts.select[k];
        NodeKind kind = graph_node(graph, c)->kind;
        bool joint = (kind == NODE_OR || kind == NODE_NOT) && is_joint(graph, c, lower->arena);
        if (joint && together++ == 0) found = c;
    }
    *rest = NODE_NONE;
    if (found == NODE_NONE || together > MOST_TOGETHER || lower->unions >= MOST_UNIONS)
        return NODE_NONE;
    for (uint32_t k = 0; k < conjuncts.count; k++) {
        NodeId c = conjuncts.select[k];
        if (c != found) *rest = *rest == NODE_NONE ? c : graph_and(graph, *rest, c, SPAN_NONE);
    }
    lower->unions++;
    return found;
}

static NodeId with_rest(Graph *graph, NodeId rest, NodeId part, Span span) {
    return rest == NODE_NONE ? part : graph_and(graph, rest, part, span);
}

/* `R and (A or B)` selects something where `R and A` or `R and B` does: a head each. */
static bool focus_of_union(Lower *lower, NodeId rest, NodeId either, double none, double some,
                           Form *form) {
    Graph *graph = values_graph(lower->values);
    Node node = *graph_node(graph, either);
    NodeId zero = graph_constant(graph, atom_int(0), SPAN_NONE), focus[2];
    for (int k = 0; k < 2; k++) {
        NodeId width =
            graph_width(graph, with_rest(graph, rest, node.arg[k], node.span), node.span);
        focus[k] = graph_map(graph, OP_GT, (NodeId[]){width, zero}, node.span);
    }
    Form any;
    if (!lower_feature(lower, graph_map(graph, OP_OR, focus, node.span), &any)) return false;
    double step = some - none; /* none + step may not be `some` */
    *form = form_loose(form_affine(any, step, none, lower->arena), fabs(sum_lost(some, -none)));
    return true;
}

/* The function of a width that only asks whether anything is selected is an aggregate of a
 * constant. */
static bool feature_focus(Lower *lower, NodeId id, NodeId width, const double *vector, Form *form) {
    const NodeValues *w = values_of(lower->values, width);
    double none = 0, some = 0;
    bool seen_none = false, seen_some = false;
    for (uint32_t k = 0; k < w->count; k++) {
        bool zero = atom_integer(w->levels[k]) == 0;
        if (zero)
            none = vector[k], seen_none = true;
        else if (seen_some && some != vector[k])
            return false;
        else
            some = vector[k], seen_some = true;
    }
    if (!seen_none || !seen_some) return false;
    NodeId selector = graph_node(values_graph(lower->values), width)->arg[0];
    NodeId rest, joint = joint_conjunct(lower, selector, &rest);
    if (joint != NODE_NONE && graph_node(values_graph(lower->values), joint)->kind == NODE_OR)
        return focus_of_union(lower, rest, joint, none, some, form);
    return attend(lower, id, selector, HEAD_DEFAULT, true, form_constant(some), none, form);
}

/* Is this 1/(1+w), as a counting head gives it (cover.c asks for it), for a width w? */
NodeId reciprocal_of(const Lower *lower, NodeId id) {
    const Graph *graph = values_graph(lower->values);
    const Node *node = graph_node(graph, id);
    if (node->kind != NODE_MAP || node->op != OP_DIV) return NODE_NONE;
    const Node *one = graph_node(graph, node->arg[0]), *sum = graph_node(graph, node->arg[1]);
    if (one->kind != NODE_CONSTANT || !atom_same(one->atom, atom_int(1))) return NODE_NONE;
    if (sum->kind != NODE_MAP || sum->op != OP_ADD || sum->arg[1] != node->arg[0]) return NODE_NONE;
    return graph_node(graph, sum->arg[0])->kind == NODE_WIDTH ? sum->arg[0] : NODE_NONE;
}

/* The width of everything is twice the mean index and one, without any table. */
static bool feature_length(Lower *lower, NodeId width, Form *form) {
    Graph *graph = values_graph(lower->values);
    NodeId selector = graph_node(graph, width)->arg[0];
    NodeId indices = graph_indices(graph, SPAN_NONE);
    NodeId mean =
        graph_aggregate(graph, selector, indices, atom_int(0), graph_node(graph, width)->span);
    Form of_mean;
    if (!lower_feature(lower, mean, &of_mean)) return false;
    *form = form_affine(of_mean, 2, 1, lower->arena);
    return true;
}

/* Parts of conjunctions that cannot both hold: one is the other's negation, or they are
 * comparisons of one key with one query. */
static bool parts_exclude(const Graph *graph, NodeId a, NodeId b) {
    const Node *x = graph_node(graph, a), *y = graph_node(graph, b);
    if (x->kind == NODE_NOT) return x->arg[0] == b;
    if (y->kind == NODE_NOT) return y->arg[0] == a;
    if (x->kind != NODE_SELECT || y->kind != NODE_SELECT) return false;
    if (x->arg[0] != y->arg[0] || x->arg[1] != y->arg[1]) return false;
    return (ops[x->op].holds & ops[y->op].holds) == 0;
}

static bool exclude(const Graph *graph, NodeId a, NodeId b, Arena *arena) {
    Literals x = selector_conjuncts(graph, a, arena), y = selector_conjuncts(graph, b, arena);
    for (uint32_t k = 0; k < x.count; k++)
        for (uint32_t m = 0; m < y.count; m++)
            if (parts_exclude(graph, x.select[k], y.select[m])) return true;
    return false;
}

/* Adds factor * |selector| to the form. */
static bool add_width(Lower *lower, NodeId selector, double factor, Form *form) {
    Graph *graph = values_graph(lower->values);
    Form of_width;
    NodeId width = graph_width(graph, selector, graph_node(graph, selector)->span);
    if (!lower_feature(lower, width, &of_width)) return false;
    *form = form_sum(*form, 1, of_width, factor, lower->arena);
    return true;
}

static NodeId everything(Graph *graph) {
    NodeId one = graph_constant(graph, atom_int(1), SPAN_NONE);
    return graph_select(graph, OP_EQ, one, one, SPAN_NONE);
}

/* |R and (A or B)| = |R and A| + |R and B| - |R and A and B|, |R and not A| = |R| - |R and A|:
 * small heads instead of a joint one.  *done says whether it applied. */
static bool feature_inclusion(Lower *lower, NodeId width, Form *form, bool *done) {
    Graph *graph = values_graph(lower->values);
    NodeId rest, joint = joint_conjunct(lower, graph_node(graph, width)->arg[0], &rest);
    *done = joint != NODE_NONE;
    if (!*done) return true;
    Node node = *graph_node(graph, joint);
    *form = form_constant(0);
    NodeId a = with_rest(graph, rest, node.arg[0], node.span);
    if (node.kind == NODE_NOT)
        return add_width(lower, rest == NODE_NONE ? everything(graph) : rest, 1, form) &&
               add_width(lower, a, -1, form);
    NodeId b = with_rest(graph, rest, node.arg[1], node.span);
    if (!add_width(lower, a, 1, form) || !add_width(lower, b, 1, form)) return false;
    return exclude(graph, node.arg[0], node.arg[1], lower->arena) ||
           add_width(lower, graph_and(graph, a, node.arg[1], node.span), -1, form);
}

bool feature_width(Lower *lower, NodeId id, NodeId width, Form *form) {
    Graph *graph = values_graph(lower->values);
    NodeId selector = graph_node(graph, width)->arg[0];
    const SelectorFacts *facts = values_selector(lower->values, selector);
    double *vector;
    bool complete;
    if (!facts) return lower_fail_values(lower);
    if (!function_vector(lower, width, id, &vector, &complete)) return false;
    if (complete && feature_lexicographic(lower, width, vector, form)) return true;
    if (lower->error.message[0]) return false;
    if (complete && feature_by_token(lower, id, width, vector, form)) return true;
    if (lower->error.message[0]) return false;
    bool done = false;
    if (id == width && !feature_inclusion(lower, width, form, &done)) return false;
    if (done) return true;
    if (complete && feature_focus(lower, id, width, vector, form)) return true;
    if (lower->error.message[0]) return false;
    return id == width && facts->everything && feature_length(lower, width, form);
}

/* Is the selector a union of several comparisons, and nothing is taken from it: small heads and
 * what they have in common, instead of a joint one? */
static bool is_union(Lower *lower, NodeId selector) {
    Graph *graph = values_graph(lower->values);
    Literals literals = selector_literals(graph, selector, lower->arena);
    for (uint32_t k = 0; k < literals.step_count; k++)
        if (literals.step[k].kind == NODE_NOT) return false;
    return is_joint_union(graph, selector, lower->arena);
}

bool feature_counted(Lower *lower, NodeId id, NodeId source, Form *form) {
    Graph *graph = values_graph(lower->values);
    Node node = *graph_node(graph, source);
    double *vector;
    bool complete;
    if (!values_counted(lower->values, source) || !is_union(lower, node.arg[0])) return false;
    if (!function_vector(lower, source, id, &vector, &complete) || !complete) return false;
    NodeId width = graph_width(graph, node.arg[0], node.span);
    const NodeValues *v = values_of(lower->values, source), *w = values_of(lower->values, width);
    if (!w) return lower_fail_values(lower);
    double *number = ARENA_ARRAY(lower->arena, w->count, double);
    for (uint32_t k = 0; k < w->count; k++)
        for (uint32_t m = 0; m < v->count; m++)
            if (atom_double(v->levels[m]) == 1 / atom_double(w->levels[k])) number[k] = vector[m];
    NodeId code = lower_code(lower, width, number);
    return code != id && lower_feature(lower, code, form);
}
