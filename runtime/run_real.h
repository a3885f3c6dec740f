/* Template: the forward pass over a pack of inputs.
 *
 *   blocks of columns: embed, project ─▶ heads: attend ─▶ blocks: output, feed-forward, project ─▶
 * …
 *
 * The residual stream is stored block by block, [block][W, ld]; projections and the heads' results
 * feature by feature over all columns, [·, ld_long], so that a head's keys are contiguous. Threads
 * share the blocks, then the heads; everything is allocated before they start. */
#include "runtime/real.h"

enum {
    REAL(BLOCK_SPARSE) = 64, /* columns a block: one strip of the widest kernel, fits L2 */
    REAL(BLOCK_DENSE) = 512, /* enough for OpenBLAS to reach its speed */
    REAL(QUERY_TILE) = 32,   /* × KEY_TILE scores of 4 bytes: 64 KiB */
    REAL(KEY_TILE) = 512,
};

/* Memory of one thread. */
typedef struct {
    REAL(BlockScratch) block;
    REAL(Tiles) tiles;
    REAL(Merge) merge;
    double *read; /* what one output reads at one position */
} REAL(Scratch);

typedef struct {
    const REAL(Prepared) * prepared;
    const Pack *pack;
    size_t *first;             /* [inputs + 1]: an input's first column, the sink's */
    size_t *token, *position;  /* [columns]: rows of the embedding tables */
    unsigned char *done;       /* [inputs × heads]: attended by merging */
    size_t columns, block, ld; /* ld: of h; block columns and padding */
    size_t longest;            /* input */
    size_t ld_long;
    Real *h, *projection, *results;
    REAL(Scratch) * scratch; /* [threads] */
    int threads;
} REAL(Run);

static size_t REAL(round_up)(size_t n, size_t unit) {
    return (n + unit - 1) / unit * unit;
}

static void REAL(groups_clear)(REAL(Groups) * groups) {
    free(groups->hash);
    free(groups->id);
    free(groups->column);
    free(groups->table);
}

static void REAL(scratch_clear)(REAL(Scratch) * scratch) {
    REAL(block_scratch_clear)(&scratch->block);
    free(scratch->tiles.s);
    free(scratch->tiles.z);
    free(scratch->tiles.m);
    free(scratch->merge.k);
    free(scratch->merge.sums);
    free(scratch->read);
    REAL(groups_clear)(&scratch->merge.keys);
    REAL(groups_clear)(&scratch->merge.queries);
}

static void REAL(run_clear)(REAL(Run) * run) {
    for (int t = 0; run->scratch && t < run->threads; t++) REAL(scratch_clear)(&run->scratch[t]);
    free(run->scratch);
    free(run->first);
    free(run->token);
    free(run->done);
    free(run->h);
    free(run->projection);
    free(run->results);
}

/* For heads over up to `keys` columns. m and l share one array. */
static bool REAL(tiles_init)(REAL(Tiles) * tiles, const REAL(Prepared) * prepared, size_t keys) {
    const RunOptions *options = &prepared->options;
    tiles->query_tile = options->query_tile ? options->query_tile : (size_t)REAL(QUERY_TILE);
    tiles->key_tile = options->key_tile ? options->key_tile : (size_t)REAL(KEY_TILE);
    if (tiles->key_tile > keys || !rt_rules[options->rule].tiles) tiles->key_tile = keys;
    if (tiles->query_tile > keys) tiles->query_tile = keys;
    tiles->lds = REAL(round_up)(tiles->key_tile, REAL(PAD));
    size_t scores;
    if (__builtin_mul_overflow(tiles->query_tile, tiles->lds, &scores)) return false;
    tiles->s = rt_calloc_aligned(scores, sizeof(Real));
    tiles->z = rt_calloc_aligned(tiles->query_tile * prepared->max_c, sizeof(Real));
    tiles->m = rt_calloc(2 * tiles->query_tile, sizeof(Real));
    tiles->l = tiles->m + tiles->query_tile;
    return tiles->s && tiles->z && tiles->m;
}

