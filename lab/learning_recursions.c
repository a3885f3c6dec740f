/* Items 68 and 69: what softmax heads and other layers are as regressions on the context. */
#include "lab/learning.h"

#include "lab/engine_head.h"
#include "lab/hull.h"
#include "lab/kernel.h"
#include "lab/simplex.h"

#include <math.h>
#include <string.h>

/* --- 68: two softmax heads -------------------------------------------------------------------- */

enum { HEAD_KEYS = 12, HEAD_WIDTH = 4, HEAD_VALUES = 2, SIZES = 6 };

/* Head(ε s) − head(−ε s) through the engine. */
static Matrix two_heads(Lab *lab, Page *page, double epsilon, Matrix q, Matrix k, Matrix v) {
    const EngineHead head = {RT_SOFTMAX, 1, RT_MASK_NONE, RT_F64, 0, NULL, 0};
    Matrix none = matrix_new(lab->arena, q.rows, q.cols);
    Matrix up = engine_attend(lab, page, &head, matrix_sum(lab->arena, none, epsilon, q), k, v);
    Matrix down = engine_attend(lab, page, &head, matrix_sum(lab->arena, none, -epsilon, q), k, v);
    return matrix_sum(lab->arena, up, -1, down);
}

/* (1/n) Σ_j (s_j − mean s) v_j: linear attention with the scores centred. */
static Matrix centred(Arena *arena, Matrix q, Matrix k, Matrix v) {
    Matrix s = matrix_product(arena, q, matrix_transpose(arena, k));
    for (size_t i = 0; i < s.rows; i++) {
        double mean = mean_of(matrix_row(s, i), s.cols);
        for (size_t j = 0; j < s.cols; j++)
            *matrix_at(s, i, j) = (*matrix_at(s, i, j) - mean) / (double)s.cols;
    }
    return matrix_product(arena, s, v);
}

static double slope_of(const double *x, const double *y, size_t n) {
    double xy = 0, xx = 0, mx = mean_of(x, n), my = mean_of(y, n);
    for (size_t k = 0; k < n; k++) {
        xy += (x[k] - mx) * (y[k] - my);
        xx += (x[k] - mx) * (x[k] - mx);
    }
    return xy / xx;
}

/* One head at full scores: rows whose output the hull test does not accept; and rows of the linear
 * layer Σ s_j v_j, the step of gradient descent, that lie outside. */
static void look_at_hulls(Lab *lab, Page *page, Matrix q, Matrix k, Matrix v, size_t *refused,
                          size_t *outside) {
    const EngineHead head = {RT_SOFTMAX, 1, RT_MASK_NONE, RT_F64, 0, NULL, 0};
    Matrix out = engine_attend(lab, page, &head, q, k, v);
    Matrix linear = matrix_product(
        lab->arena, matrix_product(lab->arena, q, matrix_transpose(lab->arena, k)), v);
    for (size_t i = 0; i < q.rows; i++) {
        Hull one = hull_test(v.x, v.rows, v.cols, matrix_row(out, i), 1e-9, lab->arena);
        Hull step = hull_test(v.x, v.rows, v.cols, matrix_row(linear, i), 1e-9, lab->arena);
        *refused += one.side != HULL_INSIDE;
        *outside += step.side == HULL_OUTSIDE;
    }
}

