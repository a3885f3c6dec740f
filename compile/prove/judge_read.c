/* The walk over the weights: what every dimension holds, layer by layer. */
#include "compile/atoms.h"
#include "compile/prove/judge_private.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool judge_refuse(Judge *j, NodeId node, const char *format, ...) {
    Verdict *v = j->verdict;
    if (v->refused[0]) return false;
    va_list args;
    va_start(args, format);
    int used = node == NODE_NONE
                   ? 0
                   : snprintf(v->refused, sizeof v->refused, "%s: ", judge_text(j, node));
    vsnprintf(v->refused + used, sizeof v->refused - (size_t)used, format, args);
    va_end(args);
    v->node = node;
    return false;
}

const char *judge_text(const Judge *j, NodeId node) {
    const Str *name = graph_node(j->graph, node)->name;
    return name && name->length < 80 ? name->text : graph_text(j->graph, node, 60, j->arena);
}

Linear read_column(Judge *j, const Tensor *t, size_t column) {
    Linear sum = linear_constant(0);
    for (size_t d = 0; d < t->rows; d++)
        sum = linear_add(j, sum, tensor_get(t, d, column), j->state[d]);
    return sum;
}

double read_row0(const Judge *j, const Tensor *t, size_t column, double *lost) {
    double sum = 0, error = 0, size = 0;
    for (size_t d = 0; d < t->rows; d++) {
        double w = tensor_get(t, d, column), product = w * j->row0[d];
        error += fabs(fma(w, j->row0[d], -product)) + fabs(sum_lost(sum, product));
        size += fabs(product);
        sum += product;
    }
    *lost = error == 0 ? 0 : 2 * error + 0x1p-96 * size;
    return sum;
}

/* --- embeddings ----------------------------------------------------------------------- */

/* Where the input's value stands in the embedding: a token's number, a position. */
static uint32_t row_of(const Judge *j, bool token, Atom value) {
    const Domain *domain = &j->claims->domain;
    uint32_t k = 0;
    if (!token) return (uint32_t)value.i;
    while (k < domain->alphabet_size && !atom_same(domain->alphabet[k], value)) k++;
    return k;
}

/* A claimed s-op of the input that the column is an affine image of, within less than what tells
 * its values apart; else an s-op made for it: the input, looked up in the column. */
static Linear read_embedding(Judge *j, const Tensor *t, size_t d, NodeId input, Origin origin) {
    bool constant = true;
    for (size_t r = 2; r < t->rows; r++) constant &= tensor_get(t, r, d) == tensor_get(t, 1, d);
    if (constant) return linear_constant(tensor_get(t, 1, d));
    const NodeValues *v = values_of(j->values, input);
    double *column = ARENA_ARRAY(j->arena, v->count, double);
    for (uint32_t k = 0; k < v->count; k++)
        column[k] = tensor_get(t, 1 + row_of(j, origin == FROM_TOKEN, v->levels[k]), d);
    Linear own = linear_node(j, node_coded(j, input, column), 1);
    for (uint32_t p = 0; p < j->claims->part_count; p++) {
        const CircuitPart *part = &j->claims->parts[p];
        if (part->origin != origin || part->dim != d ||
            !node_follows(j, judge_name(j, part->node), &input, 1))
            continue;
        Affine a = solve_affine(j, own, part->node);
        if (!(a.slack <= node_gap(j, part->node) / 4 * fabs(a.scale))) continue;
        relies_on(j, part->node, part->node);
        return linear_affine(j, a, part->node);
    }
    return own;
}

static bool read_embeddings(Judge *j) {
    const Model *m = j->model;
    NodeId tokens = graph_tokens(j->graph, TOKENS_ASIS, SPAN_NONE);
    NodeId indices = graph_indices(j->graph, SPAN_NONE);
    if (!values_of(j->values, tokens) || !values_of(j->values, indices))
        return judge_refuse(j, NODE_NONE, "too many tokens or positions");
    for (size_t d = 0; d < m->width; d++) {
        Linear token = read_embedding(j, &m->tokens, d, tokens, FROM_TOKEN);
        j->state[d] =
            linear_add(j, token, 1, read_embedding(j, &m->positions, d, indices, FROM_POSITION));
        j->row0[d] = tensor_get(&m->tokens, 0, d) + tensor_get(&m->positions, 0, d);
    }
    return true;
}

/* --- what is claimed of dimensions ---------------------------------------------------- */

/* Does the part's dimension hold it, at this time, and nothing else? */
static bool holds_part(Judge *j, uint32_t p) {
    const CircuitPart *part = &j->claims->parts[p];
    Affine a = solve_affine(j, j->state[part->dim], part->node);
    if (a.slack == 0 || a.slack < node_gap(j, part->node) / 2 * fabs(a.scale)) return true;
    return judge_refuse(j, part->node, "dimension %u is claimed to hold it, and is off by %.3g",
                        part->dim, a.slack);
}

static bool same_linear(const Linear *a, const Linear *b) {
    return a->term && a->term == b->term && a->count == b->count && a->constant == b->constant &&
           a->slack == b->slack;
}

