#include "runtime/model.h"

#include "runtime/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const rt_dtype_names[RT_DTYPE_COUNT] = {"F32", "F64"};
const char *const rt_mask_names[RT_MASK_COUNT] = {"none", "causal", "strict_causal", "anticausal",
                                                  "strict_anticausal"};
const char *const rt_scale_names[RT_SCALE_COUNT] = {"one", "log_length"};
const char *const rt_decode_names[RT_DECODE_COUNT] = {"argmax", "nearest", "number", "whole"};

Tensor tensor_new(size_t rows, size_t cols) {
    size_t size;
    double *data = NULL;
    if (!__builtin_mul_overflow(rows, cols, &size)) data = rt_calloc(size, sizeof *data);
    return (Tensor){rows, cols, data};
}

void tensor_free(Tensor *tensor) {
    free(tensor->data);
    *tensor = (Tensor){0, 0, NULL};
}

size_t tensor_size(const Tensor *tensor) {
    return tensor->rows * tensor->cols;
}

static void head_free(ModelHead *head) {
    if (!head) return;
    tensor_free(&head->query);
    tensor_free(&head->key);
    tensor_free(&head->value);
    tensor_free(&head->output);
    free(head->bias.values);
    json_decref(head->extra);
    free(head);
}

static void mlp_free(ModelMlp *mlp) {
    if (!mlp) return;
    tensor_free(&mlp->in);
    tensor_free(&mlp->in_bias);
    tensor_free(&mlp->out);
    tensor_free(&mlp->out_bias);
    json_decref(mlp->extra);
    free(mlp);
}

static void layer_free(ModelLayer *layer) {
    if (!layer) return;
    for (size_t i = 0; i < layer->head_count; i++) head_free(layer->heads[i]);
    for (size_t i = 0; i < layer->mlp_count; i++) mlp_free(layer->mlps[i]);
    free(layer->heads);
    free(layer->mlps);
    json_decref(layer->extra);
    free(layer);
}

static void atoms_free(RtAtom *atoms, size_t count) {
    for (size_t i = 0; atoms && i < count; i++) {
        if (atoms[i].kind == RT_STRING) free((char *)atoms[i].u.s.bytes);
    }
    free(atoms);
}

static void output_free(ModelOutput *output) {
    if (!output) return;
    atoms_free(output->values, output->value_count);
    json_decref(output->extra);
    free(output->places);
    free(output->name);
    free(output);
}

void model_free(Model *model) {
    if (!model) return;
    for (size_t i = 0; i < model->layer_count; i++) layer_free(model->layers[i]);
    for (size_t i = 0; i < model->output_count; i++) output_free(model->outputs[i]);
    free(model->layers);
    free(model->outputs);
    atoms_free(model->alphabet, model->alphabet_size);
    tensor_free(&model->tokens);
    tensor_free(&model->positions);
    json_decref(model->extra);
    json_decref(model->metadata);
    free(model);
}

static RtAtom *atoms_copy(const RtAtom *atoms, size_t count) {
    RtAtom *copy = rt_calloc(count, sizeof *copy);
    for (size_t i = 0; copy && i < count; i++) {
        copy[i] = atoms[i];
        if (atoms[i].kind != RT_STRING) continue;
        copy[i].u.s.bytes = rt_memdup(atoms[i].u.s.bytes, atoms[i].u.s.length);
        if (!copy[i].u.s.bytes) {
            atoms_free(copy, i);
            return NULL;
        }
    }
    return copy;
}

Model *model_new(RtDtype dtype, RtKind token_type, const RtAtom *alphabet, size_t alphabet_size,
                 size_t max_length, size_t width) {
    Model *model = rt_calloc(1, sizeof *model);
    if (!model) return NULL;
    model->dtype = dtype;
    model->token_type = token_type;
    model->max_length = max_length;
    model->width = width;
    model->alphabet = atoms_copy(alphabet, alphabet_size);
    if (model->alphabet) model->alphabet_size = alphabet_size;
    model->tokens = tensor_new(alphabet_size + 1, width);
    model->positions = tensor_new(max_length + 1, width);
    model->extra = json_object();
    model->metadata = json_object();
    if (model->alphabet && model->tokens.data && model->positions.data && model->extra &&
        model->metadata)
        return model;
    model_free(model);
    return NULL;
}

