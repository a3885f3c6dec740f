/* The certificate and the residual groups as metadata of the weights file. */
#include "compile/prove/certificate.h"
#include "compile/values/numbers.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_LEVELS = 4096, TEXT_LIMIT = 200 }; /* longer level lists are counted only */

static json_t *number_json(double x) {
    return x == trunc(x) && fabs(x) < 0x1p53 ? json_integer((json_int_t)x) : json_real(x);
}

static json_t *levels_json(const NodeValues *v) {
    json_t *list = json_array();
    double *number = malloc((v->count + 1) * sizeof *number);
    for (uint32_t k = 0; number && k < v->count; k++) number[k] = feature_number(v->levels[k]);
    if (number) qsort(number, v->count, sizeof *number, number_order);
    for (uint32_t k = 0; number && k < v->count; k++)
        if (k == 0 || number[k] != number[k - 1])
            json_array_append_new(list, number_json(number[k]));
    free(number);
    return list;
}

static const char *const origin_names[] = {[FROM_TOKEN] = "token",
                                           [FROM_POSITION] = "position",
                                           [FROM_HEAD] = "head",
                                           [FROM_SCAN] = "table"};

static json_t *group_json(const Compiled *plan, const Certificate *c, uint32_t p, Arena *arena) {
    const Part *part = lower_part(plan->lower, p);
    const Graph *graph = values_graph(plan->values);
    const NodeValues *v = values_of(plan->values, part->node);
    uint32_t first = plan->emission.first_layer;
    uint32_t layer = part->stage.layer > first ? part->stage.layer - first : 0;
    bool embedded = part->origin == FROM_TOKEN || part->origin == FROM_POSITION;
    json_t *group =
        json_pack("{s:s, s:[i], s:s, s:s, s:f}", "kind", "number", "dims",
                  (int)plan->emission.part_dim[p], "from", origin_names[part->origin], "carries",
                  graph_text(graph, part->node, TEXT_LIMIT, arena), "error", c->part_error[p]);
    if (!embedded) {
        json_object_set_new(group, "layer", json_integer(layer));
        if (part->origin == FROM_SCAN)
            json_object_set_new(group, "sublayer", json_integer(part->stage.step - 1));
    }
    json_object_set_new(group, "level_count", json_integer(v->count));
    if (v->count <= MOST_LEVELS) json_object_set_new(group, "levels", levels_json(v));
    return group;
}

bool certificate_store(const Compiled *plan, const Certificate *c, Model *model) {
    Arena *scratch = arena_child(lower_arena(plan->lower));
    json_t *groups = json_array();
    for (uint32_t p = 0; p < lower_part_count(plan->lower); p++)
        if (plan->emission.part_dim[p] != DIM_NONE)
            json_array_append_new(groups, group_json(plan, c, p, scratch));
    json_t *certificate = json_pack(
        "{s:b, s:f, s:f, s:s, s:i, s:f, s:s}", "holds", c->holds, "error", c->error, "tightest",
        isfinite(c->tightest) ? c->tightest : 1e300, "where", c->where, "layer", (int)c->layer,
        "beta", plan->emit.beta, "tables", plan->emit.steep ? "steps" : "interpolated");
    arena_free(scratch);
    if (!groups || !certificate) return false;
    return json_object_set_new(model->extra, "groups", groups) == 0 &&
           json_object_set_new(model->extra, "certificate", certificate) == 0;
}
