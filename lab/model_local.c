/* Items 22, 27 and 33: what each part of a model depends on, found by changing one row. */
#include "lab/model.h"

#include "lab/drawn.h"
#include "lab/engine_head.h"
#include "lab/hull.h"
#include "lab/simplex.h"
#include "lab/spelling.h"
#include "runtime/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- 22: local values, scores of pairs, means --------------------------------------------------
 *
 * The runtime's pass for looking into shows scores and weights; with weights that are the identity,
 * row j of a head's result is the value of row j. */

enum { ROWS = 8 }; /* positions; row 0 of everything is the sink */

/* What one layer of a model computes on a stream whose row `row` is changed there. */
typedef struct Probe {
    size_t layer, heads, width;
    size_t row; /* 0: none */
    const double *change;
    bool nonlocal;  /* values see the context: each is given the sum of all rows */
    bool unit;      /* weights are the identity */
    double *scores; /* [heads, n+1, n+1] */
    double *weights;
    double *results; /* [heads, n+1, W] */
} Probe;

static void change_row(void *context, size_t layer, int sublayer, size_t n, size_t width,
                       double *h) {
    const Probe *p = context;
    (void)n;
    /* Layer l reads what was shown last before it: the embedding, or the sublayer of layer l−1. */
    if (!p->row || !(p->layer == 0 ? sublayer == -2 : layer == p->layer - 1 && sublayer == 0))
        return;
    for (size_t c = 0; c < width; c++) h[p->row * width + c] += p->change[c];
}

static void show_context(void *context, size_t layer, size_t piece, int reader, size_t n,
                         size_t width, double *stream) {
    const Probe *p = context;
    (void)piece;
    if (!p->nonlocal || layer != p->layer || reader != REFERENCE_VALUE) return;
    for (size_t c = 0; c < width; c++) {
        double sum = 0;
        for (size_t i = 1; i <= n; i++) sum += stream[i * width + c];
        for (size_t i = 1; i <= n; i++) stream[i * width + c] = sum;
    }
}

static void set_unit(void *context, size_t layer, size_t head, size_t n, double *weights) {
    const Probe *p = context;
    (void)head;
    if (!p->unit || layer != p->layer) return;
    for (size_t i = 0; i <= n; i++)
        for (size_t j = 0; j <= n; j++) weights[i * (n + 1) + j] = i == j;
}

static void keep(void *context, size_t layer, size_t head, size_t n, const double *scores,
                 const double *weights, size_t width, const double *result) {
    Probe *p = context;
    size_t square = (n + 1) * (n + 1), rows = (n + 1) * width;
    if (layer != p->layer) return;
    memcpy(p->scores + head * square, scores, square * sizeof *scores);
    memcpy(p->weights + head * square, weights, square * sizeof *weights);
    memcpy(p->results + head * rows, result, rows * sizeof *result);
}

static bool probe(Lab *lab, Page *page, const Model *model, RtRule rule, const size_t *ids,
                  Probe *p) {
    RtError err = {""};
    size_t square = (ROWS + 1) * (ROWS + 1);
    p->scores = ARENA_ARRAY(lab->arena, p->heads * square, double);
    p->weights = ARENA_ARRAY(lab->arena, p->heads * square, double);
    p->results = ARENA_ARRAY(lab->arena, p->heads * (ROWS + 1) * p->width, double);
    ReferenceOptions options = {
        .rule = rule,
        .temperature = 1,
        .tap = {.context = p, .head = keep},
        .patch = {.context = p, .read = show_context, .weights = set_unit, .residual = change_row}};
    double *h = reference_run(model, &options, ids, ROWS, &err);
    if (!h) {
        lab_poll(lab);
        page_note(page, "%s", err.text);
        check_none(page, "passes that failed", 1);
    }
    free(h);
    return h != NULL;
}

typedef struct Violations {
    size_t values, scores, tested; /* rows, and entries, that changed and must not */
    size_t alive;                  /* those that may change and did */
    size_t negative;
    double sum; /* the largest |Σ_j a_ij − 1| */
} Violations;

