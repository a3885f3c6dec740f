/* Template: attention of some queries to their keys, tile by tile.
 *
 * Columns of q, k and v are positions; column 0 is the sink. Scores exist for a tile of queries and
 * keys at a time, [query_tile, key_tile]. A row's running maximum m, sum l and mixed values z are
 * carried from tile to tile and rescaled by exp(old m − new m) when the maximum grows (Milakov and
 * Gimelshein 2018; Rabe and Staats 2021), so that in the end every weight is relative to the row's
 * true maximum. A rule that cannot be taken to pieces gets all keys as one tile: O(n) memory. */

typedef struct {
    const Real *q, *k, *v; /* [d, ·], [d, keys], [c, keys] */
    size_t ldq, ldk, ldv;
    size_t d, c, keys;
    const Real *copies; /* how many positions each key stands for, or NULL: one */
    RtMask mask;
    bool sink;           /* whether queries see column 0 */
    bool shared;         /* scores are the same in all inputs of one length */
    size_t reach;        /* other keys are seen if they are fewer steps away */
    Real factor, window; /* of scores: scale / temperature; see Scores */
    double parameter;    /* of the rule */
    const Real *bias;    /* added to scores, by query − key; NULL: none */
    Real *out;           /* [c, ·]: column q − out_from gets what query q reads */
    size_t ldout, out_from;
} Attention;

typedef struct {
    Real *s; /* [query_tile, lds]; in strips: [key_tile, strip_lanes] */
    Real *z; /* [query_tile, c] */
    Real *m, *l;
    Real *q; /* in strips: [strips, d, strip_lanes] */
    size_t query_tile, key_tile, lds;
    bool blas;   /* whether OpenBLAS may be used */
    bool strips; /* whether wide heads go by strips */
} Tiles;

/* For heads over up to `keys` columns. */
static void tiles_place(Tiles *tiles, RtCarve *memory, const Prepared *prepared, size_t keys) {
    const RunOptions *options = &prepared->options;
    size_t c = prepared->max_c;
    bool wide = prepared->wide_heads;
    tiles->blas = prepared->blas;
    tiles->query_tile = wide ? (size_t)RT_WIDE_QUERIES : (size_t)RT_NARROW_QUERIES;
    tiles->key_tile = wide ? (size_t)RT_WIDE_KEYS : (size_t)RT_NARROW_KEYS;
    if (options->query_tile) tiles->query_tile = options->query_tile;
    if (options->key_tile) tiles->key_tile = options->key_tile;
    if (tiles->key_tile > keys || !rt_rules[options->rule].tiles) tiles->key_tile = keys;
    if (tiles->query_tile > keys) tiles->query_tile = keys;
    tiles->lds = round_up(tiles->key_tile, PAD);
    size_t lanes = prepared->kernels->strip_lanes, rows = round_up(tiles->query_tile, lanes);
    tiles->strips = prepared->strips;
    tiles->s = rt_carve(memory, larger(tiles->query_tile, lanes), tiles->lds * sizeof(Real));
    tiles->z = rt_carve(memory, rows, c * sizeof(Real));
    tiles->m = rt_carve(memory, rows, sizeof(Real));
    tiles->l = rt_carve(memory, rows, sizeof(Real));
    tiles->q = rt_carve(memory, tiles->strips ? rows : 0, prepared->max_d * sizeof(Real));
}

/* What a query sees: column 0 if begin is 0, and the columns [from, end). */
typedef struct {
    size_t begin, from, end;
} Span;

static Span span_of(const Attention *at, size_t q) {
    Span span = {at->sink ? 0 : 1, 1, at->keys};
    if (at->mask == RT_MASK_CAUSAL) span.end = q + 1;
    if (at->mask == RT_MASK_STRICT_CAUSAL) span.end = q;
    if (at->mask == RT_MASK_ANTICAUSAL) span.from = q;
    if (at->mask == RT_MASK_STRICT_ANTICAUSAL) span.from = q + 1;
    if (q + 1 > at->reach && q + 1 - at->reach > span.from) span.from = q + 1 - at->reach;
    if (q + at->reach < span.end) span.end = q + at->reach;
    return span;
}

static void tile_scores(const Kernels *kernels, const Attention *at, size_t q0, size_t rows,
                        size_t k0, size_t width, const Tiles *tiles) {
    const Real *q = at->q + q0, *k = at->k + k0;
    if (!tiles->blas || at->d < GEMM_FROM) {
        kernels->scores(q, at->ldq, rows, k, at->ldk, width, at->d, at->factor, tiles->s,
                        tiles->lds);
        return;
    }
    GemmShape shape = {.transpose_a = true,
                       .m = rows,
                       .n = width,
                       .k = at->d,
                       .lda = at->ldq,
                       .ldb = at->ldk,
                       .ldc = tiles->lds};
    REAL(rt_gemm)(&shape, at->factor, q, k, 0, tiles->s);
}

