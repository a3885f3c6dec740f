/* Template: the kernels for one real type and one vector width.
 *
 * Included by kernels_*.c with VEC_BYTES defined, KERNELS naming the set and ANY(v) saying whether
 * a vector of RealBits has a bit set. Vectors are GCC's generic ones, so there is one source for
 * every instruction set and no intrinsic. */
#include "runtime/real.h"

#define LANES (VEC_BYTES / sizeof(Real))

typedef Real REAL(Vec) __attribute__((vector_size(VEC_BYTES)));
typedef RealBits REAL(Bits) __attribute__((vector_size(VEC_BYTES)));
typedef RealWord REAL(Words) __attribute__((vector_size(VEC_BYTES)));
/* The same where they lie in memory, at any element. */
typedef Real REAL(Place) __attribute__((vector_size(VEC_BYTES), aligned(sizeof(Real)), may_alias));

#define Vec    REAL(Vec)
#define Bits   REAL(Bits)
#define INLINE static inline __attribute__((always_inline))

/* Before loops over a few accumulators, which have to live in registers. gcc -O2 leaves such loops
 * alone (two to three times slower, measured); clang unrolls them by itself. */
#ifdef __clang__
#define UNROLL
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

INLINE Vec REAL(get)(const Real *p) {
    return *(const REAL(Place) *)p;
}

INLINE void REAL(put)(Real *p, Vec v) {
    *(REAL(Place) *)p = v;
}

INLINE Vec REAL(all)(Real x) {
    return x - (Vec){0};
}

INLINE bool REAL(any)(Bits v) {
    return ANY(v);
}

/* mask ? a : b, lane by lane; a comparison gives all ones or all zeros. */
INLINE Vec REAL(choose)(Bits mask, Vec a, Vec b) {
    return (Vec)(((Bits)a & mask) | ((Bits)b & ~mask));
}

INLINE Vec REAL(max)(Vec a, Vec b) {
    return REAL(choose)(a > b, a, b);
}

/* Ones in the first n lanes. */
INLINE Bits REAL(first)(size_t n) {
    Bits lane;
    UNROLL for (size_t i = 0; i < LANES; i++) lane[i] = (RealBits)i;
    return lane < (RealBits)n;
}

INLINE Real REAL(sum_lanes)(Vec v) {
    Real part[LANES];
    memcpy(part, &v, sizeof v);
    UNROLL for (size_t width = LANES / 2; width; width /= 2) {
        UNROLL for (size_t i = 0; i < width; i++) part[i] += part[i + width];
    }
    return part[0];
}

INLINE Real REAL(max_lanes)(Vec v) {
    Real part[LANES];
    memcpy(part, &v, sizeof v);
    UNROLL for (size_t width = LANES / 2; width; width /= 2) {
        UNROLL for (size_t i = 0; i < width; i++) {
            part[i] = part[i] > part[i + width] ? part[i] : part[i + width];
        }
    }
    return part[0];
}

/* exp(x) for x ≤ 0: x = n ln 2 + r with |r| ≤ ln 2 / 2, a Taylor polynomial of exp(r) whose
 * remainder is below 0.05 ulp, times 2^n. Adding and subtracting `magic` rounds to an integer,
 * whose lowest bits are then n. ln 2 is split so that n · ln2_hi is exact (fdlibm, Cephes). x = 0
 * gives n = r = 0 and so exactly 1. Arguments below exp_least are computed as if they were it and
 * cut away at the end, so that no subnormal number, slow on many processors, ever arises. */
#if REAL_BITS == 32
#define EXP_MAGIC    12582912.0f /* 1.5 · 2^23 */
#define EXP_LOG2E    1.44269504088896341f
#define EXP_LN2_HI   0.693359375f
#define EXP_LN2_LO   (-2.12194440054690583e-4f)
#define EXP_BIAS     127
#define EXP_MANTISSA 23
static const Real REAL(exp_terms)[] = {1.0f / 5040, 1.0f / 720, 1.0f / 120, 1.0f / 24,
                                       1.0f / 6,    0.5f,       1,          1};
#else
#define EXP_MAGIC    6755399441055744.0 /* 1.5 · 2^52 */
#define EXP_LOG2E    1.44269504088896340736
#define EXP_LN2_HI   6.93147180369123816490e-01
#define EXP_LN2_LO   1.90821492927058770002e-10
#define EXP_BIAS     1023
#define EXP_MANTISSA 52
static const Real REAL(exp_terms)[] = {1.0 / 6227020800,
                                       1.0 / 479001600,
                                       1.0 / 39916800,
                                       1.0 / 3628800,
                                       1.0 / 362880,
                                       1.0 / 40320,
                                       1.0 / 5040,
                                       1.0 / 720,
                                       1.0 / 120,
                                       1.0 / 24,
                                       1.0 / 6,
                                       0.5,
                                       1,
                                       1};
