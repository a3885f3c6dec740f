/* Items 23 and 25: what heads write adds up: hulls to a sum of hulls, votes to logits. */
#include "lab/model.h"

#include "lab/drawn.h"
#include "lab/hull.h"
#include "lab/simplex.h"

#include <math.h>
#include <string.h>

static Matrix weights_of(const Tensor *t) {
    return (Matrix){t->rows, t->cols, t->data};
}

/* The embedding of an input. */
static Matrix embed(Arena *arena, const Model *model, const size_t *ids, size_t n) {
    Matrix h = matrix_new(arena, n, model->width);
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < model->width; c++)
            *matrix_at(h, i, c) =
                tensor_get(&model->tokens, ids[i] + 1, c) + tensor_get(&model->positions, i + 1, c);
    return h;
}

/* --- 23: heads and the sum of their hulls ------------------------------------------------------
 */

enum { KEYS = 6, WIDTH = 4, MOST_HEADS = 3, DIRECTIONS = 200 };

/* What one layer of heads writes on an input, by the engine: all heads, and each alone. */
typedef struct Written {
    Matrix all, head[MOST_HEADS];
    Matrix values[MOST_HEADS]; /* v_j = h_j W_V W_O */
} Written;

static Matrix written_by(Lab *lab, Page *page, const Model *model, Matrix h, const size_t *ids) {
    RunOptions options = run_options();
    Engine *engine = make_engine(lab, page, model, &options);
    return matrix_sum(lab->arena, run_engine(lab, page, engine, ids, KEYS, WIDTH), -1, h);
}

static bool write_heads(Lab *lab, Page *page, size_t heads, Written *w) {
    Shape shape = {WIDTH, 2, 3, 1, heads, 0, 5, KEYS, RT_MASK_CAUSAL, RT_F64, true};
    Model *model = draw_model(lab, page, &shape);
    size_t ids[KEYS];
    if (!model) return false;
    draw_ids(lab->rng, ids, KEYS, shape.tokens);
    Matrix h = embed(lab->arena, model, ids, KEYS);
    w->all = written_by(lab, page, model, h, ids);
    ModelHead **head = model->layers[0]->heads;
    Matrix output[MOST_HEADS], zero = matrix_new(lab->arena, shape.value, WIDTH);
    for (size_t k = 0; k < heads; k++) {
        output[k] = matrix_copy(lab->arena, weights_of(&head[k]->output));
        w->values[k] = matrix_product(
            lab->arena, matrix_product(lab->arena, h, weights_of(&head[k]->value)), output[k]);
    }
    for (size_t k = 0; k < heads; k++) {
        for (size_t other = 0; other < heads; other++)
            memcpy(head[other]->output.data, other == k ? output[k].x : zero.x,
                   shape.value * WIDTH * sizeof(double));
        w->head[k] = written_by(lab, page, model, h, ids);
    }
    return true;
}

/* All sums of one value a head, of keys up to row i: the corners of the Minkowski sum and more. */
static Matrix sums_of_values(Arena *arena, const Written *w, size_t heads, size_t i) {
    size_t count = 1;
    for (size_t k = 0; k < heads; k++) count *= i + 1;
    Matrix sums = matrix_new(arena, count, WIDTH);
    for (size_t s = 0; s < count; s++)
        for (size_t k = 0, rest = s; k < heads; k++, rest /= i + 1)
            for (size_t c = 0; c < WIDTH; c++)
                *matrix_at(sums, s, c) += *matrix_at(w->values[k], rest % (i + 1), c);
    return sums;
}

/* u·o − Σ_h max_j u·v^h_j, the largest over random directions: at most 0. */
static double beyond_support(Lab *lab, const Written *w, size_t heads, size_t i) {
    double worst = -INFINITY;
    for (int k = 0; k < DIRECTIONS; k++) {
        double u[WIDTH], support = 0;
        rng_normals(lab->rng, u, WIDTH, 1);
        for (size_t h = 0; h < heads; h++) {
            double most = -INFINITY;
            for (size_t j = 0; j <= i; j++)
                most = fmax(most, dot(u, matrix_row(w->values[h], j), WIDTH));
            support += most;
        }
        worst = fmax(worst, dot(u, matrix_row(w->all, i), WIDTH) - support);
    }
    return worst;
}

/* Or as near as engine and lab may round one point apart, such as the hull of a single key. */
static bool in_hull(Arena *arena, Matrix points, size_t count, const double *x) {
    Hull hull = hull_test(points.x, count, WIDTH, x, 1e-9, arena);
    return hull.side == HULL_INSIDE || hull.distance <= 1e-12;
}

typedef struct Sums {
    size_t rows, heads_inside, heads_tested, sum_inside, one_inside;
    double support, adding;
} Sums;

