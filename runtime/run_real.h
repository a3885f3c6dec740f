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
    REAL(BLOCK) = 64,        /* columns a block: one strip of the widest kernel, fits L2 */
    REAL(BLOCK_LARGE) = 256, /* when a dense matrix is too large for the cache, so that reading it
                                is worth while */
    REAL(LARGE) = 1 << 18,   /* elements */
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

/* Rows that are a multiple of 4 KiB apart would share cache sets: add a line. */
static size_t REAL(spread)(size_t ld) {
    return ld * sizeof(Real) % 4096 ? ld : ld + REAL(PAD);
}

static size_t REAL(blocks)(const REAL(Run) * run) {
    return (run->columns + run->block - 1) / run->block;
}

static void REAL(choose_sizes)(REAL(Run) * run) {
    for (size_t i = 0; i < run->pack->count; i++) {
        run->columns += run->pack->inputs[i].n + 1;
        run->longest = REAL(larger)(run->longest, run->pack->inputs[i].n);
    }
    bool large = run->prepared->largest_dense > REAL(LARGE);
    size_t share = REAL(round_up)(run->columns / (size_t)run->threads + 1, REAL(BLOCK));
    run->block = large ? (size_t)REAL(BLOCK_LARGE) : (size_t)REAL(BLOCK);
    if (run->block > share) run->block = share;
    size_t lanes = run->prepared->kernels->lanes;
    if (run->block > run->columns) run->block = REAL(round_up)(run->columns, lanes);
    run->ld = run->block > REAL(BLOCK) ? REAL(spread)(run->block) : run->block;
    run->ld_long = REAL(spread)(REAL(blocks)(run) * run->block);
}

static void REAL(scratch_place)(REAL(Run) * run, REAL(Scratch) * scratch, RtCarve *memory,
                                size_t max_dims) {
    const REAL(Prepared) *prepared = run->prepared;
    scratch->read = rt_carve(memory, max_dims, sizeof *scratch->read);
    REAL(block_place)(&scratch->block, memory, prepared, run->ld);
    REAL(tiles_place)
    (&scratch->tiles, memory, &prepared->options, run->longest + 1, prepared->max_c);
    REAL(merge_place)(&scratch->merge, memory, run->longest, prepared->max_d, prepared->max_c);
}

/* Everything a run needs, in one piece of memory. After projections and results comes what kernels
 * may read after their last row. */
static void REAL(run_place)(REAL(Run) * run, RtCarve *memory, size_t max_dims) {
    const REAL(Prepared) *prepared = run->prepared;
    size_t inputs = run->pack->count, long_row = run->ld_long * sizeof(Real);
    run->first = rt_carve(memory, inputs + 1, sizeof *run->first);
    run->token = rt_carve(memory, run->columns, sizeof *run->token);
    run->position = rt_carve(memory, run->columns, sizeof *run->position);
    run->done = rt_carve(memory, inputs, prepared->max_heads);
    run->h = rt_carve(memory, prepared->width, REAL(blocks)(run) * run->ld * sizeof(Real));
    run->projection = rt_carve(memory, prepared->max_projected, long_row);
    run->results = rt_carve(memory, prepared->max_results, long_row);
    rt_carve(memory, REAL(PAD), sizeof(Real));
    REAL(Scratch) sizes, *scratch = rt_carve(memory, (size_t)run->threads, sizeof *scratch);
    run->scratch = scratch;
    for (int t = 0; t < run->threads; t++)
        REAL(scratch_place)(run, scratch ? &scratch[t] : &sizes, memory, max_dims);
}

static void REAL(place_inputs)(REAL(Run) * run) {
    run->first[0] = 0;
    for (size_t i = 0; i < run->pack->count; i++) {
        const RunInput *input = &run->pack->inputs[i];
        size_t at = run->first[i];
        run->first[i + 1] = at + input->n + 1;
        for (size_t j = 0; j <= input->n; j++) {
            run->token[at + j] = j ? input->ids[j - 1] + 1 : 0;
            run->position[at + j] = j;
        }
    }
}

static bool REAL(run_init)(REAL(Run) * run, const REAL(Prepared) * prepared, const Pack *pack,
                           RtBuffer *memory, size_t max_dims, int threads) {
    *run = (REAL(Run)){.prepared = prepared, .pack = pack, .threads = threads};
    REAL(choose_sizes)(run);
    RtCarve sizes = {0};
    REAL(run_place)(run, &sizes, max_dims);
    if (sizes.overflow || !rt_buffer_reserve(memory, sizes.used)) return false;
    REAL(run_place)(run, &(RtCarve){.base = memory->bytes}, max_dims);
    REAL(place_inputs)(run);
    return true;
}

static Real *REAL(block_at)(const REAL(Run) * run, size_t b) {
    return run->h + b * run->ld * run->prepared->width;
}

static void REAL(embed_block)(const REAL(Run) * run, size_t b) {
    Real *h = REAL(block_at)(run, b);
    memset(h, 0, run->prepared->width * run->ld * sizeof *h);
    for (size_t j = 0; j < run->block; j++) {
        size_t column = b * run->block + j;
        if (column < run->columns)
            REAL(embed)(run->prepared, run->token[column], run->position[column], h + j, run->ld);
    }
}

/* Blocks from after the attention of `layer` to before that of `next`. */
static void REAL(run_blocks)(REAL(Run) * run, const REAL(Layer) * layer, const REAL(Layer) * next) {
    size_t blocks = REAL(blocks)(run);
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

static bool REAL(run)(const void *context, const Pack *pack, const Outputs *outputs,
                      RtBuffer *memory, int threads, size_t *at, RtError *err) {
    REAL(Run) run;
    if (!REAL(run_init)(&run, context, pack, memory, outputs->max_dims, threads))
        return rt_error(err, "out of memory for %zu positions at width %zu", run.columns,
                        run.prepared->width);
    REAL(run_layers)(&run);
    return REAL(read_outputs)(&run, outputs, at, err);
}

/* So many that the residual stream and the projections of a pack stay in a core's cache, unless the
 * weights themselves do not. */
static size_t REAL(pack_columns)(const void *context) {
    enum { CACHE = 384 << 10, LEAST = 64, MOST = 4096 };
    const REAL(Prepared) *prepared = context;
    size_t rows = prepared->width + prepared->max_projected + prepared->max_results;
    size_t columns = CACHE / (rows * sizeof(Real));
    if (prepared->largest_dense > REAL(LARGE) || columns > MOST) return MOST;
    return columns < LEAST ? (size_t)LEAST : columns;
}