#endif

INLINE Vec REAL(exp)(Vec x) {
    Bits small = x < REAL(exp_least);
    x = REAL(choose)(small, REAL(all)(REAL(exp_least)), x); /* NaN stays */
    Vec shifted = x * (Real)EXP_LOG2E + (Real)EXP_MAGIC;
    Vec n = shifted - (Real)EXP_MAGIC;
    Vec r = x - n * (Real)EXP_LN2_HI - n * (Real)EXP_LN2_LO;
    Vec p = REAL(all)(REAL(exp_terms)[0]);
    UNROLL for (size_t i = 1; i < sizeof REAL(exp_terms) / sizeof(Real); i++) {
        p = p * r + REAL(exp_terms)[i];
    }
    Vec scale =
        (Vec)(((REAL(Words))shifted << EXP_MANTISSA) + ((RealWord)EXP_BIAS << EXP_MANTISSA));
    return (Vec)((Bits)(p * scale) & ~small);
}

static Real REAL(max_row)(const Real *s, size_t n) {
    Vec m = REAL(all)(-(Real)INFINITY);
    Bits nan = {0};
    size_t j = 0;
    for (; j + LANES <= n; j += LANES) {
        Vec x = REAL(get)(s + j);
        nan |= x != x;
        m = REAL(max)(x, m);
    }
    if (j < n) {
        Vec x = REAL(choose)(REAL(first)(n - j), REAL(get)(s + j), m);
        nan |= x != x;
        m = REAL(max)(x, m);
    }
    return REAL(any)(nan) ? (Real)NAN : REAL(max_lanes)(m);
}

static Real REAL(exp_row)(Real *s, size_t n, Real top) {
    Vec sum = {0};
    size_t j = 0;
    for (; j + LANES <= n; j += LANES) {
        Vec x = REAL(get)(s + j) - top, e = {0};
        /* Compiled heads select few keys: most vectors are all zeros. */
        if (REAL(any)(~(x < REAL(exp_least)))) e = REAL(exp)(x);
        REAL(put)(s + j, e);
        sum += e;
    }
    if (j < n) {
        Bits rest = REAL(first)(n - j);
        Vec e = (Vec)((Bits)REAL(exp)(REAL(get)(s + j) - top) & rest);
        REAL(put)(s + j, e);
        sum += e;
    }
    return REAL(sum_lanes)(sum);
}

/* Scores of `rows` ≤ 4 queries against two vectors of keys, or one: a row of k is loaded once for
 * all of them. */
INLINE void REAL(score_tile)(const Real *q, size_t ldq, size_t rows, const Real *k, size_t ldk,
                             size_t d, Real factor, Real *s, size_t lds, size_t vectors) {
    Vec acc[4][2];
    UNROLL for (size_t r = 0; r < rows; r++) {
        UNROLL for (size_t v = 0; v < vectors; v++) acc[r][v] = (Vec){0};
    }
    for (size_t i = 0; i < d; i++) {
        UNROLL for (size_t v = 0; v < vectors; v++) {
            Vec key = REAL(get)(k + i * ldk + v * LANES);
            UNROLL for (size_t r = 0; r < rows; r++) acc[r][v] += q[i * ldq + r] * key;
        }
    }
    for (size_t r = 0; r < rows; r++) {
        for (size_t v = 0; v < vectors; v++) REAL(put)(s + r * lds + v * LANES, acc[r][v] * factor);
    }
}

INLINE void REAL(score_rows)(const Real *q, size_t ldq, size_t rows, const Real *k, size_t ldk,
                             size_t n, size_t d, Real factor, Real *s, size_t lds) {
    size_t j = 0;
    for (; j + LANES < n; j += 2 * LANES)
        REAL(score_tile)(q, ldq, rows, k + j, ldk, d, factor, s + j, lds, 2);
    if (j < n) REAL(score_tile)(q, ldq, rows, k + j, ldk, d, factor, s + j, lds, 1);
}

