#include "compile/emit/layout.h"

#include <string.h>

typedef struct Sizes {
    size_t heads, d, c; /* per layer, per head */
} Sizes;

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

static Sizes common_sizes(const Model *compact) {
    Sizes sizes = {0, 1, 1};
    for (size_t l = 0; l < compact->layer_count; l++) {
        const ModelLayer *layer = compact->layers[l];
        sizes.heads = larger(sizes.heads, layer->head_count);
        for (size_t h = 0; h < layer->head_count; h++) {
            sizes.d = larger(sizes.d, layer->heads[h]->query.cols);
            sizes.c = larger(sizes.c, layer->heads[h]->value.cols);
        }
    }
    return sizes;
}

/* The layers that a compact layer becomes: one for each sublayer, the first with its heads. */
static size_t layers_of(const ModelLayer *layer) {
    return larger(layer->mlp_count, 1);
}

/* Copies the top left part. */
static void copy_into(Tensor *to, const Tensor *from) {
    for (size_t r = 0; r < from->rows; r++)
        memcpy(to->data + r * to->cols, from->data + r * from->cols, from->cols * sizeof *to->data);
}

static bool add_head(ModelLayer *layer, Sizes sizes, const ModelHead *head) {
    ModelHead *to = layer_add_head(layer, sizes.d, sizes.c);
    if (!to) return false;
    if (!head) { /* padding */
        to->sink = false;
        return true;
    }
    copy_into(&to->query, &head->query);
    copy_into(&to->key, &head->key);
    copy_into(&to->value, &head->value);
    copy_into(&to->output, &head->output);
    to->mask = head->mask;
    to->sink = head->sink;
    to->scale = head->scale;
    to->gap = head->gap;
    return json_object_update(to->extra, head->extra) == 0;
}

static bool add_mlp(ModelLayer *layer, const ModelMlp *mlp) {
    ModelMlp *to = layer_add_mlp(layer, mlp ? mlp->in.cols : 1);
    if (!to || !mlp) return to != NULL;
    copy_into(&to->in, &mlp->in);
    copy_into(&to->in_bias, &mlp->in_bias);
    copy_into(&to->out, &mlp->out);
    copy_into(&to->out_bias, &mlp->out_bias);
    return json_object_update(to->extra, mlp->extra) == 0;
}

static bool add_layers(Model *model, Sizes sizes, const ModelLayer *from) {
    for (size_t k = 0; k < layers_of(from); k++) {
        ModelLayer *layer = model_add_layer(model);
        if (!layer) return false;
        for (size_t h = 0; h < sizes.heads; h++)
            if (!add_head(layer, sizes, k == 0 && h < from->head_count ? from->heads[h] : NULL))
                return false;
        if (!add_mlp(layer, k < from->mlp_count ? from->mlps[k] : NULL)) return false;
    }
    return true;
}

/* A model with the same embeddings, outputs and metadata, and no layers. */
static Model *copy_frame(const Model *from) {
    Model *model = model_new(from->dtype, from->token_type, from->alphabet, from->alphabet_size,
                             from->max_length, from->width);
    if (!model) return NULL;
    model->kernel = from->kernel;
    copy_into(&model->tokens, &from->tokens);
    copy_into(&model->positions, &from->positions);
    bool done = json_object_update(model->extra, from->extra) == 0;
    for (size_t o = 0; o < from->output_count && done; o++) {
        const ModelOutput *output = from->outputs[o];
        ModelOutput *copy = model_add_output(model, output->name, output->decode, output->start,
                                             output->values, output->value_count);
        done = copy && (!output->places || output_set_places(copy, output->places));
    }
    if (done) return model;
    model_free(model);
    return NULL;
}

size_t layout_bytes(const Model *compact) {
    Sizes sizes = common_sizes(compact);
    size_t width = compact->width;
    size_t weights = (compact->alphabet_size + compact->max_length + 2) * width;
    for (size_t l = 0; l < compact->layer_count; l++) {
        const ModelLayer *layer = compact->layers[l];
        weights += layers_of(layer) * sizes.heads * 2 * width * (sizes.d + sizes.c);
        for (size_t k = 0; k < layer->mlp_count; k++)
            weights += (2 * width + 1) * layer->mlps[k]->in.cols + width;
    }
    return weights * sizeof(double);
}

