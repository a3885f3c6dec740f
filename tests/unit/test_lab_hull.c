/* The lab's hulls and simplices, judged by geometry done another way: barycentric coordinates of
 * all triangles and tetrahedra, Wendel's chance, and definitions. */
#include "lab/descent.h"
#include "lab/hull.h"
#include "lab/simplex.h"
#include "tests/unit/lab_fixture.h"

#include <math.h>
#include <string.h>

static void fill(Random *random, double *to, size_t n) {
    for (size_t k = 0; k < n; k++) to[k] = draw(random);
}

/* --- hulls --------------------------------------------------------------------------------- */

static double det(const double *m, size_t d) { /* columns are differences of points */
    return d == 2 ? m[0] * m[3] - m[1] * m[2]
                  : m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) +
                        m[2] * (m[3] * m[7] - m[4] * m[6]);
}

/* The volume, with its sign, of the simplex of d + 1 points where corner `k` is x (k > d: none). */
static double volume(const double *points, const size_t *corner, size_t d, const double *x,
                     size_t k) {
    double m[9];
    const double *base = k == 0 ? x : points + corner[0] * d;
    for (size_t i = 0; i < d; i++) {
        const double *at = i + 1 == k ? x : points + corner[i + 1] * d;
        for (size_t c = 0; c < d; c++) m[i * d + c] = at[c] - base[c];
    }
    return det(m, d);
}

/* How deep x lies in the deepest of all simplices of d + 1 points: its least barycentric
 * coordinate; negative: in none (Caratheodory: then it is outside of the hull). */
static double depth(const double *points, size_t n, size_t d, const double *x) {
    double best = -INFINITY;
    size_t corner[4] = {0};
    for (size_t code = 0, all = d == 2 ? n * n * n : n * n * n * n; code < all; code++) {
        size_t rest = code;
        for (size_t i = 0; i <= d; i++, rest /= n) corner[i] = rest % n;
        if (corner[0] >= corner[1] || corner[1] >= corner[2] || (d == 3 && corner[2] >= corner[3]))
            continue;
        double whole = volume(points, corner, d, x, d + 1), least = INFINITY;
        for (size_t k = 0; k <= d; k++)
            least = fmin(least, volume(points, corner, d, x, k) / whole);
        best = fmax(best, least);
    }
    return best;
}

static void check_proof(const Hull *hull, const double *points, size_t n, size_t d,
                        const double *x) {
    double sum = 0;
    for (size_t j = 0; j < n; j++) {
        assert_true(hull->weights[j] >= 0);
        sum += hull->weights[j];
    }
    assert_true(fabs(sum - 1) < 1e-12);
    if (hull->side == HULL_INSIDE) {
        assert_true(hull_residual(points, n, d, x, hull->weights) < 1e-9);
        return;
    }
    assert_int_equal(hull->side, HULL_OUTSIDE);
    double most = -INFINITY, at = 0, norm = 0;
    for (size_t c = 0; c < d; c++) {
        at += hull->direction[c] * x[c];
        norm += hull->direction[c] * hull->direction[c];
    }
    for (size_t j = 0; j < n; j++) {
        double along = 0;
        for (size_t c = 0; c < d; c++) along += hull->direction[c] * points[j * d + c];
        most = fmax(most, along);
    }
    assert_true(at > most && fabs(norm - 1) < 1e-12);
    /* No direction separates by more than the distance; the nearest point's reaches it. */
    assert_true(fabs(at - most - hull->distance) < 1e-9);
}

static void test_barycentric(void **state) {
    (void)state;
    Random random = {37};
    size_t inside = 0;
    for (int k = 0; k < 1000; k++) {
        size_t d = k % 2 ? 3 : 2, n = d + 1 + random_below(&random, 5);
        double points[9 * 3], x[3];
        fill(&random, points, n * d);
        fill(&random, x, d);
        double expected = depth(points, n, d, x);
        Hull hull = hull_test(points, n, d, x, 1e-9, arena);
        check_proof(&hull, points, n, d, x);
        assert_int_equal(hull.side, expected >= 0 ? HULL_INSIDE : HULL_OUTSIDE);
        inside += expected >= 0;
    }
    assert_in_range(inside, 100, 900); /* both verdicts were tried */
}