static void REAL(scores)(const Real *q, size_t ldq, size_t rows, const Real *k, size_t ldk,
                         size_t n, size_t d, Real factor, Real *s, size_t lds) {
    size_t r = 0;
    for (; r + 4 <= rows; r += 4)
        REAL(score_rows)(q + r, ldq, 4, k, ldk, n, d, factor, s + r * lds, lds);
    for (; r < rows; r++) REAL(score_rows)(q + r, ldq, 1, k, ldk, n, d, factor, s + r * lds, lds);
}

/* z[r, i] += a[r, ·] · v[i, ·] for `rows` ≤ 4 rows and `cols` ≤ 2 columns of z. */
INLINE void REAL(mix_tile)(const Real *a, size_t lda, size_t rows, const Real *v, size_t ldv,
                           size_t n, size_t cols, Real *z, size_t ldz) {
    Vec acc[4][2];
    UNROLL for (size_t r = 0; r < rows; r++) {
        UNROLL for (size_t i = 0; i < cols; i++) acc[r][i] = (Vec){0};
    }
    size_t j = 0;
    for (; j + LANES <= n; j += LANES) {
        UNROLL for (size_t i = 0; i < cols; i++) {
            Vec value = REAL(get)(v + i * ldv + j);
            UNROLL for (size_t r = 0; r < rows; r++) acc[r][i] +=
                REAL(get)(a + r * lda + j) * value;
        }
    }
    if (j < n) { /* lanes past the end are cut away from both factors: they may hold anything */
        Bits rest = REAL(first)(n - j);
        UNROLL for (size_t i = 0; i < cols; i++) {
            Vec value = (Vec)((Bits)REAL(get)(v + i * ldv + j) & rest);
            UNROLL for (size_t r = 0; r < rows; r++) {
                Vec weight = (Vec)((Bits)REAL(get)(a + r * lda + j) & rest);
                acc[r][i] += weight * value;
            }
        }
    }
    UNROLL for (size_t r = 0; r < rows; r++) {
        UNROLL for (size_t i = 0; i < cols; i++) z[r * ldz + i] += REAL(sum_lanes)(acc[r][i]);
    }
}

INLINE void REAL(mix_rows)(const Real *a, size_t lda, size_t rows, const Real *v, size_t ldv,
                           size_t n, size_t c, Real *z, size_t ldz) {
    size_t i = 0;
    for (; i + 2 <= c; i += 2) REAL(mix_tile)(a, lda, rows, v + i * ldv, ldv, n, 2, z + i, ldz);
    if (i < c) REAL(mix_tile)(a, lda, rows, v + i * ldv, ldv, n, 1, z + i, ldz);
}

static void REAL(mix)(const Real *a, size_t lda, size_t rows, const Real *v, size_t ldv, size_t n,
                      size_t c, Real *z, size_t ldz) {
    size_t r = 0;
    for (; r + 4 <= rows; r += 4)
        REAL(mix_rows)(a + r * lda, lda, 4, v, ldv, n, c, z + r * ldz, ldz);
    for (; r < rows; r++) REAL(mix_rows)(a + r * lda, lda, 1, v, ldv, n, c, z + r * ldz, ldz);
}

/* The scores of keys from .. end, the first of them number `count` of the row; returns the largest
 * of them and `top`. */
INLINE Vec REAL(abreast_range)(const REAL(Abreast) * at, const Vec *q, size_t d, size_t from,
                               size_t end, size_t count, Vec top) {
    for (size_t p = from; p < end; p++, count++) {
        Vec acc = {0};
        UNROLL for (size_t i = 0; i < d; i++) acc += q[i] * REAL(get)(at->k + (p * d + i) * LANES);
        acc *= at->factor;
        if (at->bias && p) acc += at->bias[-(ptrdiff_t)p];
        REAL(put)(at->s + count * LANES, acc);
        at->kept[count] = (uint32_t)p;
        top = REAL(max)(acc, top);
    }
    return top;
}

INLINE Vec REAL(abreast_scores)(const REAL(Abreast) * at, size_t d, size_t *count) {
    Vec q[RT_ABREAST_FEATURES] = {{0}}, top = REAL(all)(-(Real)INFINITY);
    UNROLL for (size_t i = 0; i < d; i++) q[i] = REAL(get)(at->q + i * at->ldq);
    top = REAL(abreast_range)(at, q, d, 0, at->sink, 0, top);
    *count = at->sink + (at->end > at->from ? at->end - at->from : 0);
    return REAL(abreast_range)(at, q, d, at->from, at->end, at->sink, top);
}

/* Scores become exp(score − top); keys whose weight is 0 in every lane are dropped, as nearly all
 * are where all inputs look at the same position.  Returns how many are left. */
