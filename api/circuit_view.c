/* Columns, heads, tables, clears and outputs as the public circuit has them. */
#include "api/circuit.h"

#include "compile/compile_trace.h"

/* --- places in the model's layout ----------------------------------------------------------- */

static void view_layers(CircuitView *v) {
    const Circuit *c = v->from;
    const Model *model = v->model;
    v->layer_at = ARENA_ARRAY(v->arena, c->layer_count + 1, uint32_t);
    for (uint32_t l = 0; l < c->layer_count; l++) {
        uint32_t sublayers = c->layers[l].sublayer_count;
        v->layer_at[l + 1] = v->layer_at[l] + (v->standard && sublayers > 1 ? sublayers : 1);
    }
    v->step_at = ARENA_ARRAY(v->arena, model->layer_count + 1, uint32_t);
    size_t count = 1;
    for (size_t l = 0; l < model->layer_count; l++) {
        v->step_at[l] = (uint32_t)count;
        count += 1 + model->layers[l]->mlp_count;
    }
    RaspCircuitStep *steps = ARENA_ARRAY(v->arena, count, RaspCircuitStep);
    steps[0] = (RaspCircuitStep){0, -2};
    for (uint32_t l = 0; l < model->layer_count; l++)
        for (uint32_t k = 0; k <= model->layers[l]->mlp_count; k++)
            steps[v->step_at[l] + k] = (RaspCircuitStep){l, (int)k - 1};
    v->made->steps = steps;
    v->made->step_count = count;
}

/* In the standard layout each sublayer has a layer of its own. */
static uint32_t layer_of(const CircuitView *v, uint32_t layer, uint32_t sublayer) {
    return v->layer_at[layer] + (v->standard ? sublayer : 0);
}
static uint32_t sublayer_of(const CircuitView *v, uint32_t sublayer) {
    return v->standard ? 0 : sublayer;
}

uint32_t view_step(const CircuitView *v, uint32_t layer, int sublayer) {
    if (sublayer < 0) return v->step_at[v->layer_at[layer]];
    uint32_t k = (uint32_t)sublayer;
    return v->step_at[layer_of(v, layer, k)] + 1 + sublayer_of(v, k);
}

/* --- forms ---------------------------------------------------------------------------------- */

static RaspCircuitForm form_of(const CircuitView *v, Form form) {
    RaspCircuitTerm *terms = ARENA_ARRAY(v->arena, form.count, RaspCircuitTerm);
    RaspCircuitForm made = {.terms = terms, .constant = form.constant};
    for (uint32_t k = 0; k < form.count; k++)
        if (form.terms[k].factor != 0)
            terms[made.count++] =
                (RaspCircuitTerm){v->column_of[form.terms[k].part], form.terms[k].factor};
    return made;
}

/* --- columns -------------------------------------------------------------------------------- */

static uint32_t step_written(const CircuitView *v, const CircuitPart *part) {
    const Circuit *c = v->from;
    if (circuit_embedded(part)) return 0;
    if (part->origin == FROM_HEAD) return view_step(v, c->heads[part->owner].layer, -1);
    const CircuitTable *table = &c->tables[part->owner];
    return view_step(v, table->layer, (int)table->sublayer);
}

static RaspCircuitColumn column_of(const CircuitView *v, const CircuitPart *part) {
    const Domain *domain = &v->from->domain;
    bool token = part->origin == FROM_TOKEN;
    RaspCircuitWrite *writes = ARENA_ARRAY(v->arena, part->write_count, RaspCircuitWrite);
    for (uint32_t k = 0; k < part->write_count; k++)
        writes[k] = (RaspCircuitWrite){part->writes[k].dim, part->writes[k].factor};
    uint32_t written = step_written(v, part);
    return (RaspCircuitColumn){
        .sop = v->sop_of[part->node],
        .dim = part->dim == DIM_NONE ? RASP_NONE : part->dim,
        .written = written,
        .read = written,
        .cleared = RASP_NONE,
        .writes = writes,
        .write_count = part->write_count,
        .values = part->numbers,
        .value_count = part->number_count,
        .least = part->least,
        .most = part->most,
        .embedded = circuit_embedded(part) ? part->vector : NULL,
        .embedded_count = !circuit_embedded(part) ? 0
                          : token                 ? domain->alphabet_size
                                                  : domain->max_length,
    };
}

