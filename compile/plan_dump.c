#include "compile/plan_dump.h"

#include <string.h>

enum { TEXT_LIMIT = 100, SHOWN = 12 }; /* bytes of an s-op, items of a list */

typedef struct Dumper {
    FILE *out;
    const Compiled *plan;
    const Lower *lower;
    const Graph *graph;
    Arena *arena;
} Dumper;

static const char *text_of(const Dumper *d, NodeId node) {
    return graph_text(d->graph, node, TEXT_LIMIT, d->arena);
}

static const char *plural(size_t count) {
    return count == 1 ? "" : "s";
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
    const NodeValues *v = values_of(d->plan->values, id);
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
    const SelectorFacts *facts = values_selector(d->plan->values, id);
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

static void dump_sets(FILE *out, const Compiled *plan) {
    Dumper d = {out, plan, plan->lower, values_graph(plan->values), lower_arena(plan->lower)};
    NodeId *roots = ARENA_ARRAY(d.arena, plan->output_count, NodeId);
    for (uint32_t k = 0; k < plan->output_count; k++) roots[k] = plan->outputs[k].node;
    const bool *needed = graph_needed(d.graph, roots, plan->output_count, d.arena);
    uint32_t count = graph_count(d.graph);
    for (NodeId id = 0; id < count; id++) {
        if (!needed[id]) continue;
        const Node *node = graph_node(d.graph, id);
        bool selector = node_is_selector(node);
        fprintf(out, "%s%s%s: ", node->name ? node->name->text : "", node->name ? " = " : "",
                text_of(&d, id));
        if (selector)
            dump_facts(&d, id);
        else
            dump_levels(&d, id);
        fputc('\n', out);
    }
}

/* --- tables -------------------------------------------------------------------------------- */

static void dump_output(const Dumper *d, const ScanOutput *output) {
    fprintf(d->out, "    p%u = %s:", output->part, text_of(d, output->node));
    for (uint32_t k = 0; k < output->points && k < SHOWN; k++)
        fprintf(d->out, " %g->%g", output->x[k], output->value[k]);
    put_more(d, output->points);
    fputc('\n', d->out);
}

static void dump_table(const Dumper *d, const ScanPlan *scan) {
    ScanShape shape;
    scan_shape(scan, d->plan->emit.steep, d->arena, &shape);
    fprintf(d->out, "table of %s\n    x = ", text_of(d, scan->x));
    put_form(d, scan->form);
    fprintf(d->out, "; after layer %u, sublayer %u; %u unit%s\n", scan->stage.layer,
            scan->stage.step, shape.unit_count, plural(shape.unit_count));
    for (size_t k = 0; k < scan->output_count; k++) dump_output(d, &scan->outputs[k]);
}

static void dump_cover(FILE *out, const Compiled *plan) {
    Dumper d = {out, plan, plan->lower, values_graph(plan->values), lower_arena(plan->lower)};
    for (uint32_t k = 0; k < lower_scan_count(plan->lower); k++)
        dump_table(&d, lower_scan(plan->lower, k));
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

static void dump_head(const Dumper *d, const HeadPlan *head) {
    fprintf(d->out, "layer %u: %s\n    mask %s, %s\n", head->layer, text_of(d, head->selector),
            mask_text[head->score->mask], sink_text[head->kind]);
    dump_score(d, head->score);
    for (size_t k = 0; k < head->component_count; k++) {
        const Component *c = &head->components[k];
        fprintf(d->out, "    p%u = %s: value ", c->part, text_of(d, c->node));
        put_form(d, c->value);
        if (head->kind == HEAD_DEFAULT) fprintf(d->out, ", default %g", c->fallback);
        fputc('\n', d->out);
    }
}

static void dump_heads(FILE *out, const Compiled *plan) {
    Dumper d = {out, plan, plan->lower, values_graph(plan->values), lower_arena(plan->lower)};
    for (uint32_t k = 0; k < lower_head_count(plan->lower); k++)
        dump_head(&d, lower_head(plan->lower, k));
}

/* --- schedule ------------------------------------------------------------------------------ */

static void dump_stage(const Dumper *d, uint32_t layer, uint32_t step) {
    for (uint32_t p = 0; p < lower_part_count(d->lower); p++) {
        const Part *part = lower_part(d->lower, p);
        bool embedded = part->origin == FROM_TOKEN || part->origin == FROM_POSITION;
        if (embedded || part->stage.layer != layer || part->stage.step != step) continue;
        fprintf(d->out, "    p%u = %s", p, text_of(d, part->node));
        if (d->plan->emission.part_dim[p] == DIM_NONE)
            fputs(", in outputs only\n", d->out);
        else
            fprintf(d->out, ", dimension %u\n", d->plan->emission.part_dim[p]);
    }
}

static void dump_embedded(const Dumper *d) {
    fputs("embedding\n", d->out);
    const Emission *e = &d->plan->emission;
    if (e->sink != DIM_NONE) fprintf(d->out, "    the sink, dimension %u\n", e->sink);
    if (e->one != DIM_NONE) fprintf(d->out, "    one, dimension %u\n", e->one);
    for (uint32_t p = 0; p < lower_part_count(d->lower); p++) {
        const Part *part = lower_part(d->lower, p);
        if (part->origin != FROM_TOKEN && part->origin != FROM_POSITION) continue;
        fprintf(d->out, "    p%u = %s, by %s", p, text_of(d, part->node),
                part->origin == FROM_TOKEN ? "token" : "position");
        if (e->part_dim[p] == DIM_NONE)
            fputs(", in outputs only\n", d->out);
        else
            fprintf(d->out, ", dimension %u\n", e->part_dim[p]);
    }
}

static void dump_outputs(const Dumper *d) {
    for (uint32_t o = 0; o < d->plan->output_count; o++) {
        const OutputPlan *output = &d->plan->outputs[o];
        fprintf(d->out, "output %s, dimensions from %u, %u value%s\n", output->name,
                d->plan->emission.output_start[o], output->value_count,
                plural(output->value_count));
        for (uint32_t k = 0; k < output->form_count && k < SHOWN; k++) {
            fputs("    ", d->out);
            put_form(d, output->forms[k]);
            fputc('\n', d->out);
        }
    }
}

static void dump_schedule(FILE *out, const Compiled *plan) {
    Dumper d = {out, plan, plan->lower, values_graph(plan->values), lower_arena(plan->lower)};
    const Model *model = plan->model;
    dump_embedded(&d);
    for (uint32_t l = 0; l < model->layer_count; l++) {
        const ModelLayer *layer = model->layers[l];
        uint32_t number = l + plan->emission.first_layer;
        fprintf(out, "layer %u: %zu head%s, %zu sublayer%s\n", number, layer->head_count,
                plural(layer->head_count), layer->mlp_count, plural(layer->mlp_count));
        for (uint32_t step = 0; step <= layer->mlp_count; step++) dump_stage(&d, number, step);
    }
    dump_outputs(&d);
}

/* --- model --------------------------------------------------------------------------------- */

static bool dump_tensor(const char *name, Tensor *tensor, void *context) {
    size_t filled = 0, size = tensor_size(tensor);
    for (size_t k = 0; k < size; k++) filled += tensor->data[k] != 0;
    fprintf(context, "%-28s [%zu, %zu]  %zu not zero\n", name, tensor->rows, tensor->cols, filled);
    return true;
}

static void dump_model(FILE *out, const Compiled *plan) {
    model_visit(plan->model, dump_tensor, out);
}

/* --- by name ------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    PlanDump *dump;
} dumps[] = {{"sets", dump_sets},
             {"cover", dump_cover},
             {"heads", dump_heads},
             {"schedule", dump_schedule},
             {"model", dump_model}};

const char plan_dump_names[] = "'sets', 'cover', 'heads', 'schedule', 'model'";

PlanDump *plan_dump_find(const char *name) {
    for (size_t k = 0; k < sizeof dumps / sizeof *dumps; k++)
        if (strcmp(dumps[k].name, name) == 0) return dumps[k].dump;
    return NULL;
}
