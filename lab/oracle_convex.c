/* Items 40 to 44: the loss is convex in the weights; what its least value is, how one knows, and
 * how far other weights are from it. */
#include "lab/oracle.h"

#include "lab/choice.h"
#include "lab/hull.h"
#include "lab/simplex.h"
#include "lab/vote_case.h"

#include <math.h>
#include <string.h>

enum { KEYS = 12, SYMBOLS = 8, HEADS = 3 };

/* A case with 1 to HEADS heads and votes of deviation 0.5 to 4. */
static VoteCase draw_case(Lab *lab, size_t k) {
    return vote_case_random(lab, 1 + k % HEADS, KEYS, SYMBOLS, 0.5 * (double)(1 << k % 4));
}

/* --- 40: convex ------------------------------------------------------------------------------- */

/* Along a direction v of the weights: the second difference of f, and Var_q(L^T v). */
static double curvature_error(Lab *lab, const VoteCase *c, const double *q, bool *negative) {
    size_t count = c->votes.heads * c->votes.keys;
    double along[HEADS * KEYS], z[SYMBOLS] = {0}, moved[HEADS * KEYS], f[3];
    rng_normals(lab->rng, along, count, 1);
    for (size_t k = 0; k < count; k++)
        for (size_t y = 0; y < SYMBOLS; y++) z[y] += along[k] * c->votes.votes[k * SYMBOLS + y];
    double mean = dot(q, z, SYMBOLS), variance = 0, step = 1e-3 / sqrt(dot(z, z, SYMBOLS));
    for (size_t y = 0; y < SYMBOLS; y++) variance += q[y] * (z[y] - mean) * (z[y] - mean);
    for (int s = 0; s < 3; s++) {
        for (size_t k = 0; k < count; k++) moved[k] = c->weights[k] + (s - 1) * step * along[k];
        f[s] = choice_loss(&c->votes, c->law, moved, NULL, lab->arena);
    }
    double second = (f[0] - 2 * f[1] + f[2]) / (step * step);
    *negative |= variance < 0;
    return fabs(second - variance) / dot(z, z, SYMBOLS);
}

void oracle_convex(Lab *lab, Page *page) {
    size_t cases = lab->quick ? 20 : 200, negative = 0;
    double slope = 0, curve = 0, apart = 0, gap = 0;
    for (size_t k = 0; k < cases; k++) {
        lab_progress(lab, (double)k / (double)cases);
        VoteCase c = draw_case(lab, k);
        size_t count = c.votes.heads * KEYS;
        double gradient[HEADS * KEYS], q[SYMBOLS], others[HEADS * KEYS], unused;
        draw_weights(lab->rng, c.votes.heads, KEYS, c.weights);
        votes_gradient(&c.votes, c.law, c.weights, gradient, q);
        for (size_t i = 0; i < count; i++) {
            double kept = c.weights[i], step = 1e-5, above;
            c.weights[i] = kept + step;
            above = choice_loss(&c.votes, c.law, c.weights, NULL, lab->arena);
            c.weights[i] = kept - step;
            unused = choice_loss(&c.votes, c.law, c.weights, NULL, lab->arena);
            c.weights[i] = kept;
            slope = fmax(slope, fabs((above - unused) / (2 * step) - gradient[i]));
        }
        bool bad = false;
        votes_logits(&c.votes, c.weights, q);
        softmax(q, SYMBOLS, 1, q);
        for (int v = 0; v < 5; v++) curve = fmax(curve, curvature_error(lab, &c, q, &bad));
        negative += bad;
        Objective objective = choice_objective(&c.votes, c.law, lab->arena);
        Descent fast = descend_projected(&objective, 1e-8, 20000, c.weights, lab->arena);
        Descent slow = descend_exponentiated(&objective, 1e-6, 200000, others, lab->arena);
        apart = fmax(apart, fabs(fast.value - slow.value) - fast.gap - slow.gap);
        gap = fmax(gap, fast.gap);
    }
    check_near(page, IDENTITY, "largest |gradient − central difference|", slope, 0, 1e-6);
    check_near(page, IDENTITY, "largest |second difference − Var_q(L^T v)| / ‖L^T v‖²", curve, 0,
               1e-6);
    check_none(page, "directions of negative curvature", negative);
    check_most(page, IDENTITY, "two solvers: |f − f'| beyond their gaps", apart, 1e-12);
    check_most(page, IDENTITY, "largest Frank–Wolfe gap of the first", gap, 1e-8);
}

/* --- 41: the certificate ---------------------------------------------------------------------- */