/* Is the part claimed to stand in its dimension from `now` on, or still, for what reads it later?
 */
static bool is_claimed(const CircuitPart *part, Stage now) {
    if (part->dim == DIM_NONE) return false;
    return stage_same(part->born, now) ||
           (stage_before(part->born, now) && stage_before(now, part->last));
}

static bool claims_hold(Judge *j, Stage now) {
    for (uint32_t p = 0; p < j->claims->part_count; p++) {
        const CircuitPart *part = &j->claims->parts[p];
        if (!is_claimed(part, now)) continue;
        if (part->dim >= j->model->width)
            return judge_refuse(j, part->node, "there is no dimension %u", part->dim);
        j->shown[p] |= stage_same(part->born, now);
        if (same_linear(&j->held[p], &j->state[part->dim])) continue; /* nobody wrote there */
        if (!holds_part(j, p)) return false;
        j->held[p] = j->state[part->dim];
    }
    return true;
}

static bool all_shown(Judge *j) {
    for (uint32_t p = 0; p < j->claims->part_count; p++)
        if (j->claims->parts[p].dim != DIM_NONE && !j->shown[p])
            return judge_refuse(j, j->claims->parts[p].node,
                                "it is claimed to be written at a time that there is not");
    return true;
}

/* --- layers --------------------------------------------------------------------------- */

static bool writes_nothing(const ModelHead *head) {
    for (size_t k = 0; k < tensor_size(&head->output); k++)
        if (head->output.data[k] != 0) return false;
    return true;
}

static bool judge_heads(Judge *j, uint32_t layer) {
    const ModelLayer *weights = j->model->layers[layer];
    size_t width = j->model->width;
    Linear *after = ARENA_ARRAY(j->arena, width, Linear);
    double *after0 = ARENA_ARRAY(j->arena, width, double);
    bool *claimed = ARENA_ARRAY(j->arena, weights->head_count, bool);
    memcpy(after, j->state, width * sizeof *after);
    memcpy(after0, j->row0, width * sizeof *after0);
    CircuitHead *heads = (CircuitHead *)j->circuit->heads;
    for (uint32_t h = 0; h < j->claims->head_count; h++) {
        const CircuitHead *claim = &j->claims->heads[h];
        if (claim->layer != layer) continue;
        if (claim->index >= weights->head_count || claimed[claim->index])
            return judge_refuse(j, claim->selector, "layer %u has no such head", layer);
        claimed[claim->index] = true;
        if (!judge_head(j, claim, &heads[h], after, after0)) return false;
    }
    for (size_t h = 0; h < weights->head_count; h++)
        if (!claimed[h] && !writes_nothing(weights->heads[h]))
            return judge_refuse(j, NODE_NONE, "nothing is claimed of head %zu of layer %u", h,
                                layer);
    memcpy(j->state, after, width * sizeof *after);
    memcpy(j->row0, after0, width * sizeof *after0);
    return true;
}

static bool judge_layers(Judge *j) {
    uint32_t first = j->claims->first_layer;
    if (j->claims->layer_count != j->model->layer_count)
        return judge_refuse(j, NODE_NONE, "%u layers are claimed, there are %zu",
                            j->claims->layer_count, j->model->layer_count);
    if (!claims_hold(j, (Stage){0, 0})) return false;
    for (uint32_t l = 0; l < j->model->layer_count; l++) {
        if (!judge_heads(j, l)) return false;
        if (l + first > 0 && !claims_hold(j, (Stage){l + first, 0})) return false;
        for (uint32_t m = 0; m < j->model->layers[l]->mlp_count; m++)
            if (!judge_sublayer(j, l, m) || !claims_hold(j, (Stage){l + first, m + 1}))
                return false;
    }
    return true;
}

/* --- what claims and file must agree in ----------------------------------------------- */

/* Is what is claimed of layers, sublayers and parts a place that there is? */
static bool in_place(Judge *j) {
    const Circuit *c = j->claims;
    const Model *m = j->model;
    bool fits = true;
    for (uint32_t h = 0; h < c->head_count; h++) {
        fits &= c->heads[h].layer < m->layer_count;
        for (uint32_t k = 0; k < c->heads[h].component_count; k++)
            fits &= c->heads[h].components[k].part < c->part_count;
    }
    for (uint32_t t = 0; t < c->table_count && fits; t++) {
        const CircuitTable *table = &c->tables[t];
        fits &= table->layer < m->layer_count && table->output_count > 0 &&
                table->sublayer < m->layers[table->layer]->mlp_count;
        for (uint32_t o = 0; o < table->output_count; o++)
            fits &= table->outputs[o].part < c->part_count;
    }
    for (uint32_t k = 0; k < c->clear_count && fits; k++)
        fits &= c->clears[k].layer < m->layer_count && c->clears[k].part < c->part_count &&
                c->clears[k].sublayer < m->layers[c->clears[k].layer]->mlp_count;
    return fits || judge_refuse(j, NODE_NONE, "a claim is about a place that there is not");
}