void learning_two_heads(Lab *lab, Page *page) {
    size_t cases = lab->quick ? 6 : 60, refused = 0, outside = 0;
    double epsilons[SIZES], logs[SIZES], size[SIZES] = {0}, leading[SIZES] = {0};
    double low = INFINITY, high = -INFINITY;
    for (size_t e = 0; e < SIZES; e++) {
        epsilons[e] = ldexp(1, -3 - (int)e);
        logs[e] = log(epsilons[e]);
    }
    for (size_t c = 0; c < cases; c++) {
        double remainder[SIZES];
        lab_progress(lab, (double)c / (double)cases);
        Matrix q = matrix_normal(lab->arena, lab->rng, HEAD_KEYS, HEAD_WIDTH, 0.5);
        Matrix k = matrix_normal(lab->arena, lab->rng, HEAD_KEYS, HEAD_WIDTH, 1);
        Matrix v = matrix_normal(lab->arena, lab->rng, HEAD_KEYS, HEAD_VALUES, 1);
        Matrix law = centred(lab->arena, q, k, v);
        for (size_t e = 0; e < SIZES; e++) {
            Matrix two = two_heads(lab, page, epsilons[e], q, k, v);
            double left = matrix_norm(matrix_sum(lab->arena, two, -2 * epsilons[e], law));
            remainder[e] = log(left);
            size[e] += left / (double)cases;
            leading[e] += matrix_norm(two) / (double)cases;
        }
        double slope = slope_of(logs, remainder, SIZES);
        low = fmin(low, slope);
        high = fmax(high, slope);
        look_at_hulls(lab, page, q, k, v, &refused, &outside);
    }
    check_near(page, IDENTITY, "least log-log slope of the remainder in ε", low, 3, 0.1);
    check_near(page, IDENTITY, "largest slope", high, 3, 0.1);
    check_none(page, "outputs of one head that are not in the hull of its values", refused);
    check_figure(page, "share of gradient steps Σ s_j v_j that are outside",
                 (double)outside / (double)(cases * HEAD_KEYS));
    Plot *plot = plot_new(page->arena, "two heads of opposite scores", "ε", "norm");
    plot->log_x = plot->log_y = true;
    plot_line(plot, "head(εs) − head(−εs)", epsilons, leading, SIZES);
    plot_line(plot, "less (2ε/n) Σ (s_j − mean s) v_j", epsilons, size, SIZES);
    page_plot(page, plot);
    page_note(page,
              "The difference of the two heads, times n/2ε, is a gradient step on centred keys. "
              "The output map must supply that factor, and the error left is of order ε².");
}

/* --- 69: layers as regressions ---------------------------------------------------------------- */

enum { STEPS = 24, KEY = 4, VALUE = 3 };

/* Tokens so far, with a weight each: minimise ½ Σ γ_i ‖v_i − k_i M‖² + ½ λ ‖M‖². */
typedef struct Fit {
    Matrix k, v; /* [t, KEY or 1], [t, VALUE] */
    double weight[STEPS], ridge;
} Fit;

static double fit_loss(Arena *arena, const Fit *f, Matrix m) {
    Matrix off = matrix_sum(arena, matrix_product(arena, f->k, m), -1, f->v);
    double loss = f->ridge * pow(matrix_norm(m), 2) / 2;
    for (size_t i = 0; i < off.rows; i++)
        loss += f->weight[i] / 2 * dot(matrix_row(off, i), matrix_row(off, i), off.cols);
    return loss;
}

/* m less η times the gradient, by central differences: the loss is a parabola in each number, so a
 * step of 1 gives it exactly. */
static Matrix descent_step(Arena *arena, const Fit *f, Matrix m, double eta) {
    Matrix at = matrix_copy(arena, m), next = matrix_copy(arena, m);
    for (size_t k = 0; k < m.rows * m.cols; k++) {
        at.x[k] = m.x[k] + 1;
        double up = fit_loss(arena, f, at);
        at.x[k] = m.x[k] - 1;
        next.x[k] -= eta * (up - fit_loss(arena, f, at)) / 2;
        at.x[k] = m.x[k];
    }
    return next;
}

/* The minimum, by the normal equations. */
static bool fit_solve(Arena *arena, const Fit *f, Matrix *m) {
    Matrix weighted = matrix_copy(arena, f->k);
    for (size_t i = 0; i < weighted.rows; i++)
        for (size_t c = 0; c < weighted.cols; c++) *matrix_at(weighted, i, c) *= f->weight[i];
    Matrix across = matrix_transpose(arena, weighted);
    Matrix gram = matrix_product(arena, across, f->k);
    for (size_t c = 0; c < gram.rows; c++) *matrix_at(gram, c, c) += f->ridge;
    return matrix_solve(arena, gram, matrix_product(arena, across, f->v), m);
}

/* The first t tokens, all of that weight. */
static Fit first_tokens(Matrix k, Matrix v, size_t t, double ridge) {
    Fit f = {.k = {t, k.cols, k.x}, .v = {t, v.cols, v.x}, .ridge = ridge};
    for (size_t i = 0; i < t; i++) f.weight[i] = 1;
    return f;
}