static bool REAL(groups_init)(REAL(Groups) * groups, size_t n) {
    size_t limit = n / REAL(MERGE_SHARE), size = 2;
    while (size < 2 * limit) size *= 2;
    groups->table_size = size;
    groups->hash = rt_calloc(n + 1, sizeof *groups->hash);
    groups->id = rt_calloc(n + 1, sizeof *groups->id);
    groups->column = rt_calloc(limit, sizeof *groups->column);
    groups->table = rt_calloc(size, sizeof *groups->table);
    return groups->hash && groups->id && groups->column && groups->table;
}

static bool REAL(merge_init)(REAL(Merge) * merge, const REAL(Prepared) * prepared, size_t n) {
    if (n < REAL(MERGE_FROM)) return true;
    size_t d = prepared->max_d, c = prepared->max_c;
    size_t ld = merge->ld = REAL(round_up)(n / REAL(MERGE_SHARE), REAL(PAD));
    merge->k = rt_calloc_aligned((2 * d + 2 * c + 1) * ld + REAL(PAD), sizeof(Real));
    merge->sums = rt_calloc(c * ld, sizeof *merge->sums);
    if (!merge->k || !merge->sums) return false;
    merge->q = merge->k + d * ld;
    merge->v = merge->q + d * ld;
    merge->z = merge->v + c * ld;
    merge->copies = merge->z + c * ld;
    return REAL(groups_init)(&merge->keys, n) && REAL(groups_init)(&merge->queries, n);
}

static bool REAL(scratch_init)(REAL(Run) * run, REAL(Scratch) * scratch, size_t max_dims) {
    const REAL(Prepared) *prepared = run->prepared;
    scratch->read = rt_calloc(max_dims, sizeof *scratch->read);
    return scratch->read && REAL(block_scratch_init)(&scratch->block, prepared, run->ld) &&
           REAL(tiles_init)(&scratch->tiles, prepared, run->longest + 1) &&
           REAL(merge_init)(&scratch->merge, prepared, run->longest);
}

/* Rows that are a multiple of 4 KiB apart would share cache sets: add a line. */
static size_t REAL(spread)(size_t ld) {
    return ld * sizeof(Real) % 4096 ? ld : ld + REAL(PAD);
}

static void REAL(choose_block)(REAL(Run) * run) {
    size_t share = REAL(round_up)(run->columns / (size_t)run->threads + 1, REAL(BLOCK_SPARSE));
    run->block = REAL(BLOCK_SPARSE);
    if (run->prepared->dense_count)
        run->block = share < REAL(BLOCK_DENSE) ? share : (size_t)REAL(BLOCK_DENSE);
    size_t lanes = run->prepared->kernels->lanes;
    if (run->block > run->columns) run->block = REAL(round_up)(run->columns, lanes);
    run->ld = run->block < REAL(BLOCK_DENSE) ? run->block : REAL(spread)(run->block);
}

static bool REAL(place_inputs)(REAL(Run) * run) {
    const Pack *pack = run->pack;
    run->first = rt_calloc(pack->count + 1, sizeof *run->first);
    if (!run->first) return false;
    for (size_t i = 0; i < pack->count; i++) {
        run->first[i + 1] = run->first[i] + pack->inputs[i].n + 1;
        run->longest = REAL(larger)(run->longest, pack->inputs[i].n);
    }
    run->columns = run->first[pack->count];
    run->token = rt_calloc(2 * run->columns, sizeof *run->token);
    if (!run->token) return false;
    run->position = run->token + run->columns;
    for (size_t i = 0; i < pack->count; i++) {
        const RunInput *input = &pack->inputs[i];
        for (size_t j = 1; j <= input->n; j++) {
            run->token[run->first[i] + j] = input->ids[j - 1] + 1;
            run->position[run->first[i] + j] = j;
        }
    }
    return true;
}

