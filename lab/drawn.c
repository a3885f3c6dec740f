#include "lab/drawn.h"

#include <math.h>
#include <stdio.h>

static void free_model(void *model) {
    model_free(model);
}

static void free_engine(void *engine) {
    engine_free(engine);
}

Model *keep_model(Lab *lab, Page *page, Model *model) {
    if (model)
        lab_defer(lab, free_model, model);
    else
        check_none(page, "models for which there was no memory", 1);
    return model;
}

/* --- drawing -------------------------------------------------------------------------------- */

static void fill(Rng *rng, Tensor *t, double scale) {
    for (size_t k = 0; k < tensor_size(t); k++) t->data[k] = scale * rng_normal(rng);
}

static bool draw_layer(Rng *rng, Model *model, const Shape *shape) {
    ModelLayer *layer = model_add_layer(model);
    double in = 1 / sqrt((double)shape->width);
    if (!layer) return false;
    for (size_t h = 0; h < shape->heads; h++) {
        ModelHead *head = layer_add_head(layer, shape->key, shape->value);
        if (!head) return false;
        head->mask = shape->mask;
        head->sink = false;
        head->gap = 1e-6; /* hard rules: only equal scores are ties */
        fill(rng, &head->query, in / sqrt((double)shape->key));
        fill(rng, &head->key, in);
        fill(rng, &head->value, in);
        fill(rng, &head->output, 1 / sqrt((double)(shape->value * shape->heads)));
    }
    if (!shape->units) return true;
    ModelMlp *mlp = layer_add_mlp(layer, shape->units);
    if (!mlp) return false;
    fill(rng, &mlp->in, in);
    fill(rng, &mlp->in_bias, 0.5);
    fill(rng, &mlp->out, 1 / sqrt((double)shape->units));
    fill(rng, &mlp->out_bias, 0.1);
    return true;
}

bool add_numbers(Model *model, size_t first, size_t count) {
    RtAtom zero = rt_float(0); /* what is read is looked at, not decoded */
    for (size_t k = 0; k < count; k++) {
        char name[24];
        snprintf(name, sizeof name, "h%zu", first + k);
        if (!model_add_output(model, name, RT_DECODE_NEAREST, first + k, &zero, 1)) return false;
    }
    return true;
}

Model *draw_model(Lab *lab, Page *page, const Shape *shape) {
    RtAtom *alphabet = ARENA_ARRAY(lab->arena, shape->tokens, RtAtom);
    for (size_t k = 0; k < shape->tokens; k++) alphabet[k] = rt_int((int64_t)k);
    Model *model = keep_model(
        lab, page,
        model_new(shape->dtype, RT_INT, alphabet, shape->tokens, shape->length, shape->width));
    if (!model) return NULL;
    fill(lab->rng, &model->tokens, 1);
    if (shape->placed) fill(lab->rng, &model->positions, 0.5);
    for (size_t l = 0; l < shape->layers; l++)
        if (!draw_layer(lab->rng, model, shape)) return keep_model(lab, page, NULL);
    if (!add_numbers(model, 0, shape->width)) return keep_model(lab, page, NULL);
    return model;
}

void draw_ids(Rng *rng, size_t *ids, size_t n, size_t tokens) {
    for (size_t i = 0; i < n; i++) ids[i] = rng_below(rng, tokens);
}

/* --- running -------------------------------------------------------------------------------- */

static void refused(Lab *lab, Page *page, const RtError *err) {
    lab_poll(lab); /* what was interrupted did not fail */
    page_note(page, "the engine refused: %s", err->text);
    check_none(page, "runs of the engine that failed", 1);
}

Engine *make_engine(Lab *lab, Page *page, const Model *model, const RunOptions *options) {
    RtError err = {"out of memory"};
    RunOptions one = *options;
    one.threads = 1;
    Engine *engine = engine_new(model, &one, &err);
    if (engine)
        lab_defer(lab, free_engine, engine);
    else
        refused(lab, page, &err);
    return engine;
}

bool read_engine(const Engine *engine, const size_t *ids, size_t n, Matrix out, RtError *err) {
    RunResult result;
    if (!engine_run(engine, ids, n, &result, err)) return false;
    for (size_t j = 0; j < n; j++)
        for (size_t k = 0; k < out.cols; k++)
            *matrix_at(out, j, k) = run_reading(&result, k, j)->number;
    run_result_clear(&result);
    return true;
}

Matrix run_engine(Lab *lab, Page *page, const Engine *engine, const size_t *ids, size_t n,
                  size_t outputs) {
    RtError err = {"no engine"};
    Matrix out = matrix_new(lab->arena, n, outputs);
    if (!engine || !read_engine(engine, ids, n, out, &err)) refused(lab, page, &err);
    return out;
}
