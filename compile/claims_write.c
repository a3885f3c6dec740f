#include "compile/claims_write.h"

#include "compile/claims_names.h"
#include "compile/describe_json.h"
#include "compile/prove/claims.h"

#include <math.h>

typedef struct Writer {
    const Circuit *c;
    ClaimsNames names;
    Arena *arena;
    bool standard;
    uint32_t *layer_at; /* by layer of the circuit: the file's layer with its heads */
    uint32_t layers;    /* of the file */
    bool lost;          /* memory ran out for JSON */
} Writer;

/* JSON is the model's before it is filled: what it is filled with comes from the budget, which may
 * stop. */
static json_t *add_object(Writer *w, json_t *list) {
    json_t *object = json_object();
    describe_append(list, object, &w->lost);
    return w->lost ? NULL : object;
}

static json_t *add_list(Writer *w, json_t *object, const char *key) {
    json_t *list = json_array();
    describe_set(object, key, list, &w->lost);
    return w->lost ? NULL : list;
}

static void set_text(Writer *w, json_t *object, const char *key, const char *text) {
    describe_set(object, key, json_string(text), &w->lost);
}

static void set_node(Writer *w, json_t *object, const char *key, NodeId node) {
    set_text(w, object, key, claims_names_text(&w->names, node));
}

static void set_count(Writer *w, json_t *object, const char *key, uint32_t count) {
    describe_set(object, key, json_integer(count), &w->lost);
}

/* --- layers of the file -------------------------------------------------------------------- */

static void place_layers(Writer *w) {
    const Circuit *c = w->c;
    w->layer_at = ARENA_ARRAY(w->arena, c->layer_count, uint32_t);
    for (uint32_t l = 0; l < c->layer_count; l++) {
        uint32_t sublayers = c->layers[l].sublayer_count;
        w->layer_at[l] = w->layers;
        w->layers += w->standard && sublayers > 1 ? sublayers : 1;
    }
}

/* Where the circuit's sublayer is in the file: a standard layer has one. */
static uint32_t sublayer_layer(const Writer *w, uint32_t layer, uint32_t sublayer) {
    return w->layer_at[layer] + (w->standard ? sublayer : 0);
}

static uint32_t sublayer_number(const Writer *w, uint32_t sublayer) {
    return w->standard ? 0 : sublayer;
}

/* --- parts --------------------------------------------------------------------------------- */

static void put_until(Writer *w, json_t *object, Stage last) {
    json_t *list = add_list(w, object, "until");
    uint32_t layer = last.layer - w->c->first_layer;
    if (last.step == 0) {
        describe_append(list, json_integer(w->layer_at[layer]), &w->lost);
        return;
    }
    describe_append(list, json_integer(sublayer_layer(w, layer, last.step - 1)), &w->lost);
    describe_append(list, json_integer(sublayer_number(w, last.step - 1)), &w->lost);
}

static void put_part(Writer *w, json_t *object, uint32_t number) {
    const CircuitPart *part = &w->c->parts[number];
    set_node(w, object, "sop", part->node);
    if (part->dim == DIM_NONE) return;
    set_count(w, object, "dim", part->dim);
    put_until(w, object, part->last);
}

/* Columns of an embedding that something reads. */
static void put_embedded(Writer *w, json_t *claims, const char *key, Origin origin) {
    json_t *list = add_list(w, claims, key);
    for (uint32_t p = 0; p < w->c->part_count; p++)
        if (w->c->parts[p].origin == origin && w->c->parts[p].dim != DIM_NONE)
            put_part(w, add_object(w, list), p);
}

/* --- heads and sublayers ------------------------------------------------------------------- */

static const char *mask_name(ScoreMask mask) {
    static const RtMask masks[] = {[MASK_NONE] = RT_MASK_NONE,
                                   [MASK_CAUSAL] = RT_MASK_CAUSAL,
                                   [MASK_STRICT_CAUSAL] = RT_MASK_STRICT_CAUSAL,
                                   [MASK_ANTICAUSAL] = RT_MASK_ANTICAUSAL,
                                   [MASK_STRICT_ANTICAUSAL] = RT_MASK_STRICT_ANTICAUSAL};
    return rt_mask_names[masks[mask]];
}

