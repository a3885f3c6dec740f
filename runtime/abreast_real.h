/* Template: attention of many inputs of one length, a lane an input.
 *
 * One row of scores after the other has as many lanes as there are keys, and for short inputs what
 * surrounds them (maxima across lanes, ends of rows, tiles) takes most of the time.  Inputs of one
 * length see the same keys from the same position, so they lie abreast: column p · step + i is
 * position p of input i, and a row of scores is one vector a key.  Where a head looks at positions,
 * as in `reverse`, its weights are the same in all inputs and are computed once.
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
    Real *q;        /* where weights are shared: [d, ld], and so is k */
    size_t ld;
} Row;

static void row_place(Row *row, RtCarve *memory, const Prepared *prepared, size_t keys) {
    size_t vector = prepared->kernels->lanes * sizeof(Real);
    row->ld = round_up(keys, prepared->kernels->lanes);
    row->k = rt_carve(memory, keys * prepared->max_d, vector);
    row->q = rt_carve(memory, row->ld, prepared->max_d * sizeof(Real));
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

/* The query's weights where all inputs have the same, from the first lane: a row over keys. Returns
 * how many are not 0; they and their keys come to the front of row->s and row->kept. */
static size_t weigh_shared(const Kernels *kernels, const Attention *view, size_t p, const Row *row,
                           Real *sum) {
    Real *s = row->s;
    Span span = span_of(view, p);
    size_t end = span.end > span.from ? span.end : 1, kept = 0;
    kernels->scores(row->q + p, row->ld, 1, row->k, row->ld, end, view->d, view->factor, s,
                    row->ld);
    for (size_t k = span.begin; k < span.from && k < end; k++)
        if (k > 0) s[k] = -(Real)INFINITY;
    if (span.begin > 0) s[0] = -(Real)INFINITY;
    if (view->bias) bias_row(view->bias, p, 0, end, s);
    *sum = kernels->exp_row(s, end, kernels->max_row(s, end));
    for (size_t k = 0; k < end; k++) {
        if (s[k] == 0) continue;
        row->kept[kept] = (uint32_t)k;
        s[kept++] = s[k];
    }
    return kept;
}

/* Queries and keys of the first lane, a feature a row. */
static void gather_shared(const Attention *view, size_t step, const Row *row) {
    for (size_t i = 0; i < view->d; i++)
        for (size_t p = 0; p < view->keys; p++) {
            row->q[i * row->ld + p] = view->q[i * view->ldq + p * step];
            row->k[i * row->ld + p] = view->k[i * view->ldk + p * step];
        }
}

/* What query p of some lanes reads. */
static void read_abreast(const Kernels *kernels, const Attention *view, size_t p, size_t step,
                         const Row *row) {
    Span span = span_of(view, p);
    REAL(Abreast)
    at = {.q = view->q + p * step,
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
          .ldout = view->ldout};
    if (!view->shared) {
        kernels->abreast(&at);
        return;
    }
    Real sum;
    size_t kept = weigh_shared(kernels, view, p, row, &sum);
    kernels->abreast_mix(&at, row->s, kept, sum);
}

/* All queries of some lanes: `view` is of the first one's column of the sink. */
static void attend_abreast(const Kernels *kernels, const Attention *view, size_t step,
                           const Row *row) {
    size_t lanes = kernels->lanes;
    if (view->shared)
        gather_shared(view, step, row);
    else
        gather_lanes(view->k, view->ldk, step, view->keys, view->d, lanes, row->k);
    gather_lanes(view->v, view->ldv, step, view->keys, view->c, lanes, row->v);
    for (size_t i = 0; i < view->c; i++) /* the sink sees itself alone */
        memcpy(view->out + i * view->ldout, row->v + i * lanes, lanes * sizeof *view->out);
    for (size_t p = 1; p < view->keys; p++) read_abreast(kernels, view, p, step, row);
}