static void tile_mix(const Kernels *kernels, const Attention *at, size_t rows, size_t k0,
                     size_t width, const Tiles *tiles) {
    const Real *v = at->v + k0;
    if (!tiles->blas || at->c < GEMM_FROM) {
        kernels->mix(tiles->s, tiles->lds, rows, v, at->ldv, width, at->c, tiles->z, at->c);
        return;
    }
    GemmShape shape = {.transpose_b = true,
                       .m = rows,
                       .n = at->c,
                       .k = width,
                       .lda = tiles->lds,
                       .ldb = at->ldv,
                       .ldc = at->c};
    REAL(rt_gemm)(&shape, 1, tiles->s, v, 1, tiles->z);
}

/* Row r has met a larger score: what it has so far counts for less. */
static void raise_top(const Kernels *kernels, const Attention *at, const Tiles *tiles, size_t r,
                      Real top) {
    if (tiles->l[r] > 0) {
        Real less[PAD] = {tiles->m[r]};
        kernels->exp_row(less, 1, top);
        tiles->l[r] *= *less;
        for (size_t i = 0; i < at->c; i++) tiles->z[r * at->c + i] *= *less;
    }
    tiles->m[r] = top;
}

/* Sets what the query does not see among the columns k0 .. k0 + width to −∞; returns how many
 * columns there are up to the last that it sees. */
static size_t mask_row(const Attention *at, size_t q, size_t k0, size_t width, Real *s) {
    Span span = span_of(at, q);
    if (span.end <= k0) return 0;
    size_t end = span.end - k0 < width ? span.end : k0 + width;
    for (size_t k = k0 > 1 ? k0 : 1; k < span.from && k < end; k++) s[k - k0] = -(Real)INFINITY;
    return end - k0;
}

/* Adds what position adds to the first n of the columns from k0; the sink has no position. */
static void bias_row(const Real *bias, size_t q, size_t k0, size_t n, Real *s) {
    for (size_t k = k0 > 1 ? k0 : 1; k < k0 + n; k++)
        s[k - k0] += bias[(ptrdiff_t)q - (ptrdiff_t)k];
}

/* Scores of query q for the columns from k0 become weights; those not seen get 0. */
static void weigh_row(const Kernels *kernels, RtRule rule, const Attention *at, const Tiles *tiles,
                      size_t q, size_t r, size_t k0, size_t width) {
    Real *s = tiles->s + r * tiles->lds;
    size_t n = mask_row(at, q, k0, width, s);
    if (at->bias) bias_row(at->bias, q, k0, n, s);
    Real top = kernels->max_row(s, n);
    /* What is so far below the maximum that exp gives 0 need not be computed. A score that is NaN
     * makes `top` NaN, fails these tests and so comes out in the result, where it is reported. */
    bool negligible = rt_rules[rule].tiles && top - tiles->m[r] < REAL(exp_least);
    if (n == 0 || top == -(Real)INFINITY || negligible) {
        memset(s, 0, width * sizeof *s);
        return;
    }
    if (top > tiles->m[r]) raise_top(kernels, at, tiles, r, top);
    Real sum = rules[rule](&(Scores){s, n, tiles->m[r], at->window, at->parameter, kernels});
    if (at->copies) {
        sum = 0;
        kernels->mix(s, tiles->lds, 1, at->copies + k0, 0, n, 1, &sum, 1);
    }
    tiles->l[r] += sum;
    memset(s + n, 0, (width - n) * sizeof *s);
}

/* Queries q0 .. q1, at most query_tile of them. */
static void attend_tile(const Kernels *kernels, RtRule rule, const Attention *at, size_t q0,
                        size_t q1, const Tiles *tiles) {
    size_t rows = q1 - q0;
    for (size_t r = 0; r < rows; r++) {
        tiles->m[r] = -(Real)INFINITY;
        tiles->l[r] = 0;
    }
    memset(tiles->z, 0, rows * at->c * sizeof *tiles->z);
    Span first = span_of(at, q0), last = span_of(at, q1 - 1);
    for (size_t k0 = first.begin; k0 < last.end;) {
        if (k0 > 0 && k0 < first.from) k0 = first.from; /* no query sees what lies between */
        if (k0 >= last.end) break;
        size_t width = last.end - k0 < tiles->key_tile ? last.end - k0 : tiles->key_tile;
        tile_scores(kernels, at, q0, rows, k0, width, tiles);
        for (size_t r = 0; r < rows; r++) weigh_row(kernels, rule, at, tiles, q0 + r, r, k0, width);
        tile_mix(kernels, at, rows, k0, width, tiles);
        k0 += width;
    }
    for (size_t r = 0; r < rows; r++) {
        for (size_t i = 0; i < at->c; i++)
            at->out[i * at->ldout + q0 + r - at->out_from] = tiles->z[r * at->c + i] / tiles->l[r];
    }
}