/* Rows of values of the others, scores of pairs without the changed row. */
static void compare_probes(const Probe *a, const Probe *b, size_t row, Violations *v) {
    size_t n1 = ROWS + 1;
    for (size_t h = 0; h < a->heads; h++)
        for (size_t i = 1; i < n1; i++) {
            size_t at = (h * n1 + i) * a->width;
            bool same = memcmp(a->results + at, b->results + at, a->width * sizeof(double)) == 0;
            v->values += a->unit && i != row && !same;
            v->alive += a->unit && i == row && !same;
            for (size_t j = 1; j < n1; j++) {
                size_t cell = (h * n1 + i) * n1 + j;
                bool differs = memcmp(a->scores + cell, b->scores + cell, sizeof(double)) != 0;
                v->scores += i != row && j != row && differs;
                v->alive += (i == row || j == row) && differs;
                v->tested++;
            }
        }
}

static void sum_weights(const Probe *p, Violations *v) {
    size_t n1 = ROWS + 1;
    for (size_t h = 0; h < p->heads; h++)
        for (size_t i = 1; i < n1; i++) {
            const double *a = p->weights + (h * n1 + i) * n1;
            for (size_t j = 0; j < n1; j++) v->negative += !(a[j] >= 0);
            v->sum = fmax(v->sum, fabs(sum_of(a, n1) - 1));
        }
}

/* Both layers of a random model, each row changed in turn. */
static bool find_violations(Lab *lab, Page *page, RtRule rule, bool nonlocal, Violations *v) {
    Shape shape = {10, 3, 4, 2, 2, 12, 5, ROWS, RT_MASK_CAUSAL, RT_F64, true};
    const Model *model = draw_model(lab, page, &shape);
    size_t ids[ROWS];
    if (!model) return false;
    draw_ids(lab->rng, ids, ROWS, shape.tokens);
    for (size_t layer = 0; layer < shape.layers; layer++)
        for (size_t row = 0; row <= ROWS; row++) {
            double change[10];
            rng_normals(lab->rng, change, shape.width, 1);
            Probe plain = {layer, shape.heads, shape.width, 0, change, nonlocal, false, 0, 0, 0};
            Probe unit = plain, moved = plain;
            unit.unit = true;
            moved.unit = true;
            moved.row = row;
            if (!probe(lab, page, model, rule, ids, &plain) ||
                !probe(lab, page, model, rule, ids, &unit) ||
                !probe(lab, page, model, rule, ids, &moved))
                return false;
            sum_weights(&plain, v);
            if (row) compare_probes(&unit, &moved, row, v);
        }
    return true;
}

/* --- one nonlocal value is enough for everything --- */

typedef bool Table(const char *word, size_t n, const bool *random);

static bool odd(const char *word, size_t n, const bool *random) {
    bool parity = false;
    (void)random;
    for (size_t i = 0; i < n; i++) parity ^= word[i] == '1';
    return parity;
}

static bool palindrome(const char *word, size_t n, const bool *random) {
    (void)random;
    for (size_t i = 0; i < n / 2; i++)
        if (word[i] != word[n - 1 - i]) return false;
    return true;
}

static bool tossed(const char *word, size_t n, const bool *random) {
    size_t code = 0;
    for (size_t i = 0; i < n; i++) code = 2 * code + (word[i] == '1');
    return random[((size_t)1 << n) + code];
}

static const struct {
    const char *name;
    Table *table;
} lookup_tables[] = {{"parity", odd}, {"palindrome", palindrome}, {"a coin for each word", tossed}};

/* v_n = f(x), whatever the row says: what the value's reader is shown in row n. */
typedef struct Oracle {
    const char *word;
    Table *table;
    const bool *random;
    double answer;
} Oracle;

static void show_answer(void *context, size_t layer, size_t piece, int reader, size_t n,
                        size_t width, double *stream) {
    const Oracle *o = context;
    (void)layer, (void)piece;
    if (reader == REFERENCE_VALUE) stream[n * width] = o->table(o->word, n, o->random);
}

/* a_n = e_n. */
static void look_at_itself(void *context, size_t layer, size_t head, size_t n, double *weights) {
    (void)context, (void)layer, (void)head;
    for (size_t j = 0; j <= n; j++) weights[n * (n + 1) + j] = j == n;
}

