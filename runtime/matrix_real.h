/* Template: weight matrices as they are run, dense or compressed.
 *
 * A Matrix m[outs, ins] multiplies columns of features: y[outs, cols] = m x[ins, cols]. It is put
 * together from pieces of a model, so that all heads of a layer are projected by one product. */

typedef struct {
    Compressed sparse; /* always has outs and ins; entries only when dense is NULL */
    Real *dense;       /* [outs, ins] */
    bool blas;         /* dense: OpenBLAS multiplies it */
} Matrix;

/* Elements beyond which a matrix does not stay in a core's cache: OpenBLAS, which packs it, is as
 * fast as the kernels. */
enum { LARGE = 1 << 18 };

/* Who may multiply. */
typedef struct {
    RtPath path;
    size_t most; /* elements of a dense matrix that the kernels multiply; OpenBLAS larger ones */
} Hands;

/* A tensor's element [row, col] becomes m[out + col, in + row]: tensors of a model multiply rows
 * from the right, h query; here columns are multiplied from the left. */
typedef struct {
    const Tensor *tensor;
    size_t out, in;
} Piece;

static void compressed_clear(Compressed *m) {
    free(m->start);
    free(m->index);
    free(m->value);
    *m = (Compressed){0};
}

static void matrix_clear(Matrix *m) {
    compressed_clear(&m->sparse);
    free(m->dense);
    m->dense = NULL;
}

static bool compressed_alloc(Compressed *m, size_t count) {
    m->index = rt_calloc(count, sizeof *m->index);
    m->value = rt_calloc(count, sizeof *m->value);
    return m->index && m->value;
}

/* Counts every element of the pieces that is not zero in this type: start[o + shift] counts the
 * entries of row o met so far; with `fill` they are also written, where the count says. */
static void visit_pieces(Compressed *m, const Piece *pieces, size_t count, size_t shift,
                         bool fill) {
    for (size_t p = 0; p < count; p++) {
        const Tensor *t = pieces[p].tensor;
        for (size_t i = 0; i < tensor_size(t); i++) {
            Real x = (Real)t->data[i];
            if (x == 0) continue;
            size_t e = m->start[pieces[p].out + i % t->cols + shift]++;
            if (!fill) continue;
            m->index[e] = (uint32_t)(pieces[p].in + i / t->cols);
            m->value[e] = x;
        }
    }
}

/* Two passes: the counts of row o, kept in start[o + 2], are summed to where rows begin, in
 * start[o + 1]; filling moves that to where they end, which is what start[o + 1] is to be. */
static bool compress(Compressed *m, size_t outs, size_t ins, const Piece *pieces, size_t count) {
    *m = (Compressed){.outs = outs, .ins = ins};
    m->start = rt_calloc(outs + 2, sizeof *m->start);
    if (!m->start || ins > UINT32_MAX) return false;
    visit_pieces(m, pieces, count, 2, false);
    for (size_t o = 1; o < outs + 2; o++) m->start[o] += m->start[o - 1];
    if (!compressed_alloc(m, m->start[outs + 1])) return false;
    visit_pieces(m, pieces, count, 1, true);
    return true;
}

/* Rows of a table, for embeddings: row r has the elements of t's row r that are not zero. */
static bool compress_rows(Compressed *m, const Tensor *t) {
    *m = (Compressed){.outs = t->rows, .ins = t->cols};
    m->start = rt_calloc(t->rows + 1, sizeof *m->start);
    if (!m->start || t->cols > UINT32_MAX) return false;
    for (size_t i = 0; i < tensor_size(t); i++) m->start[i / t->cols + 1] += (Real)t->data[i] != 0;
    for (size_t r = 1; r <= t->rows; r++) m->start[r] += m->start[r - 1];
    if (!compressed_alloc(m, m->start[t->rows])) return false;
    size_t e = 0;
    for (size_t i = 0; i < tensor_size(t); i++) {
        Real x = (Real)t->data[i];
        if (x == 0) continue;
        m->index[e] = (uint32_t)(i % t->cols);
        m->value[e++] = x;
    }
    return true;
}

/* An embedding table. Where few features are used, or most by each row, they are kept the other way
 * round, too: columns next to one another are filled feature by feature, in a third of the time an
 * element takes otherwise. */
typedef struct {
    Compressed rows;
    size_t used;       /* features that are not 0 in all rows; 0: not kept so */
    uint32_t *feature; /* [used] */
    Real *values;      /* [used, rows] */
} Table;

static void table_clear(Table *table) {
    compressed_clear(&table->rows);
    free(table->feature);
    free(table->values);
    *table = (Table){0};
}

static bool column_is_zero(const Tensor *t, size_t col) {
    size_t row = 0;
    while (row < t->rows && (Real)tensor_get(t, row, col) == 0) row++;
    return row == t->rows;
}