static void judge_sums(Lab *lab, const Written *w, size_t heads, Sums *s) {
    Matrix total = matrix_new(lab->arena, KEYS, WIDTH);
    for (size_t k = 0; k < heads; k++) total = matrix_sum(lab->arena, total, 1, w->head[k]);
    s->adding = fmax(s->adding, matrix_difference(total, w->all));
    for (size_t i = 0; i < KEYS; i++, s->rows++) {
        Arena *scratch = arena_child(lab->arena);
        Matrix sums = sums_of_values(scratch, w, heads, i);
        const double *out = matrix_row(w->all, i);
        bool one = false;
        s->support = fmax(s->support, beyond_support(lab, w, heads, i));
        s->sum_inside += in_hull(scratch, sums, sums.rows, out);
        for (size_t k = 0; k < heads; k++, s->heads_tested++) {
            s->heads_inside += in_hull(scratch, w->values[k], i + 1, matrix_row(w->head[k], i));
            one |= in_hull(scratch, w->values[k], i + 1, out);
        }
        s->one_inside += one;
        arena_free(scratch);
    }
}

/* Two heads of the engine that look at one key each: a = (1, 0) and b = (0, 1). The residual
 * stream: which token, its value, what is read, one. */
static bool two_picks(Lab *lab, Page *page, double *out) {
    Shape shape = {7, 1, 2, 1, 2, 0, 2, 2, RT_MASK_NONE, RT_F64, false};
    Model *model = draw_model(lab, page, &shape);
    RunOptions options = run_options();
    options.rule = RT_HARD_LEFT;
    if (!model) return false;
    memset(model->tokens.data, 0, tensor_size(&model->tokens) * sizeof(double));
    for (size_t k = 0; k < 2; k++) {
        ModelHead *head = model->layers[0]->heads[k];
        Tensor *parts[] = {&head->query, &head->key, &head->value, &head->output};
        for (int t = 0; t < 4; t++)
            memset(parts[t]->data, 0, tensor_size(parts[t]) * sizeof(double));
        head->gap = 1;
        tensor_set(&head->query, 6, 0, 1);
        tensor_set(&head->key, k, 0, 1);
        for (size_t c = 0; c < 2; c++) {
            tensor_set(&head->value, 2 + c, c, 1);
            tensor_set(&head->output, c, 4 + c, 1);
        }
        tensor_set(&model->tokens, k + 1, k, 1);
        tensor_set(&model->tokens, k + 1, 2 + k, 1);
        tensor_set(&model->tokens, k + 1, 6, 1);
    }
    Engine *engine = make_engine(lab, page, model, &options);
    Matrix rows = run_engine(lab, page, engine, (const size_t[]){0, 1}, 2, 7);
    memcpy(out, matrix_row(rows, 1) + 4, 2 * sizeof *out);
    return true;
}

void model_heads(Lab *lab, Page *page) {
    size_t cases = lab->quick ? 10 : 100;
    Sums all = {.support = -INFINITY};
    size_t one_head = 0, several = 0, several_rows = 0;
    PageTable *table = page_table(page, "what heads write, by the hull test",
                                  (const char *const[]){"heads", "rows", "in the sum of the hulls",
                                                        "in the hull of one head's values", NULL});
    for (size_t heads = 1; heads <= MOST_HEADS; heads++) {
        Sums s = {.support = -INFINITY};
        for (size_t c = 0; c < cases; c++) {
            Written w;
            lab_progress(lab, ((double)heads - 1 + (double)c / (double)cases) / MOST_HEADS);
            if (!write_heads(lab, page, heads, &w)) return;
            judge_sums(lab, &w, heads, &s);
        }
        table_count(table, heads);
        table_count(table, s.rows);
        table_count(table, s.sum_inside);
        table_count(table, s.one_inside);
        all.rows += s.rows, all.sum_inside += s.sum_inside;
        all.heads_tested += s.heads_tested, all.heads_inside += s.heads_inside;
        all.support = fmax(all.support, s.support), all.adding = fmax(all.adding, s.adding);
        if (heads == 1)
            one_head = s.rows - s.one_inside;
        else
            several += s.rows - s.one_inside, several_rows += s.rows;
    }
    double picked[2] = {NAN, NAN};
    const double ends[4] = {1, 0, 0, 1};
    if (!two_picks(lab, page, picked)) return;
    Hull hull = hull_test(ends, 2, 2, picked, 1e-9, lab->arena);
    check_most(page, IDENTITY, "u·o − Σ_h max_j u·v^h_j over 200 directions a row: the largest",
               all.support, 1e-12);
    check_none(page, "sums of heads outside of the sum of their hulls", all.rows - all.sum_inside);
    check_none(page, "heads outside of their own values' hull",
               all.heads_tested - all.heads_inside);
    check_near(page, IDENTITY, "all heads − Σ of each head alone, largest", all.adding, 0, 1e-12);
    check_none(page, "one head: rows outside of its values' hull", one_head);
    check_least(page, IDENTITY,
                arena_format(page->arena,
                             "several heads: of %zu rows, outside of every head's hull",
                             several_rows),
                (double)several, 1);
    check_near(page, IDENTITY, "two heads that pick a and b give a + b: largest difference",
               fmax(fabs(picked[0] - 1), fabs(picked[1] - 1)), 0, 0);
    check_near(page, IDENTITY, "a + b is outside of the segment from a to b, by a margin of 1/√2",
               hull.side == HULL_OUTSIDE ? hull.margin : 0, sqrt(0.5), 1e-12);
}

