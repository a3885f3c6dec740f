#include "compile/emit/schedule.h"

#include "compile/emit/liveness.h"
#include "compile/lower/scan.h"
#include "compile/values/numbers.h"
#include "compile/values/sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The circuit while it is being made: what its const pointers point to. */
typedef struct Scheduler {
    Lower *lower;
    const Graph *graph;
    Arena *arena;
    Circuit *c;
    Liveness live;
    CircuitLayer *layers;
    uint32_t **units; /* by layer: the layers' units */
    CircuitPart *parts;
} Scheduler;

static Span span_of(const Scheduler *s, NodeId node) {
    return graph_node(s->graph, node)->span;
}

static uint32_t file_layer(const Scheduler *s, Stage stage) {
    return stage.layer - s->c->first_layer;
}

/* --- layers --------------------------------------------------------------------------------- */

static void make_layers(Scheduler *s) {
    uint32_t last = 0, *steps;
    for (uint32_t h = 0; h < lower_head_count(s->lower); h++)
        if (lower_head(s->lower, h)->layer > last) last = lower_head(s->lower, h)->layer;
    steps = ARENA_ARRAY(s->arena, last + 1, uint32_t);
    for (uint32_t k = 0; k < lower_scan_count(s->lower); k++) {
        Stage stage = lower_scan(s->lower, k)->stage;
        if (stage.step > steps[stage.layer]) steps[stage.layer] = stage.step;
    }
    Circuit *c = s->c;
    c->first_layer = steps[0] ? 0 : 1;
    c->layer_count = last + 1 - c->first_layer;
    c->layers = s->layers = ARENA_ARRAY(s->arena, c->layer_count, CircuitLayer);
    s->units = ARENA_ARRAY(s->arena, c->layer_count, uint32_t *);
    for (uint32_t l = 0; l < c->layer_count; l++) {
        s->units[l] = ARENA_ARRAY(s->arena, steps[l + c->first_layer], uint32_t);
        s->layers[l].sublayer_count = steps[l + c->first_layer];
        s->layers[l].units = s->units[l];
    }
}

/* --- dimensions ----------------------------------------------------------------------------- */

static void make_dimensions(Scheduler *s, const OutputPlan *plans, uint32_t count) {
    Circuit *c = s->c;
    /* With several outputs, one may fail on an input on which another must be right: then
     * dimensions hold what no plan foresaw, and are not shared. */
    liveness_find(s->lower, plans, count, count == 1, s->arena, &s->live);
    c->sink = s->live.sink;
    c->one = s->live.one;
    c->width = s->live.used;
    CircuitOutput *outputs = ARENA_ARRAY(s->arena, count, CircuitOutput);
    for (uint32_t o = 0; o < count; o++) {
        const OutputPlan *plan = &plans[o];
        outputs[o] = (CircuitOutput){.name = plan->name,
                                     .node = plan->node,
                                     .span = span_of(s, plan->node),
                                     .numeric = plan->numeric,
                                     .whole = plan->whole,
                                     .values = plan->values,
                                     .place = plan->place,
                                     .placed = plan->placed,
                                     .most = plan->most,
                                     .value_count = plan->value_count,
                                     .forms = plan->forms,
                                     .form_count = plan->form_count,
                                     .start = c->width};
        c->width += plan->form_count;
    }
    if (c->width == 0) c->width = 1;
    c->outputs = outputs;
    c->output_count = count;
}

/* --- parts ---------------------------------------------------------------------------------- */

/* The distinct numbers that the part can hold. */
static void make_numbers(Scheduler *s, CircuitPart *part) {
    Values *values = lower_values(s->lower);
    if (values_unlisted(values, part->node, &part->least, &part->most)) return;
    const NodeValues *v = values_of(values, part->node);
    if (!v) return;
    part->level_count = v->count;
    for (uint32_t k = 0; k < v->count; k++) {
        double x = feature_number(v->levels[k]);
        part->least = k ? fmin(part->least, x) : x;
        part->most = k ? fmax(part->most, x) : x;
    }
    if (part->dim == DIM_NONE) return;
    double *number = ARENA_ARRAY(s->arena, v->count, double);
    for (uint32_t k = 0; k < v->count; k++) number[k] = feature_number(v->levels[k]);
    qsort(number, v->count, sizeof *number, number_order);
    for (uint32_t k = 0; k < v->count; k++)
        if (k == 0 || number[k] != number[k - 1]) number[part->number_count++] = number[k];
    part->numbers = number;
}

