#include "compile/emit/emit.h"

#include <math.h>
#include <string.h>

typedef struct Emitter {
    Lower *lower;
    Arena *arena;
    const OutputPlan *outputs;
    uint32_t output_count;
    EmitOptions options;
    Emission *e;
    double *row0; /* what row 0 holds so far */
} Emitter;

/* --- dimensions ------------------------------------------------------------------------- */

static void assign_dimensions(Emitter *m) {
    Emission *e = m->e;
    /* With several outputs, one may fail on an input on which another must be right: then
     * dimensions hold what no plan foresaw, and are not shared. */
    bool reuse = m->output_count == 1;
    liveness_find(m->lower, m->outputs, m->output_count, reuse, m->arena, &e->live);
    e->sink = e->live.sink;
    e->one = e->live.one;
    e->part_dim = e->live.part_dim;
    e->width = e->live.used;
    e->output_start = ARENA_ARRAY(m->arena, m->output_count, uint32_t);
    for (uint32_t o = 0; o < m->output_count; o++) {
        e->output_start[o] = e->width;
        e->width += m->outputs[o].form_count;
    }
}

/* Everywhere that the part is written: its own dimension, and the outputs it is a term of. */
typedef struct Target {
    uint32_t dim;
    double factor;
} Target;

static uint32_t part_targets(Emitter *m, uint32_t part, Target **targets) {
    size_t capacity = 0;
    uint32_t count = 0;
    *targets = NULL;
    if (m->e->part_dim[part] != DIM_NONE) {
        *targets = arena_grow(m->arena, *targets, &capacity, 1, sizeof **targets);
        (*targets)[count++] = (Target){m->e->part_dim[part], 1};
    }
    for (uint32_t o = 0; o < m->output_count; o++)
        for (uint32_t f = 0; f < m->outputs[o].form_count; f++) {
            Form form = m->outputs[o].forms[f];
            for (uint32_t k = 0; k < form.count; k++) {
                if (form.terms[k].part != part) continue;
                *targets = arena_grow(m->arena, *targets, &capacity, count + 1, sizeof **targets);
                (*targets)[count++] = (Target){m->e->output_start[o] + f, form.terms[k].factor};
            }
        }
    return count;
}

/* --- embeddings ------------------------------------------------------------------------- */

static void emit_embeddings(Emitter *m) {
    Model *model = m->e->model;
    if (m->e->sink != DIM_NONE) tensor_set(&model->tokens, 0, m->e->sink, 1);
    for (size_t t = 0; t < model->alphabet_size; t++) {
        if (m->e->one != DIM_NONE) tensor_set(&model->tokens, 1 + t, m->e->one, 1);
        for (uint32_t o = 0; o < m->output_count; o++) /* constants of the outputs */
            for (uint32_t f = 0; f < m->outputs[o].form_count; f++)
                tensor_add(&model->tokens, 1 + t, m->e->output_start[o] + f,
                           m->outputs[o].forms[f].constant);
    }
    for (uint32_t p = 0; p < lower_part_count(m->lower); p++) {
        const Part *part = lower_part(m->lower, p);
        bool token = part->origin == FROM_TOKEN;
        if (!token && part->origin != FROM_POSITION) continue;
        Tensor *table = token ? &model->tokens : &model->positions;
        Target *targets;
        uint32_t count = part_targets(m, p, &targets);
        for (size_t r = 0; r + 1 < table->rows; r++)
            for (uint32_t k = 0; k < count; k++)
                tensor_add(table, 1 + r, targets[k].dim, targets[k].factor * part->vector[r]);
    }
    if (m->e->sink != DIM_NONE) m->row0[m->e->sink] = 1;
}

/* --- heads ------------------------------------------------------------------------------ */

static void put_form(Emitter *m, Tensor *t, size_t column, Form form, double factor) {
    for (uint32_t k = 0; k < form.count; k++)
        tensor_add(t, m->e->part_dim[form.terms[k].part], column, factor * form.terms[k].factor);
    if (form.constant != 0) tensor_add(t, m->e->one, column, factor * form.constant);
}

