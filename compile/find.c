/* The walk: what every dimension holds by the sample, layer by layer, and what writes it. */
#include "compile/find_walk.h"

#include <math.h>
#include <string.h>

/* --- frame ------------------------------------------------------------------------------- */

static const ScoreMask masks[] = {[RT_MASK_NONE] = MASK_NONE,
                                  [RT_MASK_CAUSAL] = MASK_CAUSAL,
                                  [RT_MASK_STRICT_CAUSAL] = MASK_STRICT_CAUSAL,
                                  [RT_MASK_ANTICAUSAL] = MASK_ANTICAUSAL,
                                  [RT_MASK_STRICT_ANTICAUSAL] = MASK_STRICT_ANTICAUSAL};

static void begin_claims(Finder *f, const Domain *domain, const NodeId *nodes) {
    const Model *m = f->model;
    CircuitLayer *layers = ARENA_ARRAY(f->arena, m->layer_count, CircuitLayer);
    CircuitOutput *outputs = ARENA_ARRAY(f->arena, m->output_count, CircuitOutput);
    for (size_t l = 0; l < m->layer_count; l++)
        layers[l] = (CircuitLayer){.head_count = (uint32_t)m->layers[l]->head_count,
                                   .sublayer_count = (uint32_t)m->layers[l]->mlp_count};
    for (size_t o = 0; o < m->output_count; o++)
        outputs[o] = (CircuitOutput){.name = m->outputs[o]->name, .node = nodes[o]};
    f->found->claims = (Circuit){.graph = f->graph,
                                 .domain = *domain,
                                 .width = (uint32_t)m->width,
                                 .layers = layers,
                                 .layer_count = (uint32_t)m->layer_count,
                                 .outputs = outputs,
                                 .output_count = (uint32_t)m->output_count};
    f->found->claims.first_layer = m->layer_count && m->layers[0]->head_count == 0 ? 0 : 1;
}

/* --- embeddings -------------------------------------------------------------------------- */

static bool is_constant_column(const Tensor *t, size_t d) {
    for (size_t r = 2; r < t->rows; r++)
        if (tensor_get(t, r, d) != tensor_get(t, 1, d)) return false;
    return true;
}

static NodeId embedded_node(Finder *f, const Tensor *t, size_t d, bool token) {
    const Sample *s = &f->sample;
    const Domain *domain = &f->found->claims.domain;
    size_t count = t->rows - 1;
    double *y = ARENA_ARRAY(f->arena, s->cells, double), *column;
    for (uint32_t k = 0; k < s->count; k++)
        for (uint32_t i = 0; i < s->inputs[k].length; i++)
            y[s->inputs[k].cell + i] = tensor_get(t, 1 + (token ? s->inputs[k].ids[i] : i), d);
    NodeId node = match_number(&f->match, y);
    if (node != NODE_NONE && graph_node(f->graph, node)->depth == 0) return node;
    Atom *keys = ARENA_ARRAY(f->arena, count, Atom);
    column = ARENA_ARRAY(f->arena, count, double);
    for (size_t k = 0; k < count; k++) {
        keys[k] = token ? domain->alphabet[k] : atom_int((int64_t)k);
        column[k] = tensor_get(t, 1 + k, d);
    }
    NodeId of =
        token ? graph_tokens(f->graph, TOKENS_ASIS, SPAN_NONE) : graph_indices(f->graph, SPAN_NONE);
    return find_code(f, of, keys, column, count);
}

static void find_embedding(Finder *f, const Tensor *t, size_t d, bool token, bool alone) {
    NodeId node = embedded_node(f, t, d, token);
    const Candidate *c = match_node(&f->match, node);
    Stage born = {0, 0}, last;
    held_add(f, f->held, d, node, c ? 1 : NAN);
    if (!alone || !find_last(f, d, born, &last)) return;
    find_part(f, (CircuitPart){.origin = token ? FROM_TOKEN : FROM_POSITION,
                               .node = node,
                               .dim = (uint32_t)d,
                               .last = last});
    find_note(f, true, &node, 1, arena_format(f->arena, "embedding, dimension %zu", d),
              find_text(f, node));
}

/* Scales are found by what stands in the column. */
static void scale_embedding(Finder *f, size_t d) {
    Held *held = &f->held[d];
    double scale, offset;
    if (held->count != 1) return;
    const Candidate *c = match_node(&f->match, held->term[0].node);
    double *y = find_column(f, 0, d);
    if (c && match_affine(&f->match, c, y, &scale, &offset))
        held->term[0].factor = scale;
    else
        held->unknown = true;
}

static void find_embeddings(Finder *f) {
    const Model *m = f->model;
    for (size_t d = 0; d < m->width; d++) {
        bool token = !is_constant_column(&m->tokens, d);
        bool position = !is_constant_column(&m->positions, d);
        if (token) find_embedding(f, &m->tokens, d, true, !position);
        if (position) find_embedding(f, &m->positions, d, false, !token);
        if (token && position) f->held[d].unknown = true;
        scale_embedding(f, d);
    }
}

