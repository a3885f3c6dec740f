/* Items 65 to 67: linear attention as gradient steps on a regression in the context. */
#include "lab/learning.h"

#include "lab/adam.h"
#include "lab/regression.h"
#include "lab/simplex.h"

#include <math.h>

/* What the layers answer for query number k: the label of its token is minus the prediction. */
static double answer_of(Matrix z, size_t context, size_t k) {
    return -*matrix_at(z, context + k, z.cols - 1);
}

/* --- 65: one layer ---------------------------------------------------------------------------- */

static double loss_at(Arena *arena, const Regression *r, Matrix w) {
    Matrix off = matrix_sum(arena, matrix_product(arena, r->x, w), -1, r->y);
    return dot(off.x, off.x, off.rows) / (2 * (double)off.rows);
}

/* The step from 0 by central differences of the loss: exact on a parabola, so with a step of 1. */
static Matrix step_by_differences(Arena *arena, const Regression *r, double eta) {
    Matrix w = matrix_new(arena, r->x.cols, 1), at = matrix_new(arena, r->x.cols, 1);
    for (size_t c = 0; c < at.rows; c++) {
        at.x[c] = 1;
        double up = loss_at(arena, r, at);
        at.x[c] = -1;
        w.x[c] = -eta * (up - loss_at(arena, r, at)) / 2;
        at.x[c] = 0;
    }
    return w;
}

void learning_one_step(Lab *lab, Page *page) {
    enum { MOST = 50, QUERIES = 4 };
    size_t cases = lab->quick ? 50 : 2000;
    double formula = 0, differences = 0, x[MOST], y[MOST], high = 0;
    for (size_t k = 0; k < cases; k++) {
        Arena *scratch = arena_child(lab->arena);
        size_t width = 1 + rng_below(lab->rng, 8), count = 1 + rng_below(lab->rng, 40);
        double eta = rng_between(lab->rng, 0.05, 2);
        lab_progress(lab, (double)k / (double)cases);
        Regression r = regression_draw(scratch, lab->rng, count, width, 0.25);
        Matrix q = matrix_normal(scratch, lab->rng, QUERIES, width, 1);
        Matrix z = regression_layer(scratch, regression_tokens(scratch, &r, q), count, eta);
        Matrix w = regression_step(scratch, &r, matrix_new(scratch, width, 1), eta);
        Matrix other = step_by_differences(scratch, &r, eta);
        for (size_t i = 0; i < QUERIES; i++) {
            double out = answer_of(z, count, i), step = dot(w.x, matrix_row(q, i), width);
            formula = fmax(formula, fabs(out - step) / (1 + fabs(step)));
            step = dot(other.x, matrix_row(q, i), width);
            differences = fmax(differences, fabs(out - step) / (1 + fabs(step)));
            if (i == 0 && k < MOST) {
                x[k] = step;
                y[k] = out;
                high = fmax(high, fabs(step));
            }
        }
        arena_free(scratch);
    }
    check_near(page, IDENTITY, "largest relative |−y_q − w₁·x_q|, the step by its formula", formula,
               0, 1e-12);
    check_near(page, IDENTITY, "the same, the gradient by central differences", differences, 0,
               1e-12);
    Plot *plot = plot_new(page->arena, "a layer's answer is a step's prediction", "w₁·x_q", "−y_q");
    plot_points(plot, "a random regression each", x, y, cases < MOST ? cases : MOST);
    plot_rule(plot, "equal", -high, -high, high, high);
    page_plot(page, plot);
}

/* --- 66: many layers -------------------------------------------------------------------------- */

enum { STEPS = 32, DEEP = 256 };

/* Answers after each of `layers` layers for one query, in answers[1 ..]. */
static void run_layers(Lab *lab, const Regression *r, Matrix q, double eta, size_t layers,
                       double *answers) {
    Arena *scratch = arena_child(lab->arena);
    Matrix z = regression_tokens(scratch, r, q);
    answers[0] = 0;
    for (size_t l = 1; l <= layers; l++) {
        z = regression_layer(scratch, z, r->x.rows, eta);
        answers[l] = answer_of(z, r->x.rows, 0);
    }
    arena_free(scratch);
}

