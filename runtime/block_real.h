/* Template: what happens to each position by itself, for a block of columns at a time.
 *
 * The residual stream of a block stays in the cache while it passes through the heads' output
 * matrix, the feed-forward sublayers and the next layer's projection. */
#include "runtime/real.h"

/* Memory of one thread for one block. `live` flags exist for the residual stream, the heads'
 * results and the hidden units. */
typedef struct {
    Real *hidden; /* [max_hidden, ld] */
    unsigned char *live_width, *live_results, *live_hidden;
} REAL(BlockScratch);

static void REAL(block_place)(REAL(BlockScratch) * scratch, RtCarve *memory,
                              const REAL(Prepared) * prepared, size_t ld) {
    scratch->hidden = rt_carve(memory, prepared->max_hidden, ld * sizeof(Real));
    scratch->live_width = rt_carve(memory, prepared->width, 1);
    scratch->live_results = rt_carve(memory, prepared->max_results, 1);
    scratch->live_hidden = rt_carve(memory, prepared->max_hidden, 1);
}

/* h[·, 0] = token row + position row, where it was zero. */
static void REAL(embed)(const REAL(Prepared) * prepared, size_t token, size_t position, Real *h,
                        size_t ld) {
    const REAL(Compressed) * tables[] = {&prepared->tokens, &prepared->positions};
    size_t rows[] = {token, position};
    for (size_t i = 0; i < 2; i++) {
        const REAL(Compressed) *table = tables[i];
        for (size_t e = table->start[rows[i]]; e < table->start[rows[i] + 1]; e++)
            h[table->index[e] * ld] += table->value[e];
    }
}

/* h += relu(in h + in_bias) through out, + out_bias */
static void REAL(block_mlp)(const REAL(Prepared) * prepared, const REAL(Mlp) * mlp, REAL(Block) h,
                            size_t cols, const REAL(BlockScratch) * scratch) {
    REAL(Block) hidden = {scratch->hidden, h.ld, scratch->live_hidden};
    REAL(matrix_multiply_relu)(prepared->kernels, &mlp->in, mlp->in_bias, h, hidden, cols);
    REAL(matrix_multiply_add)(prepared->kernels, &mlp->out, hidden, h, cols);
    const REAL(Compressed) *bias = &mlp->out_bias;
    for (size_t e = 0; e < bias->start[1]; e++) {
        Real *row = h.x + bias->index[e] * h.ld;
        h.live[bias->index[e]] = 1;
        for (size_t j = 0; j < cols; j++) row[j] += bias->value[e];
    }
}

/* The part of `layer` that follows its attention, then the next layer's projection. `layer` is NULL
 * before the first layer, `next` after the last. results: [layer->results, ·], projection:
 * [next->projected, ·], both at the block's first column. */
static void REAL(block_step)(const REAL(Prepared) * prepared, const REAL(Layer) * layer,
                             const REAL(Layer) * next, Real *h, size_t ld, size_t cols,
                             Real *results, Real *projection, size_t ld_long,
                             const REAL(BlockScratch) * scratch) {
    const REAL(Kernels) *kernels = prepared->kernels;
    REAL(Block) block = {h, ld, scratch->live_width};
    kernels->find_live(h, ld, prepared->width, cols, block.live);
    if (layer && layer->head_count) {
        REAL(Block) read = {results, ld_long, scratch->live_results};
        kernels->find_live(results, ld_long, layer->results, cols, read.live);
        REAL(matrix_multiply_add)(kernels, &layer->output, read, block, cols);
    }
    for (size_t m = 0; layer && m < layer->mlp_count; m++)
        REAL(block_mlp)(prepared, &layer->mlps[m], block, cols, scratch);
    if (next && next->head_count) REAL(matrix_multiply)
    (kernels, &next->project, block, (REAL(Block)){projection, ld_long, NULL}, cols);
}

/* Rows of a head in the layer's projection and results. */
static REAL(Attention) REAL(head_view)(const REAL(Prepared) * prepared, const REAL(Head) * head,
                                       size_t n, const Real *projection, Real *results, size_t ld) {
    const RunOptions *options = &prepared->options;
    double scale = head->log_length ? log((double)n + 1) : 1;
    double divisor = rt_rules[options->rule].temperature ? options->temperature : 1;
    return (REAL(Attention)){.q = projection + head->query * ld,
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
                             .factor = (Real)(scale / divisor),
                             .window = (Real)(head->gap / 4 * scale),
                             .out = results + head->result * ld,
                             .ldout = ld};
}

/* The sink's row sees itself alone, under every rule. */
static void REAL(attend_sink)(const REAL(Attention) * at) {
    for (size_t i = 0; i < at->c; i++) at->out[i * at->ldout] = at->v[i * at->ldv];
}