INLINE size_t REAL(abreast_weigh)(const REAL(Abreast) * at, size_t count, Vec top, Vec *sum) {
    size_t kept = 0;
    for (size_t e = 0; e < count; e++) {
        Vec x = REAL(get)(at->s + e * LANES) - top;
        if (!REAL(any)(~(x < REAL(exp_least)))) continue;
        Vec weight = REAL(exp)(x);
        *sum += weight;
        REAL(put)(at->s + kept * LANES, weight);
        at->kept[kept++] = at->kept[e];
    }
    return kept;
}

static void REAL(abreast)(const REAL(Abreast) * at) {
    Vec sum = {0}, top;
    size_t count;
    switch (at->d) { /* what compiled heads have: loops without a branch */
    case 1:
        top = REAL(abreast_scores)(at, 1, &count);
        break;
    case 2:
        top = REAL(abreast_scores)(at, 2, &count);
        break;
    case 3:
        top = REAL(abreast_scores)(at, 3, &count);
        break;
    case 4:
        top = REAL(abreast_scores)(at, 4, &count);
        break;
    default:
        top = REAL(abreast_scores)(at, at->d, &count);
    }
    size_t kept = REAL(abreast_weigh)(at, count, top, &sum);
    for (size_t i = 0; i < at->c; i++) {
        Vec acc = {0};
        for (size_t e = 0; e < kept; e++)
            acc +=
                REAL(get)(at->s + e * LANES) * REAL(get)(at->v + (at->kept[e] * at->c + i) * LANES);
        REAL(put)(at->out + i * at->ldout, acc / sum);
    }
}

static void REAL(abreast_mix)(const REAL(Abreast) * at, const Real *weights, size_t count,
                              Real sum) {
    for (size_t i = 0; i < at->c; i++) {
        Vec acc = {0};
        for (size_t e = 0; e < count; e++)
            acc += weights[e] * REAL(get)(at->v + (at->kept[e] * at->c + i) * LANES);
        REAL(put)(at->out + i * at->ldout, acc / sum);
    }
}

#include "runtime/kernels_product_real.h"
#include "runtime/kernels_strip_real.h"

/* What a product does with the rows it computes. */
enum REAL(Then) { REAL(THEN_SET), REAL(THEN_ADD), REAL(THEN_RELU) };

/* Columns j .. j + vectors·LANES of one row of a product, in registers from first to last. */
INLINE bool REAL(row_strip)(const REAL(Compressed) * m, size_t o, const Real *x, size_t ldx,
                            const unsigned char *live, Real *y, Real bias, size_t vectors,
                            enum REAL(Then) then) {
    Vec acc[4];
    UNROLL for (size_t v = 0; v < vectors; v++) acc[v] =
        then == REAL(THEN_ADD) ? REAL(get)(y + v * LANES) : REAL(all)(bias);
    for (size_t e = m->start[o]; e < m->start[o + 1]; e++) {
        size_t i = m->index[e];
        if (!live[i]) continue;
        Real weight = m->value[e];
        const Real *row = x + i * ldx;
        UNROLL for (size_t v = 0; v < vectors; v++) acc[v] += weight * REAL(get)(row + v * LANES);
    }
    Bits any = {0};
    UNROLL for (size_t v = 0; v < vectors; v++) {
        if (then == REAL(THEN_RELU)) {
            acc[v] = REAL(choose)(acc[v] < 0, (Vec){0}, acc[v]); /* NaN stays */
            any |= acc[v] != 0;
        }
        REAL(put)(y + v * LANES, acc[v]);
    }
    if (then != REAL(THEN_RELU)) return true;
    return REAL(any)(any);
}

INLINE bool REAL(row)(const REAL(Compressed) * m, size_t o, const Real *x, size_t ldx,
                      const unsigned char *live, Real *y, Real bias, size_t cols,
                      enum REAL(Then) then) {
    size_t j = 0;
    bool some = false;
    for (; j + 4 * LANES <= cols; j += 4 * LANES)
        some |= REAL(row_strip)(m, o, x + j, ldx, live, y + j, bias, 4, then);
    for (; j < cols; j += LANES)
        some |= REAL(row_strip)(m, o, x + j, ldx, live, y + j, bias, 1, then);
    return some;
}

static void REAL(multiply)(const REAL(Compressed) * m, const Real *x, size_t ldx,
                           const unsigned char *live, Real *y, size_t ldy, size_t cols) {
    for (size_t o = 0; o < m->outs; o++)
        REAL(row)(m, o, x, ldx, live, y + o * ldy, 0, cols, REAL(THEN_SET));
}