/* rows × ld_long, and what kernels may read after the last row. */
static Real *REAL(long_rows)(const REAL(Run) * run, size_t rows) {
    size_t size;
    if (__builtin_mul_overflow(rows, run->ld_long, &size)) return NULL;
    return rt_calloc_aligned(size + REAL(PAD), sizeof(Real));
}

static bool REAL(run_init)(REAL(Run) * run, const REAL(Prepared) * prepared, const Pack *pack,
                           size_t max_dims, int threads) {
    *run = (REAL(Run)){.prepared = prepared, .pack = pack, .threads = threads};
    if (!REAL(place_inputs)(run)) return false;
    REAL(choose_block)(run);
    size_t blocks = (run->columns + run->block - 1) / run->block, size;
    run->ld_long = REAL(spread)(blocks * run->block);
    if (__builtin_mul_overflow(blocks * run->ld, prepared->width, &size)) return false;
    run->h = rt_calloc_aligned(size, sizeof(Real));
    run->projection = REAL(long_rows)(run, prepared->max_projected);
    run->results = REAL(long_rows)(run, prepared->max_results);
    size_t heads = 0;
    for (size_t l = 0; l < prepared->layer_count; l++)
        heads = REAL(larger)(heads, prepared->layers[l].head_count);
    run->done = rt_calloc(heads * pack->count, 1);
    run->scratch = rt_calloc((size_t)threads, sizeof *run->scratch);
    if (!run->h || !run->projection || !run->results || !run->done || !run->scratch) return false;
    for (int t = 0; t < threads; t++) {
        if (!REAL(scratch_init)(run, &run->scratch[t], max_dims)) return false;
    }
    return true;
}

static Real *REAL(block_at)(const REAL(Run) * run, size_t b) {
    return run->h + b * run->ld * run->prepared->width;
}

static void REAL(embed_block)(const REAL(Run) * run, size_t b) {
    Real *h = REAL(block_at)(run, b);
    for (size_t j = 0; j < run->block; j++) {
        size_t column = b * run->block + j;
        if (column < run->columns)
            REAL(embed)(run->prepared, run->token[column], run->position[column], h + j, run->ld);
    }
}

/* Blocks from after the attention of `layer` to before that of `next`. */
static void REAL(run_blocks)(REAL(Run) * run, const REAL(Layer) * layer, const REAL(Layer) * next) {
    size_t blocks = (run->columns + run->block - 1) / run->block;
#pragma omp parallel for schedule(dynamic) num_threads(run->threads) if (run->threads > 1)
    for (size_t b = 0; b < blocks; b++) {
        if (!layer) REAL(embed_block)(run, b);
        size_t at = b * run->block;
        size_t cols = REAL(round_up)(run->columns - at, run->prepared->kernels->lanes);
        REAL(block_step)
        (run->prepared, layer, next, REAL(block_at)(run, b), run->ld,
         cols < run->block ? cols : run->block, run->results + at, run->projection + at,
         run->ld_long, &run->scratch[omp_get_thread_num()].block);
    }
}

/* Head h of a layer in input i. */
static REAL(Attention)
    REAL(run_view)(const REAL(Run) * run, const REAL(Layer) * layer, size_t i, size_t h) {
    size_t at = run->first[i];
    return REAL(head_view)(run->prepared, &layer->heads[h], run->pack->inputs[i].n,
                           run->projection + at, run->results + at, run->ld_long);
}

/* Heads with few different keys are done at once; `done` says which. */
static void REAL(run_merged)(REAL(Run) * run, const REAL(Layer) * layer) {
    const REAL(Prepared) *prepared = run->prepared;
    bool try = prepared->options.path != RT_PATH_DENSE;
#pragma omp parallel for schedule(dynamic) num_threads(run->threads) if (run->threads > 1)
    for (size_t task = 0; task < run->pack->count * layer->head_count; task++) {
        size_t i = task / layer->head_count, h = task % layer->head_count;
        REAL(Scratch) *scratch = &run->scratch[omp_get_thread_num()];
        REAL(Attention) view = REAL(run_view)(run, layer, i, h);
        REAL(attend_sink)(&view);
        run->done[task] =
            try && REAL(try_merging)(prepared->kernels, prepared->options.rule, &view,
                                     run->pack->inputs[i].n, &scratch->merge, &scratch->tiles);
    }
}

