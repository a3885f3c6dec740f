#include "cli/view_data.h"

#include "base/plural.h"
#include "cli/command.h"
#include "cli/summary.h"

#include <string.h>

/* --- values ----------------------------------------------------------------------------------- */

/* As the language prints it. */
static void put_plain(Json *j, RaspAtom atom) {
    size_t length = rasp_atom_text(atom, RASP_PLAIN, NULL, 0);
    char *text = ARENA_ARRAY(command_arena(), length + 1, char);
    rasp_atom_text(atom, RASP_PLAIN, text, length + 1);
    json_quoted(j, NULL, text, length);
}

/* Numbers as numbers, others as the text that the language prints. */
static void put_value(Json *j, RaspAtom atom) {
    char text[64];
    if (atom.kind != RASP_INT && atom.kind != RASP_FLOAT) {
        put_plain(j, atom);
        return;
    }
    rasp_atom_text(atom, RASP_JSON, text, sizeof text);
    json_ready(j, NULL, text);
}

/* A token as an input spells it: strings as they are, others as in a list of JSON. */
static void put_token(Json *j, RaspAtom atom) {
    char text[64];
    if (atom.kind == RASP_STRING) {
        json_quoted(j, NULL, atom.as.s.text, atom.as.s.length);
        return;
    }
    rasp_atom_text(atom, RASP_JSON, text, sizeof text);
    json_text(j, NULL, text);
}

static double number_of(RaspAtom atom) {
    if (atom.kind == RASP_FLOAT) return atom.as.f;
    return atom.kind == RASP_INT ? (double)atom.as.i : (double)atom.as.b;
}

static void put_indices(Json *j, const char *key, const uint32_t *list, size_t count) {
    json_begin_array(j, key);
    for (size_t k = 0; k < count; k++) json_count(j, NULL, list[k]);
    json_end(j);
}

