#include "compile/emit/emit.h"

#include "compile/atoms.h"
#include "compile/lower/form.h"

#include <math.h>
#include <string.h>

typedef struct Emitter {
    const Circuit *c;
    Model *model;
    Arena *arena; /* scratch */
    double *row0; /* what row 0 holds so far */
} Emitter;

/* --- embeddings ------------------------------------------------------------------------- */

static void emit_outputs(Emitter *m, size_t row) { /* their constants */
    for (uint32_t o = 0; o < m->c->output_count; o++) {
        const CircuitOutput *output = &m->c->outputs[o];
        for (uint32_t f = 0; f < output->form_count; f++)
            tensor_add(&m->model->tokens, row, output->start + f, output->forms[f].constant);
    }
}

static void emit_embeddings(Emitter *m) {
    const Circuit *c = m->c;
    Model *model = m->model;
    if (c->sink != DIM_NONE) tensor_set(&model->tokens, 0, c->sink, 1);
    for (size_t t = 0; t < model->alphabet_size; t++) {
        if (c->one != DIM_NONE) tensor_set(&model->tokens, 1 + t, c->one, 1);
        emit_outputs(m, 1 + t);
    }
    for (uint32_t p = 0; p < c->part_count; p++) {
        const CircuitPart *part = &c->parts[p];
        if (!circuit_embedded(part)) continue;
        Tensor *table = part->origin == FROM_TOKEN ? &model->tokens : &model->positions;
        for (size_t r = 0; r + 1 < table->rows; r++)
            for (uint32_t k = 0; k < part->write_count; k++)
                tensor_add(table, 1 + r, part->writes[k].dim,
                           part->writes[k].factor * part->vector[r]);
    }
    if (c->sink != DIM_NONE) m->row0[c->sink] = 1;
}

/* --- heads ------------------------------------------------------------------------------ */

static void put_form(Emitter *m, Tensor *t, size_t column, Form form, double factor) {
    for (uint32_t k = 0; k < form.count; k++)
        tensor_add(t, m->c->parts[form.terms[k].part].dim, column, factor * form.terms[k].factor);
    if (form.constant != 0) tensor_add(t, m->c->one, column, factor * form.constant);
}

/* Makes the column's value in row 0 what it should be. */
static void put_row0(Emitter *m, Tensor *t, size_t column, double wanted) {
    if (m->c->sink == DIM_NONE) return;
    double there = 0;
    for (uint32_t d = 0; d < m->c->width; d++) there += m->row0[d] * tensor_get(t, d, column);
    tensor_add(t, m->c->sink, column, wanted - there);
}

typedef struct ScoreShape {
    bool key_column, query_column; /* besides the pairs */
    Form key_only, query_only;
    size_t width;
} ScoreShape;