static void read_answer(void *context, size_t layer, size_t head, size_t n, const double *scores,
                        const double *weights, size_t width, const double *result) {
    Oracle *o = context;
    (void)layer, (void)head, (void)scores, (void)weights;
    o->answer = result[n * width];
}

/* A model of one head that copies dimension 0 of the row it looks at. */
static Model *copier(Lab *lab, Page *page) {
    Shape shape = {1, 1, 1, 1, 1, 0, 2, ROWS, RT_MASK_CAUSAL, RT_F64, false};
    Model *model = draw_model(lab, page, &shape);
    if (!model) return NULL;
    tensor_set(&model->layers[0]->heads[0]->value, 0, 0, 1);
    tensor_set(&model->layers[0]->heads[0]->output, 0, 0, 1);
    return model;
}

/* Words of up to `longest` bits that the one-line model gets wrong. */
static size_t wrong_entries(Lab *lab, const Model *model, Table *table, size_t longest,
                            size_t *words) {
    bool random[2 << ROWS];
    size_t wrong = 0;
    for (size_t k = 0; k < 2 << ROWS; k++) random[k] = rng_below(lab->rng, 2);
    for (size_t n = 1; n <= longest; n++)
        for (size_t code = 0; code < spell_count("01", n); code++, ++*words) {
            char word[ROWS + 1];
            size_t ids[ROWS];
            RtError err;
            spell("01", code, n, word);
            for (size_t i = 0; i < n; i++) ids[i] = word[i] == '1';
            Oracle oracle = {word, table, random, NAN};
            ReferenceOptions options = {
                .rule = RT_SOFTMAX,
                .temperature = 1,
                .tap = {.context = &oracle, .head = read_answer},
                .patch = {.context = &oracle, .read = show_answer, .weights = look_at_itself}};
            double *h = reference_run(model, &options, ids, n, &err);
            wrong += !h || oracle.answer != table(word, n, random);
            free(h);
        }
    return wrong;
}

/* The engine's own weights: its output where every value is 1. */
static double engine_sum_error(Lab *lab, Page *page, RtRule rule) {
    EngineHead head = {rule, 1, RT_MASK_CAUSAL, RT_F32, 0, NULL, 0};
    Matrix q = matrix_normal(lab->arena, lab->rng, ROWS, 3, 1);
    Matrix k = matrix_normal(lab->arena, lab->rng, ROWS, 3, 1), one;
    one = matrix_new(lab->arena, ROWS, 1);
    for (size_t i = 0; i < ROWS; i++) one.x[i] = 1;
    return matrix_difference(engine_attend(lab, page, &head, q, k, one), one);
}

void model_constraints(Lab *lab, Page *page) {
    static const RtRule rules[] = {RT_SOFTMAX, RT_AVERAGE, RT_SPARSEMAX, RT_ENTMAX15};
    size_t cases = lab->quick ? 2 : 20, longest = lab->quick ? 5 : 8, wrong = 0, words = 0;
    Violations all = {0}, outside = {0};
    for (size_t c = 0; c < cases; c++)
        for (size_t r = 0; r < 4; r++) {
            lab_progress(lab, (double)(4 * c + r) / (double)(4 * cases));
            if (!find_violations(lab, page, rules[r], false, &all)) return;
            all.sum = fmax(all.sum, engine_sum_error(lab, page, rules[r]));
        }
    if (!find_violations(lab, page, RT_SOFTMAX, true, &outside)) return;
    check_none(page, "values v_j that changed with another row, bitwise", all.values);
    check_none(page,
               arena_format(page->arena, "of %zu scores s_ij, those that changed with a third row",
                            all.tested),
               all.scores);
    check_none(page, "weights below 0", all.negative);
    check_near(page, IDENTITY, "largest |sum of a row of weights − 1|, float32 too", all.sum, 0,
               1e-6);
    check_least(page, IDENTITY, "values and scores that changed with their own row",
                (double)all.alive, 1);
    check_least(page, IDENTITY, "with values that see the context: violations found",
                (double)outside.values, 1);
    const Model *model = copier(lab, page);
    if (!model) return;
    PageTable *table = page_table(page, "one value that sees the context: v_n = f(x), a_n = e_n",
                                  (const char *const[]){"f", "words", "wrong", NULL});
    for (size_t k = 0; k < sizeof lookup_tables / sizeof *lookup_tables; k++) {
        size_t count = 0;
        size_t missed = wrong_entries(lab, model, lookup_tables[k].table, longest, &count);
        wrong += missed, words += count;
        table_text(table, lookup_tables[k].name);
        table_count(table, count);
        table_count(table, missed);
    }
    check_none(page,
               arena_format(page->arena, "without local values: of %zu entries of any table, wrong",
                            words),
               wrong);
}

