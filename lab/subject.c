#include "lab/subject.h"

#include "base/utf8.h"
#include "runtime/safetensors.h"

#include <math.h>
#include <string.h>

enum { NAME_BYTES = 56 };

/* --- the model's weights ---------------------------------------------------------------------- */

static void free_model(void *model) {
    model_free(model);
}

static bool refuse(Page *page, const char *why) {
    page_note(page, "%s", why);
    check_none(page, "models that could not be examined", 1);
    return false;
}

bool subject_refuse(Lab *lab, Page *page, const RaspError *error) {
    Budget *budget = arena_budget(lab->arena);
    lab_poll(lab);
    if (error->status != RASP_CANCELLED) page_note(page, "%s", error->text);
    if (error->status == RASP_OUT_OF_MEMORY) budget_stop(budget, BUDGET_OUT_OF_MEMORY);
    if (error->status == RASP_OUT_OF_TIME) budget_stop(budget, BUDGET_OUT_OF_TIME);
    check_none(page, "models that could not be examined", 1);
    return false;
}

/* Two copies of the weights, as plain data. */
static bool load_weights(Lab *lab, Page *page, Subject *s) {
    RaspError error;
    RtError reason;
    unsigned char *bytes;
    size_t size;
    Model *copies[2] = {NULL, NULL};
    arena_charge(lab->arena, 2 * s->info->parameters * sizeof(double));
    if (!rasp_model_bytes(s->handle, &bytes, &size, &error))
        return subject_refuse(lab, page, &error);
    for (int k = 0; k < 2; k++) copies[k] = model_load_bytes(bytes, size, &reason);
    rasp_free(bytes);
    if (copies[0] && copies[1]) {
        lab_defer(lab, free_model, copies[0]);
        lab_defer(lab, free_model, copies[1]);
        s->model = copies[0];
        s->scratch = copies[1];
        return true;
    }
    for (int k = 0; k < 2; k++) model_free(copies[k]);
    return refuse(page, reason.text);
}

typedef struct TensorList {
    Tensor **tensors;
    size_t count;
} TensorList;

static bool count_tensor(const char *name, Tensor *tensor, void *context) {
    (void)name;
    TensorList *list = context;
    if (list->tensors) list->tensors[list->count] = tensor;
    list->count++;
    return true;
}

static TensorList tensors_of(Arena *arena, const Model *model) {
    TensorList list = {NULL, 0};
    model_visit(model, count_tensor, &list);
    list.tensors = ARENA_ARRAY(arena, list.count, Tensor *);
    list.count = 0;
    model_visit(model, count_tensor, &list);
    return list;
}

void subject_restore(Subject *s) {
    Arena *arena = arena_child(s->lab->arena);
    TensorList from = tensors_of(arena, s->model), to = tensors_of(arena, s->scratch);
    for (size_t k = 0; k < from.count; k++)
        memcpy(to.tensors[k]->data, from.tensors[k]->data,
               tensor_size(from.tensors[k]) * sizeof(double));
    arena_free(arena);
}

size_t subject_changed(const Subject *s) {
    Arena *arena = arena_child(s->lab->arena);
    TensorList own = tensors_of(arena, s->model), now = tensors_of(arena, s->scratch);
    size_t changed = 0;
    for (size_t k = 0; k < own.count; k++)
        for (size_t i = 0; i < tensor_size(own.tensors[k]); i++)
            changed += own.tensors[k]->data[i] != now.tensors[k]->data[i];
    arena_free(arena);
    return changed;
}

/* --- what the file says ----------------------------------------------------------------------- */

static void read_claims(Subject *s) {
    const json_t *certificate = json_object_get(s->model->extra, "certificate");
    const json_t *joined = json_object_get(certificate, "joined");
    s->beta = json_number_value(json_object_get(certificate, "beta"));
    s->states_beta = isfinite(s->beta) && s->beta > 0;
    s->joined_absolute = json_number_value(json_object_get(joined, "absolute"));
    s->joined_relative = json_number_value(json_object_get(joined, "relative"));
    if (s->states_beta) return;
    s->beta = 0;
    for (size_t l = 0; l < s->model->layer_count; l++)
        for (size_t h = 0; h < s->model->layers[l]->head_count; h++)
            s->beta = fmax(s->beta, s->model->layers[l]->heads[h]->gap);
}

SubjectHead subject_head(const Subject *s, size_t head) {
    SubjectHead found = {.number = head};
    const ModelLayer *const *layers = (const ModelLayer *const *)s->model->layers;
    while (found.number >= layers[found.layer]->head_count) {
        found.step += 1 + layers[found.layer]->mlp_count;
        found.number -= layers[found.layer++]->head_count;
    }
    found.head = layers[found.layer]->heads[found.number];
    return found;
}

const char *subject_head_name(const Subject *s, Arena *arena, size_t head) {
    SubjectHead at = subject_head(s, head);
    const char *selector = json_string_value(json_object_get(at.head->extra, "selector"));
    size_t length = 0, all = selector ? strlen(selector) : 0;
    while (length < all && length < NAME_BYTES) {
        size_t step = utf8_step(selector + length, all - length);
        length += step ? step : 1;
    }
    return arena_format(arena, "%zu.%zu%s%.*s%s", at.layer + 1, at.number + 1, all ? " " : "",
                        (int)length, all ? selector : "", length < all ? "…" : "");
}

size_t subject_head_count(const Subject *s) {
    size_t count = 0;
    for (size_t l = 0; l < s->model->layer_count; l++) count += s->model->layers[l]->head_count;
    return count;
}

/* --- running ---------------------------------------------------------------------------------- */