static ScoreShape score_shape(Emitter *m, const CircuitHead *head) {
    const Score *score = &head->score;
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

static void emit_score(Emitter *m, const CircuitHead *head, const ScoreShape *s, ModelHead *out) {
    const Score *score = &head->score;
    /* The sink stands half-way between selected and not, so its gap needs twice the beta. */
    double beta = m->c->options.beta * (head->kind == HEAD_DEFAULT ? 2 : 1);
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
    out->scale = m->c->options.log_length ? RT_SCALE_LOG_LENGTH : RT_SCALE_ONE;
    out->gap = m->c->options.beta;
}

static bool emit_head(Emitter *m, const CircuitHead *head, ModelLayer *layer, double *row0_after) {
    ScoreShape shape = score_shape(m, head);
    ModelHead *out = layer_add_head(layer, shape.width, head->component_count);
    if (!out) return false;
    emit_score(m, head, &shape, out);
    for (uint32_t c = 0; c < head->component_count; c++) {
        const CircuitComponent *component = &head->components[c];
        double fallback = head->kind == HEAD_PLAIN ? 0 : component->fallback;
        put_form(m, &out->value, c, component->value, 1);
        put_row0(m, &out->value, c, fallback);
        const CircuitPart *part = &m->c->parts[component->part];
        for (uint32_t k = 0; k < part->write_count; k++) {
            CircuitWrite write = part->writes[k];
            tensor_add(&out->output, c, write.dim, write.factor);
            row0_after[write.dim] += fallback * write.factor;
        }
    }
    return true;
}

/* --- feed-forward ----------------------------------------------------------------------- */

/* Silences unit u in row 0, where it would read `at_row0`. */
static void silence(Emitter *m, ModelMlp *mlp, size_t u, double at_row0) {
    if (m->c->sink != DIM_NONE && at_row0 > -1)
        tensor_add(&mlp->in, m->c->sink, u, -exp2(ceil(log2(at_row0 + 2))));
}

static void emit_unit(Emitter *m, ModelMlp *mlp, size_t u, const CircuitTable *table,
                      TableUnit unit) {
    double bias = unit.sign * (table->form.constant - unit.at), at_row0 = bias;
    for (uint32_t k = 0; k < table->form.count; k++) {
        uint32_t dim = m->c->parts[table->form.terms[k].part].dim;
        double weight = unit.sign * table->form.terms[k].factor;
        tensor_add(&mlp->in, dim, u, weight);
        at_row0 += weight * m->row0[dim];
    }
    tensor_set(&mlp->in_bias, 0, u, bias);
    silence(m, mlp, u, at_row0);
}

static void emit_table(Emitter *m, ModelMlp *mlp, const CircuitTable *table) {
    const TableShape *shape = &table->shape;
    size_t first = table->first_unit;
    for (uint32_t u = 0; u < shape->unit_count; u++)
        emit_unit(m, mlp, first + u, table, shape->units[u]);
    for (uint32_t o = 0; o < table->output_count; o++) {
        const CircuitPart *part = &m->c->parts[table->outputs[o].part];
        for (uint32_t k = 0; k < part->write_count; k++) {
            CircuitWrite write = part->writes[k];
            tensor_add(&mlp->out_bias, 0, write.dim, write.factor * shape->base[o]);
            for (uint32_t u = 0; u < shape->unit_count; u++)
                tensor_add(&mlp->out, first + u, write.dim,
                           write.factor * shape->factor[u * table->output_count + o]);
        }
    }
}

/* Clears a dimension whose part is dead: h - relu(h - least) - least = 0. */
static void emit_clear(Emitter *m, ModelMlp *mlp, const CircuitClear *clear) {
    tensor_add(&mlp->in, clear->dim, clear->unit, 1);
    tensor_set(&mlp->in_bias, 0, clear->unit, -clear->least);
    silence(m, mlp, clear->unit, m->row0[clear->dim] - clear->least);
    tensor_add(&mlp->out, clear->unit, clear->dim, -1);
    tensor_add(&mlp->out_bias, 0, clear->dim, -clear->least);
}

static bool emit_sublayer(Emitter *m, ModelLayer *out, uint32_t layer, uint32_t sublayer) {
    const Circuit *c = m->c;
    uint32_t units = c->layers[layer].units[sublayer];
    ModelMlp *mlp = layer_add_mlp(out, units ? units : 1);
    if (!mlp) return false;
    for (uint32_t k = 0; k < c->clear_count; k++)
        if (c->clears[k].layer == layer && c->clears[k].sublayer == sublayer)
            emit_clear(m, mlp, &c->clears[k]);
    for (uint32_t k = 0; k < c->table_count; k++)
        if (c->tables[k].layer == layer && c->tables[k].sublayer == sublayer)
            emit_table(m, mlp, &c->tables[k]);
    for (uint32_t d = 0; d < c->width; d++) m->row0[d] += tensor_get(&mlp->out_bias, 0, d);
    return true;
}

/* --- layers ----------------------------------------------------------------------------- */

static bool emit_layer(Emitter *m, uint32_t number) {
    const Circuit *c = m->c;
    ModelLayer *layer = model_add_layer(m->model);
    if (!layer) return false;
    double *after = ARENA_ARRAY(m->arena, c->width, double);
    memcpy(after, m->row0, c->width * sizeof *after);
    for (uint32_t h = 0; h < c->head_count; h++)
        if (c->heads[h].layer == number && !emit_head(m, &c->heads[h], layer, after)) return false;
    memcpy(m->row0, after, c->width * sizeof *after);
    for (uint32_t k = 0; k < c->layers[number].sublayer_count; k++)
        if (!emit_sublayer(m, layer, number, k)) return false;
    return true;
}

static const RtAtom *emit_atoms(const Atom *atoms, size_t count, Arena *arena) {
    RtAtom *all = ARENA_ARRAY(arena, count, RtAtom);
    for (size_t k = 0; k < count; k++) all[k] = atom_to_file(atoms[k]);
    return all;
}

static bool emit_pieces(Emitter *m) {
    const Circuit *c = m->c;
    emit_embeddings(m);
    for (uint32_t layer = 0; layer < c->layer_count; layer++)
        if (!emit_layer(m, layer)) return false;
    for (uint32_t o = 0; o < c->output_count; o++) {
        const CircuitOutput *output = &c->outputs[o];
        RtDecode decode = output->whole     ? RT_DECODE_WHOLE
                          : output->numeric ? RT_DECODE_NEAREST
                                            : RT_DECODE_ARGMAX;
        ModelOutput *made = model_add_output(
            m->model, output->name, decode, output->start,
            emit_atoms(output->values, output->value_count, m->arena), output->value_count);
        if (!made || (output->placed && !output_set_places(made, output->place))) return false;
    }
    return true;
}

bool emit_model(const Circuit *circuit, RtDtype dtype, Arena *arena, Model **model) {
    const Domain *domain = &circuit->domain;
    Emitter m = {.c = circuit, .arena = arena};
    m.row0 = ARENA_ARRAY(m.arena, circuit->width, double);
    const RtAtom *alphabet = emit_atoms(domain->alphabet, domain->alphabet_size, m.arena);
    *model = m.model = model_new(dtype, alphabet[0].kind, alphabet, domain->alphabet_size,
                                 domain->max_length, circuit->width);
    if (!m.model) return false;
    m.model->kernel = circuit->options.kernel;
    return emit_pieces(&m);
}

size_t emit_bytes(const Circuit *c) {
    size_t width = c->width, rows = (size_t)c->domain.alphabet_size + c->domain.max_length + 2;
    size_t weights = rows * width;
    for (uint32_t h = 0; h < c->head_count; h++)
        weights += 2 * width * (c->heads[h].score.pair_count + 2 + c->heads[h].component_count);
    for (uint32_t l = 0; l < c->layer_count; l++)
        for (uint32_t k = 0; k < c->layers[l].sublayer_count; k++) {
            size_t units = c->layers[l].units[k] ? c->layers[l].units[k] : 1;
            weights += 2 * width * units + units + width;
        }
    return weights * sizeof(double);
}
