#include "cli/circuit.h"

#include "api/rasp_circuit.h"
#include "cli/command.h"
#include "cli/json_values.h"
#include "cli/output.h"
#include "cli/report.h"

#include <string.h>

enum { MOST_VALUES = 4096 }; /* longer lists of values are counted only, as in weights files */

/* --- small values --------------------------------------------------------------------------- */

/* In as few digits as read back exactly. */
static void put_double(Json *j, const char *key, double x) {
    char text[64];
    rasp_atom_text(rasp_float(x), RASP_JSON, text, sizeof text);
    size_t length = strlen(text);
    if (length > 2 && strcmp(text + length - 2, ".0") == 0) text[length - 2] = '\0';
    json_ready(j, key, text);
}

/* An index; the key is absent for RASP_NONE. */
static void put_index(Json *j, const char *key, uint32_t index) {
    if (index != RASP_NONE) json_count(j, key, index);
}

static void put_indices(Json *j, const char *key, const uint32_t *list, size_t count) {
    json_begin_array(j, key);
    for (size_t k = 0; k < count; k++) json_count(j, NULL, list[k]);
    json_end(j);
}

static void put_doubles(Json *j, const char *key, const double *list, size_t count) {
    json_begin_array(j, key);
    for (size_t k = 0; k < count; k++) put_double(j, NULL, list[k]);
    json_end(j);
}

static void put_pair(Json *j, uint32_t index, double number) {
    json_begin_array(j, NULL);
    json_count(j, NULL, index);
    put_double(j, NULL, number);
    json_end(j);
}

static void put_form(Json *j, const char *key, const RaspCircuitForm *form) {
    json_begin_object(j, key);
    json_begin_array(j, "terms");
    for (size_t k = 0; k < form->count; k++)
        put_pair(j, form->terms[k].column, form->terms[k].factor);
    json_end(j);
    put_double(j, "constant", form->constant);
    json_end(j);
}

/* As the spans of weights files: the file's name without its folder. */
static void put_span(Json *j, const RaspPlace *place) {
    if (!place->source) return;
    const char *slash = strrchr(place->source, '/');
    json_begin_array(j, "span");
    json_text(j, NULL, slash ? slash + 1 : place->source);
    json_count(j, NULL, place->line);
    json_count(j, NULL, place->column);
    json_count(j, NULL, place->end_line);
    json_count(j, NULL, place->end_column);
    json_end(j);
}

/* --- s-ops, steps, columns ------------------------------------------------------------------ */

static void put_sop(Json *j, const RaspCircuitSop *sop) {
    json_begin_object(j, NULL);
    if (sop->name) json_text(j, "name", sop->name);
    json_text(j, "text", sop->text);
    put_span(j, &sop->place);
    json_text(j, "kind", sop->selector ? "selector" : "s-op");
    if (sop->type >= 0) json_text(j, "type", rasp_type_name((RaspType)sop->type));
    if (sop->value_count) json_count(j, "value_count", sop->value_count);
    if (!sop->selector) put_indices(j, "columns", sop->columns, sop->column_count);
    json_end(j);
}

static void put_step(Json *j, const RaspCircuitStep *step) {
    static const char *const after[] = {"embedding", "heads", "sublayer"}; /* -2, -1, from 0 */
    int kind = step->sublayer < 0 ? step->sublayer + 2 : 2;
    json_begin_object(j, NULL);
    json_text(j, "after", after[kind]);
    if (kind > 0) json_count(j, "layer", step->layer);
    if (kind > 1) json_count(j, "sublayer", (size_t)step->sublayer);
    json_end(j);
}