/* --- 27: the causal mask ---------------------------------------------------------------------- */

enum { PLACES = 23 };

/* Rows that differ in some bit among the first `rows`. */
static size_t changed_rows(Matrix a, Matrix b, size_t first, size_t rows) {
    size_t count = 0;
    for (size_t i = first; i < first + rows; i++)
        count += memcmp(matrix_row(a, i), matrix_row(b, i), a.cols * sizeof(double)) != 0;
    return count;
}

typedef struct Edits {
    size_t early, late, rows; /* rows before the edit, and behind, that changed */
} Edits;

static bool edit_future(Lab *lab, Page *page, const Shape *shape, const RunOptions *options,
                        size_t edits, Edits *e) {
    const Model *model = draw_model(lab, page, shape);
    Engine *engine = model ? make_engine(lab, page, model, options) : NULL;
    size_t ids[PLACES], edited[PLACES];
    if (!engine) return false;
    for (size_t c = 0; c < edits; c++) {
        size_t i = rng_below(lab->rng, PLACES);
        draw_ids(lab->rng, ids, PLACES, shape->tokens);
        memcpy(edited, ids, sizeof ids);
        draw_ids(lab->rng, edited + i + 1, PLACES - i - 1, shape->tokens);
        Matrix before = run_engine(lab, page, engine, ids, PLACES, shape->width);
        Matrix after = run_engine(lab, page, engine, edited, PLACES, shape->width);
        e->rows += i + 1;
        e->early += changed_rows(before, after, 0, i + 1);
        e->late += changed_rows(before, after, i + 1, PLACES - i - 1);
    }
    return true;
}

void model_causal(Lab *lab, Page *page) {
    size_t edits = lab->quick ? 10 : 200;
    Edits causal = {0}, open = {0};
    PageTable *table =
        page_table(page, "rows up to an edit that changed in some bit",
                   (const char *const[]){"weights by", "type", "path", "rows", "changed", NULL});
    for (int rule = 0; rule < RT_RULE_COUNT; rule++)
        for (int dtype = 0; dtype < RT_DTYPE_COUNT; dtype++)
            for (int path = 0; path < RT_PATH_COUNT; path++) {
                Shape shape = {12, 3, 4, 2, 2, 16, 6, PLACES, RT_MASK_CAUSAL, RT_F32, true};
                RunOptions options = run_options();
                Edits e = {0};
                shape.dtype = (RtDtype)dtype;
                options.rule = (RtRule)rule;
                options.parameter = rt_rules[rule].parameter.example;
                options.path = (RtPath)path;
                lab_progress(lab, (rule + dtype / 2.0) / RT_RULE_COUNT);
                if (!edit_future(lab, page, &shape, &options, edits, &e)) return;
                shape.placed = false; /* equal tokens are equal keys, which engines may merge */
                options.query_tile = 5, options.key_tile = 7;
                if (!edit_future(lab, page, &shape, &options, edits, &e)) return;
                causal.early += e.early, causal.late += e.late, causal.rows += e.rows;
                table_text(table, rt_rules[rule].name);
                table_text(table, rt_dtype_names[dtype]);
                table_text(table, rt_path_names[path]);
                table_count(table, e.rows);
                table_count(table, e.early);
            }
    Shape shape = {12, 3, 4, 2, 2, 16, 6, PLACES, RT_MASK_NONE, RT_F64, true};
    RunOptions options = run_options();
    if (!edit_future(lab, page, &shape, &options, edits, &open)) return;
    check_none(page,
               arena_format(page->arena,
                            "of %zu rows up to an edit, those that changed in some bit",
                            causal.rows),
               causal.early);
    check_least(page, IDENTITY, "rows behind the edit that changed", (double)causal.late, 1);
    check_least(page, IDENTITY, "without the mask: rows up to the edit that changed",
                (double)open.early, 1);
}

