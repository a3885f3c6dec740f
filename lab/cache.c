#include "lab/cache.h"

#include "lab/running.h"
#include "lab/simplex.h"

#include <assert.h>
#include <math.h>
#include <string.h>

struct CachePool {
    Arena *arena;
    const Model *model;
    size_t page, pages; /* rows a page, pages */
    size_t row;         /* numbers a position */
    double *rows;       /* [pages, page, row] */
    size_t *order;      /* in which pages are handed out */
    size_t given;
};

struct Cache {
    CachePool *pool;
    size_t *table; /* logical page to page of the pool */
    size_t pages;  /* of the table */
    size_t length; /* rows, the sink's included */
};

bool cache_fits(const Model *model) {
    if (model->kernel != RT_SOFTMAX) return false;
    for (size_t l = 0; l < model->layer_count; l++)
        for (size_t k = 0; k < model->layers[l]->head_count; k++) {
            const ModelHead *head = model->layers[l]->heads[k];
            bool behind = head->mask == RT_MASK_CAUSAL || head->mask == RT_MASK_STRICT_CAUSAL;
            if (!behind || head->scale != RT_SCALE_ONE) return false;
        }
    return true;
}

CachePool *cache_pool_new(Arena *arena, const Model *model, size_t page, size_t pages, Rng *rng) {
    CachePool *pool = ARENA_NEW(arena, CachePool);
    assert(cache_fits(model) && page > 0);
    *pool = (CachePool){.arena = arena, .model = model, .page = page, .pages = pages};
    for (size_t l = 0; l < model->layer_count; l++)
        for (size_t k = 0; k < model->layers[l]->head_count; k++) {
            const ModelHead *head = model->layers[l]->heads[k];
            pool->row += head->key.cols + head->value.cols;
        }
    pool->rows = ARENA_ARRAY(arena, pages * page * pool->row, double);
    pool->order = ARENA_ARRAY(arena, pages, size_t);
    rng_permutation(rng, pool->order, pages);
    return pool;
}

Cache *cache_new(CachePool *pool) {
    Cache *cache = ARENA_NEW(pool->arena, Cache);
    *cache = (Cache){.pool = pool, .table = ARENA_ARRAY(pool->arena, pool->pages, size_t)};
    return cache;
}

static double *kept_row(const Cache *cache, size_t position) {
    const CachePool *pool = cache->pool;
    size_t page = cache->table[position / pool->page];
    return pool->rows + (page * pool->page + position % pool->page) * pool->row;
}

static void reserve(Cache *cache, size_t rows) {
    CachePool *pool = cache->pool;
    while (cache->pages * pool->page < rows) {
        assert(pool->given < pool->pages);
        cache->table[cache->pages++] = pool->order[pool->given++];
    }
}

static Matrix times(Arena *arena, Matrix x, const Tensor *t) {
    return matrix_product(arena, x, (Matrix){t->rows, t->cols, t->data});
}

/* Row 0 is the sink, which sees itself alone. */
static void attend(const Cache *cache, const ModelHead *head, size_t at, const double *query,
                   size_t position, Running *state) {
    size_t d = head->key.cols, c = head->value.cols;
    size_t first = position == 0 || head->sink ? 0 : 1;
    size_t end = position + (position == 0 || head->mask == RT_MASK_CAUSAL);
    running_clear(state);
    for (size_t j = first; j < end; j++) {
        double *kept = kept_row(cache, j) + at, score = dot(query, kept, d);
        if (position && j) score += rt_bias_at(&head->bias, (ptrdiff_t)position - (ptrdiff_t)j);
        running_add(state, &score, (Matrix){1, c, kept + d}, 0, 1);
    }
}

/* What a head adds to the rows h of positions from `first` on; their keys and values are kept at
 * `at` of their rows. */
static Matrix run_head(Arena *arena, Cache *cache, const ModelHead *head, size_t at, Matrix h,
                       size_t first) {
    size_t d = head->key.cols, c = head->value.cols;
    Matrix q = times(arena, h, &head->query), k = times(arena, h, &head->key);
    Matrix v = times(arena, h, &head->value), o = matrix_new(arena, h.rows, c);
    Running state = running_new(arena, c);
    for (size_t i = 0; i < h.rows; i++) {
        memcpy(kept_row(cache, first + i) + at, matrix_row(k, i), d * sizeof(double));
        memcpy(kept_row(cache, first + i) + at + d, matrix_row(v, i), c * sizeof(double));
    }
    for (size_t i = 0; i < h.rows; i++) {
        attend(cache, head, at, matrix_row(q, i), first + i, &state);
        running_read(&state, matrix_row(o, i));
    }
    return times(arena, o, &head->output);
}

static Matrix run_sublayer(Arena *arena, const ModelMlp *mlp, Matrix h) {
    Matrix hidden = times(arena, h, &mlp->in);
    for (size_t k = 0; k < hidden.rows * hidden.cols; k++)
        hidden.x[k] = fmax(hidden.x[k] + mlp->in_bias.data[k % hidden.cols], 0);
    Matrix out = matrix_sum(arena, h, 1, times(arena, hidden, &mlp->out));
    for (size_t k = 0; k < out.rows * out.cols; k++) out.x[k] += mlp->out_bias.data[k % out.cols];
    return out;
}

/* The rows h behind the embedding, of the next positions, through all layers. */
static Matrix advance(Arena *arena, Cache *cache, Matrix h) {
    const Model *model = cache->pool->model;
    size_t at = 0;
    reserve(cache, cache->length + h.rows);
    for (size_t l = 0; l < model->layer_count; l++) {
        const ModelLayer *layer = model->layers[l];
        Matrix next = h;
        for (size_t k = 0; k < layer->head_count; k++) {
            const ModelHead *head = layer->heads[k];
            next = matrix_sum(arena, next, 1, run_head(arena, cache, head, at, h, cache->length));
            at += head->key.cols + head->value.cols;
        }
        h = next;
        for (size_t k = 0; k < layer->mlp_count; k++) h = run_sublayer(arena, layer->mlps[k], h);
    }
    cache->length += h.rows;
    return h;
}

static void embed(const Model *model, size_t row, size_t position, double *h) {
    for (size_t c = 0; c < model->width; c++)
        h[c] = tensor_get(&model->tokens, row, c) + tensor_get(&model->positions, position, c);
}

void cache_push(Cache *cache, const size_t *ids, size_t count, Matrix out) {
    const Model *model = cache->pool->model;
    Arena *scratch = arena_child(cache->pool->arena);
    if (cache->length == 0) {
        Matrix sink = matrix_new(scratch, 1, model->width);
        embed(model, 0, 0, sink.x);
        advance(scratch, cache, sink);
    }
    Matrix h = matrix_new(scratch, count, model->width);
    for (size_t i = 0; i < count; i++)
        embed(model, ids[i] + 1, cache->length + i, matrix_row(h, i));
    h = advance(scratch, cache, h);
    memcpy(out.x, h.x, count * model->width * sizeof(double));
    arena_free(scratch);
}
