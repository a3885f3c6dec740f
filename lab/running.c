#include "lab/running.h"

#include <assert.h>
#include <math.h>
#include <string.h>

Running running_new(Arena *arena, size_t c) {
    return (Running){-INFINITY, 0, ARENA_ARRAY(arena, c, double), c};
}

void running_clear(Running *state) {
    state->m = -INFINITY;
    state->l = 0;
    memset(state->o, 0, state->c * sizeof *state->o);
}

/* What was summed counts for less once a larger score is known. */
static void raise_to(Running *state, double m) {
    double less = state->l > 0 ? exp(state->m - m) : 0;
    state->m = m;
    state->l *= less;
    for (size_t i = 0; i < state->c; i++) state->o[i] *= less;
}

void running_add(Running *state, const double *scores, Matrix values, size_t first, size_t count) {
    double top = state->m;
    assert(values.cols == state->c);
    for (size_t j = first; j < first + count; j++) top = fmax(top, scores[j]);
    if (top == -INFINITY) return;
    if (top > state->m) raise_to(state, top);
    for (size_t j = first; j < first + count; j++) {
        double weight = exp(scores[j] - state->m);
        state->l += weight;
        for (size_t i = 0; i < state->c; i++) state->o[i] += weight * *matrix_at(values, j, i);
    }
}

void running_merge(Running *state, const Running *other) {
    if (other->l == 0) return;
    if (other->m > state->m) raise_to(state, other->m);
    double share = exp(other->m - state->m);
    state->l += share * other->l;
    for (size_t i = 0; i < state->c; i++) state->o[i] += share * other->o[i];
}

void running_read(const Running *state, double *out) {
    for (size_t i = 0; i < state->c; i++) out[i] = state->o[i] / state->l;
}
