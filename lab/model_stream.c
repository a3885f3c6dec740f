/* Items 31 and 32: the residual stream as a design matrix, and as what boosting fits again. */
#include "lab/model.h"

#include "api/rasp_circuit.h"
#include "lab/drawn.h"
#include "lab/programs.h"
#include "lab/simplex.h"
#include "lab/spelling.h"

#include <math.h>
#include <string.h>

/* --- 31: the ledger of columns -----------------------------------------------------------------
 */

static const struct {
    const char *source, *expression;
} ledgers[] = {
    {"next = shift(tokens, -1, \"-\");\n"
     "nth = selector_width(select(tokens, tokens, ==) and select(indices, indices, <=));\n",
     "aggregate(select(tokens, tokens, ==) and select(nth, nth - 1, ==), next, \"-\")"},
    {NULL, "selector_width(select(tokens, tokens, ==))"},
    {"before = select(tokens, tokens, <) or (select(tokens, tokens, ==) and select(indices, "
     "indices, <));\nplace = selector_width(before);\n",
     "aggregate(select(place, indices, ==), tokens)"},
    {"hist = selector_width(select(tokens, tokens, ==));\n",
     "selector_width(select(hist, hist, ==) and select(indices, indices, <=))"},
};
enum { LEDGERS = sizeof ledgers / sizeof *ledgers, WORD = 5 };

/* All positions of all words: a row each; a column for the constant, then one for each column of
 * the circuit, as the model has it and as the interpreter has its expression. */
typedef struct Ledger {
    const RaspCircuit *circuit;
    LabProgram program;
    RaspSop *sops;          /* [columns]: their expressions */
    size_t *seen_in;        /* [columns]: the dimension in which a column can be seen */
    double *factor;         /* [columns]: of it there */
    Matrix found, expected; /* [rows, 1 + columns] */
    Matrix logits;          /* [rows, all dimensions of outputs] */
    size_t rows;
    double *before; /* [n+1, W]: the stream at the last step, while a word runs */
    size_t step;
} Ledger;

/* A column that stands in a dimension is read there; one that only outputs are made of is what a
 * dimension grows by that nothing else writes at the same step. */
static bool place_column(const RaspCircuit *circuit, size_t c, size_t *dim, double *factor) {
    const RaspCircuitColumn *column = &circuit->columns[c];
    for (size_t w = 0; w < column->write_count; w++) {
        bool alone = true;
        *dim = column->writes[w].dim;
        *factor = column->writes[w].factor;
        if (*dim == column->dim) return true;
        for (size_t o = 0; o < circuit->column_count; o++)
            for (size_t v = 0; v < circuit->columns[o].write_count; v++)
                alone &= o == c || circuit->columns[o].written != column->written ||
                         circuit->columns[o].writes[v].dim != *dim;
        if (alone && column->dim == RASP_NONE) return true;
    }
    return false;
}

static void read_step(void *context, size_t layer, int sublayer, size_t n, size_t width,
                      const double *stream) {
    Ledger *l = context;
    (void)layer, (void)sublayer;
    for (size_t c = 0; c < l->circuit->column_count; c++) {
        const RaspCircuitColumn *column = &l->circuit->columns[c];
        size_t dim = l->seen_in[c];
        if (column->written != l->step) continue;
        for (size_t i = 0; i < n; i++) {
            double x = stream[(i + 1) * width + dim];
            if (column->dim == RASP_NONE && l->step > 0) x -= l->before[(i + 1) * width + dim];
            *matrix_at(l->found, l->rows + i, 1 + c) = x / l->factor[c];
        }
    }
    memcpy(l->before, stream, (n + 1) * width * sizeof *stream);
    l->step++;
}

/* Behind the last step: what outputs are decoded from. */
static void read_logits(Ledger *l, size_t n) {
    for (size_t i = 0; i < n; i++) {
        size_t at = 0;
        for (size_t o = 0; o < l->circuit->output_count; o++)
            for (size_t k = 0; k < l->circuit->outputs[o].form_count; k++, at++)
                *matrix_at(l->logits, l->rows + i, at) =
                    l->before[(i + 1) * l->circuit->width + l->circuit->outputs[o].start + k];
    }
}