/* Calls for each term of each dimension of the outputs. */
typedef void TermBody(Scheduler *s, CircuitWrite *writes, uint32_t dim, FormTerm term);

static void each_term(Scheduler *s, CircuitWrite *writes, TermBody *body) {
    for (uint32_t o = 0; o < s->c->output_count; o++) {
        const CircuitOutput *output = &s->c->outputs[o];
        for (uint32_t f = 0; f < output->form_count; f++)
            for (uint32_t k = 0; k < output->forms[f].count; k++)
                body(s, writes, output->start + f, output->forms[f].terms[k]);
    }
}

static void count_term(Scheduler *s, CircuitWrite *writes, uint32_t dim, FormTerm term) {
    (void)writes, (void)dim;
    s->parts[term.part].write_count++;
}

/* `writes` of all parts stand one after the other; each part's are filled from the front. */
static void add_term(Scheduler *s, CircuitWrite *writes, uint32_t dim, FormTerm term) {
    CircuitPart *part = &s->parts[term.part];
    writes[(part->writes - writes) + part->write_count++] = (CircuitWrite){dim, term.factor};
}

static void make_writes(Scheduler *s) {
    Circuit *c = s->c;
    size_t total = 0;
    for (uint32_t p = 0; p < c->part_count; p++)
        s->parts[p].write_count = s->parts[p].dim != DIM_NONE;
    each_term(s, NULL, count_term);
    for (uint32_t p = 0; p < c->part_count; p++) total += s->parts[p].write_count;
    CircuitWrite *writes = ARENA_ARRAY(s->arena, total, CircuitWrite), *next = writes;
    for (uint32_t p = 0; p < c->part_count; p++) {
        CircuitPart *part = &s->parts[p];
        part->writes = next;
        next += part->write_count;
        part->write_count = part->dim != DIM_NONE;
        if (part->write_count) writes[part->writes - writes] = (CircuitWrite){part->dim, 1};
    }
    each_term(s, writes, add_term);
}

static void make_parts(Scheduler *s) {
    Circuit *c = s->c;
    c->part_count = lower_part_count(s->lower);
    c->parts = s->parts = ARENA_ARRAY(s->arena, c->part_count, CircuitPart);
    for (uint32_t p = 0; p < c->part_count; p++) {
        const Part *part = lower_part(s->lower, p);
        s->parts[p] = (CircuitPart){.origin = part->origin,
                                    .node = part->node,
                                    .span = span_of(s, part->node),
                                    .owner = part->owner,
                                    .column = part->column,
                                    .vector = part->vector,
                                    .born = part->stage,
                                    .last = s->live.last[p],
                                    .dim = s->live.part_dim[p]};
        make_numbers(s, &s->parts[p]);
    }
    make_writes(s);
}

/* --- heads ---------------------------------------------------------------------------------- */

/* Where the values that a row selects are all equal, unequal weights among them are harmless. */
static bool moves(const Scheduler *s, const HeadPlan *head, NodeId node) {
    if (head->kind == HEAD_COUNT) return false;
    if (head->single) return true;
    if (graph_node(s->graph, node)->kind != NODE_AGGREGATE) return true;
    return values_moves(lower_values(s->lower), node);
}

static CircuitHead make_head(Scheduler *s, const HeadPlan *plan) {
    CircuitComponent *components = ARENA_ARRAY(s->arena, plan->component_count, CircuitComponent);
    for (size_t k = 0; k < plan->component_count; k++) {
        const Component *from = &plan->components[k];
        components[k] = (CircuitComponent){.node = from->node,
                                           .span = span_of(s, from->node),
                                           .value = from->value,
                                           .fallback = from->fallback,
                                           .moves = moves(s, plan, from->node),
                                           .part = from->part};
    }
    Stage stage = {plan->layer, 0};
    uint32_t layer = file_layer(s, stage);
    return (CircuitHead){.layer = layer,
                         .index = s->layers[layer].head_count++,
                         .stage = stage,
                         .selector = plan->selector,
                         .span = span_of(s, plan->selector),
                         .kind = plan->kind,
                         .single = plan->single,
                         .score = *plan->score,
                         .components = components,
                         .component_count = (uint32_t)plan->component_count};
}