Model *layout_standard(const Model *compact) {
    Model *model = copy_frame(compact);
    Sizes sizes = common_sizes(compact);
    for (size_t l = 0; model && l < compact->layer_count; l++)
        if (!add_layers(model, sizes, compact->layers[l])) {
            model_free(model);
            return NULL;
        }
    return model;
}

/* --- the way back ----------------------------------------------------------------------- */

/* Takes the top left part; false when the rest is not zero. */
static bool take_from(Tensor *to, const Tensor *from) {
    if (from->rows < to->rows || from->cols < to->cols) return false;
    for (size_t r = 0; r < from->rows; r++)
        for (size_t c = 0; c < from->cols; c++) {
            double w = tensor_get(from, r, c);
            if (r < to->rows && c < to->cols)
                tensor_set(to, r, c, w);
            else if (w != 0)
                return false;
        }
    return true;
}

static bool take_head(ModelHead *to, const ModelHead *from) {
    to->mask = from->mask;
    to->sink = from->sink;
    to->scale = from->scale;
    to->gap = from->gap;
    return take_from(&to->query, &from->query) && take_from(&to->key, &from->key) &&
           take_from(&to->value, &from->value) && take_from(&to->output, &from->output);
}

static bool take_mlp(ModelMlp *to, const ModelMlp *from) {
    return take_from(&to->in, &from->in) && take_from(&to->in_bias, &from->in_bias) &&
           take_from(&to->out, &from->out) && take_from(&to->out_bias, &from->out_bias);
}

static bool writes_nothing(const Tensor *t) {
    for (size_t k = 0; k < t->rows * t->cols; k++)
        if (t->data[k] != 0) return false;
    return true;
}

static bool take_layer(ModelLayer *to, ModelLayer *const *from) {
    for (size_t k = 0; k < layers_of(to); k++)
        for (size_t h = 0; h < from[k]->head_count; h++) {
            const ModelHead *head = from[k]->heads[h];
            bool real = k == 0 && h < to->head_count;
            if (real ? !take_head(to->heads[h], head) : !writes_nothing(&head->output))
                return false;
        }
    for (size_t k = 0; k < layers_of(to); k++) {
        if (from[k]->mlp_count != 1) return false;
        const ModelMlp *mlp = from[k]->mlps[0];
        if (k < to->mlp_count ? !take_mlp(to->mlps[k], mlp)
                              : !writes_nothing(&mlp->out) || !writes_nothing(&mlp->out_bias))
            return false;
    }
    return from[0]->head_count >= to->head_count;
}

static bool add_shape(Model *model, const ModelLayer *shape) {
    ModelLayer *layer = model_add_layer(model);
    bool done = layer != NULL;
    for (size_t h = 0; done && h < shape->head_count; h++)
        done = layer_add_head(layer, shape->heads[h]->query.cols, shape->heads[h]->value.cols);
    for (size_t k = 0; done && k < shape->mlp_count; k++)
        done = layer_add_mlp(layer, shape->mlps[k]->in.cols);
    return done;
}

/* First all that needs memory, then all that may not fit. */
bool layout_extract(const Model *standard, const Model *compact, Model **extracted) {
    size_t layers = 0, at = 0;
    *extracted = NULL;
    for (size_t l = 0; l < compact->layer_count; l++) layers += layers_of(compact->layers[l]);
    if (standard->layer_count != layers || standard->width != compact->width) return true;
    Model *model = copy_frame(standard);
    bool done = model != NULL, same = true;
    for (size_t l = 0; done && l < compact->layer_count; l++)
        done = add_shape(model, compact->layers[l]);
    for (size_t l = 0; done && same && l < compact->layer_count; l++) {
        same = take_layer(model->layers[l], standard->layers + at);
        at += layers_of(compact->layers[l]);
    }
    if (done && same)
        *extracted = model;
    else
        model_free(model);
    return done;
}
