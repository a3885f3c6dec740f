#include "lab/hull.h"

#include "lab/simplex.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Wolfe's state: the points moved so that x is the origin, and the corral: affinely independent
 * points, at most d + 1, with the nearest point inside of their hull. */
typedef struct Wolfe {
    size_t n, d, size;
    const double *points; /* [n, d] */
    size_t *corral;       /* [d + 1]: which points */
    double *weights;      /* [d + 1]: of the corral */
    double *affine;       /* [d + 1]: weights of the point of least norm in the affine hull */
    double *ones, *off;   /* [d + 1]: for solving */
    double *inner;        /* [d + 1, d + 1]: inner products of the corral */
    double *factor;  /* [d + 1, d + 1]: the Cholesky factor of K, packed by the corral's size */
    double *nearest; /* [d] */
    double scale;    /* the greatest square of a norm */
} Wolfe;

static const double *member(const Wolfe *w, size_t k) {
    return w->points + w->corral[k] * w->d;
}

static void set_nearest(Wolfe *w, const double *weights) {
    memset(w->nearest, 0, w->d * sizeof *w->nearest);
    for (size_t k = 0; k < w->size; k++)
        for (size_t c = 0; c < w->d; c++) w->nearest[c] += weights[k] * member(w, k)[c];
}

/* Puts a point into the corral, with weight 0, and its inner products with the others. */
static void join(Wolfe *w, size_t point) {
    size_t at = w->size++, wide = w->d + 1;
    w->corral[at] = point;
    w->weights[at] = 0;
    for (size_t k = 0; k <= at; k++)
        w->inner[at * wide + k] = w->inner[k * wide + at] = dot(member(w, at), member(w, k), w->d);
}

static void drop(Wolfe *w, size_t k) {
    size_t last = --w->size, wide = w->d + 1;
    w->corral[k] = w->corral[last];
    w->weights[k] = w->weights[last];
    for (size_t j = 0; j < last; j++)
        if (j != k) w->inner[k * wide + j] = w->inner[j * wide + k] = w->inner[last * wide + j];
    w->inner[k * wide + k] = w->inner[last * wide + last];
}

/* K = Q Q^T + scale 1 1^T for the corral Q, into its Cholesky factor. False: the corral is affinely
 * dependent as far as doubles can tell. */
static bool factorise(Wolfe *w) {
    size_t s = w->size;
    double *g = w->factor;
    for (size_t i = 0; i < s; i++)
        for (size_t j = 0; j <= i; j++) {
            double left = w->inner[i * (w->d + 1) + j] + w->scale - dot(g + i * s, g + j * s, j);
            if (i == j && !(left > DBL_EPSILON * w->scale)) return false;
            g[i * s + j] = i == j ? sqrt(left) : left / g[j * s + j];
        }
    return true;
}

/* u ← K^-1 u. */
static void solve(const Wolfe *w, double *u) {
    size_t s = w->size;
    const double *g = w->factor;
    for (size_t i = 0; i < s; i++) u[i] = (u[i] - dot(g + i * s, u, i)) / g[i * s + i];
    for (size_t i = s; i-- > 0;) {
        for (size_t k = i + 1; k < s; k++) u[i] -= g[k * s + i] * u[k];
        u[i] /= g[i * s + i];
    }
}

/* The weights of the point of least norm in the affine hull: u / sum u with K u = 1. Inner products
 * lose what is nearer than the root of their rounding, so the weights are refined: at that point
 * the products of all members with it, taken from coordinates, are equal. */
static bool solve_affine(Wolfe *w) {
    enum { REFINEMENTS = 2 };
    if (!factorise(w)) return false;
    for (size_t i = 0; i < w->size; i++) w->ones[i] = 1;
    solve(w, w->ones);
    double total = sum_of(w->ones, w->size);
    for (size_t i = 0; i < w->size; i++) w->affine[i] = w->ones[i] / total;
    for (int turn = 0; turn < REFINEMENTS; turn++) {
        set_nearest(w, w->affine);
        for (size_t i = 0; i < w->size; i++) w->off[i] = dot(member(w, i), w->nearest, w->d);
        solve(w, w->off);
        double share = sum_of(w->off, w->size) / total;
        for (size_t i = 0; i < w->size; i++) w->affine[i] += share * w->ones[i] - w->off[i];
    }
    return true;
}

/* From the weights towards the affine ones until one of them is 0, which is dropped; again, until
 * the affine ones are all positive. */
static void settle(Wolfe *w) {
    while (w->size > 1) {
        if (!solve_affine(w)) {
            drop(w, w->size - 1);
            continue;
        }
        double reach = 1;
        size_t first = w->size;
        for (size_t k = 0; k < w->size; k++)
            if (w->affine[k] <= 0) {
                double at = w->weights[k] / (w->weights[k] - w->affine[k]);
                if (first == w->size || at < reach) reach = at, first = k;
            }
        for (size_t k = 0; k < w->size; k++)
            w->weights[k] += reach * (w->affine[k] - w->weights[k]);
        if (first == w->size) return;
        drop(w, first);
    }
    w->weights[0] = 1;
}

