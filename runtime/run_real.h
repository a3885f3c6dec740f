/* Template: the forward pass over a pack of inputs.
 *
 *   blocks of columns: embed, project ─▶ heads: attend ─▶ blocks: output, feed-forward, project ─▶
 * …
 *
 * The residual stream is stored block by block, [block][W, ld]; projections and the heads' results
 * feature by feature over all columns, [·, ld_long]. Columns are one input after the other, so that
 * a head's keys are contiguous, or short inputs of one length abreast (abreast_real.h). Threads
 * share the blocks, then the heads; everything is allocated before they start. */

enum {
    BLOCK = 64,        /* columns a block: one strip of the widest kernel, fits L2 */
    BLOCK_LARGE = 256, /* when a dense matrix is too large for the cache, so that reading it
                                is worth while */
};

/* Memory for reading a block (read_real.h). */
typedef struct {
    double *read;        /* what one output reads at one position */
    RealBits *index;     /* [block]: the largest of some features, */
    Real *best, *second; /* [block]: how large it and the one after it are */
    Reading **to;        /* [block] */
    size_t *length;      /* [block]: from one output's reading to the next one's */
} Reader;

static void reader_place(Reader *reader, RtCarve *memory, size_t max_dims, size_t block) {
    reader->read = rt_carve(memory, max_dims, sizeof *reader->read);
    reader->index = rt_carve(memory, block + PAD, sizeof *reader->index);
    reader->best = rt_carve(memory, block + PAD, sizeof *reader->best);
    reader->second = rt_carve(memory, block + PAD, sizeof *reader->second);
    reader->to = rt_carve(memory, block, sizeof *reader->to);
    reader->length = rt_carve(memory, block, sizeof *reader->length);
}

/* Memory of one thread. */
typedef struct {
    BlockScratch block;
    Tiles tiles;
    Merge merge;
    Row row;
    Reader reader;
} Scratch;

typedef struct {
    const Prepared *prepared;
    const Pack *pack;
    size_t *first;              /* [inputs]: an input's first column, the sink's */
    size_t step;                /* columns from one position of an input to the next */
    uint32_t *token, *position; /* [columns]: rows of the embedding tables */
    unsigned char *done;        /* [inputs × heads]: attended by merging */
    size_t columns, block, ld;  /* ld: of h; block columns and padding */
    size_t longest;             /* input */
    size_t ld_long;
    Real *h, *projection, *results;
    Scratch *scratch; /* [threads] */
    int threads;
} Run;

/* Rows that are a multiple of 4 KiB apart would share cache sets: add a line. */
static size_t spread(size_t ld) {
    return ld * sizeof(Real) % 4096 ? ld : ld + PAD;
}

static size_t block_count(const Run *run) {
    return (run->columns + run->block - 1) / run->block;
}

static void choose_sizes(Run *run) {
    size_t abreast = abreast_step(run->prepared, run->pack);
    run->step = abreast ? abreast : 1;
    for (size_t i = 0; i < run->pack->count; i++) {
        run->columns += run->pack->inputs[i].n + 1;
        run->longest = larger(run->longest, run->pack->inputs[i].n);
    }
    if (abreast) run->columns = abreast * (run->longest + 1);
    bool large = run->prepared->largest_dense > LARGE;
    size_t share = round_up(run->columns / (size_t)run->threads + 1, BLOCK);
    run->block = large ? (size_t)BLOCK_LARGE : (size_t)BLOCK;
    if (run->block > share) run->block = share;
    size_t lanes = run->prepared->kernels->lanes;
    if (run->block > run->columns) run->block = round_up(run->columns, lanes);
    run->ld = run->block > BLOCK ? spread(run->block) : run->block;
    run->ld_long = spread(block_count(run) * run->block);
}

static void scratch_place(Run *run, Scratch *scratch, RtCarve *memory, size_t max_dims) {
    const Prepared *prepared = run->prepared;
    reader_place(&scratch->reader, memory, max_dims, run->block);
    block_place(&scratch->block, memory, prepared, run->ld);
    tiles_place(&scratch->tiles, memory, prepared, run->longest + 1);
    merge_place(&scratch->merge, memory, run->longest, prepared->max_d, prepared->max_c);
    row_place(&scratch->row, memory, prepared, run->step > 1 ? run->longest + 1 : 0);
}