/* The largest relative difference from gradient descent over the first STEPS layers. */
static double from_descent(Lab *lab, const Regression *r, Matrix q, double eta,
                           const double *answers) {
    double worst = 0;
    Matrix w = matrix_new(lab->arena, r->x.cols, 1);
    for (size_t l = 1; l <= STEPS; l++) {
        w = regression_step(lab->arena, r, w, eta);
        double step = dot(w.x, q.x, q.cols);
        worst = fmax(worst, fabs(answers[l] - step) / (1 + fabs(step)));
    }
    return worst;
}

static void plot_depth(Page *page, const double *slow, const double *fast, const double *beyond,
                       const double *bound) {
    double depth[STEPS + 1];
    Plot *plot = plot_new(page->arena, "depth and the way to least squares", "layers",
                          "|answer − least squares|");
    plot->log_y = true;
    for (size_t l = 0; l <= STEPS; l++) depth[l] = (double)l;
    plot_line(plot, "η = 0.5/λ_max", depth, slow, STEPS + 1);
    plot_line(plot, "η = 1/λ_max", depth, fast, STEPS + 1);
    plot_line(plot, "η = 2.1/λ_max", depth, beyond, STEPS + 1);
    plot_line(plot, "bound (1 − λ_min/λ_max)^L ‖w‖ ‖x‖", depth, bound, STEPS + 1);
    page_plot(page, plot);
}

void learning_depth(Lab *lab, Page *page) {
    enum { WIDTH = 5, COUNT = 20 };
    static const double shares[] = {0.5, 1, 2.1}; /* of 1/λ_max; at 2 descent stops converging */
    size_t cases = lab->quick ? 5 : 100, singular = 0;
    double descent = 0, over = -INFINITY, last = 0, growth = INFINITY;
    double answers[DEEP + 1], shown[3][STEPS + 1], bound[STEPS + 1];
    for (size_t k = 0; k < cases; k++) {
        lab_progress(lab, (double)k / (double)cases);
        Regression r = regression_draw(lab->arena, lab->rng, COUNT, WIDTH, 0.25);
        Matrix q = matrix_normal(lab->arena, lab->rng, 1, WIDTH, 1), best;
        if (!regression_ridge(lab->arena, &r, 0, &best)) {
            singular++;
            continue;
        }
        double *s = matrix_singular_values(lab->arena, r.x), target = dot(best.x, q.x, WIDTH);
        double scale = matrix_norm(best) * matrix_norm(q), ratio = pow(s[WIDTH - 1] / s[0], 2);
        for (size_t a = 0; a < 3; a++) {
            double eta = shares[a] * COUNT / (s[0] * s[0]);
            run_layers(lab, &r, q, eta, DEEP, answers);
            if (shares[a] <= 1) descent = fmax(descent, from_descent(lab, &r, q, eta, answers));
            for (size_t l = 0; l <= DEEP && shares[a] <= 1; l++)
                over = fmax(over, fabs(answers[l] - target) / scale -
                                      pow(1 - shares[a] * ratio, (double)l));
            if (shares[a] == 1) last = fmax(last, fabs(answers[DEEP] - target) / scale);
            if (shares[a] > 2) growth = fmin(growth, fabs(answers[DEEP] - target) / scale);
            for (size_t l = 0; l <= STEPS && k == 0; l++) {
                shown[a][l] = fabs(answers[l] - target);
                bound[l] = scale * pow(1 - ratio, (double)l);
            }
        }
    }
    check_near(page, IDENTITY, "up to 32 layers: largest relative |−y_q − w_L·x_q|", descent, 0,
               1e-10);
    check_most(page, IDENTITY, "largest excess over (1 − ηλ_min)^L, relative", over, 1e-12);
    check_none(page, "singular designs", singular);
    check_figure(page, "η = 1/λ_max, 256 layers: largest relative distance from least squares",
                 last);
    check_least(page, STATISTICAL, "η = 2.1/λ_max, 256 layers: smallest relative distance", growth,
                1e3);
    if (singular < cases) plot_depth(page, shown[0], shown[1], shown[2], bound);
    page_note(page, "Convergence needs η < 2/λ_max: beyond it the largest direction grows with "
                    "every layer. How fast it goes below is set by λ_min/λ_max of the examples, "
                    "so depth buys least squares slowly where they are few or collinear.");
}

