/* Items 29 and 34: what must be kept of the values: a summary for all queries, or all of them. */
#include "lab/model.h"

#include "lab/engine_head.h"
#include "lab/programs.h"
#include "lab/running.h"
#include "lab/simplex.h"

#include <math.h>
#include <string.h>

/* The engine's weights of queries on keys: what it reads where the values are unit vectors. */
static Matrix engine_weights(Lab *lab, Page *page, Matrix q, Matrix k, double temperature,
                             RtMask mask) {
    EngineHead head = {RT_SOFTMAX, temperature, mask, RT_F64, 0, NULL, 0};
    return engine_attend(lab, page, &head, q, k, matrix_identity(lab->arena, k.rows));
}

/* --- 29: raw vectors ---------------------------------------------------------------------------
 */

enum { KEYS = 32, KEY_WIDTH = 16, FEATURES = 4, VALUE = 3 };

/* φ(q)·φ(k) / Σ φ(q)·φ(k), φ(x) = elu(x) + 1. */
static Matrix linear_weights(Lab *lab, size_t n) {
    Matrix q = matrix_normal(lab->arena, lab->rng, n, FEATURES, 1);
    Matrix k = matrix_normal(lab->arena, lab->rng, n, FEATURES, 1);
    for (size_t i = 0; i < n * FEATURES; i++) {
        q.x[i] = q.x[i] > 0 ? q.x[i] + 1 : exp(q.x[i]);
        k.x[i] = k.x[i] > 0 ? k.x[i] + 1 : exp(k.x[i]);
    }
    Matrix a = matrix_product(lab->arena, q, matrix_transpose(lab->arena, k));
    for (size_t i = 0; i < n; i++) {
        double total = sum_of(matrix_row(a, i), n);
        for (size_t j = 0; j < n; j++) *matrix_at(a, i, j) /= total;
    }
    return a;
}

/* Rows of an orthonormal basis of what A's rows span. */
static Matrix row_basis(Arena *arena, Matrix a, double tolerance) {
    Matrix q = matrix_new(arena, a.rows < a.cols ? a.rows : a.cols, a.cols);
    size_t rank = 0;
    for (size_t i = 0; i < a.rows; i++) rank = matrix_join(q, rank, matrix_row(a, i), tolerance);
    q.rows = rank;
    return q;
}

/* If: with Q a basis of A's rows, the summary Q V of r = rank A rows gives A V = (A Qᵀ)(Q V). */
static double factored_error(Lab *lab, Matrix a) {
    Matrix v = matrix_normal(lab->arena, lab->rng, a.cols, VALUE, 1);
    Matrix q = row_basis(lab->arena, a, 1e-13);
    Matrix back = matrix_product(lab->arena, a, matrix_transpose(lab->arena, q));
    Matrix summary = matrix_product(lab->arena, q, v);
    return matrix_difference(matrix_product(lab->arena, back, summary),
                             matrix_product(lab->arena, a, v));
}

/* Only if: two caches whose summaries C V by r < rank A random rows are equal, and whose outputs
 * are not: V and V + z with C z = 0 and A z ≠ 0, z what C leaves of a row of A. Gives the change of
 * an output of size 1; `equal` is the change of the summary. */
static double forgotten(Lab *lab, Matrix a, size_t r, double *equal) {
    Matrix c = row_basis(lab->arena, matrix_normal(lab->arena, lab->rng, r, a.cols, 1), 1e-10);
    double best = 0, *z = ARENA_ARRAY(lab->arena, a.cols, double);
    for (size_t i = 0; i < a.rows; i++) {
        memcpy(z, matrix_row(a, i), a.cols * sizeof *z);
        matrix_project_out(c, c.rows, z);
        double length = sqrt(dot(z, z, a.cols));
        if (!(length > 0)) continue;
        best = fmax(best, fabs(dot(matrix_row(a, i), z, a.cols)) / length);
        for (size_t k = 0; k < c.rows; k++)
            *equal = fmax(*equal, fabs(dot(matrix_row(c, k), z, a.cols)) / length);
    }
    return best;
}

