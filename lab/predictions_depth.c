/* Items 52 to 54: what becomes of a sequence under layer after layer of averaging. */
#include "lab/predictions.h"

#include "lab/contraction.h"
#include "lab/matrix.h"
#include "lab/simplex.h"

#include <math.h>
#include <string.h>

enum { ROWS = 8, WIDTH = 6 };

/* --- 52: products of averagings --------------------------------------------------------------- */

/* Row-stochastic weights, softmax of scores within ±bound; causal ones if asked. */
static Matrix draw_weights(Lab *lab, double bound, bool causal) {
    Matrix p = matrix_new(lab->arena, ROWS, ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        size_t keys = causal ? i + 1 : ROWS;
        for (size_t j = 0; j < keys; j++)
            *matrix_at(p, i, j) = rng_between(lab->rng, -bound, bound);
        softmax(matrix_row(p, i), keys, 1, matrix_row(p, i));
    }
    return p;
}

void predictions_smoothing(Lab *lab, Page *page) {
    enum { LAYERS = 12 };
    size_t cases = lab->quick ? 20 : 300;
    double products = -INFINITY, shrink = -INFINITY, bounded = -INFINITY, causal = 1;
    double depth[LAYERS], diam[LAYERS] = {0}, bound[LAYERS] = {0};
    for (size_t k = 0; k < cases; k++) {
        lab_progress(lab, (double)k / (double)cases);
        double width = rng_between(lab->rng, 0.2, 2), so_far = 1;
        Matrix x = matrix_normal(lab->arena, lab->rng, ROWS, WIDTH, 1);
        Matrix all = matrix_identity(lab->arena, ROWS);
        double start = diameter(x, 0);
        for (size_t l = 0; l < LAYERS; l++) {
            Matrix p = draw_weights(lab, width, false);
            Matrix next = matrix_product(lab->arena, p, x),
                   product = matrix_product(lab->arena, p, all);
            double delta = dobrushin(p, 0);
            products = fmax(products, dobrushin(product, 0) - delta * dobrushin(all, 0));
            shrink = fmax(shrink, diameter(next, 0) - delta * diameter(x, 0));
            bounded = fmax(bounded, delta - (1 - exp(-2 * width)));
            so_far *= delta;
            x = next;
            all = product;
            depth[l] = (double)(l + 1);
            diam[l] += diameter(x, 0) / start / (double)cases;
            bound[l] += so_far / (double)cases;
        }
    }
    for (size_t k = 0; k < (lab->quick ? 3u : 20u); k++) {
        Matrix all = matrix_identity(lab->arena, ROWS);
        for (int l = 0; l < 400; l++)
            all = matrix_product(lab->arena, draw_weights(lab, 1, true), all);
        for (size_t i = 0; i < ROWS; i++) causal = fmin(causal, *matrix_at(all, i, 0));
    }
    check_most(page, IDENTITY, "largest δ(PQ) − δ(P) δ(Q)", products, 1e-14);
    check_most(page, IDENTITY, "largest diam(PX) − δ(P) diam(X)", shrink, 1e-14);
    check_most(page, IDENTITY, "largest δ − (1 − e^−2B)", bounded, 1e-14);
    check_near(page, IDENTITY, "causal, 400 layers: least weight on the first token", causal, 1,
               1e-9);
    Plot *plot =
        plot_new(page->arena, "averaging layer after layer", "layer", "share of the diameter");
    plot->log_y = true;
    plot_line(plot, "diameter", depth, diam, LAYERS);
    plot_line(plot, "product of Dobrushin coefficients", depth, bound, LAYERS);
    page_plot(page, plot);
}

/* --- 53: rank collapse ------------------------------------------------------------------------ */

/* A sequence as its mean row and the deviations from it: what is far smaller than the rows keeps
 * all of its digits. */
typedef struct Split {
    Matrix mean, off; /* [1, d], [n, d] */
} Split;

/* X ← softmax(X W X^T / √d) X without a skip. With b = softmax(m W D^T) and u = D W D^T,
 *     a_ij − b_j = b_j (expm1 u_ij − Σ b expm1 u_i) / (1 + Σ b expm1 u_i). */
static Split attend(Lab *lab, Split x, Matrix w) {
    Arena *arena = lab->arena;
    Matrix across = matrix_transpose(arena, x.off);
    Matrix base = matrix_product(arena, matrix_product(arena, x.mean, w), across);
    Matrix u = matrix_product(arena, matrix_product(arena, x.off, w), across);
    double *b = matrix_row(base, 0);
    softmax(b, x.off.rows, sqrt((double)w.rows), b);
    Split next = {matrix_copy(arena, x.mean), matrix_new(arena, x.off.rows, x.off.cols)};
    for (size_t i = 0; i < x.off.rows; i++) {
        double *row = matrix_row(u, i), mean = 0;
        for (size_t j = 0; j < x.off.rows; j++) {
            row[j] = expm1(row[j] / sqrt((double)w.rows));
            mean += b[j] * row[j];
        }
        for (size_t j = 0; j < x.off.rows; j++)
            for (size_t c = 0; c < x.off.cols; c++)
                *matrix_at(next.off, i, c) +=
                    b[j] * (row[j] - mean) / (1 + mean) * *matrix_at(x.off, j, c);
    }
    for (size_t c = 0; c < x.off.cols; c++) {
        double mean = 0;
        for (size_t i = 0; i < x.off.rows; i++)
            mean += *matrix_at(next.off, i, c) / (double)x.off.rows;
        for (size_t i = 0; i < x.off.rows; i++) *matrix_at(next.off, i, c) -= mean;
        for (size_t j = 0; j < x.off.rows; j++) mean += b[j] * *matrix_at(x.off, j, c);
        *matrix_at(next.mean, 0, c) += mean;
    }
    return next;
}