/* --- 25: votes -------------------------------------------------------------------------------- */

enum { N = 8, D = 10, DK = 3, V = 6, HEADS = 2 };

/* One layer of heads on the dimensions 0 .. D−1, and W_U as a sublayer, ReLU(h) W_U − ReLU(−h) W_U,
 * to the dimensions behind them: the logits. */
static Model *vote_model(Lab *lab, Page *page, Matrix wu) {
    Shape shape = {D + V, DK, 4, 1, HEADS, 2 * D, V, N, RT_MASK_CAUSAL, RT_F64, true};
    Model *model = draw_model(lab, page, &shape);
    if (!model) return NULL;
    ModelMlp *mlp = model->layers[0]->mlps[0];
    Tensor *all[] = {&mlp->in, &mlp->in_bias, &mlp->out, &mlp->out_bias};
    for (int t = 0; t < 4; t++) memset(all[t]->data, 0, tensor_size(all[t]) * sizeof(double));
    for (size_t c = 0; c < D; c++) {
        tensor_set(&mlp->in, c, c, 1);
        tensor_set(&mlp->in, c, D + c, -1);
        for (size_t y = 0; y < V; y++) {
            tensor_set(&mlp->out, c, D + y, *matrix_at(wu, c, y));
            tensor_set(&mlp->out, D + c, D + y, -*matrix_at(wu, c, y));
        }
    }
    for (size_t y = D; y < D + V; y++) { /* nobody but W_U writes the logits, nobody reads them */
        for (size_t row = 0; row <= V; row++) tensor_set(&model->tokens, row, y, 0);
        for (size_t row = 0; row <= N; row++) tensor_set(&model->positions, row, y, 0);
        for (size_t h = 0; h < HEADS; h++) {
            ModelHead *head = model->layers[0]->heads[h];
            for (size_t c = 0; c < 4; c++) tensor_set(&head->output, c, y, 0);
        }
    }
    return model;
}

static Matrix first_rows(Matrix m, size_t rows) {
    return (Matrix){rows, m.cols, m.x};
}

/* The parts of the logits: the direct term, and for each head weights and votes. */
typedef struct Parts {
    Matrix direct;         /* [N, V]: h_i W_U */
    Matrix weights[HEADS]; /* [N, N] */
    Matrix votes[HEADS];   /* [N, V]: l_j = h_j W_OV W_U */
    size_t rank;           /* the largest of a W_Q W_K^T */
} Parts;

static Parts decompose(Arena *arena, const Model *model, Matrix wu, const size_t *ids) {
    Matrix wide = embed(arena, model, ids, N), h = matrix_new(arena, N, D);
    for (size_t i = 0; i < N; i++)
        memcpy(matrix_row(h, i), matrix_row(wide, i), D * sizeof(double));
    Parts p = {.direct = matrix_product(arena, h, wu)};
    for (size_t k = 0; k < HEADS; k++) {
        const ModelHead *head = model->layers[0]->heads[k];
        Matrix wq = first_rows(weights_of(&head->query), D);
        Matrix wk = first_rows(weights_of(&head->key), D);
        Matrix wqk = matrix_product(arena, wq, matrix_transpose(arena, wk));
        Matrix wo = matrix_new(arena, 4, D);
        for (size_t c = 0; c < 4; c++)
            memcpy(matrix_row(wo, c), head->output.data + c * (D + V), D * sizeof(double));
        Matrix wov = matrix_product(arena, first_rows(weights_of(&head->value), D), wo);
        Matrix a = matrix_product(arena, matrix_product(arena, h, wqk), matrix_transpose(arena, h));
        for (size_t i = 0; i < N; i++) {
            for (size_t j = i + 1; j < N; j++) *matrix_at(a, i, j) = -INFINITY;
            softmax(matrix_row(a, i), N, 1, matrix_row(a, i));
        }
        size_t rank = matrix_rank(arena, wqk, 1e-10);
        p.rank = rank > p.rank ? rank : p.rank;
        p.weights[k] = a;
        p.votes[k] = matrix_product(arena, matrix_product(arena, h, wov), wu);
    }
    return p;
}