/* The other heads, in tiles of queries. */
static void REAL(run_tiles)(REAL(Run) * run, const REAL(Layer) * layer) {
    const REAL(Prepared) *prepared = run->prepared;
    size_t tile = run->scratch[0].tiles.query_tile;
    size_t share = (run->longest + tile - 1) / tile; /* of an input */
#pragma omp parallel for schedule(dynamic) num_threads(run->threads) if (run->threads > 1)
    for (size_t task = 0; task < run->pack->count * layer->head_count * share; task++) {
        size_t head = task / share, q0 = task % share * tile + 1;
        size_t n = run->pack->inputs[head / layer->head_count].n;
        if (run->done[head] || q0 > n) continue;
        REAL(Attention)
        view = REAL(run_view)(run, layer, head / layer->head_count, head % layer->head_count);
        REAL(attend)
        (prepared->kernels, prepared->options.rule, &view, q0,
         q0 + tile < n + 1 ? q0 + tile : n + 1, &run->scratch[omp_get_thread_num()].tiles);
    }
}

static void REAL(run_layers)(REAL(Run) * run) {
    const REAL(Prepared) *prepared = run->prepared;
    const REAL(Layer) *layer = NULL;
    for (size_t l = 0; l <= prepared->layer_count; l++) {
        const REAL(Layer) *next = l < prepared->layer_count ? &prepared->layers[l] : NULL;
        REAL(run_blocks)(run, layer, next);
        layer = next;
        if (!layer || !layer->head_count) continue;
        REAL(run_merged)(run, layer);
        REAL(run_tiles)(run, layer);
    }
}

/* What is read at a column of a block: dims from `start` on. */
static void REAL(read_column)(const Real *h, size_t ld, size_t start, size_t dims, double *out) {
    for (size_t k = 0; k < dims; k++) out[k] = (double)h[(start + k) * ld];
}

/* All outputs at position j of input i. */
static bool REAL(read_position)(const REAL(Run) * run, const Outputs *outputs, size_t i, size_t j,
                                double *read, RtError *err) {
    RunResult *result = &run->pack->results[i];
    size_t column = run->first[i] + 1 + j, raw = j * result->raw_size;
    const Real *h = REAL(block_at)(run, column / run->block) + column % run->block;
    for (size_t o = 0; o < outputs->count; o++) {
        const Decoder *decoder = &outputs->decoders[o];
        REAL(read_column)(h, run->ld, decoder->start, decoder->count, read);
        if (!decoder_read(decoder, read, &result->readings[o * result->length + j], err))
            return rt_error_prefix(err, "position %zu", j);
        if (!result->raw) continue;
        memcpy(result->raw + raw, read, decoder->count * sizeof *read);
        raw += decoder->count;
    }
    return true;
}

static bool REAL(read_outputs)(const REAL(Run) * run, const Outputs *outputs, size_t *at,
                               RtError *err) {
    for (size_t i = 0; i < run->pack->count; i++) {
        for (size_t j = 0; j < run->pack->inputs[i].n; j++) {
            *at = i;
            if (!REAL(read_position)(run, outputs, i, j, run->scratch[0].read, err)) return false;
        }
    }
    return true;
}

static bool REAL(run)(const void *context, const Pack *pack, const Outputs *outputs, int threads,
                      size_t *at, RtError *err) {
    REAL(Run) run;
    bool ok = REAL(run_init)(&run, context, pack, outputs->max_dims, threads);
    if (ok) {
        REAL(run_layers)(&run);
        ok = REAL(read_outputs)(&run, outputs, at, err);
    } else {
        rt_error(err, "out of memory for %zu positions at width %zu", run.columns,
                 run.prepared->width);
    }
    REAL(run_clear)(&run);
    return ok;
}