/* The same by the definition, for one layer. */
static Matrix attend_plainly(Lab *lab, Matrix x, Matrix w) {
    Matrix s = matrix_product(lab->arena, matrix_product(lab->arena, x, w),
                              matrix_transpose(lab->arena, x));
    for (size_t i = 0; i < s.rows; i++)
        softmax(matrix_row(s, i), s.cols, sqrt((double)w.rows), matrix_row(s, i));
    return matrix_product(lab->arena, s, x);
}

static Matrix joined(Lab *lab, Split x) {
    Matrix whole = matrix_copy(lab->arena, x.off);
    for (size_t k = 0; k < whole.rows * whole.cols; k++) whole.x[k] += x.mean.x[k % whole.cols];
    return whole;
}

void predictions_rank(Lab *lab, Page *page) {
    enum { LAYERS = 5 };
    size_t cases = lab->quick ? 5 : 50;
    double worst = 0, ratio[LAYERS] = {0}, band = 0, last_low = INFINITY, last_high = 0;
    for (size_t k = 0; k < cases; k++) {
        lab_poll(lab);
        Matrix w = matrix_normal(lab->arena, lab->rng, WIDTH, WIDTH, 1);
        Split x = {matrix_normal(lab->arena, lab->rng, 1, WIDTH, 0.1),
                   matrix_normal(lab->arena, lab->rng, ROWS, WIDTH, 0.3)};
        worst = fmax(worst, matrix_difference(joined(lab, attend(lab, x, w)),
                                              attend_plainly(lab, joined(lab, x), w)));
        double before = 0, low = INFINITY, high = -INFINITY;
        for (size_t l = 0; l < LAYERS; l++) {
            x = attend(lab, x, w);
            double now = log(matrix_norm(x.off));
            if (l > 0) {
                ratio[l] += now / before / (double)cases;
                if (l >= 2) {
                    low = fmin(low, now - 3 * before);
                    high = fmax(high, now - 3 * before);
                }
                if (l == LAYERS - 1) {
                    last_low = fmin(last_low, now / before);
                    last_high = fmax(last_high, now / before);
                }
            }
            before = now;
        }
        band = fmax(band, high - low);
    }
    PageTable *table = page_table(page, "mean of log r at a layer over log r before",
                                  (const char *const[]){"layer", "ratio", NULL});
    for (size_t l = 1; l < LAYERS; l++) {
        table_count(table, l + 1);
        table_number(table, ratio[l], 4);
    }
    check_near(page, STATISTICAL, "mean ratio at the last layer", ratio[LAYERS - 1], 3, 0.1);
    check_near(page, IDENTITY, "one layer: largest |split arithmetic − definition|", worst, 0,
               1e-13);
    check_most(page, STATISTICAL, "widest band of log r' − 3 log r from the third layer on", band,
               2);
    check_figure(page, "least ratio at the last layer", last_low);
    check_figure(page, "largest ratio at the last layer", last_high);
}

/* --- 54: what a skip does --------------------------------------------------------------------- */

void predictions_skip(Lab *lab, Page *page) {
    enum { LAYERS = 12 };
    size_t cases = lab->quick ? 10 : 100, lost = 0;
    const double alpha = 0.5;
    double worst = 0, depth[LAYERS], share[LAYERS] = {0}, fastest = 1;
    for (size_t k = 0; k < cases; k++) {
        lab_progress(lab, (double)k / (double)cases);
        Matrix x = matrix_normal(lab->arena, lab->rng, ROWS, WIDTH, 1);
        Matrix a = draw_weights(lab, 1, true);
        Matrix one = matrix_sum(lab->arena, matrix_identity(lab->arena, ROWS), alpha, a);
        double det = 1, expected = 1, *singular = matrix_singular_values(lab->arena, one);
        for (size_t i = 0; i < ROWS; i++) {
            det *= singular[i];
            expected *= 1 + alpha * *matrix_at(a, i, i);
        }
        worst = fmax(worst, fabs(det / expected - 1));
        double before = 0;
        for (size_t l = 0; l < LAYERS; l++) {
            Matrix p = draw_weights(lab, 1, false);
            x = matrix_sum(lab->arena, x, alpha, matrix_product(lab->arena, p, x));
            lost += matrix_rank(lab->arena, x, 1e-13) != WIDTH;
            double whole = matrix_norm(x), off = 0;
            for (size_t c = 0; c < WIDTH; c++) {
                double mean = 0;
                for (size_t i = 0; i < ROWS; i++) mean += *matrix_at(x, i, c) / ROWS;
                for (size_t i = 0; i < ROWS; i++) off += pow(*matrix_at(x, i, c) - mean, 2);
            }
            double relative = sqrt(off) / whole;
            depth[l] = (double)(l + 1);
            share[l] += relative / (double)cases;
            if (l > 0) fastest = fmin(fastest, relative / before);
            before = relative;
        }
    }
    check_none(page, "layers after which the rank is not what it was", lost);
    check_near(page, IDENTITY, "causal: largest |det / Π(1 + α a_ii) − 1|", worst, 0, 1e-12);
    check_least(page, MEASUREMENT, "smallest factor of the relative residual in one layer", fastest,
                1 / (1 + alpha) * 0.5);
    Plot *plot = plot_new(page->arena, "with a skip the residual falls geometrically", "layer",
                          "‖X − mean‖ / ‖X‖");
    plot->log_y = true;
    plot_line(plot, "α = 0.5", depth, share, LAYERS);
    page_plot(page, plot);
}
