#include "lab/descent.h"

#include "lab/simplex.h"

#include <math.h>
#include <string.h>

/* What rounding of f may pretend to have gained or lost in a backtracking test. */
static const double SLACK = 1e-13;

double frank_wolfe_gap(const Objective *objective, const double *weights, const double *gradient) {
    double gap = 0;
    for (size_t h = 0; h < objective->heads; h++) {
        const double *a = weights + h * objective->keys, *g = gradient + h * objective->keys;
        double mean = 0, least = g[0];
        for (size_t j = 0; j < objective->keys; j++) {
            mean += a[j] * g[j];
            least = fmin(least, g[j]);
        }
        gap += mean - least;
    }
    return gap;
}

static void set_uniform(const Objective *objective, double *weights) {
    for (size_t k = 0; k < objective->heads * objective->keys; k++)
        weights[k] = 1 / (double)objective->keys;
}

static double *room(const Objective *objective, Arena *arena) {
    return ARENA_ARRAY(arena, objective->heads * objective->keys, double);
}

/* --- accelerated projected gradient -------------------------------------------------------- */

typedef struct Projected {
    const Objective *objective;
    size_t count;                 /* heads * n */
    double *a, *b, *y, *at_y;     /* last point, next point, extrapolated point, gradient there */
    double *moved;                /* y − step · gradient */
    double step, momentum, value; /* value: f(b) */
} Projected;

/* b = projection of y - step * gradient, the step halved until the quadratic model at y holds. */
static void projected_step(Projected *s) {
    const Objective *f = s->objective;
    double value = f->at(f->context, s->y, s->at_y);
    for (;;) {
        for (size_t k = 0; k < s->count; k++) s->moved[k] = s->y[k] - s->step * s->at_y[k];
        for (size_t h = 0; h < f->heads; h++)
            simplex_project(s->moved + h * f->keys, f->keys, s->b + h * f->keys);
        double linear = 0, square = 0;
        for (size_t k = 0; k < s->count; k++) {
            double move = s->b[k] - s->y[k];
            linear += s->at_y[k] * move;
            square += move * move;
        }
        s->value = f->at(f->context, s->b, NULL);
        if (s->value <= value + linear + square / (2 * s->step) + SLACK * (1 + fabs(value)) ||
            s->step < 1e-12)
            return;
        s->step /= 2;
    }
}

/* y ahead of b by momentum, unless the last move went uphill: then from b anew. */
static void extrapolate(Projected *s) {
    double uphill = 0;
    for (size_t k = 0; k < s->count; k++) uphill += (s->y[k] - s->b[k]) * (s->b[k] - s->a[k]);
    double next = uphill > 0 ? 1 : (1 + sqrt(1 + 4 * s->momentum * s->momentum)) / 2;
    double ahead = uphill > 0 ? 0 : (s->momentum - 1) / next;
    for (size_t k = 0; k < s->count; k++) s->y[k] = s->b[k] + ahead * (s->b[k] - s->a[k]);
    s->momentum = next;
}

Descent descend_projected(const Objective *objective, double tolerance, size_t most,
                          double *weights, Arena *arena) {
    Arena *scratch = arena_child(arena);
    Projected s = {.objective = objective,
                   .count = objective->heads * objective->keys,
                   .a = room(objective, scratch),
                   .b = room(objective, scratch),
                   .y = room(objective, scratch),
                   .at_y = room(objective, scratch),
                   .moved = room(objective, scratch),
                   .step = 1,
                   .momentum = 1};
    double *gradient = room(objective, scratch);
    set_uniform(objective, s.a);
    memcpy(s.y, s.a, s.count * sizeof *s.y);
    memcpy(weights, s.a, s.count * sizeof *weights);
    Descent best = {.value = objective->at(objective->context, weights, gradient)};
    best.gap = frank_wolfe_gap(objective, weights, gradient);
    while (best.gap > tolerance && best.steps < most) {
        budget_poll(arena_budget(arena));
        projected_step(&s);
        extrapolate(&s);
        memcpy(s.a, s.b, s.count * sizeof *s.a);
        s.step *= 1.15;
        best.steps++;
        objective->at(objective->context, s.b, gradient);
        double gap = frank_wolfe_gap(objective, s.b, gradient);
        if (gap < best.gap) {
            best.gap = gap;
            best.value = s.value;
            memcpy(weights, s.b, s.count * sizeof *weights);
        }
    }
    arena_free(scratch);
    return best;
}

/* --- exponentiated gradient ---------------------------------------------------------------- */

/* next = a exp(-step g) / Z for each head; gives the KL divergence of next from a. */
static double tilt(const Objective *objective, const double *a, const double *g, double step,
                   double *next) {
    static const double FLOOR = 1e-300; /* a weight of 0 could never come back */
    double divergence = 0;
    for (size_t h = 0; h < objective->heads; h++) {
        size_t first = h * objective->keys, last = first + objective->keys;
        double least = g[first], total = 0;
        for (size_t k = first; k < last; k++) least = fmin(least, g[k]);
        for (size_t k = first; k < last; k++)
            total += next[k] = fmax(a[k] * exp(-step * (g[k] - least)), FLOOR);
        for (size_t k = first; k < last; k++) {
            next[k] /= total;
            divergence += next[k] * log(next[k] / a[k]);
        }
    }
    return divergence;
}

Descent descend_exponentiated(const Objective *objective, double tolerance, size_t most,
                              double *weights, Arena *arena) {
    Arena *scratch = arena_child(arena);
    size_t count = objective->heads * objective->keys;
    double *a = room(objective, scratch), *next = room(objective, scratch);
    double *gradient = room(objective, scratch);
    set_uniform(objective, a);
    memcpy(weights, a, count * sizeof *a);
    Descent best = {.value = objective->at(objective->context, a, gradient)};
    best.gap = frank_wolfe_gap(objective, a, gradient);
    double value = best.value, step = 1;
    while (best.gap > tolerance && best.steps < most) {
        budget_poll(arena_budget(arena));
        double divergence = tilt(objective, a, gradient, step, next), linear = 0;
        for (size_t k = 0; k < count; k++) linear += gradient[k] * (next[k] - a[k]);
        double reached = objective->at(objective->context, next, NULL);
        best.steps++;
        if (reached > value + linear + divergence / step + SLACK * (1 + fabs(value)) &&
            step > 1e-12) {
            step /= 2;
            continue;
        }
        memcpy(a, next, count * sizeof *a);
        value = objective->at(objective->context, a, gradient);
        step *= 1.2;
        double gap = frank_wolfe_gap(objective, a, gradient);
        if (gap < best.gap) {
            best.gap = gap;
            best.value = value;
            memcpy(weights, a, count * sizeof *a);
        }
    }
    arena_free(scratch);
    return best;
}
