/* Template: a model in the form it is run in. */
#include "runtime/real.h"

/* Elements after the end of an array that kernels may read or write: at least their lanes. */
enum { REAL(PAD) = 64 };

/* A head's place in the layer's products: rows of the projection [query; key; value] of all heads,
 * and rows of what the heads return, which the layer's output matrix multiplies. */
typedef struct {
    size_t d, c;
    size_t query, key, value; /* first rows in the projection */
    size_t result;            /* first row in the heads' results */
    RtMask mask;
    bool sink;
    bool log_length;
    double gap;
} REAL(Head);

typedef struct {
    REAL(Matrix) in, out;
    Real *in_bias;             /* [U] */
    REAL(Compressed) out_bias; /* one row */
} REAL(Mlp);

typedef struct {
    size_t head_count, mlp_count;
    REAL(Head) * heads;
    REAL(Mlp) * mlps;
    REAL(Matrix) project; /* [projected, W] */
    REAL(Matrix) output;  /* [W, results] */
    size_t projected, results;
} REAL(Layer);

typedef struct {
    const REAL(Kernels) * kernels;
    RunOptions options;
    size_t width, layer_count;
    REAL(Layer) * layers;
    REAL(Compressed) tokens, positions;                                     /* a row a table row */
    size_t max_projected, max_results, max_hidden, max_heads, max_d, max_c; /* over the layers */
    size_t dense_count, sparse_count;                                       /* matrices */
    size_t largest_dense;                                                   /* elements of one */
} REAL(Prepared);

static void REAL(mlp_clear)(REAL(Mlp) * mlp) {
    REAL(matrix_clear)(&mlp->in);
    REAL(matrix_clear)(&mlp->out);
    REAL(compressed_clear)(&mlp->out_bias);
    free(mlp->in_bias);
}

static void REAL(layer_clear)(REAL(Layer) * layer) {
    for (size_t m = 0; layer->mlps && m < layer->mlp_count; m++) REAL(mlp_clear)(&layer->mlps[m]);
    free(layer->heads);
    free(layer->mlps);
    REAL(matrix_clear)(&layer->project);
    REAL(matrix_clear)(&layer->output);
}

static void REAL(release)(void *context) {
    REAL(Prepared) *prepared = context;
    if (!prepared) return;
    for (size_t l = 0; prepared->layers && l < prepared->layer_count; l++)
        REAL(layer_clear)(&prepared->layers[l]);
    free(prepared->layers);
    REAL(compressed_clear)(&prepared->tokens);
    REAL(compressed_clear)(&prepared->positions);
    free(prepared);
}

static size_t REAL(larger)(size_t a, size_t b) {
    return a > b ? a : b;
}

static size_t REAL(round_up)(size_t n, size_t unit) {
    return (n + unit - 1) / unit * unit;
}

static void REAL(count_matrix)(REAL(Prepared) * prepared, const REAL(Matrix) * m) {
    prepared->dense_count += m->dense != NULL;
    prepared->sparse_count += m->dense == NULL;
    size_t elements = m->dense ? m->sparse.outs * m->sparse.ins : 0;
    prepared->largest_dense = REAL(larger)(prepared->largest_dense, elements);
}

static bool REAL(prepare_mlp)(REAL(Prepared) * prepared, REAL(Mlp) * mlp, const ModelMlp *from) {
    size_t u = from->in.cols, w = prepared->width;
    RtPath path = prepared->options.path;
    mlp->in_bias = rt_calloc(u, sizeof *mlp->in_bias);
    if (!mlp->in_bias) return false;
    for (size_t i = 0; i < u; i++) mlp->in_bias[i] = (Real)from->in_bias.data[i];
    if (!REAL(matrix_init)(&mlp->in, u, w, &(REAL(Piece)){&from->in, 0, 0}, 1, path) ||
        !REAL(matrix_init)(&mlp->out, w, u, &(REAL(Piece)){&from->out, 0, 0}, 1, path) ||
        !REAL(compress_rows)(&mlp->out_bias, &from->out_bias))
        return false;
    prepared->max_hidden = REAL(larger)(prepared->max_hidden, u);
    REAL(count_matrix)(prepared, &mlp->in);
    REAL(count_matrix)(prepared, &mlp->out);
    return true;
}

/* Gives each head its rows and says where its matrices go: pieces of the projection, three a head,
 * and of the output matrix. */
static void REAL(place_heads)(REAL(Prepared) * prepared, REAL(Layer) * layer,
                              const ModelLayer *from, REAL(Piece) * project, REAL(Piece) * output) {
    for (size_t h = 0; h < from->head_count; h++) {
        const ModelHead *head = from->heads[h];
        size_t d = head->query.cols, c = head->value.cols, at = layer->projected;
        layer->heads[h] = (REAL(Head)){.d = d,
                                       .c = c,
                                       .query = at,
                                       .key = at + d,
                                       .value = at + 2 * d,
                                       .result = layer->results,
                                       .mask = head->mask,
                                       .sink = head->sink,
                                       .log_length = head->scale == RT_SCALE_LOG_LENGTH,
                                       .gap = head->gap};
        project[3 * h] = (REAL(Piece)){&head->query, at, 0};
        project[3 * h + 1] = (REAL(Piece)){&head->key, at + d, 0};
        project[3 * h + 2] = (REAL(Piece)){&head->value, at + 2 * d, 0};
        output[h] = (REAL(Piece)){&head->output, 0, layer->results};
        layer->projected += 2 * d + c;
        layer->results += c;
        prepared->max_d = REAL(larger)(prepared->max_d, d);
        prepared->max_c = REAL(larger)(prepared->max_c, c);
    }
}

