/* circuit_runs.h: forward passes of which everything is kept, and passes with one piece changed to
 * what it was in another pass, or to zero. */
#ifndef RASP_TESTS_CIRCUIT_RUNS_H
#define RASP_TESTS_CIRCUIT_RUNS_H

#include "tests/unit/api_fixture.h"

#include "api/model.h"
#include "api/rasp_circuit.h"

#include <math.h>

/* A model with its circuit. */
typedef struct Subject {
    RaspModel *model;
    RaspEngine *engine;
    const RaspCircuit *circuit;
    const RaspModelInfo *info;
} Subject;

/* All of a pass; [n+1, …] each, row 0 the sink. */
typedef struct Run {
    const Subject *subject;
    RaspAtom *tokens;
    size_t n;
    double **stream; /* by step */
    double **hidden; /* by step; NULL: of no sublayer */
    double **result; /* by head of the circuit */
    double **value;  /* by column: its number at each row, made from what wrote it */
} Run;

typedef enum What { WHOLE, CHANGE_HEAD, CHANGE_UNIT, CHANGE_COLUMN, CHANGE_EDGE } What;

/* One piece, and where its new value comes from. */
typedef struct Change {
    What what;
    uint32_t index;   /* of the head, table, column or edge */
    uint32_t unit;    /* of the table, from 0 */
    const Run *clean; /* the same input, nothing changed */
    const Run *donor; /* NULL: zero */
    size_t shift;     /* position i gets what the donor has at i + shift, round its length */
} Change;

static size_t donor_row(const Change *change, size_t row) {
    return 1 + (row - 1 + change->shift) % change->donor->n;
}

/* What the hooks share. */
typedef struct Pass {
    const Change *change;
    Run *run;
    double *read; /* what the value matrix of the head being computed was shown */
} Pass;

static uint32_t step_of(const RaspCircuit *c, size_t layer, int sublayer) {
    for (uint32_t s = 0; s < c->step_count; s++)
        if (c->steps[s].sublayer == sublayer && (sublayer == -2 || c->steps[s].layer == layer))
            return s;
    fail_msg("no step for layer %zu, sublayer %d", layer, sublayer);
    return 0;
}

/* RASP_NONE: padding. */
static uint32_t head_at(const RaspCircuit *c, size_t layer, size_t head) {
    for (uint32_t h = 0; h < c->head_count; h++)
        if (c->heads[h].layer == layer && c->heads[h].head == head) return h;
    return RASP_NONE;
}

static double *copy_of(const double *from, size_t count) {
    double *copy = malloc(count * sizeof *copy);
    assert_non_null(copy);
    memcpy(copy, from, count * sizeof *copy);
    return copy;
}

/* --- columns from what wrote them ----------------------------------------------------------- */

static void keep_embedded(Run *run) {
    const RaspCircuit *c = run->subject->circuit;
    const RaspModelInfo *info = run->subject->info;
    for (size_t k = 0; k < c->column_count; k++) {
        const RaspCircuitColumn *column = &c->columns[k];
        if (!column->embedded) continue;
        bool token = c->nodes[column->node].kind == RASP_CIRCUIT_TOKENS;
        for (size_t i = 1; i <= run->n; i++) {
            size_t id = 0;
            while (token && !rasp_atom_same(info->alphabet[id], run->tokens[i - 1])) id++;
            run->value[k][i] = column->embedded[token ? id : i - 1];
        }
    }
}

/* value = weights (h V), V the model's own. */
static void keep_components(Run *run, uint32_t number, const double *weights, const double *read) {
    const RaspCircuitHead *head = &run->subject->circuit->heads[number];
    const ModelHead *weighed = run->subject->model->model->layers[head->layer]->heads[head->head];
    size_t n1 = run->n + 1, width = run->subject->circuit->width;
    for (size_t k = 0; k < head->component_count; k++) {
        double *value = run->value[head->components[k].column], v[64];
        assert_true(n1 <= 64);
        for (size_t j = 0; j < n1; j++) {
            v[j] = 0;
            for (size_t d = 0; d < width; d++)
                v[j] += read[j * width + d] * tensor_get(&weighed->value, d, k);
        }
        for (size_t i = 0; i < n1; i++) {
            value[i] = 0;
            for (size_t j = 0; j < n1; j++) value[i] += weights[i * n1 + j] * v[j];
        }
    }
}

