/* Items 37 and 38: the hull test judged by itself, by triangles and by Wendel's law. */
#include "lab/hulls.h"

#include "lab/hull.h"
#include "lab/matrix.h"
#include "lab/simplex.h"

#include <math.h>

/* --- 37: membership --------------------------------------------------------------------------- */

/* Twice the signed area of the triangle p, q, r. */
static double area(const double *p, const double *q, const double *r) {
    return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
}

/* Is x in some triangle of the points? By signs of areas (Carathéodory: then it is in the hull). */
static bool in_a_triangle(Matrix points, const double *x) {
    for (size_t i = 0; i < points.rows; i++)
        for (size_t j = i + 1; j < points.rows; j++)
            for (size_t k = j + 1; k < points.rows; k++) {
                const double *p = matrix_row(points, i), *q = matrix_row(points, j);
                const double *r = matrix_row(points, k);
                double a = area(p, q, x), b = area(q, r, x), c = area(r, p, x);
                if ((a >= 0 && b >= 0 && c >= 0) || (a <= 0 && b <= 0 && c <= 0)) return true;
            }
    return false;
}

/* How often the centre lies in the hull of n normal points of R^d; proofs that fail are counted. */
static size_t centre_inside(Lab *lab, size_t n, size_t d, size_t draws, size_t *unproved) {
    size_t inside = 0;
    for (size_t k = 0; k < draws; k++) {
        lab_poll(lab);
        Arena *arena = arena_child(lab->arena);
        Matrix points = matrix_normal(arena, lab->rng, n, d, 1), centre = matrix_new(arena, 1, d);
        Hull hull = hull_test(points.x, n, d, centre.x, 1e-9, arena);
        bool proved = hull.side == HULL_INSIDE
                          ? hull_residual(points.x, n, d, centre.x, hull.weights) < 1e-8
                          : hull.side == HULL_OUTSIDE &&
                                hull_margin(points.x, n, d, centre.x, hull.direction) > 0;
        *unproved += !proved;
        inside += hull.side == HULL_INSIDE;
        arena_free(arena);
    }
    return inside;
}

void hulls_membership(Lab *lab, Page *page) {
    size_t cases = lab->quick ? 200 : 1000, disagree = 0, unproved = 0;
    for (size_t k = 0; k < cases; k++) {
        Matrix points = matrix_normal(lab->arena, lab->rng, 3 + k % 6, 2, 1);
        double x[2] = {rng_normal(lab->rng), rng_normal(lab->rng)};
        Hull hull = hull_test(points.x, points.rows, 2, x, 1e-9, lab->arena);
        disagree += (hull.side == HULL_INSIDE) != in_a_triangle(points, x);
    }
    check_none(page, "verdicts against those of all triangles", disagree);
    static const struct { size_t n, d; } rows[] = {{10, 5}, {20, 5}, {4, 2}, {8, 3}};
    size_t draws = lab->quick ? 300 : 2000;
    PageTable *table =
        page_table(page, "the centre in the hull of n points of R^d",
                   (const char *const[]){"n", "d", "draws", "share inside", "Wendel", NULL});
    for (size_t r = 0; r < 4; r++) {
        lab_progress(lab, (double)r / 4);
        size_t inside = centre_inside(lab, rows[r].n, rows[r].d, draws, &unproved);
        double share = (double)inside / (double)draws, law = hull_wendel(rows[r].n, rows[r].d);
        table_count(table, rows[r].n);
        table_count(table, rows[r].d);
        table_count(table, draws);
        table_number(table, share, 4);
        table_number(table, law, 4);
        check_z(page,
                arena_format(page->arena, "share inside, n = %zu, d = %zu", rows[r].n, rows[r].d),
                share, law, sqrt(law * (1 - law) / (double)draws));
    }
    check_none(page, "verdicts whose proof fails when evaluated again", unproved);
}

/* --- 38: the training set in many dimensions -------------------------------------------------- */

void hulls_training_set(Lab *lab, Page *page) {
    static const size_t dims[] = {1, 2, 3, 5, 8, 12, 20, 30};
    enum { DIMS = sizeof dims / sizeof *dims, TRAINING = 200 };
    size_t fresh = lab->quick ? 50 : 400, unproved = 0, rises = 0;
    double share[DIMS], at[DIMS];
    PageTable *table = page_table(page, "fresh points in the hull of 200 training points",
                                  (const char *const[]){"dimensions", "share inside", NULL});
    for (size_t k = 0; k < DIMS; k++) {
        size_t inside = 0, d = dims[k];
        Matrix training = matrix_normal(lab->arena, lab->rng, TRAINING, d, 1);
        for (size_t t = 0; t < fresh; t++) {
            lab_progress(lab, 0.5 * (double)(k * fresh + t) / (double)(DIMS * fresh));
            Arena *arena = arena_child(lab->arena);
            Matrix x = matrix_normal(arena, lab->rng, 1, d, 1);
            inside += hull_test(training.x, TRAINING, d, x.x, 1e-9, arena).side == HULL_INSIDE;
            arena_free(arena);
        }
        at[k] = (double)d;
        share[k] = (double)inside / (double)fresh;
        /* Beyond what two binomial shares differ by chance. */
        rises += k > 0 && share[k] - share[k - 1] > 4 * sqrt(0.5 / (double)fresh);
        table_count(table, d);
        table_number(table, share[k], 4);
    }
    check_none(page, "rises of the share with the dimension", rises);
    size_t draws = lab->quick ? 20 : 100;
    lab_progress(lab, 0.6);
    double half = (double)centre_inside(lab, 200, 100, draws, &unproved) / (double)draws;
    check_z(page, "the centre itself, d = 100, N = 200", half, 0.5, sqrt(0.25 / (double)draws));
    lab_progress(lab, 0.9);
    double none = (double)centre_inside(lab, 150, 100, draws / 4, &unproved);
    check_most(page, STATISTICAL, "the centre itself, d = 100, N = 150: how often", none, 0);
    check_near(page, IDENTITY, "Wendel's law at d = 100, N = 150, in 1e-5",
               hull_wendel(150, 100) * 1e5, 1.8, 0.05);
    check_none(page, "verdicts whose proof fails when evaluated again", unproved);
    Plot *plot =
        plot_new(page->arena, "fresh points inside the training set", "dimensions", "share inside");
    plot->log_x = true;
    plot_line(plot, "N = 200", at, share, DIMS);
    page_plot(page, plot);
}
