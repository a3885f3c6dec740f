/* Template: what happens to each position by itself, for a block of columns at a time.
 *
 * The residual stream of a block stays in the cache while it passes through the heads' output
 * matrix, the feed-forward sublayers and the next layer's projection. */

/* Memory of one thread for one block. `live` flags exist for the residual stream, the heads'
 * results and the hidden units. */
typedef struct {
    Real *hidden; /* [max_hidden, ld] */
    unsigned char *live_width, *live_results, *live_hidden;
} BlockScratch;

static void block_place(BlockScratch *scratch, RtCarve *memory, const Prepared *prepared,
                        size_t ld) {
    scratch->hidden = rt_carve(memory, prepared->max_hidden, ld * sizeof(Real));
    scratch->live_width = rt_carve(memory, prepared->width, 1);
    scratch->live_results = rt_carve(memory, prepared->max_results, 1);
    scratch->live_hidden = rt_carve(memory, prepared->max_hidden, 1);
}

/* h[·, 0..cols) += a row of an embedding table */
static void embed(const Table *table, size_t row, Real *h, size_t ld, size_t cols) {
    const Compressed *rows = &table->rows;
    for (size_t e = rows->start[row]; e < rows->start[row + 1]; e++) {
        Real *to = h + rows->index[e] * ld, value = rows->value[e];
        for (size_t j = 0; j < cols; j++) to[j] += value;
    }
}

/* Column j of h += row row[j] of an embedding table. */
static void embed_each(const Table *table, const uint32_t *row, Real *h, size_t ld, size_t cols) {
    for (size_t j = 0; !table->used && j < cols; j++) embed(table, row[j], h + j, ld, 1);
    for (size_t u = 0; u < table->used; u++) {
        const Real *value = table->values + u * table->rows.outs;
        Real *to = h + table->feature[u] * ld;
        for (size_t j = 0; j < cols; j++) to[j] += value[row[j]];
    }
}

/* h += relu(in h + in_bias) through out, + out_bias */
static void block_mlp(const Prepared *prepared, const Mlp *mlp, Block h, size_t cols,
                      const BlockScratch *scratch) {
    Block hidden = {scratch->hidden, h.ld, scratch->live_hidden};
    matrix_multiply_relu(prepared->kernels, &mlp->in, mlp->in_bias, h, hidden, cols);
    matrix_multiply_add(prepared->kernels, &mlp->out, hidden, h, cols);
    const Compressed *bias = &mlp->out_bias;
    for (size_t e = 0; e < bias->start[1]; e++) {
        Real *row = h.x + bias->index[e] * h.ld;
        h.live[bias->index[e]] = 1;
        for (size_t j = 0; j < cols; j++) row[j] += bias->value[e];
    }
}

/* Some columns: of the residual stream, of the heads' results and of the projection. */
typedef struct {
    Real *h; /* [W, ld] */
    size_t ld, cols;
    Real *results, *projection; /* [·, ld_long] */
    size_t ld_long;
} Columns;

/* The part of `layer` that follows its attention, then the next layer's projection. `layer` is NULL
 * before the first layer, `next` after the last. */
static void block_step(const Prepared *prepared, const Layer *layer, const Layer *next,
                       const Columns *at, const BlockScratch *scratch) {
    const Kernels *kernels = prepared->kernels;
    Block h = {at->h, at->ld, scratch->live_width};
    kernels->find_live(h.x, h.ld, prepared->width, at->cols, h.live);
    if (layer && layer->head_count) {
        Block results = {at->results, at->ld_long, scratch->live_results};
        kernels->find_live(results.x, results.ld, layer->results, at->cols, results.live);
        matrix_multiply_add(kernels, &layer->output, results, h, at->cols);
    }
    for (size_t m = 0; layer && m < layer->mlp_count; m++)
        block_mlp(prepared, &layer->mlps[m], h, at->cols, scratch);
    Block projection = {at->projection, at->ld_long, NULL};
    if (next && next->head_count) matrix_multiply(kernels, &next->project, h, projection, at->cols);
}

/* A head's rows in a layer's projection of n tokens; where results go is left to the caller. */
static Attention head_view(const Prepared *prepared, const Head *head, size_t n,
                           const Real *projection, size_t ld) {
    const RunOptions *options = &prepared->options;
    double scale = head->log_length ? log((double)n + 1) : 1;
    double divisor = rt_rules[options->rule].temperature ? options->temperature : 1;
    return (Attention){.q = projection + head->query * ld,
                       .k = projection + head->key * ld,
                       .v = projection + head->value * ld,
                       .ldq = ld,
                       .ldk = ld,
                       .ldv = ld,
                       .d = head->d,
                       .c = head->c,
                       .keys = n + 1,
                       .mask = head->mask,
                       .sink = head->sink,
                       .shared = head->shared,
                       .factor = (Real)(scale / divisor),
                       .window = (Real)(head->gap / 4 * scale),
                       .parameter = options->parameter,
                       .reach = head->reach,
                       .bias = head->bias};
}

/* The sink's row sees itself alone, under every rule. */
static void attend_sink(const Attention *at) {
    for (size_t i = 0; i < at->c; i++) at->out[i * at->ldout] = at->v[i * at->ldv];
}
