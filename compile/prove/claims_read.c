#include "compile/prove/claims_private.h"

#include "compile/atoms.h"

#include <math.h>
#include <string.h>

const char *const claims_head_kinds[] = {
    [HEAD_PLAIN] = "plain", [HEAD_DEFAULT] = "default", [HEAD_COUNT] = "count", NULL};

typedef struct Reader {
    const Model *model;
    ClaimsInput in;
    const ClaimsLanguage *language;
    Circuit *c;
    CircuitPart *parts;
    CircuitHead *heads;
    CircuitTable *tables;
    CircuitClear *clears;
    size_t part_room, head_room, table_room, clear_room;
} Reader;

static bool read_node(Reader *r, const ClaimPlace *above, const json_t *object, const char *key,
                      bool selector, NodeId *node) {
    const ClaimPlace at = {above, key, 0};
    const char *text;
    return claims_text(&r->in, &at, json_object_get(object, key), &text) &&
           r->language->node(r->language->context, claims_place(&at, r->in.arena), text, selector,
                             node);
}

static Span span_of(const Reader *r, NodeId node) {
    return graph_node(r->in.graph, node)->span;
}

/* --- names --------------------------------------------------------------------------------- */

static bool read_constants(Reader *r, const json_t *constants) {
    const char *name;
    json_t *value;
    const ClaimPlace all = {NULL, "constants", 0};
    if (constants && !json_is_object(constants))
        return claims_expected(&r->in, &all, "an object", constants);
    json_object_foreach((json_t *)(uintptr_t)constants, name, value) {
        const ClaimPlace at = {&all, name, 0};
        const json_t *everywhere = json_object_get(value, "everywhere");
        bool sop = everywhere && json_object_size(value) == 1;
        Atom atom;
        if (!claims_atom(&r->in, &at, sop ? everywhere : value, &atom) ||
            !r->language->atom(r->language->context, name, atom, sop))
            return false;
    }
    return true;
}

static bool read_definitions(Reader *r, const json_t *define) {
    const char *name, *text;
    json_t *value;
    const ClaimPlace all = {NULL, "define", 0};
    if (define && !json_is_object(define))
        return claims_expected(&r->in, &all, "an object", define);
    json_object_foreach((json_t *)(uintptr_t)define, name, value) {
        const ClaimPlace at = {&all, name, 0};
        if (!claims_text(&r->in, &at, value, &text) ||
            !r->language->define(r->language->context, claims_place(&at, r->in.arena), name, text))
            return false;
    }
    return true;
}

/* --- parts --------------------------------------------------------------------------------- */

/* [layer]: its heads; [layer, sublayer]. */
static bool read_until(Reader *r, const ClaimPlace *above, const json_t *value, CircuitPart *part) {
    const ClaimPlace at = {above, "until", 0};
    uint32_t layer = 0, sublayer = 0;
    size_t count = json_array_size(value);
    if (count != 1 && count != 2)
        return claims_expected(&r->in, &at, "[layer] or [layer, sublayer], where it is last read",
                               value);
    const ClaimPlace first = {&at, NULL, 0}, second = {&at, NULL, 1};
    if (!claims_below(&r->in, &first, json_array_get(value, 0), r->model->layer_count, &layer))
        return false;
    if (count == 2 && !claims_below(&r->in, &second, json_array_get(value, 1),
                                    r->model->layers[layer]->mlp_count, &sublayer))
        return false;
    part->last = (Stage){r->c->first_layer + layer, count == 2 ? sublayer + 1 : 0};
    return !stage_before(part->last, part->born) ||
           rt_error(r->in.error, "%s: it is read before it is written",
                    claims_place(&at, r->in.arena));
}