/* --- 67: risks -------------------------------------------------------------------------------- */

enum { WIDTH = 5, METHODS = 3 };
static const double variance = 0.25; /* of the noise */
static const char *const method_names[METHODS] = {"one step", "least squares", "ridge"};

/* 1/η*: E (XᵀX/N)² = (1 + (d+1)/N) I, and the noise. */
static double moment(size_t count) {
    return 1 + (WIDTH + 1) / (double)count + variance / (double)count;
}

/* Mean and standard error of what is added. */
typedef struct Mean {
    double sum, squares, count;
} Mean;

static void add(Mean *m, double x) {
    m->sum += x;
    m->squares += x * x;
    m->count++;
}

static double value_of(const Mean *m) {
    return m->sum / m->count;
}

static double error_of(const Mean *m) {
    double mean = value_of(m);
    return sqrt(fmax(m->squares / m->count - mean * mean, 0) / (m->count - 1));
}

static double square_distance(Matrix a, Matrix b) {
    double sum = 0;
    for (size_t c = 0; c < a.rows; c++) sum += pow(a.x[c] - b.x[c], 2);
    return sum;
}

/* ‖ŵ − w‖² of the layer (read with unit vectors for queries), least squares and ridge. */
static void draw_risks(Lab *lab, size_t count, double eta, Mean risks[METHODS]) {
    Arena *scratch = arena_child(lab->arena);
    Regression r = regression_draw(scratch, lab->rng, count, WIDTH, variance);
    Matrix units = matrix_identity(scratch, WIDTH), w = matrix_new(scratch, WIDTH, 1);
    Matrix z = regression_layer(scratch, regression_tokens(scratch, &r, units), count, eta);
    for (size_t c = 0; c < WIDTH; c++) w.x[c] = answer_of(z, count, c);
    add(&risks[0], square_distance(w, r.w));
    for (int ridge = 0; ridge < 2; ridge++)
        if (regression_ridge(scratch, &r, ridge ? variance : 0, &w))
            add(&risks[1 + ridge], square_distance(w, r.w));
    arena_free(scratch);
}

/* s² tr(XᵀX + s² I)⁻¹: the posterior variance, from the singular values of a design of its own. */
static double posterior(Lab *lab, Rng *rng, size_t count) {
    Arena *scratch = arena_child(lab->arena);
    double *s = matrix_singular_values(scratch, matrix_normal(scratch, rng, count, WIDTH, 1));
    double trace = 0;
    for (size_t c = 0; c < WIDTH; c++) trace += variance / (s[c] * s[c] + variance);
    arena_free(scratch);
    return trace;
}

/* One layer with a trained d × d matrix A, answer x_q A (Xᵀy/N): Adam on fresh regressions. */
static Matrix train_layer(Lab *lab, Rng *rng, size_t count) {
    Matrix a = matrix_new(lab->arena, WIDTH, WIDTH);
    Adam adam = adam_new(lab->arena, WIDTH * WIDTH, 0.9, 0.999);
    size_t steps = lab->quick ? 400 : 4000, batch = 32;
    for (size_t step = 0; step < steps; step++) {
        double gradient[WIDTH * WIDTH] = {0}, done = (double)step / (double)steps;
        lab_poll(lab);
        for (size_t b = 0; b < batch; b++) {
            Arena *scratch = arena_child(lab->arena);
            Regression r = regression_draw(scratch, rng, count, WIDTH, variance);
            Matrix g = matrix_product(scratch, matrix_transpose(scratch, r.x), r.y);
            Matrix off = matrix_sum(scratch, matrix_product(scratch, a, g), -(double)count, r.w);
            for (size_t i = 0; i < WIDTH; i++)
                for (size_t j = 0; j < WIDTH; j++)
                    gradient[i * WIDTH + j] +=
                        2 * off.x[i] * g.x[j] / (double)(count * count * batch);
            arena_free(scratch);
        }
        adam_step(&adam, 0.02 * (1 - done), gradient, a.x);
    }
    return a;
}

/* E ‖A Xᵀy/N − w‖² = c ‖A‖² − 2 tr A + d with c = 1/η*: least at A = η* I. */
static double layer_risk(Matrix a, size_t count) {
    double trace = 0;
    for (size_t c = 0; c < WIDTH; c++) trace += *matrix_at(a, c, c);
    return moment(count) * pow(matrix_norm(a), 2) - 2 * trace + WIDTH;
}