static bool read_word(Ledger *l, RaspEngine *engine, const char *word, RaspError *error) {
    RaspInput input = {.text = word, .length = strlen(word), .form = RASP_AS_STRING};
    RaspTap tap = {.context = l, .residual = read_step};
    size_t columns = l->circuit->column_count, n = input.length;
    l->step = 0;
    RaspForward *f = rasp_trace(engine, &input, &tap, error);
    RaspRun *run = rasp_run_new(l->program.program, &input, l->sops, columns, NULL, error);
    bool ok = f && run && l->step == l->circuit->step_count;
    if (ok) read_logits(l, n);
    for (size_t c = 0; ok && c < columns; c++) {
        const RaspSequence *values = rasp_run_sequence(run, c, error);
        ok = values != NULL;
        for (size_t i = 0; ok && i < n; i++)
            *matrix_at(l->expected, l->rows + i, 1 + c) = lab_number(rasp_sequence_at(values, i));
    }
    for (size_t i = 0; i < n; i++)
        *matrix_at(l->found, l->rows + i, 0) = *matrix_at(l->expected, l->rows + i, 0) = 1;
    rasp_forward_free(f);
    rasp_run_free(run);
    l->rows += n;
    return ok;
}

static bool open_ledger(Lab *lab, Page *page, int k, RaspError *error, Ledger *l) {
    RaspTarget target = {.alphabet = "abc", .max_length = WORD, .dtype = RASP_F64};
    if (!lab_compile_for(lab, page, ledgers[k].source, ledgers[k].expression, &target, &l->program))
        return false;
    l->circuit = rasp_model_circuit(l->program.model, error);
    if (!l->circuit) return false;
    size_t columns = l->circuit->column_count;
    l->sops = ARENA_ARRAY(lab->arena, columns, RaspSop);
    l->seen_in = ARENA_ARRAY(lab->arena, columns, size_t);
    l->factor = ARENA_ARRAY(lab->arena, columns, double);
    l->before = ARENA_ARRAY(lab->arena, (WORD + 1) * l->circuit->width, double);
    for (size_t c = 0; c < columns; c++) {
        const char *text = l->circuit->sops[l->circuit->columns[c].sop].text;
        if (!place_column(l->circuit, c, &l->seen_in[c], &l->factor[c]) ||
            !rasp_program_expression(l->program.program, text, &l->sops[c], error))
            return false;
    }
    return true;
}

static bool fill_ledger(Lab *lab, Page *page, RaspRule rule, RaspError *error, Ledger *l) {
    size_t longest = lab->quick ? 4 : WORD, rows = 0, logits = 0;
    char word[WORD + 1];
    for (size_t n = 1; n <= longest; n++) rows += n * spell_count("abc", n);
    for (size_t o = 0; o < l->circuit->output_count; o++)
        logits += l->circuit->outputs[o].form_count;
    l->found = matrix_new(lab->arena, rows, 1 + l->circuit->column_count);
    l->expected = matrix_copy(lab->arena, l->found);
    l->logits = matrix_new(lab->arena, rows, logits);
    RaspEngine *engine = lab_engine(lab, page, &l->program, rule, 1);
    if (!engine) return false;
    for (size_t n = 1; n <= longest; n++)
        for (size_t code = 0; code < spell_count("abc", n); code++) {
            lab_poll(lab);
            spell("abc", code, n, word);
            if (!read_word(l, engine, word, error)) return false;
        }
    return true;
}

/* Which columns are no combination of those before them (Gram and Schmidt); the orthonormal ones
 * they span become rows of q. */
static size_t rank_increments(Arena *arena, Matrix columns, bool *increments, Matrix *q) {
    Matrix x = matrix_transpose(arena, columns);
    size_t rank = 0;
    *q = matrix_new(arena, x.rows < x.cols ? x.rows : x.cols, x.cols);
    for (size_t c = 0; c < x.rows; c++) {
        size_t more = matrix_join(*q, rank, matrix_row(x, c), 1e-9);
        increments[c] = more > rank;
        rank = more;
    }
    return rank;
}