static void free_engine(void *engine) {
    engine_free(engine);
}

/* NULL: the weights are none that can be run. */
static Engine *make_engine(const Subject *s, const Model *weights, RtRule rule,
                           double temperature) {
    RtError reason;
    RunOptions options = run_options();
    options.rule = rule;
    options.temperature = temperature;
    options.threads = s->lab->threads;
    options.stop = arena_budget(s->lab->arena)->cancel;
    options.keep_raw = true;
    return engine_new(weights, &options, &reason);
}

static bool values_agree(const Subject *s, const RtAtom *a, const RtAtom *b) {
    if (rt_atom_compare(a, b) == 0) return true;
    if (a->kind != RT_FLOAT || b->kind != RT_FLOAT) return false;
    double apart = fabs(a->u.f - b->u.f);
    return apart <= s->joined_absolute &&
           apart <= s->joined_relative * fmin(fabs(a->u.f), fabs(b->u.f));
}

/* A number that is not decoded is right within the error that the file states. */
static bool reading_agrees(const Subject *s, const ModelOutput *output, const Reading *reading,
                           const RtAtom *expected) {
    if (reading->index >= 0) return values_agree(s, &output->values[reading->index], expected);
    if (output->decode == RT_DECODE_WHOLE)
        return expected->kind == RT_INT && output_whole(output, reading->number) == expected->u.i;
    return expected->kind == RT_FLOAT &&
           fabs(reading->number - expected->u.f) <= fmax(s->info->certified, s->joined_absolute);
}

static bool input_agrees(const Subject *s, const SubjectInput *input, const RunResult *result) {
    for (size_t k = 0; k < s->model->output_count; k++)
        for (size_t i = 0; input->expected[k] && i < input->length; i++)
            if (!reading_agrees(s, s->model->outputs[k], run_reading(result, k, i),
                                &input->expected[k][i]))
                return false;
    return true;
}

static double greatest_error(const SubjectInput *input, const RunResult *result) {
    double most = 0;
    for (size_t k = 0; k < input->length * result->raw_size; k++)
        most = fmax(most, fabs(result->raw[k] - input->nominal[k]));
    return most;
}

Fare subject_fare(const Subject *s, const Model *weights, double temperature, size_t first,
                  size_t count) {
    Fare fare = {.inputs = count};
    Engine *engine = make_engine(s, weights, RT_SOFTMAX, temperature);
    for (size_t k = first; k < first + count; k++) {
        const SubjectInput *input = &s->inputs[k];
        RunResult result;
        RtError reason;
        if (!engine || !engine_run(engine, input->ids, input->length, &result, &reason)) {
            fare.error = INFINITY;
            continue;
        }
        fare.agreed += input_agrees(s, input, &result);
        fare.error = fmax(fare.error, greatest_error(input, &result));
        run_result_clear(&result);
    }
    engine_free(engine);
    lab_poll(s->lab);
    return fare;
}

/* --- opening ---------------------------------------------------------------------------------- */

/* What a reading says, among the values of its output. */
static RtAtom reading_atom(const ModelOutput *output, const Reading *reading) {
    if (output->decode == RT_DECODE_WHOLE) return rt_int(output_whole(output, reading->number));
    return reading->index < 0 ? rt_float(reading->number) : output->values[reading->index];
}

/* Hard attention in double: what outputs are to read; without a program, what they are to say. */
static bool find_nominal(Subject *s, Page *page) {
    Lab *lab = s->lab;
    SubjectInput *inputs = (SubjectInput *)s->inputs;
    RtDtype dtype = s->scratch->dtype;
    s->scratch->dtype = RT_F64;
    Engine *engine = make_engine(s, s->scratch, RT_AVERAGE, 1);
    s->scratch->dtype = dtype;
    if (!engine) return refuse(page, "the model cannot be run");
    lab_defer(lab, free_engine, engine);
    for (size_t k = 0; k < s->input_count; k++) {
        size_t n = inputs[k].length, raw = 0;
        for (size_t o = 0; o < s->model->output_count; o++) {
            const ModelOutput *output = s->model->outputs[o];
            raw += output->decode == RT_DECODE_ARGMAX ? output->value_count : 1;
            if (!s->judged) inputs[k].expected[o] = ARENA_ARRAY(lab->arena, n, RtAtom);
        }
        double *nominal = ARENA_ARRAY(lab->arena, n * raw, double);
        RunResult result;
        RtError reason;
        if (!engine_run(engine, inputs[k].ids, n, &result, &reason)) {
            lab_poll(lab);
            return refuse(page, reason.text);
        }
        memcpy(nominal, result.raw, n * raw * sizeof *nominal);
        for (size_t o = 0; !s->judged && o < s->model->output_count; o++)
            for (size_t i = 0; i < n; i++)
                ((RtAtom *)inputs[k].expected[o])[i] =
                    reading_atom(s->model->outputs[o], run_reading(&result, o, i));
        run_result_clear(&result);
        inputs[k].nominal = nominal;
    }
    return true;
}

bool subject_open(Lab *lab, Page *page, const ModelQuestion *question, size_t longest, Subject *s) {
    *s = (Subject){.lab = lab, .handle = question->model, .info = rasp_model_info(question->model)};
    s->judged = s->info->program != NULL;
    if (!load_weights(lab, page, s)) return false;
    read_claims(s);
    if (!subject_take_inputs(s, page, question, longest) || !find_nominal(s, page)) return false;
    if (!s->judged)
        page_note(page, "The file embeds no program: its outputs are held against those of its own "
                        "hard attention (rule average), and nothing is said of what it should "
                        "compute.");
    return true;
}