static const size_t counts[] = {12, 20, 40, 80, 160};
enum { COUNTS = 5, SHOWN = 1 }; /* N = 20 has checks of its own */

static void plot_risks(Page *page, double measured[METHODS][COUNTS],
                       double expected[METHODS][COUNTS]) {
    double x[COUNTS];
    for (size_t c = 0; c < COUNTS; c++) x[c] = (double)counts[c];
    Plot *plot = plot_new(page->arena, "risk and the number of examples (d = 5, s² = 0.25)", "N",
                          "E‖ŵ − w‖²");
    plot->log_x = plot->log_y = true;
    for (size_t m = 0; m < METHODS; m++) {
        plot_line(plot, method_names[m], x, expected[m], COUNTS);
        plot_points(plot, arena_format(page->arena, "%s, simulated", method_names[m]), x,
                    measured[m], COUNTS);
    }
    page_plot(page, plot);
}

static void check_layer(Lab *lab, Page *page) {
    Rng rng = rng_new(lab->seed, 6702);
    size_t count = counts[SHOWN];
    Matrix a = train_layer(lab, &rng, count);
    double ratio = layer_risk(a, count) / (WIDTH * (1 - 1 / moment(count)));
    check_least(page, IDENTITY, "trained layer: risk over d(1 − η*), N = 20", ratio, 1 - 1e-12);
    check_most(page, STATISTICAL, "the same, not more than", ratio, 1.05);
    page_plot(page, plot_matrix(page->arena, "the matrix that a trained layer has: η* I", "", "",
                                WIDTH, WIDTH, a.x, NULL, NULL));
}

void learning_risks(Lab *lab, Page *page) {
    size_t draws = lab->quick ? 400 : 20000;
    double measured[METHODS][COUNTS], expected[METHODS][COUNTS], farthest = 0;
    PageTable *table = page_table(
        page, "E‖ŵ − w‖², d = 5, noise variance 0.25",
        (const char *const[]){"N", "method", "simulated", "±", "closed form", "z", NULL});
    Rng designs = rng_new(lab->seed, 6701);
    for (size_t c = 0; c < COUNTS; c++) {
        Mean risks[METHODS] = {0}, bayes = {0};
        size_t n = counts[c];
        double eta = 1 / moment(n), error[METHODS];
        for (size_t k = 0; k < draws; k++) {
            if (k % 64 == 0)
                lab_progress(lab, ((double)c + (double)k / (double)draws) / (COUNTS + 1));
            draw_risks(lab, n, eta, risks);
            add(&bayes, posterior(lab, &designs, n));
        }
        expected[0][c] = WIDTH * (1 - 2 * eta + eta * eta * (1 + (WIDTH + 1) / (double)n)) +
                         eta * eta * variance * WIDTH / (double)n;
        expected[1][c] = variance * WIDTH / (double)(n - WIDTH - 1);
        expected[2][c] = value_of(&bayes);
        for (size_t m = 0; m < METHODS; m++) {
            measured[m][c] = value_of(&risks[m]);
            error[m] = hypot(error_of(&risks[m]), m == 2 ? error_of(&bayes) : 0);
            double z = (measured[m][c] - expected[m][c]) / error[m];
            farthest = fmax(farthest, fabs(z));
            table_count(table, n);
            table_text(table, method_names[m]);
            table_number(table, measured[m][c], 4);
            table_number(table, error[m], 2);
            table_number(table, expected[m][c], 4);
            table_number(table, z, 2);
            if (c == SHOWN)
                check_z(page, arena_format(page->arena, "N = 20: risk of %s", method_names[m]),
                        measured[m][c], expected[m][c], error[m]);
        }
    }
    check_most(page, STATISTICAL, "largest |z| of all", farthest, 4);
    check_layer(lab, page);
    plot_risks(page, measured, expected);
    page_note(page, "One step stops at d(1 − η*), most of it the spread of XᵀX/N about I: it falls "
                    "like 1/N whatever the noise, while least squares and ridge know XᵀX. Ridge "
                    "with λ = s² is the Bayes estimate; its closed form is a mean over designs, "
                    "drawn separately.");
}