/* s ← keep s + kᵀ v. */
static void write_state(Matrix s, double keep, const double *k, const double *v) {
    for (size_t r = 0; r < s.rows; r++)
        for (size_t c = 0; c < s.cols; c++)
            *matrix_at(s, r, c) = keep * *matrix_at(s, r, c) + k[r] * v[c];
}

/* v − k M. */
static void miss(Matrix m, const double *k, const double *v, double *out) {
    for (size_t c = 0; c < m.cols; c++) {
        out[c] = v[c];
        for (size_t r = 0; r < m.rows; r++) out[c] -= k[r] * *matrix_at(m, r, c);
    }
}

/* Recursive least squares: P ← P − (Pk)(Pk)ᵀ/(1 + k·Pk), M ← M + (Pk)ᵀ (v − kM). */
static void rls_write(Matrix p, Matrix m, const double *k, const double *v) {
    double gain[KEY], off[VALUE], along = 1;
    for (size_t r = 0; r < KEY; r++) along += k[r] * (gain[r] = dot(matrix_row(p, r), k, KEY));
    for (size_t r = 0; r < KEY; r++)
        for (size_t c = 0; c < KEY; c++) *matrix_at(p, r, c) -= gain[r] * gain[c] / along;
    for (size_t r = 0; r < KEY; r++) gain[r] /= along;
    miss(m, k, v, off);
    write_state(m, 1, gain, off);
}

typedef enum Layer { SOFTMAX, LINEAR, GATED, DELTA, RLS, LAYERS } Layer;
static const struct {
    const char *name, *model, *weights, *by;
    double within;
} layers[LAYERS] = {
    {"softmax", "constant", "exp(q·k/τ)", "exact: the weighted mean", 1e-12},
    {"linear attention", "linear", "1", "one gradient step from 0", 1e-12},
    {"gated linear attention", "linear", "γ^(t−i)", "one gradient step from 0", 1e-12},
    {"delta rule", "linear", "1", "a gradient step a token (SGD)", 1e-12},
    {"recursive least squares", "linear", "1", "exact: ridge", 1e-9},
};

/* A softmax head's output at step t and the constant with the least weighted squares. */
static double softmax_away(Lab *lab, Matrix k, Matrix v, size_t t, const double *q) {
    const double temperature = 0.7;
    double scores[STEPS], weights[STEPS], out[VALUE], ones[STEPS];
    Fit f = {.k = {t, 1, ones}, .v = {t, VALUE, v.x}};
    for (size_t i = 0; i < t; i++) {
        scores[i] = dot(q, matrix_row(k, i), KEY);
        f.weight[i] = exp(scores[i] / temperature);
        ones[i] = 1;
    }
    kernel_weights(&(Kernel){KERNEL_SOFTMAX, temperature, 0, 0}, scores, t, weights);
    mix_values(weights, f.v, out);
    Matrix best;
    if (!fit_solve(lab->arena, &f, &best)) return INFINITY;
    return max_difference(out, best.x, VALUE);
}

/* States of the layers that have one, and what the solvers have beside them. */
typedef struct Trace {
    Matrix linear, gated, delta, rls, inverse; /* the layers' own */
    Matrix sgd;
    double keep, rate, ridge;
} Trace;

static void step_layers(Trace *s, const double *k, const double *v) {
    double off[VALUE], key[KEY];
    write_state(s->linear, 1, k, v);
    write_state(s->gated, s->keep, k, v);
    miss(s->delta, k, v, off);
    for (size_t r = 0; r < KEY; r++) key[r] = s->rate * k[r];
    write_state(s->delta, 1, key, off);
    rls_write(s->inverse, s->rls, k, v);
}