/* A uniform head of the engine over growing prefixes, against a sum that runs along. */
static double running_error(Lab *lab, Page *page, size_t n) {
    EngineHead head = {RT_SOFTMAX, 1, RT_MASK_CAUSAL, RT_F64, 0, NULL, 0};
    Matrix zero = matrix_new(lab->arena, n, 1);
    Matrix v = matrix_normal(lab->arena, lab->rng, n, VALUE, 1);
    Matrix found = engine_attend(lab, page, &head, zero, zero, v);
    double sum[VALUE] = {0}, worst = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t m = 0; m < VALUE; m++) {
            sum[m] += *matrix_at(v, i, m);
            worst = fmax(worst, fabs(*matrix_at(found, i, m) - sum[m] / (double)(i + 1)));
        }
    return worst;
}

/* The head of select(tokens, tokens, ==) on a word into `context`, a Matrix [n, n]: without the
 * sink. */
static void keep_square(void *context, size_t layer, size_t head, size_t n, const double *scores,
                        const double *weights, size_t width, const double *result) {
    const Matrix *square = context;
    (void)layer, (void)head, (void)scores, (void)width, (void)result;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            *matrix_at(*square, i, j) = weights[(i + 1) * (n + 1) + j + 1];
}

static bool letters_rank(Lab *lab, Page *page, const char *word, size_t *rank) {
    LabProgram p;
    RaspError error;
    size_t n = strlen(word);
    if (!lab_compile(lab, page, NULL, "aggregate(select(tokens, tokens, ==), indices)", "abcd",
                     (uint32_t)n, &p))
        return false;
    RaspEngine *engine = lab_engine(lab, page, &p, RASP_AVERAGE, 1);
    Matrix square = matrix_new(lab->arena, n, n);
    RaspTap tap = {.context = &square, .head = keep_square};
    RaspInput input = {.text = word, .length = n};
    RaspForward *f = engine ? rasp_trace(engine, &input, &tap, &error) : NULL;
    rasp_forward_free(f);
    *rank = matrix_rank(lab->arena, square, 1e-10);
    return f != NULL;
}

static void add_rank(PageTable *table, const char *head, size_t n, size_t rank, double least) {
    table_text(table, head);
    table_count(table, n);
    table_count(table, rank);
    table_number(table, least, 2);
}

/* The smallest singular value over the largest. */
static double least_share(Arena *arena, Matrix a) {
    const double *values = matrix_singular_values(arena, a);
    return values[a.rows - 1] / values[0];
}

/* Singular values, relative to the largest. */
static void plot_values(Lab *lab, Plot *plot, const char *name, Matrix a) {
    double number[KEYS], share[KEYS];
    const double *values = matrix_singular_values(lab->arena, a);
    for (size_t k = 0; k < a.rows; k++) number[k] = (double)k, share[k] = values[k] / values[0];
    plot_line(plot, name, number, share, a.rows);
}

/* Softmax heads at three temperatures and sizes; those at τ = 1 must have full rank. Gives how many
 * have not, and the errors of summaries of fewer rows. */
typedef struct Ranks {
    size_t short_of, uniform, linear;
    double factored, forgets, equal;
} Ranks;

static bool softmax_ranks(Lab *lab, Page *page, PageTable *table, Plot *plot, Ranks *r) {
    static const double temperatures[] = {0.3, 1, 10};
    for (size_t n = 8; n <= KEYS; n *= 2)
        for (int t = 0; t < 3; t++) {
            Matrix q = matrix_normal(lab->arena, lab->rng, n, KEY_WIDTH, 0.5);
            Matrix k = matrix_normal(lab->arena, lab->rng, n, KEY_WIDTH, 1);
            Matrix a = engine_weights(lab, page, q, k, temperatures[t], RT_MASK_NONE);
            size_t rank = matrix_rank(lab->arena, a, 1e-10);
            if (t == 1) {
                r->short_of += rank < n;
                r->forgets = fmin(r->forgets, forgotten(lab, a, n - 1, &r->equal));
            }
            r->factored = fmax(r->factored, factored_error(lab, a));
            if (!plot) continue;
            const char *name = arena_format(page->arena, "softmax, τ = %g", temperatures[t]);
            add_rank(table, name, n, rank, least_share(lab->arena, a));
            if (n == KEYS) plot_values(lab, plot, name, a);
        }
    return true;
}