/* Makes the column's value in row 0 what it should be. */
static void put_row0(Emitter *m, Tensor *t, size_t column, double wanted) {
    if (m->e->sink == DIM_NONE) return;
    double there = 0;
    for (uint32_t d = 0; d < m->e->width; d++) there += m->row0[d] * tensor_get(t, d, column);
    tensor_add(t, m->e->sink, column, wanted - there);
}

typedef struct ScoreShape {
    bool key_column, query_column; /* besides the pairs */
    Form key_only, query_only;
    size_t width;
} ScoreShape;

static ScoreShape score_shape(Emitter *m, const HeadPlan *head) {
    const Score *score = head->score;
    bool sink = head->kind != HEAD_PLAIN;
    ScoreShape s = {.key_only = score->key_only, .query_only = score->query_only};
    if (sink && s.query_only.count == 0) { /* a constant goes with the keys */
        s.key_only = form_affine(s.key_only, 1, s.query_only.constant, m->arena);
        s.query_only = form_constant(0);
    }
    s.key_column = sink || s.key_only.count;
    s.query_column = sink && s.query_only.count;
    s.width = score->pair_count + s.key_column + s.query_column;
    if (s.width == 0) s.width = 1;
    return s;
}

static void emit_score(Emitter *m, const HeadPlan *head, const ScoreShape *s, ModelHead *out) {
    const Score *score = head->score;
    /* The sink stands half-way between selected and not, so its gap needs twice the beta. */
    double beta = m->options.beta * (head->kind == HEAD_DEFAULT ? 2 : 1);
    size_t column = 0;
    for (uint32_t k = 0; k < score->pair_count; k++, column++) {
        put_form(m, &out->query, column, score->pairs[k].query, beta);
        put_form(m, &out->key, column, score->pairs[k].key, 1);
        put_row0(m, &out->key, column, 0);
    }
    if (s->key_column) {
        put_form(m, &out->query, column, form_constant(1), beta);
        put_form(m, &out->key, column, s->key_only, 1);
        put_row0(m, &out->key, column, head->kind == HEAD_DEFAULT ? 0.5 : head->kind == HEAD_COUNT);
        column++;
    }
    if (s->query_column) {
        put_form(m, &out->query, column, s->query_only, beta);
        put_form(m, &out->key, column, form_constant(1), 1);
        put_row0(m, &out->key, column, 0);
    }
    static const RtMask masks[] = {[MASK_NONE] = RT_MASK_NONE,
                                   [MASK_CAUSAL] = RT_MASK_CAUSAL,
                                   [MASK_STRICT_CAUSAL] = RT_MASK_STRICT_CAUSAL,
                                   [MASK_ANTICAUSAL] = RT_MASK_ANTICAUSAL,
                                   [MASK_STRICT_ANTICAUSAL] = RT_MASK_STRICT_ANTICAUSAL};
    out->mask = masks[score->mask];
    out->sink = head->kind != HEAD_PLAIN;
    out->scale = m->options.log_length ? RT_SCALE_LOG_LENGTH : RT_SCALE_ONE;
    out->gap = m->options.beta;
}

static bool emit_head(Emitter *m, const HeadPlan *head, ModelLayer *layer, double *row0_after) {
    ScoreShape shape = score_shape(m, head);
    ModelHead *out = layer_add_head(layer, shape.width, head->component_count);
    if (!out) return false;
    emit_score(m, head, &shape, out);
    for (size_t c = 0; c < head->component_count; c++) {
        const Component *component = &head->components[c];
        double fallback = head->kind == HEAD_PLAIN ? 0 : component->fallback;
        put_form(m, &out->value, c, component->value, 1);
        put_row0(m, &out->value, c, fallback);
        Target *targets;
        uint32_t count = part_targets(m, component->part, &targets);
        for (uint32_t k = 0; k < count; k++) {
            tensor_add(&out->output, c, targets[k].dim, targets[k].factor);
            row0_after[targets[k].dim] += fallback * targets[k].factor;
        }
    }
    return true;
}