static void make_heads(Scheduler *s) {
    uint32_t count = lower_head_count(s->lower);
    CircuitHead *heads = ARENA_ARRAY(s->arena, count, CircuitHead);
    for (uint32_t h = 0; h < count; h++) heads[h] = make_head(s, lower_head(s->lower, h));
    s->c->heads = heads;
    s->c->head_count = count;
}

/* --- tables --------------------------------------------------------------------------------- */

/* The functions that somebody reads: lowering may have made others on the way.  All, if none. */
static uint32_t keep_outputs(const Scheduler *s, const ScanPlan *scan, TableOutput *outputs) {
    uint32_t count = 0;
    for (int all = 0; all < 2 && !count; all++)
        for (size_t o = 0; o < scan->output_count; o++)
            if (all || s->parts[scan->outputs[o].part].write_count)
                outputs[count++] = scan->outputs[o];
    return count;
}

static CircuitTable make_table(Scheduler *s, const ScanPlan *scan) {
    TableOutput *outputs = ARENA_ARRAY(s->arena, scan->output_count, TableOutput);
    uint32_t count = keep_outputs(s, scan, outputs);
    for (uint32_t o = 0; o < count; o++) {
        outputs[o].span = span_of(s, outputs[o].node);
        s->parts[outputs[o].part].column = o;
    }
    CircuitTable table = {.layer = file_layer(s, scan->stage),
                          .sublayer = scan->stage.step - 1,
                          .stage = scan->stage,
                          .x = scan->x,
                          .span = span_of(s, scan->x),
                          .form = scan->form,
                          .outputs = outputs,
                          .output_count = count,
                          .shape = scan_shape(outputs, count, s->c->options.steep, s->arena)};
    uint32_t *units = &s->units[table.layer][table.sublayer];
    table.first_unit = *units;
    *units += table.shape.unit_count;
    return table;
}

/* Tables first, then clears: the order of a sublayer's hidden units. */
static void make_tables(Scheduler *s) {
    uint32_t scans = lower_scan_count(s->lower), count = 0;
    CircuitTable *tables = ARENA_ARRAY(s->arena, scans, CircuitTable);
    for (uint32_t k = 0; k < scans; k++) /* of some, all functions turned out to be constant */
        if (lower_scan(s->lower, k)->output_count)
            tables[count++] = make_table(s, lower_scan(s->lower, k));
    CircuitClear *clears = ARENA_ARRAY(s->arena, s->live.clear_count, CircuitClear);
    for (uint32_t k = 0; k < s->live.clear_count; k++) {
        const Clear *clear = &s->live.clears[k];
        uint32_t layer = file_layer(s, clear->stage), sublayer = clear->stage.step - 1;
        clears[k] = (CircuitClear){.part = clear->part,
                                   .dim = clear->dim,
                                   .layer = layer,
                                   .sublayer = sublayer,
                                   .unit = s->units[layer][sublayer]++,
                                   .stage = clear->stage,
                                   .least = clear->least};
    }
    s->c->tables = tables;
    s->c->table_count = count;
    s->c->clears = clears;
    s->c->clear_count = s->live.clear_count;
}

const Circuit *circuit_make(Lower *lower, const OutputPlan *outputs, uint32_t output_count,
                            CircuitOptions options, uint32_t depth, Arena *arena) {
    Circuit *c = ARENA_NEW(arena, Circuit);
    const Graph *graph = values_graph(lower_values(lower));
    Scheduler s = {.lower = lower, .graph = graph, .arena = arena, .c = c};
    *c = (Circuit){.graph = graph,
                   .domain = *values_domain(lower_values(lower)),
                   .options = options,
                   .depth = depth};
    make_layers(&s);
    make_dimensions(&s, outputs, output_count);
    make_parts(&s);
    make_heads(&s);
    make_tables(&s);
    return c;
}