static void keep_tables(Run *run, uint32_t step, size_t units, const double *hidden) {
    const RaspCircuit *c = run->subject->circuit;
    for (size_t t = 0; t < c->table_count; t++) {
        const RaspCircuitTable *table = &c->tables[t];
        if (c->nodes[table->node].step != step) continue;
        for (size_t f = 0; f < table->function_count; f++)
            for (size_t i = 1; i <= run->n; i++) {
                const RaspCircuitFunction *function = &table->functions[f];
                double value = function->base;
                for (size_t u = 0; u < table->unit_count; u++)
                    value += function->factors[u] * hidden[i * units + table->first_unit + u];
                run->value[function->column][i] = value;
            }
    }
}

/* --- taps ----------------------------------------------------------------------------------- */

static void tap_head(void *context, size_t layer, size_t head, size_t n, const double *scores,
                     const double *weights, size_t width, const double *result) {
    Pass *pass = context;
    (void)scores;
    uint32_t number = head_at(pass->run->subject->circuit, layer, head);
    if (number == RASP_NONE) return;
    pass->run->result[number] = copy_of(result, (n + 1) * width);
    keep_components(pass->run, number, weights, pass->read);
}

static void tap_sublayer(void *context, size_t layer, size_t sublayer, size_t n, size_t units,
                         const double *hidden) {
    Run *run = ((Pass *)context)->run;
    uint32_t step = step_of(run->subject->circuit, layer, (int)sublayer);
    run->hidden[step] = copy_of(hidden, (n + 1) * units);
    keep_tables(run, step, units, hidden);
}

static void tap_residual(void *context, size_t layer, int sublayer, size_t n, size_t width,
                         const double *stream) {
    Run *run = ((Pass *)context)->run;
    run->stream[step_of(run->subject->circuit, layer, sublayer)] = copy_of(stream, (n + 1) * width);
}

/* --- changes -------------------------------------------------------------------------------- */

/* What the column gets instead of what it is in the clean pass. */
static double difference(const Change *change, uint32_t column, size_t i) {
    double now = change->clean->value[column][i];
    return (change->donor ? change->donor->value[column][donor_row(change, i)] : 0) - now;
}

static const RaspCircuitEdge *edge_of(const Change *change) {
    return change->what == CHANGE_EDGE ? &change->clean->subject->circuit->edges[change->index]
                                       : NULL;
}

/* Is the edge's reader this one? */
static bool is_reader(const RaspCircuit *c, const RaspCircuitEdge *edge, size_t layer, size_t piece,
                      int role) {
    const RaspCircuitNode *to = &c->nodes[edge->to];
    if (to->kind == RASP_CIRCUIT_OUTPUT || c->steps[to->step].layer != layer) return false;
    if (to->kind == RASP_CIRCUIT_HEAD)
        return (int)edge->role == role && c->heads[to->index].head == piece;
    return role == RASP_ROLE_INPUT && c->steps[to->step].sublayer == (int)piece;
}

static void patch_read(void *context, size_t layer, size_t piece, int role, size_t n, size_t width,
                       double *stream) {
    Pass *pass = context;
    const RaspCircuit *c = pass->run->subject->circuit;
    const RaspCircuitEdge *edge = edge_of(pass->change);
    if (edge && is_reader(c, edge, layer, piece, role))
        for (size_t i = 1; i <= n; i++)
            stream[i * width + c->columns[edge->column].dim] +=
                difference(pass->change, edge->column, i);
    if (role != RASP_ROLE_VALUE) return;
    free(pass->read);
    pass->read = copy_of(stream, (n + 1) * width);
}

static void patch_head(void *context, size_t layer, size_t head, size_t n, size_t width,
                       double *result) {
    const Change *change = ((Pass *)context)->change;
    if (change->what != CHANGE_HEAD) return;
    if (head_at(change->clean->subject->circuit, layer, head) != change->index) return;
    for (size_t i = 1; i <= n; i++)
        for (size_t d = 0; d < width; d++)
            result[i * width + d] =
                change->donor
                    ? change->donor->result[change->index][donor_row(change, i) * width + d]
                    : 0;
}

/* The units of the table or clear that the edge leads to are those that stay changed. */
static void keep_others(const Change *change, const RaspCircuitNode *to, size_t n, size_t units,
                        double *hidden) {
    const RaspCircuit *c = change->clean->subject->circuit;
    bool table = to->kind == RASP_CIRCUIT_TABLE;
    size_t first = table ? c->tables[to->index].first_unit : c->clears[to->index].unit;
    size_t count = table ? c->tables[to->index].unit_count : 1;
    for (size_t k = units; k < (n + 1) * units; k++)
        if (k % units < first || k % units >= first + count)
            hidden[k] = change->clean->hidden[to->step][k];
}