static bool table_init(Table *table, const Tensor *t) {
    enum { DEARER = 3 };
    table->feature = rt_calloc(t->cols, sizeof *table->feature);
    if (!table->feature || t->rows > UINT32_MAX || !compress_rows(&table->rows, t)) return false;
    size_t used = 0;
    for (size_t i = 0; i < t->cols; i++)
        if (!column_is_zero(t, i)) table->feature[used++] = (uint32_t)i;
    if (used > DEARER * table->rows.start[t->rows] / t->rows) return true;
    table->used = used;
    table->values = rt_calloc(used, t->rows * sizeof *table->values);
    for (size_t u = 0; table->values && u < used; u++)
        for (size_t row = 0; row < t->rows; row++)
            table->values[u * t->rows + row] = (Real)tensor_get(t, row, table->feature[u]);
    return table->values != NULL;
}

static bool expand(Matrix *m) {
    const Compressed *sparse = &m->sparse;
    size_t outs = sparse->outs, ins = sparse->ins, size;
    if (__builtin_mul_overflow(outs, ins, &size)) return false;
    m->dense = rt_calloc_aligned(size, sizeof *m->dense);
    if (!m->dense) return false;
    for (size_t o = 0; o < outs; o++) {
        for (size_t e = sparse->start[o]; e < sparse->start[o + 1]; e++)
            m->dense[o * ins + sparse->index[e]] = sparse->value[e];
    }
    compressed_clear(&m->sparse);
    m->sparse.outs = outs;
    m->sparse.ins = ins;
    return true;
}

/* Whether OpenBLAS is expected to be faster. Per column it takes 20 ps an element (float, 40
 * double; AMD Zen 4, one thread, sizes 32 to 512); compressed rows take 27 to 33 ps an entry and 48
 * a row when every input is live, and half of that in compiled models, where most one-hots are
 * zero. Small matrices are not worth loading the library for. */
static bool dense_pays(const Compressed *m) {
    const double entry_cost = 1.25, row_cost = 2; /* in elements of a dense matrix */
    const double least = 4096;
    double entries = (double)m->start[m->outs], outs = (double)m->outs;
    double elements = outs * (double)m->ins;
    return elements >= least && elements < entry_cost * entries + row_cost * outs;
}

/* RT_PATH_DENSE needs OpenBLAS to be there; RT_PATH_AUTO does without if it has to. */
static bool matrix_init(Matrix *m, size_t outs, size_t ins, const Piece *pieces, size_t count,
                        Hands hands) {
    *m = (Matrix){0};
    if (!compress(&m->sparse, outs, ins, pieces, count)) return false;
    bool dense = hands.path == RT_PATH_DENSE;
    m->blas = (double)outs * (double)ins > (double)hands.most;
    if (hands.path == RT_PATH_AUTO)
        dense = dense_pays(&m->sparse) && (!m->blas || rt_blas_load(NULL));
    return !dense || expand(m);
}

/* y += m x (add) or y = m x */
static void multiply_dense(const Kernels *kernels, const Matrix *m, const Real *x, size_t ldx,
                           bool add, Real *y, size_t ldy, size_t cols) {
    size_t outs = m->sparse.outs, ins = m->sparse.ins;
    if (!m->blas) {
        kernels->multiply_dense(m->dense, outs, ins, x, ldx, add, y, ldy, cols);
        return;
    }
    GemmShape shape = {.m = outs, .n = cols, .k = ins, .lda = ins, .ldb = ldx, .ldc = ldy};
    REAL(rt_gemm)(&shape, 1, m->dense, x, add, y);
}

/* A block of columns: features × cols, cols a multiple of the kernels' lanes. `live` says which
 * rows can be other than zero. */
typedef struct {
    Real *x;
    size_t ld;
    unsigned char *live;
} Block;

/* y = m x. Leaves y.live alone. */
static void matrix_multiply(const Kernels *kernels, const Matrix *m, Block x, Block y,
                            size_t cols) {
    if (m->dense)
        multiply_dense(kernels, m, x.x, x.ld, false, y.x, y.ld, cols);
    else
        kernels->multiply(&m->sparse, x.x, x.ld, x.live, y.x, y.ld, cols);
}

/* y += m x */
static void matrix_multiply_add(const Kernels *kernels, const Matrix *m, Block x, Block y,
                                size_t cols) {
    for (size_t o = 0; o < m->sparse.outs; o++)
        y.live[o] |= m->dense || m->sparse.start[o] < m->sparse.start[o + 1];
    if (m->dense)
        multiply_dense(kernels, m, x.x, x.ld, true, y.x, y.ld, cols);
    else
        kernels->multiply_add(&m->sparse, x.x, x.ld, x.live, y.x, y.ld, cols);
}

/* y = relu(m x + bias), bias[outs] */
static void matrix_multiply_relu(const Kernels *kernels, const Matrix *m, const Real *bias, Block x,
                                 Block y, size_t cols) {
    if (!m->dense) {
        kernels->multiply_relu(&m->sparse, bias, x.x, x.ld, x.live, y.x, y.ld, y.live, cols);
        return;
    }
    multiply_dense(kernels, m, x.x, x.ld, false, y.x, y.ld, cols);
    kernels->bias_relu(bias, y.x, y.ld, m->sparse.outs, cols);
    memset(y.live, 1, m->sparse.outs);
}
