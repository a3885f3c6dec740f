/* Template: dense products whose sums stay in registers; a part of kernels_real.h.
 *
 * y[rows, cols] from a matrix a[rows, depth] and x[depth, cols]: an element of a, wherever it lies,
 * is broadcast and multiplies vectors of a row of x. So a may be stored either way round, and
 * nothing is packed. Meant for x that a cache holds. */

/* Rows and vectors that are computed at once: what registers there are for. */
#if VEC_BYTES == 64
#define PANEL_ROWS    8
#define PANEL_VECTORS 3
#elif VEC_BYTES == 32
#define PANEL_ROWS    4
#define PANEL_VECTORS 3
#else
#define PANEL_ROWS    4
#define PANEL_VECTORS 2
#endif

/* Elements of a: [r, i] is at[r · row + i · col]. */
typedef struct {
    const Real *at;
    size_t row, col;
} REAL(Factor);

/* y[r, ·] = Σ_i a[r, i] x[i, ·]; with `keep`, a factor a lane, y[r, ·] · keep is added. */
INLINE void REAL(panel)(REAL(Factor) a, size_t rows, size_t depth, const Real *x, size_t ldx,
                        size_t vectors, const Vec *keep, Real *y, size_t ldy) {
    Vec acc[PANEL_ROWS][PANEL_VECTORS];
    UNROLL for (size_t r = 0; r < rows; r++) {
        UNROLL for (size_t w = 0; w < vectors; w++) acc[r][w] =
            keep ? REAL(get)(y + r * ldy + w * LANES) * keep[w] : (Vec){0};
    }
    for (size_t i = 0; i < depth; i++) {
        Vec in[PANEL_VECTORS];
        UNROLL for (size_t w = 0; w < vectors; w++) in[w] = REAL(get)(x + i * ldx + w * LANES);
        UNROLL for (size_t r = 0; r < rows; r++) {
            UNROLL for (size_t w = 0; w < vectors; w++) acc[r][w] +=
                a.at[r * a.row + i * a.col] * in[w];
        }
    }
    UNROLL for (size_t r = 0; r < rows; r++) {
        UNROLL for (size_t w = 0; w < vectors; w++) REAL(put)(y + r * ldy + w * LANES, acc[r][w]);
    }
}

/* The same for any number of rows. */
INLINE void REAL(panels)(REAL(Factor) a, size_t rows, size_t depth, const Real *x, size_t ldx,
                         size_t vectors, const Vec *keep, Real *y, size_t ldy) {
    size_t r = 0;
    for (; r + PANEL_ROWS <= rows; r += PANEL_ROWS, a.at += PANEL_ROWS * a.row)
        REAL(panel)(a, PANEL_ROWS, depth, x, ldx, vectors, keep, y + r * ldy, ldy);
    for (; r < rows; r++, a.at += a.row)
        REAL(panel)(a, 1, depth, x, ldx, vectors, keep, y + r * ldy, ldy);
}

static void REAL(multiply_dense)(const Real *m, size_t outs, size_t ins, const Real *x, size_t ldx,
                                 bool add, Real *y, size_t ldy, size_t cols) {
    Vec keep[PANEL_VECTORS];
    UNROLL for (size_t w = 0; w < PANEL_VECTORS; w++) keep[w] = REAL(all)(add);
    REAL(Factor) a = {m, ins, 1};
    size_t j = 0, most = PANEL_VECTORS * LANES;
    for (; j + most <= cols; j += most)
        REAL(panels)(a, outs, ins, x + j, ldx, PANEL_VECTORS, add ? keep : NULL, y + j, ldy);
    for (; j < cols; j += LANES)
        REAL(panels)(a, outs, ins, x + j, ldx, 1, add ? keep : NULL, y + j, ldy);
}