/* Makes room for one more pointer. Arrays double at powers of two, so that no capacity is kept. */
static bool grow(void *array, size_t count) {
    if (count & (count - 1)) return true;
    void **old = *(void ***)array;
    void **new = rt_realloc(old, count ? 2 * count : 1, sizeof *new);
    if (new) *(void ***)array = new;
    return new != NULL;
}

ModelLayer *model_add_layer(Model *model) {
    if (!grow(&model->layers, model->layer_count)) return NULL;
    ModelLayer *layer = rt_calloc(1, sizeof *layer);
    if (!layer) return NULL;
    layer->width = model->width;
    layer->extra = json_object();
    if (!layer->extra) {
        layer_free(layer);
        return NULL;
    }
    model->layers[model->layer_count++] = layer;
    return layer;
}

ModelHead *layer_add_head(ModelLayer *layer, size_t d, size_t c) {
    if (!grow(&layer->heads, layer->head_count)) return NULL;
    ModelHead *head = rt_calloc(1, sizeof *head);
    if (!head) return NULL;
    head->query = tensor_new(layer->width, d);
    head->key = tensor_new(layer->width, d);
    head->value = tensor_new(layer->width, c);
    head->output = tensor_new(c, layer->width);
    head->sink = true;
    head->gap = 64;
    head->extra = json_object();
    if (!head->query.data || !head->key.data || !head->value.data || !head->output.data ||
        !head->extra) {
        head_free(head);
        return NULL;
    }
    layer->heads[layer->head_count++] = head;
    return head;
}

bool head_set_bias(ModelHead *head, RtBiasForm form, ptrdiff_t from, const double *values,
                   size_t count) {
    double *copy = rt_calloc(count, sizeof *copy);
    if (!copy) return false;
    if (count) memcpy(copy, values, count * sizeof *copy);
    free(head->bias.values);
    head->bias = (HeadBias){form, from, count, copy};
    return true;
}

bool model_find_bias(const Model *model, size_t *layer, size_t *head) {
    for (*layer = 0; *layer < model->layer_count; ++*layer)
        for (*head = 0; *head < model->layers[*layer]->head_count; ++*head)
            if (model->layers[*layer]->heads[*head]->bias.form != RT_BIAS_NONE) return true;
    return false;
}

ModelMlp *layer_add_mlp(ModelLayer *layer, size_t u) {
    if (!grow(&layer->mlps, layer->mlp_count)) return NULL;
    ModelMlp *mlp = rt_calloc(1, sizeof *mlp);
    if (!mlp) return NULL;
    mlp->in = tensor_new(layer->width, u);
    mlp->in_bias = tensor_new(1, u);
    mlp->out = tensor_new(u, layer->width);
    mlp->out_bias = tensor_new(1, layer->width);
    mlp->extra = json_object();
    if (!mlp->in.data || !mlp->in_bias.data || !mlp->out.data || !mlp->out_bias.data ||
        !mlp->extra) {
        mlp_free(mlp);
        return NULL;
    }
    layer->mlps[layer->mlp_count++] = mlp;
    return mlp;
}

ModelOutput *model_add_output(Model *model, const char *name, RtDecode decode, size_t start,
                              const RtAtom *values, size_t value_count) {
    if (!grow(&model->outputs, model->output_count)) return NULL;
    ModelOutput *output = rt_calloc(1, sizeof *output);
    if (!output) return NULL;
    output->decode = decode;
    output->start = start;
    output->name = rt_memdup(name, strlen(name));
    output->extra = json_object();
    output->values = atoms_copy(values, value_count);
    if (output->values) output->value_count = value_count;
    if (!output->name || !output->values || !output->extra) {
        output_free(output);
        return NULL;
    }
    model->outputs[model->output_count++] = output;
    return output;
}

