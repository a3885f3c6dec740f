/* Random numbers and random models for the tests of runtime/. */
#ifndef TESTS_RUNTIME_MODELS_H
#define TESTS_RUNTIME_MODELS_H

#include "base/random.h"
#include "runtime/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RANDOM_OUTPUTS = 4 }; /* of a random model, at most */

/* Uniform in [-1, 1). */
static inline double random_unit(Random *random) {
    return (double)(int64_t)random_bits(random) * 0x1p-63;
}

typedef struct {
    RtDtype dtype;
    size_t alphabet, length, width;
    size_t layers, heads, mlps; /* at most; heads and mlps a layer */
    size_t head_size;           /* D and C are up to this */
    double density;             /* of the matrices */
    bool whole;                 /* small whole numbers, so that equal scores are frequent */
    bool classes;               /* positions are not embedded: tokens alone tell keys apart */
    bool causal;                /* all masks causal, none scaled */
    bool biased;                /* heads have position biases, most of them */
} ModelShape;

static inline void fill_tensor(Random *random, Tensor *t, const ModelShape *shape, double size) {
    for (size_t i = 0; i < tensor_size(t); i++) {
        double x = random_unit(random);
        bool zero = (double)random_below(random, 1000) >= 1000 * shape->density;
        if (shape->whole) x = (double)random_below(random, 5) - 2;
        t->data[i] = zero ? 0 : shape->whole ? x : x * size;
    }
}

static inline double random_bias(Random *random, const ModelShape *shape) {
    return shape->whole ? (double)random_below(random, 4) - 2 : 2 * random_unit(random);
}

/* Of any form; a prior leaves keys out, but not the query's own where there may be no other. */
static inline void set_random_bias(Random *random, ModelHead *head, const ModelShape *shape) {
    RtBiasForm form = (RtBiasForm)random_below(random, RT_BIAS_COUNT);
    size_t count = form == RT_BIAS_T5 ? 32 : 1, own = 0;
    if (form == RT_BIAS_PRIOR) {
        count = 1 + random_below(random, 2 * shape->length - 1);
        own = random_below(random, count);
    }
    double *values = calloc(count, sizeof *values);
    for (size_t k = 0; k < count; k++) {
        values[k] = random_bias(random, shape);
        bool seen = form != RT_BIAS_PRIOR || k == own || random_below(random, 4);
        if (!seen) values[k] = -INFINITY;
    }
    if (form == RT_BIAS_WINDOW) values[0] = 1 + (double)random_below(random, shape->length + 3);
    if (form != RT_BIAS_NONE) head_set_bias(head, form, -(ptrdiff_t)own, values, count);
    free(values);
}

static inline void add_random_head(Random *random, ModelLayer *layer, const ModelShape *shape) {
    ModelHead *head = layer_add_head(layer, 1 + random_below(random, shape->head_size),
                                     1 + random_below(random, shape->head_size));
    double size = 1.5 / sqrt((double)shape->width * shape->density);
    fill_tensor(random, &head->query, shape, 2 * size);
    fill_tensor(random, &head->key, shape, 2 * size);
    fill_tensor(random, &head->value, shape, size);
    fill_tensor(random, &head->output, shape, size);
    head->mask = (RtMask)random_below(random, RT_MASK_COUNT);
    if (shape->causal)
        head->mask = random_below(random, 2) ? RT_MASK_CAUSAL : RT_MASK_STRICT_CAUSAL;
    bool strict = head->mask == RT_MASK_STRICT_CAUSAL || head->mask == RT_MASK_STRICT_ANTICAUSAL;
    head->sink = strict || random_below(random, 2);
    head->scale =
        !shape->causal && random_below(random, 3) == 0 ? RT_SCALE_LOG_LENGTH : RT_SCALE_ONE;
    head->gap = shape->whole ? 2 : 0.5 + fabs(random_unit(random));
    if (shape->biased) set_random_bias(random, head, shape);
}

static inline void add_random_mlp(Random *random, ModelLayer *layer, const ModelShape *shape) {
    ModelMlp *mlp = layer_add_mlp(layer, 1 + random_below(random, 2 * shape->width));
    double size = 1 / sqrt((double)shape->width * shape->density);
    fill_tensor(random, &mlp->in, shape, size);
    fill_tensor(random, &mlp->in_bias, shape, 0.3);
    fill_tensor(random, &mlp->out, shape, size);
    fill_tensor(random, &mlp->out_bias, shape, 0.3);
}

/* One output of each kind: argmax over the whole stream with values that repeat, nearest, whole
 * numbers, and, in F64, a number. */
static inline void add_outputs(Model *model) {
    RtAtom *values = calloc(model->width, sizeof *values);
    for (size_t k = 0; k < model->width; k++) values[k] = rt_int((int64_t)(k / 2));
    model_add_output(model, "most", RT_DECODE_ARGMAX, 0, values, model->width);
    for (size_t k = 0; k < model->width; k++) values[k] = rt_float((double)(k * 7 % 11) / 4 - 1);
    model_add_output(model, "closest", RT_DECODE_NEAREST, model->width - 1, values, model->width);
    free(values);
    model_add_output(model, "whole", RT_DECODE_WHOLE, model->width / 2,
                     (RtAtom[]){rt_int(-1), rt_int(2)}, 2);
    if (model->dtype == RT_F64) model_add_output(model, "exact", RT_DECODE_NUMBER, 0, NULL, 0);
}

/* Tokens are the strings "t0", "t1", …; weights are rounded to the dtype. */
static inline Model *random_model(Random *random, const ModelShape *shape) {
    RtAtom *alphabet = calloc(shape->alphabet, sizeof *alphabet);
    char(*names)[24] = calloc(shape->alphabet, sizeof *names);
    for (size_t i = 0; i < shape->alphabet; i++) {
        int n = snprintf(names[i], sizeof names[i], "t%zu", i);
        alphabet[i] = rt_string(names[i], (size_t)n);
    }
    Model *model =
        model_new(shape->dtype, RT_STRING, alphabet, shape->alphabet, shape->length, shape->width);
    free(alphabet);
    free(names);
    fill_tensor(random, &model->tokens, shape, 1);
    if (!shape->classes) fill_tensor(random, &model->positions, shape, 1);
    for (size_t l = 0; l < shape->layers; l++) {
        ModelLayer *layer = model_add_layer(model);
        for (size_t h = random_below(random, shape->heads + 1); h > 0; h--)
            add_random_head(random, layer, shape);
        for (size_t m = random_below(random, shape->mlps + 1); m > 0; m--)
            add_random_mlp(random, layer, shape);
    }
    add_outputs(model);
    model_round(model);
    return model;
}

static inline size_t *random_ids(Random *random, const Model *model, size_t n) {
    size_t *ids = calloc(n, sizeof *ids);
    for (size_t i = 0; i < n; i++) ids[i] = random_below(random, model->alphabet_size);
    return ids;
}

#endif