/* --- 33: the sublayer acts row by row, and leaves the hull -------------------------------------
 */

/* What became of rows when the input was permuted: not bitwise the same, and the largest change. */
typedef struct Moves {
    size_t rows, changed;
    double largest;
} Moves;

static void permute(Lab *lab, Page *page, const Engine *engine, size_t tokens, size_t width,
                    Moves *m) {
    size_t ids[PLACES], shuffled[PLACES], order[PLACES];
    draw_ids(lab->rng, ids, PLACES, tokens);
    rng_permutation(lab->rng, order, PLACES);
    for (size_t i = 0; i < PLACES; i++) shuffled[i] = ids[order[i]];
    Matrix a = run_engine(lab, page, engine, ids, PLACES, width);
    Matrix b = run_engine(lab, page, engine, shuffled, PLACES, width);
    for (size_t i = 0; i < PLACES; i++) {
        double change = max_difference(matrix_row(b, i), matrix_row(a, order[i]), width);
        m->changed += change != 0;
        m->largest = fmax(m->largest, change);
    }
    m->rows += PLACES;
}

/* Rows other than the one whose token is another one that changed. */
static size_t touched_rows(Lab *lab, Page *page, const Engine *engine, size_t tokens, size_t width,
                           size_t *own) {
    size_t ids[PLACES], k = rng_below(lab->rng, PLACES);
    draw_ids(lab->rng, ids, PLACES, tokens);
    Matrix a = run_engine(lab, page, engine, ids, PLACES, width);
    ids[k] = (ids[k] + 1) % tokens;
    Matrix b = run_engine(lab, page, engine, ids, PLACES, width);
    *own += changed_rows(a, b, k, 1);
    return changed_rows(a, b, 0, PLACES) - changed_rows(a, b, k, 1);
}

/* h ← h + m(h) with m(z) = z, that is 2z: units ReLU(z) and ReLU(−z). */
static bool add_doubler(Model *model, size_t width) {
    ModelMlp *mlp = layer_add_mlp(model->layers[0], 2 * width);
    if (!mlp) return false;
    for (size_t c = 0; c < width; c++) {
        tensor_set(&mlp->in, c, 2 * c, 1);
        tensor_set(&mlp->in, c, 2 * c + 1, -1);
        tensor_set(&mlp->out, 2 * c, c, 1);
        tensor_set(&mlp->out, 2 * c + 1, c, -1);
    }
    return true;
}

static const double points[5][2] = {{1, 0}, {2, 0.5}, {1.5, 1}, {1, 1}, {2, 1}};

/* A uniform head over points of the plane, its mean in dimensions 2 and 3; then doubled. */
static bool mean_of_points(Lab *lab, Page *page, bool doubled, double *mean) {
    Shape shape = {4, 1, 2, 1, 1, 0, 5, 5, RT_MASK_NONE, RT_F64, false};
    Model *model = draw_model(lab, page, &shape);
    RunOptions options = run_options();
    size_t ids[5] = {0, 1, 2, 3, 4};
    if (!model) return false;
    ModelHead *head = model->layers[0]->heads[0];
    memset(head->query.data, 0, tensor_size(&head->query) * sizeof(double));
    memset(head->value.data, 0, tensor_size(&head->value) * sizeof(double));
    memset(head->output.data, 0, tensor_size(&head->output) * sizeof(double));
    for (size_t c = 0; c < 2; c++) {
        tensor_set(&head->value, c, c, 1);
        tensor_set(&head->output, c, 2 + c, 1);
        for (size_t k = 0; k < 5; k++) {
            tensor_set(&model->tokens, k + 1, c, points[k][c]);
            tensor_set(&model->tokens, k + 1, 2 + c, 0);
        }
    }
    if (doubled && !add_doubler(model, 4)) return false;
    Engine *engine = make_engine(lab, page, model, &options);
    memcpy(mean, matrix_row(run_engine(lab, page, engine, ids, 5, shape.width), 4) + 2,
           2 * sizeof *mean);
    return engine != NULL;
}

