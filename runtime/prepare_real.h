/* Template: a model in the form it is run in. */

/* Elements after the end of an array that kernels may read or write: at least their lanes. */
enum { PAD = 64 };

/* From this size on a product over d (or c) features is left to OpenBLAS; below it packs more than
 * it multiplies. Measured with tiles of 32 × 512: equal at 12 to 16. */
enum { GEMM_FROM = 16 };

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
    size_t reach;     /* keys are seen if they are fewer steps away, but for the sink */
    bool shared;      /* scores are the same in all inputs of one length (find_shared) */
    const Real *bias; /* at the distance 0, or NULL; distances on either side of it */
} Head;

typedef struct {
    Matrix in, out;
    Real *in_bias;       /* [U] */
    Compressed out_bias; /* one row */
} Mlp;

typedef struct {
    size_t head_count, mlp_count;
    Head *heads;
    Mlp *mlps;
    Matrix project; /* [projected, W] */
    Matrix output;  /* [W, results] */
    size_t projected, results;
} Layer;

typedef struct {
    const Kernels *kernels;
    RunOptions options;
    size_t width, max_length, layer_count;
    Layer *layers;
    Table tokens, positions;
    size_t max_projected, max_results, max_hidden, max_heads, max_d, max_c; /* over the layers */
    size_t dense_count, sparse_count;                                       /* matrices */
    Hands hands;
    bool wide_heads;      /* some head is as wide as GEMM_FROM */
    bool strips;          /* they go by strips */
    bool blas;            /* or OpenBLAS multiplies for them */
    size_t largest_dense; /* elements of one */
    Real *biases; /* [heads that have one, 2 N − 1]: by distance from 1 − N on; NULL: none */
} Prepared;

static void mlp_clear(Mlp *mlp) {
    matrix_clear(&mlp->in);
    matrix_clear(&mlp->out);
    compressed_clear(&mlp->out_bias);
    free(mlp->in_bias);
}

static void layer_clear(Layer *layer) {
    for (size_t m = 0; layer->mlps && m < layer->mlp_count; m++) mlp_clear(&layer->mlps[m]);
    free(layer->heads);
    free(layer->mlps);
    matrix_clear(&layer->project);
    matrix_clear(&layer->output);
}

static void release(void *context) {
    Prepared *prepared = context;
    if (!prepared) return;
    for (size_t l = 0; prepared->layers && l < prepared->layer_count; l++)
        layer_clear(&prepared->layers[l]);
    free(prepared->layers);
    table_clear(&prepared->tokens);
    table_clear(&prepared->positions);
    free(prepared->biases);
    free(prepared);
}

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

static size_t round_up(size_t n, size_t unit) {
    return (n + unit - 1) / unit * unit;
}

static void count_matrix(Prepared *prepared, const Matrix *m) {
    prepared->dense_count += m->dense != NULL;
    prepared->sparse_count += m->dense == NULL;
    size_t elements = m->dense ? m->sparse.outs * m->sparse.ins : 0;
    prepared->largest_dense = larger(prepared->largest_dense, elements);
}

static bool prepare_mlp(Prepared *prepared, Mlp *mlp, const ModelMlp *from) {
    size_t u = from->in.cols, w = prepared->width;
    mlp->in_bias = rt_calloc(u, sizeof *mlp->in_bias);
    if (!mlp->in_bias) return false;
    for (size_t i = 0; i < u; i++) mlp->in_bias[i] = (Real)from->in_bias.data[i];
    if (!matrix_init(&mlp->in, u, w, &(Piece){&from->in, 0, 0}, 1, prepared->hands) ||
        !matrix_init(&mlp->out, w, u, &(Piece){&from->out, 0, 0}, 1, prepared->hands) ||
        !compress_rows(&mlp->out_bias, &from->out_bias))
        return false;
    prepared->max_hidden = larger(prepared->max_hidden, u);
    count_matrix(prepared, &mlp->in);
    count_matrix(prepared, &mlp->out);
    return true;
}

/* No two positions are max_length steps away from one another. */
static size_t reach_of(const HeadBias *bias, size_t max_length) {
    bool narrow = bias->form == RT_BIAS_WINDOW && bias->values[0] < (double)max_length;
    return narrow ? (size_t)bias->values[0] : max_length;
}

/* A window is a matter of which keys are looked at. */
static bool has_row(const HeadBias *bias) {
    return bias->form != RT_BIAS_NONE && bias->form != RT_BIAS_WINDOW;
}

/* Gives each head its rows and says where its matrices go: pieces of the projection, three a head,
 * and of the output matrix. */