/* `part` says who writes it, and when; *number: of the part. */
static bool read_part(Reader *r, const ClaimPlace *at, const json_t *value, CircuitPart part,
                      uint32_t *number) {
    const json_t *dim = json_object_get(value, "dim");
    const ClaimPlace of_dim = {at, "dim", 0};
    part.dim = DIM_NONE;
    if (!read_node(r, at, value, "sop", false, &part.node)) return false;
    part.span = span_of(r, part.node);
    if (dim && (!claims_below(&r->in, &of_dim, dim, r->model->width, &part.dim) ||
                !read_until(r, at, json_object_get(value, "until"), &part)))
        return false;
    Circuit *c = r->c;
    r->parts =
        arena_grow(r->in.arena, r->parts, &r->part_room, c->part_count + 1, sizeof *r->parts);
    r->parts[ *number = c->part_count++] = part;
    return true;
}

static bool read_embedded(Reader *r, const char *key, Origin origin, const json_t *list) {
    static const char *const keys[] = {"sop", "dim", "until", NULL};
    const ClaimPlace all = {NULL, key, 0};
    uint32_t number;
    if (!claims_list(&r->in, &all, list, UINT32_MAX)) return false;
    for (size_t k = 0; k < json_array_size(list); k++) {
        const ClaimPlace at = {&all, NULL, k};
        const json_t *entry = json_array_get(list, k);
        if (!claims_object(&r->in, &at, entry, keys) ||
            !read_part(r, &at, entry, (CircuitPart){.origin = origin}, &number))
            return false;
    }
    return true;
}

/* --- heads --------------------------------------------------------------------------------- */

static bool read_component(Reader *r, const ClaimPlace *at, const json_t *value, CircuitHead *head,
                           uint32_t column, CircuitComponent *component) {
    static const char *const keys[] = {"sop", "dim", "until", NULL};
    CircuitPart part = {
        .origin = FROM_HEAD, .owner = r->c->head_count, .column = column, .born = head->stage};
    if (!claims_object(&r->in, at, value, keys)) return false;
    if (!read_part(r, at, value, part, &component->part)) return false;
    component->node = r->parts[component->part].node;
    component->span = span_of(r, component->node);
    return true;
}

static bool read_components(Reader *r, const ClaimPlace *above, const json_t *list,
                            CircuitHead *head) {
    const ClaimPlace at = {above, "components", 0};
    if (!claims_list(&r->in, &at, list,
                     r->model->layers[head->layer]->heads[head->index]->value.cols))
        return false;
    size_t count = json_array_size(list);
    if (count == 0) return claims_expected(&r->in, &at, "what the head computes", list);
    CircuitComponent *components = ARENA_ARRAY(r->in.arena, count, CircuitComponent);
    for (size_t k = 0; k < count; k++)
        if (!read_component(r, &(ClaimPlace){&at, NULL, k}, json_array_get(list, k), head,
                            (uint32_t)k, &components[k]))
            return false;
    head->components = components;
    head->component_count = (uint32_t)count;
    return true;
}

/* The file's own words for what the head does must not be others. */
static bool check_head(Reader *r, const ClaimPlace *at, const CircuitHead *head, int mask) {
    const ModelHead *file = r->model->layers[head->layer]->heads[head->index];
    const char *place = claims_place(at, r->in.arena);
    if ((RtMask)mask != file->mask)
        return rt_error(r->in.error, "%s: claims the mask %s, the file's head has %s", place,
                        rt_mask_names[mask], rt_mask_names[file->mask]);
    bool sink = head->kind != HEAD_PLAIN;
    return sink == file->sink ||
           rt_error(r->in.error, "%s: claims the kind %s, and the file's head has %s sink", place,
                    claims_head_kinds[head->kind], file->sink ? "a" : "no");
}

