#include "api/model.h"

#include "api/value.h"
#include "compile/describe_json.h"
#include "compile/flags.h"
#include "runtime/safetensors.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- what is inside --------------------------------------------------------------------- */

static const RaspAtom *atoms_of(Core *core, const RtAtom *atoms, size_t count) {
    RaspAtom *list = ARENA_ARRAY(core->arena, count + 1, RaspAtom);
    for (size_t k = 0; k < count; k++) list[k] = atom_from_runtime(&atoms[k]);
    return list;
}

static void count_layers(RaspModel *m) {
    const Model *model = m->model;
    RaspModelInfo *info = &m->info;
    size_t *heads = ARENA_ARRAY(m->core.arena, model->layer_count + 1, size_t);
    info->kernel = rule_from_runtime(model->kernel);
    info->layer_count = model->layer_count;
    info->heads_per_layer = heads;
    for (size_t l = 0; l < model->layer_count; l++) {
        const ModelLayer *layer = model->layers[l];
        heads[l] = layer->head_count;
        info->heads += layer->head_count;
        info->attention_layers += layer->head_count > 0;
        info->layers_without_heads += layer->head_count == 0;
        info->sublayers += layer->mlp_count;
        for (size_t k = 0; k < layer->mlp_count; k++) info->hidden_units += layer->mlps[k]->in.cols;
    }
}

/* The outputs that say where others have no answer stand behind all others.  Gives how many are
 * none of them, or 0 after a message. */
static size_t find_flags(RaspModel *m, RaspOutput *outputs) {
    const Model *model = m->model;
    size_t visible = 0;
    for (size_t k = 0; k < model->output_count; k++) {
        size_t of = 0;
        while (of < visible && !flags_is_name(outputs[k].name, outputs[of].name)) of++;
        if (of < visible)
            outputs[of].flag = (ptrdiff_t)k;
        else if (visible++ < k) {
            core_fail(&m->core, RASP_WRONG_FILE,
                      "'%s': outputs[%zu]: expected no '%s' behind an output that says where "
                      "another has no answer",
                      m->name, k, outputs[k].name);
            return 0;
        }
    }
    return visible;
}

static bool list_outputs(RaspModel *m) {
    const Model *model = m->model;
    RaspOutput *outputs = ARENA_ARRAY(m->core.arena, model->output_count + 1, RaspOutput);
    for (size_t k = 0; k < model->output_count; k++) {
        const ModelOutput *o = model->outputs[k];
        outputs[k] = (RaspOutput){o->name,        rt_decode_names[o->decode],
                                  o->start,       atoms_of(&m->core, o->values, o->value_count),
                                  o->value_count, -1};
    }
    m->info.outputs = outputs;
    m->info.output_count = find_flags(m, outputs);
    return m->info.output_count > 0;
}

/* Of heads with position biases nothing is certified, whatever the file says. */
static double certified(const Model *model) {
    size_t layer, head;
    if (model_find_bias(model, &layer, &head)) return -1;
    const json_t *certificate = json_object_get(model->extra, "certificate");
    const json_t *error = json_object_get(certificate, "error");
    return json_is_number(error) ? json_number_value(error) : -1;
}

static RaspKind kind_of(RtKind kind) {
    static const RaspKind kinds[] = {[RT_STRING] = RASP_STRING,
                                     [RT_INT] = RASP_INT,
                                     [RT_FLOAT] = RASP_FLOAT,
                                     [RT_BOOL] = RASP_BOOL};
    return kinds[kind];
}

static void inform_answers(RaspModel *m) {
    static const RaspAnswers words[] = {[ANSWERS_PROVED] = RASP_ANSWERS_PROVED,
                                        [ANSWERS_RUN] = RASP_ANSWERS_RUN,
                                        [ANSWERS_NOT_SHOWN] = RASP_ANSWERS_NOT_SHOWN,
                                        [ANSWERS_PARTIAL] = RASP_ANSWERS_PARTIAL};
    Answers answers;
    if (!record_load_answers(m->model, &answers)) return;
    m->info.answers = words[answers.kind];
    m->info.answers_tried = answers.tried;
}

bool model_inform(RaspModel *m) {
    const Model *model = m->model;
    RtError error;
    int32_t first;
    const char *where;
    if (!record_load_domain(model, &first, &where, &error))
        return core_fail(&m->core, RASP_WRONG_FILE, "'%s': %s", m->name, error.text);
    m->info =
        (RaspModelInfo){.program = json_string_value(json_object_get(model->extra, "program")),
                        .alphabet = atoms_of(&m->core, model->alphabet, model->alphabet_size),
                        .alphabet_size = model->alphabet_size,
                        .max_length = model->max_length,
                        .token_kind = kind_of(model->token_type),
                        .first = first,
                        .where = where,
                        .dtype = model->dtype == RT_F32 ? RASP_F32 : RASP_F64,
                        .width = model->width,
                        .parameters = model_parameters(model),
                        .nonzero = model_nonzeros(model),
                        .certified = certified(model)};
    inform_answers(m);
    count_layers(m);
    return list_outputs(m);
}

