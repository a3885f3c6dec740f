/* Template: reading the outputs of a run, and a run from its beginning to its end.
 *
 * A block of columns is read at a time: where an output is the largest of some features, all of
 * different values, by a kernel, a column a lane. What goes wrong, and raw values, are found one
 * position after the other. */

/* Whose column it is; abreast it may be nobody's. */
static size_t input_of(const Run *run, size_t column) {
    if (run->step > 1) return column % run->step;
    size_t low = 0, high = run->pack->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        *(run->first[middle] <= column ? &low : &high) = middle;
    }
    return low;
}

/* Where each column's reading of the first output goes; NULL: nobody reads the column. */
static void find_readings(const Run *run, size_t b, size_t cols, Reader *reader) {
    size_t at = b * run->block, i = input_of(run, at);
    bool abreast = run->step > 1;
    for (size_t j = 0; j < cols; j++) {
        size_t position = run->position[at + j];
        if (j && (abreast || position == 0)) i++;
        if (abreast && i == run->step) i = 0;
        RunResult *result = i < run->pack->count ? &run->pack->results[i] : NULL;
        bool read = result && position > 0;
        reader->to[j] = read ? result->readings + position - 1 : NULL;
        reader->length[j] = read ? result->length : 0;
    }
}

static bool read_best(const Run *run, const Decoder *decoder, const Real *h, size_t cols,
                      size_t output, const Reader *reader) {
    const Kernels *kernels = run->prepared->kernels;
    if (!kernels->argmax(h + decoder->start * run->ld, run->ld, decoder->count,
                         round_up(cols, kernels->lanes), reader->index, reader->best,
                         reader->second))
        return false;
    for (size_t j = 0; j < cols; j++) {
        if (!reader->to[j]) continue;
        double best = (double)reader->best[j];
        reader->to[j][output * reader->length[j]] =
            (Reading){(ptrdiff_t)reader->index[j], best, best - (double)reader->second[j]};
    }
    return true;
}

/* What is read at a column of a block: dims from `start` on. */
static void read_column(const Real *h, size_t ld, size_t start, size_t dims, double *out) {
    for (size_t k = 0; k < dims; k++) out[k] = (double)h[(start + k) * ld];
}

static bool read_each(const Run *run, const Decoder *decoder, const Real *h, size_t cols,
                      size_t output, const Reader *reader) {
    for (size_t j = 0; j < cols; j++) {
        if (!reader->to[j]) continue;
        read_column(h + j, run->ld, decoder->start, decoder->count, reader->read);
        Reading *reading = &reader->to[j][output * reader->length[j]];
        if (!decoder_read(decoder, reader->read, reading, NULL)) return false;
    }
    return true;
}

typedef struct {
    const Run *run;
    const Outputs *outputs;
    atomic_bool failed;
} Reads;

static void read_block(void *context, size_t b, int thread) {
    Reads *reads = context;
    const Run *run = reads->run;
    Reader *reader = &run->scratch[thread].reader;
    size_t left = run->columns - b * run->block, cols = left < run->block ? left : run->block;
    bool ok = true;
    find_readings(run, b, cols, reader);
    for (size_t o = 0; ok && o < reads->outputs->count; o++) {
        const Decoder *decoder = &reads->outputs->decoders[o];
        bool best = decoder->decode == RT_DECODE_ARGMAX && decoder->distinct;
        ok = (best ? read_best : read_each)(run, decoder, block_at(run, b), cols, o, reader);
    }
    if (!ok) atomic_store(&reads->failed, true);
}

enum { READ_ALONE = 1 << 14 }; /* columns that one thread reads sooner than others start */

static bool read_blocks(const Run *run, const Outputs *outputs) {
    Reads reads = {run, outputs, false};
    parallel_for(block_count(run), run->columns < READ_ALONE ? 1 : run->threads, read_block,
                 &reads);
    return !atomic_load(&reads.failed);
}

/* All outputs at position j of input i. */
static bool read_position(const Run *run, const Outputs *outputs, size_t i, size_t j,
                          RtError *err) {
    RunResult *result = &run->pack->results[i];
    double *read = run->scratch[0].reader.read;
    size_t column = run->first[i] + (1 + j) * run->step, raw = j * result->raw_size;
    const Real *h = block_at(run, column / run->block) + column % run->block;
    for (size_t o = 0; o < outputs->count; o++) {
        const Decoder *decoder = &outputs->decoders[o];
        read_column(h, run->ld, decoder->start, decoder->count, read);
        if (!decoder_read(decoder, read, &result->readings[o * result->length + j], err))
            return rt_error_prefix(err, "position %zu", j);
        if (!result->raw) continue;
        memcpy(result->raw + raw, read, decoder->count * sizeof *read);
        raw += decoder->count;
    }
    return true;
}

static bool read_outputs(const Run *run, const Outputs *outputs, size_t *at, RtError *err) {
    if (!run->pack->results[0].raw && read_blocks(run, outputs)) return true;
    for (size_t i = 0; i < run->pack->count; i++) {
        *at = i;
        for (size_t j = 0; j < run->pack->inputs[i].n; j++)
            if (!read_position(run, outputs, i, j, err)) return false;
    }
    return true;
}

static bool run_pack(const void *context, const Pack *pack, const Outputs *outputs,
                     RtBuffer *memory, int threads, size_t *at, RtError *err) {
    Run run;
    if (!run_init(&run, context, pack, memory, outputs->max_dims, threads))
        return rt_error(err, "out of memory for %zu positions at width %zu", run.columns,
                        run.prepared->width);
    run_layers(&run);
    if (stopped(&run)) return rt_error(err, "interrupted");
    return read_outputs(&run, outputs, at, err);
}

/* So many that the residual stream and the projections of a pack stay in a core's cache, unless the
 * weights themselves do not. */
static size_t pack_columns(const void *context) {
    enum { CACHE = 384 << 10, LEAST = 64, MOST = 4096 };
    const Prepared *prepared = context;
    size_t rows = prepared->width + prepared->max_projected + prepared->max_results;
    size_t columns = CACHE / (rows * sizeof(Real));
    if (prepared->largest_dense > LARGE || columns > MOST) return MOST;
    return columns < LEAST ? (size_t)LEAST : columns;
}
