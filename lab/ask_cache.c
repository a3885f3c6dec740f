/* What a key/value cache of a compiled program holds, and what of it is needed. */
#include "lab/ask.h"

#include "lab/span.h"
#include "lab/subject.h"

#include <math.h>
#include <string.h>

enum { LONGEST = 48, QUICK_LONGEST = 16, MOST_INPUTS = 24, QUICK_INPUTS = 8 };

static const double rounding = 1e-9; /* of vectors of unit length */

/* A head's cache, in numbers a position. What is needed are linear functions of the residual
 * stream: `keys`, the columns of W_K W_Qᵀ, for its scores, and `values`, those of W_V W_O. */
typedef struct CacheHead {
    SubjectHead at;
    Matrix keys, values;         /* [width, …], without columns of 0 */
    size_t key_rank, value_rank; /* of these */
    size_t key_vary, value_vary; /* of how they differ between the positions of an input */
    size_t idle;                 /* stored columns that nothing reads: of 0, or against 0 */
    size_t shared; /* an earlier head of the layer whose keys say these, or SIZE_MAX */
} CacheHead;

typedef struct Cache {
    Subject subject;
    Page *page;
    CacheHead *heads;
    size_t head_count;
    SubjectTrace *traces;
    const SubjectInput **inputs;
    size_t trace_count;
} Cache;

/* --- the weights --------------------------------------------------------------------------------
 */

static Matrix as_matrix(const Tensor *t) {
    return (Matrix){t->rows, t->cols, t->data};
}

static bool column_is_zero(Matrix m, size_t c) {
    for (size_t i = 0; i < m.rows; i++)
        if (*matrix_at(m, i, c) != 0) return false;
    return true;
}

static bool row_is_zero(Matrix m, size_t i) {
    for (size_t c = 0; c < m.cols; c++)
        if (*matrix_at(m, i, c) != 0) return false;
    return true;
}

/* Without columns of 0. */
static Matrix without_zeros(Arena *arena, Matrix m) {
    Matrix kept = matrix_transpose(arena, m);
    size_t count = 0;
    for (size_t k = 0; k < kept.rows; k++) {
        if (row_is_zero(kept, k)) continue;
        memmove(matrix_row(kept, count++), matrix_row(kept, k), kept.cols * sizeof(double));
    }
    return matrix_transpose(arena, (Matrix){count, kept.cols, kept.x});
}

static size_t idle_columns(const ModelHead *head) {
    size_t idle = 0;
    for (size_t c = 0; c < head->key.cols; c++)
        idle +=
            column_is_zero(as_matrix(&head->key), c) || column_is_zero(as_matrix(&head->query), c);
    for (size_t c = 0; c < head->value.cols; c++)
        idle +=
            column_is_zero(as_matrix(&head->value), c) || row_is_zero(as_matrix(&head->output), c);
    return idle;
}

static size_t rank_of(Arena *arena, Matrix m) {
    return span_of(arena, m, rounding).cols;
}

/* The queries' columns of 0 and the outputs' give none here, so these are narrow. */
static void read_weights(Cache *c, CacheHead *h) {
    Arena *arena = c->subject.lab->arena;
    const ModelHead *head = h->at.head;
    Matrix query = matrix_transpose(arena, as_matrix(&head->query)); /* [D, width] */
    h->keys = matrix_product(arena, as_matrix(&head->key), without_zeros(arena, query));
    h->values = matrix_product(arena, as_matrix(&head->value),
                               without_zeros(arena, as_matrix(&head->output)));
    h->key_rank = rank_of(arena, h->keys);
    h->value_rank = rank_of(arena, h->values);
    h->idle = idle_columns(head);
}

static void find_shared(Cache *c, size_t k) {
    Arena *arena = c->subject.lab->arena;
    CacheHead *h = &c->heads[k];
    h->shared = SIZE_MAX;
    for (size_t g = 0; g < k && h->key_rank && h->shared == SIZE_MAX; g++) {
        const CacheHead *other = &c->heads[g];
        if (other->at.layer != h->at.layer || other->key_rank < h->key_rank) continue;
        size_t both = rank_of(arena, span_join(arena, other->keys, h->keys));
        if (both == other->key_rank) h->shared = g;
    }
}

/* --- inputs -------------------------------------------------------------------------------------
 */