static void put_head(Writer *w, json_t *object, const CircuitHead *head) {
    set_node(w, object, "selector", head->selector);
    set_text(w, object, "kind", claims_head_kinds[head->kind]);
    set_text(w, object, "mask", mask_name(head->score.mask));
    json_t *components = add_list(w, object, "components");
    for (uint32_t k = 0; k < head->component_count; k++)
        put_part(w, add_object(w, components), head->components[k].part);
}

static void put_table(Writer *w, json_t *object, const CircuitTable *table) {
    set_node(w, object, "reads", table->x);
    json_t *units = add_list(w, object, "units");
    describe_append(units, json_integer(table->first_unit), &w->lost);
    describe_append(units, json_integer(table->shape.unit_count), &w->lost);
    json_t *outputs = add_list(w, object, "outputs");
    for (uint32_t k = 0; k < table->output_count; k++)
        put_part(w, add_object(w, outputs), table->outputs[k].part);
}

static void put_clear(Writer *w, json_t *object, const CircuitClear *clear) {
    set_count(w, object, "dim", clear->dim);
    set_count(w, object, "unit", clear->unit);
}

/* --- layers -------------------------------------------------------------------------------- */

/* Empty layers with empty sublayers; where pieces go is looked up in them. */
static json_t *put_layers(Writer *w, json_t *claims) {
    json_t *list = add_list(w, claims, "layers");
    for (uint32_t l = 0; l < w->c->layer_count; l++) {
        uint32_t sublayers = w->c->layers[l].sublayer_count;
        uint32_t layers = w->standard && sublayers > 1 ? sublayers : 1;
        for (uint32_t k = 0; k < layers; k++) {
            json_t *layer = add_object(w, list);
            (void)add_list(w, layer, "heads");
            json_t *inner = add_list(w, layer, "sublayers");
            for (uint32_t m = 0; m < (w->standard ? sublayers > 0 : sublayers); m++)
                (void)add_object(w, inner);
        }
    }
    return list;
}

static json_t *list_in(Writer *w, json_t *object, const char *key) {
    json_t *list = json_object_get(object, key);
    return list ? list : add_list(w, object, key);
}

static json_t *sublayer_in(const Writer *w, const json_t *layers, uint32_t layer,
                           uint32_t sublayer) {
    const json_t *in = json_array_get(layers, sublayer_layer(w, layer, sublayer));
    return json_array_get(json_object_get(in, "sublayers"), sublayer_number(w, sublayer));
}

static void put_pieces(Writer *w, json_t *layers) {
    const Circuit *c = w->c;
    for (uint32_t k = 0; k < c->head_count && !w->lost; k++) {
        json_t *layer = json_array_get(layers, w->layer_at[c->heads[k].layer]);
        json_t *heads = json_object_get(layer, "heads");
        while (json_array_size(heads) < c->heads[k].index && !w->lost) /* that do nothing */
            describe_append(heads, json_null(), &w->lost);
        put_head(w, add_object(w, heads), &c->heads[k]);
    }
    for (uint32_t k = 0; k < c->table_count && !w->lost; k++) {
        json_t *in = sublayer_in(w, layers, c->tables[k].layer, c->tables[k].sublayer);
        put_table(w, add_object(w, list_in(w, in, "tables")), &c->tables[k]);
    }
    for (uint32_t k = 0; k < c->clear_count && !w->lost; k++) {
        json_t *in = sublayer_in(w, layers, c->clears[k].layer, c->clears[k].sublayer);
        put_clear(w, add_object(w, list_in(w, in, "clears")), &c->clears[k]);
    }
}

/* --- outputs ------------------------------------------------------------------------------- */

