#include "compile/plan_dump.h"

#include "base/plural.h"
#include "compile/compile_trace.h"
#include "compile/values/sums.h"

#include <string.h>

enum { TEXT_LIMIT = 100, SHOWN = 12 }; /* bytes of an s-op, items of a list */

typedef struct Dumper {
    FILE *out;
    const Circuit *circuit;
    Values *values; /* 'sets' alone */
    Arena *arena;   /* scratch */
} Dumper;

static const char *text_of(const Dumper *d, NodeId node) {
    return circuit_text(d->circuit, node, TEXT_LIMIT, d->arena);
}

static void put_more(const Dumper *d, size_t count) {
    if (count > SHOWN) fprintf(d->out, " ... (%zu more)", count - SHOWN);
}

/* 2*p0 - p3 + 1, the parts by number. */
static void put_form(const Dumper *d, Form form) {
    for (uint32_t k = 0; k < form.count; k++) {
        double factor = form.terms[k].factor;
        fprintf(d->out, "%s", factor < 0 ? k ? " - " : "-" : k ? " + " : "");
        if (factor != 1 && factor != -1) fprintf(d->out, "%g*", factor < 0 ? -factor : factor);
        fprintf(d->out, "p%u", form.terms[k].part);
    }
    if (form.count == 0)
        fprintf(d->out, "%g", form.constant);
    else if (form.constant != 0)
        fprintf(d->out, form.constant < 0 ? " - %g" : " + %g",
                form.constant < 0 ? -form.constant : form.constant);
}

/* --- sets ---------------------------------------------------------------------------------- */

static void dump_levels(const Dumper *d, NodeId id) {
    double least, most;
    if (values_unlisted(d->values, id, &least, &most)) {
        fprintf(d->out, "from %.17g to %.17g", least, most);
        return;
    }
    const NodeValues *v = values_of(d->values, id);
    if (!v) {
        fputs("not enumerated", d->out);
        return;
    }
    fprintf(d->out, "%u value%s:", v->count, plural(v->count));
    for (uint32_t k = 0; k < v->count && k < SHOWN; k++)
        fprintf(d->out, " %s", atom_show(v->levels[k], ATOM_JSON, d->arena));
    put_more(d, v->count);
}

static void dump_facts(const Dumper *d, NodeId id) {
    const SelectorFacts *facts = values_selector(d->values, id);
    if (!facts) {
        fputs("not enumerated", d->out);
        return;
    }
    fputs(facts->everything    ? "selects everything"
          : facts->at_most_one ? "selects at most one"
                               : "selects several",
          d->out);
    fputs(facts->never_empty ? ", never none" : ", perhaps none", d->out);
}

static void put_sets(const Dumper *d) {
    const Circuit *c = d->circuit;
    NodeId *roots = ARENA_ARRAY(d->arena, c->output_count, NodeId);
    for (uint32_t k = 0; k < c->output_count; k++) roots[k] = c->outputs[k].node;
    const bool *needed = graph_needed(c->graph, roots, c->output_count, d->arena);
    uint32_t count = graph_count(c->graph);
    for (NodeId id = 0; id < count; id++) {
        if (!needed[id]) continue;
        const Node *node = graph_node(c->graph, id);
        bool selector = node_is_selector(node);
        fprintf(d->out, "%s%s%s: ", node->name ? node->name->text : "", node->name ? " = " : "",
                text_of(d, id));
        if (selector)
            dump_facts(d, id);
        else
            dump_levels(d, id);
        fputc('\n', d->out);
    }
}

/* --- tables -------------------------------------------------------------------------------- */

static void dump_output(const Dumper *d, const TableOutput *output) {
    fprintf(d->out, "    p%u = %s:", output->part, text_of(d, output->node));
    for (uint32_t k = 0; k < output->points && k < SHOWN; k++)
        fprintf(d->out, " %g->%g", output->x[k], output->value[k]);
    put_more(d, output->points);
    fputc('\n', d->out);
}

static void dump_table(const Dumper *d, const CircuitTable *table) {
    uint32_t units = table->shape.unit_count;
    fprintf(d->out, "table of %s\n    x = ", text_of(d, table->x));
    put_form(d, table->form);
    fprintf(d->out, "; after layer %u, sublayer %u; %u unit%s\n", table->stage.layer,
            table->stage.step, units, plural(units));
    for (uint32_t k = 0; k < table->output_count; k++) dump_output(d, &table->outputs[k]);
}

static void put_cover(const Dumper *d) {
    for (uint32_t k = 0; k < d->circuit->table_count; k++) dump_table(d, &d->circuit->tables[k]);
}

/* --- heads --------------------------------------------------------------------------------- */

static const char *const mask_text[] = {[MASK_NONE] = "none",
                                        [MASK_CAUSAL] = "causal",
                                        [MASK_STRICT_CAUSAL] = "strictly causal",
                                        [MASK_ANTICAUSAL] = "anticausal",
                                        [MASK_STRICT_ANTICAUSAL] = "strictly anticausal"};
static const char *const sink_text[] = {[HEAD_PLAIN] = "no sink",
                                        [HEAD_DEFAULT] = "the sink carries the defaults",
                                        [HEAD_COUNT] = "the sink counts"};

static void dump_score(const Dumper *d, const Score *score) {
    for (uint32_t k = 0; k < score->pair_count; k++) {
        fputs("    key ", d->out);
        put_form(d, score->pairs[k].key);
        fputs("   query ", d->out);
        put_form(d, score->pairs[k].query);
        fputc('\n', d->out);
    }
    fputs("    and of the key alone ", d->out);
    put_form(d, score->key_only);
    fputs(", of the query alone ", d->out);
    put_form(d, score->query_only);
    fputc('\n', d->out);
}

