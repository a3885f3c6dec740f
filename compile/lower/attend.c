/* Heads: what attention moves or averages. */
#include "compile/lower/rules.h"

#include "compile/lower/score.h"
#include "compile/lower/slack.h"
#include "compile/values/numbers.h"

#include <float.h>
#include <math.h>

/* The score of a selector, made once with the sink and once without, and for values that are moved;
 * NULL on failure. */
static const LayeredScore *score_of(Lower *lower, NodeId selector, bool sink, bool moves) {
    size_t at = 4 * (size_t)selector + 2 * sink, place = at + moves;
    lower->score = arena_grow(lower->arena, lower->score, &lower->score_capacity, at + 2,
                              sizeof *lower->score);
    if (lower->score[place]) return lower->score[place];
    LayeredScore *score = ARENA_NEW(lower->arena, LayeredScore);
    bool unequal;
    if (!score_build(lower, selector, sink, moves, &score->score, &unequal)) return NULL;
    score->layer = score_layer(lower, &score->score);
    lower->score = arena_grow(lower->arena, lower->score, &lower->score_capacity, at + 2,
                              sizeof *lower->score);
    if (moves && !unequal) { /* the same as for any values: one head has both */
        if (!lower->score[at]) lower->score[at] = score;
        return lower->score[place] = lower->score[at];
    }
    return lower->score[place] = score;
}

static HeadPlan *head_at(Lower *lower, NodeId selector, HeadKind kind, const Score *score,
                         uint32_t layer) {
    for (size_t k = 0; k < lower->head_count; k++) {
        HeadPlan *head = lower->head[k];
        if (head->selector == selector && head->kind == kind && head->layer == layer &&
            head->score == score)
            return head;
    }
    HeadPlan *head = ARENA_NEW(lower->arena, HeadPlan);
    *head = (HeadPlan){.selector = selector, .kind = kind, .layer = layer, .score = score};
    const SelectorFacts *facts = values_selector(lower->values, selector);
    head->single = facts->at_most_one;
    lower->head = arena_grow(lower->arena, lower->head, &lower->head_capacity,
                             lower->head_count + 1, sizeof *lower->head);
    lower->head[lower->head_count++] = head;
    return head;
}

static uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

bool attend(Lower *lower, NodeId node, NodeId selector, HeadKind kind, bool moves, Form value,
            double fallback, Form *form) {
    const LayeredScore *score = score_of(lower, selector, kind != HEAD_PLAIN, moves);
    if (!score) return false;
    uint32_t layer = 1 + larger(score->layer, lower_stage(lower, value).layer), number = 0;
    HeadPlan *head = head_at(lower, selector, kind, &score->score, layer);
    while (lower->head[number] != head) number++;
    for (size_t k = 0; k < head->component_count; k++) {
        const Component *c = &head->components[k];
        if (!form_same(c->value, value) || c->fallback != fallback) continue;
        /* Over values that are the same but for their rounding. */
        double slack = slack_of_form(lower, c->value) + slack_of_form(lower, value);
        if (slack > 0 && c->node != node) slack += DBL_EPSILON * slack_size(lower, node);
        *form = form_loose(form_part(c->part, lower->arena), c->node == node ? 0 : slack);
        return true;
    }
    head->components = arena_grow(lower->arena, head->components, &head->component_capacity,
                                  head->component_count + 1, sizeof *head->components);
    uint32_t part = add_part(lower, (Part){.origin = FROM_HEAD,
                                           .node = node,
                                           .stage = {layer, 0},
                                           .owner = number,
                                           .column = (uint32_t)head->component_count});
    head->components[head->component_count++] = (Component){value, fallback, part, node};
    *form = form_part(part, lower->arena);
    return true;
}

bool feature_aggregate(Lower *lower, NodeId id, Form *form) {
    Graph *graph = values_graph(lower->values);
    NodeId selector = graph_node(graph, id)->arg[0], value = graph_node(graph, id)->arg[1];
    Atom fallback = graph_node(graph, id)->atom;
    const SelectorFacts *facts = values_selector(lower->values, selector);
    if (!facts) return lower_fail_values(lower);
    Form of_value;
    if (!lower_feature(lower, value, &of_value)) return false;
    HeadKind kind = facts->never_empty ? HEAD_PLAIN : HEAD_DEFAULT;
    double number = kind == HEAD_PLAIN ? 0 : feature_number(fallback);
    bool moves = values_moves(lower->values, id);
    return attend(lower, id, selector, kind, moves, of_value, number, form);
}