/* --- heads ------------------------------------------------------------------------------- */

static bool head_is_silent(const ModelHead *head) {
    for (size_t k = 0; k < tensor_size(&head->output); k++)
        if (head->output.data[k] != 0) return false;
    return true;
}

/* By how often rows with a selection leave the sink a key's weight. */
static HeadKind kind_of(const ModelHead *head, const HeadSeen *seen) {
    if (!head->sink) return HEAD_PLAIN;
    return seen->counted > seen->defaulted ? HEAD_COUNT : HEAD_DEFAULT;
}

static Atom nice(double x) {
    double whole = round(x);
    return fabs(x - whole) < 1e-3 ? atom_int((int64_t)whole) : atom_float(x);
}

/* The program's aggregate of these, if it has one with that default. */
static NodeId aggregate_of(Finder *f, NodeId selector, NodeId value, bool plain, double fallback) {
    for (NodeId id = 0; id < graph_count(f->graph); id++) {
        const Node *n = graph_node(f->graph, id);
        if (n->kind != NODE_AGGREGATE || n->arg[0] != selector || n->arg[1] != value) continue;
        if (plain || (atom_is_number(n->atom) && fabs(atom_double(n->atom) - fallback) < 1e-3))
            return id;
    }
    Atom atom = plain || fabs(fallback) > 1e15 ? atom_int(0) : nice(fallback);
    return graph_aggregate(f->graph, selector, value, atom, SPAN_NONE);
}

static NodeId by_width(Finder *f, NodeId selector, HeadKind kind) {
    NodeId width = graph_width(f->graph, selector, SPAN_NONE);
    Atom zero = atom_int(0), one = atom_int(1);
    NodeId none = graph_constant(f->graph, zero, SPAN_NONE);
    NodeId single = graph_constant(f->graph, one, SPAN_NONE);
    if (kind != HEAD_COUNT) return graph_map(f->graph, OP_GT, (NodeId[]){width, none}, SPAN_NONE);
    NodeId more = graph_map(f->graph, OP_ADD, (NodeId[]){width, single}, SPAN_NONE);
    return graph_map(f->graph, OP_DIV, (NodeId[]){single, more}, SPAN_NONE);
}

/* What the program itself takes with this selector, if y is an image of it, or of a code of it. */
static NodeId program_value(Finder *f, NodeId selector, const double *y) {
    uint32_t count = graph_count(f->graph);
    for (NodeId id = 0; id < count; id++) {
        Node n = *graph_node(f->graph, id);
        double scale, offset;
        if (n.kind != NODE_AGGREGATE || n.arg[0] != selector) continue;
        const Candidate *c = match_node(&f->match, n.arg[1]);
        if (!c) continue;
        if (c->number && match_affine(&f->match, c, y, &scale, &offset)) return n.arg[1];
        if (c->number) continue;
        double *code = ARENA_ARRAY(f->arena, c->classes, double);
        const NodeValues *v = values_of(f->values, n.arg[1]);
        if (!v || v->count != c->classes || !match_classes(&f->match, c, y, code)) continue;
        return find_code(f, n.arg[1], c->level, code, c->classes);
    }
    return NODE_NONE;
}

/* *scale: what the component is of the node. */
static NodeId find_component(Finder *f, uint32_t time, const ModelHead *head, size_t c,
                             NodeId selector, HeadKind kind, double *scale) {
    double row0 = 0, offset, *w = ARENA_ARRAY(f->arena, f->model->width, double);
    for (size_t d = 0; d < f->model->width; d++) {
        w[d] = tensor_get(&head->value, d, c);
        row0 += w[d] * f->sample.row0[time][d];
    }
    const double *y = find_reading(f, time, w);
    if (match_constant(&f->match, y)) {
        *scale = kind == HEAD_COUNT ? row0 - y[0] : y[0] - row0;
        return by_width(f, selector, kind);
    }
    if (kind == HEAD_COUNT) return NODE_NONE;
    NodeId value = f->own ? NODE_NONE : program_value(f, selector, y);
    if (value == NODE_NONE) value = find_read(f, time, w, y);
    value = find_number(f, value);
    const Candidate *of = value == NODE_NONE ? NULL : match_node(&f->match, value);
    if (!of || !match_affine(&f->match, of, y, scale, &offset)) return NODE_NONE;
    return aggregate_of(f, selector, value, kind == HEAD_PLAIN, (row0 - offset) / *scale);
}

static void forget_head(Finder *f, const ModelHead *head, Held *after) {
    for (size_t k = 0; k < head->output.rows; k++)
        for (size_t d = 0; d < f->model->width; d++)
            if (tensor_get(&head->output, k, d) != 0) after[d].unknown = true;
}

