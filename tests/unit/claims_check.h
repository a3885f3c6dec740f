/* claims_check.h: a circuit as claims and back: the same nodes, the same numbers. */
#ifndef RASP_TESTS_CLAIMS_CHECK_H
#define RASP_TESTS_CLAIMS_CHECK_H

#include "api/claims.h"
#include "compile/compile.h"

#include <math.h>
#include <string.h>

typedef struct ClaimsCheck {
    const Circuit *a, *b; /* compiled; read */
    char *text;           /* the first difference, or "" */
    size_t size;
} ClaimsCheck;

static inline bool claims_same(ClaimsCheck *c, bool same, const char *what, uint32_t number) {
    if (!same && !*c->text) snprintf(c->text, c->size, "%s %u differs", what, number);
    return same;
}

static inline void same_part(ClaimsCheck *c, uint32_t number, uint32_t read) {
    const CircuitPart *a = &c->a->parts[number], *b = &c->b->parts[read];
    bool same = a->origin == b->origin && a->node == b->node && a->dim == b->dim &&
                stage_same(a->born, b->born) && (circuit_embedded(a) || a->column == b->column);
    if (a->dim != DIM_NONE) same &= stage_same(a->last, b->last);
    claims_same(c, same, "part", number);
}

static inline void same_embeddings(ClaimsCheck *c, Origin origin) {
    uint32_t p = 0, q = 0;
    for (;; p++, q++) {
        while (p < c->a->part_count &&
               (c->a->parts[p].origin != origin || c->a->parts[p].dim == DIM_NONE))
            p++;
        while (q < c->b->part_count && c->b->parts[q].origin != origin) q++;
        if (p == c->a->part_count || q == c->b->part_count) break;
        same_part(c, p, q);
    }
    claims_same(c, p == c->a->part_count && q == c->b->part_count, "column", p);
}

static inline void same_head(ClaimsCheck *c, const CircuitHead *a) {
    uint32_t h = 0;
    while (h < c->b->head_count &&
           (c->b->heads[h].layer != a->layer || c->b->heads[h].index != a->index))
        h++;
    if (!claims_same(c, h < c->b->head_count, "head", a->index)) return;
    const CircuitHead *b = &c->b->heads[h];
    claims_same(c,
                a->selector == b->selector && a->kind == b->kind &&
                    a->score.mask == b->score.mask && stage_same(a->stage, b->stage) &&
                    a->component_count == b->component_count,
                "head", a->index);
    for (uint32_t k = 0; k < a->component_count && k < b->component_count; k++) {
        const CircuitComponent *x = &a->components[k], *y = &b->components[k];
        claims_same(c, x->node == y->node, "component", k);
        same_part(c, x->part, y->part);
    }
}

static inline void same_table(ClaimsCheck *c, const CircuitTable *a) {
    uint32_t t = 0;
    while (t < c->b->table_count &&
           (c->b->tables[t].layer != a->layer || c->b->tables[t].sublayer != a->sublayer ||
            c->b->tables[t].first_unit != a->first_unit))
        t++;
    if (!claims_same(c, t < c->b->table_count, "table", a->first_unit)) return;
    const CircuitTable *b = &c->b->tables[t];
    claims_same(c,
                a->x == b->x && stage_same(a->stage, b->stage) &&
                    a->shape.unit_count == b->shape.unit_count &&
                    a->output_count == b->output_count,
                "table", a->first_unit);
    for (uint32_t k = 0; k < a->output_count && k < b->output_count; k++) {
        claims_same(c, a->outputs[k].node == b->outputs[k].node, "output of table", k);
        same_part(c, a->outputs[k].part, b->outputs[k].part);
    }
}

static inline void same_clears(ClaimsCheck *c) {
    claims_same(c, c->a->clear_count == c->b->clear_count, "clear", 0);
    for (uint32_t k = 0; k < c->a->clear_count && k < c->b->clear_count; k++) {
        const CircuitClear *a = &c->a->clears[k];
        bool found = false;
        for (uint32_t j = 0; j < c->b->clear_count; j++) {
            const CircuitClear *b = &c->b->clears[j];
            found |= a->dim == b->dim && a->unit == b->unit && a->layer == b->layer &&
                     a->sublayer == b->sublayer && stage_same(a->stage, b->stage) &&
                     c->a->parts[a->part].node == c->b->parts[b->part].node;
        }
        claims_same(c, found, "clear", k);
    }
}

