/* A head: its scores, and what its components carry. */
#include "compile/prove/judge_heads.h"

static const RtMask masks[] = {[MASK_NONE] = RT_MASK_NONE,
                               [MASK_CAUSAL] = RT_MASK_CAUSAL,
                               [MASK_STRICT_CAUSAL] = RT_MASK_STRICT_CAUSAL,
                               [MASK_ANTICAUSAL] = RT_MASK_ANTICAUSAL,
                               [MASK_STRICT_ANTICAUSAL] = RT_MASK_STRICT_ANTICAUSAL};

static bool same_shape(Judge *j, const CircuitHead *claim, const ModelHead *weights) {
    if (masks[claim->score.mask] != weights->mask)
        return judge_refuse(j, claim->selector, "its head's mask is claimed to be %s, and is %s",
                            rt_mask_names[masks[claim->score.mask]], rt_mask_names[weights->mask]);
    if ((claim->kind != HEAD_PLAIN) != weights->sink)
        return judge_refuse(j, claim->selector, "its head is claimed to %s the sink",
                            weights->sink ? "be without" : "see");
    if (claim->component_count != weights->value.cols)
        return judge_refuse(j, claim->selector, "%u components are claimed, its head has %zu",
                            claim->component_count, weights->value.cols);
    return !weights->sink || j->claims->sink != DIM_NONE ||
           judge_refuse(j, claim->selector, "its head sees a sink that is in no dimension");
}

/* What a component gives: an affine image of its s-op at program positions. */
typedef struct Result {
    Affine image;
    double fallback; /* what the sink is to carry for it */
    bool moves;
} Result;

/* By the selector's width, the number that the node has and the one that the head gives: `some`
 * where a key is selected, `none` where the sink has all weight; with `count` shares of 1/(1+w). */
static bool by_width(Judge *j, const CircuitHead *claim, NodeId node, double some, double none,
                     Affine *image) {
    NodeId width = graph_width(j->graph, claim->selector, SPAN_NONE);
    const Linear selected = {.term = &(Term){width, 1}, .count = 1};
    bool count = claim->kind == HEAD_COUNT;
    FormRows rows;
    if (!form_rows(j, &selected, node, &rows) || rows.count == 0) return false;
    for (size_t k = 0; k < rows.count; k++) {
        double *w = &rows.form[k];
        *w = count ? some + (none - some) / (1 + *w) : *w > 0 ? some : none;
    }
    *image = fit_affine(rows.node, rows.form, rows.count);
    if (count) image->slack += 2 * DBL_EPSILON * (fabs(some) + fabs(none));
    return !isnan(image->slack);
}

/* The node's aggregate of what the column reads. */
static bool aggregated(Judge *j, const CircuitHead *claim, const Node *n, Linear value,
                       const SelectorFacts *facts, NodeId node, Result *r) {
    if (claim->kind == HEAD_COUNT || n->arg[0] != claim->selector) return false;
    r->image = solve_affine(j, value, n->arg[1]);
    bool empty = claim->kind != HEAD_PLAIN && !facts->never_empty;
    if (empty && !number_is_exact(n->atom)) return false;
    if (empty) r->fallback = r->image.scale * atom_double(n->atom) + r->image.constant;
    r->moves = facts->at_most_one || values_moves(j->values, node);
    return true;
}

