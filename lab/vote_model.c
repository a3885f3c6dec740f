#include "lab/vote_model.h"

#include "base/parallel.h"
#include "lab/adam.h"
#include "lab/simplex.h"
#include "runtime/blas.h"

#include <math.h>
#include <string.h>

const VoteTraining vote_training = {8000, 32, 3e-2};

/* --- parameters ------------------------------------------------------------------------------- */

static size_t head_size(size_t symbols, size_t context) {
    return 2 * symbols * symbols + context;
}

size_t vote_model_size(size_t symbols, size_t context, size_t heads) {
    return symbols * symbols + heads * head_size(symbols, context);
}

static size_t head_start(const VoteModel *m, size_t head) {
    return m->symbols * m->symbols + head * head_size(m->symbols, m->context);
}

double *vote_model_votes(const VoteModel *m, size_t head) {
    return m->parameters + head_start(m, head);
}
double *vote_model_scores(const VoteModel *m, size_t head) {
    return vote_model_votes(m, head) + m->symbols * m->symbols;
}
double *vote_model_distances(const VoteModel *m, size_t head) {
    return vote_model_scores(m, head) + m->symbols * m->symbols;
}

VoteModel vote_model_new(Arena *arena, Rng *rng, size_t symbols, size_t context, size_t heads) {
    VoteModel m = {symbols, context, heads,
                   ARENA_ARRAY(arena, vote_model_size(symbols, context, heads), double)};
    for (size_t h = 0; h < heads; h++) {
        /* From 1 down to 0.2 over the heads: some begin near, some far. */
        double slope = heads == 1 ? 1 : 1 - 0.8 * (double)h / (double)(heads - 1);
        rng_normals(rng, vote_model_votes(&m, h), head_size(symbols, context), 0.02);
        for (size_t t = 0; t < context; t++)
            vote_model_distances(&m, h)[t] -= 0.05 * slope * (double)t;
    }
    return m;
}

/* --- loss and gradient ------------------------------------------------------------------------ */

enum {
    CHUNKS = 4
}; /* parts of a batch with sums of their own: the same for any number of threads */

/* One part's room. */
typedef struct Chunk {
    size_t first, count;  /* sequences */
    double *logits;       /* [count · T, V]; then their gradient */
    double *mass, *along; /* [heads, count · T, V]: weight by token; gradient of it */
    double *weights;      /* [heads, count, T, T] */
    double *gradient;
    double loss;
} Chunk;

struct VoteTrainer {
    const VoteModel *model;
    int threads;
    Chunk chunk[CHUNKS];
};

VoteTrainer *vote_trainer_new(Lab *lab, const VoteModel *m, size_t sequences) {
    VoteTrainer *trainer = ARENA_NEW(lab->arena, VoteTrainer);
    trainer->model = m;
    trainer->threads = lab->threads;
    rt_blas_load(NULL); /* without it products are plain loops */
    for (size_t c = 0; c < CHUNKS; c++) {
        Chunk *chunk = &trainer->chunk[c];
        chunk->first = sequences * c / CHUNKS;
        chunk->count = sequences * (c + 1) / CHUNKS - chunk->first;
        size_t rows = chunk->count * m->context;
        chunk->logits = ARENA_ARRAY(lab->arena, rows * m->symbols, double);
        chunk->mass = ARENA_ARRAY(lab->arena, m->heads * rows * m->symbols, double);
        chunk->along = ARENA_ARRAY(lab->arena, rows * m->symbols, double);
        chunk->weights = ARENA_ARRAY(lab->arena, m->heads * rows * m->context, double);
        chunk->gradient =
            ARENA_ARRAY(lab->arena, vote_model_size(m->symbols, m->context, m->heads), double);
    }
    return trainer;
}

/* c += a b; a transposed is stored as [k, m], b transposed as [n, k]. */
static void multiply_add(bool transpose_a, bool transpose_b, size_t m, size_t n, size_t k,
                         const double *a, const double *b, double *c) {
    GemmShape shape = {transpose_a,         transpose_b,         m, n, k,
                       transpose_a ? m : k, transpose_b ? k : n, n};
    if (rt_blas_load(NULL)) {
        rt_gemm64(&shape, 1, a, b, 1, c);
        return;
    }
    for (size_t i = 0; i < m; i++)
        for (size_t l = 0; l < k; l++) {
            double factor = transpose_a ? a[l * m + i] : a[i * k + l];
            for (size_t j = 0; j < n; j++)
                c[i * n + j] += factor * (transpose_b ? b[j * k + l] : b[l * n + j]);
        }
}