void oracle_certificate(Lab *lab, Page *page) {
    size_t cases = lab->quick ? 20 : 200, tries = 500;
    double beaten = -INFINITY, loose = -INFINITY;
    PageTable *table = page_table(
        page, "ten of the cases, nats",
        (const char *const[]){"heads", "f", "gap", "f* is at least", "best of 500 tries", NULL});
    for (size_t k = 0; k < cases; k++) {
        lab_progress(lab, (double)k / (double)cases);
        VoteCase c = draw_case(lab, k);
        double others[HEADS * KEYS], best = INFINITY, gap;
        /* Stopped early: a certificate has to hold far from the optimum too. */
        double tolerance = k % 2 ? 1e-8 : 0.1;
        Descent found = choice_best(&c.votes, c.law, tolerance, c.weights, lab->arena);
        for (size_t t = 0; t < tries; t++) {
            draw_weights(lab->rng, c.votes.heads, KEYS, others);
            for (size_t i = 0; i < c.votes.heads * KEYS && t % 2; i++)
                others[i] = 0.99 * c.weights[i] + 0.01 * others[i];
            best = fmin(best, choice_loss(&c.votes, c.law, others, &gap, lab->arena));
        }
        beaten = fmax(beaten, found.value - found.gap - best);
        loose = fmax(loose, found.gap - tolerance);
        if (k < 10) {
            table_count(table, c.votes.heads);
            table_number(table, found.value, 9);
            table_number(table, found.gap, 2);
            table_number(table, found.value - found.gap, 9);
            table_number(table, best, 9);
        }
    }
    check_most(page, IDENTITY, "largest f(a) − g(a) − f(b) over all b tried", beaten, 1e-12);
    check_most(page, IDENTITY, "largest gap beyond what was asked for", loose, 0);
}

/* --- 42: heads and null votes ----------------------------------------------------------------- */

/* The least loss with the first `heads` heads and the first `keys` keys of a case; the last key is
 * the null vote and always there. */
static double best_of(Lab *lab, const VoteCase *c, size_t heads, size_t keys, double *gap) {
    double *votes = ARENA_ARRAY(lab->arena, heads * (keys + 1) * SYMBOLS, double);
    double *weights = ARENA_ARRAY(lab->arena, heads * (keys + 1), double);
    for (size_t h = 0; h < heads; h++)
        memcpy(votes + h * (keys + 1) * SYMBOLS, vote_of(&c->votes, h, 0),
               keys * SYMBOLS * sizeof *votes); /* the row behind them stays 0 */
    Votes part = {heads, keys + 1, SYMBOLS, c->votes.direct, votes};
    Descent best = choice_best(&part, c->law, 1e-8, weights, lab->arena);
    *gap = fmax(*gap, best.gap);
    return best.value;
}

void oracle_heads(Lab *lab, Page *page) {
    size_t cases = lab->quick ? 5 : 50;
    double mean[HEADS][KEYS] = {{0}}, rises = -INFINITY, gap = 0;
    for (size_t k = 0; k < cases; k++) {
        VoteCase c = vote_case_random(lab, HEADS, KEYS, SYMBOLS, 1.5);
        double f[HEADS][KEYS], floor = entropy(c.law, SYMBOLS);
        for (size_t h = 0; h < HEADS; h++)
            for (size_t n = 0; n < KEYS; n++) {
                lab_progress(lab, (double)(k * HEADS + h) / (double)(cases * HEADS));
                f[h][n] = best_of(lab, &c, h + 1, n + 1, &gap);
                mean[h][n] += (f[h][n] - floor) / (double)cases;
                if (h > 0) rises = fmax(rises, f[h][n] - f[h - 1][n]);
                if (n > 0) rises = fmax(rises, f[h][n] - f[h][n - 1]);
            }
    }
    check_most(page, IDENTITY, "largest rise of f* with a head or a key more", rises, 2e-8);
    check_most(page, IDENTITY, "largest Frank–Wolfe gap", gap, 1e-8);
    Plot *plot = plot_new(page->arena, "mean hull gap with a null vote", "keys", "nats");
    double keys[KEYS];
    for (size_t n = 0; n < KEYS; n++) keys[n] = (double)(n + 1);
    for (size_t h = 0; h < HEADS; h++)
        plot_line(plot, arena_format(page->arena, "%zu head%s", h + 1, h ? "s" : ""), keys, mean[h],
                  KEYS);
    page_plot(page, plot);
}

/* --- 43: the hull gap ------------------------------------------------------------------------- */