/* Lowering may ask for a column of an embedding and then make nothing of it: the model has none. */
static void number_columns(CircuitView *v) {
    const Circuit *c = v->from;
    uint32_t count = 0;
    v->column_of = ARENA_ARRAY(v->arena, c->part_count, uint32_t);
    for (uint32_t p = 0; p < c->part_count; p++) {
        bool made = c->parts[p].write_count || !circuit_embedded(&c->parts[p]);
        v->column_of[p] = made ? count++ : RASP_NONE;
    }
    v->made->column_count = count;
}

static void view_columns(CircuitView *v) {
    const Circuit *c = v->from;
    v->columns = ARENA_ARRAY(v->arena, v->made->column_count, RaspCircuitColumn);
    for (uint32_t p = 0; p < c->part_count; p++)
        if (v->column_of[p] != RASP_NONE) v->columns[v->column_of[p]] = column_of(v, &c->parts[p]);
    v->made->columns = v->columns;
}

/* --- heads ---------------------------------------------------------------------------------- */

static const RaspCircuitComponent *components_of(const CircuitView *v, const CircuitHead *head) {
    RaspCircuitComponent *list = ARENA_ARRAY(v->arena, head->component_count, RaspCircuitComponent);
    for (uint32_t k = 0; k < head->component_count; k++) {
        const CircuitComponent *c = &head->components[k];
        list[k] = (RaspCircuitComponent){.sop = v->sop_of[c->node],
                                         .column = v->column_of[c->part],
                                         .value = form_of(v, c->value),
                                         .fallback = c->fallback,
                                         .moves = c->moves};
    }
    return list;
}

static RaspCircuitHead head_of(const CircuitView *v, const CircuitHead *head) {
    const Score *score = &head->score;
    bool sink = head->kind != HEAD_PLAIN;
    RaspCircuitPair *pairs = ARENA_ARRAY(v->arena, score->pair_count, RaspCircuitPair);
    for (uint32_t k = 0; k < score->pair_count; k++)
        pairs[k] =
            (RaspCircuitPair){form_of(v, score->pairs[k].key), form_of(v, score->pairs[k].query)};
    RaspCircuitHead made = {
        .layer = layer_of(v, head->layer, 0),
        .head = head->index,
        .selector = v->sop_of[head->selector],
        .mask =
            rt_mask_names[v->model->layers[layer_of(v, head->layer, 0)]->heads[head->index]->mask],
        .result = head->kind == HEAD_COUNT ? "count"
                  : head->single           ? "moves"
                                           : "mean",
        .defaults = head->kind == HEAD_DEFAULT,
        .single = head->single,
        .beta = v->from->options.beta * (head->kind == HEAD_DEFAULT ? 2 : 1),
        .pairs = pairs,
        .pair_count = score->pair_count,
        .key = form_of(v, score->key_only),
        .components = components_of(v, head),
        .component_count = head->component_count,
    };
    /* Without a sink, what the query alone decides is the same for the whole row. */
    if (sink) made.query = form_of(v, score->query_only);
    return made;
}

static void view_heads(CircuitView *v) {
    const Circuit *c = v->from;
    v->heads = ARENA_ARRAY(v->arena, c->head_count, RaspCircuitHead);
    for (uint32_t h = 0; h < c->head_count; h++) v->heads[h] = head_of(v, &c->heads[h]);
    v->made->heads = v->heads;
    v->made->head_count = c->head_count;
}

/* --- tables --------------------------------------------------------------------------------- */

static RaspCircuitFunction function_of(const CircuitView *v, const CircuitTable *table,
                                       uint32_t o) {
    const TableOutput *output = &table->outputs[o];
    const TableShape *shape = &table->shape;
    RaspCircuitEntry *entries = ARENA_ARRAY(v->arena, output->points, RaspCircuitEntry);
    double *factors = ARENA_ARRAY(v->arena, shape->unit_count, double);
    for (uint32_t k = 0; k < output->points; k++)
        entries[k] = (RaspCircuitEntry){output->x[k], output->value[k]};
    for (uint32_t u = 0; u < shape->unit_count; u++)
        factors[u] = shape->factor[u * table->output_count + o];
    return (RaspCircuitFunction){.sop = v->sop_of[output->node],
                                 .column = v->column_of[output->part],
                                 .entries = entries,
                                 .entry_count = output->points,
                                 .base = shape->base[o],
                                 .factors = factors};
}

