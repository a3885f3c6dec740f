#include "lab/language.h"

#include "lab/simplex.h"

#include <math.h>
#include <string.h>

size_t law_draw(const double *law, size_t n, Rng *rng) {
    double at = rng_unit(rng), sum = 0;
    size_t last = 0;
    for (size_t y = 0; y < n; y++) {
        if (law[y] <= 0) continue;
        last = y;
        if ((sum += law[y]) > at) return y;
    }
    return last; /* the law's sum is 1 up to rounding */
}

/* --- the grammar ---------------------------------------------------------------------------- */

/* The stationary law of pairs by power iteration; all laws are positive, so it is the only one. */
static void find_pairs(Grammar *g, Arena *scratch) {
    size_t v = g->symbols;
    double *next = ARENA_ARRAY(scratch, v * v, double), change = 1;
    for (size_t k = 0; k < v * v; k++) g->pairs[k] = 1 / (double)(v * v);
    for (int turn = 0; turn < 10000 && change > 1e-15; turn++) {
        budget_poll(arena_budget(scratch));
        memset(next, 0, v * v * sizeof *next);
        for (size_t a = 0; a < v; a++)
            for (size_t b = 0; b < v; b++)
                for (size_t y = 0; y < v; y++)
                    next[b * v + y] += g->pairs[a * v + b] * grammar_law(g, a, b)[y];
        change = max_difference(next, g->pairs, v * v);
        memcpy(g->pairs, next, v * v * sizeof *next);
    }
}

Grammar grammar_new(Arena *arena, uint64_t seed, size_t symbols, double kappa) {
    size_t v = symbols;
    Grammar g = {.symbols = v,
                 .direct = ARENA_ARRAY(arena, v * v, double),
                 .votes = ARENA_ARRAY(arena, v * v, double),
                 .law = ARENA_ARRAY(arena, v * v * v, double),
                 .pairs = ARENA_ARRAY(arena, v * v, double)};
    Arena *scratch = arena_child(arena);
    /* A generator a table: the tables of one seed are the same for every κ. */
    Rng streams[3] = {rng_new(seed, 1), rng_new(seed, 2), rng_new(seed, 3)};
    rng_normals(&streams[0], g.direct, v * v, 1);
    rng_normals(&streams[1], g.votes, v * v, 1.5);
    rng_normals(&streams[2], g.law, v * v * v, 1);
    for (size_t a = 0; a < v; a++)
        for (size_t b = 0; b < v; b++) {
            double *row = g.law + (a * v + b) * v;
            for (size_t y = 0; y < v; y++)
                row[y] = g.votes[a * v + y] + g.direct[b * v + y] + kappa * row[y];
            softmax(row, v, 1, row);
        }
    find_pairs(&g, scratch);
    for (size_t k = 0; k < v * v; k++) g.entropy += g.pairs[k] * entropy(g.law + k * v, v);
    arena_free(scratch);
    return g;
}

void grammar_sample(const Grammar *g, Rng *rng, size_t length, size_t *tokens) {
    size_t pair = law_draw(g->pairs, g->symbols * g->symbols, rng);
    tokens[0] = pair / g->symbols;
    tokens[1] = pair % g->symbols;
    for (size_t i = 2; i < length; i++)
        tokens[i] = law_draw(grammar_law(g, tokens[i - 2], tokens[i - 1]), g->symbols, rng);
}

/* --- lag-copy ------------------------------------------------------------------------------- */

size_t lag_copy_sample(const LagCopy *l, Rng *rng, size_t length, size_t *tokens) {
    size_t lag = 1 + rng_below(rng, l->lags);
    for (size_t t = 0; t < length; t++)
        tokens[t] =
            t < l->lags || rng_unit(rng) < l->noise ? rng_below(rng, l->symbols) : tokens[t - lag];
    return lag;
}

void lag_copy_law(const LagCopy *l, const size_t *tokens, size_t length, double *law,
                  double *posterior) {
    double uniform = l->noise / (double)l->symbols;
    for (size_t lag = 1; lag <= l->lags; lag++) {
        posterior[lag - 1] = 0; /* the log of the likelihood, at first */
        for (size_t t = l->lags; t < length; t++)
            posterior[lag - 1] += log(uniform + (tokens[t - lag] == tokens[t] ? 1 - l->noise : 0));
    }
    softmax(posterior, l->lags, 1, posterior);
    for (size_t y = 0; y < l->symbols; y++) law[y] = uniform;
    for (size_t lag = 1; lag <= l->lags; lag++)
        law[tokens[length - lag]] += posterior[lag - 1] * (1 - l->noise);
}