static void place_heads(Prepared *prepared, Layer *layer, const ModelLayer *from, Piece *project,
                        Piece *output) {
    for (size_t h = 0; h < from->head_count; h++) {
        const ModelHead *head = from->heads[h];
        size_t d = head->query.cols, c = head->value.cols, at = layer->projected;
        layer->heads[h] = (Head){.d = d,
                                 .c = c,
                                 .query = at,
                                 .key = at + d,
                                 .value = at + 2 * d,
                                 .result = layer->results,
                                 .mask = head->mask,
                                 .sink = head->sink,
                                 .log_length = head->scale == RT_SCALE_LOG_LENGTH,
                                 .gap = head->gap,
                                 .reach = reach_of(&head->bias, prepared->max_length)};
        project[3 * h] = (Piece){&head->query, at, 0};
        project[3 * h + 1] = (Piece){&head->key, at + d, 0};
        project[3 * h + 2] = (Piece){&head->value, at + 2 * d, 0};
        output[h] = (Piece){&head->output, 0, layer->results};
        layer->projected += 2 * d + c;
        layer->results += c;
        prepared->max_d = larger(prepared->max_d, d);
        prepared->max_c = larger(prepared->max_c, c);
    }
}

static bool prepare_heads(Prepared *prepared, Layer *layer, const ModelLayer *from) {
    size_t n = from->head_count;
    if (n == 0) return true;
    layer->heads = rt_calloc(n, sizeof *layer->heads);
    Piece *project = rt_calloc(3 * n, sizeof *project);
    Piece *output = rt_calloc(n, sizeof *output);
    bool ok = layer->heads && project && output;
    if (ok) {
        layer->head_count = n;
        place_heads(prepared, layer, from, project, output);
        ok = matrix_init(&layer->project, layer->projected, prepared->width, project, 3 * n,
                         prepared->hands) &&
             matrix_init(&layer->output, prepared->width, layer->results, output, n,
                         prepared->hands);
    }
    free(project);
    free(output);
    if (!ok) return false;
    count_matrix(prepared, &layer->project);
    count_matrix(prepared, &layer->output);
    return true;
}

static bool prepare_layer(Prepared *prepared, Layer *layer, const ModelLayer *from) {
    if (!prepare_heads(prepared, layer, from)) return false;
    layer->mlps = rt_calloc(from->mlp_count, sizeof *layer->mlps);
    if (!layer->mlps) return false;
    layer->mlp_count = from->mlp_count;
    for (size_t m = 0; m < from->mlp_count; m++) {
        if (!prepare_mlp(prepared, &layer->mlps[m], from->mlps[m])) return false;
    }
    prepared->max_projected = larger(prepared->max_projected, layer->projected);
    prepared->max_results = larger(prepared->max_results, layer->results);
    prepared->max_heads = larger(prepared->max_heads, layer->head_count);
    return true;
}

static bool prepare_all(Prepared *prepared, const Model *model) {
    prepared->layers = rt_calloc(model->layer_count, sizeof *prepared->layers);
    if (!prepared->layers) return false;
    prepared->layer_count = model->layer_count;
    for (size_t l = 0; l < model->layer_count; l++) {
        if (!prepare_layer(prepared, &prepared->layers[l], model->layers[l])) return false;
    }
    return table_init(&prepared->tokens, &model->tokens) &&
           table_init(&prepared->positions, &model->positions);
}

static size_t count_rows(const Model *model) {
    size_t rows = 0;
    for (size_t l = 0; l < model->layer_count; l++)
        for (size_t h = 0; h < model->layers[l]->head_count; h++)
            rows += has_row(&model->layers[l]->heads[h]->bias);
    return rows;
}

static bool prepare_biases(Prepared *prepared, const Model *model) {
    size_t rows = count_rows(model), n = model->max_length, row = 2 * n - 1, bytes;
    if (rows == 0) return true;
    bool fits = !__builtin_mul_overflow(row, rows, &bytes) && bytes < SIZE_MAX - PAD;
    Real *at = prepared->biases = fits ? rt_calloc(bytes + PAD, sizeof *at) : NULL;
    if (!at) return false;
    for (size_t l = 0; l < prepared->layer_count; l++)
        for (size_t h = 0; h < prepared->layers[l].head_count; h++) {
            const HeadBias *bias = &model->layers[l]->heads[h]->bias;
            if (!has_row(bias)) continue;
            for (size_t k = 0; k < row; k++)
                at[k] = (Real)rt_bias_at(bias, (ptrdiff_t)k + 1 - (ptrdiff_t)n);
            prepared->layers[l].heads[h].bias = at + n - 1;
            at += row;
        }
    return true;
}

static const Kernels *kernels_of(const KernelSet *set) {
#if REAL_BITS == 32
    return set->f32;
#else
    return set->f64;
#endif
}

/* ---- what tokens have a say in ----
 *
 * Rows of the residual stream that some token's embedding has a part in, and what is computed from
 * them, differ between inputs of one length; all others are functions of position and length. */

/* Outputs of m[ins, outs] vary with the inputs they read; returns whether one does. */
static bool spread_varying(const Tensor *m, const unsigned char *from, unsigned char *to) {
    bool some = false;
    for (size_t e = 0; e < tensor_size(m); e++) {
        if (!from[e / m->cols] || m->data[e] == 0) continue;
        to[e % m->cols] = 1;
        some = true;
    }
    return some;
}