static void trace_inputs(Cache *c) {
    Lab *lab = c->subject.lab;
    size_t most = lab->quick ? QUICK_INPUTS : MOST_INPUTS, all = c->subject.input_count;
    size_t count = all < most ? all : most, broken = 0;
    c->traces = ARENA_ARRAY(lab->arena, count, SubjectTrace);
    for (size_t k = 0; k < count; k++) {
        const SubjectInput *input = &c->subject.inputs[all - count + k];
        SubjectTrace *t = &c->traces[c->trace_count];
        bool fine = subject_trace(&c->subject, c->subject.model, input, lab->arena, t);
        c->trace_count += fine;
        broken += !fine;
        lab_progress(lab, 0.5 * (double)(k + 1) / (double)count);
    }
    check_none(c->page, "passes that gave no number", broken);
}

/* How many dimensions the rows that a head sees differ in, over all inputs: a constant that all of
 * them share is the same for every key, and no softmax sees it. */
static size_t varying(const Cache *c, const CacheHead *h, Matrix read) {
    Arena *arena = c->subject.lab->arena;
    size_t first = h->at.head->sink ? 0 : 1, rows = 0;
    for (size_t k = 0; k < c->trace_count; k++) rows += c->traces[k].streams[0].rows - first;
    Matrix off = matrix_new(arena, rows ? rows : 1, read.cols);
    Tensor tensor = {read.rows, read.cols, read.x};
    rows = 0;
    for (size_t k = 0; k < c->trace_count; k++) {
        Matrix x = subject_read(&c->traces[k], h->at.step, &tensor, arena);
        double largest = 0;
        for (size_t i = 0; i < x.rows * x.cols; i++) largest = fmax(largest, fabs(x.x[i]));
        for (size_t i = first; i < x.rows; i++, rows++)
            for (size_t d = 0; d < x.cols; d++) {
                double apart = *matrix_at(x, i, d) - *matrix_at(x, first, d);
                *matrix_at(off, rows, d) = fabs(apart) > rounding * largest ? apart : 0;
            }
    }
    return rank_of(arena, off);
}

/* --- a layer's cache ----------------------------------------------------------------------------
 */

/* What all heads of a layer need, together. */
static Matrix layer_span(const Cache *c, size_t layer) {
    Arena *arena = c->subject.lab->arena;
    Matrix all = matrix_new(arena, c->subject.model->width, 0);
    for (size_t k = 0; k < c->head_count; k++) {
        if (c->heads[k].at.layer != layer) continue;
        all = span_join(arena, all, span_of(arena, c->heads[k].keys, rounding));
        all = span_join(arena, all, span_of(arena, c->heads[k].values, rounding));
    }
    return span_of(arena, all, rounding);
}

/* Keys and values of the scratch model read what the layer's cache keeps of the stream, and nothing
 * else: m becomes B Bᵀ m. */
static void read_through(Arena *arena, Matrix basis, Tensor *m) {
    Matrix kept = matrix_product(arena, matrix_transpose(arena, basis), as_matrix(m));
    Matrix read = matrix_product(arena, basis, kept);
    memcpy(m->data, read.x, tensor_size(m) * sizeof *m->data);
}

static void show_layers(Cache *c) {
    static const char *const columns[] = {
        "layer", "heads", "stored", "by head", "by layer", "at the longest input, bytes", NULL};
    Arena *arena = c->subject.lab->arena;
    const Model *model = c->subject.model;
    PageTable *table = page_table(
        c->page, "numbers a position: stored, needed by each head, and together", columns);
    size_t stored_all = 0, kept_all = 0, bytes = model->dtype == RT_F32 ? 4 : 8;
    subject_restore(&c->subject);
    for (size_t l = 0, k = 0; l < model->layer_count; l++) {
        size_t stored = 0, needed = 0, heads = model->layers[l]->head_count;
        Matrix basis = layer_span(c, l);
        for (size_t h = 0; h < heads; h++, k++) {
            ModelHead *changed = c->subject.scratch->layers[l]->heads[h];
            stored += changed->key.cols + changed->value.cols;
            needed += c->heads[k].key_rank + c->heads[k].value_rank;
            read_through(arena, basis, &changed->key);
            read_through(arena, basis, &changed->value);
        }
        table_count(table, l);
        table_count(table, heads);
        table_count(table, stored);
        table_count(table, needed);
        table_count(table, basis.cols);
        table_text(table, arena_format(arena, "%zu, then %zu", stored * bytes * model->max_length,
                                       basis.cols * bytes * model->max_length));
        stored_all += stored;
        kept_all += basis.cols;
    }
    check_most(c->page, IDENTITY, "numbers a position that the layers need, at most those stored",
               (double)kept_all, (double)stored_all);
}