/* The weights of one sequence's head, and how much each token gets of them. */
static void attend(const VoteModel *m, size_t head, const size_t *x, double *weights,
                   double *mass) {
    size_t v = m->symbols, t = m->context;
    const double *scores = vote_model_scores(m, head), *r = vote_model_distances(m, head);
    memset(mass, 0, t * v * sizeof *mass);
    for (size_t i = 0; i < t; i++) {
        double *a = weights + i * t;
        for (size_t j = 0; j <= i; j++) a[j] = scores[x[i] * v + x[j]] + r[i - j];
        softmax(a, i + 1, 1, a);
        for (size_t j = 0; j <= i; j++) mass[i * v + x[j]] += a[j];
    }
}

/* ds = a (da − Σ a da), where da_j = along[x_j], into the scores' and distances' gradients. */
static void attend_back(const VoteModel *m, const size_t *x, const double *weights,
                        const double *mass, const double *along, double *scores, double *r) {
    size_t v = m->symbols, t = m->context;
    for (size_t i = 0; i < t; i++) {
        const double *a = weights + i * t, *g = along + i * v;
        double mean = dot(mass + i * v, g, v), *row = scores + x[i] * v;
        for (size_t j = 0; j <= i; j++) {
            double step = a[j] * (g[x[j]] - mean);
            row[x[j]] += step;
            r[i - j] += step;
        }
    }
}

static void chunk_gradient(const VoteModel *m, const VoteBatch *batch, Chunk *c) {
    size_t v = m->symbols, t = m->context, rows = c->count * t;
    double scale = 1 / (double)(batch->sequences * t);
    memset(c->gradient, 0, vote_model_size(v, t, m->heads) * sizeof *c->gradient);
    c->loss = 0;
    for (size_t s = 0; s < c->count; s++) {
        const size_t *x = batch->tokens + (c->first + s) * (t + 1);
        for (size_t i = 0; i < t; i++)
            memcpy(c->logits + (s * t + i) * v, vote_model_direct(m) + x[i] * v,
                   v * sizeof *c->logits);
        for (size_t h = 0; h < m->heads; h++)
            attend(m, h, x, c->weights + (h * c->count + s) * t * t,
                   c->mass + (h * rows + s * t) * v);
    }
    for (size_t h = 0; h < m->heads; h++)
        multiply_add(false, false, rows, v, v, c->mass + h * rows * v, vote_model_votes(m, h),
                     c->logits);
    for (size_t s = 0; s < c->count; s++) {
        const size_t *x = batch->tokens + (c->first + s) * (t + 1);
        for (size_t i = 0; i < t; i++) {
            double *z = c->logits + (s * t + i) * v, target = z[x[i + 1]];
            c->loss += scale * (softmax(z, v, 1, z) - target);
            z[x[i + 1]] -= 1;
            for (size_t y = 0; y < v; y++) c->gradient[x[i] * v + y] += z[y] *= scale;
        }
    }
    for (size_t h = 0; h < m->heads; h++) {
        VoteModel g = *m;
        g.parameters = c->gradient;
        multiply_add(true, false, v, v, rows, c->mass + h * rows * v, c->logits,
                     vote_model_votes(&g, h));
        memset(c->along, 0, rows * v * sizeof *c->along);
        multiply_add(false, true, rows, v, v, c->logits, vote_model_votes(m, h), c->along);
        for (size_t s = 0; s < c->count; s++)
            attend_back(m, batch->tokens + (c->first + s) * (t + 1),
                        c->weights + (h * c->count + s) * t * t, c->mass + (h * rows + s * t) * v,
                        c->along + s * t * v, vote_model_scores(&g, h),
                        vote_model_distances(&g, h));
    }
}