static bool REAL(prepare_heads)(REAL(Prepared) * prepared, REAL(Layer) * layer,
                                const ModelLayer *from) {
    size_t n = from->head_count;
    if (n == 0) return true;
    layer->heads = rt_calloc(n, sizeof *layer->heads);
    REAL(Piece) *project = rt_calloc(3 * n, sizeof *project);
    REAL(Piece) *output = rt_calloc(n, sizeof *output);
    bool ok = layer->heads && project && output;
    if (ok) {
        layer->head_count = n;
        REAL(place_heads)(prepared, layer, from, project, output);
        ok = REAL(matrix_init)(&layer->project, layer->projected, prepared->width, project, 3 * n,
                               prepared->options.path) &&
             REAL(matrix_init)(&layer->output, prepared->width, layer->results, output, n,
                               prepared->options.path);
    }
    free(project);
    free(output);
    if (!ok) return false;
    REAL(count_matrix)(prepared, &layer->project);
    REAL(count_matrix)(prepared, &layer->output);
    return true;
}

static bool REAL(prepare_layer)(REAL(Prepared) * prepared, REAL(Layer) * layer,
                                const ModelLayer *from) {
    if (!REAL(prepare_heads)(prepared, layer, from)) return false;
    layer->mlps = rt_calloc(from->mlp_count, sizeof *layer->mlps);
    if (!layer->mlps) return false;
    layer->mlp_count = from->mlp_count;
    for (size_t m = 0; m < from->mlp_count; m++) {
        if (!REAL(prepare_mlp)(prepared, &layer->mlps[m], from->mlps[m])) return false;
    }
    prepared->max_projected = REAL(larger)(prepared->max_projected, layer->projected);
    prepared->max_results = REAL(larger)(prepared->max_results, layer->results);
    prepared->max_heads = REAL(larger)(prepared->max_heads, layer->head_count);
    return true;
}

static bool REAL(prepare_all)(REAL(Prepared) * prepared, const Model *model) {
    prepared->layers = rt_calloc(model->layer_count, sizeof *prepared->layers);
    if (!prepared->layers) return false;
    prepared->layer_count = model->layer_count;
    for (size_t l = 0; l < model->layer_count; l++) {
        if (!REAL(prepare_layer)(prepared, &prepared->layers[l], model->layers[l])) return false;
    }
    return REAL(compress_rows)(&prepared->tokens, &model->tokens) &&
           REAL(compress_rows)(&prepared->positions, &model->positions);
}

static const REAL(Kernels) * REAL(kernels_of)(const KernelSet *set) {
#if REAL_BITS == 32
    return set->f32;
#else
    return set->f64;
#endif
}

static void *REAL(prepare)(const Model *model, const RunOptions *options, const KernelSet *kernels,
                           RtError *err) {
    REAL(Prepared) *prepared = rt_calloc(1, sizeof *prepared);
    if (prepared) {
        prepared->kernels = REAL(kernels_of)(kernels);
        prepared->options = *options;
        prepared->width = model->width;
        if (REAL(prepare_all)(prepared, model)) return prepared;
        REAL(release)(prepared);
    }
    rt_error(err, "out of memory for the model's weights");
    return NULL;
}

static size_t REAL(compressed_bytes)(const REAL(Compressed) * m) {
    size_t entries = m->start ? m->start[m->outs] : 0;
    return m->outs * sizeof *m->start + entries * (sizeof *m->index + sizeof *m->value);
}

static size_t REAL(matrix_bytes)(const REAL(Matrix) * m) {
    if (m->dense) return m->sparse.outs * m->sparse.ins * sizeof *m->dense;
    return REAL(compressed_bytes)(&m->sparse);
}

static void REAL(info)(const void *context, EngineInfo *info) {
    const REAL(Prepared) *prepared = context;
    info->dense_matrices = prepared->dense_count;
    info->sparse_matrices = prepared->sparse_count;
    info->weight_bytes =
        REAL(compressed_bytes)(&prepared->tokens) + REAL(compressed_bytes)(&prepared->positions);
    for (size_t l = 0; l < prepared->layer_count; l++) {
        const REAL(Layer) *layer = &prepared->layers[l];
        info->weight_bytes += REAL(matrix_bytes)(&layer->project);
        info->weight_bytes += REAL(matrix_bytes)(&layer->output);
        for (size_t m = 0; m < layer->mlp_count; m++) {
            const REAL(Mlp) *mlp = &layer->mlps[m];
            info->weight_bytes += REAL(matrix_bytes)(&mlp->in) + REAL(matrix_bytes)(&mlp->out);
            info->weight_bytes +=
                mlp->in.sparse.outs * sizeof *mlp->in_bias + REAL(compressed_bytes)(&mlp->out_bias);
        }
    }
}