/* --- feed-forward ----------------------------------------------------------------------- */

static void emit_unit(Emitter *m, ModelMlp *mlp, size_t u, const ScanPlan *scan, ScanUnit unit) {
    double bias = unit.sign * (scan->form.constant - unit.at), at_row0 = bias;
    for (uint32_t k = 0; k < scan->form.count; k++) {
        uint32_t dim = m->e->part_dim[scan->form.terms[k].part];
        double weight = unit.sign * scan->form.terms[k].factor;
        tensor_add(&mlp->in, dim, u, weight);
        at_row0 += weight * m->row0[dim];
    }
    tensor_set(&mlp->in_bias, 0, u, bias);
    if (m->e->sink != DIM_NONE && at_row0 > -1) /* silent in row 0 */
        tensor_add(&mlp->in, m->e->sink, u, -exp2(ceil(log2(at_row0 + 2))));
}

/* Hidden units that clear dimensions whose parts are dead: h - relu(h - least) - least = 0. */
static void emit_clears(Emitter *m, ModelMlp *mlp, Stage stage, size_t unit) {
    for (uint32_t k = 0; k < m->e->live.clear_count; k++) {
        const Clear *clear = &m->e->live.clears[k];
        if (!stage_same(clear->stage, stage)) continue;
        tensor_add(&mlp->in, clear->dim, unit, 1);
        tensor_set(&mlp->in_bias, 0, unit, -clear->least);
        double at_row0 = m->row0[clear->dim] - clear->least;
        if (m->e->sink != DIM_NONE && at_row0 > -1)
            tensor_add(&mlp->in, m->e->sink, unit, -exp2(ceil(log2(at_row0 + 2))));
        tensor_add(&mlp->out, unit, clear->dim, -1);
        tensor_add(&mlp->out_bias, 0, clear->dim, -clear->least);
        unit++;
    }
}

static bool emit_sublayer(Emitter *m, ModelLayer *layer, Stage stage) {
    Lower *lower = m->lower;
    uint32_t scans = lower_scan_count(lower);
    ScanShape *shape = ARENA_ARRAY(m->arena, scans, ScanShape);
    size_t units = 0;
    for (uint32_t s = 0; s < scans; s++) {
        const ScanPlan *scan = lower_scan(lower, s);
        if (!stage_same(scan->stage, stage)) continue;
        scan_shape(scan, m->options.steep, m->arena, &shape[s]);
        units += shape[s].unit_count;
    }
    size_t clears = 0;
    for (uint32_t k = 0; k < m->e->live.clear_count; k++)
        clears += stage_same(m->e->live.clears[k].stage, stage);
    ModelMlp *mlp = layer_add_mlp(layer, units + clears ? units + clears : 1);
    if (!mlp) return false;
    emit_clears(m, mlp, stage, units);
    size_t first = 0;
    for (uint32_t s = 0; s < scans; s++) {
        const ScanPlan *scan = lower_scan(lower, s);
        if (!stage_same(scan->stage, stage)) continue;
        for (uint32_t u = 0; u < shape[s].unit_count; u++)
            emit_unit(m, mlp, first + u, scan, shape[s].units[u]);
        for (size_t o = 0; o < scan->output_count; o++) {
            Target *targets;
            uint32_t count = part_targets(m, scan->outputs[o].part, &targets);
            for (uint32_t k = 0; k < count; k++) {
                tensor_add(&mlp->out_bias, 0, targets[k].dim, targets[k].factor * shape[s].base[o]);
                for (uint32_t u = 0; u < shape[s].unit_count; u++)
                    tensor_add(&mlp->out, first + u, targets[k].dim,
                               targets[k].factor * shape[s].factor[u * scan->output_count + o]);
            }
        }
        first += shape[s].unit_count;
    }
    for (uint32_t d = 0; d < m->e->width; d++) m->row0[d] += tensor_get(&mlp->out_bias, 0, d);
    return true;
}