typedef struct Chunks {
    VoteTrainer *trainer;
    const VoteBatch *batch;
} Chunks;

static void run_chunk(void *context, size_t c, int thread) {
    const Chunks *chunks = context;
    (void)thread;
    chunk_gradient(chunks->trainer->model, chunks->batch, &chunks->trainer->chunk[c]);
}

double vote_trainer_gradient(VoteTrainer *trainer, const VoteBatch *batch, double *gradient) {
    const VoteModel *m = trainer->model;
    size_t size = vote_model_size(m->symbols, m->context, m->heads);
    int before = rt_blas_single();
    parallel_for(CHUNKS, trainer->threads, run_chunk, &(Chunks){trainer, batch});
    rt_blas_restore(before);
    double loss = 0;
    memset(gradient, 0, size * sizeof *gradient);
    for (size_t c = 0; c < CHUNKS; c++) {
        loss += trainer->chunk[c].loss;
        for (size_t k = 0; k < size; k++) gradient[k] += trainer->chunk[c].gradient[k];
    }
    return loss;
}

/* --- training --------------------------------------------------------------------------------- */

static double rate_at(const VoteTraining *t, size_t step) {
    enum { WARM = 100 };
    if (step < WARM) return t->rate * (double)(step + 1) / WARM;
    double done = (double)(step - WARM) / (double)(t->steps > WARM ? t->steps - WARM : 1);
    return t->rate * (0.01 + 0.99 * 0.5 * (1 + cos(3.14159265358979324 * done)));
}

void vote_model_train(Lab *lab, const VoteModel *m, const VoteTraining *t,
                      const TokenSource *source, Rng *rng, double from, double to) {
    size_t size = vote_model_size(m->symbols, m->context, m->heads), length = m->context + 1;
    Adam adam = adam_new(lab->arena, size, 0.9, 0.99);
    VoteTrainer *trainer = vote_trainer_new(lab, m, t->batch);
    size_t *tokens = ARENA_ARRAY(lab->arena, t->batch * length, size_t);
    double *gradient = ARENA_ARRAY(lab->arena, size, double);
    for (size_t step = 0; step < t->steps; step++) {
        lab_progress(lab, from + (to - from) * (double)step / (double)t->steps);
        for (size_t s = 0; s < t->batch; s++)
            source->draw(source->context, rng, length, tokens + s * length);
        vote_trainer_gradient(trainer, &(VoteBatch){t->batch, tokens}, gradient);
        adam_step(&adam, rate_at(t, step), gradient, m->parameters);
    }
}

/* --- as votes --------------------------------------------------------------------------------- */

ModelVotes vote_model_at(const VoteModel *m, const size_t *tokens, size_t i, bool null_vote,
                         Arena *arena) {
    size_t v = m->symbols, keys = 0, *key_of = ARENA_ARRAY(arena, v, size_t);
    size_t *token_of = ARENA_ARRAY(arena, v, size_t);
    for (size_t y = 0; y < v; y++) key_of[y] = v;
    for (size_t j = 0; j <= i; j++)
        if (key_of[tokens[j]] == v) {
            key_of[tokens[j]] = keys;
            token_of[keys++] = tokens[j];
        }
    size_t all = keys + (null_vote ? 1 : 0);
    double *votes = ARENA_ARRAY(arena, m->heads * all * v, double);
    double *a = ARENA_ARRAY(arena, i + 1, double);
    ModelVotes result = {{m->heads, all, v, vote_model_direct(m) + tokens[i] * v, votes},
                         ARENA_ARRAY(arena, m->heads * all, double)};
    for (size_t h = 0; h < m->heads; h++) {
        for (size_t k = 0; k < keys; k++)
            memcpy(votes + (h * all + k) * v, vote_model_votes(m, h) + token_of[k] * v,
                   v * sizeof *votes);
        for (size_t j = 0; j <= i; j++)
            a[j] = vote_model_scores(m, h)[tokens[i] * v + tokens[j]] +
                   vote_model_distances(m, h)[i - j];
        softmax(a, i + 1, 1, a);
        for (size_t j = 0; j <= i; j++) result.weights[h * all + key_of[tokens[j]]] += a[j];
    }
    return result;
}