void model_raw_vectors(Lab *lab, Page *page) {
    size_t cases = lab->quick ? 3 : 30, letters = 0;
    double running = 0;
    Ranks r = {.forgets = INFINITY};
    PageTable *table = page_table(
        page, "ranks of weight matrices, n queries on n keys",
        (const char *const[]){"head", "n", "rank", "least singular value / largest", NULL});
    Plot *plot = plot_new(page->arena, "singular values of weights, 32 queries on 32 keys",
                          "number", "over the largest");
    plot->log_y = true;
    page_plot(page, plot);
    for (size_t c = 0; c < cases; c++) {
        lab_progress(lab, (double)c / (double)cases);
        Matrix zero = matrix_new(lab->arena, KEYS, 1);
        Matrix uniform = engine_weights(lab, page, zero, zero, 1, RT_MASK_NONE);
        Matrix linear = linear_weights(lab, KEYS);
        size_t one = matrix_rank(lab->arena, uniform, 1e-12);
        size_t few = matrix_rank(lab->arena, linear, 1e-12);
        r.uniform = one > r.uniform ? one : r.uniform;
        r.linear = few > r.linear ? few : r.linear;
        r.factored = fmax(r.factored, factored_error(lab, linear));
        r.forgets = fmin(r.forgets, forgotten(lab, linear, FEATURES - 1, &r.equal));
        if (c == 0) {
            plot_values(lab, plot, "linear, 4 features", linear);
            add_rank(table, "uniform", KEYS, one, least_share(lab->arena, uniform));
            add_rank(table, "linear, 4 features", KEYS, few, least_share(lab->arena, linear));
        }
        if (!softmax_ranks(lab, page, table, c == 0 ? plot : NULL, &r)) return;
        running = fmax(running, running_error(lab, page, KEYS));
    }
    if (!letters_rank(lab, page, "abacabdabc", &letters)) return;
    check_near(page, IDENTITY, "rank of a uniform head", (double)r.uniform, 1, 0);
    check_near(page, IDENTITY, "uniform head over prefixes − a running sum, largest", running, 0,
               1e-12);
    check_none(page, "softmax heads, τ = 1, n = 8 to 32, of less than full rank", r.short_of);
    check_most(page, IDENTITY, "rank of linear attention, 4 features", (double)r.linear, FEATURES);
    check_near(page, IDENTITY, "compiled select(tokens, tokens, ==) on 4 letters: rank",
               (double)letters, 4, 0);
    check_near(page, IDENTITY, "outputs from a summary of rank A rows: largest error", r.factored,
               0, 1e-12);
    check_near(page, IDENTITY, "one row fewer: largest difference of two summaries", r.equal, 0,
               1e-12);
    check_least(page, IDENTITY, "and the least difference of their outputs", r.forgets, 1e-9);
}

/* --- 34: one statistic for all queries, or one for each ----------------------------------------
 */

enum { SAMPLE = 24, GROUPS = 4, EACH = SAMPLE / GROUPS };

/* β = 0 through the engine against the mean and against a mean that runs along. */
static double mean_error(Lab *lab, Page *page) {
    Matrix q = matrix_normal(lab->arena, lab->rng, SAMPLE, 3, 1);
    Matrix zero = matrix_new(lab->arena, SAMPLE, 3);
    Matrix v = matrix_normal(lab->arena, lab->rng, SAMPLE, 1, 1);
    EngineHead head = {RT_SOFTMAX, 1, RT_MASK_NONE, RT_F64, 0, NULL, 0};
    Matrix found = engine_attend(lab, page, &head, q, zero, v);
    double mean = mean_of(v.x, SAMPLE), runs = 0, worst = 0;
    for (size_t i = 0; i < SAMPLE; i++) runs += (v.x[i] - runs) / (double)(i + 1);
    for (size_t i = 0; i < SAMPLE; i++)
        worst = fmax(worst, fmax(fabs(found.x[i] - mean), fabs(found.x[i] - runs)));
    return worst;
}