/* Binomial: within four standard errors. */
static void test_wendel(void **state) {
    (void)state;
    static const struct {
        size_t d, n, draws;
        double chance;
    } rows[] = {{5, 10, 2000, 0.5},
                {5, 20, 2000, 0.9904},
                {2, 3, 2000, 0.25},
                {1, 2, 2000, 0.5},
                {30, 60, 100, 0.5}};
    Random random = {1962};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        size_t d = rows[r].d, n = rows[r].n, inside = 0;
        assert_true(fabs(hull_wendel(n, d) - rows[r].chance) < 5e-5);
        for (size_t k = 0; k < rows[r].draws; k++) {
            Arena *scratch = arena_child(arena);
            double *points = ARENA_ARRAY(scratch, n * d, double),
                   *x = ARENA_ARRAY(scratch, d, double);
            fill(&random, points, n * d);
            Hull hull = hull_test(points, n, d, x, 1e-9, scratch);
            check_proof(&hull, points, n, d, x);
            inside += hull.side == HULL_INSIDE;
            arena_free(scratch);
        }
        double draws = (double)rows[r].draws, p = rows[r].chance;
        assert_true(fabs((double)inside - p * draws) <= 4 * sqrt(draws * p * (1 - p)));
    }
    assert_true(fabs(hull_wendel(150, 100) / 1.8e-5 - 1) < 0.02);
}