/* x − mean(x): what is left of logits when the direction (1, …, 1) is taken out. */
static void without_mean(double *x, size_t n) {
    double mean = mean_of(x, n);
    for (size_t y = 0; y < n; y++) x[y] -= mean;
}

/* Is log p − l0 in the hull of the votes, all of them without their means? */
static Hull hull_of(Lab *lab, const VoteCase *c) {
    double *points = ARENA_ARRAY(lab->arena, KEYS * SYMBOLS, double), x[SYMBOLS];
    memcpy(points, c->votes.votes, KEYS * SYMBOLS * sizeof *points);
    for (size_t j = 0; j < KEYS; j++) without_mean(points + j * SYMBOLS, SYMBOLS);
    for (size_t y = 0; y < SYMBOLS; y++) x[y] = log(c->law[y]) - c->votes.direct[y];
    without_mean(x, SYMBOLS);
    return hull_test(points, KEYS, SYMBOLS, x, 1e-9, lab->arena);
}

void oracle_hull_gap(Lab *lab, Page *page) {
    size_t cases = lab->quick ? 40 : 300, disagree = 0, wide = 0, inside = 0;
    double identity = 0, changed = 0;
    for (size_t k = 0; k < cases; k++) {
        lab_progress(lab, (double)k / (double)cases);
        VoteCase c = vote_case_random(lab, 1, KEYS, SYMBOLS, 1.5);
        double z[SYMBOLS], q[SYMBOLS];
        if (k % 2) { /* a law that some weights reach exactly */
            draw_weights(lab->rng, 1, KEYS, c.weights);
            votes_logits(&c.votes, c.weights, z);
            softmax(z, SYMBOLS, 1, c.law);
        }
        Descent best = choice_best(&c.votes, c.law, 1e-9, c.weights, lab->arena);
        votes_logits(&c.votes, c.weights, z);
        softmax(z, SYMBOLS, 1, q);
        double gap = best.value - entropy(c.law, SYMBOLS);
        identity = fmax(identity, fabs(gap - divergence(c.law, q, SYMBOLS)));
        Hull hull = hull_of(lab, &c);
        inside += hull.side == HULL_INSIDE;
        disagree += (hull.side == HULL_INSIDE) != (gap <= best.gap + 1e-12);
        wide += choice_sparsify(&c.votes, c.weights, lab->arena) > SYMBOLS;
        changed = fmax(
            changed, fabs(choice_loss(&c.votes, c.law, c.weights, NULL, lab->arena) - best.value));
    }
    check_none(page, "verdicts of gap = 0 against hull membership of log p − l0", disagree);
    check_near(page, IDENTITY, "largest |f* − H(p) − KL(p, q*)|", identity, 0, 1e-10);
    check_none(page, "optima with more than V weights after sparsifying", wide);
    check_near(page, IDENTITY, "largest change of f by sparsifying", changed, 0, 1e-10);
    page_note(page, "%zu of %zu laws lie in the hull of their votes.", inside, cases);
}

/* --- 44: selection error ---------------------------------------------------------------------- */

void oracle_selection(Lab *lab, Page *page) {
    size_t cases = lab->quick ? 40 : 400;
    double least = INFINITY, beyond = -INFINITY;
    double *errors = ARENA_ARRAY(lab->arena, cases, double);
    double *gaps = ARENA_ARRAY(lab->arena, cases, double);
    for (size_t k = 0; k < cases; k++) {
        lab_progress(lab, (double)k / (double)cases);
        VoteCase c = draw_case(lab, k);
        double model[HEADS * KEYS];
        draw_weights(lab->rng, c.votes.heads, KEYS, model);
        Descent best = choice_best(&c.votes, c.law, 1e-8, c.weights, lab->arena);
        errors[k] = choice_loss(&c.votes, c.law, model, &gaps[k], lab->arena) - best.value;
        least = fmin(least, errors[k] + best.gap);
        beyond = fmax(beyond, errors[k] - gaps[k]);
    }
    check_least(page, IDENTITY, "least selection error, solver's gap added", least, 0);
    check_most(page, IDENTITY, "largest selection error − gap at the model's weights", beyond,
               1e-12);
    Plot *plot = plot_new(page->arena, "selection error of random weights", "Frank–Wolfe gap, nats",
                          "selection error, nats");
    plot->log_x = plot->log_y = true;
    plot_points(plot, "a case", gaps, errors, cases);
    plot_rule(plot, "the bound", 0.01, 0.01, 100, 100);
    page_plot(page, plot);
}