/* --- layers ----------------------------------------------------------------------------- */

static bool emit_layer(Emitter *m, uint32_t number, uint32_t steps) {
    ModelLayer *layer = model_add_layer(m->e->model);
    if (!layer) return false;
    double *after = ARENA_ARRAY(m->arena, m->e->width, double);
    memcpy(after, m->row0, m->e->width * sizeof *after);
    for (uint32_t h = 0; h < lower_head_count(m->lower); h++) {
        const HeadPlan *head = lower_head(m->lower, h);
        if (head->layer != number) continue;
        m->e->head_index[h] = (uint32_t)layer->head_count;
        if (!emit_head(m, head, layer, after)) return false;
    }
    memcpy(m->row0, after, m->e->width * sizeof *after);
    for (uint32_t step = 1; step <= steps; step++)
        if (!emit_sublayer(m, layer, (Stage){number, step})) return false;
    return true;
}

RtAtom emit_atom(Atom a) {
    switch (a.kind) {
    case ATOM_BOOL:
        return rt_bool(a.b);
    case ATOM_INT:
        return rt_int(a.i);
    case ATOM_FLOAT:
        return rt_float(a.f);
    case ATOM_STRING:
        return rt_string(a.s->text, a.s->length);
    }
    return rt_int(0);
}

static const RtAtom *emit_atoms(const Atom *atoms, size_t count, Arena *arena) {
    RtAtom *all = ARENA_ARRAY(arena, count, RtAtom);
    for (size_t k = 0; k < count; k++) all[k] = emit_atom(atoms[k]);
    return all;
}

bool emit_model(Lower *lower, const OutputPlan *outputs, uint32_t output_count, EmitOptions options,
                Emission *emission) {
    Emitter m = {lower, lower_arena(lower), outputs, output_count, options, emission, NULL};
    *emission = (Emission){0};
    assign_dimensions(&m);
    if (emission->width == 0) emission->width = 1;
    m.row0 = ARENA_ARRAY(m.arena, emission->width, double);
    const Domain *domain = values_domain(lower_values(lower));
    const RtAtom *alphabet = emit_atoms(domain->alphabet, domain->alphabet_size, m.arena);
    emission->model = model_new(options.dtype, alphabet[0].kind, alphabet, domain->alphabet_size,
                                domain->max_length, emission->width);
    if (!emission->model) return false;
    emit_embeddings(&m);

    uint32_t last = 0, *steps;
    for (uint32_t h = 0; h < lower_head_count(lower); h++)
        if (lower_head(lower, h)->layer > last) last = lower_head(lower, h)->layer;
    steps = ARENA_ARRAY(m.arena, last + 1, uint32_t);
    for (uint32_t s = 0; s < lower_scan_count(lower); s++) {
        Stage stage = lower_scan(lower, s)->stage;
        if (stage.step > steps[stage.layer]) steps[stage.layer] = stage.step;
    }
    emission->first_layer = steps[0] ? 0 : 1;
    emission->head_index = ARENA_ARRAY(m.arena, lower_head_count(lower) + 1, uint32_t);
    for (uint32_t layer = emission->first_layer; layer <= last; layer++)
        if (!emit_layer(&m, layer, steps[layer])) return false;
    for (uint32_t o = 0; o < output_count; o++)
        if (!model_add_output(emission->model, outputs[o].name,
                              outputs[o].numeric ? RT_DECODE_NEAREST : RT_DECODE_ARGMAX,
                              emission->output_start[o],
                              emit_atoms(outputs[o].values, outputs[o].value_count, m.arena),
                              outputs[o].value_count))
            return false;
    return true;
}