static Matrix sum_parts(Arena *arena, const Parts *p) {
    Matrix z = p->direct;
    for (size_t k = 0; k < HEADS; k++)
        z = matrix_sum(arena, z, 1, matrix_product(arena, p->weights[k], p->votes[k]));
    return z;
}

static Matrix engine_logits(Lab *lab, Page *page, const Model *model, const size_t *ids) {
    RunOptions options = run_options();
    Engine *engine = make_engine(lab, page, model, &options);
    Matrix rows = run_engine(lab, page, engine, ids, N, D + V), z = matrix_new(lab->arena, N, V);
    for (size_t i = 0; i < N; i++)
        memcpy(matrix_row(z, i), matrix_row(rows, i) + D, V * sizeof(double));
    return z;
}

/* W_Q ← W_Q R, W_K ← W_K R^-T, R invertible. */
static bool change_gauge(Lab *lab, Model *model) {
    for (size_t k = 0; k < HEADS; k++) {
        ModelHead *head = model->layers[0]->heads[k];
        Matrix r = matrix_sum(lab->arena, matrix_normal(lab->arena, lab->rng, DK, DK, 0.4), 2,
                              matrix_identity(lab->arena, DK));
        Matrix inverse;
        if (!matrix_solve(lab->arena, matrix_transpose(lab->arena, r),
                          matrix_identity(lab->arena, DK), &inverse))
            return false;
        Matrix wq = matrix_product(lab->arena, weights_of(&head->query), r);
        Matrix wk = matrix_product(lab->arena, weights_of(&head->key), inverse);
        memcpy(head->query.data, wq.x, (D + V) * DK * sizeof(double));
        memcpy(head->key.data, wk.x, (D + V) * DK * sizeof(double));
    }
    return true;
}

/* At the last position: who votes how much for which token. */
static void show_votes(Page *page, const Parts *p, Matrix z) {
    const char *const columns[] = {"token", "direct", "head 0", "head 1", "sum", "engine", NULL};
    PageTable *table = page_table(page, "logits of the last position, by their parts", columns);
    double *cells = ARENA_ARRAY(page->arena, HEADS * N * V, double);
    const char *names[HEADS * N];
    for (size_t y = 0; y < V; y++) {
        double parts[HEADS] = {0}, sum = *matrix_at(p->direct, N - 1, y);
        for (size_t k = 0; k < HEADS; k++) {
            for (size_t j = 0; j < N; j++) {
                double vote = *matrix_at(p->weights[k], N - 1, j) * *matrix_at(p->votes[k], j, y);
                parts[k] += vote;
                cells[(k * N + j) * V + y] = vote;
                names[k * N + j] = arena_format(page->arena, "head %zu, key %zu", k + 1, j);
            }
            sum += parts[k];
        }
        table_count(table, y);
        table_number(table, *matrix_at(p->direct, N - 1, y), 4);
        for (size_t k = 0; k < HEADS; k++) table_number(table, parts[k], 4);
        table_number(table, sum, 4);
        table_number(table, *matrix_at(z, N - 1, y), 4);
    }
    page_plot(page,
              plot_matrix(page->arena, "votes of the last position, times their weights",
                          "token voted for", "head and key", HEADS * N, V, cells, names, NULL));
}

void model_votes(Lab *lab, Page *page) {
    size_t cases = lab->quick ? 10 : 100, rank = 0;
    double worst = 0, gauge = 0;
    for (size_t c = 0; c < cases; c++) {
        lab_progress(lab, (double)c / (double)cases);
        Matrix wu = matrix_normal(lab->arena, lab->rng, D, V, 1);
        Model *model = vote_model(lab, page, wu);
        size_t ids[N];
        if (!model) return;
        draw_ids(lab->rng, ids, N, V);
        Parts parts = decompose(lab->arena, model, wu, ids);
        Matrix z = engine_logits(lab, page, model, ids);
        double size = fmax(1, matrix_norm(z) / sqrt((double)(N * V)));
        worst = fmax(worst, matrix_difference(sum_parts(lab->arena, &parts), z) / size);
        rank = parts.rank > rank ? parts.rank : rank;
        if (c == 0) show_votes(page, &parts, z);
        if (!change_gauge(lab, model)) return;
        Matrix moved = engine_logits(lab, page, model, ids);
        gauge = fmax(gauge, matrix_difference(moved, z) / size);
    }
    check_near(page, IDENTITY,
               "direct term + weighted votes − the engine's logits, largest, relative", worst, 0,
               1e-10);
    check_near(page, IDENTITY, "W_Q R and W_K R⁻ᵀ: largest change of a logit", gauge, 0, 1e-10);
    check_near(page, IDENTITY, "rank of W_QK = W_Q W_Kᵀ (10 × 10) against d_k", (double)rank, DK,
               0);
}