static inline void same_output(ClaimsCheck *c, uint32_t k) {
    const CircuitOutput *a = &c->a->outputs[k], *b = &c->b->outputs[k];
    bool same = strcmp(a->name, b->name) == 0 && a->node == b->node && a->numeric == b->numeric &&
                a->whole == b->whole && a->placed == b->placed &&
                a->value_count == b->value_count && a->form_count == b->form_count &&
                a->start == b->start;
    for (uint32_t v = 0; same && v < a->value_count; v++) {
        same = atom_same(a->values[v], b->values[v]);
        if (a->numeric) same &= a->place[v] == b->place[v];
    }
    claims_same(c, same, "output", k);
}

static inline void same_frame(ClaimsCheck *c) {
    const Circuit *a = c->a, *b = c->b;
    claims_same(c,
                a->depth <= b->depth + 1 && a->width == b->width &&
                    (a->sink == b->sink || a->sink == DIM_NONE) &&
                    a->first_layer == b->first_layer && a->layer_count == b->layer_count &&
                    a->head_count == b->head_count && a->table_count == b->table_count &&
                    a->output_count == b->output_count && a->options.kernel == b->options.kernel &&
                    (!a->head_count || (a->options.log_length == b->options.log_length &&
                                        a->options.beta == b->options.beta)),
                "frame", 0);
    for (uint32_t l = 0; l < a->layer_count && l < b->layer_count; l++) {
        const CircuitLayer *x = &a->layers[l], *y = &b->layers[l];
        bool same = x->head_count == y->head_count && x->sublayer_count == y->sublayer_count;
        for (uint32_t m = 0; same && m < x->sublayer_count; m++) same = x->units[m] == y->units[m];
        claims_same(c, same, "layer", l);
    }
}

static inline void same_circuits(ClaimsCheck *c) {
    same_frame(c);
    same_embeddings(c, FROM_TOKEN);
    same_embeddings(c, FROM_POSITION);
    for (uint32_t h = 0; h < c->a->head_count; h++) same_head(c, &c->a->heads[h]);
    for (uint32_t t = 0; t < c->a->table_count; t++) same_table(c, &c->a->tables[t]);
    same_clears(c);
    for (uint32_t k = 0; k < c->a->output_count && k < c->b->output_count; k++) same_output(c, k);
}

/* `text`: what is wrong, "" if nothing is.  A session that evaluated the program is enough of one.
 */
static inline void claims_check(Session *session, const Circuit *circuit, Model *model,
                                bool standard, Arena *arena, char *text, size_t size) {
    RaspError said = {0};
    RtError error = {""};
    Core core = {.error = &said};
    ClaimsReader reader = {session, &core};
    ProgramNames names = claims_names(session, arena);
    Circuit read;
    ClaimsCheck c = {circuit, &read, text, size};
    Graph *graph = session_graph(session);
    uint32_t nodes = graph_count(graph);
    *text = '\0';
    if (!claims_write(circuit, &names, standard, model, arena)) {
        snprintf(text, size, "out of memory for claims");
        return;
    }
    json_t *claims = json_incref(json_object_get(model->extra, "claims"));
    ClaimsLanguage language = claims_language(&reader);
    if (!claims_read(claims, model, &circuit->domain, graph, &language, arena, &read, &error))
        snprintf(text, size, "claims refused: %.900s%.900s", error.text, said.text);
    else if (graph_count(graph) != nodes)
        snprintf(text, size, "claims made the node %s", graph_text(graph, nodes, 200, arena));
    else if (!standard)
        same_circuits(&c);
    if (!*text && !claims_write(&read, &names, false, model, arena))
        snprintf(text, size, "out of memory for claims");
    if (!*text && !json_equal(claims, json_object_get(model->extra, "claims")))
        snprintf(text, size, "claims written again are others");
    json_decref(claims);
}

#endif