static const char *without_folder(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* --- what the file says ----------------------------------------------------------------------- */

static void put_source(Json *j, const json_t *name, const json_t *text) {
    if (!json_is_string(name) || !json_is_string(text)) return;
    const char *file = without_folder(json_string_value(name));
    json_begin_object(j, NULL);
    json_bytes(j, "name", file, strlen(file));
    json_bytes(j, "text", json_string_value(text), json_string_length(text));
    json_end(j);
}

static void put_sources(Json *j, const json_t *document) {
    size_t k;
    const json_t *entry;
    json_begin_array(j, "sources");
    put_source(j, json_object_get(document, "program"), json_object_get(document, "source"));
    json_array_foreach(json_object_get(document, "sources"), k, entry)
        put_source(j, json_object_get(entry, "name"), json_object_get(entry, "source"));
    json_end(j);
}

/* As the file has it; null stands for a number below all others. */
static void put_bias(Json *j, const json_t *bias) {
    char *text = bias ? json_dumps(bias, JSON_COMPACT) : NULL;
    if (text) json_ready(j, "bias", text);
    free(text);
}

static void put_layers(Json *j, const json_t *document) {
    size_t l, h;
    const json_t *layer, *head;
    json_begin_array(j, "layers");
    json_array_foreach(json_object_get(document, "layers"), l, layer) {
        json_begin_object(j, NULL);
        json_begin_array(j, "heads");
        json_array_foreach(json_object_get(layer, "heads"), h, head) {
            json_begin_object(j, NULL);
            json_text(j, "mask", json_string_value(json_object_get(head, "mask")));
            json_text(j, "scale", json_string_value(json_object_get(head, "scale")));
            json_flag(j, "sink", json_is_true(json_object_get(head, "sink")));
            json_number(j, "gap", "%.17g", json_number_value(json_object_get(head, "gap")));
            put_bias(j, json_object_get(head, "bias"));
            json_end(j);
        }
        json_end(j);
        json_count(j, "sublayers", (size_t)json_integer_value(json_object_get(layer, "mlps")));
        json_end(j);
    }
    json_end(j);
}

/* Where each value of an output decoded by the nearest stands. */
static void put_places(Json *j, const RaspOutput *output, const json_t *places) {
    json_begin_array(j, "places");
    for (size_t k = 0; k < output->value_count; k++) {
        const json_t *place = json_array_get(places, k);
        json_number(j, NULL, "%.17g",
                    place ? json_number_value(place) : number_of(output->values[k]));
    }
    json_end(j);
}

/* Without them nothing is decoded. */
static bool has_weights(const ViewData *d) {
    return d->info->nonzero <= VIEW_WEIGHTS;
}

/* Flags, too: they stand behind the others. */
static void put_outputs(Json *j, const ViewData *d) {
    const json_t *outputs = json_object_get(d->document, "outputs");
    json_begin_array(j, "outputs");
    for (size_t k = 0; k < json_array_size(outputs); k++) {
        const RaspOutput *o = &d->info->outputs[k];
        json_begin_object(j, NULL);
        json_text(j, "name", o->name);
        json_text(j, "decode", o->decode);
        json_count(j, "start", o->start);
        if (k < d->info->output_count && o->flag >= 0) json_count(j, "flag", (size_t)o->flag);
        json_begin_array(j, "values");
        for (size_t v = 0; v < o->value_count && has_weights(d); v++) put_value(j, o->values[v]);
        json_end(j);
        if (has_weights(d) && strcmp(o->decode, "nearest") == 0)
            put_places(j, o, json_object_get(json_array_get(outputs, k), "places"));
        json_end(j);
    }
    json_end(j);
}

static void put_sizes(Json *j, const RaspModelInfo *info) {
    static const char *const kinds[] = {
        [RASP_BOOL] = "bool", [RASP_INT] = "int", [RASP_FLOAT] = "float", [RASP_STRING] = "string"};
    if (info->program) json_text(j, "program", without_folder(info->program));
    json_text(j, "token_type", kinds[info->token_kind]);
    json_begin_array(j, "alphabet");
    for (size_t k = 0; k < info->alphabet_size; k++) put_token(j, info->alphabet[k]);
    json_end(j);
    json_count(j, "max_length", info->max_length);
    json_count(j, "most_shown", VIEW_POSITIONS);
    if (info->first >= 0) json_count(j, "first", (size_t)info->first);
    if (info->where) json_text(j, "where", info->where);
    json_text(j, "kernel", rasp_rule_name((int)info->kernel));
    json_flag(j, "single", info->dtype == RASP_F32);
    json_count(j, "width", info->width);
    json_count(j, "output_count", info->output_count);
}

/* --- the circuit ------------------------------------------------------------------------------ */

static void put_index(Json *j, const char *key, uint32_t index) {
    if (index != RASP_NONE) json_count(j, key, index);
}

static void put_sop(Json *j, const RaspCircuitSop *sop) {
    json_begin_object(j, NULL);
    if (sop->name) json_text(j, "name", sop->name);
    json_text(j, "text", sop->text);
    if (sop->type >= 0) json_text(j, "type", rasp_type_name((RaspType)sop->type));
    if (sop->place.source) {
        json_begin_array(j, "span");
        json_text(j, NULL, without_folder(sop->place.source));
        json_count(j, NULL, sop->place.line);
        json_count(j, NULL, sop->place.column);
        json_count(j, NULL, sop->place.end_line);
        json_count(j, NULL, sop->place.end_column);
        json_end(j);
    }
    json_end(j);
}

static void put_columns(Json *j, const RaspCircuit *c) {
    json_begin_array(j, "columns");
    for (size_t k = 0; k < c->column_count; k++) {
        const RaspCircuitColumn *column = &c->columns[k];
        json_begin_object(j, NULL);
        json_count(j, "sop", column->sop);
        put_index(j, "dim", column->dim);
        json_count(j, "written", column->written);
        put_index(j, "cleared", column->cleared);
        json_end(j);
    }
    json_end(j);
}

static void put_heads(Json *j, const RaspCircuit *c) {
    json_begin_array(j, "heads");
    for (size_t k = 0; k < c->head_count; k++) {
        const RaspCircuitHead *head = &c->heads[k];
        const RaspCircuitNode *node = &c->nodes[head->node];
        json_begin_object(j, NULL);
        json_count(j, "layer", head->layer);
        json_count(j, "head", head->head);
        json_count(j, "selector", head->selector);
        json_text(j, "result", head->result);
        put_indices(j, "columns", node->columns, node->column_count);
        json_end(j);
    }
    json_end(j);
}

static void put_units(Json *j, const RaspCircuit *c) {
    json_begin_array(j, "tables");
    for (size_t k = 0; k < c->table_count; k++) {
        const RaspCircuitTable *table = &c->tables[k];
        const RaspCircuitNode *node = &c->nodes[table->node];
        json_begin_object(j, NULL);
        json_count(j, "layer", table->layer);
        json_count(j, "sublayer", table->sublayer);
        json_count(j, "first", table->first_unit);
        json_count(j, "units", table->unit_count);
        json_count(j, "reads", table->reads);
        put_indices(j, "columns", node->columns, node->column_count);
        json_end(j);
    }
    json_end(j);
    json_begin_array(j, "clears");
    for (size_t k = 0; k < c->clear_count; k++) {
        json_begin_object(j, NULL);
        json_count(j, "layer", c->clears[k].layer);
        json_count(j, "sublayer", c->clears[k].sublayer);
        json_count(j, "unit", c->clears[k].unit);
        json_count(j, "column", c->clears[k].column);
        json_end(j);
    }
    json_end(j);
}

static void put_circuit(Json *j, const RaspCircuit *circuit) {
    static const RaspCircuit nothing = {.one = RASP_NONE, .sink = RASP_NONE};
    const RaspCircuit *c = circuit ? circuit : &nothing;
    json_begin_object(j, "circuit");
    put_index(j, "one", c->one);
    put_index(j, "sink", c->sink);
    json_begin_array(j, "sops");
    for (size_t k = 0; k < c->sop_count; k++) put_sop(j, &c->sops[k]);
    json_end(j);
    put_columns(j, c);
    put_heads(j, c);
    put_units(j, c);
    json_end(j);
}

/* --- all of it -------------------------------------------------------------------------------- */

static void put_input(Json *j, const ViewData *d, const ViewInput *input) {
    json_begin_object(j, NULL);
    json_begin_array(j, "ids");
    for (size_t i = 0; i < input->length; i++) json_count(j, NULL, input->ids[i]);
    json_end(j);
    json_begin_array(j, "answers");
    for (size_t k = 0; k < d->info->output_count; k++) {
        const RaspSequence *answer = input->answers ? input->answers[k] : NULL;
        if (!answer) {
            json_ready(j, NULL, "null");
            continue;
        }
        json_begin_array(j, NULL);
        for (size_t i = 0; i < input->length; i++) put_value(j, rasp_sequence_at(answer, i));
        json_end(j);
    }
    json_end(j);
    json_flag(j, "interpreted", input->answers != NULL);
    json_end(j);
}

static void put_weights(Json *j, const ViewData *d) {
    if (has_weights(d)) {
        view_weights_write(j, d);
        return;
    }
    json_ready(j, "weights", "null");
    json_text(j, "left_out",
              arena_format(command_arena(),
                           "This transformer has %s weights that are not zero, and a page carries "
                           "at most %s. It shows the program, what its lines became, and the "
                           "interpreter's outputs; rasp run shows the transformer's.",
                           grouped(d->info->nonzero), grouped(VIEW_WEIGHTS)));
}

void view_data_write(FILE *out, const ViewData *d) {
    Json j = {.out = out};
    json_begin_object(&j, NULL);
    put_sizes(&j, d->info);
    put_sources(&j, d->document);
    put_outputs(&j, d);
    put_layers(&j, d->document);
    put_circuit(&j, d->circuit);
    json_begin_array(&j, "inputs");
    for (size_t k = 0; k < d->input_count; k++) put_input(&j, d, &d->inputs[k]);
    json_end(&j);
    put_weights(&j, d);
    json_end(&j);
}