/* 1 − R² of the regression of column y on what the rows of q span; −1: y is constant. */
static double unexplained(Arena *arena, Matrix logits, size_t y, Matrix q, size_t rank) {
    double *x = ARENA_ARRAY(arena, logits.rows, double), mean, total = 0;
    for (size_t i = 0; i < logits.rows; i++) x[i] = *matrix_at(logits, i, y);
    mean = mean_of(x, logits.rows);
    for (size_t i = 0; i < logits.rows; i++) total += (x[i] - mean) * (x[i] - mean);
    if (total < 1e-12) return -1;
    matrix_project_out(q, rank, x);
    return dot(x, x, logits.rows) / total;
}

static Matrix unit_columns(Arena *arena, Matrix m) {
    Matrix x = matrix_transpose(arena, m);
    for (size_t c = 0; c < x.rows; c++) {
        double norm = sqrt(dot(matrix_row(x, c), matrix_row(x, c), x.cols));
        for (size_t i = 0; norm > 0 && i < x.cols; i++) *matrix_at(x, c, i) /= norm;
    }
    return x;
}

typedef struct LedgerTotals {
    double worst, residue; /* column − expression, 1 − R² */
    double certified;      /* the largest error that a program's certificate allows */
    size_t columns, ranks, svd, logits;
} LedgerTotals;

static void show_ledger(Page *page, const Ledger *l, const bool *increments) {
    PageTable *table = page_table(
        page, "the ledger of an induction head",
        (const char *const[]){"column", "written by", "layer", "rank", "largest error", NULL});
    for (size_t c = 0; c < l->circuit->column_count; c++) {
        const RaspCircuitColumn *column = &l->circuit->columns[c];
        const RaspCircuitSop *sop = &l->circuit->sops[column->sop];
        double worst = 0;
        for (size_t i = 0; i < l->rows; i++)
            worst = fmax(worst,
                         fabs(*matrix_at(l->found, i, 1 + c) - *matrix_at(l->expected, i, 1 + c)));
        table_text(table, sop->name ? sop->name : sop->text);
        table_text(table, rasp_circuit_kind_name((int)l->circuit->nodes[column->node].kind));
        table_count(table, l->circuit->steps[column->written].layer);
        table_text(table, increments[1 + c] ? "+1" : "0");
        table_number(table, worst, 2);
    }
}

static bool judge_ledger(Lab *lab, Page *page, int k, RaspRule rule, LedgerTotals *t) {
    Ledger ledger = {.rows = 0};
    RaspError error = {.text = "a column that cannot be seen"};
    if (!open_ledger(lab, page, k, &error, &ledger) ||
        !fill_ledger(lab, page, rule, &error, &ledger)) {
        lab_poll(lab);
        page_note(page, "%s: %s", ledgers[k].expression, error.text);
        check_none(page, "ledgers that could not be made", 1);
        return false;
    }
    Matrix q;
    RaspCertificate proof;
    if (rasp_model_certificate(ledger.program.model, &proof))
        t->certified = fmax(t->certified, proof.error);
    bool *increments = ARENA_ARRAY(lab->arena, ledger.found.cols, bool);
    size_t rank = rank_increments(lab->arena, ledger.found, increments, &q);
    t->ranks += rank;
    t->svd += matrix_rank(lab->arena, unit_columns(lab->arena, ledger.found), 1e-10);
    t->columns += ledger.circuit->column_count;
    t->worst = fmax(t->worst, matrix_difference(ledger.found, ledger.expected));
    for (size_t y = 0; y < ledger.logits.cols; y++) {
        double left = unexplained(lab->arena, ledger.logits, y, q, rank);
        t->logits += left >= 0;
        t->residue = fmax(t->residue, left);
    }
    if (k == 0 && rule == RASP_AVERAGE) show_ledger(page, &ledger, increments);
    return true;
}

void model_ledger(Lab *lab, Page *page) {
    LedgerTotals hard = {0}, soft = {0};
    for (int k = 0; k < LEDGERS; k++) {
        lab_progress(lab, (double)k / LEDGERS);
        if (!judge_ledger(lab, page, k, RASP_AVERAGE, &hard) ||
            !judge_ledger(lab, page, k, RASP_SOFTMAX, &soft))
            return;
    }
    check_near(page, IDENTITY,
               arena_format(page->arena,
                            "%zu columns of %d programs − their expressions, interpreted: largest",
                            hard.columns, LEDGERS),
               hard.worst, 0, 1e-12);
    check_near(page, IDENTITY, "the same with softmax, whose leak is in the columns", soft.worst, 0,
               soft.certified);
    check_near(page, IDENTITY,
               arena_format(page->arena, "%zu logits on the columns: largest 1 − R²", soft.logits),
               fmax(hard.residue, soft.residue), 0, 1e-12);
    check_near(page, IDENTITY, "sum of rank increments, against ranks by singular values",
               (double)soft.ranks, (double)soft.svd, 0);
}