/* The point that lies farthest towards the origin, seen along the nearest point. */
static size_t farthest(const Wolfe *w) {
    size_t best = 0;
    double least = INFINITY;
    for (size_t j = 0; j < w->n; j++) {
        double along = dot(w->nearest, w->points + j * w->d, w->d);
        if (along < least) least = along, best = j;
    }
    return best;
}

static bool in_corral(const Wolfe *w, size_t point) {
    for (size_t k = 0; k < w->size; k++)
        if (w->corral[k] == point) return true;
    return false;
}

/* Nearer to the origin than this times the scale is at it: what is left is rounding. */
static const double NOTHING = 1e3 * DBL_EPSILON;

static void wolfe(Wolfe *w, Budget *budget) {
    /* Each turn makes the nearest point nearer, so no corral comes twice; rounding may stall it. */
    double before = INFINITY;
    for (;;) {
        budget_poll(budget);
        set_nearest(w, w->weights);
        double square = dot(w->nearest, w->nearest, w->d);
        size_t next = farthest(w);
        double along = dot(w->nearest, w->points + next * w->d, w->d);
        if (square <= NOTHING * NOTHING * w->scale || square >= before ||
            square - along <= 8 * DBL_EPSILON * sqrt(square * w->scale) || in_corral(w, next))
            return;
        before = square;
        if (w->size == w->d + 1)
            drop(w, w->size - 1); /* only rounding leads here: d + 1 points span the space */
        join(w, next);
        settle(w);
    }
}

double hull_residual(const double *points, size_t n, size_t d, const double *x,
                     const double *weights) {
    double square = 0;
    for (size_t c = 0; c < d; c++) {
        double at = 0;
        for (size_t j = 0; j < n; j++) at += weights[j] * (points[j * d + c] - x[c]);
        square += at * at;
    }
    return sqrt(square);
}

double hull_margin(const double *points, size_t n, size_t d, const double *x,
                   const double *direction) {
    double margin = INFINITY;
    for (size_t j = 0; j < n; j++) {
        double towards = 0;
        for (size_t c = 0; c < d; c++) towards += direction[c] * (x[c] - points[j * d + c]);
        margin = fmin(margin, towards);
    }
    return margin;
}

Hull hull_test(const double *points, size_t n, size_t d, const double *x, double tolerance,
               Arena *arena) {
    Hull hull = {.side = HULL_UNDECIDED, .weights = ARENA_ARRAY(arena, n, double)};
    Arena *scratch = arena_child(arena);
    double *moved = ARENA_ARRAY(scratch, n * d, double);
    Wolfe w = {.n = n,
               .d = d,
               .points = moved,
               .corral = ARENA_ARRAY(scratch, d + 1, size_t),
               .weights = ARENA_ARRAY(scratch, d + 1, double),
               .affine = ARENA_ARRAY(scratch, d + 1, double),
               .ones = ARENA_ARRAY(scratch, d + 1, double),
               .off = ARENA_ARRAY(scratch, d + 1, double),
               .inner = ARENA_ARRAY(scratch, (d + 1) * (d + 1), double),
               .factor = ARENA_ARRAY(scratch, (d + 1) * (d + 1), double),
               .nearest = ARENA_ARRAY(scratch, d, double)};
    size_t first = 0;
    double least = INFINITY, largest = dot(x, x, d);
    for (size_t j = 0; j < n; j++) {
        for (size_t c = 0; c < d; c++) moved[j * d + c] = points[j * d + c] - x[c];
        largest = fmax(largest, dot(points + j * d, points + j * d, d));
        double square = dot(moved + j * d, moved + j * d, d);
        w.scale = fmax(w.scale, square);
        if (square < least) least = square, first = j;
    }
    join(&w, first);
    w.weights[0] = 1;
    wolfe(&w, arena_budget(arena));
    for (size_t k = 0; k < w.size; k++) hull.weights[w.corral[k]] += w.weights[k];
    hull.distance = hull_residual(points, n, d, x, hull.weights);
    /* What the given numbers may be off by themselves, for points that are all one. */
    double rounding = 8 * DBL_EPSILON * sqrt(largest);
    if (hull.distance <= tolerance * sqrt(w.scale) + rounding) {
        hull.side = HULL_INSIDE;
    } else {
        double norm = sqrt(dot(w.nearest, w.nearest, d));
        hull.direction = ARENA_ARRAY(arena, d, double);
        for (size_t c = 0; c < d; c++) hull.direction[c] = -w.nearest[c] / norm;
        hull.margin = hull_margin(points, n, d, x, hull.direction);
        if (hull.margin > 0)
            hull.side = HULL_OUTSIDE;
        else
            hull.direction = NULL;
    }
    arena_free(scratch);
    return hull;
}

double hull_wendel(size_t n, size_t d) {
    if (n == 0) return 0;
    double sum = 0, half = ((double)n - 1) * log(2);
    for (size_t k = 0; k < d && k < n; k++)
        sum += exp(lgamma((double)n) - lgamma((double)k + 1) - lgamma((double)(n - k)) - half);
    return 1 - sum;
}