static void put_column(Json *j, const RaspCircuitColumn *column) {
    json_begin_object(j, NULL);
    json_count(j, "sop", column->sop);
    json_count(j, "node", column->node);
    put_index(j, "dim", column->dim);
    json_count(j, "written", column->written);
    json_count(j, "read", column->read);
    put_index(j, "cleared", column->cleared);
    json_begin_array(j, "writes");
    for (size_t k = 0; k < column->write_count; k++)
        put_pair(j, column->writes[k].dim, column->writes[k].factor);
    json_end(j);
    put_double(j, "least", column->least);
    put_double(j, "most", column->most);
    if (column->values) json_count(j, "value_count", column->value_count);
    if (column->values && column->value_count <= MOST_VALUES)
        put_doubles(j, "values", column->values, column->value_count);
    if (column->embedded) put_doubles(j, "embedded", column->embedded, column->embedded_count);
    json_end(j);
}

/* --- nodes ---------------------------------------------------------------------------------- */

static void put_head(Json *j, const RaspCircuit *c, uint32_t index) {
    const RaspCircuitHead *head = &c->heads[index];
    json_count(j, "layer", head->layer);
    json_count(j, "head", head->head);
    json_count(j, "selector", head->selector);
    json_text(j, "mask", head->mask);
    json_text(j, "result", head->result);
    json_flag(j, "single", head->single);
    put_double(j, "beta", head->beta);
    json_begin_array(j, "pairs");
    for (size_t k = 0; k < head->pair_count; k++) {
        json_begin_object(j, NULL);
        put_form(j, "key", &head->pairs[k].key);
        put_form(j, "query", &head->pairs[k].query);
        json_end(j);
    }
    json_end(j);
    put_form(j, "key", &head->key);
    put_form(j, "query", &head->query);
    json_begin_array(j, "components");
    for (size_t k = 0; k < head->component_count; k++) {
        const RaspCircuitComponent *component = &head->components[k];
        json_begin_object(j, NULL);
        json_count(j, "sop", component->sop);
        json_count(j, "column", component->column);
        put_form(j, "value", &component->value);
        if (head->defaults) put_double(j, "default", component->fallback);
        json_flag(j, "moves", component->moves);
        json_end(j);
    }
    json_end(j);
}

static void put_function(Json *j, const RaspCircuitTable *table, const RaspCircuitFunction *f) {
    json_begin_object(j, NULL);
    json_count(j, "sop", f->sop);
    json_count(j, "column", f->column);
    put_double(j, "base", f->base);
    put_doubles(j, "factors", f->factors, table->unit_count);
    json_begin_array(j, "entries");
    for (size_t k = 0; k < f->entry_count; k++) {
        json_begin_array(j, NULL);
        put_double(j, NULL, f->entries[k].x);
        put_double(j, NULL, f->entries[k].value);
        json_end(j);
    }
    json_end(j);
    json_end(j);
}

static void put_table(Json *j, const RaspCircuit *c, uint32_t index) {
    const RaspCircuitTable *table = &c->tables[index];
    json_count(j, "layer", table->layer);
    json_count(j, "sublayer", table->sublayer);
    json_count(j, "first_unit", table->first_unit);
    json_count(j, "units", table->unit_count);
    json_count(j, "reads", table->reads);
    put_form(j, "x", &table->x);
    json_begin_array(j, "bends");
    for (size_t k = 0; k < table->unit_count; k++) {
        json_begin_array(j, NULL);
        put_double(j, NULL, table->units[k].at);
        put_double(j, NULL, table->units[k].sign);
        json_end(j);
    }
    json_end(j);
    json_begin_array(j, "functions");
    for (size_t k = 0; k < table->function_count; k++) put_function(j, table, &table->functions[k]);
    json_end(j);
}

static void put_clear(Json *j, const RaspCircuit *c, uint32_t index) {
    const RaspCircuitClear *clear = &c->clears[index];
    json_count(j, "layer", clear->layer);
    json_count(j, "sublayer", clear->sublayer);
    json_count(j, "unit", clear->unit);
    json_count(j, "column", clear->column);
    put_double(j, "least", clear->least);
}

static void put_output(Json *j, const RaspCircuit *c, uint32_t index) {
    const RaspCircuitOutput *output = &c->outputs[index];
    json_count(j, "output", index);
    json_text(j, "name", output->name);
    json_count(j, "sop", output->sop);
    json_count(j, "start", output->start);
    json_begin_array(j, "forms");
    for (size_t k = 0; k < output->form_count; k++) put_form(j, NULL, &output->forms[k]);
    json_end(j);
}