/* Points that are equal, on a line, or the point itself; corners and edges belong to the hull. */
static void test_degenerate(void **state) {
    (void)state;
    static const struct {
        double points[8], x[2];
        size_t n;
        HullSide side;
    } rows[] = {
        {{1, 2}, {1, 2}, 1, HULL_INSIDE},
        {{1, 2}, {1, 3}, 1, HULL_OUTSIDE},
        {{0, 0, 0, 0, 0, 0}, {0, 0}, 3, HULL_INSIDE},
        {{0.3, 0.3}, {0.1 + 0.2, 0.3}, 1, HULL_INSIDE}, /* 0.3 but for its last bit */
        {{0, 0, 1, 1, 2, 2}, {1.5, 1.5}, 3, HULL_INSIDE},
        {{0, 0, 1, 1, 2, 2}, {1.5, 1.25}, 3, HULL_OUTSIDE},
        {{0, 0, 1, 0, 0, 1, 1, 1}, {0, 0}, 4, HULL_INSIDE},
        {{0, 0, 1, 0, 0, 1, 1, 1}, {1, 0.5}, 4, HULL_INSIDE},
        {{0, 0, 1, 0, 0, 1, 1, 1}, {1.0001, 0.5}, 4, HULL_OUTSIDE},
        {{1e8, 0, 1e8, 1, 1e8, 2}, {1e8, 0.5}, 3, HULL_INSIDE},
        {{1e-8, 0, 1e-8, 1e-8, 0, 0}, {1e-8, 2e-8}, 3, HULL_OUTSIDE},
        /* a + b is not a mean of a and b: two heads leave what one head cannot */
        {{1, 0, 0, 1}, {1, 1}, 2, HULL_OUTSIDE},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        assert_int_equal(hull_test(rows[r].points, rows[r].n, 2, rows[r].x, 1e-9, arena).side,
                         rows[r].side);
}

/* --- the simplex --------------------------------------------------------------------------- */

/* The projection is the one point with a = (z - t)+ and sum 1; it contracts firmly; a point of the
 * simplex stays. */
static void test_projection(void **state) {
    (void)state;
    Random random = {71};
    enum { MOST = 20 };
    for (int k = 0; k < 2000; k++) {
        size_t n = 1 + random_below(&random, MOST);
        double z[2][MOST], a[2][MOST], again[MOST], moved = 0, along = 0;
        for (int i = 0; i < 2; i++) {
            fill(&random, z[i], n);
            for (size_t j = 0; j < n; j++) z[i][j] *= k % 7;
            simplex_project(z[i], n, a[i]);
            double sum = 0, threshold = NAN;
            for (size_t j = 0; j < n; j++) {
                assert_true(a[i][j] >= 0);
                sum += a[i][j];
                if (a[i][j] > 0) threshold = z[i][j] - a[i][j];
            }
            assert_true(fabs(sum - 1) < 1e-12);
            for (size_t j = 0; j < n; j++)
                assert_true(fabs(a[i][j] - fmax(z[i][j] - threshold, 0)) < 1e-12);
            simplex_project(a[i], n, again);
            for (size_t j = 0; j < n; j++) assert_true(fabs(again[j] - a[i][j]) < 1e-12);
        }
        for (size_t j = 0; j < n; j++) {
            double step = a[0][j] - a[1][j];
            moved += step * step;
            along += step * (z[0][j] - z[1][j]);
        }
        assert_true(moved <= along + 1e-12);
    }
}

/* Scores of any size: the gap between them is what counts. */
static void test_large_scores(void **state) {
    (void)state;
    double a[2];
    simplex_project((const double[]){1e17, 0}, 2, a);
    assert_true(a[0] == 1 && a[1] == 0);
    simplex_project((const double[]){-0x1p53, -0x1p53}, 2, a);
    assert_true(a[0] == 0.5 && a[1] == 0.5);
}

/* Half the square of the distance from the mean of points to x, one head: hull.h as an objective.
 */
typedef struct Distance {
    const double *points, *x;
    size_t n, d;
} Distance;

static double distance_at(void *context, const double *weights, double *gradient) {
    const Distance *c = context;
    double off[3], value = 0;
    for (size_t i = 0; i < c->d; i++) {
        off[i] = -c->x[i];
        for (size_t j = 0; j < c->n; j++) off[i] += weights[j] * c->points[j * c->d + i];
        value += off[i] * off[i] / 2;
    }
    for (size_t j = 0; gradient && j < c->n; j++) {
        gradient[j] = 0;
        for (size_t i = 0; i < c->d; i++) gradient[j] += off[i] * c->points[j * c->d + i];
    }
    return value;
}

/* Wolfe's algorithm and both descents find the same distance, as well as their gaps promise. */
static void test_solvers_agree(void **state) {
    (void)state;
    Random random = {1976};
    for (int k = 0; k < 200; k++) {
        double points[12 * 3], x[3], weights[12];
        fill(&random, points, 12 * 3);
        fill(&random, x, 3);
        for (size_t i = 0; i < 3; i++) x[i] *= 3; /* mostly outside */
        Distance context = {points, x, 12, 3};
        Objective objective = {1, 12, distance_at, &context};
        double least = pow(hull_test(points, 12, 3, x, 1e-9, arena).distance, 2) / 2;
        Descent fast = descend_projected(&objective, 1e-9, 5000, weights, arena);
        assert_true(fast.gap <= 1e-9 && fast.value >= least - 1e-12 &&
                    fast.value - least <= fast.gap + 1e-12);
        Descent slow = descend_exponentiated(&objective, 1e-4, 100000, weights, arena);
        assert_true(slow.gap <= 1e-4 && slow.value >= least - 1e-12 &&
                    slow.value - least <= slow.gap + 1e-12);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_barycentric),  cmocka_unit_test(test_wendel),
        cmocka_unit_test(test_degenerate),   cmocka_unit_test(test_projection),
        cmocka_unit_test(test_large_scores), cmocka_unit_test(test_solvers_agree),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