static bool read_head(Reader *r, const ClaimPlace *at, const json_t *value, uint32_t layer,
                      uint32_t index) {
    static const char *const keys[] = {"selector", "kind", "mask", "components", NULL};
    static const char *const masks[] = {
        "none", "causal", "strict_causal", "anticausal", "strict_anticausal", NULL};
    static const ScoreMask of_word[] = {MASK_NONE, MASK_CAUSAL, MASK_STRICT_CAUSAL, MASK_ANTICAUSAL,
                                        MASK_STRICT_ANTICAUSAL};
    CircuitHead head = {.layer = layer, .index = index, .stage = {r->c->first_layer + layer, 0}};
    int kind, mask;
    if (!claims_object(&r->in, at, value, keys) ||
        !read_node(r, at, value, "selector", true, &head.selector) ||
        !claims_word(&r->in, &(ClaimPlace){at, "kind", 0}, json_object_get(value, "kind"),
                     claims_head_kinds, &kind) ||
        !claims_word(&r->in, &(ClaimPlace){at, "mask", 0}, json_object_get(value, "mask"), masks,
                     &mask))
        return false;
    head.span = span_of(r, head.selector);
    head.kind = (HeadKind)kind;
    head.score.mask = of_word[mask];
    if (!check_head(r, at, &head, mask) ||
        !read_components(r, at, json_object_get(value, "components"), &head))
        return false;
    Circuit *c = r->c;
    r->heads =
        arena_grow(r->in.arena, r->heads, &r->head_room, c->head_count + 1, sizeof *r->heads);
    r->heads[c->head_count++] = head;
    return true;
}

/* Null, and what is behind the last: a head of the file that does nothing. */
static bool read_heads(Reader *r, const ClaimPlace *above, const json_t *list, uint32_t layer) {
    const ClaimPlace at = {above, "heads", 0};
    if (!claims_list(&r->in, &at, list, r->model->layers[layer]->head_count)) return false;
    for (size_t k = 0; k < json_array_size(list); k++) {
        const json_t *entry = json_array_get(list, k);
        if (!json_is_null(entry) &&
            !read_head(r, &(ClaimPlace){&at, NULL, k}, entry, layer, (uint32_t)k))
            return false;
    }
    return true;
}

/* --- sublayers ----------------------------------------------------------------------------- */

/* A feed-forward sublayer, and which of its hidden units have been claimed. */
typedef struct Sublayer {
    uint32_t layer, number;
    Stage stage;
    size_t units;
    bool *taken;
    uint32_t claimed;
} Sublayer;

static bool take_units(Reader *r, const ClaimPlace *at, Sublayer *s, uint32_t first,
                       uint32_t count) {
    for (uint32_t u = first; u < first + count; u++) {
        if (s->taken[u])
            return rt_error(r->in.error, "%s: hidden unit %u is claimed twice",
                            claims_place(at, r->in.arena), u);
        s->taken[u] = true;
    }
    s->claimed += count;
    return true;
}

/* "units": [first, count] */
static bool read_units(Reader *r, const ClaimPlace *above, const json_t *value, Sublayer *s,
                       CircuitTable *table) {
    const ClaimPlace at = {above, "units", 0}, first = {&at, NULL, 0}, second = {&at, NULL, 1};
    uint32_t *count = &table->shape.unit_count;
    if (json_array_size(value) != 2)
        return claims_expected(&r->in, &at, "[first unit, how many]", value);
    return claims_below(&r->in, &first, json_array_get(value, 0), s->units + 1,
                        &table->first_unit) &&
           claims_below(&r->in, &second, json_array_get(value, 1), s->units - table->first_unit + 1,
                        count) &&
           take_units(r, &at, s, table->first_unit, *count);
}

static bool read_table_output(Reader *r, const ClaimPlace *at, const json_t *value,
                              CircuitPart part, TableOutput *output) {
    static const char *const keys[] = {"sop", "dim", "until", NULL};
    if (!claims_object(&r->in, at, value, keys) || !read_part(r, at, value, part, &output->part))
        return false;
    output->node = r->parts[output->part].node;
    output->span = span_of(r, output->node);
    return true;
}