bool output_set_places(ModelOutput *output, const double *places) {
    double *copy = rt_calloc(output->value_count, sizeof *copy);
    if (!copy) return false;
    memcpy(copy, places, output->value_count * sizeof *copy);
    free(output->places);
    output->places = copy;
    return true;
}

double output_place(const ModelOutput *output, size_t value) {
    return output->places ? output->places[value] : rt_atom_number(&output->values[value]);
}

double rt_whole(double x, double low, double high) {
    double below = floor(x), above = ceil(x);
    return fmin(fmax(x - below > above - x ? above : below, low), high);
}

int64_t output_whole(const ModelOutput *output, double x) {
    return (int64_t)rt_whole(x, (double)output->values[0].u.i, (double)output->values[1].u.i);
}

enum { NAME_MAX_BYTES = 96 };

static bool visit_head(const ModelHead *head, size_t l, size_t h, ModelVisit *f, void *context) {
    const struct {
        const char *name;
        const Tensor *tensor;
    } parts[] = {{"query", &head->query},
                 {"key", &head->key},
                 {"value", &head->value},
                 {"output", &head->output}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char name[NAME_MAX_BYTES];
        snprintf(name, sizeof name, "layers.%zu.heads.%zu.%s", l, h, parts[i].name);
        if (!f(name, (Tensor *)parts[i].tensor, context)) return false;
    }
    return true;
}

static bool visit_mlp(const ModelMlp *mlp, size_t l, size_t m, ModelVisit *f, void *context) {
    const struct {
        const char *name;
        const Tensor *tensor;
    } parts[] = {{"in", &mlp->in},
                 {"in_bias", &mlp->in_bias},
                 {"out", &mlp->out},
                 {"out_bias", &mlp->out_bias}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char name[NAME_MAX_BYTES];
        snprintf(name, sizeof name, "layers.%zu.mlps.%zu.%s", l, m, parts[i].name);
        if (!f(name, (Tensor *)parts[i].tensor, context)) return false;
    }
    return true;
}

bool model_visit(const Model *model, ModelVisit *f, void *context) {
    if (!f("embed.tokens", (Tensor *)&model->tokens, context)) return false;
    if (!f("embed.positions", (Tensor *)&model->positions, context)) return false;
    for (size_t l = 0; l < model->layer_count; l++) {
        const ModelLayer *layer = model->layers[l];
        for (size_t h = 0; h < layer->head_count; h++) {
            if (!visit_head(layer->heads[h], l, h, f, context)) return false;
        }
        for (size_t m = 0; m < layer->mlp_count; m++) {
            if (!visit_mlp(layer->mlps[m], l, m, f, context)) return false;
        }
    }
    return true;
}

static bool round_tensor(const char *name, Tensor *tensor, void *context) {
    (void)name, (void)context;
    for (size_t i = 0; i < tensor_size(tensor); i++)
        tensor->data[i] = (double)(float)tensor->data[i];
    return true;
}

void model_round(Model *model) {
    if (model->dtype == RT_F32) model_visit(model, round_tensor, NULL);
}

static bool count_elements(const char *name, Tensor *tensor, void *context) {
    (void)name;
    *(size_t *)context += tensor_size(tensor);
    return true;
}

static bool count_nonzeros(const char *name, Tensor *tensor, void *context) {
    (void)name;
    for (size_t i = 0; i < tensor_size(tensor); i++) *(size_t *)context += tensor->data[i] != 0;
    return true;
}

size_t model_parameters(const Model *model) {
    size_t count = 0;
    model_visit(model, count_elements, &count);
    return count;
}

size_t model_nonzeros(const Model *model) {
    size_t count = 0;
    model_visit(model, count_nonzeros, &count);
    return count;
}
