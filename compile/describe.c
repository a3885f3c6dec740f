#include "compile/describe.h"

#include <math.h>
#include <string.h>

enum { TEXT_LIMIT = 200 };

typedef struct Describer {
    const Compiled *plan;
    const SourceMap *sources;
    Model *model;
    Arena *arena;
} Describer;

static const char *text_of(const Describer *d, NodeId node) {
    return graph_text(values_graph(d->plan->values), node, TEXT_LIMIT, d->arena);
}

/* "sort.rasp:3", without the folder; "" for what the compiler made. */
static const char *place_of(const Describer *d, NodeId node) {
    Place place;
    if (!source_place(d->sources, graph_node(values_graph(d->plan->values), node)->span, &place))
        return "";
    const char *slash = strrchr(place.source->name, '/');
    return arena_format(d->arena, "%s:%u", slash ? slash + 1 : place.source->name, place.line);
}

static json_t *number_json(double x) {
    return x == trunc(x) && fabs(x) < 0x1p53 ? json_integer((json_int_t)x) : json_real(x);
}

static uint32_t file_layer(const Describer *d, uint32_t layer) {
    return layer - d->plan->emission.first_layer;
}

/* --- heads --------------------------------------------------------------------------------- */

static json_t *components_json(const Describer *d, const HeadPlan *head) {
    json_t *list = json_array();
    for (size_t k = 0; k < head->component_count; k++) {
        const Component *c = &head->components[k];
        json_t *entry = json_pack("{s:s}", "sop", text_of(d, c->node));
        if (head->kind == HEAD_DEFAULT)
            json_object_set_new(entry, "default", number_json(c->fallback));
        json_array_append_new(list, entry);
    }
    return list;
}

static bool describe_head(const Describer *d, uint32_t number) {
    const HeadPlan *head = lower_head(d->plan->lower, number);
    ModelLayer *layer = d->model->layers[file_layer(d, head->layer)];
    json_t *extra = layer->heads[d->plan->emission.head_index[number]]->extra;
    const char *result = head->kind == HEAD_COUNT ? "count" : head->moves ? "moves" : "mean";
    json_t *said =
        json_pack("{s:s, s:s, s:s, s:o}", "selector", text_of(d, head->selector), "source",
                  place_of(d, head->selector), "result", result, "sops", components_json(d, head));
    bool done = said && json_object_update(extra, said) == 0;
    json_decref(said);
    return done;
}

/* --- sublayers ----------------------------------------------------------------------------- */

static json_t *table_json(const Describer *d, const ScanPlan *scan) {
    ScanShape shape;
    scan_shape(scan, d->plan->emit.steep, d->arena, &shape);
    json_t *gives = json_array();
    for (size_t k = 0; k < scan->output_count; k++)
        json_array_append_new(gives, json_string(text_of(d, scan->outputs[k].node)));
    return json_pack("{s:s, s:o, s:i}", "reads", text_of(d, scan->x), "gives", gives, "units",
                     (int)shape.unit_count);
}

static bool describe_table(const Describer *d, uint32_t number) {
    const ScanPlan *scan = lower_scan(d->plan->lower, number);
    ModelLayer *layer = d->model->layers[file_layer(d, scan->stage.layer)];
    json_t *extra = layer->mlps[scan->stage.step - 1]->extra;
    json_t *tables = json_object_get(extra, "tables");
    if (!tables) {
        if (json_object_set_new(extra, "tables", json_array()) != 0) return false;
        tables = json_object_get(extra, "tables");
    }
    return json_array_append_new(tables, table_json(d, scan)) == 0;
}

/* --- all of it ----------------------------------------------------------------------------- */

static bool describe_dims(const Describer *d) {
    const Emission *e = &d->plan->emission;
    json_t *dims = json_object();
    if (e->one != DIM_NONE) json_object_set_new(dims, "one", json_integer(e->one));
    if (e->sink != DIM_NONE) json_object_set_new(dims, "sink", json_integer(e->sink));
    return json_object_set_new(d->model->extra, "dims", dims) == 0;
}

bool describe_model(const Compiled *plan, const SourceMap *sources, Model *model) {
    Arena *arena = arena_child(lower_arena(plan->lower));
    Describer d = {plan, sources, model, arena};
    bool done = describe_dims(&d);
    for (uint32_t k = 0; done && k < lower_head_count(plan->lower); k++)
        done = describe_head(&d, k);
    for (uint32_t k = 0; done && k < lower_scan_count(plan->lower); k++)
        done = describe_table(&d, k);
    arena_free(arena);
    return done;
}
