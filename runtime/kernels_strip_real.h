/* Template: softmax attention of a strip of queries, a lane a query; a part of kernels_real.h.
 *
 * For wide heads products take the time, and both are of one kind (kernels_product_real.h): scores
 * [keys, strip] from k and the queries, what is read [c, strip] from v and the weights. Keys and
 * values lie feature by feature, as the projection left them, and scores are made as they are read.
 * Maxima, masks and exp need no look across lanes.
 *
 * Scores of one tile of keys exist at a time, [keys, strip]; the first cache holds them for a part
 * of the tile while it is weighed and mixed. The maximum is that of the whole tile, so that a row
 * is rescaled once a tile (numerics.h). */

#define STRIP      (PANEL_VECTORS * LANES)
#define STRIP_KEYS ((size_t)128)

#define EACH_VECTOR UNROLL for (size_t w = 0; w < PANEL_VECTORS; w++)

/* Products of queries and a key become scores. */
INLINE void REAL(strip_place)(const REAL(Strip) * at, size_t key, Real *s) {
    const Real *bias = at->bias && key ? at->bias + (ptrdiff_t)(at->first - key) : NULL;
    EACH_VECTOR {
        Vec x = REAL(get)(s + w * LANES) * at->factor;
        if (bias) x += REAL(get)(bias + w * LANES);
        REAL(put)(s + w * LANES, x);
    }
}

/* −∞ for queries that do not see the key. */
INLINE void REAL(strip_mask)(const REAL(Strip) * at, size_t key, Real *s) {
    ptrdiff_t apart = (ptrdiff_t)at->first - (ptrdiff_t)key, last = apart + (ptrdiff_t)STRIP - 1;
    if (key == 0 || (apart >= at->least && last <= at->most)) return;
    for (size_t r = 0; r < STRIP; r++, apart++)
        if (apart < at->least || apart > at->most) s[r] = -(Real)INFINITY;
}

/* Scores of the keys k0 .. k1; raises `top` to their maxima. */
INLINE void REAL(strip_scores)(const REAL(Strip) * at, size_t k0, size_t k1, Real *s, Vec *top) {
    REAL(Factor) keys = {at->k + k0, 1, at->ldk};
    REAL(panels)(keys, k1 - k0, at->d, at->q, STRIP, PANEL_VECTORS, NULL, s, STRIP);
    bool plain = at->factor == 1 && !at->bias;
    for (size_t key = k0; key < k1; key++, s += STRIP) {
        if (!plain) REAL(strip_place)(at, key, s);
        REAL(strip_mask)(at, key, s);
        EACH_VECTOR top[w] = REAL(max)(REAL(get)(s + w * LANES), top[w]);
    }
}

/* Scores of `keys` keys become weights; returns whether one of them is not 0, and adds to `sum`. */
INLINE bool REAL(strip_weigh)(const Real *copies, size_t keys, const Vec *top, Real *s, Vec *sum) {
    Vec part[PANEL_VECTORS] = {{0}};
    for (size_t j = 0; j < keys; j++, s += STRIP) {
        Vec x[PANEL_VECTORS], e[PANEL_VECTORS] = {{0}};
        Bits some = {0};
        EACH_VECTOR {
            x[w] = REAL(get)(s + w * LANES) - top[w];
            some |= ~(x[w] < REAL(exp_least));
        }
        if (REAL(any)(some)) EACH_VECTOR e[w] = REAL(exp)(x[w]);
        EACH_VECTOR {
            REAL(put)(s + w * LANES, e[w]);
            part[w] += (copies ? copies[j] : 1) * e[w];
        }
    }
    Bits some = {0};
    EACH_VECTOR {
        some |= part[w] != 0;
        sum[w] += part[w];
    }
    return REAL(any)(some);
}

static void REAL(strip)(const REAL(Strip) * at, size_t k0, size_t k1) {
    Vec top[PANEL_VECTORS], keep[PANEL_VECTORS], sum[PANEL_VECTORS];
    EACH_VECTOR top[w] = REAL(get)(at->m + w * LANES);
    for (size_t k = k0; k < k1; k += STRIP_KEYS) {
        size_t end = k1 - k < STRIP_KEYS ? k1 : k + STRIP_KEYS;
        REAL(strip_scores)(at, k, end, at->s + (k - k0) * STRIP, top);
    }
    EACH_VECTOR {
        Vec before = REAL(get)(at->m + w * LANES);
        REAL(put)(at->m + w * LANES, top[w]);
        /* A query that has seen no key yet: all its weights are to be exp(−∞ − 0). */
        top[w] = REAL(choose)(top[w] == -(Real)INFINITY, (Vec){0}, top[w]);
        keep[w] = REAL(exp)(before - top[w]);
        sum[w] = REAL(get)(at->l + w * LANES) * keep[w];
    }
    for (size_t k = k0; k < k1; k += STRIP_KEYS) {
        size_t keys = k1 - k < STRIP_KEYS ? k1 - k : STRIP_KEYS;
        Real *s = at->s + (k - k0) * STRIP;
        /* Where a maximum was raised, some weight is 1: `keep` is not forgotten. */
        if (!REAL(strip_weigh)(at->copies ? at->copies + k : NULL, keys, top, s, sum)) continue;
        REAL(Factor) values = {at->v + k, at->ldv, 1};
        REAL(panels)(values, at->c, keys, s, STRIP, PANEL_VECTORS, keep, at->z, STRIP);
        EACH_VECTOR keep[w] = REAL(all)(1);
    }
    EACH_VECTOR REAL(put)(at->l + w * LANES, sum[w]);
}

static void REAL(strip_end)(const REAL(Strip) * at) {
    Vec sum[PANEL_VECTORS];
    EACH_VECTOR sum[w] = REAL(get)(at->l + w * LANES);
    for (size_t i = 0; i < at->c; i++) {
        Real *z = at->z + i * STRIP;
        EACH_VECTOR REAL(put)(z + w * LANES, REAL(get)(z + w * LANES) / sum[w]);
    }
}