static bool judge_component(Judge *j, const CircuitHead *claim, const ModelHead *weights, size_t c,
                            const SelectorFacts *facts, Result *r) {
    NodeId node = claim->components[c].node;
    (void)judge_name(j, node); /* which may tell that it moves */
    Node n = *graph_node(j->graph, node);
    Linear value = read_column(j, &weights->value, c);
    double lost;
    *r = (Result){.fallback = read_row0(j, &weights->value, c, &lost), .moves = true};
    bool done = n.kind == NODE_AGGREGATE && aggregated(j, claim, &n, value, facts, node, r);
    if (!done) { /* whatever is selected has one number */
        Affine some = solve_constant(j, value);
        done = by_width(j, claim, node, some.constant, r->fallback, &r->image);
        r->image.slack += some.slack + lost;
        r->moves = claim->kind != HEAD_COUNT;
    }
    if (done && r->image.slack < node_gap(j, node) / 2 * fabs(r->image.scale)) return true;
    if (done && r->image.slack == 0) return true; /* nothing to tell apart */
    return judge_refuse(j, node,
                        done ? "its head gives other values: off by as much as %.3g"
                             : "its head gives something else (%.3g)",
                        r->image.slack);
}

/* Is each component's value the same at all keys that a row selects? */
static bool moves_all(Judge *j, const CircuitHead *claim, const ModelHead *weights,
                      const SelectorFacts *facts) {
    bool all = claim->kind != HEAD_COUNT;
    for (uint32_t c = 0; c < claim->component_count && all; c++) {
        Result r;
        all = judge_component(j, claim, weights, c, facts, &r) && r.moves;
    }
    return all;
}

/* The component's part, where every dimension that it is written to has it. */
static void write_result(Judge *j, const CircuitHead *claim, const ModelHead *weights, size_t c,
                         const Result *r, Linear *after) {
    Affine image = r->image;
    image.slack = 0; /* the certificate counts the component's */
    Linear part = linear_affine(j, image, claim->components[c].node);
    for (size_t d = 0; d < j->model->width; d++) {
        double w = tensor_get(&weights->output, c, d);
        if (w != 0) after[d] = linear_add(j, after[d], w, part);
    }
}

static void note_reliance(Judge *j, const CircuitHead *claim, const ModelHead *weights, size_t c) {
    NodeId node = claim->components[c].node;
    Linear value = read_column(j, &weights->value, c);
    relies_on(j, node, claim->selector);
    relies_on(j, node, node);
    relies_on_form(j, node, &value);
    for (size_t k = 0; k < weights->key.cols; k++) {
        Linear key = read_column(j, &weights->key, k), query = read_column(j, &weights->query, k);
        relies_on_form(j, node, &key);
        relies_on_form(j, node, &query);
    }
}

bool judge_head(Judge *j, const CircuitHead *claim, CircuitHead *head, Linear *after,
                double *after0) {
    const ModelHead *weights = j->model->layers[claim->layer]->heads[claim->index];
    const SelectorFacts *facts = values_selector(j->values, claim->selector);
    double slack;
    if (!same_shape(j, claim, weights)) return false;
    if (!facts) return judge_refuse(j, claim->selector, "too many values to judge its selector by");
    if (claim->kind == HEAD_PLAIN && !facts->never_empty)
        return judge_refuse(j, claim->selector,
                            "its head has no sink, and may find nothing that it selects");
    if (!judge_scores(j, claim, weights, false, &slack) &&
        !(moves_all(j, claim, weights, facts) && judge_scores(j, claim, weights, true, &slack)))
        return false;
    *head = *claim;
    head->score = (Score){.mask = claim->score.mask, .key_only = {.slack = slack}};
    head->single = facts->at_most_one;
    CircuitComponent *components = ARENA_ARRAY(j->arena, claim->component_count, CircuitComponent);
    head->components = components;
    for (uint32_t c = 0; c < claim->component_count; c++) {
        Result r;
        if (!judge_component(j, claim, weights, c, facts, &r)) return false;
        components[c] = claim->components[c];
        components[c].value = (Form){.slack = r.image.slack};
        components[c].fallback = r.fallback;
        components[c].moves = r.moves;
        write_result(j, claim, weights, c, &r, after);
        note_reliance(j, claim, weights, c);
        double lost, value0 = read_row0(j, &weights->value, c, &lost);
        for (size_t d = 0; d < j->model->width; d++)
            after0[d] += value0 * tensor_get(&weights->output, c, d);
    }
    return true;
}
