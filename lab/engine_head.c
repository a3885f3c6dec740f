#include "lab/engine_head.h"

#include "lab/drawn.h"

#include <assert.h>

/* The residual stream: query, key, value, and what the head reads. */
typedef struct Places {
    size_t query, key, value, read, width;
} Places;

static Places places_of(Matrix q, Matrix v) {
    return (Places){0, q.cols, 2 * q.cols, 2 * q.cols + v.cols, 2 * q.cols + 2 * v.cols};
}

static bool fill(Model *model, const EngineHead *head, Matrix q, Matrix k, Matrix v) {
    Places at = places_of(q, v);
    ModelLayer *layer = model_add_layer(model);
    ModelHead *h = layer ? layer_add_head(layer, q.cols, v.cols) : NULL;
    if (!h) return false;
    h->mask = head->mask;
    h->sink = false;
    const HeadBias *bias = head->bias;
    if (bias && !head_set_bias(h, bias->form, bias->from, bias->values, bias->count)) return false;
    for (size_t i = 0; i < q.cols; i++) {
        tensor_set(&h->query, at.query + i, i, 1);
        tensor_set(&h->key, at.key + i, i, 1);
    }
    for (size_t i = 0; i < v.cols; i++) {
        tensor_set(&h->value, at.value + i, i, 1);
        tensor_set(&h->output, i, at.read + i, 1);
    }
    for (size_t j = 0; j < q.rows; j++) {
        for (size_t i = 0; i < q.cols; i++) {
            tensor_set(&model->tokens, j + 1, at.query + i, *matrix_at(q, j, i));
            tensor_set(&model->tokens, j + 1, at.key + i, *matrix_at(k, j, i));
        }
        for (size_t i = 0; i < v.cols; i++)
            tensor_set(&model->tokens, j + 1, at.value + i, *matrix_at(v, j, i));
    }
    return add_numbers(model, at.read, v.cols);
}

Matrix engine_attend(Lab *lab, Page *page, const EngineHead *head, Matrix q, Matrix k, Matrix v) {
    assert(q.rows == k.rows && q.rows == v.rows && q.cols == k.cols);
    Arena *arena = lab->arena;
    Matrix out = matrix_new(arena, q.rows, v.cols);
    RtAtom *alphabet = ARENA_ARRAY(arena, q.rows, RtAtom);
    size_t *ids = ARENA_ARRAY(arena, q.rows, size_t);
    RtError err = {"out of memory"};
    RunOptions options = run_options();
    for (size_t j = 0; j < q.rows; j++) alphabet[j] = rt_int((int64_t)(ids[j] = j));
    options.rule = head->rule;
    options.parameter = head->parameter;
    options.temperature = head->temperature;
    options.threads = 1;
    options.key_tile = options.query_tile = head->key_tile;
    Model *model = model_new(head->dtype, RT_INT, alphabet, q.rows, q.rows, places_of(q, v).width);
    Engine *engine = model && fill(model, head, q, k, v) ? engine_new(model, &options, &err) : NULL;
    if (!engine || !read_engine(engine, ids, q.rows, out, &err)) {
        page_note(page, "the engine refused: %s", err.text);
        check_none(page, "runs of the engine that failed", 1);
    }
    engine_free(engine);
    model_free(model);
    return out;
}