bool feature_moved(Lower *lower, NodeId id, NodeId source, Form *form) {
    lower->moved_space = arena_grow(lower->arena, lower->moved_space, &lower->moved_capacity,
                                    (size_t)source + 1, sizeof *lower->moved_space);
    double *vector;
    bool complete;
    if (!function_vector(lower, source, id, &vector, &complete)) return false;
    const NodeValues *moved = values_of(lower->values, source);
    Space *space = lower->moved_space[source];
    if (!space) space = lower->moved_space[source] = space_new(lower->arena, moved->count);
    if (space_solve(space, vector, form)) return true;

    Graph *graph = values_graph(lower->values);
    NodeId selector = graph_node(graph, source)->arg[0], value = graph_node(graph, source)->arg[1];
    Atom fallback = graph_node(graph, source)->atom;
    const NodeValues *v = values_of(lower->values, value);
    double *image = ARENA_ARRAY(lower->arena, v->count, double), image_fallback = 0;
    for (uint32_t m = 0; m < moved->count; m++) {
        if (atom_equal(moved->levels[m], fallback)) image_fallback = vector[m];
        for (uint32_t k = 0; k < v->count; k++)
            if (atom_equal(moved->levels[m], v->levels[k])) image[k] = vector[m];
    }
    NodeId coded = lower_code(lower, value, image);
    NodeId node = graph_aggregate(graph, selector, coded, number_atom(image_fallback),
                                  graph_node(graph, id)->span);
    values_declare_moves(lower->values, node);
    const NodeValues *nv = values_of(lower->values, node);
    if (!nv) return lower_fail_values(lower);
    if (nv->count == 1)
        *form = form_constant(feature_number(nv->levels[0]));
    else if (!feature_aggregate(lower, node, form))
        return false;
    space_add(space, vector, *form);
    return true;
}

/* A number for a level of a mean's result: numbers stand for themselves, others (the default,
 * values of inputs on which nothing is averaged) for numbers below all of them. */
static double mixed_number(const NodeValues *result, double lowest, Atom value) {
    if (number_is_exact(value)) return feature_number(value);
    for (uint32_t k = 0; k < result->count; k++)
        if (atom_equal(result->levels[k], value)) return lowest - 1 - k;
    return lowest - 1 - result->count; /* never a result */
}

/* What is no number travels as one, and the function is looked up by that. */
bool feature_mixed(Lower *lower, NodeId id, NodeId source, Form *form) {
    Graph *graph = values_graph(lower->values);
    Node node = *graph_node(graph, source);
    const NodeValues *v = values_of(lower->values, source);
    const NodeValues *value = values_of(lower->values, node.arg[1]);
    double *vector, lowest = 0;
    bool complete;
    for (uint32_t k = 0; k < value->count; k++)
        if (value->levels[k].kind != ATOM_STRING && !number_is_exact(value->levels[k]))
            return lower_fail(lower, source, "averages %s, which no double holds",
                              atom_show(value->levels[k], ATOM_PLAIN, lower->arena));
    if (!function_vector(lower, source, id, &vector, &complete)) return false;
    for (uint32_t k = 0; k < v->count; k++)
        if (number_is_exact(v->levels[k]))
            lowest = fmin(lowest, floor(feature_number(v->levels[k])));
    Atom *key = ARENA_ARRAY(lower->arena, v->count, Atom);
    Atom *image = ARENA_ARRAY(lower->arena, v->count, Atom);
    for (uint32_t k = 0; k < v->count; k++) {
        key[k] = number_atom(mixed_number(v, lowest, v->levels[k]));
        image[k] = number_atom(vector[k]);
    }
    double *number = ARENA_ARRAY(lower->arena, value->count, double);
    for (uint32_t k = 0; k < value->count; k++)
        number[k] = mixed_number(v, lowest, value->levels[k]);
    NodeId mean = graph_aggregate(graph, node.arg[0], lower_code(lower, node.arg[1], number),
                                  number_atom(mixed_number(v, lowest, node.atom)), node.span);
    const Lookup *lookup = lookup_new(graph_arena(graph), LOOKUP_DICT, key, image, v->count);
    return lower_feature(lower, graph_lookup(graph, lookup, mean, node.span), form);
}