/* The outputs, when keys and values are made of what the caches keep. */
static void check_reduced(Cache *c) {
    Model *reduced = c->subject.scratch;
    RtDtype dtype = reduced->dtype;
    reduced->dtype = RT_F64;
    Fare fare = subject_fare(&c->subject, reduced, 1, 0, c->subject.input_count);
    reduced->dtype = dtype;
    check_near(c->page, c->subject.judged ? IDENTITY : MEASUREMENT,
               "inputs that go wrong with keys and values made of what is needed",
               (double)(fare.inputs - fare.agreed), 0, 0);
    check_figure(c->page, "their greatest error", fare.error);
}

/* --- the answer ---------------------------------------------------------------------------------
 */

static void show_heads(const Cache *c) {
    static const char *const columns[] = {"head",    "mask",  "keys", "rank QK", "vary", "values",
                                          "rank OV", "vary ", "idle", "keys as", NULL};
    PageTable *table = page_table(c->page, "by head: stored, needed, and what differs", columns);
    double *x = ARENA_ARRAY(c->page->arena, c->head_count, double);
    double *stored = ARENA_ARRAY(c->page->arena, c->head_count, double);
    double *needed = ARENA_ARRAY(c->page->arena, c->head_count, double);
    for (size_t k = 0; k < c->head_count; k++) {
        const CacheHead *h = &c->heads[k];
        const ModelHead *head = h->at.head;
        table_text(table, subject_head_name(&c->subject, c->page->arena, k));
        table_text(table, rt_mask_names[head->mask]);
        table_count(table, head->key.cols);
        table_count(table, h->key_rank);
        table_count(table, h->key_vary);
        table_count(table, head->value.cols);
        table_count(table, h->value_rank);
        table_count(table, h->value_vary);
        table_count(table, h->idle);
        table_text(table, h->shared == SIZE_MAX ? ""
                                                : arena_format(c->page->arena, "%zu.%zu",
                                                               c->heads[h->shared].at.layer + 1,
                                                               c->heads[h->shared].at.number + 1));
        x[k] = (double)k;
        stored[k] = (double)(head->key.cols + head->value.cols);
        needed[k] = (double)(h->key_rank + h->value_rank);
    }
    Plot *plot = plot_new(c->page->arena, "numbers a position by head", "head", "numbers");
    plot_bars(plot, "stored", x, stored, c->head_count);
    plot_bars(plot, "needed", x, needed, c->head_count);
    page_plot(c->page, plot);
}

static bool can_stream(const Cache *c) {
    for (size_t k = 0; k < c->head_count; k++) {
        const ModelHead *head = c->heads[k].at.head;
        bool back = head->mask == RT_MASK_CAUSAL || head->mask == RT_MASK_STRICT_CAUSAL;
        if (!back || head->scale != RT_SCALE_ONE) return false;
    }
    return true;
}

void ask_cache(Lab *lab, Page *page, void *context) {
    Cache c = {.page = page};
    if (!subject_open(lab, page, context, lab->quick ? QUICK_LONGEST : LONGEST, &c.subject)) return;
    c.head_count = subject_head_count(&c.subject);
    c.heads = ARENA_ARRAY(lab->arena, c.head_count, CacheHead);
    trace_inputs(&c);
    if (!c.head_count) {
        page_note(page, "The model has no head, and nothing to cache.");
        return;
    }
    for (size_t k = 0; k < c.head_count; k++) {
        c.heads[k].at = subject_head(&c.subject, k);
        read_weights(&c, &c.heads[k]);
        find_shared(&c, k);
        c.heads[k].key_vary = varying(&c, &c.heads[k], c.heads[k].keys);
        c.heads[k].value_vary = varying(&c, &c.heads[k], c.heads[k].values);
        lab_progress(lab, 0.5 + 0.5 * (double)(k + 1) / (double)c.head_count);
    }
    show_heads(&c);
    show_layers(&c);
    check_reduced(&c);
    page_note(
        page,
        "A cache stores a head's keys and values, so many numbers a position. Its scores need "
        "the rank of W_Q W_Kᵀ, its result that of W_V W_O, a layer the dimensions that all of "
        "them span; \"vary\" is in how many of them the positions of the %zu longest inputs "
        "differ: a key that is the same everywhere need not be kept. Idle columns are 0, or "
        "meet 0.",
        c.trace_count);
    if (!can_stream(&c))
        page_note(page, "Heads that look ahead or are scaled by the length cannot be run a token "
                        "at a time: a cache serves a model that is compiled with --mask causal.");
}