/* --- 32: boosting with smoothers ---------------------------------------------------------------
 */

enum { POINTS = 16, STEPS = 20 };

/* A stack of layers whose head has these scores, whatever the stream holds, and W_V = −I on the
 * last dimension: r ← r − S r. The stream: which point, its row of scores, r. */
static Model *smoother_stack(Lab *lab, Page *page, Matrix scores, const double *y, size_t layers) {
    Shape shape = {2 * POINTS + 1, POINTS,       1,      layers, 1, 0, POINTS,
                   POINTS,         RT_MASK_NONE, RT_F64, false};
    Model *model = draw_model(lab, page, &shape);
    if (!model) return NULL;
    memset(model->tokens.data, 0, tensor_size(&model->tokens) * sizeof(double));
    for (size_t i = 0; i < POINTS; i++) {
        tensor_set(&model->tokens, i + 1, i, 1);
        for (size_t j = 0; j < POINTS; j++)
            tensor_set(&model->tokens, i + 1, POINTS + j, *matrix_at(scores, i, j));
        tensor_set(&model->tokens, i + 1, 2 * POINTS, y[i]);
    }
    for (size_t l = 0; l < layers; l++) {
        ModelHead *head = model->layers[l]->heads[0];
        Tensor *parts[] = {&head->query, &head->key, &head->value, &head->output};
        for (int t = 0; t < 4; t++)
            memset(parts[t]->data, 0, tensor_size(parts[t]) * sizeof(double));
        head->gap = 1;
        for (size_t j = 0; j < POINTS; j++) {
            tensor_set(&head->query, POINTS + j, j, 1);
            tensor_set(&head->key, j, j, 1);
        }
        tensor_set(&head->value, 2 * POINTS, 0, -1);
        tensor_set(&head->output, 0, 2 * POINTS, 1);
    }
    return model;
}

/* What the engine leaves of y behind that many layers. */
static bool stacked_residual(Lab *lab, Page *page, RtRule rule, Matrix scores, const double *y,
                             size_t layers, double *r) {
    Model *model = smoother_stack(lab, page, scores, y, layers);
    RunOptions options = run_options();
    size_t ids[POINTS];
    options.rule = rule;
    Engine *engine = model ? make_engine(lab, page, model, &options) : NULL;
    if (!engine) return false;
    for (size_t i = 0; i < POINTS; i++) ids[i] = i;
    Matrix rows = run_engine(lab, page, engine, ids, POINTS, 2 * POINTS + 1);
    for (size_t i = 0; i < POINTS; i++) r[i] = *matrix_at(rows, i, 2 * POINTS);
    return true;
}

/* residuals[L, ·] = y − f_L, by f ← f + S (y − f). */
static Matrix boost(Arena *arena, Matrix s, const double *y) {
    Matrix residuals = matrix_new(arena, STEPS + 1, POINTS), f = matrix_new(arena, 1, POINTS);
    for (size_t l = 0; l <= STEPS; l++) {
        double *r = matrix_row(residuals, l);
        for (size_t i = 0; i < POINTS; i++) r[i] = y[i] - f.x[i];
        for (size_t i = 0; i < POINTS; i++) f.x[i] += dot(matrix_row(s, i), r, POINTS);
    }
    return residuals;
}

/* (I − S)^L y, the power first: by squaring, from the right. */
static Matrix power_residual(Arena *arena, Matrix s, size_t l, const double *y) {
    Matrix base = matrix_sum(arena, matrix_identity(arena, POINTS), -1, s), all;
    Matrix column = matrix_new(arena, POINTS, 1);
    memcpy(column.x, y, POINTS * sizeof *y);
    for (all = matrix_identity(arena, POINTS); l > 0; l /= 2) {
        if (l % 2) all = matrix_product(arena, all, base);
        base = matrix_product(arena, base, base);
    }
    return matrix_product(arena, all, column);
}