const RaspModelInfo *rasp_model_info(const RaspModel *m) {
    return &m->info;
}

/* --- from and to files ------------------------------------------------------------------ */

/* The first eight bytes are the header's length, which is far below 2^32; a text has no NUL. */
bool rasp_is_weights(const void *start, size_t size) {
    const unsigned char *b = start;
    return size >= 8 && !b[4] && !b[5] && !b[6] && !b[7];
}

typedef struct Loading {
    const char *path; /* or else */
    const void *bytes;
    size_t size;
} Loading;

static bool load(Core *core, void *context) {
    RaspModel *m = (RaspModel *)core;
    const Loading *from = context;
    Budget *budget = core->budget;
    RtError error;
    RtLimits limits = {.memory = budget->limit - budget->used};
    m->model = from->path ? model_load_within(from->path, &limits, &error)
                          : model_load_bytes_within(from->bytes, from->size, &limits, &error);
    budget->used += limits.used; /* until the handle dies */
    if (m->model) return model_inform(m);
    RaspStatus status = limits.exceeded ? RASP_OUT_OF_MEMORY : RASP_WRONG_FILE;
    if (from->path) return core_fail(core, status, "%s", error.text);
    return core_fail(core, status, "'%s': %s", m->name, error.text);
}

static RaspModel *new_model(const Loading *from, const char *name, const RaspConfig *config,
                            RaspError *error) {
    RaspModel *m = model_blank();
    if (m) m->name = strdup(name);
    if (!m || !m->name) {
        rasp_model_free(m);
        error_set(error, RASP_OUT_OF_MEMORY, "out of memory for a model");
        return NULL;
    }
    if (core_init(&m->core, config, error) &&
        core_call(&m->core, error, RASP_WRONG_FILE, load, (void *)(uintptr_t)from))
        return m;
    rasp_model_free(m);
    return NULL;
}

RaspModel *rasp_model_load(const char *path, const RaspConfig *config, RaspError *error) {
    return new_model(&(Loading){.path = path}, path, config, error);
}

RaspModel *rasp_model_from_bytes(const void *bytes, size_t size, const char *name,
                                 const RaspConfig *config, RaspError *error) {
    return new_model(&(Loading){.bytes = bytes, .size = size}, name ? name : "weights", config,
                     error);
}

static bool saved(bool done, const RtError *reason, RaspError *error) {
    return done || error_set(error, RASP_FAILED, "%s", reason->text);
}

bool rasp_model_save(const RaspModel *m, const char *path, RaspError *error) {
    RtError reason;
    return saved(model_save(m->model, path, &reason), &reason, error);
}

bool rasp_model_bytes(const RaspModel *m, unsigned char **bytes, size_t *size, RaspError *error) {
    RtError reason;
    return saved(model_save_bytes(m->model, bytes, size, &reason), &reason, error);
}

/* --- lives ------------------------------------------------------------------------------ */

RaspModel *model_blank(void) {
    RaspModel *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    atomic_init(&m->keepers, 1);
    atomic_init(&m->owners, 1);
    return m;
}

RaspModel *model_keep(RaspModel *m) {
    atomic_fetch_add(&m->keepers, 1);
    return m;
}

RaspModel *model_own(RaspModel *m) {
    atomic_fetch_add(&m->owners, 1);
    return m;
}

void model_drop(RaspModel *m) {
    if (!m || atomic_fetch_sub(&m->keepers, 1) > 1) return;
    model_free(m->model);
    core_clear(&m->core);
    free(m->name);
    free(m);
}

void rasp_model_free(RaspModel *m) {
    if (!m || atomic_fetch_sub(&m->owners, 1) > 1) return;
    compiled_clear(&m->compiled);
    if (!m->model) m->model = m->compiled.model; /* a stop may come between the two */
    core_clear(&m->compiling);
    rasp_program_free(m->program);
    m->program = NULL;
    model_drop(m);
}

/* --- as JSON ---------------------------------------------------------------------------- */

/* As in a weights file. */
static json_t *bias_json(const HeadBias *bias, bool *lost) {
    json_t *entry = json_object(), *values = json_array();
    for (size_t k = 0; k < bias->count; k++)
        describe_append(values,
                        isfinite(bias->values[k]) ? json_real(bias->values[k]) : json_null(), lost);
    describe_set(entry, "form", json_string(rt_bias_names[bias->form]), lost);
    if (bias->from) describe_set(entry, "from", json_integer(bias->from), lost);
    describe_set(entry, "values", values, lost);
    return entry;
}

