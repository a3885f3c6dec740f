/* Template: attention of many inputs of one length, a lane an input.
 *
 * One row of scores after the other has as many lanes as there are keys, and for short inputs what
 * surrounds them (maxima across lanes, ends of rows, tiles) takes most of the time.  Inputs of one
 * length see the same keys from the same position, so they lie abreast: column p · step + i is
 * position p of input i, and a row of scores is one vector a key.  Where a head looks at positions,
 * as in `reverse`, all lanes look at the same one and the others cost no exp.
 *
 * Worth it where merging equal keys (merge_real.h) is not: for inputs shorter than MERGE_FROM. */

/* Inputs abreast, those that fill up the last vector among them; 0: they had better not be. */
static size_t abreast_step(const Prepared *prepared, const Pack *pack) {
    size_t lanes = prepared->kernels->lanes, n = pack->inputs[0].n;
    const RunOptions *options = &prepared->options;
    if (pack->count < lanes / 2 || n >= MERGE_FROM) return 0;
    if (prepared->max_d > RT_ABREAST_FEATURES || prepared->wide_heads) return 0;
    if (options->rule != RT_SOFTMAX || options->path == RT_PATH_DENSE) return 0;
    for (size_t i = 1; i < pack->count; i++)
        if (pack->inputs[i].n != n) return 0;
    return round_up(pack->count, lanes);
}

/* Memory of one thread. */
typedef struct {
    Real *k, *v;    /* [keys, d, lanes], [keys, c, lanes]: of one head, close together */
    Real *s;        /* [keys, lanes]: a row of scores */
    uint32_t *kept; /* [keys] */
} Row;

static void row_place(Row *row, RtCarve *memory, const Prepared *prepared, size_t keys) {
    size_t vector = prepared->kernels->lanes * sizeof(Real);
    row->k = rt_carve(memory, keys * prepared->max_d, vector);
    row->v = rt_carve(memory, keys * prepared->max_c, vector);
    row->s = rt_carve(memory, keys, vector);
    row->kept = rt_carve(memory, keys, sizeof *row->kept);
}

/* to[keys, rows, lanes] from x[rows, ·], keys `step` apart */
static void gather_lanes(const Real *x, size_t ld, size_t step, size_t keys, size_t rows,
                         size_t lanes, Real *to) {
    for (size_t p = 0; p < keys; p++)
        for (size_t i = 0; i < rows; i++, to += lanes)
            memcpy(to, x + i * ld + p * step, lanes * sizeof *to);
}

/* All queries of some lanes: `view` is of the first one's column of the sink. */
static void attend_abreast(const Kernels *kernels, const Attention *view, size_t step,
                           const Row *row) {
    size_t lanes = kernels->lanes;
    gather_lanes(view->k, view->ldk, step, view->keys, view->d, lanes, row->k);
    gather_lanes(view->v, view->ldv, step, view->keys, view->c, lanes, row->v);
    for (size_t i = 0; i < view->c; i++) /* the sink sees itself alone */
        memcpy(view->out + i * view->ldout, row->v + i * lanes, lanes * sizeof *view->out);
    for (size_t p = 1; p < view->keys; p++) {
        Span span = span_of(view, p);
        kernels->abreast(&(REAL(Abreast)){.q = view->q + p * step,
                                          .ldq = view->ldq,
                                          .k = row->k,
                                          .v = row->v,
                                          .d = view->d,
                                          .c = view->c,
                                          .sink = span.begin == 0,
                                          .from = span.from,
                                          .end = span.end,
                                          .factor = view->factor,
                                          .bias = view->bias ? view->bias + p : NULL,
                                          .s = row->s,
                                          .kept = row->kept,
                                          .out = view->out + p * step,
                                          .ldout = view->ldout});
    }
}
