#include "compile/lower/space.h"

#include <math.h>
#include <string.h>

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
    if (fabs(row.value[row.pivot]) < 1e-9) return; /* dependent, though not by short factors */
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
    bool exact = true;
    for (uint32_t k = 0; k < s->count; k++) factor[k] = dyadic(factor[k]);
    for (uint32_t p = 0; p < s->points && exact; p++) {
        double sum = 0;
        for (uint32_t k = 0; k < s->count; k++) sum += factor[k] * s->vector[k][p];
        exact = sum == vector[p];
    }
    if (exact) {
        *form = form_constant(0);
        for (uint32_t k = 0; k < s->count; k++)
            if (factor[k] != 0) *form = form_sum(*form, 1, s->form[k], factor[k], s->arena);
    }
    arena_free(scratch);
    return exact;
}
