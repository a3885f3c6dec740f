/* Template, included by kernels.h for each real type.
 *
 * Matrices are row-major with a leading dimension (ld: elements from row to row); columns are
 * positions, so a row is one feature at many positions and is what vectors run along. */
#include "runtime/real.h"

/* exp of anything below is taken to be 0: it would be a subnormal number, of no weight beside the
 * row's maximum with its exp(0) = 1. ln of the smallest normal number, rounded up. */
#if REAL_BITS == 32
static const Real REAL(exp_least) = RT_EXP_LEAST_32;
#else
static const Real REAL(exp_least) = RT_EXP_LEAST_64;
#endif

/* Compressed rows of a matrix m[outs, ins]: row o has the entries start[o] .. start[o+1). */
typedef struct {
    size_t outs, ins;
    size_t *start;
    uint32_t *index; /* which input */
    Real *value;
} REAL(Compressed);

/* One query of each of `lanes` inputs of one length, which lie abreast: a feature of a position is
 * a vector with an element an input, and so are scores, weights and results. */
typedef struct {
    const Real *q; /* [d, lanes], rows ldq apart */
    size_t ldq;
    const Real *k, *v; /* [keys, d, lanes], [keys, c, lanes] */
    size_t d, c;
    bool sink;        /* keys that are seen: 0, */
    size_t from, end; /* and from .. end, from ≥ 1 */
    Real factor;      /* of scores */
    const Real *bias; /* what is added to the score of key k ≥ 1 is bias[−k]; NULL: nothing */
    Real *s;          /* memory: [keys, lanes], and */
    uint32_t *kept;   /* [keys] */
    Real *out;        /* [c, lanes], rows ldout apart: what the query reads */
    size_t ldout;
} REAL(Abreast);

/* A strip of queries next to one another, a lane each, and the keys and values that they share. */
typedef struct {
    const Real *q;         /* [d, strip_lanes] */
    const Real *k, *v;     /* [d, ·], [c, ·]: a column a key; the sink is key 0 */
    size_t ldk, ldv, d, c; /* rows of k and v are so far apart */
    const Real *copies;    /* how many positions each key stands for, or NULL: one */
    size_t first;          /* the query of lane 0 */
    ptrdiff_t least, most; /* query q sees key k ≥ 1 if least ≤ q − k ≤ most, and key 0 */
    Real factor;           /* of scores */
    const Real *bias; /* what is added to the score of key k ≥ 1 is bias[q − k]; NULL: nothing */
    Real *s;          /* memory: [keys of a tile, strip_lanes] */
    Real *m, *l, *z;  /* maxima and sums so far [strip_lanes], mixed values [c, strip_lanes] */
} REAL(Strip);

typedef struct {
    size_t lanes; /* reals a vector: the unit in which columns are padded */

    /* Rows of scores can be read, and written, up to the next multiple of `lanes`.
     *
     * max_row: the largest of s[0..n), −∞ for n = 0, NaN if there is one.
     * exp_row: s[j] = exp(s[j] − top) for s[j] ≤ top; returns the sum. The relative error of exp is
     * below 2 ulp, exp(0) is 1, exp below exp_least (−∞ too) is 0; NaN stays. */
    Real (*max_row)(const Real *s, size_t n);
    Real (*exp_row)(Real *s, size_t n, Real top);

    /* s[r, j] = factor · Σ_d q[d, r] k[d, j] for r < rows, j < n. Rows of k can be read and rows of
     * s written up to the next multiple of `lanes`. */
    void (*scores)(const Real *q, size_t ldq, size_t rows, const Real *k, size_t ldk, size_t n,
                   size_t d, Real factor, Real *s, size_t lds);

    /* z[r, i] += Σ_j a[r, j] v[i, j] for r < rows, i < c, j < n. Rows of a and v can be read up to
     * the next multiple of `lanes`; what is there does not matter. */
    void (*mix)(const Real *a, size_t lda, size_t rows, const Real *v, size_t ldv, size_t n,
                size_t c, Real *z, size_t ldz);

    /* Softmax attention, the whole row at once. abreast_mix: for weights that all inputs have in
     * common, of the `count` keys at->kept; q, k and s are not used. */
    void (*abreast)(const REAL(Abreast) * at);
    void (*abreast_mix)(const REAL(Abreast) * at, const Real *weights, size_t count, Real sum);

    /* The same tile by tile. strip: the keys k0 .. k1 are added to m, l and z, which are −∞, 0 and
     * 0 at first; strip_end: z becomes what is read. */
    size_t strip_lanes;
    void (*strip)(const REAL(Strip) * at, size_t k0, size_t k1);
    void (*strip_end)(const REAL(Strip) * at);

    /* y[outs, cols] = m[outs, ins] x[ins, cols], or += with `add`; cols a multiple of lanes. */
    void (*multiply_dense)(const Real *m, size_t outs, size_t ins, const Real *x, size_t ldx,
                           bool add, Real *y, size_t ldy, size_t cols);

    /* Products with compressed rows, y[outs, cols] from x[ins, cols], cols a multiple of lanes.
     * Inputs i with live[i] = 0 are known to be zero.
     * multiply: y = m x;  multiply_add: y += m x;
     * multiply_relu: y = relu(m x + bias), and live_out says which rows are not all zero. */
    void (*multiply)(const REAL(Compressed) * m, const Real *x, size_t ldx,
                     const unsigned char *live, Real *y, size_t ldy, size_t cols);
    void (*multiply_add)(const REAL(Compressed) * m, const Real *x, size_t ldx,
                         const unsigned char *live, Real *y, size_t ldy, size_t cols);
    void (*multiply_relu)(const REAL(Compressed) * m, const Real *bias, const Real *x, size_t ldx,
                          const unsigned char *live, Real *y, size_t ldy, unsigned char *live_out,
                          size_t cols);

    /* y[o, j] = relu(y[o, j] + bias[o]), cols a multiple of lanes. */
    void (*bias_relu)(const Real *bias, Real *y, size_t ldy, size_t rows, size_t cols);

    /* live[i] = whether x[i, 0..cols) has an element that is not zero. */
    void (*find_live)(const Real *x, size_t ldx, size_t rows, size_t cols, unsigned char *live);

    /* Of each column of x[rows, cols], cols a multiple of lanes: the first of its largest elements,
     * that element, and the largest of the others, −∞ if there is none. False where some element is
     * not finite: then what the column has is of no use. */
    bool (*argmax)(const Real *x, size_t ldx, size_t rows, size_t cols, RealBits *index, Real *best,
                   Real *second);

    /* hash[j] of x[0..rows, j]: equal for equal columns, −0 being 0. Rows of x can be read and
     * `hash` written up to the next multiple of `lanes`. */
    void (*hash_columns)(const Real *x, size_t ldx, size_t rows, size_t cols, RealWord *hash);
} REAL(Kernels);