/* The mean is in the points' hull, twice the mean is proved to be outside. */
static void leave_hull(Lab *lab, Page *page) {
    static const size_t around[] = {0, 1, 4, 3, 0};
    double mean[2], twice[2], x[5], y[5];
    if (!mean_of_points(lab, page, false, mean) || !mean_of_points(lab, page, true, twice)) return;
    Hull in = hull_test(points[0], 5, 2, mean, 1e-9, lab->arena);
    Hull out = hull_test(points[0], 5, 2, twice, 1e-9, lab->arena);
    bool outside = out.side == HULL_OUTSIDE;
    check_near(page, IDENTITY, "a mean of five points lies in their hull (1: yes)",
               in.side == HULL_INSIDE, 1, 0);
    check_near(page, IDENTITY, "m(mean), m(z) = 2z, is proved to lie outside (1: yes)", outside, 1,
               0);
    check_least(page, IDENTITY, "margin by which a line separates it",
                outside ? hull_margin(points[0], 5, 2, twice, out.direction) : 0, 1e-9);
    for (size_t k = 0; k < 5; k++) x[k] = points[around[k]][0], y[k] = points[around[k]][1];
    Plot *plot = plot_new(page->arena, "a mean, and what a sublayer makes of it",
                          "first coordinate", "second coordinate");
    plot_line(plot, "hull of the values", x, y, 5);
    plot_points(plot, "their mean", &mean[0], &mean[1], 1);
    plot_points(plot, "m(mean), m(z) = 2z", &twice[0], &twice[1], 1);
    page_plot(page, plot);
}

/* The three paths in both types, on models of three sublayers and no heads. */
static bool try_sublayers(Lab *lab, Page *page, Moves *own_kernels, Moves blas[RT_DTYPE_COUNT],
                          size_t *touched, size_t *own) {
    for (int dtype = 0; dtype < RT_DTYPE_COUNT; dtype++)
        for (int path = 0; path < RT_PATH_COUNT; path++) {
            Shape shape = {12, 0, 0, 3, 0, 20, 9, PLACES, RT_MASK_NONE, RT_F32, false};
            RunOptions options = run_options();
            shape.dtype = (RtDtype)dtype;
            options.path = (RtPath)path;
            const Model *model = draw_model(lab, page, &shape);
            Engine *engine = model ? make_engine(lab, page, model, &options) : NULL;
            if (!engine) return false;
            permute(lab, page, engine, shape.tokens, shape.width,
                    path == RT_PATH_SPARSE ? own_kernels : &blas[dtype]);
            *touched += touched_rows(lab, page, engine, shape.tokens, shape.width, own);
        }
    return true;
}

void model_pointwise(Lab *lab, Page *page) {
    size_t cases = lab->quick ? 10 : 100, touched = 0, own = 0;
    Moves own_kernels = {0}, blas[RT_DTYPE_COUNT] = {{0}};
    for (size_t c = 0; c < cases; c++) {
        lab_progress(lab, (double)c / (double)cases);
        if (!try_sublayers(lab, page, &own_kernels, blas, &touched, &own)) return;
    }
    check_none(page,
               arena_format(page->arena,
                            "path sparse: of %zu rows of permuted inputs, those that are not the "
                            "permuted rows, bitwise",
                            own_kernels.rows),
               own_kernels.changed);
    check_near(page, IDENTITY, "paths auto and dense, float64: largest change of a row",
               blas[RT_F64].largest, 0, 1e-12);
    check_near(page, IDENTITY, "the same in float32", blas[RT_F32].largest, 0, 1e-5);
    check_none(page, "rows that changed with the token of another row", touched);
    check_least(page, IDENTITY, "rows that changed with their own token", (double)own, 1);
    leave_hull(lab, page);
}