/* log p(x | θ) − log p(x | θ'), x normal about θ with variance 1. */
static double log_ratio(const double *x, double theta, double other) {
    double sum = 0;
    for (size_t i = 0; i < SAMPLE; i++)
        sum += 0.5 * ((x[i] - other) * (x[i] - other) - (x[i] - theta) * (x[i] - theta));
    return sum;
}

static double weighted(const double *w, const double *x) {
    return dot(w, x, SAMPLE);
}

/* Moves x so that the statistic w·x stays: its likelihood ratio may then change by how much? */
static double ratio_change(Rng *rng, const double *w) {
    double x[SAMPLE], y[SAMPLE], theta = rng_normal(rng), other = rng_normal(rng);
    rng_normals(rng, x, SAMPLE, 1);
    rng_normals(rng, y, SAMPLE, 1);
    double off = weighted(w, y) / dot(w, w, SAMPLE);
    for (size_t i = 0; i < SAMPLE; i++) y[i] = x[i] + y[i] - off * w[i];
    return fabs(log_ratio(y, theta, other) - log_ratio(x, theta, other));
}

/* The sum and the sum of squares of something, for its mean and standard error. */
typedef struct Tally {
    double sum, squares, count;
} Tally;

static void count_in(Tally *t, double x) {
    t->sum += x, t->squares += x * x, t->count++;
}

static void check_tally(Page *page, const char *what, const Tally *t, double expected) {
    double mean = t->sum / t->count;
    check_z(page, what, mean, expected, sqrt((t->squares / t->count - mean * mean) / t->count));
}

/* GROUPS means θ_g = g; a query asks for one. The engine's averaging head picks the keys of the
 * query's group; a fixed mean is one number for all queries. */
static void try_groups(Lab *lab, Page *page, Tally *asked, Tally *fixed, size_t *answers) {
    Matrix q = matrix_new(lab->arena, SAMPLE, GROUPS), v = matrix_new(lab->arena, SAMPLE, 1);
    EngineHead head = {RT_SOFTMAX, 1e-3, RT_MASK_NONE, RT_F64, 0, NULL, 0};
    for (size_t j = 0; j < SAMPLE; j++) {
        *matrix_at(q, j, j % GROUPS) = 1;
        v.x[j] = (double)(j % GROUPS) + rng_normal(lab->rng);
    }
    Matrix out = engine_attend(lab, page, &head, q, q, v);
    double mean = mean_of(v.x, SAMPLE), error = 0, single = 0;
    for (size_t g = 0; g < GROUPS; g++) {
        error += (out.x[g] - (double)g) * (out.x[g] - (double)g) / GROUPS;
        single += (mean - (double)g) * (mean - (double)g) / GROUPS;
        *answers += g > 0 && out.x[g] != out.x[g - 1];
    }
    count_in(asked, error);
    count_in(fixed, single);
}

/* Maximises b·s + τ H(b) by multiplicative steps from equal weights: no exponential of a score over
 * a sum is formed. */
static void climb(const double *s, size_t n, double temperature, double *b) {
    for (size_t j = 0; j < n; j++) b[j] = 1 / (double)n;
    for (int step = 0; step < 200; step++) {
        double total = 0;
        for (size_t j = 0; j < n; j++) {
            b[j] *= exp(0.5 * (s[j] / temperature - log(b[j])));
            total += b[j];
        }
        for (size_t j = 0; j < n; j++) b[j] /= total;
    }
}

/* One output read in three ways: a sum with coefficients found by unit values, the optimum of the
 * entropy-regularised problem, a cache that takes key after key. */
