#include "lab/choice.h"

#include "lab/simplex.h"

#include <math.h>
#include <string.h>

typedef struct Context {
    const Votes *votes;
    const double *law;
    double *logits;
} Context;

static double at(void *context, const double *weights, double *gradient) {
    Context *c = context;
    if (gradient) return votes_gradient(c->votes, c->law, weights, gradient, c->logits);
    votes_logits(c->votes, weights, c->logits);
    return cross_entropy(c->law, c->logits, c->votes->symbols);
}

Objective choice_objective(const Votes *votes, const double *law, Arena *arena) {
    Context *context = ARENA_NEW(arena, Context);
    *context = (Context){votes, law, ARENA_ARRAY(arena, votes->symbols, double)};
    return (Objective){votes->heads, votes->keys, at, context};
}

Descent choice_best(const Votes *votes, const double *law, double tolerance, double *weights,
                    Arena *arena) {
    Arena *scratch = arena_child(arena);
    Objective objective = choice_objective(votes, law, scratch);
    Descent descent = descend_projected(&objective, tolerance, 20000, weights, scratch);
    arena_free(scratch);
    return descent;
}

double choice_loss(const Votes *votes, const double *law, const double *weights, double *gap,
                   Arena *arena) {
    Arena *scratch = arena_child(arena);
    Objective objective = choice_objective(votes, law, scratch);
    double *gradient = ARENA_ARRAY(scratch, votes->heads * votes->keys, double);
    double value = objective.at(objective.context, weights, gradient);
    if (gap) *gap = frank_wolfe_gap(&objective, weights, gradient);
    arena_free(scratch);
    return value;
}

/* --- few weights --------------------------------------------------------------------------- */

/* A vector c with M c = 0 and c != 0, M [rows, columns]; false when the columns are independent.
 * Gauss-Jordan elimination with complete pivoting; M is destroyed, `order` has room for columns. */
static bool null_direction(double *m, size_t rows, size_t columns, size_t *order, double *c) {
    double most = 0;
    for (size_t k = 0; k < rows * columns; k++) most = fmax(most, fabs(m[k]));
    for (size_t k = 0; k < columns; k++) order[k] = k;
    size_t rank = 0;
    for (; rank < rows && rank < columns; rank++) {
        size_t row = rank, column = rank;
        for (size_t i = rank; i < rows; i++)
            for (size_t j = rank; j < columns; j++)
                if (fabs(m[i * columns + j]) > fabs(m[row * columns + column])) row = i, column = j;
        if (fabs(m[row * columns + column]) <= 1e-12 * most) break;
        for (size_t i = 0; i < rows; i++) {
            double swap = m[i * columns + rank];
            m[i * columns + rank] = m[i * columns + column];
            m[i * columns + column] = swap;
        }
        size_t which = order[rank];
        order[rank] = order[column];
        order[column] = which;
        for (size_t j = 0; j < columns; j++) {
            double swap = m[rank * columns + j];
            m[rank * columns + j] = m[row * columns + j];
            m[row * columns + j] = swap;
        }
        for (size_t i = 0; i < rows; i++) {
            if (i == rank) continue;
            double factor = m[i * columns + rank] / m[rank * columns + rank];
            for (size_t j = rank; j < columns; j++)
                m[i * columns + j] -= factor * m[rank * columns + j];
        }
    }
    if (rank == columns) return false;
    memset(c, 0, columns * sizeof *c);
    c[order[rank]] = 1;
    for (size_t i = 0; i < rank; i++) c[order[i]] = -m[i * columns + rank] / m[i * columns + i];
    return true;
}

/* Moves a head's weights along c, which changes neither their sum nor softmax(z), until one is 0.
 */
static void move(double *weights, const size_t *active, const double *c, size_t count) {
    double reach = INFINITY;
    size_t first = 0;
    for (size_t k = 0; k < count; k++)
        if (c[k] < 0 && -weights[active[k]] / c[k] < reach)
            reach = -weights[active[k]] / c[k], first = k;
    for (size_t k = 0; k < count; k++)
        weights[active[k]] = fmax(weights[active[k]] + reach * c[k], 0);
    weights[active[first]] = 0;
}

static size_t sparsify_head(const Votes *votes, size_t head, double *weights, Arena *arena) {
    size_t n = votes->keys, rows = votes->symbols + 1;
    size_t *active = ARENA_ARRAY(arena, n, size_t), *order = ARENA_ARRAY(arena, n, size_t);
    double *m = ARENA_ARRAY(arena, rows * n, double), *c = ARENA_ARRAY(arena, n, double);
    for (;;) {
        budget_poll(arena_budget(arena));
        size_t count = 0;
        for (size_t j = 0; j < n; j++)
            if (weights[j] > 0) active[count++] = j;
        /* One column more than rows is dependent already. */
        size_t columns = count > rows + 1 ? rows + 1 : count;
        for (size_t k = 0; k < columns; k++) {
            const double *vote = votes->votes + (head * n + active[k]) * votes->symbols;
            double mean = mean_of(vote, rows - 1); /* a constant in all logits changes nothing */
            for (size_t y = 0; y + 1 < rows; y++) m[y * columns + k] = vote[y] - mean;
            m[(rows - 1) * columns + k] = 1;
        }
        if (!null_direction(m, rows, columns, order, c)) return count;
        move(weights, active, c, columns);
    }
}

size_t choice_sparsify(const Votes *votes, double *weights, Arena *arena) {
    size_t most = 0;
    for (size_t h = 0; h < votes->heads; h++) {
        Arena *scratch = arena_child(arena);
        size_t support = sparsify_head(votes, h, weights + h * votes->keys, scratch);
        most = support > most ? support : most;
        arena_free(scratch);
    }
    return most;
}