static RaspCircuitTable table_of(const CircuitView *v, const CircuitTable *table) {
    const TableShape *shape = &table->shape;
    RaspCircuitUnit *units = ARENA_ARRAY(v->arena, shape->unit_count, RaspCircuitUnit);
    RaspCircuitFunction *functions =
        ARENA_ARRAY(v->arena, table->output_count, RaspCircuitFunction);
    for (uint32_t u = 0; u < shape->unit_count; u++)
        units[u] = (RaspCircuitUnit){shape->units[u].at, shape->units[u].sign};
    for (uint32_t o = 0; o < table->output_count; o++) functions[o] = function_of(v, table, o);
    return (RaspCircuitTable){.layer = layer_of(v, table->layer, table->sublayer),
                              .sublayer = sublayer_of(v, table->sublayer),
                              .first_unit = table->first_unit,
                              .reads = v->sop_of[table->x],
                              .x = form_of(v, table->form),
                              .units = units,
                              .unit_count = shape->unit_count,
                              .functions = functions,
                              .function_count = table->output_count};
}

static void view_tables(CircuitView *v) {
    const Circuit *c = v->from;
    v->tables = ARENA_ARRAY(v->arena, c->table_count, RaspCircuitTable);
    for (uint32_t k = 0; k < c->table_count; k++) v->tables[k] = table_of(v, &c->tables[k]);
    v->made->tables = v->tables;
    v->made->table_count = c->table_count;
}

static void view_clears(CircuitView *v) {
    const Circuit *c = v->from;
    v->clears = ARENA_ARRAY(v->arena, c->clear_count, RaspCircuitClear);
    for (uint32_t k = 0; k < c->clear_count; k++) {
        const CircuitClear *clear = &c->clears[k];
        uint32_t column = v->column_of[clear->part];
        v->clears[k] = (RaspCircuitClear){.column = column,
                                          .layer = layer_of(v, clear->layer, clear->sublayer),
                                          .sublayer = sublayer_of(v, clear->sublayer),
                                          .unit = clear->unit,
                                          .least = clear->least};
        v->columns[column].cleared = view_step(v, clear->layer, (int)clear->sublayer);
    }
    v->made->clears = v->clears;
    v->made->clear_count = c->clear_count;
}

/* --- outputs -------------------------------------------------------------------------------- */

static void view_outputs(CircuitView *v) {
    const Circuit *c = v->from;
    v->outputs = ARENA_ARRAY(v->arena, c->output_count, RaspCircuitOutput);
    for (uint32_t o = 0; o < c->output_count; o++) {
        const CircuitOutput *output = &c->outputs[o];
        RaspCircuitForm *forms = ARENA_ARRAY(v->arena, output->form_count, RaspCircuitForm);
        for (uint32_t f = 0; f < output->form_count; f++) forms[f] = form_of(v, output->forms[f]);
        v->outputs[o] = (RaspCircuitOutput){.sop = v->sop_of[output->node],
                                            .name = output->name,
                                            .start = output->start,
                                            .forms = forms,
                                            .form_count = output->form_count,
                                            .places = output->placed ? output->place : NULL};
    }
    v->made->outputs = v->outputs;
    v->made->output_count = c->output_count;
}

/* --- all of it ------------------------------------------------------------------------------ */

static uint32_t dim_out(uint32_t dim) {
    return dim == DIM_NONE ? RASP_NONE : dim;
}

const RaspCircuit *circuit_view(const Compiled *compiled, const Model *model, bool standard,
                                const SourceMap *sources, Arena *arena) {
    const Circuit *c = compiled->circuit;
    RaspCircuit *made = ARENA_NEW(arena, RaspCircuit);
    CircuitView v = {.from = c,
                     .model = model,
                     .standard = standard,
                     .values = compiled->trace->values,
                     .sources = sources,
                     .arena = arena,
                     .made = made};
    made->width = c->width;
    made->one = dim_out(c->one);
    made->sink = dim_out(c->sink);
    view_layers(&v);
    number_columns(&v);
    view_sops(&v);
    view_columns(&v);
    view_heads(&v);
    view_tables(&v);
    view_clears(&v);
    view_outputs(&v);
    view_nodes(&v);
    return made;
}