static double readings_apart(Lab *lab, Page *page) {
    enum { D = 4 };
    Matrix q = matrix_normal(lab->arena, lab->rng, SAMPLE, D, 1);
    Matrix k = matrix_normal(lab->arena, lab->rng, SAMPLE, D, 1);
    Matrix v = matrix_normal(lab->arena, lab->rng, SAMPLE, VALUE, 1);
    EngineHead head = {RT_SOFTMAX, 2, RT_MASK_CAUSAL, RT_F64, 0, NULL, 0};
    Matrix out = engine_attend(lab, page, &head, q, k, v);
    Matrix a = engine_weights(lab, page, q, k, 2, RT_MASK_CAUSAL);
    double worst = matrix_difference(matrix_product(lab->arena, a, v), out);
    for (size_t i = 0; i < SAMPLE; i++) {
        double s[SAMPLE], b[SAMPLE], o[VALUE];
        Running cache = running_new(lab->arena, VALUE);
        for (size_t j = 0; j <= i; j++) {
            s[j] = dot(matrix_row(q, i), matrix_row(k, j), D);
            double score = s[j] / 2;
            running_add(&cache, &score, (Matrix){1, VALUE, matrix_row(v, j)}, 0, 1);
        }
        running_read(&cache, o);
        worst = fmax(worst, max_difference(o, matrix_row(out, i), VALUE));
        climb(s, i + 1, 2, b);
        for (size_t m = 0; m < VALUE; m++) {
            double sum = 0;
            for (size_t j = 0; j <= i; j++) sum += b[j] * *matrix_at(v, j, m);
            worst = fmax(worst, fabs(sum - *matrix_at(out, i, m)));
        }
    }
    return worst;
}

void model_statistics(Lab *lab, Page *page) {
    size_t cases = lab->quick ? 20 : 200, draws = lab->quick ? 500 : 5000, answers = 0;
    double mean = 0, same = 0, other = INFINITY, apart = 0, w[SAMPLE], equal[SAMPLE], total = 0;
    Tally by_mean = {0}, by_decay = {0}, asked = {0}, fixed = {0};
    for (size_t i = 0; i < SAMPLE; i++) total += w[i] = pow(0.8, (double)(SAMPLE - 1 - i));
    for (size_t i = 0; i < SAMPLE; i++) w[i] /= total, equal[i] = 1.0 / SAMPLE;
    for (size_t c = 0; c < cases; c++) {
        lab_progress(lab, 0.5 * (double)c / (double)cases);
        mean = fmax(mean, mean_error(lab, page));
        same = fmax(same, ratio_change(lab->rng, equal));
        other = fmin(other, ratio_change(lab->rng, w));
        apart = fmax(apart, readings_apart(lab, page));
    }
    for (size_t k = 0; k < draws; k++) {
        double x[SAMPLE];
        if (k % 100 == 0) lab_progress(lab, 0.5 + 0.5 * (double)k / (double)draws);
        rng_normals(lab->rng, x, SAMPLE, 1);
        count_in(&by_mean, weighted(equal, x) * weighted(equal, x));
        count_in(&by_decay, weighted(w, x) * weighted(w, x));
        try_groups(lab, page, &asked, &fixed, &answers);
    }
    check_near(page, IDENTITY, "β = 0: the engine − the sample's mean, − a running mean: largest",
               mean, 0, 1e-12);
    check_near(page, IDENTITY, "one output as a sum, an optimum and a cache: largest difference",
               apart, 0, 1e-12);
    check_near(page, IDENTITY, "equal means: largest change of a likelihood ratio", same, 0, 1e-12);
    check_least(page, IDENTITY, "equal decaying sums: least change of it", other, 1e-9);
    check_tally(page, "risk of the mean: σ²/n", &by_mean, 1.0 / SAMPLE);
    check_tally(page, "risk of a decaying sum: σ² Σ w²", &by_decay, dot(w, w, SAMPLE));
    check_tally(page, "four groups, a statistic a query: σ²/m", &asked, 1.0 / EACH);
    check_tally(page, "four groups, one for all: σ²/n + Var θ", &fixed,
                1.0 / SAMPLE + (GROUPS * GROUPS - 1) / 12.0);
    check_near(page, IDENTITY, "different answers to four queries, a draw",
               (double)answers / (double)draws + 1, GROUPS, 0);
}