static void REAL(multiply_add)(const REAL(Compressed) * m, const Real *x, size_t ldx,
                               const unsigned char *live, Real *y, size_t ldy, size_t cols) {
    for (size_t o = 0; o < m->outs; o++) {
        if (m->start[o] < m->start[o + 1])
            REAL(row)(m, o, x, ldx, live, y + o * ldy, 0, cols, REAL(THEN_ADD));
    }
}

static void REAL(multiply_relu)(const REAL(Compressed) * m, const Real *bias, const Real *x,
                                size_t ldx, const unsigned char *live, Real *y, size_t ldy,
                                unsigned char *live_out, size_t cols) {
    for (size_t o = 0; o < m->outs; o++)
        live_out[o] = REAL(row)(m, o, x, ldx, live, y + o * ldy, bias[o], cols, REAL(THEN_RELU));
}

static void REAL(bias_relu)(const Real *bias, Real *y, size_t ldy, size_t rows, size_t cols) {
    for (size_t o = 0; o < rows; o++) {
        for (size_t j = 0; j < cols; j += LANES) {
            Vec sum = REAL(get)(y + o * ldy + j) + bias[o];
            REAL(put)(y + o * ldy + j, REAL(choose)(sum < 0, (Vec){0}, sum));
        }
    }
}

static void REAL(find_live)(const Real *x, size_t ldx, size_t rows, size_t cols,
                            unsigned char *live) {
    for (size_t i = 0; i < rows; i++) {
        Bits any = {0};
        for (size_t j = 0; j < cols; j += LANES) any |= REAL(get)(x + i * ldx + j) != 0;
        live[i] = REAL(any)(any);
    }
}

static bool REAL(argmax)(const Real *x, size_t ldx, size_t rows, size_t cols, RealBits *index,
                         Real *best, Real *second) {
    Bits finite = ~(Bits){0};
    for (size_t j = 0; j < cols; j += LANES) {
        Vec most = REAL(get)(x + j), next = REAL(all)(-(Real)INFINITY);
        Bits which = {0};
        finite &= most - most == 0;
        for (size_t i = 1; i < rows; i++) {
            Vec other = REAL(get)(x + i * ldx + j);
            Bits larger = other > most;
            finite &= other - other == 0;
            next = REAL(max)(REAL(choose)(larger, most, other), next);
            most = REAL(choose)(larger, other, most);
            which = (which & ~larger) | ((RealBits)i & larger);
        }
        memcpy(index + j, &which, sizeof which);
        REAL(put)(best + j, most);
        REAL(put)(second + j, next);
    }
    return !REAL(any)(~finite);
}

static void REAL(hash_columns)(const Real *x, size_t ldx, size_t rows, size_t cols,
                               RealWord *hash) {
    const RealWord odd = (RealWord)0x9E3779B97F4A7C15;
    for (size_t j = 0; j < cols; j += LANES) {
        REAL(Words) h = {0};
        for (size_t i = 0; i < rows; i++) {
            h = (h ^ (REAL(Words))(REAL(get)(x + i * ldx + j) + (Real)0)) * odd; /* −0 + 0 is 0 */
            h ^= h >> (REAL_BITS / 2 - 1);
        }
        memcpy(hash + j, &h, sizeof h);
    }
}

const REAL(Kernels) REAL(KERNELS) = {
    .lanes = LANES,
    .max_row = REAL(max_row),
    .exp_row = REAL(exp_row),
    .scores = REAL(scores),
    .mix = REAL(mix),
    .abreast = REAL(abreast),
    .abreast_mix = REAL(abreast_mix),
    .strip_lanes = STRIP,
    .strip = REAL(strip),
    .strip_end = REAL(strip_end),
    .multiply_dense = REAL(multiply_dense),
    .multiply = REAL(multiply),
    .multiply_add = REAL(multiply_add),
    .multiply_relu = REAL(multiply_relu),
    .bias_relu = REAL(bias_relu),
    .find_live = REAL(find_live),
    .argmax = REAL(argmax),
    .hash_columns = REAL(hash_columns),
};

#undef STRIP
#undef STRIP_KEYS
#undef PANEL_ROWS
#undef PANEL_VECTORS
#undef EACH_VECTOR
#undef LANES
#undef Vec
#undef Bits
#undef INLINE
#undef UNROLL
#undef EXP_MAGIC
#undef EXP_LOG2E
#undef EXP_LN2_HI
#undef EXP_LN2_LO
#undef EXP_BIAS
#undef EXP_MANTISSA
