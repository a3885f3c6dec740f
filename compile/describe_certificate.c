/* The certificate and the residual groups as metadata of the weights file. */
#include "compile/describe.h"

#include "compile/describe_json.h"
#include "compile/labels.h"

#include <math.h>

enum { MOST_LEVELS = 4096 }; /* longer level lists are counted only */

static const char *const origin_names[] = {[FROM_TOKEN] = "token",
                                           [FROM_POSITION] = "position",
                                           [FROM_HEAD] = "head",
                                           [FROM_TABLE] = "table"};

static json_t *levels_json(const CircuitPart *part, bool *lost) {
    json_t *list = json_array();
    for (uint32_t k = 0; k < part->number_count; k++)
        describe_append(list, describe_number(part->numbers[k]), lost);
    return list;
}

/* Where the part is written: absent for a column of an embedding. */
static void set_stage(json_t *group, const Circuit *circuit, const CircuitPart *part, bool *lost) {
    if (circuit_embedded(part)) return;
    if (part->origin == FROM_HEAD) {
        describe_set(group, "layer", json_integer(circuit->heads[part->owner].layer), lost);
        return;
    }
    const CircuitTable *table = &circuit->tables[part->owner];
    describe_set(group, "layer", json_integer(table->layer), lost);
    describe_set(group, "sublayer", json_integer(table->sublayer), lost);
}

static json_t *group_json(const Circuit *circuit, uint32_t number, double error,
                          const SourceMap *sources, const Labels *labels, bool *lost) {
    const CircuitPart *part = &circuit->parts[number];
    json_t *group = json_pack("{s:s, s:[i], s:s, s:s, s:f}", "kind", "number", "dims",
                              (int)part->dim, "from", origin_names[part->origin], "carries",
                              labels_name(labels, part->node), "error", error);
    set_stage(group, circuit, part, lost);
    if (part->level_count > 0) /* else nobody listed them */
        describe_set(group, "level_count", json_integer(part->level_count), lost);
    if (part->level_count > 0 && part->level_count <= MOST_LEVELS)
        describe_set(group, "levels", levels_json(part, lost), lost);
    if (!describe_place(group, "span", sources, part->span)) *lost = true;
    return group;
}

bool describe_certificate(const Circuit *circuit, const Certificate *c, const SourceMap *sources,
                          Model *model, Arena *arena) {
    Arena *scratch = arena_child(arena);
    Labels labels = labels_new(circuit, scratch);
    bool lost = false;
    json_t *groups = json_array(); /* the model's at once: a stop of the budget may come */
    if (json_object_set_new(model->extra, "groups", groups) != 0) return false;
    for (uint32_t p = 0; p < circuit->part_count; p++)
        if (circuit->parts[p].dim != DIM_NONE)
            describe_append(
                groups, group_json(circuit, p, c->part_error[p], sources, &labels, &lost), &lost);
    json_t *certificate = json_pack(
        "{s:b, s:f, s:f, s:s, s:i, s:f, s:s}", "holds", c->holds, "error", c->error, "tightest",
        isfinite(c->tightest) ? c->tightest : 1e300, "where", c->where, "layer", (int)c->layer,
        "beta", circuit->options.beta, "tables", circuit->options.steep ? "steps" : "interpolated");
    /* What goes to keys that are not selected, at every length; softmax's depends on it. */
    if (circuit->options.kernel != RT_SOFTMAX)
        describe_set(certificate, "leak", json_real(0), &lost);
    if (c->joined_absolute > 0)
        describe_set(
            certificate, "joined",
            json_pack("{s:f, s:f}", "absolute", c->joined_absolute, "relative", c->joined_relative),
            &lost);
    arena_free(scratch);
    describe_set(model->extra, "certificate", certificate, &lost);
    return !lost;
}