static Matrix gaussian(Arena *arena, const double *x, double width) {
    Matrix k = matrix_new(arena, POINTS, POINTS);
    for (size_t i = 0; i < POINTS; i++)
        for (size_t j = 0; j < POINTS; j++)
            *matrix_at(k, i, j) = exp(-(x[i] - x[j]) * (x[i] - x[j]) / (2 * width * width));
    return k;
}

/* D K D' with rows that sum to 1: D' = I (Nadaraya and Watson); with D = D' it is symmetric too, by
 * Sinkhorn's iteration; D = D' = diag(row sums)^-½ is what spectral clustering uses, and its rows
 * do not sum to 1. */
typedef enum Normalisation { ROWS, BOTH, ROOTS, NORMALISATIONS } Normalisation;
static const char *const normalisation_names[] = {"each row", "rows and columns (Sinkhorn)",
                                                  "by roots of row sums"};

static Matrix normalise(Arena *arena, Matrix k, Normalisation how) {
    Matrix s = matrix_copy(arena, k);
    double d[POINTS];
    for (size_t i = 0; i < POINTS; i++) d[i] = 1;
    for (int turn = 0; turn < (how == BOTH ? 2000 : 1); turn++) {
        double sums[POINTS];
        for (size_t i = 0; i < POINTS; i++) sums[i] = dot(matrix_row(k, i), d, POINTS);
        for (size_t i = 0; i < POINTS; i++)
            d[i] = how == ROWS   ? 1 / sums[i]
                   : how == BOTH ? sqrt(d[i] / sums[i])
                                 : 1 / sqrt(sums[i]);
    }
    for (size_t i = 0; i < POINTS; i++)
        for (size_t j = 0; j < POINTS; j++) *matrix_at(s, i, j) *= d[i] * (how == ROWS ? 1 : d[j]);
    return s;
}

/* The engine's stack of L layers, the recursion and the power: the largest relative difference. */
static bool compare_stack(Lab *lab, Page *page, Matrix s, const double *y, double *worst) {
    static const size_t layers[] = {1, 2, 5, 10, STEPS};
    Matrix scores = matrix_copy(lab->arena, s), residuals = boost(lab->arena, s, y);
    for (size_t k = 0; k < POINTS * POINTS; k++) scores.x[k] = log(s.x[k]);
    for (size_t k = 0; k < sizeof layers / sizeof *layers; k++) {
        size_t l = layers[k];
        double r[POINTS], size = 1, *expected = matrix_row(residuals, l);
        if (!stacked_residual(lab, page, RT_SOFTMAX, scores, y, l, r)) return false;
        Matrix power = power_residual(lab->arena, s, l, y);
        for (size_t i = 0; i < POINTS; i++) size = fmax(size, fabs(expected[i]));
        *worst = fmax(*worst, max_difference(r, expected, POINTS) / size);
        *worst = fmax(*worst, max_difference(power.x, expected, POINTS) / size);
    }
    return true;
}

/* A wave with noise at random places. */
static void draw_wave(Rng *rng, double *x, double *truth, double *y) {
    for (size_t i = 0; i < POINTS; i++) {
        x[i] = ((double)i + rng_between(rng, 0, 0.8)) / POINTS;
        truth[i] = sin(2 * acos(-1) * x[i]);
        y[i] = truth[i] + 0.3 * rng_normal(rng);
    }
}

/* Root mean squares of y − f_L and of f_L − truth. */
static void errors_of(Matrix residuals, const double *y, const double *truth, double *training,
                      double *test) {
    for (size_t l = 0; l <= STEPS; l++) {
        const double *r = matrix_row(residuals, l);
        double off[POINTS];
        for (size_t i = 0; i < POINTS; i++) off[i] = y[i] - r[i] - truth[i];
        training[l] = sqrt(dot(r, r, POINTS) / POINTS);
        test[l] = sqrt(dot(off, off, POINTS) / POINTS);
    }
}