/* Everything a run needs, in one piece of memory. After projections and results comes what kernels
 * may read after their last row. */
static void run_place(Run *run, RtCarve *memory, size_t max_dims) {
    const Prepared *prepared = run->prepared;
    size_t inputs = run->pack->count, long_row = run->ld_long * sizeof(Real);
    run->first = rt_carve(memory, inputs, sizeof *run->first);
    run->token = rt_carve(memory, run->columns, sizeof *run->token);
    run->position = rt_carve(memory, run->columns, sizeof *run->position);
    run->done = rt_carve(memory, inputs, prepared->max_heads);
    run->h = rt_carve(memory, prepared->width, block_count(run) * run->ld * sizeof(Real));
    run->projection = rt_carve(memory, prepared->max_projected, long_row);
    run->results = rt_carve(memory, prepared->max_results, long_row);
    rt_carve(memory, PAD, sizeof(Real));
    Scratch sizes, *scratch = rt_carve(memory, (size_t)run->threads, sizeof *scratch);
    run->scratch = scratch;
    for (int t = 0; t < run->threads; t++)
        scratch_place(run, scratch ? &scratch[t] : &sizes, memory, max_dims);
}

static void place_inputs(Run *run) {
    size_t at = 0, step = run->step;
    for (size_t i = 0; step > 1 && i < run->columns; i++) {
        run->token[i] = i >= step; /* of columns that only fill up a vector: they are not read */
        run->position[i] = (uint32_t)(i / step);
    }
    for (size_t i = 0; i < run->pack->count; i++) {
        const RunInput *input = &run->pack->inputs[i];
        run->first[i] = at;
        for (size_t j = 0; j <= input->n; j++) {
            run->token[at + j * step] = j ? (uint32_t)input->ids[j - 1] + 1 : 0;
            run->position[at + j * step] = (uint32_t)j;
        }
        at += step > 1 ? 1 : input->n + 1;
    }
}

static bool run_init(Run *run, const Prepared *prepared, const Pack *pack, RtBuffer *memory,
                     size_t max_dims, int threads) {
    *run = (Run){.prepared = prepared, .pack = pack, .threads = threads};
    choose_sizes(run);
    RtCarve sizes = {0};
    run_place(run, &sizes, max_dims);
    if (sizes.overflow || !rt_buffer_reserve(memory, sizes.used)) return false;
    run_place(run, &(RtCarve){.base = memory->bytes}, max_dims);
    place_inputs(run);
    return true;
}

static bool stopped(const Run *run) {
    return run->prepared->options.stop && *run->prepared->options.stop;
}

static Real *block_at(const Run *run, size_t b) {
    return run->h + b * run->ld * run->prepared->width;
}

static void embed_block(const Run *run, size_t b) {
    Real *h = block_at(run, b);
    memset(h, 0, run->prepared->width * run->ld * sizeof *h);
    const Prepared *prepared = run->prepared;
    const uint32_t *token = run->token + b * run->block, *position = run->position + b * run->block;
    size_t left = run->columns - b * run->block, cols = left < run->block ? left : run->block;
    embed_each(&prepared->tokens, token, h, run->ld, cols);
    if (run->step == 1) {
        embed_each(&prepared->positions, position, h, run->ld, cols);
        return;
    }
    for (size_t j = 0, next; j < cols; j = next) {
        for (next = j; next < cols && position[next] == position[j];) next++;
        embed(&prepared->positions, position[j], h + j, run->ld, next - j);
    }
}

static Columns columns_of_block(const Run *run, size_t b) {
    size_t at = b * run->block;
    size_t cols = round_up(run->columns - at, run->prepared->kernels->lanes);
    return (Columns){.h = block_at(run, b),
                     .ld = run->ld,
                     .cols = cols < run->block ? cols : run->block,
                     .results = run->results + at,
                     .projection = run->projection + at,
                     .ld_long = run->ld_long};
}

/* From after the attention of `layer` to before that of `next`. */
typedef struct {
    const Run *run;
    const Layer *layer, *next;
} Step;

static void run_block(void *context, size_t b, int thread) {
    const Step *step = context;
    const Run *run = step->run;
    Columns columns = columns_of_block(run, b);
    if (stopped(run)) return;
    if (!step->layer) embed_block(run, b);
    block_step(run->prepared, step->layer, step->next, &columns, &run->scratch[thread].block);
}