/* After t tokens: how far each layer is from its regression; the largest is kept. */
static void compare(Lab *lab, Trace *s, Matrix k, Matrix v, size_t t, const double *q,
                    double worst[LAYERS]) {
    Arena *arena = lab->arena;
    Matrix zero = matrix_new(arena, KEY, VALUE), best;
    Fit all = first_tokens(k, v, t, 0), gated = all, ridge = all;
    Fit last = {.k = {1, KEY, matrix_row(k, t - 1)}, .v = {1, VALUE, matrix_row(v, t - 1)}};
    last.weight[0] = 1;
    for (size_t i = 0; i < t; i++) gated.weight[i] = pow(s->keep, (double)(t - 1 - i));
    ridge.ridge = s->ridge;
    s->sgd = descent_step(arena, &last, s->sgd, s->rate);
    worst[SOFTMAX] = fmax(worst[SOFTMAX], softmax_away(lab, k, v, t, q));
    worst[LINEAR] =
        fmax(worst[LINEAR], matrix_difference(s->linear, descent_step(arena, &all, zero, 1)));
    worst[GATED] =
        fmax(worst[GATED], matrix_difference(s->gated, descent_step(arena, &gated, zero, 1)));
    worst[DELTA] = fmax(worst[DELTA], matrix_difference(s->delta, s->sgd));
    double away = fit_solve(arena, &ridge, &best) ? matrix_difference(s->rls, best) : INFINITY;
    worst[RLS] = fmax(worst[RLS], away);
}

/* ‖v − k M‖² of the next token: who has learned the map? */
static double next_error(Matrix m, double scale, const double *k, const double *v) {
    double off[VALUE], key[KEY];
    for (size_t r = 0; r < KEY; r++) key[r] = scale * k[r];
    miss(m, key, v, off);
    return dot(off, off, VALUE) / VALUE;
}

void learning_taxonomy(Lab *lab, Page *page) {
    size_t cases = lab->quick ? 4 : 100;
    double worst[LAYERS] = {0}, error[LAYERS][STEPS] = {{0}}, at[STEPS];
    for (size_t c = 0; c < cases; c++) {
        lab_progress(lab, (double)c / (double)cases);
        Matrix k = matrix_normal(lab->arena, lab->rng, STEPS, KEY, 1);
        Matrix map = matrix_normal(lab->arena, lab->rng, KEY, VALUE, 0.5);
        Matrix v = matrix_sum(lab->arena, matrix_product(lab->arena, k, map), 0.1,
                              matrix_normal(lab->arena, lab->rng, STEPS, VALUE, 1));
        Trace s = {.keep = 0.9, .rate = 0.15, .ridge = 0.1};
        Matrix *states[] = {&s.linear, &s.gated, &s.delta, &s.rls, &s.sgd};
        for (size_t i = 0; i < 5; i++) *states[i] = matrix_new(lab->arena, KEY, VALUE);
        s.inverse = matrix_new(lab->arena, KEY, KEY);
        for (size_t r = 0; r < KEY; r++) *matrix_at(s.inverse, r, r) = 1 / s.ridge;
        for (size_t t = 1; t <= STEPS; t++) {
            double q[KEY];
            const double *key = matrix_row(k, t - 1), *value = matrix_row(v, t - 1);
            double past = t > 1 ? (double)(t - 1) : 1, share = 1 / (double)cases;
            at[t - 1] = (double)t;
            error[LINEAR][t - 1] += share * next_error(s.linear, 1 / past, key, value);
            error[DELTA][t - 1] += share * next_error(s.delta, 1, key, value);
            error[RLS][t - 1] += share * next_error(s.rls, 1, key, value);
            rng_normals(lab->rng, q, KEY, 1);
            step_layers(&s, key, value);
            compare(lab, &s, k, v, t, q, worst);
        }
    }
    PageTable *table = page_table(page, "layers as regressions on (key, value)",
                                  (const char *const[]){"layer", "model", "weights γ_i",
                                                        "optimiser", "largest difference", NULL});
    for (Layer l = 0; l < LAYERS; l++) {
        table_text(table, layers[l].name);
        table_text(table, layers[l].model);
        table_text(table, layers[l].weights);
        table_text(table, layers[l].by);
        table_number(table, worst[l], 2);
        check_near(page, IDENTITY,
                   arena_format(page->arena, "%s: largest |layer − regression|", layers[l].name),
                   worst[l], 0, layers[l].within);
    }
    Plot *plot = plot_new(page->arena, "a linear map seen a pair at a time", "pair",
                          "squared error before it is seen");
    plot->log_y = true;
    plot_line(plot, "linear attention, over t", at, error[LINEAR], STEPS);
    plot_line(plot, "delta rule, η = 0.15", at, error[DELTA], STEPS);
    plot_line(plot, "recursive least squares, λ = 0.1", at, error[RLS], STEPS);
    page_plot(page, plot);
}