static void patch_sublayer(void *context, size_t layer, size_t sublayer, size_t n, size_t units,
                           double *hidden) {
    const Change *change = ((Pass *)context)->change;
    const RaspCircuit *c = change->clean ? change->clean->subject->circuit : NULL;
    const RaspCircuitEdge *edge = edge_of(change);
    if (edge && is_reader(c, edge, layer, sublayer, RASP_ROLE_INPUT))
        keep_others(change, &c->nodes[edge->to], n, units, hidden);
    if (change->what != CHANGE_UNIT) return;
    const RaspCircuitTable *table = &c->tables[change->index];
    if (table->layer != layer || table->sublayer != sublayer) return;
    size_t unit = table->first_unit + change->unit;
    const double *other = change->donor ? change->donor->hidden[c->nodes[table->node].step] : NULL;
    for (size_t i = 1; i <= n; i++)
        hidden[i * units + unit] = other ? other[donor_row(change, i) * units + unit] : 0;
}

/* Everything that the column writes, or what of it the output's dimensions get. */
static void patch_residual(void *context, size_t layer, int sublayer, size_t n, size_t width,
                           double *stream) {
    const Change *change = ((Pass *)context)->change;
    const RaspCircuitEdge *edge = edge_of(change);
    bool output = edge && edge->role == RASP_ROLE_OUTPUT;
    if (change->what != CHANGE_COLUMN && !output) return;
    const RaspCircuit *c = change->clean->subject->circuit;
    uint32_t number = output ? edge->column : change->index;
    const RaspCircuitColumn *column = &c->columns[number];
    uint32_t step = output ? c->nodes[edge->to].step : column->written;
    if (step_of(c, layer, sublayer) != step) return;
    const RaspCircuitOutput *to = output ? &c->outputs[c->nodes[edge->to].index] : NULL;
    for (size_t w = 0; w < column->write_count; w++) {
        uint32_t dim = column->writes[w].dim;
        if (to && (dim < to->start || dim >= to->start + to->form_count)) continue;
        for (size_t i = 1; i <= n; i++)
            stream[i * width + dim] += column->writes[w].factor * difference(change, number, i);
    }
}

/* --- runs ----------------------------------------------------------------------------------- */

static double **rows(size_t count, size_t size) {
    double **list = calloc(count + 1, sizeof *list);
    assert_non_null(list);
    for (size_t k = 0; k < count && size; k++) {
        list[k] = calloc(size, sizeof **list);
        assert_non_null(list[k]);
    }
    return list;
}

static Run *run_new(const Subject *subject, const RaspAtom *tokens, size_t n,
                    const Change *change) {
    static const Change nothing = {.what = WHOLE};
    const RaspCircuit *c = subject->circuit;
    RaspError error;
    Run *run = calloc(1, sizeof *run);
    assert_non_null(run);
    *run = (Run){.subject = subject,
                 .tokens = malloc(n * sizeof *tokens),
                 .n = n,
                 .stream = rows(c->step_count, 0),
                 .hidden = rows(c->step_count, 0),
                 .result = rows(c->head_count, 0),
                 .value = rows(c->column_count, n + 1)};
    assert_non_null(run->tokens);
    memcpy(run->tokens, tokens, n * sizeof *tokens);
    keep_embedded(run);
    Pass pass = {change ? change : &nothing, run, NULL};
    RaspPatch patch = {&pass, patch_read, NULL, patch_head, patch_sublayer, patch_residual};
    RaspTap tap = {&pass, tap_head, tap_sublayer, tap_residual};
    RaspInput input = {.tokens = tokens, .count = n};
    RaspForward *forward = rasp_patch(subject->engine, &input, &patch, &tap, &error);
    if (!forward) fail_msg("%s", error.text);
    rasp_forward_free(forward);
    free(pass.read);
    return run;
}

/* The activation of a table's unit at row i. */
static double unit_of(const Run *run, uint32_t table, uint32_t unit, size_t i) {
    const RaspCircuitTable *t = &run->subject->circuit->tables[table];
    size_t units = run->subject->model->model->layers[t->layer]->mlps[t->sublayer]->in.cols;
    uint32_t step = run->subject->circuit->nodes[t->node].step;
    return run->hidden[step][i * units + t->first_unit + unit];
}

static void free_rows(double **list, size_t count) {
    for (size_t k = 0; k < count; k++) free(list[k]);
    free(list);
}

static void run_free(Run *run) {
    const RaspCircuit *c = run->subject->circuit;
    free_rows(run->stream, c->step_count);
    free_rows(run->hidden, c->step_count);
    free_rows(run->result, c->head_count);
    free_rows(run->value, c->column_count);
    free(run->tokens);
    free(run);
}

#endif
