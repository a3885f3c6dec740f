/* Template: attention of wide heads, strips of queries at a time, a lane a query.
 *
 * What attention_real.h does row by row, by kernels whose sums stay in registers
 * (kernels_strip_real.h); tiles of keys and running maxima are the same. */

/* Query q sees key k ≥ 1 if least ≤ q − k ≤ most. */
static void set_sight(const Attention *at, REAL(Strip) * strip) {
    ptrdiff_t reach = (ptrdiff_t)at->reach;
    bool causal = at->mask == RT_MASK_CAUSAL || at->mask == RT_MASK_STRICT_CAUSAL;
    bool anti = at->mask == RT_MASK_ANTICAUSAL || at->mask == RT_MASK_STRICT_ANTICAUSAL;
    strip->least = causal ? at->mask == RT_MASK_STRICT_CAUSAL : 1 - reach;
    strip->most = anti ? -(at->mask == RT_MASK_STRICT_ANTICAUSAL) : reach - 1;
}

/* Strip number i of the queries q0 .. q1. */
static REAL(Strip)
    strip_of(const Kernels *kernels, const Attention *at, size_t q0, size_t i, const Tiles *tiles) {
    size_t lanes = kernels->strip_lanes;
    REAL(Strip)
    strip = {.q = tiles->q + i * lanes * at->d,
             .k = at->k,
             .v = at->v,
             .ldk = at->ldk,
             .ldv = at->ldv,
             .d = at->d,
             .c = at->c,
             .copies = at->copies,
             .first = q0 + i * lanes,
             .factor = at->factor,
             .bias = at->bias,
             .s = tiles->s,
             .m = tiles->m + i * lanes,
             .l = tiles->l + i * lanes,
             .z = tiles->z + i * lanes * at->c};
    set_sight(at, &strip);
    return strip;
}

/* Lanes after the last query have a query of zeros. */
static void strip_begin(const Kernels *kernels, const Attention *at, const REAL(Strip) * strip,
                        size_t queries) {
    size_t lanes = kernels->strip_lanes;
    Real *q = (Real *)strip->q;
    for (size_t i = 0; i < at->d; i++, q += lanes) {
        memcpy(q, at->q + i * at->ldq + strip->first, queries * sizeof *q);
        memset(q + queries, 0, (lanes - queries) * sizeof *q);
    }
    for (size_t r = 0; r < lanes; r++) strip->m[r] = -(Real)INFINITY;
    memset(strip->l, 0, lanes * sizeof *strip->l);
    memset(strip->z, 0, lanes * at->c * sizeof *strip->z);
}

/* As attend_tile. The keys of a tile stay in the cache while strip after strip looks at them, each
 * at those alone that one of its queries sees. */
static void attend_strips(const Kernels *kernels, const Attention *at, size_t q0, size_t q1,
                          const Tiles *tiles) {
    size_t lanes = kernels->strip_lanes, count = (q1 - q0 + lanes - 1) / lanes;
    for (size_t i = 0; i < count; i++) {
        REAL(Strip) strip = strip_of(kernels, at, q0, i, tiles);
        strip_begin(kernels, at, &strip, q1 - strip.first < lanes ? q1 - strip.first : lanes);
    }
    Span first = span_of(at, q0), last = span_of(at, q1 - 1);
    for (size_t k0 = first.begin; k0 < last.end;) {
        if (k0 > 0 && k0 < first.from) k0 = first.from; /* no query sees what lies between */
        size_t end = last.end - k0 < tiles->key_tile ? last.end : k0 + tiles->key_tile;
        for (size_t i = 0; i < count && k0 < last.end; i++) {
            REAL(Strip) strip = strip_of(kernels, at, q0, i, tiles);
            size_t q = strip.first + lanes < q1 ? strip.first + lanes : q1;
            size_t most = span_of(at, q - 1).end;
            if (most > k0) kernels->strip(&strip, k0, most < end ? most : end);
        }
        k0 = end;
    }
    for (size_t i = 0; i < count; i++) {
        REAL(Strip) strip = strip_of(kernels, at, q0, i, tiles);
        size_t queries = q1 - strip.first < lanes ? q1 - strip.first : lanes;
        Real *out = at->out + strip.first - at->out_from;
        kernels->strip_end(&strip);
        for (size_t r = 0; r < at->c; r++)
            memcpy(out + r * at->ldout, strip.z + r * lanes, queries * sizeof *out);
    }
}

/* Strips of a few queries are mostly idle lanes. */
static bool go_by_strips(const Attention *at, size_t queries, const Tiles *tiles) {
    enum { LEAST = 8 };
    return tiles->strips && queries >= LEAST && (at->d >= GEMM_FROM || at->c >= GEMM_FROM);
}

static void attend(const Kernels *kernels, RtRule rule, const Attention *at, size_t q0, size_t q1,
                   const Tiles *tiles) {
    for (size_t q = q0; q < q1; q += tiles->query_tile) {
        size_t end = q1 - q < tiles->query_tile ? q1 : q + tiles->query_tile;
        if (go_by_strips(at, end - q, tiles))
            attend_strips(kernels, at, q, end, tiles);
        else
            attend_tile(kernels, rule, at, q, end, tiles);
    }
}