static void put_outputs(Writer *w, json_t *claims) {
    json_t *list = add_list(w, claims, "outputs");
    for (uint32_t o = 0; o < w->c->output_count; o++)
        set_node(w, add_object(w, list), "sop", w->c->outputs[o].node);
}

/* --- names --------------------------------------------------------------------------------- */

static uint32_t *count_uses(const Circuit *c, Arena *arena) {
    uint32_t *uses = ARENA_ARRAY(arena, graph_count(c->graph), uint32_t);
    for (uint32_t p = 0; p < c->part_count; p++)
        if (circuit_embedded(&c->parts[p]) && c->parts[p].dim != DIM_NONE) uses[c->parts[p].node]++;
    for (uint32_t h = 0; h < c->head_count; h++) {
        uses[c->heads[h].selector]++;
        for (uint32_t k = 0; k < c->heads[h].component_count; k++)
            uses[c->parts[c->heads[h].components[k].part].node]++;
    }
    for (uint32_t t = 0; t < c->table_count; t++) {
        uses[c->tables[t].x]++;
        for (uint32_t o = 0; o < c->tables[t].output_count; o++)
            uses[c->parts[c->tables[t].outputs[o].part].node]++;
    }
    for (uint32_t o = 0; o < c->output_count; o++) uses[c->outputs[o].node]++;
    return uses;
}

static void put_definitions(Writer *w, json_t *define) {
    for (NodeId id = 0; id < graph_count(w->c->graph); id++)
        if (w->names.defined[id])
            set_text(w, define, w->names.node[id], claims_names_definition(&w->names, id));
}

static json_t *atom_json(Atom atom) {
    switch (atom.kind) {
    case ATOM_BOOL:
        return json_boolean(atom.b);
    case ATOM_INT:
        return json_integer(atom.i);
    case ATOM_STRING:
        return json_stringn(atom.s->text, atom.s->length);
    case ATOM_FLOAT:
        break;
    }
    if (isfinite(atom.f)) return json_real(atom.f);
    return json_pack("{s:s}", "float", isnan(atom.f) ? "nan" : atom.f < 0 ? "-inf" : "inf");
}

static void put_constants(Writer *w, json_t *constants) {
    for (size_t k = 0; k < w->names.constant_count; k++) {
        const ClaimsConstant *constant = &w->names.constants[k];
        json_t *value = atom_json(constant->atom);
        if (constant->sop) value = json_pack("{s:o*}", "everywhere", value);
        describe_set(constants, constant->name, value, &w->lost);
    }
}

/* Definitions may need constants, which stand before them. */
static void put_names(Writer *w, json_t *claims) {
    json_t *constants = json_object(), *define = json_object();
    describe_set(claims, "constants", constants, &w->lost);
    describe_set(claims, "define", define, &w->lost);
    if (!w->lost) put_definitions(w, define);
}

/* --- all of it ----------------------------------------------------------------------------- */

static void put_claims(Writer *w, json_t *claims) {
    set_count(w, claims, "version", CLAIMS_VERSION);
    put_names(w, claims);
    put_embedded(w, claims, "token", FROM_TOKEN);
    put_embedded(w, claims, "position", FROM_POSITION);
    json_t *layers = put_layers(w, claims);
    if (!w->lost) put_pieces(w, layers);
    put_outputs(w, claims);
    if (!w->lost) put_constants(w, json_object_get(claims, "constants"));
    if (w->names.constant_count == 0) json_object_del(claims, "constants");
}

bool claims_write(const Circuit *circuit, const ProgramNames *names, bool standard, Model *model,
                  Arena *arena) {
    Arena *scratch = arena_child(arena);
    Writer w = {.c = circuit, .arena = scratch, .standard = standard};
    place_layers(&w);
    claims_names_make(&w.names, circuit->graph, count_uses(circuit, scratch), names, scratch);
    json_t *claims = json_object();
    describe_set(model->extra, "claims", claims, &w.lost);
    if (!w.lost) put_claims(&w, claims);
    arena_free(scratch);
    return !w.lost;
}