static json_t *head_json(const ModelHead *head, bool *lost) {
    json_t *entry = json_deep_copy(head->extra);
    describe_set(entry, "rank", json_integer((json_int_t)head->query.cols), lost);
    describe_set(entry, "mask", json_string(rt_mask_names[head->mask]), lost);
    describe_set(entry, "sink", json_boolean(head->sink), lost);
    if (head->bias.form != RT_BIAS_NONE)
        describe_set(entry, "bias", bias_json(&head->bias, lost), lost);
    return entry;
}

static json_t *sublayer_json(const ModelMlp *mlp, bool *lost) {
    json_t *entry = json_deep_copy(mlp->extra);
    describe_set(entry, "units", json_integer((json_int_t)mlp->in.cols), lost);
    return entry;
}

static json_t *layer_json(const ModelLayer *layer, bool *lost) {
    json_t *entry = json_object(), *heads = json_array(), *sublayers = json_array();
    for (size_t h = 0; h < layer->head_count; h++)
        describe_append(heads, head_json(layer->heads[h], lost), lost);
    for (size_t k = 0; k < layer->mlp_count; k++)
        describe_append(sublayers, sublayer_json(layer->mlps[k], lost), lost);
    describe_set(entry, "heads", heads, lost);
    describe_set(entry, "sublayers", sublayers, lost);
    return entry;
}

char *rasp_model_json(const RaspModel *m, RaspError *error) {
    json_t *document = json_deep_copy(m->model->extra), *layers = json_array();
    bool lost = false;
    for (size_t l = 0; l < m->model->layer_count; l++)
        describe_append(layers, layer_json(m->model->layers[l], &lost), &lost);
    describe_set(document, "layers", layers, &lost);
    char *text = lost ? NULL : json_dumps(document, 0);
    json_decref(document);
    if (!text) error_set(error, RASP_OUT_OF_MEMORY, "out of memory for the description");
    return text;
}

/* --- the embedded program --------------------------------------------------------------- */

/* Where the embedded program finds what it loads: in the file, and nowhere else.  A program
 * loads the same texts in the same order each time, so the next one it asks for is the next one
 * of the file; how its path began where it was compiled does not matter. */
typedef struct Embedded {
    const FileText *files;
    size_t count, next;
} Embedded;

static bool is_path_to(const char *name, const char *path) {
    size_t length = strlen(name), tail = strlen(path);
    if (length < tail || strcmp(name + length - tail, path) != 0) return false;
    return length == tail || name[length - tail - 1] == '/';
}

static int read_embedded(void *context, const char *path, char **text, size_t *length) {
    Embedded *embedded = context;
    if (embedded->next == embedded->count) return ENOENT;
    const FileText *file = &embedded->files[embedded->next];
    if (!is_path_to(file->name, path)) return ENOENT;
    *text = malloc(file->length + 1);
    if (!*text) return ENOMEM;
    memcpy(*text, file->text, file->length);
    *length = file->length;
    embedded->next++;
    return 0;
}

static bool load_embedded(RaspModel *m, const Record *record) {
    Embedded embedded = {record->loaded, record->loaded_count, 0};
    RaspConfig config = m->core.config;
    const Budget *budget = m->core.budget;
    if (budget->limit != SIZE_MAX) config.memory = budget->limit - budget->used + 1;
    RaspSource source = {.path = record->program.name,
                         .text = record->program.text,
                         .length = record->program.length};
    config.find = NULL;
    config.read = read_embedded;
    config.read_context = &embedded;
    m->program = rasp_program_load(&source, &config, m->core.error);
    if (m->program) m->program->core.config = m->core.config;
    return m->program != NULL;
}

static bool recall_target(Core *core, void *context) {
    RaspModel *m = context;
    Record record;
    RtError error;
    Intern *table = session_intern(m->program->session);
    if (!record_load(m->model, table, core->arena, &record, &error))
        return core_fail(core, RASP_WRONG_FILE, "'%s': %s", m->name, error.text);
    if (!target_recall(m->program, &record, &m->target)) return false;
    return m->target.output_count == m->info.output_count ||
           core_fail(core, RASP_WRONG_FILE, "'%s' has %zu outputs, its metadata names %u", m->name,
                     m->info.output_count, m->target.output_count);
}

bool model_recall(RaspModel *m) {
    Core *core = &m->core;
    Record record;
    RtError error;
    if (m->program) return true;
    if (!record_load(m->model, intern_new(core->arena), core->arena, &record, &error))
        return core_fail(core, RASP_WRONG_FILE, "'%s': %s", m->name, error.text);
    if (load_embedded(m, &record) &&
        core_call(&m->program->core, core->error, RASP_WRONG_FILE, recall_target, m))
        return true;
    rasp_program_free(m->program);
    m->program = NULL;
    return false;
}

static bool recall(Core *core, void *context) {
    (void)context;
    return model_recall((RaspModel *)core);
}

RaspProgram *rasp_model_program(RaspModel *m, RaspError *error) {
    return core_call(&m->core, error, RASP_WRONG_FILE, recall, NULL) ? m->program : NULL;
}
