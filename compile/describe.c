#include "compile/describe.h"

#include "compile/describe_json.h"
#include "compile/labels.h"

#include <string.h>

typedef struct Describer {
    const Circuit *circuit;
    const SourceMap *sources;
    Labels labels;
    Model *model;
    Arena *arena;
} Describer;

static const char *sop_of(const Describer *d, NodeId node) {
    return labels_name(&d->labels, node);
}

/* "sort.rasp:3", without the folder; "" for what the compiler made. */
static const char *place_of(const Describer *d, Span span) {
    Place place;
    if (!source_place(d->sources, span, &place)) return "";
    const char *slash = strrchr(place.source->name, '/');
    return arena_format(d->arena, "%s:%u", slash ? slash + 1 : place.source->name, place.line);
}

/* Texts come from the budget, which may stop and knows nothing of JSON: so they come first, and
 * nothing else is allocated from it while JSON is nobody's. */

/* --- heads --------------------------------------------------------------------------------- */

static const char **component_texts(const Describer *d, const CircuitHead *head) {
    const char **texts = ARENA_ARRAY(d->arena, head->component_count, const char *);
    for (uint32_t k = 0; k < head->component_count; k++)
        texts[k] = sop_of(d, head->components[k].node);
    return texts;
}

static json_t *components_json(const CircuitHead *head, const char **texts, bool *lost) {
    json_t *list = json_array();
    for (uint32_t k = 0; k < head->component_count; k++) {
        const CircuitComponent *c = &head->components[k];
        json_t *entry = json_pack("{s:s}", "sop", texts[k]);
        if (head->kind == HEAD_DEFAULT)
            describe_set(entry, "default", describe_number(c->fallback), lost);
        describe_append(list, entry, lost);
    }
    return list;
}

static bool describe_head(const Describer *d, const CircuitHead *head) {
    json_t *extra = d->model->layers[head->layer]->heads[head->index]->extra;
    const char *result = head->kind == HEAD_COUNT ? "count" : head->single ? "moves" : "mean";
    const char *selector = labels_text(&d->labels, head->selector),
               *place = place_of(d, head->span);
    const char **texts = component_texts(d, head);
    bool lost = false;
    json_t *said =
        json_pack("{s:s, s:s, s:s}", "selector", selector, "source", place, "result", result);
    describe_set(said, "sops", components_json(head, texts, &lost), &lost);
    bool done = said && !lost && describe_place(said, "span", d->sources, head->span) &&
                json_object_update(extra, said) == 0;
    json_decref(said);
    return done;
}

/* --- sublayers ----------------------------------------------------------------------------- */

/* Adds an entry to a list of the sublayer, made if it is not there. */
static bool add_entry(json_t *extra, const char *key, json_t *entry) {
    json_t *list = json_object_get(extra, key);
    bool lost = false;
    if (!list) describe_set(extra, key, list = json_array(), &lost);
    describe_append(lost ? NULL : list, entry, &lost);
    return !lost;
}

static json_t *sublayer_of(const Describer *d, uint32_t layer, uint32_t sublayer) {
    return d->model->layers[layer]->mlps[sublayer]->extra;
}

static bool describe_table(const Describer *d, const CircuitTable *table) {
    const char *reads = sop_of(d, table->x);
    const char **texts = ARENA_ARRAY(d->arena, table->output_count, const char *);
    for (uint32_t k = 0; k < table->output_count; k++) texts[k] = sop_of(d, table->outputs[k].node);
    json_t *gives = json_array(), *spans = json_array();
    bool lost = false;
    for (uint32_t k = 0; k < table->output_count; k++) {
        describe_append(gives, json_string(texts[k]), &lost);
        describe_append(spans, describe_span(d->sources, table->outputs[k].span), &lost);
    }
    json_t *entry = json_pack("{s:s}", "reads", reads);
    describe_set(entry, "gives", gives, &lost);
    describe_set(entry, "units", json_integer(table->shape.unit_count), &lost);
    describe_set(entry, "first_unit", json_integer(table->first_unit), &lost);
    if (!describe_place(entry, "span", d->sources, table->span)) lost = true;
    describe_set(entry, "spans", spans, &lost);
    return add_entry(sublayer_of(d, table->layer, table->sublayer), "tables", entry) && !lost;
}

static bool describe_clear(const Describer *d, const CircuitClear *clear) {
    json_t *entry = json_pack("{s:i, s:i}", "dim", (int)clear->dim, "unit", (int)clear->unit);
    return add_entry(sublayer_of(d, clear->layer, clear->sublayer), "clears", entry);
}

/* --- all of it ----------------------------------------------------------------------------- */

static bool describe_dims(const Describer *d) {
    const Circuit *c = d->circuit;
    json_t *dims = json_object();
    bool lost = false;
    if (c->one != DIM_NONE) describe_set(dims, "one", json_integer(c->one), &lost);
    if (c->sink != DIM_NONE) describe_set(dims, "sink", json_integer(c->sink), &lost);
    describe_set(d->model->extra, "dims", dims, &lost);
    return !lost;
}

/* Most programs have none. */
static bool describe_shared(const Describer *d) {
    if (!d->labels.shared) return true;
    const char **texts = labels_shared(&d->labels);
    json_t *list = json_array();
    bool lost = false;
    for (uint32_t k = 0; k < d->labels.shared; k++)
        describe_append(list, json_string(texts[k]), &lost);
    describe_set(d->model->extra, "shared", list, &lost);
    return !lost;
}

bool describe_model(const Circuit *c, const SourceMap *sources, Model *model, Arena *arena) {
    Arena *scratch = arena_child(arena);
    Describer d = {c, sources, labels_new(c, scratch), model, scratch};
    bool done = describe_dims(&d) && describe_shared(&d);
    for (uint32_t k = 0; done && k < c->head_count; k++) done = describe_head(&d, &c->heads[k]);
    for (uint32_t k = 0; done && k < c->table_count; k++) done = describe_table(&d, &c->tables[k]);
    for (uint32_t k = 0; done && k < c->clear_count; k++) done = describe_clear(&d, &c->clears[k]);
    arena_free(scratch);
    return done;
}