/* S that swaps neighbours has the eigenvalue −1: what is odd is doubled by each layer. */
static bool swap_grows(Lab *lab, Page *page, const double *y, double *worst) {
    Matrix scores = matrix_new(lab->arena, POINTS, POINTS);
    double before[POINTS], after[POINTS];
    for (size_t k = 0; k < POINTS * POINTS; k++) scores.x[k] = -1;
    for (size_t i = 0; i < POINTS; i++) *matrix_at(scores, i, i ^ 1) = 0;
    for (size_t l = 1; l <= 10; l++) {
        if (!stacked_residual(lab, page, RT_AVERAGE, scores, y, l, after)) return false;
        double ratio = l > 1 ? sqrt(dot(after, after, POINTS) / dot(before, before, POINTS)) : 2;
        *worst = fmax(*worst, fabs(ratio - 2));
        memcpy(before, after, sizeof before);
    }
    return true;
}

typedef struct Boosted {
    double stack, growth, above, rows; /* the largest errors of what model_boosting checks */
    size_t rises;
} Boosted;

/* A kernel of one data set: the training error, and where it is symmetric its eigenvalues and the
 * layers at which the error rises; gives the layer that is nearest to the truth. */
static size_t boost_kernel(Lab *lab, Matrix s, Normalisation how, const double *y,
                           const double *truth, double *training, double *test, Boosted *b) {
    size_t best = 0;
    errors_of(boost(lab->arena, s, y), y, truth, training, test);
    for (size_t l = 1; l <= STEPS; l++) {
        b->rises += how != ROWS && training[l] > training[l - 1] * (1 + 1e-14);
        if (test[l] < test[best]) best = l;
    }
    if (how != ROWS) b->above = fmax(b->above, matrix_singular_values(lab->arena, s)[0] - 1);
    for (size_t i = 0; how != ROOTS && i < POINTS; i++)
        b->rows = fmax(b->rows, fabs(sum_of(matrix_row(s, i), POINTS) - 1));
    return best;
}

/* One data set, under each way to normalise; `table` and `plot` are NULL but for the last. */
static bool boost_wave(Lab *lab, Page *page, PageTable *table, Plot *plot, Boosted *b) {
    double x[POINTS], truth[POINTS], y[POINTS];
    double steps[STEPS + 1], training[STEPS + 1], test[STEPS + 1];
    draw_wave(lab->rng, x, truth, y);
    for (size_t l = 0; l <= STEPS; l++) steps[l] = (double)l;
    for (Normalisation how = ROWS; how < NORMALISATIONS; how++) {
        Matrix s = normalise(lab->arena, gaussian(lab->arena, x, 0.1), how);
        size_t best = boost_kernel(lab, s, how, y, truth, training, test, b);
        if (how != ROOTS && !compare_stack(lab, page, s, y, &b->stack)) return false;
        if (!table) continue;
        table_text(table, normalisation_names[how]);
        table_number(table, training[1], 4);
        table_number(table, training[STEPS], 4);
        table_count(table, best);
        if (how != BOTH) continue;
        plot_line(plot, "training error", steps, training, STEPS + 1);
        plot_line(plot, "distance from the truth", steps, test, STEPS + 1);
    }
    return swap_grows(lab, page, y, &b->growth);
}

void model_boosting(Lab *lab, Page *page) {
    size_t cases = lab->quick ? 2 : 20;
    Boosted b = {.rises = 0};
    PageTable *table =
        page_table(page, "kernels of the last data, 20 layers",
                   (const char *const[]){"normalised", "training error at L = 1", "L = 20",
                                         "nearest to the truth at L", NULL});
    Plot *plot = plot_new(page->arena, "boosting with a smoother", "layers", "root mean square");
    for (size_t c = 0; c < cases; c++) {
        bool last = c + 1 == cases;
        lab_progress(lab, (double)c / (double)cases);
        if (!boost_wave(lab, page, last ? table : NULL, last ? plot : NULL, &b)) return;
    }
    page_plot(page, plot);
    check_near(page, IDENTITY,
               "up to 20 layers of the engine, the recursion, (I − S)^L y: largest difference",
               b.stack, 0, 1e-12);
    check_none(page, "symmetric kernels: layers at which the training error rises", b.rises);
    check_most(page, IDENTITY, "their largest eigenvalue − 1", b.above, 1e-12);
    check_near(page, IDENTITY, "largest |sum of a row of S − 1| of the attention matrices", b.rows,
               0, 1e-12);
    check_near(page, IDENTITY, "S that swaps neighbours: growth of the error by a layer",
               2 + b.growth, 2, 1e-12);
}