/* `after` becomes what varies once the head has added its results; `some` is memory. */
static bool head_is_shared(const ModelHead *head, const unsigned char *varies, unsigned char *some,
                           unsigned char *after) {
    bool query = spread_varying(&head->query, varies, some);
    bool shared = !spread_varying(&head->key, varies, some) && !query;
    memset(some, !shared, head->value.cols);
    spread_varying(&head->value, varies, some);
    spread_varying(&head->output, some, after);
    return shared;
}

static bool find_shared(Prepared *prepared, const Model *model) {
    size_t width = model->width;
    size_t most = larger(larger(prepared->max_d, prepared->max_c), prepared->max_hidden);
    unsigned char *varies = rt_calloc(2 * width + most, 1);
    if (!varies) return false;
    unsigned char *after = varies + width, *some = after + width;
    const Tensor *tokens = &model->tokens; /* row 0 is the sink's, in all inputs */
    for (size_t i = width; i < tensor_size(tokens); i++)
        if (tokens->data[i] != tokens->data[width + i % width]) varies[i % width] = 1;
    memcpy(after, varies, width);
    for (size_t l = 0; l < model->layer_count; l++) {
        const ModelLayer *layer = model->layers[l];
        for (size_t h = 0; h < layer->head_count; h++)
            prepared->layers[l].heads[h].shared =
                head_is_shared(layer->heads[h], varies, some, after);
        memcpy(varies, after, width);
        for (size_t m = 0; m < layer->mlp_count; m++) {
            memset(some, 0, most);
            spread_varying(&layer->mlps[m]->in, varies, some);
            spread_varying(&layer->mlps[m]->out, some, varies);
        }
        memcpy(after, varies, width);
    }
    free(varies);
    return true;
}

/* On short vectors OpenBLAS is the faster one. */
static void choose_hands(Prepared *prepared) {
    bool shorter = prepared->kernels->lanes * sizeof(Real) < 32;
    prepared->hands.path = prepared->options.path;
    prepared->hands.most = shorter || prepared->options.path == RT_PATH_DENSE ? 0 : LARGE;
}

static void choose_heads(Prepared *prepared) {
    const RunOptions *options = &prepared->options;
    bool sparse = options->path == RT_PATH_SPARSE;
    prepared->wide_heads = prepared->max_d >= GEMM_FROM || prepared->max_c >= GEMM_FROM;
    prepared->strips =
        prepared->wide_heads && options->rule == RT_SOFTMAX && (sparse || prepared->hands.most > 0);
    prepared->blas = prepared->wide_heads && !prepared->strips && !sparse && rt_blas_load(NULL);
}

static void *prepare(const Model *model, const RunOptions *options, const KernelSet *kernels,
                     RtError *err) {
    if (options->path == RT_PATH_DENSE && !rt_blas_load(err)) {
        rt_error_prefix(err, "path dense");
        return NULL;
    }
    Prepared *prepared = rt_calloc(1, sizeof *prepared);
    if (prepared) {
        prepared->kernels = kernels_of(kernels);
        prepared->options = *options;
        prepared->width = model->width;
        prepared->max_length = model->max_length;
        choose_hands(prepared);
        if (prepare_all(prepared, model) && prepare_biases(prepared, model) &&
            find_shared(prepared, model)) {
            choose_heads(prepared);
            return prepared;
        }
        release(prepared);
    }
    rt_error(err, "out of memory for the model's weights");
    return NULL;
}

static size_t compressed_bytes(const Compressed *m) {
    size_t entries = m->start ? m->start[m->outs] : 0;
    return m->outs * sizeof *m->start + entries * (sizeof *m->index + sizeof *m->value);
}

static size_t matrix_bytes(const Matrix *m) {
    if (m->dense) return m->sparse.outs * m->sparse.ins * sizeof *m->dense;
    return compressed_bytes(&m->sparse);
}

static size_t table_bytes(const Table *table) {
    return compressed_bytes(&table->rows) + table->used * table->rows.outs * sizeof(Real);
}

static void info(const void *context, EngineInfo *info) {
    const Prepared *prepared = context;
    info->dense_matrices = prepared->dense_count;
    info->sparse_matrices = prepared->sparse_count;
    info->weight_bytes = table_bytes(&prepared->tokens) + table_bytes(&prepared->positions);
    for (size_t l = 0; l < prepared->layer_count; l++) {
        const Layer *layer = &prepared->layers[l];
        info->weight_bytes += matrix_bytes(&layer->project);
        info->weight_bytes += matrix_bytes(&layer->output);
        for (size_t m = 0; m < layer->mlp_count; m++) {
            const Mlp *mlp = &layer->mlps[m];
            info->weight_bytes += matrix_bytes(&mlp->in) + matrix_bytes(&mlp->out);
            info->weight_bytes +=
                mlp->in.sparse.outs * sizeof *mlp->in_bias + compressed_bytes(&mlp->out_bias);
        }
    }
}