static bool read_table_outputs(Reader *r, const ClaimPlace *above, const json_t *list,
                               CircuitTable *table) {
    const ClaimPlace at = {above, "outputs", 0};
    if (!claims_list(&r->in, &at, list, UINT32_MAX)) return false;
    size_t count = json_array_size(list);
    if (count == 0) return claims_expected(&r->in, &at, "what the table computes", list);
    TableOutput *outputs = ARENA_ARRAY(r->in.arena, count, TableOutput);
    for (size_t k = 0; k < count; k++) {
        CircuitPart part = {.origin = FROM_TABLE,
                            .owner = r->c->table_count,
                            .column = (uint32_t)k,
                            .born = table->stage};
        if (!read_table_output(r, &(ClaimPlace){&at, NULL, k}, json_array_get(list, k), part,
                               &outputs[k]))
            return false;
    }
    table->outputs = outputs;
    table->output_count = (uint32_t)count;
    return true;
}

static bool read_table(Reader *r, const ClaimPlace *at, const json_t *value, Sublayer *s) {
    static const char *const keys[] = {"reads", "units", "outputs", NULL};
    CircuitTable table = {.layer = s->layer, .sublayer = s->number, .stage = s->stage};
    if (!claims_object(&r->in, at, value, keys) ||
        !read_node(r, at, value, "reads", false, &table.x) ||
        !read_units(r, at, json_object_get(value, "units"), s, &table) ||
        !read_table_outputs(r, at, json_object_get(value, "outputs"), &table))
        return false;
    table.span = span_of(r, table.x);
    Circuit *c = r->c;
    r->tables =
        arena_grow(r->in.arena, r->tables, &r->table_room, c->table_count + 1, sizeof *r->tables);
    r->tables[c->table_count++] = table;
    return true;
}

/* Which part stands in the dimension when the sublayer comes: the last that was written there. */
static uint32_t part_in(const Reader *r, uint32_t dim, Stage stage) {
    uint32_t found = UINT32_MAX;
    for (uint32_t p = 0; p < r->c->part_count; p++) {
        const CircuitPart *part = &r->parts[p];
        if (part->dim != dim || !stage_before(part->born, stage)) continue;
        if (found == UINT32_MAX || stage_before(r->parts[found].born, part->born)) found = p;
    }
    return found;
}

static bool read_clear(Reader *r, const ClaimPlace *at, const json_t *value, Sublayer *s) {
    static const char *const keys[] = {"dim", "unit", NULL};
    CircuitClear clear = {.layer = s->layer, .sublayer = s->number, .stage = s->stage};
    if (!claims_object(&r->in, at, value, keys) ||
        !claims_below(&r->in, &(ClaimPlace){at, "dim", 0}, json_object_get(value, "dim"),
                      r->model->width, &clear.dim) ||
        !claims_below(&r->in, &(ClaimPlace){at, "unit", 0}, json_object_get(value, "unit"),
                      s->units, &clear.unit) ||
        !take_units(r, at, s, clear.unit, 1))
        return false;
    clear.part = part_in(r, clear.dim, s->stage);
    if (clear.part == UINT32_MAX)
        return rt_error(r->in.error, "%s: nothing stands in dimension %u before",
                        claims_place(at, r->in.arena), clear.dim);
    Circuit *c = r->c;
    r->clears =
        arena_grow(r->in.arena, r->clears, &r->clear_room, c->clear_count + 1, sizeof *r->clears);
    r->clears[c->clear_count++] = clear;
    return true;
}

typedef bool ReadPiece(Reader *r, const ClaimPlace *at, const json_t *value, Sublayer *s);

static bool read_pieces(Reader *r, const ClaimPlace *above, const json_t *sublayer, const char *key,
                        ReadPiece *read, Sublayer *s) {
    const ClaimPlace at = {above, key, 0};
    const json_t *list = json_object_get(sublayer, key);
    if (!claims_list(&r->in, &at, list, UINT32_MAX)) return false;
    for (size_t k = 0; k < json_array_size(list); k++)
        if (!read(r, &(ClaimPlace){&at, NULL, k}, json_array_get(list, k), s)) return false;
    return true;
}

