/* Template: one token at a time, with every layer's projections kept.
 *
 * The kept rows hold query, key and value of each column so far, [projected, capacity]; a new
 * column attends to those before it. One column is computed in a block as wide as a vector. */

typedef struct {
    const Prepared *prepared;
    size_t length, capacity; /* columns, the sink's included */
    Real **kept;             /* [layers]: [projected, capacity] */
    RtBuffer memory;         /* of what follows */
    Real *h;                 /* [W, lanes] */
    Real *projection;        /* [max_projected, lanes] */
    Real *results;           /* [max_results, lanes] */
    double *read;            /* [W] */
    BlockScratch block;
    RtBuffer tile_memory;
    Tiles tiles; /* for `capacity` keys */
} Stream;

static void stream_free(void *context) {
    Stream *stream = context;
    if (!stream) return;
    for (size_t l = 0; stream->kept && l < stream->prepared->layer_count; l++)
        free(stream->kept[l]);
    free(stream->kept);
    rt_buffer_clear(&stream->memory);
    rt_buffer_clear(&stream->tile_memory);
    free(stream);
}

static Real *moved(const Real *old, size_t rows, size_t length, size_t ld, size_t capacity) {
    size_t size;
    if (__builtin_mul_overflow(rows, capacity, &size)) return NULL;
    Real *rows_new = rt_calloc_aligned(size + PAD, sizeof *rows_new);
    for (size_t i = 0; rows_new && old && i < rows; i++)
        memcpy(rows_new + i * capacity, old + i * ld, length * sizeof *old);
    return rows_new;
}

static bool reserve_tiles(Stream *stream, size_t capacity) {
    const Prepared *prepared = stream->prepared;
    RtCarve sizes = {0};
    Tiles tiles;
    tiles_place(&tiles, &sizes, prepared, capacity);
    if (sizes.overflow || !rt_buffer_reserve(&stream->tile_memory, sizes.used)) return false;
    tiles_place(&stream->tiles, &(RtCarve){.base = stream->tile_memory.bytes}, prepared, capacity);
    return true;
}

/* Room for more columns in every layer, or none: larger tiles do no harm. */
static bool stream_reserve(Stream *stream, size_t capacity) {
    size_t layers = stream->prepared->layer_count;
    Real **kept = rt_calloc(layers, sizeof *kept);
    bool ok = kept && reserve_tiles(stream, capacity);
    for (size_t l = 0; ok && l < layers; l++) {
        kept[l] =
            moved(stream->kept ? stream->kept[l] : NULL, stream->prepared->layers[l].projected,
                  stream->length, stream->capacity, capacity);
        ok = kept[l] != NULL;
    }
    Real **unused = ok ? stream->kept : kept;
    if (ok) {
        stream->kept = kept;
        stream->capacity = capacity;
    }
    for (size_t l = 0; unused && l < layers; l++) free(unused[l]);
    free(unused);
    return ok;
}

/* The new column joins those kept, then its heads attend; results go to column 0. */
static void stream_attend(Stream *stream, size_t l) {
    const Prepared *prepared = stream->prepared;
    const Layer *layer = &prepared->layers[l];
    size_t lanes = prepared->kernels->lanes, q = stream->length, ld = stream->capacity;
    for (size_t i = 0; i < layer->projected; i++)
        stream->kept[l][i * ld + q] = stream->projection[i * lanes];
    for (size_t h = 0; h < layer->head_count; h++) {
        const Head *head = &layer->heads[h];
        Attention view = head_view(prepared, head, q, stream->kept[l], ld);
        view.out = stream->results + head->result * lanes;
        view.ldout = lanes;
        if (q == 0) {
            attend_sink(&view);
            continue;
        }
        view.out_from = q;
        attend(prepared->kernels, prepared->options.rule, &view, q, q + 1, &stream->tiles);
    }
}

static void stream_column(Stream *stream, size_t token) {
    const Prepared *prepared = stream->prepared;
    size_t lanes = prepared->kernels->lanes;
    memset(stream->h, 0, prepared->width * lanes * sizeof *stream->h);
    embed(&prepared->tokens, token, stream->h, lanes, 1);
    embed(&prepared->positions, stream->length, stream->h, lanes, 1);
    Columns column = {stream->h, lanes, lanes, stream->results, stream->projection, lanes};
    const Layer *layer = NULL;
    for (size_t l = 0; l <= prepared->layer_count; l++) {
        const Layer *next = l < prepared->layer_count ? &prepared->layers[l] : NULL;
        block_step(prepared, layer, next, &column, &stream->block);
        if (next && next->head_count) stream_attend(stream, l);
        layer = next;
    }
}

static void stream_place(Stream *stream, RtCarve *memory) {
    const Prepared *prepared = stream->prepared;
    size_t lanes = prepared->kernels->lanes;
    stream->h = rt_carve(memory, prepared->width, lanes * sizeof(Real));
    stream->projection = rt_carve(memory, prepared->max_projected, lanes * sizeof(Real));
    stream->results = rt_carve(memory, prepared->max_results, lanes * sizeof(Real));
    stream->read = rt_carve(memory, prepared->width, sizeof *stream->read);
    block_place(&stream->block, memory, prepared, lanes);
}

static bool stream_init(Stream *stream, const Prepared *prepared) {
    stream->prepared = prepared;
    RtCarve sizes = {0};
    stream_place(stream, &sizes);
    if (sizes.overflow || !rt_buffer_reserve(&stream->memory, sizes.used)) return false;
    stream_place(stream, &(RtCarve){.base = stream->memory.bytes});
    return stream_reserve(stream, PAD);
}

static void *stream_new(const void *context, RtError *err) {
    Stream *stream = rt_calloc(1, sizeof *stream);
    if (stream && stream_init(stream, context)) {
        stream_column(stream, 0);
        stream->length = 1;
        return stream;
    }
    stream_free(stream);
    rt_error(err, "out of memory for a stream");
    return NULL;
}

static bool stream_push(void *context, size_t id, const Outputs *outputs, Reading *readings,
                        RtError *err) {
    Stream *stream = context;
    if (stream->length == stream->capacity && !stream_reserve(stream, spread(2 * stream->capacity)))
        return rt_error(err, "out of memory for %zu positions", stream->length);
    stream_column(stream, id + 1);
    for (size_t o = 0; o < outputs->count; o++) {
        const Decoder *decoder = &outputs->decoders[o];
        read_column(stream->h, stream->prepared->kernels->lanes, decoder->start, decoder->count,
                    stream->read);
        if (!decoder_read(decoder, stream->read, &readings[o], err))
            return rt_error_prefix(err, "position %zu", stream->length - 1);
    }
    stream->length++;
    return true;
}