/* The inputs that the file runs on, and how. */
static bool same_frame(Judge *j) {
    const Domain *domain = &j->claims->domain;
    const Model *m = j->model;
    bool same = domain->alphabet_size == m->alphabet_size && domain->max_length == m->max_length;
    for (uint32_t k = 0; same && k < domain->alphabet_size; k++)
        same = atom_is_in_file(domain->alphabet[k], &m->alphabet[k]);
    if (!same) return judge_refuse(j, NODE_NONE, "the file has other inputs");
    if (m->kernel != j->claims->options.kernel)
        return judge_refuse(j, NODE_NONE, "the file's kernel is %s", rt_rules[m->kernel].name);
    return m->output_count == j->claims->output_count ||
           judge_refuse(j, NODE_NONE, "%u outputs are claimed, the file has %zu",
                        j->claims->output_count, m->output_count);
}

/* --- all of it ------------------------------------------------------------------------ */

static Values *make_values(const Circuit *claims, Graph *graph, ValuesWay way, uint32_t limit,
                           Arena *arena) {
    Values *values = values_new(graph, &claims->domain, limit, values_row_limit(limit), arena);
    if (way == VALUES_RUN && !values_run(values)) return NULL;
    if (way == VALUES_PRODUCTS_FIRST) values_limit_work(values, values_way_work(&claims->domain));
    if (claims->domain.where != NODE_NONE) (void)values_of(values, claims->domain.where);
    values_leave_means(values);
    return values;
}

/* The claims' parts, and one for each dimension. */
static void make_parts(Judge *j) {
    const Circuit *claims = j->claims;
    j->part_count = claims->part_count + j->model->width;
    j->parts = arena_grow(j->arena, NULL, &j->part_capacity, j->part_count, sizeof *j->parts);
    for (uint32_t p = 0; p < claims->part_count; p++) j->parts[p] = claims->parts[p];
    for (uint32_t d = 0; d < j->model->width; d++)
        j->parts[claims->part_count + d] =
            (CircuitPart){.node = NODE_NONE, .dim = d, .born = {UINT32_MAX, 0}};
}

static void find_below(Judge *j) {
    const Circuit *c = j->claims;
    NodeId *outputs = ARENA_ARRAY(j->arena, c->output_count, NodeId);
    for (uint32_t o = 0; o < c->output_count; o++) outputs[o] = c->outputs[o].node;
    j->below_count = graph_count(j->graph);
    j->below = graph_needed(j->graph, outputs, c->output_count, j->arena);
}

static bool judge_by(const Circuit *claims, Graph *graph, ValuesWay way, uint32_t limit,
                     const Model *model, Arena *arena, Verdict *verdict) {
    Judge j = {
        .claims = claims, .graph = graph, .model = model, .arena = arena, .verdict = verdict};
    *verdict = (Verdict){.node = NODE_NONE};
    j.values = make_values(claims, graph, way, limit, arena);
    if (!j.values) return judge_refuse(&j, claims->domain.where, "its inputs cannot be told");
    j.state = ARENA_ARRAY(arena, model->width, Linear);
    j.row0 = ARENA_ARRAY(arena, model->width, double);
    j.shown = ARENA_ARRAY(arena, claims->part_count, bool);
    j.held = ARENA_ARRAY(arena, claims->part_count, Linear);
    j.circuit = ARENA_NEW(arena, Circuit);
    *j.circuit = *claims;
    j.circuit->width = (uint32_t)model->width;
    j.circuit->judged = true;
    j.circuit->heads = ARENA_ARRAY(arena, claims->head_count, CircuitHead);
    j.circuit->tables = ARENA_ARRAY(arena, claims->table_count, CircuitTable);
    j.circuit->clears = ARENA_ARRAY(arena, claims->clear_count, CircuitClear);
    j.circuit->outputs = ARENA_ARRAY(arena, claims->output_count, CircuitOutput);
    make_parts(&j);
    find_below(&j);
    if (!in_place(&j) || !same_frame(&j) || !read_embeddings(&j) || !judge_layers(&j) ||
        !all_shown(&j) || !judge_outputs(&j))
        return false;
    j.circuit->parts = j.parts;
    j.circuit->part_count = (uint32_t)j.part_count;
    verdict->circuit = j.circuit;
    return verdict->holds =
               certificate_check(j.circuit, model, model, arena, &verdict->certificate);
}

bool judge_claims(const Circuit *claims, Graph *graph, ValuesWay way, uint32_t table_limit,
                  const Model *model, Arena *arena, Verdict *verdict) {
    if (way == VALUES_BY_DOMAIN) way = values_way(&claims->domain);
    if (judge_by(claims, graph, way, table_limit, model, arena, verdict)) return true;
    /* As the compiler does: what products do not show, all inputs may; and what is too much for
     * them, products to their end. */
    if (way != VALUES_PRODUCTS_FIRST) return false;
    return judge_by(claims, graph, VALUES_RUN, table_limit, model, arena, verdict) ||
           judge_by(claims, graph, VALUES_PRODUCTS, table_limit, model, arena, verdict);
}