static void find_head(Finder *f, uint32_t layer, uint32_t index, Held *after) {
    const ModelHead *head = f->model->layers[layer]->heads[index];
    const HeadSeen *seen = &f->sample.heads[f->sample.layer_head[layer] + index];
    const char *place = arena_format(f->arena, "layer %u, head %u", layer + 1, index + 1);
    Circuit *c = &f->found->claims;
    size_t count = head->value.cols;
    HeadKind kind = kind_of(head, seen);
    NodeId *nodes = ARENA_ARRAY(f->arena, count + 1, NodeId);
    double *scale = ARENA_ARRAY(f->arena, count, double);
    if (head_is_silent(head)) return;
    nodes[count] = match_selector(&f->match, seen->selected);
    bool found = nodes[count] != NODE_NONE;
    const char *text = found ? NULL : "what its rows weigh is no selector of the program";
    for (size_t k = 0; found && k < count; k++) {
        nodes[k] = find_component(f, f->sample.layer_time[layer] - 1, head, k, nodes[count], kind,
                                  &scale[k]);
        if (nodes[k] == NODE_NONE || !match_node(&f->match, nodes[k])) found = false;
    }
    if (!found) {
        if (!text)
            text = arena_format(f->arena, "%s, of something that is no s-op",
                                find_text(f, nodes[count]));
        find_note(f, false, NULL, 0, place, text);
        forget_head(f, head, after);
        return;
    }
    CircuitComponent *components = ARENA_ARRAY(f->arena, count, CircuitComponent);
    Stage stage = {c->first_layer + layer, 0};
    for (size_t k = 0; k < count; k++) {
        components[k].node = nodes[k];
        for (size_t d = 0; d < f->model->width; d++)
            if (tensor_get(&head->output, k, d) != 0)
                held_add(f, after, d, nodes[k], scale[k] * tensor_get(&head->output, k, d));
        components[k].part = find_part(f, (CircuitPart){.origin = FROM_HEAD,
                                                        .node = nodes[k],
                                                        .owner = c->head_count,
                                                        .column = (uint32_t)k,
                                                        .born = stage,
                                                        .dim = DIM_NONE});
    }
    f->heads = arena_grow(f->arena, f->heads, &f->head_room, c->head_count + 1, sizeof *f->heads);
    f->heads[c->head_count++] = (CircuitHead){.layer = layer,
                                              .index = index,
                                              .stage = stage,
                                              .selector = nodes[count],
                                              .kind = kind,
                                              .score.mask = masks[head->mask],
                                              .components = components,
                                              .component_count = (uint32_t)count};
    text = arena_format(f->arena, "%s ->", find_text(f, nodes[count]));
    for (size_t k = 0; k < count; k++)
        text = arena_format(f->arena, "%s%s %s", text, k ? "," : "", find_text(f, nodes[k]));
    find_note(f, true, nodes, (uint32_t)count + 1, place, text);
}

/* --- all of it --------------------------------------------------------------------------- */

static void find_layer(Finder *f, uint32_t layer) {
    const ModelLayer *l = f->model->layers[layer];
    size_t width = f->model->width;
    Held *after = ARENA_ARRAY(f->arena, width, Held);
    uint32_t first = f->found->claims.part_count;
    memcpy(after, f->held, width * sizeof *after);
    for (uint32_t h = 0; h < l->head_count; h++) find_head(f, layer, h, after);
    memcpy(f->held, after, width * sizeof *after);
    find_places(f, first);
    for (uint32_t m = 0; m < l->mlp_count; m++) find_sublayer(f, layer, m);
}

void find_claims(const Model *model, Graph *graph, const Domain *domain, const NodeId *outputs,
                 uint32_t table_limit, FindTaste taste, Arena *arena, Found *found) {
    Finder f = {.model = model, .graph = graph, .arena = arena, .own = taste.own, .found = found};
    *found = (Found){0};
    begin_claims(&f, domain, outputs);
    if (!sample_make(&f.sample, model, graph, domain, outputs, arena)) {
        found->none = "there is no input of the file's on which the program has an answer";
        return;
    }
    found->inputs = f.sample.count;
    f.values = values_new(graph, domain, table_limit, values_row_limit(table_limit), arena);
    f.held = ARENA_ARRAY(arena, model->width, Held);
    match_begin(&f.match, &f.sample, graph, outputs, (uint32_t)model->output_count, arena);
    f.match.order = taste.order;
    find_embeddings(&f);
    for (uint32_t l = 0; l < model->layer_count; l++) find_layer(&f, l);
    found->claims.parts = f.parts;
    found->claims.heads = f.heads;
    found->claims.tables = f.tables;
    found->claims.clears = f.clears;
}