static void dump_head(const Dumper *d, const CircuitHead *head) {
    fprintf(d->out, "layer %u: %s\n    mask %s, %s\n", head->stage.layer,
            text_of(d, head->selector), mask_text[head->score.mask], sink_text[head->kind]);
    dump_score(d, &head->score);
    for (uint32_t k = 0; k < head->component_count; k++) {
        const CircuitComponent *c = &head->components[k];
        fprintf(d->out, "    p%u = %s: value ", c->part, text_of(d, c->node));
        put_form(d, c->value);
        if (head->kind == HEAD_DEFAULT) fprintf(d->out, ", default %g", c->fallback);
        fputc('\n', d->out);
    }
}

static void put_heads(const Dumper *d) {
    for (uint32_t k = 0; k < d->circuit->head_count; k++) dump_head(d, &d->circuit->heads[k]);
}

/* --- schedule ------------------------------------------------------------------------------ */

static void put_dimension(const Dumper *d, const CircuitPart *part) {
    if (part->dim == DIM_NONE)
        fputs(", in outputs only\n", d->out);
    else
        fprintf(d->out, ", dimension %u\n", part->dim);
}

static void dump_stage(const Dumper *d, Stage stage) {
    for (uint32_t p = 0; p < d->circuit->part_count; p++) {
        const CircuitPart *part = &d->circuit->parts[p];
        if (circuit_embedded(part) || !stage_same(part->born, stage)) continue;
        fprintf(d->out, "    p%u = %s", p, text_of(d, part->node));
        put_dimension(d, part);
    }
}

static void dump_embedded(const Dumper *d) {
    const Circuit *c = d->circuit;
    fputs("embedding\n", d->out);
    if (c->sink != DIM_NONE) fprintf(d->out, "    the sink, dimension %u\n", c->sink);
    if (c->one != DIM_NONE) fprintf(d->out, "    one, dimension %u\n", c->one);
    for (uint32_t p = 0; p < c->part_count; p++) {
        const CircuitPart *part = &c->parts[p];
        if (!circuit_embedded(part)) continue;
        fprintf(d->out, "    p%u = %s, by %s", p, text_of(d, part->node),
                part->origin == FROM_TOKEN ? "token" : "position");
        put_dimension(d, part);
    }
}

static void dump_outputs(const Dumper *d) {
    for (uint32_t o = 0; o < d->circuit->output_count; o++) {
        const CircuitOutput *output = &d->circuit->outputs[o];
        fprintf(d->out, "output %s, dimensions from %u, ", output->name, output->start);
        if (output->whole)
            fprintf(d->out, "whole numbers from %.17g to %.17g\n", output->place[0],
                    output->place[1]);
        else
            fprintf(d->out, "%u value%s\n", output->value_count, plural(output->value_count));
        for (uint32_t k = 0; k < output->form_count && k < SHOWN; k++) {
            fputs("    ", d->out);
            put_form(d, output->forms[k]);
            fputc('\n', d->out);
        }
    }
}

static void put_schedule(const Dumper *d) {
    const Circuit *c = d->circuit;
    dump_embedded(d);
    for (uint32_t l = 0; l < c->layer_count; l++) {
        const CircuitLayer *layer = &c->layers[l];
        uint32_t number = l + c->first_layer;
        fprintf(d->out, "layer %u: %u head%s, %u sublayer%s\n", number, layer->head_count,
                plural(layer->head_count), layer->sublayer_count, plural(layer->sublayer_count));
        for (uint32_t step = 0; step <= layer->sublayer_count; step++)
            dump_stage(d, (Stage){number, step});
    }
    dump_outputs(d);
}

/* --- model --------------------------------------------------------------------------------- */

static bool dump_tensor(const char *name, Tensor *tensor, void *context) {
    size_t filled = 0, size = tensor_size(tensor);
    for (size_t k = 0; k < size; k++) filled += tensor->data[k] != 0;
    fprintf(context, "%-28s [%zu, %zu]  %zu not zero\n", name, tensor->rows, tensor->cols, filled);
    return true;
}

/* --- by name ------------------------------------------------------------------------------- */

static void dump_with(void (*put)(const Dumper *d), FILE *out, const Compiled *c) {
    Dumper d = {out, c->circuit, c->trace->values, arena_child(c->arena)};
    put(&d);
    arena_free(d.arena);
}

static void dump_sets(FILE *out, const Compiled *compiled) {
    dump_with(put_sets, out, compiled);
}
static void dump_cover(FILE *out, const Compiled *compiled) {
    dump_with(put_cover, out, compiled);
}
static void dump_heads(FILE *out, const Compiled *compiled) {
    dump_with(put_heads, out, compiled);
}
static void dump_schedule(FILE *out, const Compiled *compiled) {
    dump_with(put_schedule, out, compiled);
}
static void dump_model(FILE *out, const Compiled *compiled) {
    model_visit(compiled->model, dump_tensor, out);
}

static const struct {
    const char *name;
    PlanDump *dump;
} dumps[] = {{"sets", dump_sets},
             {"cover", dump_cover},
             {"heads", dump_heads},
             {"schedule", dump_schedule},
             {"model", dump_model}};

const char plan_dump_names[] = "'sets', 'cover', 'heads', 'schedule', 'model'";

const char *plan_dump_name(int k) {
    enum { COUNT = sizeof dumps / sizeof *dumps };
    return k >= 0 && k < COUNT ? dumps[k].name : NULL;
}

PlanDump *plan_dump_find(const char *name) {
    for (size_t k = 0; k < sizeof dumps / sizeof *dumps; k++)
        if (strcmp(dumps[k].name, name) == 0) return dumps[k].dump;
    return NULL;
}