static void put_node(Json *j, const RaspCircuit *c, const RaspCircuitNode *node) {
    static void (*const put[])(Json * j, const RaspCircuit *c,
                               uint32_t index) = {[RASP_CIRCUIT_HEAD] = put_head,
                                                  [RASP_CIRCUIT_TABLE] = put_table,
                                                  [RASP_CIRCUIT_CLEAR] = put_clear,
                                                  [RASP_CIRCUIT_OUTPUT] = put_output};
    json_begin_object(j, NULL);
    json_text(j, "kind", rasp_circuit_kind_name((int)node->kind));
    json_count(j, "step", node->step);
    put_indices(j, "columns", node->columns, node->column_count);
    if (put[node->kind]) put[node->kind](j, c, node->index);
    json_end(j);
}

static void put_edge(Json *j, const RaspCircuitEdge *edge) {
    json_begin_object(j, NULL);
    json_count(j, "from", edge->from);
    json_count(j, "to", edge->to);
    json_count(j, "column", edge->column);
    json_text(j, "role", rasp_role_name((int)edge->role));
    put_indices(j, "changes", edge->changes, edge->change_count);
    json_end(j);
}

/* --- all of it ------------------------------------------------------------------------------ */

static void put_decoder(Json *j, const RaspOutput *output, const RaspCircuitOutput *made) {
    json_begin_object(j, NULL);
    json_text(j, "name", output->name);
    json_text(j, "decode", output->decode);
    json_count(j, "start", output->start);
    json_atoms(j, "values", output->values, output->value_count);
    if (made->places) put_doubles(j, "places", made->places, output->value_count);
    json_end(j);
}

static void put_circuit(FILE *out, bool lines, const RaspModelInfo *info, const RaspCircuit *c) {
    Json j = {.out = out, .lines = lines};
    json_begin_object(&j, NULL);
    json_text(&j, "format", "rasp-circuit/2");
    if (info->program) json_text(&j, "program", info->program);
    json_atoms(&j, "alphabet", info->alphabet, info->alphabet_size);
    json_count(&j, "max_length", info->max_length);
    json_count(&j, "width", c->width);
    put_index(&j, "one", c->one);
    put_index(&j, "sink", c->sink);
    json_begin_array(&j, "outputs");
    for (size_t k = 0; k < c->output_count; k++) put_decoder(&j, &info->outputs[k], &c->outputs[k]);
    json_end(&j);
    json_begin_array(&j, "sops");
    for (size_t k = 0; k < c->sop_count; k++) put_sop(&j, &c->sops[k]);
    json_end(&j);
    json_begin_array(&j, "steps");
    for (size_t k = 0; k < c->step_count; k++) put_step(&j, &c->steps[k]);
    json_end(&j);
    json_begin_array(&j, "columns");
    for (size_t k = 0; k < c->column_count; k++) put_column(&j, &c->columns[k]);
    json_end(&j);
    json_begin_array(&j, "nodes");
    for (size_t k = 0; k < c->node_count; k++) put_node(&j, c, &c->nodes[k]);
    json_end(&j);
    json_begin_array(&j, "edges");
    for (size_t k = 0; k < c->edge_count; k++) put_edge(&j, &c->edges[k]);
    json_end(&j);
    json_end(&j);
}

int circuit_write(RaspModel *model, FILE *out, bool lines) {
    RaspError error;
    const RaspCircuit *circuit = rasp_model_circuit(model, &error);
    if (!circuit) return report_failure(&error);
    put_circuit(out, lines, rasp_model_info(model), circuit);
    return EXIT_FINE;
}

int circuit_save(RaspModel *model, const char *path) {
    RaspError error;
    if (!rasp_model_circuit(model, &error)) return report_failure(&error);
    Output *output = output_open(path);
    if (!output) return EXIT_FAILED;
    int status = circuit_write(model, output->file, true);
    int closed = output_close(output);
    return status == EXIT_FINE ? closed : status;
}