static bool read_sublayer(Reader *r, const ClaimPlace *at, const json_t *value, uint32_t layer,
                          uint32_t number, uint32_t *claimed) {
    static const char *const keys[] = {"tables", "clears", NULL};
    size_t units = r->model->layers[layer]->mlps[number]->in.cols;
    Sublayer s = {.layer = layer,
                  .number = number,
                  .stage = {r->c->first_layer + layer, number + 1},
                  .units = units,
                  .taken = ARENA_ARRAY(r->in.arena, units, bool)};
    if (!claims_object(&r->in, at, value, keys) ||
        !read_pieces(r, at, value, "tables", read_table, &s) ||
        !read_pieces(r, at, value, "clears", read_clear, &s))
        return false;
    *claimed = s.claimed;
    return true;
}

/* --- layers -------------------------------------------------------------------------------- */

static bool read_sublayers(Reader *r, const ClaimPlace *above, const json_t *list, uint32_t layer,
                           CircuitLayer *to) {
    const ClaimPlace at = {above, "sublayers", 0};
    size_t count = r->model->layers[layer]->mlp_count;
    uint32_t *units = ARENA_ARRAY(r->in.arena, count, uint32_t);
    to->units = units;
    if (!claims_list(&r->in, &at, list, count)) return false;
    for (size_t k = 0; k < json_array_size(list); k++)
        if (!read_sublayer(r, &(ClaimPlace){&at, NULL, k}, json_array_get(list, k), layer,
                           (uint32_t)k, &units[k]))
            return false;
    return true;
}

static bool read_layer(Reader *r, const ClaimPlace *at, const json_t *value, uint32_t layer,
                       CircuitLayer *to) {
    static const char *const keys[] = {"heads", "sublayers", NULL};
    return claims_object(&r->in, at, value, keys) &&
           read_heads(r, at, json_object_get(value, "heads"), layer) &&
           read_sublayers(r, at, json_object_get(value, "sublayers"), layer, to);
}

static bool read_layers(Reader *r, const json_t *list) {
    const ClaimPlace all = {NULL, "layers", 0};
    size_t count = r->model->layer_count;
    CircuitLayer *layers = ARENA_ARRAY(r->in.arena, count, CircuitLayer);
    r->c->layers = layers;
    r->c->layer_count = (uint32_t)count;
    if (!json_is_array(list) || json_array_size(list) != count)
        return rt_error(r->in.error, "claims.layers: expected a list of the file's %zu layers",
                        count);
    for (size_t l = 0; l < count; l++) {
        layers[l].head_count = (uint32_t)r->model->layers[l]->head_count;
        layers[l].sublayer_count = (uint32_t)r->model->layers[l]->mlp_count;
        if (!read_layer(r, &(ClaimPlace){&all, NULL, l}, json_array_get(list, l), (uint32_t)l,
                        &layers[l]))
            return false;
    }
    return true;
}

/* --- outputs ------------------------------------------------------------------------------- */

static bool read_output(Reader *r, const ClaimPlace *at, const json_t *value,
                        const ModelOutput *file, CircuitOutput *output) {
    static const char *const keys[] = {"sop", NULL};
    size_t count = file->value_count;
    if (!claims_object(&r->in, at, value, keys) ||
        !read_node(r, at, value, "sop", false, &output->node))
        return false;
    if (file->decode == RT_DECODE_NUMBER)
        return rt_error(r->in.error,
                        "%s: an output without values cannot be proved, expected nearest "
                        "or argmax",
                        claims_place(at, r->in.arena));
    Atom *values = ARENA_ARRAY(r->in.arena, count, Atom);
    double *place = ARENA_ARRAY(r->in.arena, count, double);
    output->name = file->name;
    output->span = span_of(r, output->node);
    output->whole = file->decode == RT_DECODE_WHOLE;
    output->numeric = file->decode == RT_DECODE_NEAREST || output->whole;
    output->placed = file->places != NULL;
    output->value_count = (uint32_t)count;
    output->start = (uint32_t)file->start;
    output->form_count = output->numeric ? 1 : (uint32_t)count;
    for (size_t k = 0; k < count; k++) {
        values[k] = atom_from_file(&file->values[k], graph_intern(r->in.graph));
        if (output->numeric) place[k] = output_place(file, k);
    }
    output->values = values;
    output->place = place;
    return true;
}

