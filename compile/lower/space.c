#include "compile/lower/space.h"

#include "compile/values/numbers.h"

#include <math.h>
#include <string.h>

/* What is left of a vector, relative to it, when it is a combination of the others. */
static const double DEPENDENT = 1e-9;

/* Row-echelon form, kept reduced as vectors come: reduced row r has a pivot point where
 * no later row is nonzero, and is the combination `mix` of the vectors themselves. */
typedef struct Echelon {
    double *value; /* [points] */
    double *mix;   /* [row + 1] factors of the original vectors */
    uint32_t pivot;
} Echelon;

struct Space {
    Arena *arena;
    uint32_t points, count;
    double **vector;
    Form *form;
    Echelon *row;
    size_t vector_capacity, form_capacity, row_capacity;
};

static void push(Space *s, const double *vector, Form form) {
    if (s->points == 0) return;
    Echelon row = {ARENA_ARRAY(s->arena, s->points, double),
                   ARENA_ARRAY(s->arena, (size_t)s->count + 1, double), 0};
    double *copy = ARENA_ARRAY(s->arena, s->points, double);
    memcpy(copy, vector, s->points * sizeof *copy);
    memcpy(row.value, vector, s->points * sizeof *copy);
    row.mix[s->count] = 1;
    for (uint32_t r = 0; r < s->count; r++) {
        const Echelon *e = &s->row[r];
        double factor = row.value[e->pivot] / e->value[e->pivot];
        if (factor == 0) continue;
        for (uint32_t p = 0; p < s->points; p++) row.value[p] -= factor * e->value[p];
        for (uint32_t k = 0; k <= r; k++) row.mix[k] -= factor * e->mix[k];
        row.value[e->pivot] = 0;
    }
    for (uint32_t p = 1; p < s->points; p++)
        if (fabs(row.value[p]) > fabs(row.value[row.pivot])) row.pivot = p;
    double largest = 0;
    for (uint32_t p = 0; p < s->points; p++) largest = fmax(largest, fabs(vector[p]));
    if (fabs(row.value[row.pivot]) < DEPENDENT * largest) return; /* not by short factors */
    s->vector = arena_grow(s->arena, s->vector, &s->vector_capacity, s->count + 1, sizeof copy);
    s->form = arena_grow(s->arena, s->form, &s->form_capacity, s->count + 1, sizeof form);
    s->row = arena_grow(s->arena, s->row, &s->row_capacity, s->count + 1, sizeof row);
    s->vector[s->count] = copy;
    s->form[s->count] = form;
    s->row[s->count++] = row;
}

Space *space_new(Arena *arena, uint32_t points) {
    Space *space = ARENA_NEW(arena, Space);
    space->arena = arena;
    space->points = points;
    double *ones = ARENA_ARRAY(arena, points, double);
    for (uint32_t p = 0; p < points; p++) ones[p] = 1;
    push(space, ones, form_constant(1));
    return space;
}

void space_add(Space *space, const double *vector, Form form) {
    push(space, vector, form);
}

static double dyadic(double x) {
    return round(x * 0x1p12) * 0x1p-12;
}

/* How far the combination at point p is from `value` in real arithmetic; INFINITY if doubles see
 * it already. */
static double solution_slack(const Space *s, const double *factor, uint32_t p, double value) {
    double sum = 0, lost = 0, size = 0;
    bool exact = true;
    for (uint32_t k = 0; k < s->count; k++) {
        double x = s->vector[k][p], product = factor[k] * x;
        double error = fma(factor[k], x, -product) + sum_lost(sum, product);
        sum += product;
        size += fabs(product);
        exact &= error == 0;
        lost += error;
    }
    if (sum != value) return INFINITY;
    return exact ? 0 : fabs(lost) + s->count * 0x1p-100 * size;
}

bool space_solve(Space *s, const double *vector, Form *form) {
    Arena *scratch = arena_child(s->arena);
    double *rest = ARENA_ARRAY(scratch, s->points, double);
    double *factor = ARENA_ARRAY(scratch, s->count, double);
    memcpy(rest, vector, s->points * sizeof *rest);
    for (uint32_t r = 0; r < s->count; r++) {
        const Echelon *e = &s->row[r];
        double f = rest[e->pivot] / e->value[e->pivot];
        if (f == 0) continue;
        for (uint32_t p = 0; p < s->points; p++) rest[p] -= f * e->value[p];
        for (uint32_t k = 0; k <= r; k++) factor[k] += f * e->mix[k];
    }
    double slack = 0;
    for (uint32_t k = 0; k < s->count; k++) factor[k] = dyadic(factor[k]);
    for (uint32_t p = 0; p < s->points && slack < INFINITY; p++)
        slack = fmax(slack, solution_slack(s, factor, p, vector[p]));
    bool exact = slack < INFINITY;
    if (exact) {
        *form = form_loose(form_constant(0), slack);
        for (uint32_t k = 0; k < s->count; k++)
            if (factor[k] != 0) *form = form_sum(*form, 1, s->form[k], factor[k], s->arena);
    }
    arena_free(scratch);
    return exact;
}
