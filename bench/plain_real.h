/* Template: the forward pass as one would write it first, with OpenBLAS.
 *
 * One input at a time, one product a matrix, all n × n scores of a head in memory, softmax with
 * libm: what runtime/ is measured against. Weights are dense, [rows, cols] as in the file. */
#include "runtime/real.h"

#undef REAL_GEMM
#if REAL_BITS == 32
#define REAL_GEMM cblas_sgemm
#else
#define REAL_GEMM cblas_dgemm
#endif

/* out[rows, m.cols] = keep · out + x[rows, m.rows] @ m */
static void REAL(product)(const Real *x, size_t rows, const Tensor *shape, const Real *m, Real keep,
                          Real *out) {
    REAL_GEMM(CblasRowMajor, CblasNoTrans, CblasNoTrans, (blasint)rows, (blasint)shape->cols,
              (blasint)shape->rows, 1, x, (blasint)shape->rows, m, (blasint)shape->cols, keep, out,
              (blasint)shape->cols);
}

static const Real *REAL(weights)(const Tensor *t) {
    Real *copy = malloc(tensor_size(t) * sizeof *copy);
    for (size_t i = 0; i < tensor_size(t); i++) copy[i] = (Real)t->data[i];
    return copy;
}

typedef struct {
    const Real *tokens, *positions;
    const Real *head[64][4], *mlp[64][4]; /* in the order of the layers */
} REAL(Plain);

static void *REAL(plain_new)(const Model *model) {
    REAL(Plain) *p = calloc(1, sizeof *p);
    p->tokens = REAL(weights)(&model->tokens);
    p->positions = REAL(weights)(&model->positions);
    size_t heads = 0, mlps = 0;
    for (size_t l = 0; l < model->layer_count; l++) {
        for (size_t h = 0; h < model->layers[l]->head_count; h++, heads++) {
            const ModelHead *head = model->layers[l]->heads[h];
            const Tensor *parts[] = {&head->query, &head->key, &head->value, &head->output};
            for (size_t k = 0; k < 4; k++) p->head[heads][k] = REAL(weights)(parts[k]);
        }
        for (size_t m = 0; m < model->layers[l]->mlp_count; m++, mlps++) {
            const ModelMlp *mlp = model->layers[l]->mlps[m];
            const Tensor *parts[] = {&mlp->in, &mlp->in_bias, &mlp->out, &mlp->out_bias};
            for (size_t k = 0; k < 4; k++) p->mlp[mlps][k] = REAL(weights)(parts[k]);
        }
    }
    return p;
}

/* a[rows, rows], in place. */
static void REAL(plain_softmax)(Real *a, size_t rows, const ModelHead *head) {
    bool causal = head->mask == RT_MASK_CAUSAL, strict = head->mask == RT_MASK_STRICT_CAUSAL;
    bool anti = head->mask == RT_MASK_ANTICAUSAL;
    bool strict_anti = head->mask == RT_MASK_STRICT_ANTICAUSAL;
    for (size_t q = 0; q < rows; q++) {
        Real *s = a + q * rows, m = -(Real)INFINITY, sum = 0;
        size_t from = anti ? q : strict_anti ? q + 1 : 1;
        size_t end = q == 0 ? 1 : causal ? q + 1 : strict ? q : rows;
        for (size_t k = 0; k < rows; k++) {
            bool seen = k == 0 ? q == 0 || head->sink : from <= k && k < end;
            if (!seen) s[k] = -(Real)INFINITY;
            m = s[k] > m ? s[k] : m;
        }
        for (size_t k = 0; k < rows; k++) sum += s[k] = REAL(plain_exp)(s[k] - m);
        for (size_t k = 0; k < rows; k++) s[k] /= sum;
    }
}

/* r[rows, W] += what a head reads; work holds q, k, v, z and the scores. */
static void REAL(plain_head)(const ModelHead *head, const Real *const *w, const Real *h,
                             size_t rows, Real *work, Real *r) {
    size_t d = head->query.cols, c = head->value.cols;
    Real *q = work, *k = q + rows * d, *v = k + rows * d, *z = v + rows * c, *a = z + rows * c;
    REAL(product)(h, rows, &head->query, w[0], 0, q);
    REAL(product)(h, rows, &head->key, w[1], 0, k);
    REAL(product)(h, rows, &head->value, w[2], 0, v);
    REAL_GEMM(CblasRowMajor, CblasNoTrans, CblasTrans, (blasint)rows, (blasint)rows, (blasint)d, 1,
              q, (blasint)d, k, (blasint)d, 0, a, (blasint)rows);
    REAL(plain_softmax)(a, rows, head);
    REAL_GEMM(CblasRowMajor, CblasNoTrans, CblasNoTrans, (blasint)rows, (blasint)c, (blasint)rows,
              1, a, (blasint)rows, v, (blasint)c, 0, z, (blasint)c);
    REAL(product)(z, rows, &head->output, w[3], 1, r);
}

static void REAL(plain_mlp)(const ModelMlp *mlp, const Real *const *w, Real *h, size_t rows,
                            Real *work) {
    size_t u = mlp->in.cols, width = mlp->out.cols;
    REAL(product)(h, rows, &mlp->in, w[0], 0, work);
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < u; j++) {
            Real x = work[i * u + j] + w[1][j];
            work[i * u + j] = x > 0 ? x : 0;
        }
    }
    REAL(product)(work, rows, &mlp->out, w[2], 1, h);
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < width; j++) h[i * width + j] += w[3][j];
    }
}

/* h[n+1, W] of one input; r and work are scratch. */
static void REAL(plain_run)(const Model *model, const void *plain, const size_t *ids, size_t n,
                            Real *h, Real *r, Real *work) {
    const REAL(Plain) *p = plain;
    size_t rows = n + 1, width = model->width, heads = 0, mlps = 0;
    for (size_t i = 0; i < rows; i++) {
        size_t row = i ? ids[i - 1] + 1 : 0;
        for (size_t w = 0; w < width; w++)
            h[i * width + w] = p->tokens[row * width + w] + p->positions[i * width + w];
    }
    for (size_t l = 0; l < model->layer_count; l++) {
        const ModelLayer *layer = model->layers[l];
        memset(r, 0, rows * width * sizeof *r);
        for (size_t k = 0; k < layer->head_count; k++)
            REAL(plain_head)(layer->heads[k], p->head[heads++], h, rows, work, r);
        for (size_t i = 0; i < rows * width; i++) h[i] += r[i];
        for (size_t k = 0; k < layer->mlp_count; k++)
            REAL(plain_mlp)(layer->mlps[k], p->mlp[mlps++], h, rows, work);
    }
}