static bool read_outputs(Reader *r, const json_t *list) {
    const ClaimPlace all = {NULL, "outputs", 0};
    size_t count = r->model->output_count;
    if (!json_is_array(list) || json_array_size(list) != count)
        return rt_error(r->in.error, "claims.outputs: expected a list of the file's %zu outputs",
                        count);
    CircuitOutput *outputs = ARENA_ARRAY(r->in.arena, count, CircuitOutput);
    for (size_t k = 0; k < count; k++)
        if (!read_output(r, &(ClaimPlace){&all, NULL, k}, json_array_get(list, k),
                         r->model->outputs[k], &outputs[k]))
            return false;
    r->c->outputs = outputs;
    r->c->output_count = (uint32_t)count;
    return true;
}

/* --- all of it ----------------------------------------------------------------------------- */

static bool read_version(Reader *r, const json_t *version) {
    const ClaimPlace at = {NULL, "version", 0};
    return (json_is_integer(version) && json_integer_value(version) == CLAIMS_VERSION) ||
           claims_expected(&r->in, &at, "1, the only version there is", version);
}

/* The first dimension that tells row 0 from others. */
static uint32_t sink_of(const Model *m) {
    for (size_t d = 0; d < m->width; d++)
        if (tensor_get(&m->tokens, 0, d) + tensor_get(&m->positions, 0, d) != 0) return (uint32_t)d;
    return 0;
}

/* What the weights say of themselves. */
static void set_frame(Reader *r, const Domain *domain) {
    const Model *m = r->model;
    Circuit *c = r->c;
    *c = (Circuit){.graph = r->in.graph,
                   .domain = *domain,
                   .options.kernel = m->kernel,
                   .width = (uint32_t)m->width,
                   .sink = DIM_NONE,
                   .one = DIM_NONE,
                   .first_layer = m->layer_count && m->layers[0]->head_count == 0 ? 0 : 1};
    for (size_t l = 0; l < m->layer_count; l++)
        for (size_t h = 0; h < m->layers[l]->head_count; h++) {
            const ModelHead *head = m->layers[l]->heads[h];
            c->options.log_length |= head->scale == RT_SCALE_LOG_LENGTH;
            c->options.beta = fmax(c->options.beta, head->gap);
            if (head->sink) c->sink = sink_of(m);
        }
}

static void finish(Reader *r) {
    Circuit *c = r->c;
    c->parts = r->parts;
    c->heads = r->heads;
    c->tables = r->tables;
    c->clears = r->clears;
    for (uint32_t o = 0; o < c->output_count; o++) {
        uint32_t depth = graph_node(r->in.graph, c->outputs[o].node)->depth;
        if (depth > c->depth) c->depth = depth;
    }
}

const json_t *claims_of(const Model *model) {
    return json_object_get(model->extra, "claims");
}

bool claims_read(const json_t *claims, const Model *model, const Domain *domain, Graph *graph,
                 const ClaimsLanguage *language, Arena *arena, Circuit *circuit, RtError *error) {
    static const char *const keys[] = {"version",  "constants", "define",  "token",
                                       "position", "layers",    "outputs", NULL};
    Reader r = {.model = model, .in = {graph, arena, error}, .language = language, .c = circuit};
    error->text[0] = '\0';
    set_frame(&r, domain);
    if (!claims_object(&r.in, NULL, claims, keys) ||
        !read_version(&r, json_object_get(claims, "version")) ||
        !read_constants(&r, json_object_get(claims, "constants")) ||
        !read_definitions(&r, json_object_get(claims, "define")) ||
        !read_embedded(&r, "token", FROM_TOKEN, json_object_get(claims, "token")) ||
        !read_embedded(&r, "position", FROM_POSITION, json_object_get(claims, "position")) ||
        !read_layers(&r, json_object_get(claims, "layers")) ||
        !read_outputs(&r, json_object_get(claims, "outputs")))
        return false;
    finish(&r);
    return true;
}
