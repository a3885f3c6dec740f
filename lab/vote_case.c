#include "lab/vote_case.h"

#include "lab/simplex.h"

#include <math.h>
#include <string.h>

static VoteCase room(Lab *lab, size_t heads, size_t keys, size_t symbols, double **direct,
                     double **votes) {
    *direct = ARENA_ARRAY(lab->arena, symbols, double);
    *votes = ARENA_ARRAY(lab->arena, heads * keys * symbols, double);
    return (VoteCase){.votes = {heads, keys, symbols, *direct, *votes},
                      .law = ARENA_ARRAY(lab->arena, symbols, double),
                      .weights = ARENA_ARRAY(lab->arena, heads * keys, double)};
}

VoteCase vote_case_random(Lab *lab, size_t heads, size_t keys, size_t symbols, double scale) {
    double *direct, *votes;
    VoteCase c = room(lab, heads, keys, symbols, &direct, &votes);
    rng_normals(lab->rng, direct, symbols, 1);
    rng_normals(lab->rng, votes, heads * keys * symbols, scale);
    rng_normals(lab->rng, c.law, symbols, 2);
    softmax(c.law, symbols, 1, c.law);
    return c;
}

void draw_weights(Rng *rng, size_t heads, size_t keys, double *weights) {
    for (size_t h = 0; h < heads; h++) {
        double *a = weights + h * keys, sum = 0;
        for (size_t j = 0; j < keys; j++) sum += a[j] = fmax(rng_normal(rng), 0);
        for (size_t j = 0; j < keys; j++) a[j] = sum > 0 ? a[j] / sum : 1 / (double)keys;
    }
}

VoteCase vote_case_grammar(Lab *lab, const Grammar *g, const size_t *tokens, size_t i,
                           size_t heads) {
    double *direct, *votes;
    size_t symbols = g->symbols, keys = i + 2;
    VoteCase c = room(lab, heads, keys, symbols, &direct, &votes);
    memcpy(direct, g->direct + tokens[i] * symbols, symbols * sizeof *direct);
    for (size_t h = 0; h < heads; h++)
        for (size_t j = 0; j <= i; j++)
            memcpy(votes + (h * keys + j) * symbols, g->votes + tokens[j] * symbols,
                   symbols * sizeof *votes);
    memcpy(c.law, grammar_law(g, tokens[i - 1], tokens[i]), symbols * sizeof *c.law);
    return c;
}