static void run_blocks(Run *run, const Layer *layer, const Layer *next) {
    size_t blocks = block_count(run);
    Step step = {run, layer, next};
    parallel_for(blocks, run->threads, run_block, &step);
}

/* Head h of a layer in input i. */
static Attention run_view(const Run *run, const Layer *layer, size_t i, size_t h) {
    const Head *head = &layer->heads[h];
    size_t at = run->first[i], n = run->pack->inputs[i].n;
    Attention view = head_view(run->prepared, head, n, run->projection + at, run->ld_long);
    view.out = run->results + head->result * run->ld_long + at;
    view.ldout = run->ld_long;
    return view;
}

/* Heads with few different keys are done at once; `done` says which. Where position matters to
 * scores no two keys are equal. */
static void merge_head(void *context, size_t task, int thread) {
    const Step *step = context;
    const Run *run = step->run;
    const Prepared *prepared = run->prepared;
    size_t heads = step->layer->head_count, i = task / heads, n = run->pack->inputs[i].n;
    Scratch *scratch = &run->scratch[thread];
    if (stopped(run)) return;
    Attention view = run_view(run, step->layer, i, task % heads);
    attend_sink(&view);
    bool placed = view.bias || view.reach < n, try = prepared->options.path != RT_PATH_DENSE;
    run->done[task] = try && !placed &&
                      try_merging(prepared->kernels, prepared->options.rule, &view, n,
                                  &scratch->merge, &scratch->tiles);
}

static void run_merged(Run *run, const Layer *layer) {
    Step step = {run, layer, NULL};
    parallel_for(run->pack->count * layer->head_count, run->threads, merge_head, &step);
}

/* Tiles of queries in the longest input. */
static size_t tiles_of_input(const Run *run) {
    size_t tile = run->scratch[0].tiles.query_tile;
    return (run->longest + tile - 1) / tile;
}

/* The other heads, in tiles of queries. */
static void run_tile(void *context, size_t task, int thread) {
    const Step *step = context;
    const Run *run = step->run;
    const Tiles *tiles = &run->scratch[thread].tiles;
    size_t share = tiles_of_input(run), heads = step->layer->head_count, head = task / share;
    size_t q0 = task % share * tiles->query_tile + 1, q1 = q0 + tiles->query_tile;
    size_t n = run->pack->inputs[head / heads].n;
    if (run->done[head] || q0 > n || stopped(run)) return;
    Attention view = run_view(run, step->layer, head / heads, head % heads);
    if (q1 > n + 1) q1 = n + 1;
    attend(run->prepared->kernels, run->prepared->options.rule, &view, q0, q1, tiles);
}

static void run_tiles(Run *run, const Layer *layer) {
    Step step = {run, layer, NULL};
    size_t tasks = run->pack->count * layer->head_count * tiles_of_input(run);
    parallel_for(tasks, run->threads, run_tile, &step);
}

/* The heads of inputs that lie abreast, a vector of them a task. */
static void run_lanes(void *context, size_t task, int thread) {
    const Step *step = context;
    const Run *run = step->run;
    const Prepared *prepared = run->prepared;
    size_t heads = step->layer->head_count, lane = task / heads * prepared->kernels->lanes;
    if (stopped(run)) return;
    Attention view = run_view(run, step->layer, lane, task % heads);
    attend_abreast(prepared->kernels, &view, run->step, &run->scratch[thread].row);
}

static void run_abreast(Run *run, const Layer *layer) {
    Step step = {run, layer, NULL};
    size_t tasks = run->step / run->prepared->kernels->lanes * layer->head_count;
    parallel_for(tasks, run->threads, run_lanes, &step);
}

static void run_heads(Run *run, const Layer *layer) {
    if (run->step > 1) {
        run_abreast(run, layer);
        return;
    }
    run_merged(run, layer);
    run_tiles(run, layer);
}

static void run_layers(Run *run) {
    const Prepared *prepared = run->prepared;
    const Layer *layer = NULL;
    for (size_t l = 0; l <= prepared->layer_count; l++) {
        const Layer *next = l < prepared->layer_count ? &prepared->layers[l] : NULL;
        run_blocks(run, layer, next);
        layer = next;
        if (layer && layer->head_count) run_heads(run, layer);
    }
}
